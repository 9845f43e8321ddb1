// One cluster, value by value: the tree, the layers behind each value, YAML, comparison, membership reasons, its part
// of the plan.
import assert from "node:assert/strict";
import { axe, query, replace, select, selection, setText, settled, text, typeOver } from "./harness.mjs";
import { stories } from "./stories.mjs";
import { shown } from "./visible-text.mjs";

const METRICS = "PluginPreset/acme/metrics";
const PRESETS = "greenhouse/presets.yaml";
const story = stories(async (page) => {
  await select(page, { subject: METRICS, cluster: "eu-1", path: undefined });
});

const column = (page) => page.locator("ff-effective");
const row = (page, name) =>
  column(page).getByRole("row", {
    name: typeof name === "string" ? new RegExp(`^${name.replaceAll(/[.[\]$]/g, "\\$&")}, `) : name,
  });
const sentence = (page, name) => row(page, name).getAttribute("aria-label");
const cell = (page, name, at) => row(page, name).getByRole("gridcell").nth(at).innerText();
const links = (page) =>
  column(page)
    .locator("ff-cascade li")
    .evaluateAll((all) =>
      all.map((it) => [
        it.className,
        it.querySelector(".value").textContent.trim(),
        it.querySelector("button")?.textContent.trim() ?? "",
      ]),
    );
const names = (page) => column(page).getByRole("listbox").getByRole("option");
const pick = (page, name) => column(page).getByRole("combobox", { name, exact: true });

story("every option of the engine's answer is in the tree with its value", async (page) => {
  const { ok } = await query(page, { op: "effective", subject: METRICS, clusters: ["eu-1"], origins: true });
  await row(page, "global.greenhouse").click();
  for (const it of ok.results[0].options) {
    if (typeof it.value === "object") continue;
    const name = it.path.replace("global.greenhouse.", "");
    const value = it.valueFrom ? `secret ${it.valueFrom.secret.name}/${it.valueFrom.secret.key}` : String(it.value);
    assert.equal(await cell(page, name, 1), value, it.path);
    assert.match(await cell(page, name, 2), new RegExp(it.from), it.path);
  }
});

story("typing an override changes the tree in place, marked against what it was", async (page) => {
  assert.equal(await cell(page, "replicas", 1), "5");
  await typeOver(page, PRESETS, "replicas, value: 5", "replicas, value: 17");
  assert.equal(await cell(page, "replicas", 1), "17 was 5");
  assert.match(await sentence(page, "replicas"), /was 5 before your edits/);
  assert.match(await shown(column(page)), /1 changed by your edits/);
  await typeOver(page, PRESETS, "replicas, value: 17", "replicas, value: 5");
  assert.equal(await cell(page, "replicas", 1), "5");
  assert.doesNotMatch(await shown(column(page)), /changed by your edits/);
});

story("a value that comes and one that goes have their signs", async (page) => {
  await replace(page, PRESETS, "- {name: replicas, value: 5}", "- {name: fresh, value: yes}");
  assert.match(await sentence(page, "fresh"), /added by your edits/);
  assert.match(await cell(page, "fresh", 0), /\+/);
  assert.equal(await cell(page, "replicas", 1), "3 was 5");
  await replace(page, "greenhouse/definitions.yaml", "- {name: storage.class,", "- {name: storage.kind,");
  assert.match(await sentence(page, "storage.class"), /removed by your edits/);
  assert.match(await cell(page, "storage.class", 0), /−/);
});

story("a screen reader hears value, layer, line and what is overridden", async (page) => {
  assert.equal(
    await sentence(page, "replicas"),
    "replicas, 5, set by cluster-option-override in presets.yaml line 29, overrides 3 from preset, overrides " +
      "2 from definition-default",
  );
});

story("losers stand under the value, struck out, each a link to its line", async (page) => {
  const losers = row(page, "replicas").locator("s");
  assert.deepEqual(await losers.allInnerTexts(), ["3", "2"]);
  await row(page, "replicas").getByRole("button", { name: "Go to presets.yaml:21" }).click();
  assert.equal((await selection(page)).file, PRESETS);
  await at(page, "- {name: replicas, value: 3}");
});

/** The editor line with the cursor. */
async function at(page, wanted) {
  await settled(page);
  await page.waitForFunction((wanted) => {
    const editor =
      document.querySelector("ff-app").shadowRoot.querySelector("ff-documents").shadowRoot.querySelector("ff-editor")
        ?.shadowRoot ?? document.querySelector("ff-app").shadowRoot.querySelector("ff-documents").shadowRoot;
    const find = (root) =>
      root.querySelector(".cm-activeLine") ??
      [...root.querySelectorAll("*")].map((it) => it.shadowRoot && find(it.shadowRoot)).find(Boolean);
    return find(editor)?.textContent.includes(wanted);
  }, wanted);
}

story("choosing a value shows the cascade, and each link goes to its line", async (page) => {
  await row(page, "replicas").click();
  await settled(page);
  assert.deepEqual(await links(page), [
    ["wins", "5", "presets.yaml:29"],
    ["shadowed", "3", "presets.yaml:21"],
    ["shadowed", "2", "definitions.yaml:8"],
  ]);
  assert.equal((await selection(page)).path, "replicas");
  await column(page).getByRole("button", { name: "Go to presets.yaml:29" }).click();
  await at(page, "- {name: replicas, value: 5}");
  await column(page).getByRole("button", { name: "Go to definitions.yaml:8" }).click();
  assert.equal((await selection(page)).file, "greenhouse/definitions.yaml");
  await at(page, "default: 2");
});

story("what does not apply to the cluster is in the cascade with the reason", async (page) => {
  await select(page, { cluster: "eu-2", path: "replicas" });
  assert.deepEqual(
    (await links(page)).map(([state, value]) => [state, value]),
    [
      ["wins", "3"],
      ["shadowed", "2"],
      ["not-applied", "5"],
    ],
  );
  assert.match(await shown(column(page).locator("ff-cascade")), /does not apply, eu-2 is not among the named clusters/);
});

story("values of a merged map belong each to its own layer", async (page) => {
  assert.match(await sentence(page, "team"), /team, core, set by definition-default in definitions.yaml line 14/);
  assert.match(await sentence(page, "zone"), /zone, a, set by plugin-override in overrides.yaml line 39/);
  await row(page, "team").click();
  await settled(page);
  assert.deepEqual(await links(page), [["wins", "core", "definitions.yaml:14"]]);
});

story("references are shown as references, never as values", async (page) => {
  assert.equal(await cell(page, "remote.password", 1), "secret shared/password");
  await column(page).getByRole("button", { name: "YAML", exact: true }).click();
  await settled(page);
  assert.match(await shown(column(page)), /# remote.password: secret shared\/password/);
});

story("retained values say which rule kept them", async (page) => {
  await select(page, {
    subject: "FederatedService/shop/web",
    cluster: "berlin",
    path: "/spec/clusterIP",
    object: "Service/shop/web",
  });
  assert.match(await sentence(page, "clusterIP"), /10\.96\.14\.7, live, retained by service-cluster-ip/);
  assert.match(
    await shown(column(page).locator("ff-cascade")),
    /kept from the live object by the rule service-cluster-ip/,
  );
});

story("the keyboard alone chooses, folds, goes to the line and back", async (page) => {
  await row(page, "image.tag").focus();
  const active = () =>
    page.evaluate(() => {
      let it = document.activeElement;
      while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement;
      return it?.getAttribute("aria-label") ?? it?.tagName;
    });
  await page.keyboard.press("ArrowDown");
  assert.match(await active(), /^ingress.annotations/);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await row(page, "team").count(), 0);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await active(), /^team/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await active(), /^ingress.annotations/);
  await page.keyboard.press("End");
  assert.match(await active(), /^global.greenhouse/);
  await row(page, "replicas").focus();
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal((await selection(page)).path, "replicas");
  await page.keyboard.press("Escape");
  assert.equal((await selection(page)).path, undefined);
  await page.keyboard.press("e");
  await at(page, "- {name: replicas, value: 5}");
});

story("e goes to the line of a value that only the engine knows the line of", async (page) => {
  await select(page, { subject: "FederatedService/shop/web", cluster: "berlin" });
  await row(page, "type").focus();
  await page.keyboard.press("e");
  await at(page, "type: NodePort");
});

story("c compares with another cluster, and says which layer makes the difference", async (page) => {
  await row(page, "replicas").focus();
  await page.keyboard.press("c");
  await page.keyboard.type("eu-2");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal((await selection(page)).compare, "eu-2");
  const { ok } = await query(page, { op: "diff", subject: METRICS, left: "eu-1", right: "eu-2" });
  const rows = column(page).locator("ff-compare tbody tr");
  assert.equal(await rows.count(), ok.differences.length);
  const replicas = rows.filter({ has: page.getByRole("button", { name: "replicas", exact: true }) });
  assert.deepEqual(
    (await replicas.locator("td").allInnerTexts()).map((it) => it.trim().replaceAll(/\s+/g, " ")),
    ["5", "3", "cluster-option-override presets.yaml:29"],
  );
  await column(page).getByRole("button", { name: "Swap the two clusters" }).click();
  await settled(page);
  assert.deepEqual((await replicas.locator("td").allInnerTexts()).slice(0, 2), ["3", "5"]);
  await replicas.getByRole("button", { name: "Go to presets.yaml:29" }).click();
  await at(page, "- {name: replicas, value: 5}");
  await column(page).getByRole("button", { name: "Stop comparing" }).click();
  assert.equal((await selection(page)).compare, undefined);
});

story("comparing with a cluster that gets nothing says why", async (page) => {
  await select(page, { compare: "lab-1" });
  assert.match(
    await shown(column(page)),
    /the cluster lab-1 gets nothing from the subject[\s\S]*tier=gold does not hold: the label is bronze/,
  );
});

story("why a cluster is out, requirement by requirement, with a link to its label", async (page) => {
  await select(page, { cluster: "lab-1" });
  assert.match(
    await shown(column(page)),
    /lab-1 is not selected[\s\S]*metadata.greenhouse.sap\/tier=gold does not hold: the label is bronze/,
  );
  await column(page)
    .getByRole("button", { name: /Go to the label metadata.greenhouse.sap\/tier of lab-1/ })
    .click();
  await at(page, "metadata.greenhouse.sap/tier: bronze");
  assert.equal((await selection(page)).file, "greenhouse/clusters.yaml");
});

story(
  "the picker finds one of a thousand clusters by typing",
  async (page) => {
    await select(page, { subject: METRICS });
    await pick(page, "Cluster").click();
    await page.keyboard.type("000123");
    assert.ok((await names(page).count()) < 40, "only what can be seen is in the document");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal((await selection(page)).cluster, "cluster-000123");
    await row(page, "replicas").waitFor();
    await pick(page, "Cluster").click();
    assert.ok((await names(page).count()) < 40, "of a thousand names too");
  },
  { example: "thousand" },
);

story(
  "an option that names the cluster is the cluster's own",
  async (page) => {
    await select(page, { subject: METRICS, cluster: "cluster-000004" });
    assert.match(
      await sentence(page, "global.greenhouse.clusterName"),
      /cluster-000004, set by injected in greenhouse-000.yaml line 89/,
    );
  },
  { example: "thousand" },
);

story("YAML reads back as what the engine gives Helm", async (page) => {
  await column(page).getByRole("button", { name: "YAML", exact: true }).click();
  await settled(page);
  const yaml = await column(page)
    .locator("ff-yaml")
    .evaluate((it) => it.text);
  const parsed = await query(page, { op: "parse", text: yaml });
  const { ok } = await query(page, { op: "effective", subject: METRICS, clusters: ["eu-1"], origins: true });
  assert.deepEqual(parsed.ok.documents, [ok.results[0].values]);
  const seen = await column(page).locator("ff-yaml pre").innerText();
  assert.equal(seen.replaceAll(/\n+/g, "\n").trim(), yaml.trim(), "what is shown is what is copied");
});

story("YAML of many objects reads back, folded by object", async (page) => {
  await select(page, { subject: "CertManagerDeployment/cluster", cluster: "" });
  await column(page).getByRole("button", { name: "YAML", exact: true }).click();
  await settled(page);
  const { ok } = await query(page, {
    op: "effective",
    subject: "CertManagerDeployment/cluster",
    clusters: [""],
    origins: true,
  });
  const parsed = await query(page, {
    op: "parse",
    text: await column(page)
      .locator("ff-yaml")
      .evaluate((it) => it.text),
  });
  assert.deepEqual(
    parsed.ok.documents,
    ok.results[0].objects.map((it) => it.object),
  );
  assert.equal(await column(page).locator("ff-yaml pre").count(), 0);
  await column(page).locator("ff-yaml summary").first().click();
  await column(page).locator("ff-yaml pre").getByText("kind: CustomResourceDefinition").first().waitFor();
});

story(
  "copy puts the YAML on the clipboard",
  async (page) => {
    await column(page).getByRole("button", { name: "YAML", exact: true }).click();
    await settled(page);
    await column(page).getByRole("button", { name: "copy", exact: true }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^global:\n {2}greenhouse:/);
  },
  { permissions: ["clipboard-read", "clipboard-write"] },
);

story("integers beyond 2^53 are exact in tree, cascade and YAML", async (page) => {
  await replace(page, PRESETS, "replicas, value: 5", "replicas, value: 9007199254740993");
  await select(page, { path: "replicas" });
  assert.match(await cell(page, "replicas", 1), /^9007199254740993/);
  assert.equal((await links(page))[0][1], "9007199254740993");
  await column(page).getByRole("button", { name: "YAML", exact: true }).click();
  await settled(page);
  assert.match(
    await column(page)
      .locator("ff-yaml")
      .evaluate((it) => it.text),
    /replicas: 9007199254740993\n/,
  );
});

story(
  "hundreds of rows keep only what can be seen in the document, and the keyboard reaches the last",
  async (page) => {
    await select(page, { subject: "CertManagerDeployment/cluster", cluster: "" });
    const rows = column(page).locator("ff-tree [role=row]");
    const objects = await rows.count();
    await rows.first().focus();
    for (let at = 0; at < objects; at += 1) {
      await page.keyboard.press("ArrowRight");
      for (let down = 0; down < 30; down += 1) await page.keyboard.press("ArrowDown");
      const total = Number(await column(page).getByRole("treegrid").getAttribute("aria-rowcount"));
      if (total > 400) break;
      await page.keyboard.press("Home");
      for (let down = 0; down <= at; down += 1) await page.keyboard.press("ArrowDown");
    }
    // Unfolds all objects at once; the page has no control for that.
    await column(page)
      .locator("ff-tree")
      .evaluate((it) => (it.toggled = new Set(it.nodes.map((node) => node.id))));
    await settled(page);
    const total = Number(await column(page).getByRole("treegrid").getAttribute("aria-rowcount"));
    assert.ok(total > 600, `${total} rows`);
    assert.ok((await rows.count()) < 150, `${await rows.count()} in the document`);
    await rows.first().focus();
    await page.keyboard.press("End");
    const last = await page.evaluate(() => {
      let it = document.activeElement;
      while (it?.shadowRoot?.activeElement) it = it.shadowRoot.activeElement;
      return Number(it?.getAttribute("aria-rowindex"));
    });
    assert.equal(last, total);
  },
);

story("a set and a placement say what belonging to them means", async (page) => {
  await select(page, { subject: "Placement/team-a/web", cluster: "c2" });
  assert.match(await shown(column(page)), /c2 belongs to Placement\/team-a\/web, in decision group 0/);
});

story("another subject brings a cluster that it knows", async (page) => {
  await select(page, { subject: "FederatedService/shop/web" });
  assert.equal((await selection(page)).cluster, "berlin");
});

story("the plan of the cluster has its actions, the subject's first, with their differences", async (page) => {
  const plan = column(page).locator("ff-cluster-plan");
  assert.match(await shown(plan), /Plan for eu-1: 2 actions/);
  const first = plan.locator("details").first();
  assert.match(await first.locator("summary").innerText(), /patch Plugin metrics-eu-1/);
  await first.locator("summary").click();
  assert.match(await first.innerText(), /\/spec\/waitFor/);
});

story("a document that cannot be read leaves what was there, dimmed, and points at the line", async (page) => {
  await replace(page, PRESETS, "optionValues:", "optionValues: {{");
  assert.match(await shown(column(page)), /presets.yaml:\d+ cannot be read/);
  assert.equal(await cell(page, "replicas", 1), "5");
  assert.equal(await column(page).locator(".scroll.stale").count(), 1);
  await column(page)
    .getByRole("button", { name: /^presets.yaml:\d+$/ })
    .first()
    .click();
  assert.equal((await selection(page)).file, PRESETS);
});

story("an empty fleet teaches what to write", async (page) => {
  await page.evaluate(() =>
    document.querySelector("ff-app").state.open({ id: "own", title: "", files: [], complete: [], facts: [] }),
  );
  await select(page, { subject: undefined, cluster: undefined });
  const taught = await shown(column(page));
  assert.match(taught, /kind: PluginPreset/);
  // The documents of the empty state are valid.
  await setText(page, "taught.yaml", await column(page).locator("pre").innerText());
  await select(page, { subject: METRICS });
  assert.equal((await selection(page)).cluster, "eu-1");
  assert.equal(await cell(page, "replicas", 1), "3");
});

const HOSTILE = [
  "<img src=x onerror=pwn()>",
  "<script>pwn()</script>",
  "${pwn()}",
  "{{pwn()}}",
  "\u202etxt.exe",
  "\u0000x",
  "🎉".repeat(200),
  "x".repeat(10_000),
  "`</pre>`",
  "&lt;b&gt;",
  "__proto__",
  "a\nb\tc",
  "'\"><svg onload=pwn()>",
  "javascript:pwn()",
  "<!-- ?lit$1$ -->",
];

story("hostile names and values are text in tree, cascade and YAML", async (page) => {
  const before = await text(page, PRESETS);
  const values = HOSTILE.map(
    (it, at) => `      - {name: hostile${at}, value: {${JSON.stringify(it.slice(0, 100))}: ${JSON.stringify(it)}}}\n`,
  ).join("");
  await setText(
    page,
    PRESETS,
    before.replace("    ignoreDifferences:", () => `${values}    ignoreDifferences:`),
  );
  for (const [at, it] of HOSTILE.entries()) {
    await select(page, { path: `hostile${at}.${it.slice(0, 100).replaceAll(/[.[\\]/g, "\\$&")}` });
    assert.equal(await column(page).locator("ff-cascade li").count(), 1, it);
  }
  await column(page).getByRole("button", { name: "YAML", exact: true }).click();
  await settled(page);
  const yaml = await column(page)
    .locator("ff-yaml")
    .evaluate((it) => it.text);
  // As text: the key `__proto__` does not survive structured cloning out of the page.
  const read = JSON.parse(
    await page.evaluate(
      async (text) =>
        JSON.stringify((await document.querySelector("ff-app").state.query({ op: "parse", text }, 0)).ok.documents[0]),
      yaml,
    ),
  );
  for (const [at, it] of HOSTILE.entries()) assert.equal(Object.values(read[`hostile${at}`])[0], it);
  const made = await page.evaluate(() => {
    const under = (root) =>
      [...root.querySelectorAll("*")].flatMap((it) => [it, ...(it.shadowRoot ? under(it.shadowRoot) : [])]);
    const column = under(document).find((it) => it.tagName === "FF-EFFECTIVE");
    return under(column.shadowRoot).filter((it) => ["IMG", "SCRIPT", "IFRAME"].includes(it.tagName)).length;
  });
  assert.equal(made, 0);
});

for (const colorScheme of ["light", "dark"]) {
  story(
    `axe finds nothing in ${colorScheme}: tree, cascade, YAML, comparing, objects, out`,
    async (page) => {
      const clean = async (what) =>
        assert.deepEqual(
          (await axe(page, { within: "ff-app" })).filter((it) => it.includes("ff-effective")),
          [],
          what,
        );
      await select(page, { path: "replicas" });
      await clean("cascade");
      await replace(page, PRESETS, "replicas, value: 5", "replicas, value: 6");
      await clean("changed");
      await column(page).getByRole("button", { name: "YAML", exact: true }).click();
      await settled(page);
      await clean("YAML");
      await column(page).getByRole("button", { name: "tree", exact: true }).click();
      await select(page, { compare: "eu-2" });
      await clean("comparing");
      await select(page, {
        compare: undefined,
        subject: "FederatedService/shop/web",
        cluster: "berlin",
        path: "/spec/type",
        object: "Service/shop/web",
      });
      await clean("objects");
      await select(page, { subject: METRICS, cluster: "lab-1" });
      await clean("out");
      await pick(page, "Cluster").click();
      await clean("picking");
    },
    { colorScheme },
  );
}

const SETTINGS = { subject: "FederatedConfigMap/shop/settings", cluster: "berlin" };

story("a retained value names its rule and leads to the line of the rule", async (page) => {
  await select(page, { ...SETTINGS, path: "/data/motd" });
  await settled(page);
  const cascade = column(page).locator("ff-cascade li").first();
  assert.match(await cascade.innerText(), /kept from the live object by the rule data\.motd \(conditional/);
  await cascade.getByRole("button", { name: /^Go to the rule at shop\.yaml:\d+$/ }).click();
  assert.equal((await selection(page)).file, "kubefed/shop.yaml");
});

story("fields that others set are listed with what the next update does to them", async (page) => {
  const local = () => column(page).getByRole("region", { name: "Local changes" });
  await select(page, { ...SETTINGS, path: undefined });
  assert.equal(await local().count(), 0);
  await replace(page, "kubefed/shop.yaml", "    - data.motd", "    - data.other");
  assert.match(await local().innerText(), /the next update removes 1 field/);
  assert.match(await local().getByRole("listitem").innerText(), /\/data\/motd set by kubectl-edit/);
  await axe(page, { within: { fromShadowDom: ["ff-app", "ff-effective"] } });
});
