// Clusters in sets, and one placement over them.
import { labelSelector } from "./select.mjs";

const GROUP = "cluster.open-cluster-management.io";
const SET = `${GROUP}/clusterset`;
export const NOW = "2026-01-01T00:10:00Z";

function cluster(random, name) {
  const labels = {
    ...(random.chance(60) && { [SET]: random.pick(["dev", "prod"]) }),
    ...(random.chance(50) && { env: random.pick(["prod", "dev"]) }),
    ...(random.chance(40) && { tier: random.pick(["prod", "7"]) }),
  };
  const taint = () => ({
    key: random.pick(["k", "l"]),
    ...(random.chance(70) && { value: random.pick(["v", "w"]) }),
    effect: random.pick(["NoSelect", "NoSelect", "PreferNoSelect", "NoSelectIfNew"]),
    timeAdded: random.pick(["2026-01-01T00:00:00Z", "2026-01-01T00:09:30Z"]),
  });
  return {
    apiVersion: `${GROUP}/v1`,
    kind: "ManagedCluster",
    metadata: { name, labels, ...(random.chance(4) && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    spec: { hubAcceptsClient: true, ...(random.chance(30) && { taints: random.list(1, 2, taint) }) },
    ...(random.chance(40) && { status: { clusterClaims: [{ name: "region", value: random.pick(["eu", "us"]) }] } }),
  };
}

const SETS = {
  dev: {},
  prod: { clusterSelector: { selectorType: "ExclusiveClusterSetLabel" } },
  all: { clusterSelector: { selectorType: "LabelSelector", labelSelector: {} } },
  env: { clusterSelector: { selectorType: "LabelSelector", labelSelector: { matchLabels: { env: "prod" } } } },
};

function toleration(random) {
  const isExists = random.chance(50);
  return {
    ...(random.chance(isExists ? 75 : 97) && { key: random.pick(["k", "l"]) }),
    ...(isExists ? { operator: "Exists" } : random.chance(70) && { operator: "Equal" }),
    ...(random.chance(isExists ? 2 : 80) && { value: random.pick(["v", "w"]) }),
    ...(random.chance(30) && { effect: random.pick(["NoSelect", "NoSelectIfNew"]) }),
    ...(random.chance(25) && { tolerationSeconds: random.pick([60, 3600]) }),
  };
}

function spec(random) {
  const predicate = () => ({
    requiredClusterSelector: {
      ...(random.chance(70) && { labelSelector: labelSelector(random) }),
      ...(random.chance(30) && {
        claimSelector: {
          matchExpressions: [
            random.pick([
              { key: "region", operator: "Exists" },
              { key: "region", operator: "In", values: ["eu"] },
            ]),
          ],
        },
      }),
    },
  });
  const groupStrategy = {
    ...(random.chance(60) && { clustersPerDecisionGroup: random.pick([1, 2, 3, "25%", "50%", "100%"]) }),
    ...(random.chance(60) && {
      decisionGroups: random.some(["canary", "second"], 60).map((groupName) => ({
        groupName,
        groupClusterSelector: { labelSelector: { matchLabels: { env: random.pick(["prod", "dev"]) } } },
      })),
    }),
  };
  return {
    ...(random.chance(30) && { clusterSets: random.some(["dev", "prod", "all", "gone"], 50) }),
    ...(random.chance(50) && { numberOfClusters: random.chance(97) ? random.between(0, 4) : -1 }),
    ...(random.chance(55) && { predicates: random.list(0, 2, predicate) }),
    ...(random.chance(50) && { tolerations: random.list(0, 2, () => toleration(random)) }),
    ...(random.chance(40) && { decisionStrategy: { groupStrategy } }),
  };
}

export function generate(random) {
  const names = random.some(["c1", "c2", "c3", "c4", "c5"], 75);
  const meta = (name) => ({ name, namespace: "n" });
  const decision = {
    apiVersion: `${GROUP}/v1beta1`,
    kind: "PlacementDecision",
    metadata: {
      ...meta("p-decision-1"),
      labels: {
        [`${GROUP}/placement`]: "p",
        [`${GROUP}/decision-group-name`]: "",
        [`${GROUP}/decision-group-index`]: "0",
      },
    },
    status: { decisions: random.some(names, 50).map((clusterName) => ({ clusterName, reason: "" })) },
  };
  const documents = [
    ...names.map((name) => cluster(random, name)),
    ...Object.keys(SETS).map((name) => ({
      apiVersion: `${GROUP}/v1beta2`,
      kind: "ManagedClusterSet",
      metadata: { name },
      spec: SETS[name],
    })),
    ...random.some([...Object.keys(SETS), "gone"], 65).map((name) => ({
      apiVersion: `${GROUP}/v1beta2`,
      kind: "ManagedClusterSetBinding",
      metadata: meta(name),
      spec: { clusterSet: name },
    })),
    { apiVersion: `${GROUP}/v1beta1`, kind: "Placement", metadata: meta("p"), spec: spec(random) },
    ...(random.chance(40) ? [decision] : []),
  ];
  return {
    given: [{ op: "load", documents }],
    request: { op: "effective", subject: "Placement/n/p", now: NOW },
  };
}
