// Stories about limits, roles and defaults: what the policy does beyond what a review alone tells.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CAN_I, LIST, ask, root, webhook } from "./kubewarden-hosts.mjs";
import { review } from "./kubewarden-cases.mjs";

const folder = join(root, "examples", "greenhouse");
const fleet = readdirSync(folder)
  .filter((it) => it.endsWith(".yaml") && it !== "fleetfold.yaml")
  .sort()
  .map((it) => readFileSync(join(folder, it), "utf8"))
  .join("\n---\n");

const greenhouse = { dialects: ["greenhouse"], documents: fleet };
const documents = () => ask([{ op: "parse", text: fleet }])[0].ok.documents;
const plurals = { PluginPreset: "pluginpresets", Plugin: "plugins", ManagedCluster: "managedclusters" };

/** A change of an object of Greenhouse by an admin. */
function change(operation, object, oldObject = null) {
  const { apiVersion, kind, metadata } = object ?? oldObject;
  const [group, version] = apiVersion.split("/");
  const names = { kind: { group, version, kind }, resource: { group, version, resource: plurals[kind] } };
  return { ...review(), ...names, name: metadata.name, namespace: metadata.namespace, operation, object, oldObject };
}

const judged = (settings, request, script = []) => ({
  op: "validate",
  payload: JSON.stringify({ request, settings }),
  script,
});
const asWebhook = (settings, request, script = []) => ({
  ...judged(settings, request, script),
  want: webhook(settings, request, script),
});

const denied =
  (code, words) =>
  ({ answer }, assert) => {
    assert.deepEqual([answer.accepted, answer.audit_annotations?.code], [false, code], JSON.stringify(answer));
    assert.match(answer.message, words);
  };
const accepted = ({ answer }, assert) => assert.equal(answer.accepted, true, JSON.stringify(answer));
const asksNobody = ({ calls }, assert) => assert.deepEqual(calls, []);
const all =
  (...checks) =>
  (result, assert) =>
    checks.forEach((it) => it(result, assert));

function limits() {
  const preset = documents().find((it) => it.kind === "PluginPreset");
  const emptied = { ...preset, spec: { ...preset.spec, clusterSelector: { matchLabels: { nobody: "has-this" } } } };
  const going = change("DELETE", null, preset);
  const limited = (some) => ({ ...greenhouse, limits: some });
  return {
    "a delete passes without limits": { ...asWebhook(greenhouse, going), holds: accepted },
    "a delete that takes too much is denied": {
      ...asWebhook(limited({ deletes: 0 }), going),
      holds: denied("delete-budget", /./),
    },
    "a delete that takes too large a share is denied": {
      ...asWebhook(limited({ deletePercent: 0 }), going),
      holds: denied("delete-budget", /./),
    },
    "a delete within the limits passes": {
      ...asWebhook(limited({ deletes: 1000, deletePercent: 100 }), going),
      holds: accepted,
    },
    "a selector that lets all clusters go is denied": {
      ...asWebhook(limited({ deletes: 0 }), change("UPDATE", emptied, preset)),
      holds: denied("delete-budget", /./),
    },
    "a delete of something that nobody knows passes": {
      ...asWebhook(
        limited({ deletes: 0 }),
        change("DELETE", null, { ...preset, metadata: { ...preset.metadata, name: "other" } }),
      ),
    },
  };
}

const GROUP = "cluster.open-cluster-management.io";
const RBAC = "rbac.authorization.k8s.io";

function roles() {
  const role = {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRole",
    metadata: { name: "dev" },
    rules: [
      {
        apiGroups: [GROUP],
        resources: ["managedclusters/label"],
        resourceNames: [`${GROUP}/clusterset:dev`],
        verbs: ["create"],
      },
    ],
  };
  const binding = (subject) => ({
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "dev" },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "dev" },
    subjects: [{ apiGroup: RBAC, ...subject }],
  });
  const set = { apiVersion: `${GROUP}/v1beta2`, kind: "ManagedClusterSet", metadata: { name: "dev" }, spec: {} };
  const by = (...documents) => ({ dialects: ["ocm"], permissions: "roles", documents: [set, ...documents] });
  return {
    "a role grants a label": {
      ...asWebhook(by(role, binding({ kind: "User", name: "eve" })), review()),
      holds: all(accepted, asksNobody),
    },
    "a role of a group grants a label": {
      ...asWebhook(by(role, binding({ kind: "Group", name: "dev" })), review()),
      holds: all(accepted, asksNobody),
    },
    "a role of somebody else does not": {
      ...asWebhook(by(role, binding({ kind: "User", name: "mallory" })), review()),
      holds: all(denied("not-granted", /eve may not put on the label/), asksNobody),
    },
    "without roles nothing is granted, though the host would": {
      ...judged(by(), review(), [{ operation: CAN_I, answer: { allowed: true } }]),
      holds: all(denied("not-granted", /eve may not put on the label/), asksNobody),
    },
  };
}

function defaults() {
  const on = { ...greenhouse, defaults: true };
  const definition = documents().find((it) => it.kind === "PluginDefinition" || it.kind === "ClusterPluginDefinition");
  const plugin = {
    apiVersion: "greenhouse.sap/v1alpha1",
    kind: "Plugin",
    metadata: { name: "mine", namespace: definition.metadata.namespace ?? "acme" },
    spec: { pluginDefinitionRef: { kind: definition.kind, name: definition.metadata.name }, optionValues: [] },
  };
  const request = change("CREATE", plugin);
  const [, { ok: wanted }] = ask([
    { op: "load", text: fleet },
    { op: "defaults", request },
  ]);
  const filled = change("CREATE", wanted.object);
  const hasMutated = ({ answer }, assert) => {
    assert.ok(wanted.added.length > 1);
    assert.deepEqual(answer.mutated_object, wanted.object);
  };
  const hasNot = ({ answer }, assert) => assert.ok(!("mutated_object" in answer), JSON.stringify(answer));
  const broken = change("CREATE", {
    ...plugin,
    spec: {
      ...plugin.spec,
      optionValues: [{ name: "replicas", value: 1, valueFrom: { secret: { name: "s", key: "k" } } }],
    },
  });
  const { apiVersion, kind } = definition;
  const listed = [
    { operation: LIST, when: { kind, api_version: apiVersion }, answer: { items: [definition] } },
    { operation: LIST, answer: { items: [] } },
  ];
  const named = {
    ...on,
    documents: documents().filter((it) => it !== definition && it.kind !== kind),
    context: [kind],
  };
  return {
    "defaults are added, and what comes of it is judged": {
      ...judged(on, request),
      want: webhook(greenhouse, filled, []),
      holds: all(accepted, hasMutated),
    },
    "what was added is added once": { ...asWebhook(on, filled), holds: all(accepted, hasNot) },
    "without the setting nothing is added": { ...asWebhook(greenhouse, request), holds: hasNot },
    "nothing is added to what is rejected": {
      ...judged(on, broken),
      holds: all(({ answer }, assert) => assert.equal(answer.accepted, false, JSON.stringify(answer)), hasNot),
    },
    "nothing is added to what goes": { ...asWebhook(on, change("DELETE", null, plugin)), holds: all(accepted, hasNot) },
    "a kind without defaults stays as it is": {
      ...asWebhook({ ...on, dialects: ["greenhouse", "ocm"] }, review(), [
        { operation: CAN_I, answer: { allowed: true } },
      ]),
      holds: all(accepted, hasNot),
    },
    "definitions are read from the cluster": { ...judged(named, request, listed), holds: all(accepted, hasMutated) },
  };
}

export const furtherStories = () => ({ ...limits(), ...roles(), ...defaults() });
