// The Documents column: edits reach the engine at once, findings point at their position, and every way to import files
// works.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  axe,
  browser,
  check,
  files,
  goTo,
  offers,
  open,
  query,
  replace,
  select,
  selectExample,
  selection,
  setText,
  settled,
  site,
  text,
  typeOver,
} from "./harness.mjs";

const PRESETS = "greenhouse/presets.yaml";
const METRICS = "PluginPreset/acme/metrics";
const PRESET =
  "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {name: fresh, namespace: acme}\nspec:\n";
const DOCUMENTS = { fromShadowDom: ["ff-app", "ff-documents"] };

let chromium;
let served;
let folder;

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
async function on(options, story) {
  const page = await open(chromium, served, options);
  try {
    await story(page);
    check(page);
  } finally {
    await page.context().close();
  }
}

const editor = (page) => page.locator("ff-editor .cm-content");
const tree = (page) => page.getByRole("tree", { name: "Files" });
const problems = (page) => page.locator("ff-problems");

/** The gutter text of each line, by line number. */
function inGutter(page, gutter, line) {
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
function cursorLine(page) {
  return page.locator("ff-editor .cm-activeLineGutter").last().textContent();
}

describe("the editor", () => {
  test("what is typed is in the state and in the answers at once", () =>
    on({}, async (page) => {
      await typeOver(page, PRESETS, "value: 5", "value: 7");
      assert.match(await text(page, PRESETS), /- \{name: replicas, value: 7\}/);
      const { ok } = await query(page, { op: "effective", subject: METRICS, clusters: ["eu-1"] });
      assert.equal(ok.results[0].options.find((it) => it.path === "replicas").value, 7);
    }));

  test("each file has its own history, and undo after a reset brings the edit back", () =>
    on({}, async (page) => {
      await typeOver(page, PRESETS, "value: 5", "value: 7");
      await typeOver(page, "greenhouse/overrides.yaml", "value: warn", "value: debug");
      await goTo(page, { file: PRESETS, line: 1 });
      // Slow typing makes several undo steps.
      for (let step = 0; step < 10; step++) await page.keyboard.press("Control+z");
      await settled(page);
      assert.match(await text(page, PRESETS), /value: 5/);
      assert.match(await text(page, "greenhouse/overrides.yaml"), /value: debug/);
      await goTo(page, { file: "greenhouse/overrides.yaml", line: 1 });
      await page.evaluate(() => document.querySelector("ff-app").state.reset());
      await settled(page);
      assert.match(await text(page, "greenhouse/overrides.yaml"), /value: warn/);
      assert.match(await editor(page).textContent(), /value: warn/);
      await page.keyboard.press("Control+z");
      await settled(page);
      assert.match(await text(page, "greenhouse/overrides.yaml"), /value: debug/);
    }));

  test("what somebody else changes is in the editor at once", () =>
    on({}, async (page) => {
      await goTo(page, { file: PRESETS, line: 29 });
      await setText(page, PRESETS, (await text(page, PRESETS)).replace("value: 5", "value: 55"));
      assert.match(await editor(page).textContent(), /value: 55/);
      await page.getByRole("button", { name: "Revert" }).click();
      await settled(page);
      assert.doesNotMatch(await editor(page).textContent(), /value: 55/);
    }));

  test("another example with a file of the same name is another file", () =>
    on({ example: "greenhouse" }, async (page) => {
      await goTo(page, { file: "presets.yaml", line: 1 });
      await selectExample(page, "thousand");
      await select(page, { file: "presets.yaml" });
      assert.equal((await editor(page).textContent()).includes("acme-ca"), false);
      await editor(page).focus();
      await page.keyboard.press("Control+z");
      await settled(page);
      assert.equal(await page.evaluate(() => document.querySelector("ff-app").state.edits.length), 0);
    }));

  test("lines of a file that ends them in two characters stay as they are", () =>
    on({}, async (page) => {
      await setText(page, "dos.yaml", "apiVersion: v1\r\nkind: Namespace\r\nmetadata: {name: old}\r\n");
      await typeOver(page, "dos.yaml", "old", "new");
      assert.equal(await text(page, "dos.yaml"), "apiVersion: v1\r\nkind: Namespace\r\nmetadata: {name: new}\r\n");
    }));

  test("Tab indents with spaces, and Escape then Tab leaves", () =>
    on({}, async (page) => {
      await setText(page, "new.yaml", "a:\n");
      await goTo(page, { file: "new.yaml", line: 2 });
      await page.keyboard.press("Tab");
      assert.equal(await text(page, "new.yaml"), "a:\n  ");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      assert.equal(await text(page, "new.yaml"), "a:\n  ");
      assert.equal(await editor(page).evaluate((it) => it.getRootNode().activeElement === it), false);
      const about = await editor(page).evaluate(
        (it) => it.getRootNode().getElementById(it.getAttribute("aria-describedby")).textContent,
      );
      assert.match(about, /Escape, then Tab/);
    }));

  test("a place opens its file, with the cursor in its line and column", () =>
    on({}, async (page) => {
      await goTo(page, { file: "greenhouse/overrides.yaml", line: 28, column: 7 });
      assert.equal(await cursorLine(page), "28");
      await page.getByRole("textbox", { name: /greenhouse\/overrides\.yaml/ }).waitFor();
      await page.keyboard.type("#");
      assert.match(await text(page, "greenhouse/overrides.yaml"), /^    - #\{path: image\.tag/m);
      assert.equal((await selection(page)).file, "greenhouse/overrides.yaml");
    }));

  test("search finds, and Escape gives the editor back", () =>
    on({}, async (page) => {
      await goTo(page, { file: PRESETS, line: 1 });
      await page.keyboard.press("Control+f");
      await page.keyboard.type("ignoreDiff");
      await page.keyboard.press("Enter");
      assert.equal(await cursorLine(page), "24");
      await page.keyboard.press("Escape");
      assert.ok(await editor(page).evaluate((it) => it.getRootNode().activeElement === it));
    }));

  test("changed, added and removed lines have their signs", () =>
    on({}, async (page) => {
      await replace(page, PRESETS, "value: 5", "value: 7");
      await goTo(page, { file: PRESETS, line: 29 });
      assert.equal((await inGutter(page, "ff-changes", 29)).text, "~");
      await replace(page, PRESETS, "  deletionPolicy: Delete\n", "");
      await goTo(page, { file: PRESETS, line: 13 });
      assert.equal((await inGutter(page, "ff-changes", 13)).text, "−");
      await replace(page, PRESETS, "  deletionPolicy: Retain\n", "  deletionPolicy: Retain\n  # kept\n");
      await goTo(page, { file: PRESETS, line: 38 });
      assert.equal((await inGutter(page, "ff-changes", 38)).text, "+");
    }));
});

describe("the layers in the gutter", () => {
  test("the line that decides has its layer, the hidden one is struck, and a click chooses the value", () =>
    on({}, async (page) => {
      await select(page, { subject: METRICS, cluster: "eu-1", file: PRESETS });
      await goTo(page, { file: PRESETS, line: 25 });
      const wins = await inGutter(page, "ff-layers", 29);
      assert.deepEqual([wins.layer, wins.hidden], ["cluster-option-override", false]);
      assert.match(wins.title, /sets replicas: 5/);
      const hidden = await inGutter(page, "ff-layers", 21);
      assert.deepEqual([hidden.layer, hidden.hidden], ["preset", true]);
      assert.match(hidden.title, /sets replicas: 3, hidden by cluster-option-override/);
      await page.locator('ff-editor [data-layer="cluster-option-override"]').click();
      assert.equal((await selection(page)).path, "replicas");
    }));

  test("for another cluster the same line decides", () =>
    on({}, async (page) => {
      await select(page, { subject: METRICS, cluster: "us-1", file: PRESETS });
      await goTo(page, { file: PRESETS, line: 25 });
      assert.equal((await inGutter(page, "ff-layers", 21)).hidden, false);
      assert.equal((await inGutter(page, "ff-layers", 29))?.layer, undefined);
    }));

  test("marks move with their lines while somebody types", () =>
    on({}, async (page) => {
      await select(page, { subject: METRICS, cluster: "eu-1" });
      await goTo(page, { file: PRESETS, line: 20, column: 18 });
      await page.keyboard.press("Enter");
      await settled(page);
      assert.equal((await inGutter(page, "ff-layers", 30)).layer, "cluster-option-override");
    }));

  test("without a mouse the line of the cursor says what it decides, and goes there", () =>
    on({}, async (page) => {
      await select(page, { subject: METRICS, cluster: "eu-1" });
      await goTo(page, { file: PRESETS, line: 29 });
      await page.getByRole("button", { name: "line 29: cluster-option-override sets replicas: 5" }).waitFor();
      await select(page, { path: undefined });
      await editor(page).focus();
      await page.keyboard.press("Alt+Enter");
      assert.equal((await selection(page)).path, "replicas");
    }));
});

describe("what is found", () => {
  test("broken YAML points at its line, and what was good stays", () =>
    on({}, async (page) => {
      const before = (await query(page, { op: "subjects" })).ok.subjects.length;
      await replace(page, PRESETS, "releaseName: metrics", "releaseName: met: rics");
      const { ok } = await query(page, { op: "subjects" });
      assert.equal(ok.subjects.length, before);
      await tree(page)
        .getByRole("treeitem", { name: /^presets\.yaml ?, edited, 1 error/ })
        .waitFor();
      const row = problems(page).getByRole("listitem").filter({ hasText: "error" }).first();
      await row.getByRole("button", { name: "presets.yaml:18" }).click();
      assert.equal(await cursorLine(page), "18");
      assert.ok(await page.locator("ff-editor .cm-lint-marker-error").isVisible());
      await replace(page, PRESETS, "met: rics", "metrics");
      assert.equal(await problems(page).getByRole("listitem").filter({ hasText: "error" }).count(), 0);
    }));

  test("the wavy line is under the right word, also after emoji", () =>
    on({}, async (page) => {
      // The word occurs twice: only the column identifies the right one.
      const line = `      - {key: "${"😀".repeat(20)} Inn", operator: Inn, values: [a]}`;
      await setText(page, "emoji.yaml", `${PRESET}  clusterSelector:\n    matchExpressions:\n${line}\n`);
      await goTo(page, { file: "emoji.yaml", line: 7 });
      const wavy = page.locator("ff-editor .cm-lintRange-error").filter({ hasText: /^Inn$/ });
      const before = await wavy.evaluate((it) => {
        const range = document.createRange();
        range.setStart(it.closest(".cm-line"), 0);
        range.setEndBefore(it);
        return range.toString();
      });
      assert.equal(before, line.slice(0, line.lastIndexOf("Inn")));
      const { diagnostics } = await query(page, { op: "lint" });
      const { at } = diagnostics.find((it) => it.at?.file === "emoji.yaml" && it.code === "unknown-operator");
      await goTo(page, at);
      await page.keyboard.type("X");
      assert.match(await text(page, "emoji.yaml"), /operator: XInn,/);
    }));

  test("where there is one way to mend it, a button does, and undo takes it back", () =>
    on({}, async (page) => {
      await replace(page, PRESETS, "operator: In,", "operator: Inn,");
      const row = problems(page).getByRole("listitem").filter({ hasText: "is not an operator" });
      await row.getByRole("button", { name: "Replace with In" }).click();
      await settled(page);
      assert.match(await text(page, PRESETS), /operator: In,/);
      assert.equal(await row.count(), 0);
      await page.keyboard.press("Control+z");
      await settled(page);
      assert.match(await text(page, PRESETS), /operator: Inn,/);
    }));

  test("the tooltip has message, hint, the way to mend it and its entry in the reference", () =>
    on({}, async (page) => {
      await replace(page, PRESETS, "operator: In,", "operator: Inn,");
      await goTo(page, { file: PRESETS, line: 37 });
      await page.locator("ff-editor .cm-lintRange-error").first().hover();
      const tooltip = page.locator("ff-editor .cm-tooltip-lint");
      await tooltip.waitFor();
      assert.match(await tooltip.textContent(), /Inn is not an operator of a selector[^]*did you mean In\?/);
      await tooltip.getByRole("button", { name: "unknown-operator" }).click();
      await page.locator('ff-reference tr[aria-current="true"]').filter({ hasText: "unknown-operator" }).waitFor();
    }));

  test("settings that cannot be read or are not known point at their line too", () =>
    on({}, async (page) => {
      await setText(
        page,
        "fleetfold.yaml",
        "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  paused: true\n  mode: stric\n",
      );
      const rows = problems(page).getByRole("listitem").filter({ hasText: "error" });
      await rows.getByRole("button", { name: "fleetfold.yaml:5" }).waitFor();
      await rows.getByRole("button", { name: "Replace with strict" }).click();
      await settled(page);
      assert.equal(await rows.count(), 0);
      assert.match(await text(page, "fleetfold.yaml"), /mode: strict$/m);
      await replace(page, "fleetfold.yaml", "mode: strict", "mode: a: b");
      await rows.getByRole("button", { name: "fleetfold.yaml:5" }).waitFor();
    }));

  test("settings with an integer that JavaScript would round reach the engine, which finds their line", () =>
    on({}, async (page) => {
      const settings =
        "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  paused: true\n  mode: 9007199254740993\n";
      await setText(page, "fleetfold.yaml", settings);
      const rows = problems(page).getByRole("listitem").filter({ hasText: "error" });
      await rows.getByRole("button", { name: "fleetfold.yaml:5" }).waitFor();
    }));

  test("problems are of all files or of this one", () =>
    on({}, async (page) => {
      await select(page, { file: "ocm/sets.yaml" });
      const { diagnostics } = await query(page, { op: "lint" });
      const rows = problems(page).getByRole("listitem");
      assert.equal(await rows.count(), diagnostics.length);
      await problems(page)
        .getByRole("button", { name: /^This file/ })
        .click();
      assert.equal(await rows.count(), diagnostics.filter((it) => it.at?.file === "ocm/sets.yaml").length);
    }));

  test("thousands of problems are a list of which only the visible part is there", () =>
    on({}, async (page) => {
      const one = (index) =>
        `apiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {name: p${index}, namespace: acme}\nspec:\n  clusterSelector: {matchExpressions: [{key: a, operator: Inn}]}\n`;
      await setText(page, "many.yaml", Array.from({ length: 2_000 }, (_, index) => one(index)).join("---\n"));
      await problems(page)
        .getByRole("button", { name: /^All [\d,]{5,}/ })
        .waitFor();
      assert.ok((await problems(page).getByRole("listitem").count()) < 60);
      await problems(page)
        .locator(".list")
        .evaluate((it) => (it.scrollTop = it.scrollHeight));
      await problems(page).getByRole("listitem").filter({ hasText: "info" }).first().waitFor();
    }));
});

describe("the files", () => {
  test("are by folder, what was seen in clusters apart, and long lists fold", () =>
    on({ example: "thousand" }, async (page) => {
      const seen = tree(page).getByRole("treeitem", { name: /^seen in 11 clusters/ });
      assert.equal(await seen.getAttribute("aria-expanded"), "false");
      await tree(page)
        .getByRole("treeitem", { name: /^clusters ?, 3 files/ })
        .waitFor();
      await goTo(page, { file: "live/cluster-000003/shop.yaml", line: 1 });
      assert.equal(await seen.getAttribute("aria-expanded"), "true");
      await tree(page).getByRole("treeitem", { name: "cluster-000003/shop.yaml", selected: true }).waitFor();
    }));

  test("are chosen, folded, removed and put back by keys alone", () =>
    on({ example: "greenhouse" }, async (page) => {
      await tree(page).focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await settled(page);
      assert.equal((await selection(page)).file, "definitions.yaml");
      await page.keyboard.press("End");
      // The first key moves to the folder, the second folds it.
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      assert.equal(await tree(page).getByRole("treeitem", { expanded: false }).count(), 1);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Home");
      await page.keyboard.press("Delete");
      await settled(page);
      assert.equal(await text(page, "clusters.yaml"), undefined);
      await tree(page)
        .getByRole("treeitem", { name: /^clusters\.yaml ?, removed/ })
        .waitFor();
      await page.getByRole("button", { name: "Put back" }).focus();
      await page.keyboard.press("Enter");
      await settled(page);
      assert.match(await text(page, "clusters.yaml"), /eu-1/);
      assert.equal(await page.evaluate(() => document.querySelector("ff-app").state.edits.length), 0);
    }));

  test("a new one is named in place, and its name must be one of a document", () =>
    on({}, async (page) => {
      await page.getByRole("button", { name: "New file" }).click();
      const name = page.getByRole("textbox", { name: "Name of the new file" });
      await name.fill("notes.txt");
      await name.press("Enter");
      await page.getByText("a name ends in .yaml, .yml or .json").waitFor();
      await name.fill("extra/fresh.yaml");
      await name.press("Enter");
      await settled(page);
      assert.equal(await text(page, "extra/fresh.yaml"), "");
      await tree(page)
        .getByRole("treeitem", { name: /^fresh\.yaml ?, added/, selected: true })
        .waitFor();
      await page.keyboard.type("a");
      assert.equal(await text(page, "extra/fresh.yaml"), "a");
    }));

  test("thousands of them are a list of which only the visible part is there", () =>
    on({}, async (page) => {
      await page.evaluate(() =>
        document
          .querySelector("ff-app")
          .state.add(Array.from({ length: 2_000 }, (_, index) => ({ name: `many/f${index}.yaml`, text: "" }))),
      );
      await settled(page);
      assert.ok((await tree(page).getByRole("treeitem").count()) < 60);
      await tree(page).focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await tree(page)
        .getByRole("treeitem", { name: /^f1999\.yaml ?, added/, selected: true })
        .waitFor();
    }));

  test("a removed one keeps the history of the others and its own", () =>
    on({}, async (page) => {
      await typeOver(page, PRESETS, "value: 5", "value: 7");
      await page.getByRole("button", { name: `Remove ${PRESETS}` }).click();
      await settled(page);
      await page.getByRole("button", { name: "Put back" }).click();
      await settled(page);
      assert.match(await text(page, PRESETS), /value: 5/);
      await editor(page).focus();
      await page.keyboard.press("Control+z");
      await settled(page);
      assert.match(await text(page, PRESETS), /value: 7/);
    }));

  test("none at all teaches how to make a cluster", () =>
    on({}, async (page) => {
      await page.evaluate(() =>
        document.querySelector("ff-app").state.open({ id: "own", title: "", files: [], complete: [], facts: [] }),
      );
      await settled(page);
      assert.deepEqual(await axe(page, { within: DOCUMENTS }), []);
      await page.getByRole("button", { name: "Insert these lines" }).click();
      await settled(page);
      const { ok } = await query(page, { op: "clusters" });
      assert.deepEqual(
        ok.clusters.map((it) => it.name),
        ["eu-1"],
      );
    }));

  test("ten thousand characters in a name or a value do not break the column", () =>
    on({}, async (page) => {
      const name = `${"x".repeat(10_000)}.yaml`;
      await page.evaluate(
        ([name, text]) => document.querySelector("ff-app").state.add([{ name, text }]),
        [name, `a: ${"y".repeat(10_000)}\n`],
      );
      await select(page, { file: name });
      const wide = await page.locator("ff-documents").evaluate((it) => it.scrollWidth - it.clientWidth);
      assert.equal(wide, 0);
    }));
});

describe("bringing files along", () => {
  const NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: brought}\n";

  function makeFolder() {
    const top = mkdtempSync(join(folder, "drop-"));
    const fleet = join(top, "fleet");
    mkdirSync(join(fleet, "live", "berlin"), { recursive: true });
    writeFileSync(join(fleet, "space.yaml"), NAMESPACE);
    writeFileSync(
      join(fleet, "live", "berlin", "seen.json"),
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "b" } }),
    );
    writeFileSync(join(fleet, "logo.png"), "no document");
    writeFileSync(join(fleet, "latin.yaml"), Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
    return fleet;
  }

  async function drop(page, paths, over = "ff-documents") {
    const debug = await page.context().newCDPSession(page);
    const { x, y, width, height } = await page.locator(over).boundingBox();
    const event = { x: x + width / 2, y: y + height / 2, data: { items: [], files: paths, dragOperationsMask: 1 } };
    for (const type of ["dragEnter", "dragOver", "drop"])
      await debug.send("Input.dispatchDragEvent", { type, ...event });
    await debug.detach();
  }

  test("a dropped folder takes the place of an example that nobody touched, with its paths", () =>
    on({}, async (page) => {
      await drop(page, [makeFolder()]);
      await page.getByText("Opened 2 files.").waitFor();
      await settled(page);
      assert.deepEqual((await files(page)).sort(), ["fleet/live/berlin/seen.json", "fleet/space.yaml"]);
      await page.getByText("fleet/logo.png is neither YAML nor JSON").waitFor();
      await page.getByText("fleet/latin.yaml is not UTF-8").waitFor();
      await tree(page)
        .getByRole("treeitem", { name: /seen in berlin/ })
        .waitFor();
      assert.deepEqual(await axe(page, { within: DOCUMENTS }), []);
    }));

  test("over edits it is added, and starting fresh is one click away", () =>
    on({}, async (page) => {
      const before = await files(page);
      await typeOver(page, PRESETS, "value: 5", "value: 7");
      await drop(page, [join(makeFolder(), "space.yaml")]);
      await page.getByText("Added 1 file.").waitFor();
      await settled(page);
      assert.deepEqual(await files(page), [...before, "space.yaml"]);
      assert.match(await text(page, PRESETS), /value: 7/);
      assert.equal((await editor(page).textContent()).includes("brought"), true);
      await page.getByRole("button", { name: "Start fresh with only this" }).click();
      await settled(page);
      assert.deepEqual(await files(page), ["space.yaml"]);
    }));

  test("what is dropped elsewhere on the page comes in all the same, and does not take its place", () =>
    on({}, async (page) => {
      await drop(page, [join(makeFolder(), "space.yaml")], "ff-groups");
      await page.getByText("Opened 1 file.").waitFor();
      await settled(page);
      assert.deepEqual(await files(page), ["space.yaml"]);
      assert.ok(page.url().startsWith("http"));
    }));

  test("a folder can be picked", () =>
    on({}, async (page) => {
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        page.getByRole("button", { name: "Open folder…" }).click(),
      ]);
      await chooser.setFiles(makeFolder());
      await page.getByText("Opened 2 files.").waitFor();
      await settled(page);
      assert.ok((await files(page)).includes("fleet/space.yaml"));
    }));

  test("files can be pasted, and what is too large is said so", () =>
    on({}, async (page) => {
      await editor(page).evaluate((it, text) => {
        const data = new DataTransfer();
        data.items.add(new File([text], "pasted.yaml"));
        data.items.add(new File([new Uint8Array(9_000_000)], "large.yaml"));
        it.dispatchEvent(
          new ClipboardEvent("paste", { clipboardData: data, bubbles: true, composed: true, cancelable: true }),
        );
      }, NAMESPACE);
      await page.getByText("large.yaml has 9 MB, and 8 MB is the limit").waitFor();
      await settled(page);
      assert.deepEqual(await files(page), ["pasted.yaml"]);
    }));
});

describe("the column", () => {
  test("what documents say is text, wherever it is shown", () =>
    on({}, async (page) => {
      const bad = '<img src=x onerror="document.title=1">';
      const name = "evil/<img src=x onerror=document.title=1>.yaml";
      const hostile = `apiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\nmetadata: {name: evil, namespace: acme, labels: {"a": '${bad}'}}\n---\n${PRESET}  clusterSelector:\n    matchExpressions:\n      - {key: a, operator: '${bad}', values: [b]}\n`;
      await page.evaluate(
        ([name, text]) => document.querySelector("ff-app").state.add([{ name, text }]),
        [name, hostile],
      );
      await goTo(page, { file: name, line: 1 });
      await settled(page);
      await problems(page).getByText(bad).first().waitFor();
      await offers(page, "evil/other.yaml", `${PRESET}  clusterSelector:\n    matchLabels: {a: |}`);
      assert.equal(await page.locator("ff-documents img").count(), 0);
      assert.notEqual(await page.title(), "1");
    }));

  for (const colorScheme of ["light", "dark"]) {
    test(`axe finds nothing, ${colorScheme}`, () =>
      on({ colorScheme }, async (page) => {
        await select(page, { subject: METRICS, cluster: "eu-1" });
        await typeOver(page, PRESETS, "operator: In,", "operator: Inn,");
        assert.deepEqual(await axe(page, { within: DOCUMENTS }), []);
        await page.keyboard.press("Control+f");
        assert.deepEqual(await axe(page, { within: DOCUMENTS }), []);
      }));
  }

  test("Tab goes through all of it and on", () =>
    on({}, async (page) => {
      await page.getByRole("button", { name: "New file" }).focus();
      const reached = new Set();
      for (let step = 0; step < 60; step++) {
        const where = await page.evaluate(() => {
          let at = document.activeElement;
          const hosts = [];
          while (at?.shadowRoot?.activeElement) (hosts.push(at.localName), (at = at.shadowRoot.activeElement));
          return [...hosts, at?.getAttribute("role") ?? at?.localName].join(" ");
        });
        if (step && !where.includes("ff-documents")) break;
        reached.add(where.replace("ff-app ff-documents ", ""));
        if (where.endsWith("textbox")) await page.keyboard.press("Escape");
        await page.keyboard.press("Tab");
      }
      for (const it of ["ff-files tree", "ff-editor textbox", "ff-problems button"])
        assert.ok(reached.has(it), `${it} is not among ${[...reached]}`);
      assert.ok(
        !(await page.evaluate(
          () => document.querySelector("ff-app").shadowRoot.activeElement?.localName === "ff-documents",
        )),
        "the focus is trapped",
      );
    }));

  test("a large file stays quick: a key is on screen before the engine has answered", () =>
    on({ example: "thousand" }, async (page) => {
      await goTo(page, { file: "clusters/greenhouse-000.yaml", line: 2_000, column: 1 });
      const began = Date.now();
      await page.keyboard.type("# quick");
      await page.waitForFunction(() =>
        document.querySelector("ff-app").state.files.get("clusters/greenhouse-000.yaml").text.includes("# quick"),
      );
      assert.ok(Date.now() - began < 5_000, `${Date.now() - began} ms for seven keys`);
      assert.ok((await page.locator("ff-editor .cm-line").count()) < 200);
    }));
});
