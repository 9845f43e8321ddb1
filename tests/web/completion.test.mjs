// Completions of the editor: kinds, fields, labels, options and names of existing documents.
import assert from "node:assert/strict";
import { goTo, offers, setText } from "./harness.mjs";
import { stories } from "./stories.mjs";

const story = stories();
const PRESET =
  "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginPreset\nmetadata: {name: fresh, namespace: acme}\nspec:\n";

const NAME = "greenhouse/plugins.yaml";
const cases = [
  [
    "kinds of the group",
    "apiVersion: greenhouse.sap/v1alpha1\nkind: Plu|",
    ["PluginPreset", "PluginOverride"],
    ["Placement"],
  ],
  [
    "the version of a kind",
    "apiVersion: |\nkind: Placement\n",
    ["cluster.open-cluster-management.io/v1beta1"],
    ["greenhouse.sap/v1alpha1"],
  ],
  [
    "fields by the schema",
    "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginOverride\nmetadata: {name: x}\nspec:\n  |",
    ["overrides", "pluginDefinitionNames", "clusterSelector"],
    [],
  ],
  [
    "fields that documents of the kind have, without those that are there",
    `${PRESET}  deletionPolicy: Delete\n  |`,
    ["clusterSelector", "plugin"],
    ["deletionPolicy"],
  ],
  [
    "values of an enumeration",
    "apiVersion: greenhouse.sap/v1alpha1\nkind: PluginOverride\nspec:\n  overrides:\n    - path: a\n      merge: |",
    ["deep", "replace"],
    [],
  ],
  [
    "label keys in a selector",
    `${PRESET}  clusterSelector:\n    matchLabels:\n      |`,
    ["metadata.greenhouse.sap/tier"],
    ["clusterSelector"],
  ],
  [
    "label values in a selector",
    `${PRESET}  clusterSelector:\n    matchLabels: {metadata.greenhouse.sap/tier: |}`,
    ["gold", "bronze"],
    ["eu"],
  ],
  [
    "values of the key of the same requirement",
    `${PRESET}  clusterSelector:\n    matchExpressions:\n` +
      "      - {key: metadata.greenhouse.sap/region, operator: In, values: [|]}\n" +
      "      - {key: metadata.greenhouse.sap/tier, operator: Exists}",
    ["eu", "us"],
    ["gold"],
  ],
  [
    "options of the definition",
    `${PRESET}  plugin:\n    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}\n    optionValues:\n` +
      "    - name: |",
    ["replicas", "image.tag"],
    ["issuer"],
  ],
  [
    "clusters of the same system",
    `${PRESET}  clusterOptionOverrides:\n    - clusterName: |`,
    ["eu-1", "us-1"],
    ["berlin"],
  ],
  [
    "documents that are referred to",
    `${PRESET}  plugin:\n    pluginDefinitionRef: {kind: PluginDefinition, name: |}`,
    ["metrics"],
    ["certs"],
  ],
];
story("offers what can stand there, and not what cannot", async (page) => {
  for (const [what, marked, some, none] of cases) {
    const labels = await offers(page, NAME, marked);
    for (const it of some) assert.ok(labels.includes(it), `${what}: ${it} is not among ${labels}`);
    for (const it of none) assert.ok(!labels.includes(it), `${what}: ${it} is among ${labels}`);
  }
});

story("offers the settings, with what they mean", async (page) => {
  assert.ok(
    (await offers(page, "fleetfold.yaml", "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  |")).includes(
      "precedence",
    ),
  );
  assert.deepEqual(
    (await offers(page, "fleetfold.yaml", "apiVersion: fleetfold.dev/v1\nkind: Settings\nspec:\n  mode: |")).sort(),
    ["compat", "strict"],
  );
});

const holds = (page, name, wanted) =>
  page.waitForFunction(
    ([name, wanted]) => document.querySelector("ff-app").state.files.get(name)?.text === wanted,
    [name, wanted],
    { timeout: 10_000 },
  );

story("is taken by Enter, and Enter after a whole word ends the line", async (page) => {
  await setText(page, "new.yaml", "");
  await goTo(page, { file: "new.yaml", line: 1 });
  const list = page.locator("ff-editor .cm-tooltip-autocomplete");
  await page.keyboard.type("kin", { delay: 30 });
  await list.locator('li[aria-selected="true"]', { hasText: /^kind/ }).waitFor();
  // Enter does not accept a completion that has just appeared: it may be meant as a line break.
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await holds(page, "new.yaml", "kind: ");
  await page.keyboard.type("Namespace", { delay: 30 });
  await list.locator('li[aria-selected="true"]', { hasText: /^Namespace/ }).waitFor();
  await page.waitForTimeout(150);
  await page.keyboard.press("Enter");
  await holds(page, "new.yaml", "kind: Namespace\n");
});

story("says nothing inside comments and texts", async (page) => {
  for (const [line, column] of [
    [1, 6],
    [3, 5],
  ]) {
    await setText(page, "new.yaml", "# kind\na: |\n  kin\n");
    await goTo(page, { file: "new.yaml", line, column });
    await page.keyboard.press("Control+Space");
    await page.waitForTimeout(300);
    assert.equal(await page.locator("ff-editor .cm-tooltip-autocomplete li").count(), 0);
  }
});
