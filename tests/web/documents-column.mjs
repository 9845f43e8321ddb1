// What the tests of the Documents column share: a browser, a page for each test, and locators.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { browser, check, open, site } from "./harness.mjs";

export const PRESETS = "greenhouse/presets.yaml";
export const METRICS = "PluginPreset/acme/metrics";
export const PRESET =
  "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {name: fresh, namespace: acme}\nspec:\n";
export const DOCUMENTS = { fromShadowDom: ["ff-app", "ff-documents"] };

let chromium;
let served;
/** A temporary folder for the test file. */
export let folder;

before(async () => {
  [chromium, served] = await Promise.all([browser(), site()]);
  folder = mkdtempSync(join(tmpdir(), "fleetfold-documents-"));
});

after(async () => {
  await chromium?.close();
  await served?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page for one test and checks for violations at its end. */
export async function on(options, story) {
  const page = await open(chromium, served, options);
  try {
    await story(page);
    check(page);
  } finally {
    await page.context().close();
  }
}

export const editor = (page) => page.locator("ff-editor .cm-content");
export const tree = (page) => page.getByRole("tree", { name: "Files" });
export const problems = (page) => page.locator("ff-problems");

/** The gutter text of each line, by line number. */
export function inGutter(page, gutter, line) {
  return page.evaluate(
    ([gutter, line]) => {
      const root = document
        .querySelector("ff-app")
        .shadowRoot.querySelector("ff-documents")
        .shadowRoot.querySelector("ff-editor").shadowRoot;
      const number = [...root.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].find(
        (it) => it.textContent === String(line) && it.style.visibility !== "hidden",
      );
      const top = number.getBoundingClientRect().top;
      const there = [...root.querySelectorAll(`.${gutter} .cm-gutterElement`)].find(
        (it) => Math.abs(it.getBoundingClientRect().top - top) < 2 && it.style.visibility !== "hidden",
      );
      const mark = there?.querySelector("[data-layer]");
      return (
        there && {
          text: there.textContent,
          title: (mark ?? there.firstElementChild)?.title ?? "",
          layer: mark?.dataset.layer,
          hidden: mark?.classList.contains("hidden"),
        }
      );
    },
    [gutter, line],
  );
}

/** The number of the cursor's line. */
export function cursorLine(page) {
  return page.locator("ff-editor .cm-activeLineGutter").last().textContent();
}
