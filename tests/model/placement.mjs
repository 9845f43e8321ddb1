// Which clusters a Placement of OCM decides for, and in which groups: research O12–O42, without add-on scores and CEL.
import { labelSelector, membersOf } from "./select.mjs";
import { Refusal, refuse } from "./json.mjs";

/** The decisions as `{ group: { index, name }, clusters }`, by first cluster. */
export function decide(documents, name, now) {
  const named = (kind) => documents.filter((it) => it.kind === kind);
  const placement = named("Placement").find((it) => it.metadata.name === name);
  const { namespace } = placement.metadata;
  const last = named("PlacementDecision")
    .filter((it) => it.metadata.namespace === namespace)
    .flatMap(({ metadata, status }) => status.decisions.map(({ clusterName }) => ({ clusterName, metadata })));
  const wasChosen = ({ metadata }) => last.some(({ clusterName }) => clusterName === metadata.name);
  try {
    const [matches, isTolerated] = [matcherOf(placement), tolerationsOf(placement)];
    const available = availableTo(placement, named);
    const chosen = available.filter((it) => matches(it) && isTolerated(it, wasChosen(it), now));
    // Steady: a cluster that was chosen comes first, then the name decides.
    const sorted = chosen.sort(
      (one, other) => wasChosen(other) - wasChosen(one) || (one.metadata.name < other.metadata.name ? -1 : 1),
    );
    return groupsOf(placement, sorted.slice(0, countOf(placement)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return kept(last);
  }
}

/** A misconfigured placement keeps its last decisions. */
function kept(last) {
  const label = (metadata, key) => metadata.labels[`cluster.open-cluster-management.io/decision-group-${key}`];
  const groups = new Map();
  for (const { clusterName, metadata } of last) {
    const index = Number(label(metadata, "index"));
    const group = groups.get(index) ?? { group: { index, name: label(metadata, "name") || undefined }, clusters: [] };
    group.clusters.push(clusterName);
    groups.set(index, group);
  }
  return byFirst([...groups.values()]);
}

const byFirst = (groups) =>
  groups
    .map((it) => ({ ...it, clusters: it.clusters.sort() }))
    .sort((one, other) => (one.clusters[0] < other.clusters[0] ? -1 : 1));

function countOf({ spec }) {
  const count = spec.numberOfClusters ?? Infinity;
  return count >= 0 ? count : refuse("a negative number of clusters");
}

/** Clusters of the sets that are bound in the namespace, as far as the placement names sets. */
function availableTo({ metadata, spec }, named) {
  const isBound = (set) =>
    named("ManagedClusterSetBinding").some(
      (it) => it.metadata.namespace === metadata.namespace && it.metadata.name === set && it.spec.clusterSet === set,
    );
  const isNamed = (set) => (spec.clusterSets ?? []).length === 0 || spec.clusterSets.includes(set);
  const sets = named("ManagedClusterSet")
    .filter((it) => isBound(it.metadata.name) && isNamed(it.metadata.name))
    .map((it) => membersOf(it));
  return named("ManagedCluster").filter(
    (it) => !it.metadata.deletionTimestamp && sets.some((contains) => contains(it.metadata.labels ?? {})),
  );
}

/** Predicates are ORed; inside one, labels and claims both have to match. */
function matcherOf({ spec }) {
  const predicates = (spec.predicates ?? []).map(({ requiredClusterSelector = {} }) => {
    const byLabels = labelSelector(requiredClusterSelector.labelSelector ?? {});
    const byClaims = labelSelector(requiredClusterSelector.claimSelector ?? {});
    return ({ metadata, status }) => {
      const claims = Object.fromEntries((status?.clusterClaims ?? []).map(({ name, value }) => [name, value]));
      return byLabels(metadata.labels ?? {}) && byClaims(claims);
    };
  });
  return (cluster) => predicates.length === 0 || predicates.some((it) => it(cluster));
}

function tolerationsOf({ spec }) {
  const tolerations = (spec.tolerations ?? []).map((it) => {
    const { key = "", operator = "Equal", value = "" } = it;
    if (!["Equal", "Exists"].includes(operator)) refuse("an unknown operator");
    if (key === "" && operator !== "Exists") refuse("a toleration without a key");
    if (operator === "Exists" && value !== "") refuse("a value that nothing compares");
    return it;
  });
  const tolerates = (taint, wasChosen, now) => {
    if (taint.effect === "PreferNoSelect" || (taint.effect === "NoSelectIfNew" && wasChosen)) return true;
    return tolerations.some(({ key = "", operator = "Equal", value = "", effect = "", tolerationSeconds }) => {
      const isKey = key === "" || key === taint.key;
      const isValue = operator === "Exists" || value === (taint.value ?? "");
      const isEffect = effect === "" || effect === taint.effect;
      const isOver =
        tolerationSeconds !== undefined && Date.parse(now) >= Date.parse(taint.timeAdded) + tolerationSeconds * 1000;
      return isKey && isValue && isEffect && !isOver;
    });
  };
  return (cluster, wasChosen, now) => (cluster.spec?.taints ?? []).every((taint) => tolerates(taint, wasChosen, now));
}

/** Declared groups first, then the rest, each in chunks of one size, by name. */
function groupsOf({ spec }, clusters) {
  const { clustersPerDecisionGroup: size, decisionGroups = [] } = spec.decisionStrategy?.groupStrategy ?? {};
  const total = clusters.length;
  const asked = typeof size === "string" ? Math.ceil((total * Number(size.replace("%", ""))) / 100) : (size ?? 0);
  const chunk = asked <= 0 || asked > total ? total : asked;
  const rest = [...clusters].sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const groups = [];
  const cut = (name, members) => {
    for (let start = 0; start < members.length; start += chunk) {
      groups.push({
        group: { index: groups.length, name: name || undefined },
        clusters: members.slice(start, start + chunk).map((it) => it.metadata.name),
      });
    }
  };
  for (const { groupName, groupClusterSelector = {} } of decisionGroups) {
    const belongs = labelSelector(groupClusterSelector.labelSelector ?? {});
    cut(
      groupName,
      rest.filter((it) => belongs(it.metadata.labels ?? {})),
    );
    rest.splice(0, rest.length, ...rest.filter((it) => !belongs(it.metadata.labels ?? {})));
  }
  cut(undefined, rest);
  return byFirst(groups);
}
