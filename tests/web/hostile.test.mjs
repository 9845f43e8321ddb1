// Every view shows document content as text, whatever it contains.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { randomOf, seedOf } from "../model/generate/random.mjs";
import { browser, check, open, select, selectView, setText, site } from "./harness.mjs";

const run = "globalThis.pwned=1";
const HOSTILE = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<svg onload="${run}">`,
  `"><script>${run}</script>`,
  `'><img src=x onerror='${run}'>`,
  `<iframe srcdoc="<script>parent.${run}</script>">`,
  `<body onload="${run}">`,
  `<a href="javascript:${run}">x</a>`,
  `javascript:${run}`,
  `<details open ontoggle="${run}">`,
  `<style>*{display:none}</style>`,
  `<link rel=stylesheet href=//evil.test>`,
  `<base href=//evil.test>`,
  `<meta http-equiv=refresh content="0;url=//evil.test">`,
  `<form action=//evil.test><input name=x>`,
  `\${${run}}`,
  `{{${run}}}`,
  `<%= ${run} %>`,
  `#{${run}}`,
  `\`\${${run}}\``,
  `');${run};('`,
  `";${run};"`,
  `--><script>${run}</script>`,
  `]]><script>${run}</script>`,
  `</textarea><script>${run}</script>`,
  `</title><script>${run}</script>`,
  `</style><script>${run}</script>`,
  `</template><img src=x onerror=${run}>`,
  `<template shadowrootmode=open><script>${run}</script></template>`,
  `<object data="javascript:${run}">`,
  `<embed src="javascript:${run}">`,
  `<math><mi xlink:href="javascript:${run}">x</mi></math>`,
  `<svg><animate onbegin="${run}" attributeName=x>`,
  `<video><source onerror="${run}">`,
  `<marquee onstart="${run}">`,
  `<input autofocus onfocus="${run}">`,
  `<x onclick="${run}" tabindex=0 autofocus onfocus="${run}">`,
  `&lt;script&gt;${run}&lt;/script&gt;`,
  `\u003cscript\u003e${run}\u003c/script\u003e`,
  `__proto__`,
  `constructor`,
  `toString`,
  `\u202Egnp.exe`,
  `\u200b\u200b`,
  `🎉`.repeat(50),
  `a`.repeat(5000),
  `%3Cscript%3E${run}%3C/script%3E`,
  `data:text/html,<script>${run}</script>`,
  `?lit$0$`,
  `<!--?lit$0$--><img src=x onerror=${run}>`,
];
/** How many strings there are; `npm run trust` asks for more than are written down. */
const COUNT = Number(process.env.FLEETFOLD_HOSTILE_STRINGS ?? HOSTILE.length);

/** Further strings, which a seed repeats: two of the others within, behind or in the middle of each other. */
function* further(random) {
  const ways = [
    (one, other) => `${one}${other}`,
    (one, other) => one.replaceAll(run, () => other),
    (one, other) => {
      const at = random.below(one.length + 1);
      return `${one.slice(0, at)}${other}${one.slice(at)}`;
    },
    (one, other) => `<div title='${one}'>${other}</div>`,
    (one, other) => `<!--${one}-->${other}`,
    (one) => one.toUpperCase().replaceAll(run.toUpperCase(), run),
    (one) => one.replaceAll("<", "<\u200b").replaceAll('"', "\u201d"),
    (one) => encodeURIComponent(one),
    (one) => [...one].map((it) => `&#${it.codePointAt(0)};`).join(""),
    (one) => one.replaceAll(" ", "\t").replaceAll("=", "\n="),
  ];
  for (;;) yield random.pick(ways)(random.pick(HOSTILE), random.pick(HOSTILE)).slice(0, 6000);
}

function strings() {
  const all = new Set(HOSTILE);
  const more = further(randomOf(seedOf(process.env.FLEETFOLD_SEED ?? "1", "strings", 0)));
  while (all.size < COUNT) all.add(more.next().value);
  return [...all].slice(0, COUNT);
}

const VIEWS = ["Results", "Fleet", "What-if", "Plan", "Permissions", "Picture", "Reference"];
let chromium, served;

before(async () => {
  [chromium, served] = [await browser(), await site()];
});
after(async () => {
  await chromium?.close();
  await served?.close();
});

const text = (value) => JSON.stringify(value);

/** A fleet with the string in every place that a document can set. */
function documents(hostile) {
  return `apiVersion: greenhouse.sap/v1alpha1
kind: PluginDefinition
metadata: {name: metrics, namespace: acme, annotations: {a: ${text(hostile)}}}
spec:
  version: 1.0.0
  description: ${text(hostile)}
  options:
  - {name: title, type: string, default: ${text(hostile)}}
  - {name: map, type: map, default: {${text(hostile)}: ${text(hostile)}}}
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {name: metrics, namespace: acme, uid: p}
spec:
  clusterSelector: {}
  plugin:
    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}
    releaseNamespace: m
    optionValues: [{name: other, value: ${text(hostile)}}]
  clusterOptionOverrides: []
---
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: one, namespace: acme, labels: {env: prod}, annotations: {a: ${text(hostile)}}}
spec: {accessMode: direct}
---
apiVersion: ${text(hostile)}
kind: ${text(hostile)}
metadata: {name: ${text(hostile)}, namespace: ${text(hostile)}, labels: {${text(hostile)}: ${text(hostile)}}}
`;
}

test(`${COUNT} hostile strings are text in every view`, async () => {
  const page = await open(chromium, served);
  for (const hostile of strings()) {
    await setText(page, `hostile/${hostile.slice(0, 40)}.yaml`, "");
    await setText(page, "hostile.yaml", documents(hostile));
    await select(page, { subject: "PluginPreset/acme/metrics", cluster: "one", path: "title", file: "hostile.yaml" });
    for (const view of VIEWS) await selectView(page, view);
    assert.equal(await page.evaluate(() => globalThis.pwned), undefined, hostile);
  }
  const made = await page.evaluate(() => {
    const under = (root) =>
      [...root.querySelectorAll("*")].flatMap((it) => [it, ...(it.shadowRoot ? under(it.shadowRoot) : [])]);
    return under(document)
      .filter(
        (it) =>
          ["IFRAME", "OBJECT", "EMBED", "MARQUEE", "VIDEO", "BASE", "FORM", "IMG"].includes(it.tagName) ||
          [...it.attributes].some((attribute) => attribute.name.startsWith("on")),
      )
      .map((it) => it.outerHTML.slice(0, 200));
  });
  assert.deepEqual(made, []);
  check(page);
  await page.context().close();
  const fields = documents("string").split('"string"').length - 1;
  console.log(`${COUNT} hostile strings in ${fields} fields and ${VIEWS.length} views, 0 ran as script`);
});

test("a hostile value is shown as it is written", async () => {
  const page = await open(chromium, served);
  const [, hostile] = HOSTILE;
  await setText(page, "hostile.yaml", documents(hostile));
  await select(page, { subject: "PluginPreset/acme/metrics", cluster: "one", path: "title" });
  assert.ok(
    (await page.locator("ff-effective").getByText(hostile, { exact: false }).count()) > 0,
    "the value is on the page, as text",
  );
  check(page);
  await page.context().close();
});
