// Candidates for the form: users that roles are bound to, labels that sets and placements select on.
import type { AuthorizeUser } from "../../../../contract.js";
import type { State } from "../../state.js";
import { type ParsedDocument, parseDocuments } from "../../locate.js";

export interface Requester {
  /** `group team-a`, `ada`, `service account ops/placer`. */
  shown: string;
  user: AuthorizeUser;
}

export interface Label {
  key: string;
  value: string;
  /** The document that selects on it or grants it. */
  by: string;
}

export interface Candidates {
  who: Requester[];
  labels: Label[];
  sets: string[];
}

const GROUP = "cluster.open-cluster-management.io";
const SET_LABEL = `${GROUP}/clusterset`;

export async function findCandidates(state: State): Promise<Candidates> {
  const all = await parseDocuments(state, (text) => /ClusterRole|ManagedClusterSet|kind"?:\s*"?Placement\b/.test(text));
  const of = (kind: string) => all.filter((it) => it.document.kind === kind).map((it) => it.document);
  const roles = new Map(of("ClusterRole").map((it) => [it.metadata?.name, rulesOf(it)]));
  const who = new Map<string, Requester>();
  for (const binding of of("ClusterRoleBinding")) {
    const role = (binding.roleRef as { name?: string } | undefined)?.name;
    // Unknown roles may grant anything; known ones must be about clusters.
    if (roles.has(role) && !roles.get(role)!.some(isAboutClusters)) continue;
    for (const it of listOf<Subject>(binding.subjects)) {
      const found = requesterOf(it);
      if (found) who.set(found.shown, found);
    }
  }
  const labels = new Map<string, Label>();
  const add = (by: string, key: string, value: string) =>
    labels.has(`${key}=${value}`) || labels.set(`${key}=${value}`, { key, value, by });
  for (const it of of("ManagedClusterSet"))
    for (const [key, value] of setLabels(it)) add(`ManagedClusterSet/${it.metadata?.name}`, key, value);
  for (const it of of("Placement"))
    for (const [key, value] of selectedLabels(it.spec))
      add(`Placement/${it.metadata?.namespace}/${it.metadata?.name}`, key, value);
  for (const [role, rules] of roles) {
    for (const name of rules
      .filter(isAboutClusters)
      .filter((it) => listOf(it.resources).includes("managedclusters/label"))
      .flatMap((it) => listOf<string>(it.resourceNames))) {
      const at = name.indexOf(":");
      if (at > 0 && !name.endsWith(":*")) add(`ClusterRole/${role}`, name.slice(0, at), name.slice(at + 1));
    }
  }
  const sets = [...new Set(of("ManagedClusterSet").flatMap((it) => it.metadata?.name ?? []))].sort();
  return { who: [...who.values()], labels: [...labels.values()], sets };
}

interface Subject {
  kind?: string;
  name?: string;
  namespace?: string;
}

function requesterOf({ kind, name, namespace }: Subject): Requester | undefined {
  if (!name) return undefined;
  switch (kind) {
    case "User":
      return { shown: name, user: { name } };
    case "Group":
      return { shown: `group ${name}`, user: { name: "somebody", groups: [name, "system:authenticated"] } };
    case "ServiceAccount":
      return {
        shown: `service account ${namespace}/${name}`,
        user: { name: `system:serviceaccount:${namespace}:${name}` },
      };
    default:
      return undefined;
  }
}

interface Rule {
  apiGroups?: unknown;
  resources?: unknown;
  resourceNames?: unknown;
}

function rulesOf(role: ParsedDocument["document"]): Rule[] {
  // An aggregated role has the rules of other roles.
  return role.aggregationRule ? [{ apiGroups: ["*"], resources: ["*"] }] : listOf<Rule>(role.rules);
}

function isAboutClusters(rule: Rule): boolean {
  return (
    listOf<string>(rule.apiGroups).some((it) => it === GROUP || it === "*") &&
    listOf<string>(rule.resources).some((it) => it === "*" || /^managedcluster/.test(it))
  );
}

function setLabels(set: ParsedDocument["document"]): [key: string, value: string][] {
  const selector = (set.spec as { clusterSelector?: Record<string, unknown> } | undefined)?.clusterSelector;
  const exclusive = selector?.exclusiveLabel as { key?: string; value?: string } | undefined;
  switch (selector?.selectorType) {
    case "LabelSelector":
      return selectedLabels(selector);
    case "ExclusiveLabel":
      return exclusive?.key ? [[exclusive.key, exclusive.value ?? ""]] : [];
    default:
      return [[SET_LABEL, set.metadata?.name ?? ""]];
  }
}

/** All requirements of label selectors, at any depth of a value. */
function selectedLabels(value: unknown): [key: string, value: string][] {
  if (Array.isArray(value)) return value.flatMap(selectedLabels);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, it]): [string, string][] => {
    // Claims are not labels: users do not set them.
    if (key === "claimSelector") return [];
    if (key === "matchLabels")
      return Object.entries((it ?? {}) as object).map(([label, wanted]) => [label, String(wanted)]);
    if (key === "matchExpressions") {
      return listOf<{ key?: string; operator?: string; values?: unknown }>(it).flatMap((one): [string, string][] =>
        one.operator === "In" ? listOf<string>(one.values).map((wanted) => [one.key ?? "", String(wanted)]) : [],
      );
    }
    return selectedLabels(it);
  });
}

function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}
