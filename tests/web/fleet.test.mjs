// The Fleet view: every cluster, filtered by selector or text, sorted, with the reasons for its membership.
import assert from "node:assert/strict";
import { axe, query, select, selection, selectView, setText, settled, text } from "./harness.mjs";
import { stories } from "./stories.mjs";

const METRICS = "PluginPreset/acme/metrics";
const story = stories(async (page) => {
  await select(page, { subject: METRICS });
  await selectView(page, "Fleet");
});

const view = (page) => page.locator("ff-fleet");
const grid = (page) => view(page).getByRole("grid", { name: "Clusters" });
const rows = (page) => grid(page).locator("[data-row]");
const box = (page) => view(page).getByRole("searchbox", { name: "Filter clusters" });
const status = async (page) => (await view(page).locator(".read").innerText()).replace(/\s+/g, " ");
const names = async (page) => (await grid(page).locator("[data-row] .name").allInnerTexts()).map((it) => it.trim());
const header = (page, name) => grid(page).getByRole("columnheader", { name });

async function filter(page, text) {
  await box(page).fill(text);
  await settled(page);
}

async function focusedRow(page) {
  return page.evaluate(() => {
    const deepest = (root) =>
      root.activeElement?.shadowRoot?.activeElement ? deepest(root.activeElement.shadowRoot) : root.activeElement;
    return Number(deepest(document)?.getAttribute("aria-rowindex"));
  });
}

story(
  "all clusters are there, and few of two thousand in the DOM, wherever one scrolls",
  async (page) => {
    const { ok } = await query(page, { op: "clusters" });
    assert.equal(await grid(page).getAttribute("aria-rowcount"), String(ok.clusters.length + 1));
    assert.match(await status(page), /^2,020 clusters/);
    for (const share of [0, 0.3, 0.7, 1]) {
      await grid(page).evaluate((it, share) => (it.scrollTop = it.scrollHeight * share), share);
      await settled(page);
      const number = await rows(page).count();
      assert.ok(number > 5 && number < 80, `${number} rows`);
    }
    assert.equal(await rows(page).last().getAttribute("aria-rowindex"), String(ok.clusters.length + 1));
    const seen = await grid(page).evaluate((it) => {
      const frame = it.getBoundingClientRect();
      return [...it.querySelectorAll("[data-row]")]
        .filter(
          (row) =>
            row.getBoundingClientRect().bottom <= frame.bottom + 1 && row.getBoundingClientRect().top >= frame.top,
        )
        .at(-1)
        ?.getAttribute("aria-rowindex");
    });
    assert.equal(seen, String(ok.clusters.length + 1), "the last row is on screen at the end");
  },
  { example: "thousand" },
);

story(
  "a selector picks what the engine picks, and the view says that it is one",
  async (page) => {
    for (const selector of [
      "tier in (gold,silver),!legacy",
      "environment=prod,gpu!=true",
      "region notin (eu-west, eu-north)",
    ]) {
      await filter(page, selector);
      const { ok } = await query(page, { op: "clusters", selector });
      assert.equal(await grid(page).getAttribute("aria-rowcount"), String(ok.clusters.length + 1), selector);
      assert.match(await status(page), /read as a selector/);
    }
  },
  { example: "thousand" },
);

story("anything else is text in names, labels and sets", async (page) => {
  await filter(page, "OPENSHIFT");
  const { ok } = await query(page, { op: "clusters" });
  const want = ok.clusters
    .filter((it) => JSON.stringify([it.name, it.namespace, it.labels, it.sets]).toLowerCase().includes("openshift"))
    .map((it) => it.name);
  assert.deepEqual(await names(page), want);
  assert.match(await status(page), new RegExp(`^${want.length} of 11 clusters read as text`));
  await filter(page, "eu- gold");
  assert.deepEqual(await names(page), ["eu-1", "eu-2"]);
});

story("a word can be read as a selector on request", async (page) => {
  await filter(page, "vendor");
  assert.match(await status(page), /read as text/);
  await view(page).getByRole("button", { name: "read as a selector" }).click();
  await settled(page);
  const { ok } = await query(page, { op: "clusters", selector: "vendor" });
  assert.deepEqual(
    await names(page),
    ok.clusters.map((it) => it.name),
  );
});

story("a selector that cannot be read says where, and what was found stays", async (page) => {
  await filter(page, "tier in (production)");
  const before = await names(page);
  assert.deepEqual(
    before,
    (await query(page, { op: "clusters", selector: "tier in (production)" })).ok.clusters.map((it) => it.name),
  );
  await filter(page, "tier in (production");
  const alert = view(page).getByRole("alert");
  assert.match(await alert.innerText(), /expected , or \), but found the end/);
  const [typed, caret] = (await alert.locator("pre").textContent()).split("\n");
  assert.equal(caret.indexOf("^"), typed.length, "the mark is where the engine met the end");
  assert.equal(await box(page).getAttribute("aria-invalid"), "true");
  assert.deepEqual(await names(page), before);
  await filter(page, "");
  assert.equal(await alert.count(), 0);
  assert.equal((await names(page)).length, 11);
});

story(
  "chips build the selector and take it apart again",
  async (page) => {
    const tier = view(page).getByRole("group", { name: "tier", exact: true });
    await tier.getByRole("button", { name: "gold" }).click();
    await settled(page);
    assert.equal(await box(page).inputValue(), "tier=gold");
    await tier.getByRole("button", { name: "silver" }).click();
    await settled(page);
    assert.equal(await box(page).inputValue(), "tier in (gold,silver)");
    assert.equal(await tier.getByRole("button", { name: "gold" }).getAttribute("aria-pressed"), "true");
    const { ok } = await query(page, { op: "clusters", selector: "tier in (gold,silver)" });
    assert.equal(await grid(page).getAttribute("aria-rowcount"), String(ok.clusters.length + 1));
    await tier.getByRole("button", { name: "gold" }).click();
    await tier.getByRole("button", { name: "silver" }).click();
    await settled(page);
    assert.equal(await box(page).inputValue(), "");
  },
  { example: "thousand" },
);

story("a set shows who is in it", async (page) => {
  await view(page).getByRole("group", { name: "Sets" }).getByRole("button", { name: "dev" }).click();
  await settled(page);
  assert.deepEqual(await names(page), ["c1", "c2"]);
  assert.match(await status(page), /2 of 11 clusters in the set dev/);
});

story("columns sort both ways", async (page) => {
  const up = await names(page);
  await header(page, "name").getByRole("button").click();
  await settled(page);
  assert.deepEqual(await names(page), [...up].reverse());
  assert.equal(await header(page, "name").getAttribute("aria-sort"), "descending");
  await header(page, "kind").getByRole("button").click();
  await settled(page);
  const kinds = await grid(page)
    .locator("[data-row]")
    .evaluateAll((all) => all.map((it) => it.querySelectorAll('[role="gridcell"]')[1].textContent.trim()));
  assert.deepEqual(kinds, [...kinds].sort());
});

story("each cluster of the subject's fleet says whether it is in, and why", async (page) => {
  const cell = async (name) =>
    (await rows(page).filter({ hasText: name }).locator(".in").textContent()).replace(/\s/g, "");
  assert.match(await cell("eu-1"), /^✓in$/);
  assert.match(await cell("lab-1"), /^✗notin$/);
  assert.match(await cell("berlin"), /^anotherfleet$/);
  await rows(page).filter({ hasText: "lab-1" }).click();
  await settled(page);
  assert.equal((await selection(page)).cluster, "lab-1");
  const detail = view(page).getByRole("region", { name: "lab-1" });
  assert.match(await detail.innerText(), /not in[\s\S]*tier=gold does not hold: the label is bronze/);
  const opened = page.evaluate(
    () =>
      new Promise((told) =>
        document.querySelector("ff-app").state.addEventListener("open", (event) => told(event.detail), { once: true }),
      ),
  );
  await detail.getByRole("button", { name: "does not hold" }).click();
  const place = await opened;
  assert.match((await text(page, place.file)).split("\n")[place.line - 1], /tier: bronze/);
});

story(
  "clusters of one name in several fleets are told apart",
  async (page) => {
    await filter(page, "cluster-000003");
    assert.equal((await names(page)).length, 3);
    await rows(page).filter({ hasText: "ManagedCluster" }).click();
    await settled(page);
    assert.match(await view(page).locator(".detail h2").innerText(), /^ManagedCluster/);
  },
  { example: "thousand" },
);

story("a cluster that is unreachable says so", async (page) => {
  await page.evaluate(async () => {
    const { state } = document.querySelector("ff-app");
    await state.open({ ...state.source, facts: [{ live: "eu-1", unreachable: true, reason: "connection refused" }] });
  });
  await settled(page);
  assert.match(await rows(page).filter({ hasText: "eu-1" }).innerText(), /unreachable/);
  await rows(page).filter({ hasText: "eu-1" }).click();
  await settled(page);
  assert.match(
    await view(page).getByRole("region", { name: "eu-1" }).innerText(),
    /It is unreachable: connection refused/,
  );
});

story(
  "the keyboard alone walks the table and chooses",
  async (page) => {
    await box(page).focus();
    for (let at = 0; !(await focusedRow(page)) && at < 80; at++) await page.keyboard.press("Tab");
    await page.keyboard.press("Home");
    assert.equal(await focusedRow(page), 2);
    await page.keyboard.press("End");
    await settled(page);
    assert.equal(await focusedRow(page), 2021);
    await page.keyboard.press("PageUp");
    await page.keyboard.press("ArrowDown");
    await settled(page);
    const at = await focusedRow(page);
    assert.ok(at > 1900 && at < 2021, String(at));
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await grid(page).locator('[aria-selected="true"]').getAttribute("aria-rowindex"), String(at));
    assert.equal(
      (await selection(page)).cluster,
      (await grid(page).locator('[aria-selected="true"] .name').innerText()).trim(),
    );
  },
  { example: "thousand" },
);

story("names that look like markup, or like parts of JavaScript, are text", async (page) => {
  const bad = "<img src=x onerror=alert(1)>";
  const quoted = JSON.stringify(bad);
  await setText(
    page,
    "greenhouse/clusters.yaml",
    `${await text(page, "greenhouse/clusters.yaml")}
---
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata:
  name: ${quoted}
  namespace: acme
  labels: {constructor: a, toString: ${quoted}, __proto__: c, rtl: "\\u202Egnp.exe"}
spec: {accessMode: direct}
`,
  );
  await filter(page, "onerror");
  assert.deepEqual(await names(page), [bad]);
  assert.equal(await view(page).locator("img").count(), 0);
});

story("an empty fleet shows the three lines that make a cluster", async (page) => {
  await page.evaluate(() =>
    document
      .querySelector("ff-app")
      .state.open({ id: "own", title: "", files: [{ name: "empty.yaml", text: "" }], complete: [], facts: [] }),
  );
  await settled(page);
  const lines = (await view(page).locator("pre").innerText()).split("\n");
  assert.equal(lines.length, 3);
  await setText(page, "empty.yaml", lines.join("\n"));
  assert.deepEqual(await names(page), ["eu-1"], "and they do");
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page) => {
      await filter(page, "tier in (gold");
      assert.deepEqual(await axe(page, { within: { fromShadowDom: ["ff-app", "ff-fleet"] } }), []);
    },
    { example: "thousand", colorScheme },
  );
}
