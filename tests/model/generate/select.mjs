// Selectors of every form and small fleets for them: most are valid, some nearly.

const KEYS = ["env", "region", "tier", "legacy", "example.test/zone", "metadata.greenhouse.sap/tier", "n"];
const VALUES = ["prod", "stage", "dev", "", "eu-1", "a.b_c", "7", "12", "-3", "007"];
const NUMBERS = ["3", "8", "10", "007", "0", "99999999999999999999", "x", "-1"];
const BAD_KEYS = ["", "/x", "a/b/c", "-a", "A.test/x", "x/", "a b", `k${"k".repeat(63)}`, "in", "notin"];
const BAD_VALUES = ["-a", "a b", "x/y", "a-", "v".repeat(64), 7, true, null];

export const NAMES = ["a", "b", "c", "eu-1", "us-1"];

export function labels(random) {
  return Object.fromEntries(random.some(KEYS, 45).map((key) => [key, random.pick(VALUES)]));
}

export function fleet(random) {
  return random.some(NAMES, 70).map((name) => (random.chance(15) ? { name } : { name, labels: labels(random) }));
}

const keyOf = (random) => (random.chance(3) ? random.pick(BAD_KEYS) : random.pick(KEYS));
const valueOf = (random) => (random.chance(2) ? random.pick(BAD_VALUES) : random.pick(VALUES));

export function labelSelector(random) {
  const selector = {};
  if (random.chance(55)) {
    selector.matchLabels = random.chance(4)
      ? null
      : Object.fromEntries(random.list(0, 2, () => [keyOf(random), valueOf(random)]));
  }
  if (random.chance(55)) selector.matchExpressions = random.list(0, 3, () => expression(random));
  if (random.chance(2)) selector[random.pick(["matchLabel", "matchExpression", "foo"])] = {};
  return selector;
}

function expression(random) {
  const operator = random.pick(["In", "NotIn", "Exists", "DoesNotExist"]);
  const takes = ["In", "NotIn"].includes(operator) !== random.chance(4);
  const term = { key: keyOf(random), operator };
  if (takes) term.values = random.list(1, 3, () => valueOf(random));
  else if (random.chance(20)) term.values = [];
  if (random.chance(2)) term.operator = random.pick(["in", "Gt", "Equals", "", ">"]);
  if (random.chance(1)) term.value = "x";
  return term;
}

function text(random) {
  const gap = () => random.pick(["", "", " ", "  "]);
  const key = () =>
    random.pick([
      ...KEYS.slice(0, 5),
      "n",
      "n",
      random.chance(5) ? random.pick(["in", "notin", "-x", "a/b/c"]) : "env",
    ]);
  const value = () => random.pick([...VALUES, "in", random.chance(10) ? random.pick(["a b", "-x", "x!"]) : "prod"]);
  const values = () => random.list(0, 3, value).join(`${gap()},${gap()}`);
  const terms = random.list(0, 3, () =>
    random.oneOf(
      [3, () => key()],
      [3, () => `!${gap()}${key()}`],
      [6, () => `${key()}${gap()}${random.pick(["=", "==", "!="])}${gap()}${value()}`],
      [6, () => `${key()} ${random.pick(["in", "notin"])}${gap()}(${gap()}${values()}${gap()})`],
      [3, () => `n${gap()}${random.pick([">", "<"])}${gap()}${random.pick(NUMBERS)}`],
      [
        1,
        () => random.pick(["", "(", "a b", "=", "a=b=c", "!a=b", "a in b", "a gt 3", "a in (b", "!!a", "a<>b", "a=!b"]),
      ],
    ),
  );
  return `${gap()}${terms.join(`${gap()},${gap()}`)}${random.chance(3) ? "," : ""}${gap()}`;
}

function greenhouse(random) {
  const selector = {};
  const named = () => [...random.some(NAMES, 30), ...(random.chance(10) ? ["unknown"] : [])];
  if (random.chance(60)) selector.labelSelector = random.chance(8) ? null : labelSelector(random);
  if (random.chance(50)) selector.clusterNames = named();
  if (random.chance(40)) selector[random.pick(["ignoreClusters", "ignoreClusters", "excludeList"])] = named();
  if (random.chance(2)) selector.clusterNames = [7];
  if (random.chance(2)) selector.clusterName = "a";
  return selector;
}

function kubefed(random) {
  const placement = {};
  if (random.chance(60))
    placement.clusters = random.chance(8) ? null : random.some([...NAMES, "unknown"], 40).map((name) => ({ name }));
  if (random.chance(60)) placement.clusterSelector = random.chance(8) ? null : labelSelector(random);
  if (random.chance(2)) placement.clusters = [random.pick(["a", {}, { name: 7 }])];
  if (random.chance(2)) placement.matchLabels = {};
  return placement;
}

/** A ManagedClusterSet, most of them exclusive. */
export function clusterSet(random, name = random.pick(["dev", "prod", "eu"])) {
  const clusterSelector = random.oneOf(
    [3, () => undefined],
    [3, () => ({ selectorType: random.pick(["", "ExclusiveClusterSetLabel", "LegacyClusterSetLabel"]) })],
    [4, () => ({ selectorType: "LabelSelector", labelSelector: random.chance(10) ? null : labelSelector(random) })],
    [
      4,
      () => ({
        selectorType: "ExclusiveLabel",
        exclusiveLabel: { key: random.pick(KEYS), value: random.pick(["prod", "dev", "eu-1"]) },
      }),
    ],
    [1, () => ({ selectorType: random.pick(["labelSelector", "Foo", "ExclusiveLabel"]) })],
  );
  const version = random.chance(3) ? "v2" : random.pick(["v1beta1", "v1beta2"]);
  return {
    apiVersion: `cluster.open-cluster-management.io/${version}`,
    kind: "ManagedClusterSet",
    metadata: { name },
    spec: clusterSelector ? { clusterSelector } : {},
  };
}

export function selector(random, depth = 0) {
  return random.oneOf(
    [1, () => null],
    [8, () => labelSelector(random)],
    [8, () => text(random)],
    [5, () => greenhouse(random)],
    [5, () => kubefed(random)],
    [2, () => clusterSet(random)],
    [depth === 0 ? 2 : 0, () => random.list(0, 3, () => selector(random, 1))],
    [1, () => random.pick([7, true, { matchLabels: {}, clusterNames: [] }, { clusters: [], labelSelector: {} }, {}])],
  );
}

export function generate(random) {
  const clusters = fleet(random);
  if (clusters.length > 0 && random.chance(1)) clusters.push({ name: clusters[0].name });
  return { request: { op: "select", selector: selector(random), clusters } };
}
