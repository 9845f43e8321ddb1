// The frame of the page: initial documents, links, the address, the command palette, keys, columns, and no request
// leaves the page.
import assert from "node:assert/strict";
import {
  axe,
  check,
  files,
  open,
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

const PRESET = "greenhouse/presets.yaml";
const METRICS = "PluginPreset/acme/metrics";
const VIEWS = ["Results", "Fleet", "What-if", "Plan", "Permissions", "Picture", "Reference"];
const story = stories();

const counts = (page) => page.getByRole("status", { name: "Counts" }).innerText();
const whatIf = (page) => page.getByRole("status", { name: "What-if" }).innerText();
const errors = (page) => page.getByRole("alert").allInnerTexts();

story("the example is there and worked out before anybody asks", async (page) => {
  const { ok } = await query(page, { op: "clusters" });
  const { ok: found } = await query(page, { op: "subjects" });
  assert.match(
    await counts(page),
    new RegExp(`^${ok.clusters.length} clusters · ${found.subjects.length} subjects · \\d+ warnings?$`),
  );
  assert.match(await whatIf(page), /no edits/);
  const chosen = await selection(page);
  assert.ok(
    found.subjects.some((it) => it.subject === chosen.subject),
    "a subject is chosen",
  );
});

story("a page from a file server asks for its own files and nothing else", async (page, _, served) => {
  for (const view of VIEWS) await selectView(page, view);
  assert.ok(
    served.requests.every((it) => /^GET \/(index\.html|assets\/[\w.-]+|examples\/\w+\.json)?(\?\S*)? 200$/.test(it)),
    served.requests.join("\n"),
  );
});

story("counts of a what-if follow the edits, and the baseline comes back", async (page) => {
  await replace(page, PRESET, "replicas", "replicaz");
  const answer = await page.evaluate(async () => {
    const { state } = document.querySelector("ff-app");
    return state.query({ op: "whatIf", ...(await state.editsAsChange()) }, 0, "baseline");
  });
  const said = await whatIf(page);
  assert.ok(
    said.includes(`${answer.ok.counts.changed} change`) && said.includes(`${answer.ok.counts.shadowed} shadowed`),
    said,
  );
  await page.getByRole("button", { name: "Return to the baseline" }).click();
  await settled(page);
  assert.match(await whatIf(page), /no edits/);
});

story(
  "a shared link restores documents, edits and what was looked at",
  async (page, _, served) => {
    await select(page, { view: "plan", subject: METRICS, cluster: "eu-1", path: "replicas" });
    const edited = (await text(page, PRESET)).replace("metrics", "metrics # ü 🎉 edited");
    await setText(page, PRESET, edited);
    await setText(page, "new/added.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: added}\n");
    const before = { selection: await selection(page), files: (await files(page)).sort(), whatIf: await whatIf(page) };
    await page.getByRole("button", { name: "Share" }).click();
    const link = await page.getByRole("textbox", { name: "Link to this page as it is now" }).inputValue();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);

    const other = await open(page.context().browser(), served, { hash: new URL(link).hash.slice(1) });
    const restored = {
      selection: await selection(other),
      files: (await files(other)).sort(),
      whatIf: await whatIf(other),
    };
    assert.equal(JSON.stringify(restored), JSON.stringify(before));
    assert.equal(await text(other, PRESET), edited);
    check(other);
    await other.context().close();
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

story("what Secrets hold is in no link, wherever it hides", async (page) => {
  const canary = "c4n4ry";
  const hidden = [
    `apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: n}\nstringData: {password: ${canary}}\n`,
    "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: b}\n" +
      `  data: {password: ${canary}}\n`,
    "apiVersion: types.kubefed.io/v1beta1\nkind: FederatedSecret\nmetadata: {name: c, namespace: n}\n" +
      `spec: {template: {data: {k: ${canary}}}}\n`,
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d, namespace: n}\ndata:\n  t.yaml: |\n" +
      `    kind: Secret\n    stringData: {k: ${canary}}\n`,
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: e\n  annotations:\n" +
      `    kubectl.kubernetes.io/last-applied-configuration: '{"kind":"Secret","data":{"k":"${canary}"}}'\n`,
    `kind: Secret\nstringData: {half: [${canary}\n`,
  ];
  await setText(
    page,
    "secrets.yaml",
    hidden.join("---\n") + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: kept}\n",
  );
  await page.getByRole("button", { name: "Share" }).click();
  const link = new URL(await page.getByRole("textbox", { name: "Link to this page as it is now" }).inputValue());
  const shared = await page.evaluate(
    async (squeezed) => {
      const bytes = Uint8Array.from(atob(squeezed.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(0));
      return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
    },
    new URLSearchParams(link.hash.slice(1)).get("s"),
  );
  assert.ok(!shared.includes(canary) && !shared.includes(Buffer.from(canary).toString("base64")), shared);
  assert.ok(shared.includes("kept"), "what is no secret stays");
  const { edits } = JSON.parse(shared);
  const line = (all) => all.split("\n").findIndex((it) => it.includes("kept"));
  assert.equal(line(edits["secrets.yaml"]), line(await text(page, "secrets.yaml")), "lines stay where they were");
});

for (const [name, hash] of Object.entries({
  "cut off": "s=AAAA",
  "not a link": "s=%00%ff",
  "another version": "s=q1YqSy0qzszPU7IyqgUA",
})) {
  story(
    `a link that is ${name} is told, and the page works`,
    async (page) => {
      assert.equal((await errors(page)).length, 1);
      assert.match(await counts(page), /^\d+ clusters/);
    },
    { hash },
  );
}

story("the address says what is looked at: reload and back find it", async (page) => {
  await select(page, { subject: METRICS, cluster: "eu-2" });
  await selectView(page, "Plan");
  await page.reload();
  await settled(page);
  assert.deepEqual([(await selection(page)).view, (await selection(page)).cluster], ["plan", "eu-2"]);
  await selectView(page, "Fleet");
  await page.goBack();
  await settled(page);
  assert.equal((await selection(page)).view, "plan");
});

story("jumping finds clusters, subjects, options, documents and views by a few letters", async (page) => {
  await select(page, { subject: METRICS, cluster: "eu-1" });
  const jump = async (letters) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(letters);
    await settled(page);
    await page.keyboard.press("Enter");
    await settled(page);
    return selection(page);
  };
  assert.equal((await jump("cluster us-1")).cluster, "us-1");
  assert.equal((await jump("option replicas")).path, "replicas");
  assert.equal((await jump("definitions.yaml")).file, "greenhouse/definitions.yaml");
  assert.equal((await jump("view permissions")).view, "permissions");
  assert.equal((await jump("subject FederatedService")).subject, "FederatedService/shop/web");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zzzz");
  await page.getByText("no matches").waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("combobox", { name: /Jump/ }).count(), 0);
});

story("brackets walk through the changes of a what-if", async (page) => {
  await replace(page, PRESET, "value: 3", "value: 4");
  await page.locator("ff-app").press("]");
  await settled(page);
  const first = await selection(page);
  assert.ok(first.path, JSON.stringify(first));
  await page.locator("ff-app").press("]");
  await page.locator("ff-app").press("[");
  await settled(page);
  assert.deepEqual(await selection(page), first);
});

story("the keyboard alone reaches every view, every column and back out of the editor", async (page) => {
  await page.keyboard.press("?");
  await page.getByRole("region", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  const places = new Set();
  for (
    let step = 0;
    step < 400 &&
    !(places.has("ff-documents") && places.has("ff-effective") && places.has("tab") && places.has("edge"));
    step += 1
  ) {
    await page.keyboard.press("Tab");
    const path = await page.evaluate(() => {
      const path = [];
      for (let it = document.activeElement; it; it = it.shadowRoot?.activeElement)
        path.push(it.localName, it.getAttribute("role") ?? "", it.className?.toString() ?? "");
      return path;
    });
    for (const it of path) places.add(it);
    if (path.some((it) => it.includes("cm-content"))) await page.keyboard.press("Escape");
  }
  for (const wanted of ["ff-documents", "ff-effective", "tab", "edge"])
    assert.ok(places.has(wanted), `${wanted} was not reached: ${[...places].join(" ")}`);
  await page.getByRole("tab", { selected: true }).focus();
  for (const view of VIEWS.slice(1)) {
    await page.keyboard.press("ArrowRight");
    await settled(page);
    assert.equal(await page.getByRole("tab", { selected: true }).innerText(), view);
  }
});

story("columns resize by key, and are remembered", async (page) => {
  const edge = page.getByRole("separator", { name: "Width of the documents" });
  const before = Number(await edge.getAttribute("aria-valuenow"));
  await edge.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  const wider = Number(await edge.getAttribute("aria-valuenow"));
  assert.equal(wider, before + 6);
  await page.reload();
  await settled(page);
  assert.equal(Number(await edge.getAttribute("aria-valuenow")), wider);
});

story(
  "a narrow screen shows one column at a time, in the same order",
  async (page) => {
    const names = await page.getByRole("navigation", { name: "Columns" }).getByRole("button").allInnerTexts();
    assert.deepEqual(names, ["Documents", "Results", "Cluster"]);
    assert.equal(await page.locator("ff-documents").isVisible(), false);
    await page.getByRole("button", { name: "Documents", exact: true }).click();
    assert.equal(await page.locator("ff-documents").isVisible(), true);
    assert.equal(await page.locator("ff-groups").isVisible(), false);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
  },
  { viewport: { width: 420, height: 800 } },
);

story(
  "light and dark follow the system unless somebody chose",
  async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.querySelector("ff-app")).backgroundColor);
    const dark = await background();
    await page.getByRole("button", { name: "System" }).click();
    const light = await background();
    assert.notEqual(light, dark);
    await page.reload();
    await settled(page);
    assert.equal(await background(), light);
  },
  { colorScheme: "dark" },
);

story("a broken document keeps the last good result and points at its line", async (page) => {
  const before = await query(page, { op: "effective", subject: METRICS });
  await setText(page, PRESET, `${await text(page, PRESET)}---\nkind: [\n`);
  assert.deepEqual(await query(page, { op: "effective", subject: METRICS }), before);
  const lines = (await text(page, PRESET)).split("\n").length;
  await page.getByRole("status").filter({ hasText: "cannot be read" }).getByRole("button", { name: PRESET }).click();
  await settled(page);
  assert.equal((await selection(page)).file, PRESET);
  assert.match(await counts(page), /1 error/);
  const line = await page.evaluate(
    () => document.querySelector("ff-app").state.findings.get("greenhouse/presets.yaml")[0].at.line,
  );
  assert.ok(line >= lines - 2 && line <= lines, `line ${line} of ${lines}`);
});

story("every view is accessible, light and dark", async (page) => {
  await replace(page, "greenhouse/definitions.yaml", "default: 2", "default: 9");
  await select(page, { subject: METRICS, cluster: "eu-1", path: "replicas" });
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const view of VIEWS) {
      await selectView(page, view);
      assert.deepEqual(await axe(page), [], `${view}, ${colorScheme}`);
    }
  }
});

story("a thousand clusters are there, and every view shows them", async (page) => {
  await selectExample(page, "thousand");
  // Each cluster has a Greenhouse and an Open Cluster Management document; some have a KubeFed document too.
  assert.match(await counts(page), /^\d,\d{3} clusters/);
  for (const view of VIEWS) await selectView(page, view);
  const nodes = await page.evaluate(() => {
    const under = (root) =>
      [...root.querySelectorAll("*")].reduce((sum, it) => sum + 1 + (it.shadowRoot ? under(it.shadowRoot) : 0), 0);
    return under(document);
  });
  assert.ok(nodes < 20_000, `${nodes} elements`);
});
