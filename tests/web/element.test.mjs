// `<fleetfold-preview>` in host pages: plain HTML, React 19, a plugin section, a shadow root; properties, events,
// moving and removing it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { demos } from "../../web/demo/build.mjs";
import { axe, browser, check, open, site } from "./harness.mjs";
import { shown } from "./visible-text.mjs";

let chromium, served, folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetfold-demo-"));
  await demos(folder, process.env.FLEETFOLD_DIST);
  [chromium, served] = [await browser(), await site(folder)];
});
after(async () => {
  await chromium?.close();
  await served?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a story on its own page and checks for violations at its end. */
function story(name, path, tell, options = {}) {
  test(name, async () => {
    const page = await open(chromium, served, {
      path,
      settle: false,
      viewport: { width: 1200, height: 1400 },
      ...options,
    });
    try {
      await tell(page);
      check(page);
    } finally {
      await page.context().close();
    }
  });
}

const row = (place, name) => place.getByRole("row", { name: new RegExp(`^${name.replaceAll(".", "\\.")}, `) });

async function value(place, name, wanted) {
  const cell = row(place, name).getByRole("gridcell").nth(1);
  await cell.waitFor();
  let seen;
  for (const late = Date.now() + 10_000; Date.now() < late; await new Promise((it) => setTimeout(it, 20))) {
    seen = await cell.innerText();
    if (seen === wanted) return;
  }
  assert.equal(seen, wanted, name);
}

const FLEET = (replicas = 3) => `kind: Cluster
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: eu-1, namespace: acme, labels: {tier: gold}}
---
kind: Cluster
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: us-1, namespace: acme, labels: {tier: gold}}
---
kind: PluginDefinition
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: metrics, namespace: acme}
spec: {version: 1.0.0, options: [{name: replicas, type: int, default: 2}]}
---
kind: PluginPreset
apiVersion: greenhouse.sap/v1alpha1
metadata: {name: metrics, namespace: acme}
spec:
  clusterSelector: {matchLabels: {tier: gold}}
  plugin:
    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}
    optionValues: [{name: replicas, value: ${replicas}}]
`;

/** Adds an element to the page and records its events in `globalThis.told`. */
function put(page, properties, attributes = {}) {
  return page.evaluate(
    ([properties, attributes]) => {
      document.body.replaceChildren();
      if (!globalThis.told)
        for (const type of ["ready", "select", "change", "error", "open"])
          document.body.addEventListener(`fleetfold-${type}`, (event) => globalThis.told.push([type, event.detail]));
      globalThis.told = [];
      const element = document.createElement("fleetfold-preview");
      for (const [name, it] of Object.entries(attributes)) element.setAttribute(name, it);
      Object.assign(element, properties);
      document.body.append(element);
    },
    [properties, attributes],
  );
}
const told = (page, type) =>
  page.evaluate((type) => globalThis.told.filter(([it]) => it === type).map(([, detail]) => detail), type);
const preview = (page) => page.locator("fleetfold-preview");

story("plain HTML: two of them, one from an address, one from a property", "/plain.html", async (page) => {
  const [served, given] = [page.locator("#served"), page.locator("#given")];
  await value(served, "replicas", "5");
  await value(given, "replicas", "5");
  assert.match(
    await row(served, "replicas").getAttribute("aria-label"),
    /set by cluster-option-override in presets.yaml line 29, overrides 3 from preset/,
  );
  assert.match(await shown(given), /2 of 2 selected/);
  await row(served, "replicas").click();
  await page.waitForFunction(() => document.querySelector("#heard").textContent.includes('"path":"replicas"'));
  assert.equal(await given.locator("ff-cascade").count(), 0, "they know nothing of each other");
});

story("plain HTML: typing in the editable one changes its tree, and the page hears it", "/plain.html", async (page) => {
  const given = page.locator("#given");
  await value(given, "replicas", "5");
  const area = given.getByRole("textbox", { name: "Documents in documents.yaml" });
  await area.fill((await area.inputValue()).replace("value: 5", "value: 9"));
  await value(given, "replicas", "9 was 5");
  await page.waitForFunction(() =>
    document.querySelector("#heard").textContent.startsWith("fleetfold-change from given"),
  );
  await row(given, "replicas").click();
  await given
    .getByRole("button", { name: /Go to documents.yaml/ })
    .first()
    .click();
  const line = await area.evaluate((it) => it.value.slice(it.selectionStart, it.selectionEnd));
  assert.match(line, /replicas, value: 9/);
});

story("the page's look stays the page's, and the element's its own", "/plain.html", async (page) => {
  await value(page.locator("#served"), "replicas", "5");
  const looks = await page.evaluate(() => {
    const within = (root) => [
      root,
      ...[...root.querySelectorAll("*")].flatMap((it) => (it.shadowRoot ? within(it.shadowRoot) : [])),
    ];
    const button = within(document.querySelector("#served").shadowRoot)
      .map((it) => it.querySelector("button"))
      .find(Boolean);
    return {
      heading: getComputedStyle(document.querySelector("h1")).fontFamily,
      sheets: document.adoptedStyleSheets.length,
      styles: document.querySelectorAll("style").length,
      radius: getComputedStyle(button).borderRadius,
    };
  });
  assert.match(looks.heading, /Georgia/);
  assert.deepEqual([looks.sheets, looks.styles], [0, 0]);
  assert.notEqual(looks.radius, "99px");
});

story("custom properties and the theme change how it looks", "/plain.html", async (page) => {
  await value(page.locator("#given"), "replicas", "5");
  const accent = (id) =>
    page
      .locator(id)
      .getByRole("button", { name: "compare with…" })
      .evaluate((it) => getComputedStyle(it).color);
  assert.equal(await accent("#given"), "rgb(122, 31, 162)");
  assert.notEqual(await accent("#served"), "rgb(122, 31, 162)");
  const ground = () => page.locator("#served").evaluate((it) => getComputedStyle(it).backgroundColor);
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await page.locator("#served").evaluate((it) => (it.theme = "dark"));
  await page.waitForFunction(
    () => getComputedStyle(document.querySelector("#served")).backgroundColor === "rgb(20, 23, 28)",
  );
});

story("React 19 sets properties and hears events", "/react/index.html", async (page) => {
  await value(preview(page), "replicas", "3");
  assert.match(await shown(preview(page)), /us-1 is selected/);
  await page.getByRole("spinbutton", { name: "Replicas" }).fill("8");
  await value(preview(page), "replicas", "8");
  await page.getByRole("button", { name: "other cluster" }).click();
  await preview(page).getByText("eu-1 is selected").waitFor();
  await row(preview(page), "replicas").click();
  await page.getByRole("status").filter({ hasText: "PluginPreset/acme/metrics · eu-1 · replicas" }).waitFor();
  await page.getByRole("button", { name: "take it out" }).click();
  assert.equal(await preview(page).count(), 0);
  await page.getByRole("button", { name: "put it back" }).click();
  await value(preview(page), "replicas", "8");
});

story("a plugin section shows what the cluster of the page gets", "/headlamp/index.html", async (page) => {
  const section = page.getByRole("region", { name: "Fleet" });
  await value(section, "replicas", "3");
  await value(section, "logLevel", "warn");
  await page.getByRole("button", { name: "lab-1" }).click();
  await section.getByText("lab-1 is not selected").waitFor();
  assert.match(await shown(section), /tier=gold does not hold: the label is bronze/);
});

story("documents may be text, objects or files", "/plain.html", async (page) => {
  await put(page, { documents: FLEET() });
  await value(preview(page), "replicas", "3");
  await put(page, { documents: [{ name: "a/fleet.yaml", text: FLEET(4) }] });
  await value(preview(page), "replicas", "4");
  assert.match(await row(preview(page), "replicas").getAttribute("aria-label"), /in fleet.yaml line 21/);
  await put(page, {
    documents: [{ kind: "Cluster", apiVersion: "greenhouse.sap/v1alpha1", metadata: { name: "one", namespace: "x" } }],
  });
  await page.waitForFunction(() => globalThis.told.some(([type]) => type === "ready"));
  assert.deepEqual(await told(page, "ready"), [{ subjects: [] }]);
  assert.match(await shown(preview(page)), /kind: PluginPreset/, "it teaches what is missing");
});

story("integers beyond 2^53 in objects stay exact", "/plain.html", async (page) => {
  await put(page, {});
  await page.evaluate(() => {
    const apiVersion = "greenhouse.sap/v1alpha1";
    const metadata = { name: "m", namespace: "acme" };
    document.querySelector("fleetfold-preview").documents = [
      { apiVersion, kind: "Cluster", metadata },
      {
        apiVersion,
        kind: "PluginDefinition",
        metadata,
        spec: { version: "1", options: [{ name: "big", type: "int", default: 9007199254740993n }] },
      },
      {
        apiVersion,
        kind: "PluginPreset",
        metadata,
        spec: { clusterSelector: {}, plugin: { pluginDefinitionRef: { kind: "PluginDefinition", name: "m" } } },
      },
    ];
  });
  await value(preview(page), "big", "9007199254740993");
});

story("what the page sets is shown, what people choose is told", "/plain.html", async (page) => {
  await put(page, { documents: FLEET() }, { cluster: "us-1", subject: "PluginPreset/acme/metrics" });
  await preview(page).getByText("us-1 is selected").waitFor();
  assert.deepEqual(await told(page, "select"), [], "the page knows what it said itself");
  await preview(page).evaluate((it) => (it.cluster = "eu-1"));
  await preview(page).getByText("eu-1 is selected").waitFor();
  await preview(page).getByRole("combobox", { name: "Cluster", exact: true }).click();
  await page.keyboard.type("us");
  await page.keyboard.press("Enter");
  await preview(page).getByText("us-1 is selected").waitFor();
  assert.deepEqual(await told(page, "select"), [{ subject: "PluginPreset/acme/metrics", cluster: "us-1" }]);
  assert.equal(await preview(page).evaluate((it) => it.cluster), "us-1");
});

story("a link shows the line, unless the page shows it itself", "/plain.html", async (page) => {
  await put(page, { documents: FLEET() }, { cluster: "us-1" });
  await row(preview(page), "replicas").click();
  await preview(page).getByRole("button", { name: "Go to documents.yaml:21" }).click();
  assert.match(
    await preview(page).locator("ff-source .here").innerText(),
    /21\s*optionValues: \[\{name: replicas, value: 3\}\]/,
  );
  assert.deepEqual(await told(page, "open"), [{ file: "documents.yaml", line: 21, column: 20 }]);
  await preview(page).getByRole("button", { name: "Close the lines of the document" }).click();
  assert.equal(await preview(page).locator("ff-source").count(), 0);
  await page.evaluate(() => document.body.addEventListener("fleetfold-open", (event) => event.preventDefault()));
  await preview(page).getByRole("button", { name: "Go to documents.yaml:21" }).click();
  assert.equal(await preview(page).locator("ff-source").count(), 0);
});

story("an address that gives nothing is told and shown", "/plain.html", async (page) => {
  await put(page, {}, { src: "./plain.js?x ./missing.yaml" });
  await preview(page)
    .getByRole("alert")
    .filter({ hasText: "missing.yaml cannot be loaded: the server returned 404" })
    .waitFor();
  assert.deepEqual(
    (await told(page, "error")).map((it) => it.src),
    ["./missing.yaml"],
  );
  page.problems = () => [];
});

story("in a shadow root, moved, taken out and put back it goes on", "/plain.html", async (page) => {
  await put(page, {});
  await page.evaluate((fleet) => {
    const host = document.createElement("div");
    host.id = "host";
    document.body.replaceChildren(host);
    const root = host.attachShadow({ mode: "open" });
    const element = document.createElement("fleetfold-preview");
    element.editable = true;
    element.documents = fleet;
    root.append(element);
    globalThis.element = element;
  }, FLEET());
  await value(preview(page), "replicas", "3");
  const area = preview(page).getByRole("textbox");
  await area.fill((await area.inputValue()).replace("value: 3", "value: 7"));
  await value(preview(page), "replicas", "7 was 3");
  // After a move nothing restarts.
  assert.equal(
    await page.evaluate(
      () => (
        (globalThis.before = globalThis.element.state),
        document.body.append(globalThis.element),
        globalThis.before === globalThis.element.state
      ),
    ),
    true,
  );
  await value(preview(page), "replicas", "7 was 3");
  // Removing the element ends its worker. Adding it again starts a worker with the same documents and edits.
  await page.evaluate(() => globalThis.element.remove());
  await page.waitForFunction(() => globalThis.element.state === undefined);
  assert.equal(page.workers().length, 0);
  await page.evaluate(() => document.body.append(globalThis.element));
  await value(preview(page), "replicas", "7 was 3");
  assert.equal(page.workers().length, 1);
});

story("properties that were set before the element was known count", "/index.html", async (page) => {
  await page.evaluate((fleet) => {
    const element = document.createElement("fleetfold-preview");
    element.documents = fleet;
    element.cluster = "us-1";
    document.body.append(element);
    const script = document.createElement("script");
    [script.type, script.src] = ["module", "./element.js"];
    document.head.append(script);
  }, FLEET());
  await preview(page).getByText("us-1 is selected").waitFor();
});

story("loaded twice, it is defined once", "/plain.html", async (page) => {
  await value(page.locator("#served"), "replicas", "5");
  await page.evaluate(() => import("./element.js?again"));
  await put(page, { documents: FLEET() });
  await value(preview(page), "replicas", "3");
});

story("readonly wins over editable", "/plain.html", async (page) => {
  await put(page, { documents: FLEET() }, { editable: "", readonly: "" });
  await value(preview(page), "replicas", "3");
  assert.equal(await preview(page).locator("textarea").count(), 0);
});

for (const path of ["/plain.html", "/react/index.html", "/headlamp/index.html"]) {
  for (const colorScheme of ["light", "dark"]) {
    story(
      `axe finds nothing in ${path} in ${colorScheme}`,
      path,
      async (page) => {
        await preview(page)
          .getByRole("row", { name: /^replicas, / })
          .first()
          .click();
        await preview(page).locator("ff-cascade").first().waitFor();
        assert.deepEqual(await axe(page), []);
      },
      { colorScheme },
    );
  }
}
