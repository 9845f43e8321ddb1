// Label changes of one cluster, with cluster sets and the roles of a user.

const SET = "cluster.open-cluster-management.io/clusterset";
const REGION = "info.open-cluster-management.io/region";
const VALUES = {
  [SET]: ["dev", "prod", "qa", ""],
  [REGION]: ["apac", "emea"],
  "cluster.open-cluster-management.io/x": ["1", "2"],
  env: ["dev", "prod"],
  vendor: ["a", "b"],
};

function cluster(random) {
  const labels = Object.fromEntries(random.some(Object.keys(VALUES), 50).map((key) => [key, random.pick(VALUES[key])]));
  if (random.chance(1)) labels.bad = random.pick(["-x", true]);
  return {
    apiVersion: "cluster.open-cluster-management.io/v1",
    kind: "ManagedCluster",
    metadata: { name: "c1", labels },
  };
}

function setOf(random, name) {
  const key = random.pick([SET, REGION, "env"]);
  const clusterSelector = random.oneOf(
    [3, () => undefined],
    [2, () => ({ selectorType: random.pick(["", "ExclusiveClusterSetLabel", "LegacyClusterSetLabel"]) })],
    [
      3,
      () => ({
        selectorType: "ExclusiveLabel",
        exclusiveLabel: { key, value: random.pick(VALUES[key].filter(Boolean)) },
      }),
    ],
    [
      1,
      () => ({
        selectorType: "ExclusiveLabel",
        exclusiveLabel: random.pick([{}, { key: SET }, { key: SET, value: "" }, { key: REGION }]),
      }),
    ],
    [4, () => ({ selectorType: "LabelSelector", labelSelector: selector(random) })],
    [1, () => ({ selectorType: "Foo" })],
  );
  return {
    apiVersion: "cluster.open-cluster-management.io/v1beta2",
    kind: "ManagedClusterSet",
    metadata: { name },
    spec: clusterSelector ? { clusterSelector } : {},
  };
}

function selector(random) {
  const key = random.pick(Object.keys(VALUES));
  return random.oneOf(
    [3, () => ({ matchLabels: { [key]: random.pick(VALUES[key]) } })],
    [
      2,
      () => ({
        matchExpressions: [
          { key, operator: random.pick(["In", "NotIn"]), values: random.some(VALUES[key], 60).concat("zz") },
        ],
      }),
    ],
    [2, () => ({ matchExpressions: [{ key, operator: random.pick(["Exists", "DoesNotExist"]) }] })],
    [1, () => ({})],
  );
}

function rule(random) {
  const key = random.pick([SET, REGION, "cluster.open-cluster-management.io/x"]);
  const isJoin = random.chance(30);
  const names = isJoin ? ["dev", "prod", "*"] : [`${key}:${random.pick(VALUES[key])}`, `${key}:*`, "*", key];
  return {
    apiGroups: [random.chance(90) ? "cluster.open-cluster-management.io" : random.pick(["*", "", "apps"])],
    resources: [
      isJoin
        ? "managedclustersets/join"
        : random.chance(85)
          ? "managedclusters/label"
          : random.pick(["*", "*/label", "managedclusters", "managedclusters/*"]),
    ],
    verbs: [random.chance(85) ? "create" : random.pick(["*", "update", "get"])],
    ...(random.chance(85) && { resourceNames: random.some(names, 40) }),
  };
}

export function generate(random) {
  const roles = random.some(["r1", "r2", "r3"], 60);
  const documents = [
    ...random.some(["dev", "prod", "qa", "eu"], 45).map((name) => setOf(random, name)),
    ...roles.map((name) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name },
      rules: random.list(0, 3, () => rule(random)),
    })),
    ...random.some(["b1", "b2"], 70).map((name) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: random.pick(["r1", "r2", "r3"]) },
      subjects: random.list(0, 2, () =>
        random.pick([
          { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: random.pick(["eve", "eve", "bob"]) },
          {
            kind: "Group",
            apiGroup: "rbac.authorization.k8s.io",
            name: random.pick(["dev", "system:authenticated", "system:serviceaccounts:n"]),
          },
          { kind: "ServiceAccount", name: "agent", namespace: "n" },
        ]),
      ),
    })),
  ];
  const user = {
    name: random.pick(["eve", "eve", "bob", "system:serviceaccount:n:agent"]),
    ...(random.chance(60) && { groups: random.some(["dev", "ops", random.chance(5) ? "system:masters" : "x"], 50) }),
  };
  const request = {
    op: "authorize",
    user,
    old: random.chance(85) ? cluster(random) : null,
    new: random.chance(92) ? cluster(random) : null,
    documents,
  };
  if (random.chance(20)) request.stage = random.pick(["full", "transitional"]);
  // Without any document, everything comes back as a question.
  if (documents.length === 0)
    request.documents = [
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "none" }, rules: [] },
    ];
  return { request };
}
