// Owners of one namespace and another, and objects that some of them own, claim or were given the mark for.

function owner(random) {
  const name = random.pick(["a", "b", "c"]);
  return {
    apiVersion: "kudo.dev/v1beta1",
    kind: "OperatorVersion",
    name,
    uid: random.chance(90) ? `u-${name}` : "u-new",
    ...(random.chance(70) && { namespace: random.pick(["db", "db", "app", ""]) }),
    ...(random.chance(15) && { controller: true }),
  };
}

const claimOf = ({ kind, namespace = "", name, uid }) => `${kind}/${namespace}/${name}/${uid}`;

const listed = (all) => JSON.stringify([...new Set(all)]);

function desiredOf(random) {
  return random.pick([
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", namespace: random.pick(["db", "app"]) },
      data: { k: "1" },
    },
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "x.example.test" },
      spec: { group: "example.test" },
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    },
  ]);
}

function liveOf(random, desired) {
  const live = structuredClone(desired);
  const annotations = {};
  if (random.chance(50))
    annotations["kudo.dev/managed"] = random.chance(90) ? "true" : random.pick(["True", "", "false", " true"]);
  const owners = random.list(0, 2, () => owner(random));
  if (random.chance(40))
    annotations["fleetfold.dev/claims"] = random.chance(97)
      ? listed(owners.map(claimOf))
      : random.pick(["x", "{}", "[1]"]);
  if (random.chance(30))
    annotations["fleetfold.dev/adopted-by"] = random.chance(98)
      ? listed(random.list(0, 2, () => claimOf(owner(random))))
      : "a,b";
  if (random.chance(40)) annotations.note = "1";
  if (Object.keys(annotations).length > 0) live.metadata.annotations = annotations;
  if (random.chance(60)) {
    live.metadata.ownerReferences = random.list(0, 3, () => owner(random)).map(({ namespace, ...it }) => it);
  }
  if (random.chance(30)) live.metadata.labels = { team: "x" };
  if (random.chance(2)) live.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
  if (random.chance(2)) live.metadata.name = "other";
  if (random.chance(10)) live.metadata.resourceVersion = "7";
  return live;
}

export function generate(random) {
  const desired = desiredOf(random);
  const live = liveOf(random, desired);
  if (random.chance(45)) return { request: { op: "release", owner: owner(random), live } };
  if (random.chance(10)) desired.data = { k: random.pick(["1", "2"]), ...(random.chance(30) && { z: "3" }) };
  if (random.chance(20))
    desired.metadata.annotations = {
      note: random.pick(["1", "1", "2"]),
      ...(random.chance(20) && { "kudo.dev/managed": "true" }),
    };
  if (random.chance(15)) desired.metadata.ownerReferences = [{ apiVersion: "v1", kind: "X", name: "z", uid: "u-z" }];
  return { request: { op: "adopt", owner: owner(random), desired, live: random.chance(15) ? null : live } };
}
