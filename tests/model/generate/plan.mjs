// Small fleets of Greenhouse and KubeFed with what their clusters have.
import { clone } from "../json.mjs";
import { APPLIED } from "../plan.mjs";

const LIMITS = { op: "configure", limits: { deletes: 1000, deletePercent: 100 } };
const OPTIONS = ["o1", "o2", "o3", "m.a", "m.b"];
const selectors = (random) =>
  random.pick([
    {},
    { matchLabels: { tier: "gold" } },
    { matchLabels: { tier: "gold" } },
    { matchExpressions: [{ key: "tier", operator: "Exists" }] },
    { matchExpressions: [{ key: "tier", operator: "NotIn", values: ["gold"] }] },
  ]);

const presetSelectors = (random) =>
  random.chance(70)
    ? selectors(random)
    : {
        clusterNames: random.some(["c1", "c2", "c3", "c4"], 55),
        ...(random.chance(30) && { labelSelector: selectors(random) }),
        ...(random.chance(30) && { ignoreClusters: [random.pick(["c1", "c9"])] }),
      };

function greenhouse(random) {
  const document = (kind, name, spec, metadata) => ({
    apiVersion: "greenhouse.sap/v1alpha1",
    kind,
    metadata: { name, ...(kind !== "Organization" && { namespace: "acme" }), ...metadata },
    spec,
  });
  const entries = (key, most) =>
    random
      .some(OPTIONS, 35)
      .slice(0, most)
      .map((name) => ({ [key]: name, value: random.pick(["1", "2", "3"]) }));
  const maps = (key) =>
    random.chance(25)
      ? [
          {
            [key]: "m",
            value: random.pick([{ a: "9" }, { a: "8", c: "7" }, {}]),
            ...(random.chance(50) && { merge: "deep" }),
          },
        ]
      : [];
  const oneOf = (key) => (random.chance(25) ? maps(key) : entries(key, 3));
  const names = random.some(["c1", "c2", "c3"], 80);
  const override = (name) =>
    document(
      "PluginOverride",
      name,
      {
        overrides: [
          ...oneOf("path"),
          ...(random.chance(3)
            ? [
                { path: "o1", value: "x" },
                { path: "o1", value: "y" },
              ]
            : []),
        ],
        ...(random.chance(50) && {
          clusterSelector: random.pick([
            { clusterNames: ["c1"] },
            { clusterNames: ["c1", "c2"] },
            { labelSelector: { matchLabels: { tier: "gold" } } },
            { ignoreClusters: ["c1"] },
          ]),
        }),
        ...(random.chance(50) && { pluginDefinitionNames: [random.chance(80) ? "d" : "other"] }),
      },
      random.chance(70) ? { creationTimestamp: random.pick(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]) } : {},
    );
  const type = { o1: "string", o2: "string", o3: "string", "m.a": "string", "m.b": "string", m: "map" };
  const documents = [
    ...names.map((name) =>
      document(
        "Cluster",
        name,
        { accessMode: "direct", ...(random.chance(30) && { pluginOverrides: oneOf("path") }) },
        { labels: random.chance(60) ? { tier: random.pick(["gold", "gold", "tin"]) } : {} },
      ),
    ),
    document("PluginDefinition", "d", {
      version: "1.0.0",
      options: Object.keys(type).map((name) => ({
        name,
        type: type[name],
        ...(random.chance(25) && type[name] === "string" && { default: "d" }),
      })),
    }),
    document("PluginPreset", "p", {
      clusterSelector: random.chance(98)
        ? presetSelectors(random)
        : { matchExpressions: [{ key: "tier", operator: "In" }] },
      ...(random.chance(20) && { deletionPolicy: random.pick(["Retain", "Delete"]) }),
      plugin: { pluginDefinitionRef: { kind: "PluginDefinition", name: "d" }, optionValues: [...oneOf("name")] },
      ...(random.chance(50) && {
        clusterOptionOverrides: random
          .some(names, 60)
          .map((clusterName) => ({ clusterName, overrides: oneOf("name") })),
      }),
    }),
    ...(random.chance(40)
      ? [document("Organization", "acme", { displayName: "Acme", pluginOverrides: oneOf("path") })]
      : []),
    ...random.some(["x", "y", "z"], 45).map(override),
  ];
  const live = random.some([...names, "c9"], 50).map((cluster) =>
    document(
      "Plugin",
      `p-${cluster}`,
      {
        clusterName: cluster,
        pluginDefinitionRef: { kind: "PluginDefinition", name: "d" },
        optionValues: [
          ...random.shuffle(entries("name", 5)),
          ...(random.chance(40) ? [{ name: "global.greenhouse.organizationName", value: "acme" }] : []),
        ],
      },
      { labels: random.chance(88) ? { "greenhouse.sap/pluginpreset": "p" } : {} },
    ),
  );
  return {
    dialect: "greenhouse",
    given: [LIMITS, { op: "load", documents }, { op: "load", live: "", complete: true, documents: live }],
    request: { op: "plan" },
  };
}

function kubefed(random) {
  const system = (kind, name, spec, labels) => ({
    apiVersion: "core.kubefed.io/v1beta1",
    kind,
    metadata: { name, namespace: "kube-federation-system", ...(labels && { labels }) },
    ...(spec && { spec }),
  });
  const typeConfig = (name, kind, more) =>
    system("FederatedTypeConfig", name, {
      federatedType: { group: "types.kubefed.io", kind: `Federated${kind}`, version: "v1beta1" },
      propagation: "Enabled",
      targetType: { kind, version: "v1" },
      ...more,
    });
  const federated = (kind, name, spec) => ({
    apiVersion: "types.kubefed.io/v1beta1",
    kind: `Federated${kind}`,
    metadata: { name, namespace: "n", finalizers: ["kubefed.io/sync-controller"] },
    spec,
  });
  const names = random.some(["a", "b", "c"], 85);
  const placement = () =>
    random.pick([
      { clusters: random.some(["a", "b", "c", "gone"], 55).map((name) => ({ name })) },
      {
        clusterSelector: random.pick([
          {},
          { matchLabels: { env: "prod" } },
          { matchExpressions: [{ key: "env", operator: "DoesNotExist" }] },
        ]),
      },
      { clusters: null, clusterSelector: {} },
      ...(random.chance(4) ? [{ clusterSelector: { matchExpressions: [{ key: "env", operator: "In" }] } }] : []),
    ]);
  const data = () =>
    Object.fromEntries(random.some(["k", "l", "kept", "z"], 50).map((key) => [key, random.pick(["1", "2", ""])]));
  const operation = () => {
    const op = random.pick([undefined, undefined, "add", "replace", "remove"]);
    const path = random.chance(95)
      ? `/data/${random.pick(["k", "l", "z"])}`
      : random.pick(["/metadata/labels/team", "/metadata/annotations/a", "/metadata/name"]);
    return { ...(op && { op }), path, ...(op !== "remove" && { value: random.pick(["7", "8"]) }) };
  };
  const documents = [
    ...names.map((name) =>
      system("KubeFedCluster", name, undefined, random.chance(50) ? { env: random.pick(["prod", "dev"]) } : undefined),
    ),
    typeConfig("namespaces", "Namespace"),
    typeConfig(
      "configmaps",
      "ConfigMap",
      random.chance(50) ? { retention: { fields: ["data.kept"], ...(random.chance(50) && { labels: ["team"] }) } } : {},
    ),
    ...(random.chance(96)
      ? [
          federated("Namespace", "n", {
            placement: random.chance(80) ? { clusterSelector: {} } : { clusters: [{ name: "a" }] },
          }),
        ]
      : []),
    federated("ConfigMap", "x", {
      placement: placement(),
      template: { ...(random.chance(25) && { metadata: { labels: { app: random.pick(["w", "v"]) } } }), data: data() },
      ...(random.chance(50) && {
        overrides: random
          .some(names, 50)
          .map((clusterName) => ({ clusterName, clusterOverrides: random.list(1, 2, operation) })),
      }),
    }),
  ];
  const live = Object.fromEntries(
    random.some(names, 65).map((name) => {
      const labels = {
        ...(random.chance(85) && { "kubefed.io/managed": "true" }),
        ...(random.chance(40) && { app: random.pick(["w", "v"]) }),
        ...(random.chance(30) && { team: "t" }),
      };
      const object = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "x", namespace: "n", labels },
        data: data(),
      };
      if (random.chance(50)) {
        const applied = clone(object);
        applied.data = data();
        object.metadata.annotations = { [APPLIED]: JSON.stringify(applied) };
      }
      return [name, object];
    }),
  );
  return {
    dialect: "kubefed",
    given: [
      LIMITS,
      { op: "load", documents },
      ...names.map((name) => ({ op: "load", live: name, complete: true, documents: live[name] ? [live[name]] : [] })),
    ],
    request: { op: "plan", scope: { subjects: ["FederatedConfigMap/n/x"] } },
  };
}

export const generate = (random) => (random.chance(50) ? greenhouse(random) : kubefed(random));
