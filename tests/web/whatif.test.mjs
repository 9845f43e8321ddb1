// The What-if view: counts, groups and the printed page equal the engine's answer; shadowed edits are as prominent as
// changes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { axe, files, query, replace, selection, selectView, setText, settled, text } from "./harness.mjs";
import { shown } from "./visible-text.mjs";
import { stories } from "./stories.mjs";

const PRESETS = "greenhouse/presets.yaml";
const METRICS = "PluginPreset/acme/metrics";
const VIEW = { fromShadowDom: ["ff-app", "ff-whatif"] };
const story = stories(async (page) => {
  await selectView(page, "What-if");
  return page.locator("ff-whatif");
});

/** Queries the engine with the edits of the page. */
async function engine(page, edits) {
  const load = await Promise.all(
    edits.map(async (file) => ({ file, text: (await text(page, file)) ?? "", whole: true })),
  );
  const { ok } = await query(page, { op: "whatIf", load }, "baseline");
  return ok;
}

/** The numbers of a tally row by their label: `{"shadowed": "1"}`. */
async function tally(view, label) {
  return view
    .getByLabel(label, { exact: true })
    .evaluate((row) =>
      Object.fromEntries(
        [...row.querySelectorAll("div")].map((it) => [
          it.querySelector("dt").textContent.trim(),
          it.querySelector("dd").textContent.trim(),
        ]),
      ),
    );
}

const groups = (view) => view.getByRole("region", { name: "Changes" }).getByRole("article");
const shadowed = (view) => view.getByRole("region", { name: "Shadowed" }).getByRole("article");

story("without edits it teaches, and makes an example edit that changes something", async (page, view) => {
  assert.match(await shown(view), /There are no edits/);
  await view.getByRole("button", { name: "try this edit" }).click();
  await settled(page);
  const { counts } = await engine(page, [PRESETS]);
  assert.ok(counts.changed > 0);
  assert.match(await text(page, PRESETS), /\{name: replicas, value: 5\}\n {6}- \{name: ingress/);
});

for (const example of ["greenhouse", "ocm", "kubefed", "kudo", "certmanager", "thousand"]) {
  story(
    `the example edit is found in the documents of ${example}`,
    async (page, view) => {
      const before = await Promise.all((await files(page)).map((it) => text(page, it)));
      await view.getByRole("button", { name: "try this edit" }).click();
      await settled(page);
      const after = await Promise.all((await files(page)).map((it) => text(page, it)));
      assert.equal(after.filter((it, at) => it !== before[at]).length, 1);
      assert.equal(await view.getByRole("region", { name: "Edited files" }).getByRole("article").count(), 1);
    },
    { example },
  );
}

story("counts are those of the engine", async (page, view) => {
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  await replace(page, "greenhouse/overrides.yaml", "{path: logLevel, value: warn}", "{path: logLevel, value: error}");
  const { actions, counts } = await engine(page, [PRESETS, "greenhouse/overrides.yaml"]);
  assert.ok(counts.changed > 1 && counts.subjects > 1, JSON.stringify({ counts, actions }));
  assert.deepEqual(await tally(view, "What would change"), {
    [`of ${counts.clusters} clusters changed`]: `${counts.changed}`,
    shadowed: `${counts.shadowed}`,
    [counts.subjects === 1 ? "subject" : "subjects"]: `${counts.subjects}`,
  });
  assert.deepEqual(await tally(view, "Actions because of it"), {
    "+ create": `${actions.create}`,
    "~ patch": `${actions.patch}`,
    "− delete": `${actions.delete}`,
    "‖ held": `${actions.held}`,
    "? to read first": `${actions.needs}`,
  });
});

story("groups show clusters, values before and after, and the line that decides", async (page, view) => {
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  const { groups: wanted } = await engine(page, [PRESETS]);
  assert.equal(await groups(view).count(), wanted.length);
  const first = groups(view).first();
  assert.match(await shown(first), /PluginPreset\/acme\/metrics\s+changes for 2 clusters/);
  for (const cluster of wanted[0].clusters)
    assert.equal(await first.getByRole("button", { name: cluster, exact: true }).count(), 1);
  assert.match(
    await shown(first.getByRole("row", { name: /replicas/ })),
    /replicas\s+−\s+before\s+3\s+\+\s+after\s+7\s+preset\s+presets\.yaml\s*:21/,
  );
  await first.getByRole("button", { name: "presets.yaml:21" }).click();
  await settled(page);
  assert.equal((await selection(page)).file, PRESETS);
});

story("what is shadowed is as loud, with whom it concerns and what hides it", async (page, view) => {
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  const { shadowed: wanted } = await engine(page, [PRESETS]);
  assert.equal(await shadowed(view).count(), wanted.length);
  const card = shadowed(view).first();
  assert.match(
    await shown(card),
    new RegExp(
      "replicas of PluginPreset/acme/metrics has no effect on 1 cluster[\\s\\S]*eu-1[\\s\\S]*" +
        "shadowed by\\s+cluster-option-override\\s+presets\\.yaml\\s*:29",
    ),
  );
  await card.getByRole("button", { name: "presets.yaml:29" }).click();
  await settled(page);
  assert.equal((await selection(page)).file, PRESETS);
  const colours = await Promise.all(
    [card, groups(view).first()].map((it) => it.evaluate((card) => getComputedStyle(card).borderColor)),
  );
  assert.notEqual(colours[0], colours[1]);
});

story("an edit that is refused is named, and no cluster leaves", async (page, view) => {
  await replace(page, "greenhouse/overrides.yaml", "clusterSelector:", "clusterSelektor:");
  const { refused, groups: wanted } = await engine(page, ["greenhouse/overrides.yaml"]);
  assert.ok(refused?.length, JSON.stringify(refused));
  assert.match(await shown(view.getByRole("alert")), new RegExp(`Refused: ${refused.join(", ")}`));
  assert.deepEqual([...new Set(wanted.map((it) => it.change))], ["fails"]);
  const changed = await tally(view, "What would change");
  assert.ok(Number(changed["keep their last state"]) > 0, JSON.stringify(changed));
  assert.equal(Object.entries(changed).find(([label]) => label.endsWith("changed"))[1], "0");
});

story("what an edit breaks and what it fixes is listed with its line", async (page, view) => {
  const findings = (title) => view.getByRole("region", { name: `${title} findings` });
  await replace(page, "greenhouse/overrides.yaml", "clusterSelector:", "clusterSelektor:");
  const introduced = await shown(findings("Introduced"));
  assert.match(introduced, /error\s+unknown-field\s+there is no field `clusterSelektor` here/);
  assert.match(introduced, /overrides\.yaml\s*:1[45][\s\S]*did you mean/);
  assert.equal(await findings("Fixed").count(), 0);
  await view.getByRole("button", { name: "keep as new baseline" }).click();
  await settled(page);
  await replace(page, "greenhouse/overrides.yaml", "clusterSelektor:", "clusterSelector:");
  assert.match(await shown(findings("Fixed")), /error\s+unknown-field\s+there is no field `clusterSelektor` here/);
  // What could be planned again is checked again.
  assert.doesNotMatch(await shown(findings("Introduced")), /error/);
});

story("what an edit breaks in another document is listed too", async (page, view) => {
  await replace(page, "greenhouse/definitions.yaml", "{name: metrics, namespace", "{name: metric, namespace");
  assert.match(
    await shown(view.getByRole("region", { name: "Introduced findings" })),
    /unknown-definition\s+there is no definition `metrics`[\s\S]*overrides\.yaml/,
  );
});

story("an edit that changes the plan and no value says so", async (page, view) => {
  await replace(page, PRESETS, "releaseNamespace: monitoring", "releaseNamespace: watching");
  const { actions, groups: wanted } = await engine(page, [PRESETS]);
  assert.deepEqual(wanted, []);
  assert.ok(actions.create + actions.patch > 0, JSON.stringify(actions));
  const changes = await shown(view.getByRole("region", { name: "Changes" }));
  assert.match(changes, /The plan changes, and the values of clusters stay the same\./);
});

story("a cluster that joins and one that leaves are told apart", async (page, view) => {
  await replace(
    page,
    PRESETS,
    "matchLabels: {metadata.greenhouse.sap/tier: gold}",
    "matchLabels: {metadata.greenhouse.sap/tier: bronze}",
  );
  const { groups: wanted } = await engine(page, [PRESETS]);
  const words = { joins: "new for", leaves: "removed from" };
  const kinds = new Set(wanted.map((it) => it.change));
  assert.ok(kinds.has("joins") && kinds.has("leaves"), [...kinds].join());
  for (const [change, word] of Object.entries(words)) {
    const group = wanted.find((it) => it.change === change);
    const card = view.getByRole("article", { name: new RegExp(`^${group.subject} ${word}`) }).first();
    assert.ok((await shown(card)).includes(word));
  }
});

story("a file is reverted alone, and everything at once", async (page, view) => {
  const before = await text(page, PRESETS);
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  await setText(
    page,
    "more.yaml",
    "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginOverride\nmetadata: {name: more, namespace: acme}\n" +
      "spec:\n  overrides:\n    - {path: retention, value: 1d}\n",
  );
  const edited = view.getByRole("region", { name: "Edited files" });
  assert.equal(await edited.getByRole("article").count(), 2);
  assert.match(
    await shown(edited.getByRole("article", { name: PRESETS })),
    /~[\s\S]*edited[\s\S]*−[\s\S]*value: 3[\s\S]*\+[\s\S]*value: 7/,
  );
  await view.getByRole("button", { name: `Revert ${PRESETS}` }).click();
  await settled(page);
  assert.equal(await text(page, PRESETS), before);
  assert.equal(await edited.getByRole("article").count(), 1);
  await view.getByRole("button", { name: "Revert more.yaml" }).click();
  await settled(page);
  assert.match(await shown(view), /There are no edits/);
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  await view.getByRole("button", { name: "return to baseline" }).click();
  await settled(page);
  assert.equal(await text(page, PRESETS), before);
});

story("what is kept is the baseline from then on", async (page, view) => {
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  await view.getByRole("button", { name: "keep as new baseline" }).click();
  await settled(page);
  assert.match(await shown(view), /There are no edits/);
  await replace(page, PRESETS, "{name: replicas, value: 7}", "{name: replicas, value: 8}");
  assert.match(await shown(groups(view).first()), /before\s+7\s+\+\s+after\s+8/);
});

story("the keys [ and ] go through changes, and mark the one that is chosen", async (page, view) => {
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  await replace(page, "greenhouse/overrides.yaml", "{path: logLevel, value: warn}", "{path: logLevel, value: error}");
  await view.getByRole("heading", { name: "What-if" }).click();
  const marked = () =>
    view
      .locator('tr[aria-current="true"]')
      .first()
      .evaluate((row) => `${row.closest("article").getAttribute("aria-label")} ${row.textContent}`);
  const seen = [];
  for (let step = 0; step < 2; step++) {
    await page.keyboard.press("]");
    await settled(page);
    seen.push(await marked());
  }
  assert.notEqual(seen[0], seen[1]);
  await page.keyboard.press("[");
  await settled(page);
  assert.equal(await marked(), seen[0]);
});

story("a document that cannot be read leaves the last good result, dimmed", async (page, view) => {
  await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
  await replace(page, PRESETS, "{name: replicas, value: 7}", "{name: replicas, value: 7");
  assert.ok((await view.locator(".stale").count()) > 0);
});

story(
  "many clusters unfold on demand",
  async (page, view) => {
    await replace(page, "presets.yaml", "value: 9.1.0\n", "value: 9.2.0\n");
    const card = groups(view).first();
    assert.match(await shown(card), /changes for 1,000 clusters/);
    assert.equal(await card.getByRole("listitem").count(), 0);
    await card.getByRole("button", { name: /1,000 clusters/ }).click();
    assert.equal(await card.getByRole("list", { name: "Clusters" }).getByRole("listitem").count(), 200);
    await card.getByRole("button", { name: "show all 1,000" }).click();
    assert.equal(await card.getByRole("list", { name: "Clusters" }).getByRole("listitem").count(), 1000);
  },
  { example: "thousand" },
);

story(
  "paper has everything that a change ticket needs, black on white",
  async (page, view) => {
    await replace(page, "presets.yaml", "value: 9.1.0\n", "value: 9.2.0\n");
    await page.waitForTimeout(600);
    await settled(page);
    const wanted = (await engine(page, ["presets.yaml"])).actions;
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.waitForTimeout(300);
    const paper = await shown(view);
    assert.match(paper, /What-if\s+Looked at\s+20\d\d-[\dT:-]+Z\s+Source\s+1,000 clusters \(example:thousand\)/);
    for (let at = 0; at < 1000; at++)
      assert.ok(paper.includes(`cluster-${String(at).padStart(6, "0")}`), `cluster ${at}`);
    assert.match(paper, /value: 9\.1\.0[\s\S]*value: 9\.2\.0/);
    const lines = paper.split("\n").filter((it) => /^[+~−]? ?(create|patch|delete) /.test(it.trim()));
    assert.equal(lines.length, wanted.create + wanted.patch + wanted.delete);
    assert.match(paper, /fleetfold approve sha256:[0-9a-f]{64}/);
    assert.ok(!/return to baseline|revert/.test(paper));
    for (const column of ["ff-documents", "ff-effective"])
      assert.equal(await page.locator(column).isVisible(), false, column);
    const [ink, ground] = await view.evaluate((it) => [
      getComputedStyle(it).color,
      getComputedStyle(document.querySelector("ff-app")).backgroundColor,
    ]);
    assert.deepEqual([ink, ground], ["rgb(26, 31, 39)", "rgb(255, 255, 255)"]);
    const pdf = await page.pdf({ format: "A4" });
    assert.ok((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length > 3);
  },
  { example: "thousand" },
);

story("Secrets are not written out in the difference of a file", async (page, view) => {
  await setText(
    page,
    "secret.yaml",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: pw\n  namespace: acme\nstringData:\n" +
      "  password: hunter2\n  conf: |\n    token: hunter3\n",
  );
  const said = await shown(view);
  assert.match(said, /kind: Secret/);
  assert.ok(!said.includes("hunter"), said);
});

story("what documents say is text", async (page, view) => {
  const hostile = '<img src=x onerror="globalThis.pwned=1">';
  const value = `{path: logLevel, value: ${JSON.stringify(hostile)}}`;
  await replace(page, "greenhouse/overrides.yaml", "{path: logLevel, value: warn}", value);
  assert.ok((await shown(groups(view).first())).includes(hostile));
  assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
});

story("the keyboard alone makes an edit, opens a group and reverts", async (page, view) => {
  const press = async (name, key = "Enter") => {
    await view.getByRole("button", { name }).first().focus();
    await page.keyboard.press(key);
    await settled(page);
  };
  await press("try this edit");
  await view.getByRole("button", { name: "print" }).focus();
  const reached = new Set();
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press("Tab");
    reached.add(
      await page.evaluate(() => {
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return at?.getAttribute("aria-label") ?? at?.textContent?.trim();
      }),
    );
  }
  for (const name of [
    "keep as new baseline",
    "return to baseline",
    METRICS,
    "replicas",
    "presets.yaml:21",
    "presets.yaml:29",
    `Revert ${PRESETS}`,
  ])
    assert.ok(reached.has(name), `${name} of ${[...reached].join(" | ")}`);
  await press(`Revert ${PRESETS}`);
  assert.match(await shown(view), /There are no edits/);
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page) => {
      assert.deepEqual(await axe(page, { within: VIEW }), []);
      await replace(page, PRESETS, "{name: replicas, value: 3}", "{name: replicas, value: 7}");
      assert.deepEqual(await axe(page, { within: VIEW }), []);
    },
    { colorScheme },
  );
}

story(
  "the numbers are those of the command line",
  async (page, view) => {
    await replace(page, "presets.yaml", "{name: replicas, value: 3}", "{name: replicas, value: 7}");
    const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
    const binary = `${target}/debug/fleetfold`;
    let said;
    try {
      said = execFileSync(binary, ["what-if", "-f", "examples/greenhouse", "--change", "-", "-o", "json"], {
        cwd: new URL("../..", import.meta.url).pathname,
        input: await text(page, "presets.yaml"),
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
      });
    } catch (problem) {
      said = problem.stdout;
    }
    const { counts } = JSON.parse(said);
    assert.equal(
      (await tally(view, "What would change"))[`of ${counts.clusters} clusters changed`],
      `${counts.changed}`,
    );
    assert.equal((await tally(view, "What would change")).shadowed, `${counts.shadowed}`);
  },
  { example: "greenhouse" },
);

/** Opens the documents of a vector as the baseline, then removes all of them that a cluster did not show. */
async function removeDocumentsOf(page, vector) {
  const { given } = JSON.parse(await readFile(new URL(`../vectors/${vector}.json`, import.meta.url), "utf8"));
  const loads = given.filter((it) => it.op === "load" && it.documents);
  const joined = (chosen) => chosen.flatMap((it) => it.documents.map((one) => JSON.stringify(one))).join("\n---\n");
  await setText(page, "live/_hub/objects.yaml", joined(loads.filter((it) => it.live === "")));
  const documents = loads.filter((it) => it.live === undefined);
  await setText(page, "documents.yaml", joined(documents));
  await page.evaluate(() => document.querySelector("ff-app").state.keepAsBaseline());
  await settled(page);
  const kept = documents
    .flatMap((it) => it.documents)
    .filter((it) => !/^(PluginPreset|OperatorVersion)$/.test(it.kind));
  await setText(page, "documents.yaml", kept.map((it) => JSON.stringify(it)).join("\n---\n"));
  await settled(page);
}

story("objects that the garbage collector deletes with their owner are listed", async (page, view) => {
  await removeDocumentsOf(page, "workspace/what-if-a-removed-owner-takes-its-dependents");
  const { collected } = await engine(page, ["documents.yaml"]);
  const region = view.getByRole("region", { name: "Garbage collected" });
  assert.ok(collected.length > 0);
  assert.equal(await region.getByRole("listitem").count(), collected.length);
  assert.match(await region.innerText(), new RegExp(`${collected[0].object}\\s+owned by ${collected[0].owner}`));
});

story("an object that is released is not shown as removed", async (page, view) => {
  await removeDocumentsOf(page, "kudo/kudo-what-if-a-version-is-removed");
  const answer = await engine(page, ["documents.yaml"]);
  const released = answer.groups.flatMap((it) => it.changes).filter((it) => it.released);
  assert.ok(released.length > 0);
  const rows = groups(view).locator("tr").filter({ hasText: "released: the object stays" });
  assert.equal(await rows.count(), released.length);
});
