// The Picture view: which document feeds which subject, and the impact of an edit.
import assert from "node:assert/strict";
import { axe, query, replace, select, selection, selectView, settled } from "./harness.mjs";
import { stories } from "./stories.mjs";

const METRICS = "PluginPreset/acme/metrics";
const story = stories(async (page) => {
  await select(page, { subject: METRICS });
  await selectView(page, "Picture");
});

const view = (page) => page.locator("ff-picture");
const map = (page) => view(page).getByRole("group", { name: "Who feeds whom" });
const node = (page, name) => map(page).getByRole("button", { name });
const sentence = async (page) => (await view(page).locator(".said").innerText()).replace(/\s+/g, " ");
const isChanged = (locator) => locator.evaluate((it) => it.classList.contains("changed"));
const bands = (page, name) => view(page).locator(`svg.bands path.${name}`).count();

/** The clusters in which a document sets an effective value of a subject. */
async function fed(page, subject, document) {
  const { ok } = await query(page, { op: "effective", subject, origins: true });
  return ok.results
    .filter((it) => Object.values(it.origins ?? {}).some(([winner]) => winner.document === document))
    .flatMap((it) => it.clusters);
}

story("a document says whom it feeds, as the engine has it", async (page) => {
  const clusters = new Set([
    ...(await fed(page, METRICS, "PluginOverride/acme/europe")),
    ...(await fed(page, "PluginPreset/acme/certs", "PluginOverride/acme/europe")),
  ]);
  assert.equal(
    await node(
      page,
      `plugin-override acme/europe feeds ${clusters.size} clusters through PluginPreset/acme/certs and ` +
        "PluginPreset/acme/metrics",
    ).count(),
    1,
  );
  const defaults = await fed(page, METRICS, "PluginDefinition/acme/metrics");
  assert.equal(
    await node(page, `definition-default acme/metrics feeds ${defaults.length} clusters through ${METRICS}`).count(),
    1,
  );
});

story("every subject is drawn, with the number of its clusters", async (page) => {
  const { ok } = await query(page, { op: "subjects" });
  for (const { subject, clusters } of ok.subjects) {
    const said = clusters === undefined ? "the hub" : clusters === 1 ? "1 cluster," : `${clusters} clusters`;
    assert.equal(await node(page, `${subject} feeds ${said}`).count(), 1, subject);
  }
});

story("pointing at a document lights what it feeds and dims the rest", async (page) => {
  await node(page, "plugin-override acme/europe").hover();
  assert.match(await sentence(page), /plugin-override acme\/europe feeds 2 clusters through/);
  const lit = await view(page)
    .locator(".node.lit")
    .evaluateAll((all) => all.map((it) => it.dataset.node));
  assert.ok(lit.includes(METRICS) && lit.includes("PluginPreset/acme/certs"));
  assert.ok(!lit.some((it) => it.startsWith("Federated")), lit.join("\n"));
  assert.ok((await bands(page, "lit")) > 0);
  await page.mouse.move(2, 2);
  assert.equal(await view(page).locator(".node.lit").count(), 0);
});

story(
  "an edit of a default shows its blast radius: who changes, and where it is hidden",
  async (page) => {
    assert.equal(await bands(page, "changed"), 0);
    await replace(page, "definition.yaml", "default: info", "default: warn");
    const { ok } = await page.evaluate(async () => {
      const { state } = document.querySelector("ff-app");
      return state.query({ op: "whatIf", ...(await state.editsAsChange()) }, 0, "baseline");
    });
    const { counts } = ok;
    assert.ok(counts.changed > 100 && counts.shadowed > 100);
    assert.equal(
      await sentence(page),
      `Your edits change ~ ${counts.changed} of 1,000 clusters through ${counts.subjects} subjects. ┄ ` +
        `${counts.shadowed} clusters are shadowed: another layer hides what the edits say there.`,
    );
    assert.equal(await isChanged(node(page, "definition-default acme/metrics")), true);
    assert.equal(await isChanged(node(page, "organization-override acme")), false);
    assert.equal(await isChanged(node(page, `group A of ${METRICS}:`)), true);
    assert.equal(await isChanged(node(page, `group B of ${METRICS}:`)), false);
    assert.equal(await node(page, `group A of ${METRICS}: 429 clusters; with your edits 429 change`).count(), 1);
    assert.ok((await bands(page, "changed")) > 0 && (await bands(page, "shadowed")) > 0);
    const row = view(page)
      .getByRole("row")
      .filter({ hasText: "definition-default" })
      .filter({ hasText: `${METRICS} ` })
      .first();
    assert.match(await row.innerText(), /~ changes/);
  },
  { example: "thousand" },
);

story("an edit that is hidden everywhere changes nothing, and says so", async (page) => {
  await replace(page, "greenhouse/definitions.yaml", "default: 1.4.0", "default: 1.9.0");
  assert.match(await sentence(page), /^Your edits change no cluster\. ┄ 3 clusters are shadowed/);
  assert.equal(await bands(page, "changed"), 0);
  assert.equal(
    await node(
      page,
      "definition-default acme/metrics feeds 3 clusters through PluginPreset/acme/metrics; your edit is " +
        "shadowed in 3 clusters",
    ).count(),
    1,
  );
});

story("a click chooses: a document opens, a subject and a group become the chosen ones", async (page) => {
  const opened = page.evaluate(
    () =>
      new Promise((told) =>
        document.querySelector("ff-app").state.addEventListener("open", (event) => told(event.detail), { once: true }),
      ),
  );
  await node(page, "plugin-override acme/europe").click();
  assert.equal((await opened).file, "greenhouse/overrides.yaml");
  await node(page, "FederatedDeployment/shop/web feeds").click();
  await settled(page);
  assert.equal((await selection(page)).subject, "FederatedDeployment/shop/web");
  await node(page, "group B of FederatedDeployment/shop/web").click();
  await settled(page);
  assert.equal((await selection(page)).cluster, "tokyo");
});

story(
  "a thousand clusters and many subjects stay a map: blocks, and kinds that fold",
  async (page) => {
    const { ok } = await query(page, { op: "subjects" });
    const sets = ok.subjects.filter((it) => it.subject.startsWith("ManagedClusterSet/")).length;
    assert.ok((await map(page).getByRole("button").count()) < 90);
    const folded = node(page, `${sets} ManagedClusterSet documents select`).first();
    await folded.click();
    await settled(page);
    assert.equal(await node(page, /^ManagedClusterSet\/\S+ feeds/).count(), sets);
    const width = await map(page).evaluate((it) => [
      it.getBoundingClientRect().width,
      Math.max(...[...it.querySelectorAll(".node")].map((box) => box.getBoundingClientRect().right)) -
        it.getBoundingClientRect().left,
    ]);
    assert.ok(width[1] <= width[0] + 1, `the map fits its column: ${width}`);
  },
  { example: "thousand" },
);

story("the keyboard walks the map along its bands, and chooses", async (page) => {
  const focused = () =>
    page.evaluate(() => {
      const deepest = (root) =>
        root.activeElement?.shadowRoot?.activeElement ? deepest(root.activeElement.shadowRoot) : root.activeElement;
      return deepest(document).dataset?.node ?? "";
    });
  await page.getByRole("tab", { name: "Picture" }).focus();
  for (let at = 0; !(await focused()) && at < 20; at++) await page.keyboard.press("Tab");
  assert.match(await focused(), /^1 /, "documents come first");
  const first = await focused();
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await focused(), first);
  await node(page, "plugin-override acme/metrics-eu-1").focus();
  await settled(page);
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.equal(await focused(), METRICS);
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.ok((await focused()).startsWith(`${METRICS} `));
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal((await selection(page)).subject, METRICS);
});

story("the table says the same as the map", async (page) => {
  const rows = await view(page)
    .locator("tbody tr")
    .evaluateAll((all) => all.map((it) => [...it.cells].map((cell) => cell.innerText.trim())));
  const europe = rows.filter(([document]) => document === "acme/europe");
  assert.deepEqual(europe.map(([, layer, subject, clusters]) => [layer, subject, clusters]).sort(), [
    ["plugin-override", "PluginPreset/acme/certs", "2"],
    ["plugin-override", METRICS, "2"],
  ]);
});

story("names that look like markup are text", async (page) => {
  const bad = "<img src=x onerror=alert(1)>";
  await replace(page, "greenhouse/overrides.yaml", "{name: europe,", `{name: ${JSON.stringify(bad)},`);
  assert.equal(await view(page).locator("img").count(), 0);
  assert.ok((await map(page).innerText()).includes(`acme/${bad}`));
});

story("with nothing to draw it says what would be drawn", async (page) => {
  await page.evaluate(() =>
    document
      .querySelector("ff-app")
      .state.open({ id: "own", title: "", files: [{ name: "empty.yaml", text: "" }], complete: [], facts: [] }),
  );
  await settled(page);
  assert.match(await view(page).locator(".empty").innerText(), /Nothing to draw yet/);
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing, ${colorScheme}`,
    async (page) => {
      await replace(page, "greenhouse/definitions.yaml", "default: standard", "default: slow");
      assert.deepEqual(await axe(page, { within: { fromShadowDom: ["ff-app", "ff-picture"] } }), []);
      await node(page, "plugin-override acme/europe").hover();
      assert.deepEqual(await axe(page, { within: { fromShadowDom: ["ff-app", "ff-picture"] } }), []);
    },
    { colorScheme, reducedMotion: "reduce" },
  );
}
