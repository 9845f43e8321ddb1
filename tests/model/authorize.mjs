// May a user make a label change on a ManagedCluster, and which sets does the cluster join and leave by it: seed 001.
import { CLUSTER_SET, exclusiveLabel, isLabelKey, isLabelValue, membersOf } from "./select.mjs";
import { Refusal, refuse, same } from "./json.mjs";

const GROUP = "cluster.open-cluster-management.io";
const RESERVED = [`${GROUP}/`, "info.open-cluster-management.io/"];

export function authorize({ user, old = null, new: created = null, documents = [], stage = "full" }) {
  if (!old && !created) refuse("no cluster at all");
  const labelsOf = (cluster) => cluster?.metadata.labels ?? {};
  for (const it of [old, created])
    if (Object.values(labelsOf(it)).some((value) => typeof value !== "string")) refuse("a label that is no string");
  for (const [key, value] of Object.entries(labelsOf(created))) {
    if (!isLabelKey(key) || !isLabelValue(value)) refuse("a label that no cluster can have");
  }
  const sets = setsOf(documents, stage === "transitional");
  const setsWith = (cluster) =>
    cluster ? sets.filter(({ contains }) => contains(labelsOf(cluster))).map(({ name }) => name) : [];
  const [before, after] = [setsWith(old), setsWith(created)];
  const may = permissions(user, documents);
  // Deleting a cluster takes it out of its sets, and changes no label.
  const changes = created ? changesOf(labelsOf(old), labelsOf(created)) : [];
  const checks = changes.map(({ key, value, change }) => {
    const label = `${key}:${value}`;
    const byLabel = [label, `${key}:*`, "*"].some((name) => may("managedclusters/label", name));
    const byJoin = key === CLUSTER_SET && value !== "" && may("managedclustersets/join", value);
    return { label, change, granted: byLabel || byJoin };
  });
  return {
    allowed: checks.every(({ granted }) => granted),
    checks: checks.sort((one, other) => (order(one) < order(other) ? -1 : 1)),
    joins: after.filter((name) => !before.includes(name)).sort(),
    leaves: before.filter((name) => !after.includes(name)).sort(),
  };
}

export const order = ({ label, change }) => `${label} ${change}`;

/** Labels of a reserved prefix that are put on or taken off; another value is both. */
function changesOf(before, after) {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys
    .filter((key) => RESERVED.some((prefix) => key.startsWith(prefix)) && before[key] !== after[key])
    .flatMap((key) => [
      ...(key in before ? [{ key, value: before[key], change: "remove" }] : []),
      ...(key in after ? [{ key, value: after[key], change: "add" }] : []),
    ]);
}

/** The sets that can be read. Two that share an exclusive label contradict each other, and have no members. */
function setsOf(documents, isTransitional) {
  const found = [];
  for (const set of documents.filter(({ kind }) => kind === "ManagedClusterSet")) {
    try {
      const contains = membersOf(set, isTransitional);
      if (!found.some((it) => same(it.set, set)))
        found.push({ set, name: set.metadata.name, contains, label: exclusiveLabel(set) });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  const isShared = ({ name, label }) => label && found.some((it) => it.name !== name && same(it.label, label));
  return found.filter((it) => !isShared(it) && found.filter(({ name }) => name === it.name).length === 1);
}

/** RBAC: `(resource, name) => boolean` for the verb `create` in OCM's group. */
function permissions({ name: user, groups }, documents) {
  const isMaster = groups?.includes("system:masters");
  const implied = user.startsWith("system:serviceaccount:")
    ? ["system:serviceaccounts", `system:serviceaccounts:${user.split(":")[2]}`, "system:authenticated"]
    : ["system:authenticated"];
  const isMember = (group) => (groups ?? implied).includes(group);
  const isMeant = ({ kind, name, namespace }) =>
    kind === "User"
      ? name === user
      : kind === "Group"
        ? isMember(name)
        : user === `system:serviceaccount:${namespace}:${name}`;
  const named = (kind) => documents.filter((it) => it.kind === kind);
  const bound = named("ClusterRoleBinding").filter(({ subjects = [] }) => subjects.some(isMeant));
  const roles = bound.flatMap(({ roleRef }) => named("ClusterRole").filter((it) => it.metadata.name === roleRef.name));
  const rules = roles.flatMap((it) => it.rules ?? []);
  const has = (list, ...values) => (list ?? []).some((it) => values.includes(it));
  return (resource, name) =>
    isMaster ||
    rules.some(
      ({ apiGroups, resources, verbs, resourceNames = [] }) =>
        has(apiGroups, GROUP, "*") &&
        has(resources, resource, "*", `*/${resource.split("/")[1]}`) &&
        has(verbs, "create", "*") &&
        (resourceNames.length === 0 || has(resourceNames, name)),
    );
}
