// Results: the subjects, the groups of clusters with equal results, and the reasons for a cluster's membership.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  axe,
  query,
  replace,
  select,
  selectExample,
  selection,
  selectView,
  setText,
  settled,
  text,
} from "./harness.mjs";
import { stories } from "./stories.mjs";

const METRICS = "PluginPreset/acme/metrics";
const story = stories(async (page) => {
  await selectView(page, "Results");
});

const view = (page) => page.locator("ff-groups");
/** The text of the view without the lists inside; the host element has no text of its own. */
const said = (page) =>
  view(page).evaluate((it) => [...it.shadowRoot.children].map((part) => part.innerText).join("\n"));
const heads = (page) => view(page).locator(".groups .head");
const subject = (page, name) => view(page).getByRole("option", { name });
const group = (page, letter) =>
  view(page)
    .locator(".groups .head")
    .filter({ has: page.locator(`.letter:text-is("${letter}")`) });

/** The sizes of the groups in the engine's results, ignoring the cluster's own name, largest first. */
async function sizes(page, subject) {
  const { ok } = await query(page, { op: "effective", subject, origins: true });
  const own = new Set(
    ok.results.flatMap((it) =>
      Object.values(it.own ?? {})
        .flat()
        .map((option) => option.path),
    ),
  );
  const equal = new Map();
  for (const it of ok.results) {
    const name = it.clusters.length === 1 ? it.clusters[0] : "\0";
    const options = it.options
      ?.filter(({ path }) => !own.has(path))
      .map(({ path, value, valueFrom }) => [
        path,
        typeof value === "string" ? value.replaceAll(name, "*") : value,
        valueFrom,
      ]);
    const key = JSON.stringify([it.group, it.error, options, it.objects?.map(({ object }) => object)]);
    equal.set(key, (equal.get(key) ?? 0) + it.clusters.length);
  }
  return [...equal.values()].sort((a, b) => b - a);
}

const shownSizes = async (page) =>
  (await view(page).locator(".groups .head .size").allInnerTexts()).map((it) =>
    it === "the hub" ? 1 : Number(it.split(" ")[0].replaceAll(",", "")),
  );

story("every subject is there with the number of clusters that the engine says", async (page) => {
  const { ok } = await query(page, { op: "subjects" });
  for (const it of ok.subjects) {
    await select(page, { subject: it.subject });
    const option = view(page).locator('[role="option"][aria-selected="true"]');
    assert.match(
      (await option.innerText()).replaceAll("\n", " "),
      it.clusters === undefined ? /hub/ : new RegExp(`\\b${it.clusters}\\b`),
      it.subject,
    );
    assert.equal(await option.getAttribute("aria-setsize"), String(ok.subjects.length));
  }
});

for (const example of ["mixed", "thousand"]) {
  story(
    `the groups of ${example} are what the engine's results come to`,
    async (page) => {
      const { ok } = await query(page, { op: "subjects" });
      for (const it of ok.subjects.filter(({ subject }) => !subject.startsWith("ManagedClusterSet/set-"))) {
        await select(page, { subject: it.subject });
        const shown = await shownSizes(page);
        assert.deepEqual(
          [...shown].sort((a, b) => b - a),
          await sizes(page, it.subject),
          it.subject,
        );
      }
    },
    { example },
  );
}

story("how many of the clusters of its own fleet a subject selects", async (page) => {
  await select(page, { subject: METRICS });
  const { ok } = await query(page, { op: "clusters" });
  const all = ok.clusters.filter((it) => it.kind === "Cluster").length;
  assert.match(await said(page), new RegExp(`3 of ${all} selected`));
});

story(
  "a thousand clusters are a few groups, each with what sets it apart",
  async (page) => {
    await select(page, { subject: METRICS });
    assert.match(await said(page), /1,000 of 1,000 selected/);
    assert.match(await group(page, "A").innerText(), /429 clusters[\s\S]*the most common result/);
    assert.match(await group(page, "B").innerText(), /405 clusters[\s\S]*logLevel=debug/);
    assert.match(await group(page, "C").innerText(), /136 clusters[\s\S]*replicas=3/);
  },
  { example: "thousand" },
);

story(
  "a subject alone chooses the first of its largest group",
  async (page) => {
    await select(page, { subject: METRICS, cluster: undefined });
    const { ok } = await query(page, { op: "effective", subject: METRICS, origins: true });
    const largest = ok.results.reduce((best, it) => (it.clusters.length > best.clusters.length ? it : best));
    assert.equal((await selection(page)).cluster, largest.clusters[0]);
  },
  { example: "thousand" },
);

story("a subject that is picked brings a cluster that gets something from it", async (page) => {
  await select(page, { subject: METRICS, cluster: "eu-1" });
  await subject(page, "ManagedClusterSet dev").click();
  await settled(page);
  assert.equal((await selection(page)).subject, "ManagedClusterSet/dev");
  assert.ok(["c1", "c2"].includes((await selection(page)).cluster));
});

story(
  "a group unfolds to its clusters, few of which are in the DOM, and one can be chosen",
  async (page) => {
    await select(page, { subject: METRICS });
    await group(page, "B").click();
    await settled(page);
    const rows = view(page).getByRole("listbox", { name: "Clusters of group B" }).getByRole("option");
    assert.ok((await rows.count()) < 60, `${await rows.count()} rows`);
    assert.equal(await rows.first().getAttribute("aria-setsize"), "405");
    await rows.nth(4).click();
    await settled(page);
    assert.equal((await selection(page)).cluster, (await rows.nth(4).innerText()).trim());
    await rows.nth(4).focus();
    await page.keyboard.press("End");
    await settled(page);
    assert.equal(await page.evaluate(() => deepest(document).getAttribute("aria-posinset"), await helper(page)), "405");
    await page.keyboard.press("Enter");
    await settled(page);
    const { ok } = await query(page, { op: "effective", subject: METRICS, origins: true });
    assert.equal((await selection(page)).cluster, ok.results.find((it) => it.clusters.length === 405).clusters.at(-1));
  },
  { example: "thousand" },
);

/** Defines `deepest(root)` on the page: the focused element through shadow roots. */
async function helper(page) {
  await page.evaluate(() => {
    globalThis.deepest = (root) =>
      root.activeElement?.shadowRoot?.activeElement
        ? globalThis.deepest(root.activeElement.shadowRoot)
        : root.activeElement;
  });
}

story("each requirement says whether it holds, and leads to the label", async (page) => {
  await select(page, { subject: METRICS, cluster: "lab-1" });
  const why = view(page).locator(".why");
  assert.match(
    await why.innerText(),
    /lab-1 is not in:\s*✗\s*does not hold:\s*metadata\.greenhouse\.sap\/tier=gold does not hold: the label is bronze/,
  );
  await why.getByRole("button").click();
  await settled(page);
  assert.equal((await selection(page)).file, "greenhouse/clusters.yaml");
  const line = await page.evaluate(
    () =>
      document
        .querySelector("ff-app")
        .state.files.get("greenhouse/clusters.yaml")
        .text.split("\n")
        .findIndex((it) => it.includes("tier: bronze")) + 1,
  );
  const opened = page.evaluate(
    () =>
      new Promise((told) =>
        document.querySelector("ff-app").state.addEventListener("open", (event) => told(event.detail), { once: true }),
      ),
  );
  await why.getByRole("button").click();
  assert.equal((await opened).line, line);
  await select(page, { cluster: "eu-1" });
  assert.match(await why.innerText(), /eu-1 is in:\s*✓/);
});

story(
  "the line of a label is found in a file of a thousand clusters",
  async (page) => {
    await select(page, { subject: "PluginPreset/acme/metrics-gpu", cluster: "cluster-000500" });
    const opened = page.evaluate(
      () =>
        new Promise((told) =>
          document
            .querySelector("ff-app")
            .state.addEventListener("open", (event) => told(event.detail), { once: true }),
        ),
    );
    await view(page).locator(".why").getByRole("button").click();
    const place = await opened;
    const lines = (await text(page, place.file)).split("\n");
    assert.match(lines[place.line - 1], /^\s+gpu:/);
    const name = lines.slice(0, place.line + 8).findLast((it) => /^ {2}name: /.test(it));
    assert.match(name, /cluster-000500/);
  },
  { example: "thousand" },
);

story(
  "edits mark the groups that change",
  async (page) => {
    await select(page, { subject: METRICS });
    await replace(page, "definition.yaml", "default: info", "default: warn");
    assert.match(await group(page, "A").innerText(), /~ 429/);
    assert.doesNotMatch(await group(page, "B").innerText(), /~/);
    const shadowed = view(page).getByRole("list", { name: "Shadowed" });
    assert.match(
      await shadowed.innerText(),
      /┄ \d+ clusters are shadowed: your logLevel is hidden by plugin-override PluginOverride\/acme\/dev-talks/,
    );
    assert.match((await subject(page, "PluginPreset acme/metrics ").first().innerText()).replaceAll("\n", " "), /~/);
  },
  { example: "thousand" },
);

story("edits say who joins and who leaves", async (page) => {
  await select(page, { subject: METRICS });
  await replace(page, "greenhouse/clusters.yaml", "tier: bronze", "tier: gold");
  await replace(
    page,
    "greenhouse/clusters.yaml",
    "tier: gold, metadata.greenhouse.sap/region: us",
    "tier: tin, metadata.greenhouse.sap/region: us",
  );
  const all = (await heads(page).allInnerTexts()).join("\n");
  assert.match(all, /\+ 1/);
  assert.match(all, /−\s*1 cluster\s*leaves with your edits/);
});

story("placements show their decision groups, the hub is called the hub", async (page) => {
  await select(page, { subject: "Placement/team-a/web" });
  assert.match(await group(page, "A").innerText(), /decision group 0/);
  assert.match(await group(page, "B").innerText(), /decision group 1/);
  await select(page, { subject: "OperatorVersion/db/mysql-8.0-1.0.0" });
  assert.match(await said(page), /Of the hub alone/);
  assert.equal((await selection(page)).cluster !== undefined, true);
});

story("a cluster set shows how it selects clusters and which consumers may use it", async (page) => {
  const facts = async (name) => {
    await select(page, { subject: `ManagedClusterSet/${name}` });
    return view(page).getByLabel("Cluster set", { exact: true }).innerText();
  };
  const dev = await facts("dev");
  assert.match(dev, /Selector type\s+ExclusiveClusterSetLabel/);
  assert.match(dev, /Exclusive\s+yes/);
  assert.match(dev, /cluster\.open-cluster-management\.io\/clusterset=dev/);
  assert.match(dev, /Resource groups\s+yes/);
  const openshift = await facts("openshift");
  assert.match(openshift, /Selector type\s+LabelSelector/);
  assert.match(openshift, /Exclusive\s+no/);
  assert.match(openshift, /Network groups\s+no/);
  await select(page, { subject: METRICS });
  assert.equal(await view(page).getByLabel("Cluster set", { exact: true }).count(), 0);
});

const opened = (page) =>
  page.evaluate(
    () =>
      new Promise((told) =>
        document.querySelector("ff-app").state.addEventListener("open", (event) => told(event.detail), { once: true }),
      ),
  );

story("a subject that gives nothing says why, and leads to the place", async (page) => {
  await select(page, { subject: METRICS });
  await replace(
    page,
    "greenhouse/presets.yaml",
    "matchLabels: {metadata.greenhouse.sap/tier: gold}",
    "matchExpressions: [{key: tier, operator: Inn, values: [gold]}]",
  );
  assert.match(await said(page), /It produces nothing: Inn is not an operator of a selector; did you mean In\?/);
  const place = opened(page);
  await view(page).getByRole("button", { name: "Open the place" }).click();
  assert.match((await text(page, (await place).file)).split("\n")[(await place).line - 1], /operator: Inn/);
});

story("clusters that cannot be answered are a group of their own, and it says why", async (page) => {
  await select(page, { subject: "FederatedDeployment/shop/web" });
  await replace(page, "kubefed/shop.yaml", "path: /spec/replicas", "path: /spec/nowhere/replicas");
  const { ok } = await query(page, { op: "effective", subject: "FederatedDeployment/shop/web", origins: true });
  const failed = ok.results.find((it) => it.error);
  const last = heads(page).last();
  assert.match(
    await last.innerText(),
    new RegExp(`${failed.clusters.length} clusters[\\s\\S]*✗ there is nothing at /spec/nowhere`),
  );
  await last.click();
  const place = opened(page);
  await view(page).getByRole("button", { name: "Open the place" }).click();
  assert.equal((await place).file, "kubefed/shop.yaml");
});

story("broken YAML keeps the groups, dimmed, and the line is a click away", async (page) => {
  await select(page, { subject: METRICS });
  const before = await shownSizes(page);
  await setText(
    page,
    "greenhouse/presets.yaml",
    (await text(page, "greenhouse/presets.yaml")).replace("spec:", "spec: [\n"),
  );
  assert.deepEqual(await shownSizes(page), before);
  assert.ok(
    Number(
      await view(page)
        .locator("section")
        .evaluate((it) => getComputedStyle(it).opacity),
    ) < 1,
    "dimmed",
  );
  const place = opened(page);
  await page.locator("ff-app").getByRole("button", { name: "greenhouse/presets.yaml", exact: true }).click();
  assert.ok((await place).line > 1);
});

story("without anything that gives, the view shows what would", async (page) => {
  await page.evaluate(() =>
    document
      .querySelector("ff-app")
      .state.open({ id: "own", title: "", files: [{ name: "empty.yaml", text: "" }], complete: [], facts: [] }),
  );
  await settled(page);
  assert.match(await said(page), /kind: PluginPreset/);
});

story("the keyboard alone picks a subject, unfolds a group and chooses a cluster", async (page) => {
  await select(page, { subject: METRICS });
  await helper(page);
  await page.getByRole("tab", { name: "Results" }).focus();
  const focused = () =>
    page.evaluate(
      () =>
        `${deepest(document).getAttribute("role") ?? deepest(document).localName} ` +
        `${deepest(document).textContent.replace(/\s+/g, " ").trim()}`,
    );
  for (let at = 0; !(await focused()).startsWith("option") && at < 12; at++) await page.keyboard.press("Tab");
  assert.match(await focused(), /^option .*acme\/metrics/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal((await selection(page)).subject, "PluginPreset/acme/certs");
  for (let at = 0; !/^button .*\bB\b.*cluster/.test(await focused()) && at < 12; at++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await settled(page);
  await page.keyboard.press("Tab");
  assert.match(await focused(), /^option /);
  await page.keyboard.press("Enter");
  const { ok } = await query(page, { op: "effective", subject: "PluginPreset/acme/certs", origins: true });
  const { cluster } = await selection(page);
  assert.equal(cluster, (await focused()).replace("option ", ""));
  assert.ok(ok.results.some((it) => it.clusters.includes(cluster)));
});

story("names that look like markup are text", async (page) => {
  const bad = "<img src=x onerror=alert(1)>";
  await replace(page, "greenhouse/presets.yaml", "{name: replicas, value: 5}", `{name: replicas, value: '${bad}'}`);
  await select(page, { subject: METRICS });
  assert.ok((await said(page)).includes(bad));
  assert.equal(await view(page).locator("img").count(), 0);
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page) => {
      await select(page, { subject: METRICS });
      await replace(page, "definition.yaml", "default: info", "default: warn");
      await group(page, "B").click();
      await settled(page);
      assert.deepEqual(await axe(page, { within: { fromShadowDom: ["ff-app", "ff-groups"] } }), []);
      await selectExample(page, "mixed");
    },
    { example: "thousand", colorScheme },
  );
}
