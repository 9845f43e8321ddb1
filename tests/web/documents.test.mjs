// The editor of the Documents column: edits reach the engine at once, and findings point at their position.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cursorLine, editor, inGutter, METRICS, on, PRESET, PRESETS, problems, tree } from "./documents-column.mjs";
import {
  files,
  goTo,
  query,
  replace,
  select,
  selectExample,
  selection,
  setText,
  settled,
  text,
  typeOver,
} from "./harness.mjs";

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
        "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\n" +
        `metadata: {name: p${index}, namespace: acme}\nspec:\n` +
        "  clusterSelector: {matchExpressions: [{key: a, operator: Inn}]}\n";
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
