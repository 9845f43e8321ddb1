// The objects on the hub.
const apiVersion = "greenhouse.sap/v1alpha1";
const cluster = (name, tier) => ({
  apiVersion,
  kind: "Cluster",
  metadata: { name, namespace: "acme", labels: { tier } },
});

export const objects = [
  cluster("eu-1", "gold"),
  cluster("lab-1", "bronze"),
  {
    apiVersion,
    kind: "Organization",
    metadata: { name: "acme" },
    spec: { pluginOverrides: [{ path: "proxy.url", value: "http://proxy.acme.example.test:3128" }] },
  },
  {
    apiVersion,
    kind: "PluginDefinition",
    metadata: { name: "metrics", namespace: "acme" },
    spec: {
      version: "1.0.0",
      options: [
        { name: "replicas", type: "int", default: 2 },
        { name: "logLevel", type: "string", default: "info" },
      ],
    },
  },
  {
    apiVersion,
    kind: "PluginPreset",
    metadata: { name: "metrics", namespace: "acme" },
    spec: {
      clusterSelector: { matchLabels: { tier: "gold" } },
      plugin: {
        pluginDefinitionRef: { kind: "PluginDefinition", name: "metrics" },
        optionValues: [{ name: "replicas", value: 3 }],
      },
    },
  },
  {
    apiVersion,
    kind: "PluginOverride",
    metadata: { name: "quiet", namespace: "acme" },
    spec: { overrides: [{ path: "logLevel", value: "warn" }] },
  },
];
