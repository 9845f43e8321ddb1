// The files of the Documents column: the list, every way to import files, and the column as a whole.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { DOCUMENTS, editor, folder, METRICS, on, PRESET, PRESETS, problems, tree } from "./documents-column.mjs";
import { axe, files, goTo, offers, query, select, selection, settled, text, typeOver } from "./harness.mjs";

describe("the files", () => {
  test("are by folder, what was seen in clusters apart, and long lists fold", () =>
    on({ example: "thousand" }, async (page) => {
      const seen = tree(page).getByRole("treeitem", { name: /^observed in 11 clusters/ });
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
        .getByRole("treeitem", { name: /observed in berlin/ })
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
      const hostile =
        "apiVersion: greenhouse.sap/v1alpha1\nkind: Cluster\n" +
        `metadata: {name: evil, namespace: acme, labels: {"a": '${bad}'}}\n---\n` +
        `${PRESET}  clusterSelector:\n    matchExpressions:\n` +
        `      - {key: a, operator: '${bad}', values: [b]}\n`;
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
