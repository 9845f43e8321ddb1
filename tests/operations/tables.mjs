// What the drills cannot find out by themselves. Every row has its reason.

/** Maps whose keys are their authors': one key selects all of them. By kind and place. */
export const FREE_MAPS = [
  [/./, /(^|\.)(labels|annotations|matchLabels|nodeSelector|data|stringData|binaryData)$/],
  [/^kudo\.dev\//, /^spec\.(templates|plans)$/],
  [/^kudo\.dev\/Instance$/, /^spec\.parameters$/],
  [/Bundle$/, /^spec\.molds$/],
  [
    /(Installation|CertManagerDeployment)$/,
    /^spec\.dangerZone\.(imageOverrides|containerArgOverrides|containerArgOverrides\{\})$/,
  ],
  [/ManagedCluster$/, /^status\.(allocatable|capacity)$/],
];

/** Values in which the fields are another kind's or anybody's, and how many levels of them are drilled. */
export const OPAQUE = [
  [/^types\.kubefed\.io\//, /^spec\.template$/, 2],
  [/Bundle$/, /^spec\.manifests\[\]$/, 2],
  [/CustomResourceDefinition$/, /^spec\.versions\[\]\.schema$/, 0],
  [/./, /(^|\.|\])(value|default)$/, 0],
  [/./, /^metadata\.managedFields$/, 0],
];

/** Values of fields that no document of a kind has: `[kind, field, values]`. */
export const VALUES = [
  [/^types\.kubefed\.io\//, /^spec\.placement\.clusterSelector$/, [{ matchLabels: { region: "eu" } }]],
  [/^types\.kubefed\.io\//, /^spec\.placement\.clusterSets$/, [["prod"]]],
  [/^types\.kubefed\.io\//, /^spec\.placement\.placementRef$/, [{ name: "web" }]],
  [/^greenhouse\.sap\/Plugin$/, /^spec\.ignoreDifferences$/, [[{ kind: "Deployment", paths: ["/spec/replicas"] }]]],
  [/KubeFedConfig$/, /^spec\.featureGates$/, [[{ name: "PushReconciler", configuration: "Enabled" }]]],
];

/** Fields that are not drilled: `[kind, field, reason]`. */
export const EXCLUDED = [
  [/./, /^(apiVersion|kind)$/, "another kind is another document"],
  [/./, /^metadata$/, "it holds the name; all that is in it is drilled"],
  [/./, /^metadata\.(name|namespace|generateName)$/, "another name is another document"],
  [
    /./,
    /^metadata\.(uid|resourceVersion|generation|creationTimestamp|selfLink|managedFields.*)$/,
    "the server writes it",
  ],
  [/./, /^metadata\.deletion/, "it cannot be rolled back on a server; the stories of deletes have it"],
  [/./, /^metadata\.ownerReferences/, "the garbage collector of the server acts on it, whatever we plan"],
  [/Plugin$/, /^spec(\.optionValues)?$/, "the plan writes overridden options into it; what is in it is drilled"],
  [/Plugin$/, /^metadata\.labels/, "the label `greenhouse.sap/pluginpreset` makes it an object of the preset"],
  // Fields of the schemas for which no document of the fleets has a value that a drill can set. Vectors read each of
  // them.
  [
    /^greenhouse\.sap\/Plugin(Preset)?$/,
    /^spec\.(plugin\.)?waitFor\b/,
    "open: no fleet has Plugins that wait for each other",
  ],
  [/ManagedCluster$/, /^spec\.managedClusterClientConfigs\b/, "open: no fleet registers clusters with client configs"],
  [/FederatedTypeConfig$/, /^spec\.statusType\b./, "open: no fleet has a kind of status with them"],
  [/FederatedNamespace$/, /^spec\.(overrides|retention|retainReplicas)\b/, "open: no fleet varies a namespace"],
  [/FederatedService$/, /^spec\.(overrides|retainReplicas)\b/, "open: no fleet varies a Service"],
  [/FederatedValidatingWebhookConfiguration$/, /^spec\.retainReplicas$/, "the kind has no replicas"],
  [/^types\.kubefed\.io\//, /^spec\.retention$/, "open: the fleets write retention rules into the type configuration"],
  [/OperatorVersion$/, /^spec\.upgradableFrom$/, "open: no fleet has two versions of an operator"],
  [
    /operator\.openshift\.io\/CertManager$/,
    /^spec\.(cainjector|webhook|unsupported)Config(Overrides)?\b/,
    "open: the fleet sets them for the controller alone",
  ],
];

/**
 * Where a property does not hold, and why: `{ kind, field, operation, property, reason }`. A row without a kind or an
 * operation is about all of them. A reason that begins with `open:` is a mistake of the engine that is known and not
 * mended yet. The properties `deletes`, `answers` and `applies` have no row, and get none.
 */
export const EXCEPTIONS = [
  // What is copied as it is.
  {
    field: /(^|\.|\])(value|default)$/,
    operation: /null|empty/,
    property: "reported",
    reason: "any value is a value of an option, an override, a variable or a toleration: who gets it judges it",
  },
  {
    kind: /^types\.kubefed\.io\//,
    field: /^spec\.template\b/,
    property: "reported",
    reason: "the template is copied as it is: the API server of the member judges it",
  },
  {
    kind: /Bundle$/,
    field: /^spec\.manifests\[\]\./,
    property: "reported",
    reason: "a manifest is copied as it is: the API server judges it",
  },
  {
    kind: /PluginPreset$/,
    field: /^spec\.(waitFor$|plugin\.(ignoreDifferences\b|pluginDefinition$))/,
    property: "reported",
    reason: "it is copied to the Plugin as it is: Greenhouse judges it",
  },
  {
    kind: /CertManager$/,
    field: /\.override(Resources\.(limits|requests)\.|Scheduling\.(nodeSelector\{\}|tolerations))/,
    operation: /null|empty/,
    property: "reported",
    reason: "it is copied to the pods as it is: the API server judges it",
  },
  {
    kind: /(Installation|CertManagerDeployment)$/,
    field: /containerArgOverrides\{\}\{\}$/,
    operation: /empty/,
    property: "reported",
    reason: "an empty text is a value of a flag",
  },
  {
    field: /(^metadata\.(labels|annotations)|\.overrideLabels\.)/,
    operation: /empty|unknown word/,
    property: "reported",
    reason: "any text, also an empty one, is a value of a label or an annotation",
  },
  {
    field: /^metadata\.finalizers/,
    property: "reported",
    reason: "the plan puts its finalizer back, which is all that changes",
  },
  // What is a name of anybody's choice.
  {
    field: /^spec\.(taints|tolerations)\[\]\.key$/,
    operation: /unknown word/,
    property: "reported",
    reason: "any text is the key of a taint",
  },
  {
    kind: /FederatedTypeConfig$/,
    field: /^spec\.federatedType\.(group|kind)$/,
    operation: /unknown word/,
    property: "reported",
    reason: "any text is the name of a group or a kind",
  },
  {
    kind: /Bundle$/,
    field: /^spec\.product$/,
    operation: /unknown word/,
    property: "reported",
    reason: "any text is the name of a product",
  },
  {
    kind: /Bundle$/,
    field: /^spec\.molds\{\}(\[\]\.flag)?$/,
    operation: /empty|unknown word/,
    property: "reported",
    reason: "the finding is at the Installation that sets the flag",
  },
  {
    kind: /Catalog$/,
    field: /^spec\.sources\[\]\.overrides\[\]\.name$/,
    operation: /unknown word/,
    property: "reported",
    reason: "only the repository of the catalog says which definitions it brings",
  },
  // What Kubernetes or the upstream means by it.
  {
    field: /([sS]elector|\.placement\.clusters)$/,
    operation: /empty/,
    property: "reported",
    reason: "an empty selector selects every cluster, and an empty list of clusters none: both are written on purpose",
  },
  {
    kind: /ManagedCluster$/,
    field: /^spec\.taints\[\]$/,
    operation: /null|empty/,
    property: "reported",
    reason: "a taint without an effect repels nobody, and the server refuses it",
  },
  {
    kind: /OperatorVersion$/,
    field: /^spec\.templates\{\}$/,
    operation: /empty/,
    property: "reported",
    reason: "an empty template makes no object",
  },
  {
    kind: /(AddOnPlacementScore|ManagedCluster|KubeFedCluster)$/,
    field: /^status\b/,
    property: "reported",
    reason: "a controller of the upstream writes the status, and the server checks it by its schema",
  },
  {
    kind: /PluginPreset$/,
    field: /^spec\.plugin\.displayName$/,
    operation: /empty/,
    property: "reported",
    reason: "any text, also an empty one, is the name that a Plugin is shown by",
  },
  // What cannot be brought back, or is kept on purpose.
  {
    kind: /PluginPreset$/,
    field: /^spec\.plugin\.deletionPolicy$/,
    property: "removed",
    reason: "open: the Plugin keeps the policy that it has where the preset no longer has one",
  },
  {
    kind: /^greenhouse\.sap\/Cluster$/,
    field: /^metadata\.labels$/,
    property: "removed",
    reason: "the preset `certs` has `deletionPolicy: Retain`: its Plugin stays when a cluster leaves",
  },
  {
    kind: /PluginPreset$/,
    field: /^spec\.plugin\.(releaseName|releaseNamespace|pluginDefinition)$/,
    property: "removed",
    reason: "Helm cannot rename a release: the Plugin keeps what it has where the preset says nothing",
  },
  {
    kind: /KubeFedCluster$/,
    field: /^status\b/,
    property: "roll back",
    reason: "a cluster that is not ready keeps the copies that it got while it was",
  },
  {
    kind: /^core\.kubefed\.io\/FederatedTypeConfig$/,
    field: /^spec\.targetType\b/,
    property: "roll back",
    reason: "copies of another target kind were made, and no plan looks for a kind that no type config names",
  },
  {
    kind: /^core\.kubefed\.io\/FederatedTypeConfig$/,
    field: /^spec\.federatedType(\.kind)?$/,
    property: "settles",
    reason: "open: two federated kinds then have one target kind, both write its objects, and no finding says so",
  },
  {
    kind: /^types\.kubefed\.io\//,
    field: /^spec\.placement\.clusters$/,
    property: "roll back",
    reason: "what others wrote into a copy is deleted with it",
  },
  {
    kind: /^types\.kubefed\.io\//,
    field: /^spec\.template\.webhooks(\[\])?$/,
    property: "removed",
    reason: "the member had the webhooks before: once they were applied they are removed with the template's",
  },
  {
    kind: /kubefed\.io\//,
    field: /^spec(\.(federatedType\b.*|retention\b.*|template\b.*))?$/,
    property: "roll back",
    reason: "a value of the member that was not retained for a moment is overwritten, and nobody knows it any more",
  },
  {
    kind: /^cluster\.open-cluster-management\.io\//,
    field: /^(spec|spec\.decisionStrategy\b.*|status\b.*)$/,
    property: "removed",
    reason: "OCM's prioritizer Steady prefers the clusters that were chosen before",
  },
  {
    kind: /CertManager$/,
    field: /^spec(\.controllerConfig(\.overrideEnv)?)?$/,
    property: "roll back",
    reason: "variables pair by name, so that one that comes back is the last of the list",
  },
  {
    kind: /Bundle$/,
    field: /^spec\.manifests\[\](\.(apiVersion|kind|metadata|metadata\.name))?$/,
    property: "roll back",
    reason: "definitions are never deleted: with them would go every object of their kind",
  },
  {
    kind: /Bundle$/,
    field: /^spec\.manifests\[\]$/,
    property: "removed",
    reason: "definitions are never deleted: with them would go every object of their kind",
  },
  {
    kind: /Bundle$/,
    field: /^spec\.manifests\[\]\.(roleRef|spec)\b/,
    property: "removed",
    reason:
      "no server takes a binding without `roleRef` or a definition without its names: that one has them is a default",
  },
  {
    kind: /Bundle$/,
    field: /^spec(\.manifests(\[\]\.spec\.template)?)?$/,
    property: "roll back",
    reason: "an empty map is the same as none",
  },
];

export function exceptionFor({ id, field, operation, property }) {
  const isRow = (it) =>
    it.property === property &&
    (!it.kind || it.kind.test(id)) &&
    it.field.test(field) &&
    (!it.operation || it.operation.test(operation));
  return EXCEPTIONS.find(isRow);
}

/** Kinds that a dialect reads and that are not drilled. */
export const UNDRILLED = [
  {
    kind: /PlacementDecision$/,
    reason: "the engine writes it: what others change in it is drift, which the stories on real servers have",
  },
];
