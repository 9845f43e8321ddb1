// Which clusters a selector picks: label selectors, kubectl's strings, and the forms of Greenhouse, KubeFed and OCM.
import { has, isMap, refuse } from "./json.mjs";

export const CLUSTER_SET = "cluster.open-cluster-management.io/clusterset";

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export function isLabelKey(key) {
  const parts = key.split("/");
  if (parts.length > 2) return false;
  const name = parts.pop();
  const isPrefixFine = parts.every((it) => it.length <= 253 && SUBDOMAIN.test(it));
  return isPrefixFine && name.length <= 63 && NAME.test(name);
}

export const isLabelValue = (value) => value === "" || (value.length <= 63 && NAME.test(value));

/** The selected names, sorted. */
export function select(selector, clusters) {
  const names = clusters.map(({ name }) => name);
  if (new Set(names).size < names.length) refuse("two clusters of one name");
  const picks = selectorOf(selector);
  return names.filter((name) => picks(clusters.find((it) => it.name === name))).sort();
}

/** A selector of any form as a function of a cluster `{ name, labels }`. Refuses what cannot be read. */
export function selectorOf(selector) {
  if (selector === null) return () => false;
  if (typeof selector === "string") return byLabels(requirementsOfText(selector));
  if (Array.isArray(selector)) {
    const any = selector.map(selectorOf);
    return (cluster) => any.some((picks) => picks(cluster));
  }
  if (!isMap(selector)) refuse("a selector of another type");
  if (has(selector, "kind")) {
    const contains = membersOf(selector);
    return ({ labels }) => contains(labels ?? {});
  }
  const keys = Object.keys(selector);
  if (keys.every((key) => LABEL_SELECTOR.includes(key))) return byLabels(requirementsOf(selector));
  if (keys.every((key) => GREENHOUSE.includes(key))) return greenhouse(selector);
  if (keys.every((key) => KUBEFED.includes(key))) return placement(selector);
  return refuse("unknown or mixed fields");
}

const LABEL_SELECTOR = ["matchLabels", "matchExpressions"];
const GREENHOUSE = ["labelSelector", "clusterNames", "ignoreClusters", "excludeList"];
const KUBEFED = ["clusters", "clusterSelector"];

function byLabels(requirements) {
  return ({ labels }) => requirements.every((it) => holds(it, labels ?? {}));
}

/** A `metav1.LabelSelector` as a function of labels. */
export function labelSelector(selector) {
  const requirements = requirementsOf(selector);
  return (labels) => requirements.every((it) => holds(it, labels));
}

function holds({ key, operator, values }, labels) {
  const is = has(labels, key);
  const number = (text) => (/^[-+]?\d+$/.test(text) ? BigInt(text.replace("+", "")) : undefined);
  switch (operator) {
    case "In":
      return is && values.includes(labels[key]);
    case "NotIn":
      return !is || !values.includes(labels[key]);
    case "Exists":
      return is;
    case "DoesNotExist":
      return !is;
    default: {
      const found = is ? number(labels[key]) : undefined;
      if (found === undefined || !isInt64(found)) return false;
      return operator === ">" ? found > BigInt(values[0]) : found < BigInt(values[0]);
    }
  }
}

const isInt64 = (value) => BigInt.asIntN(64, value) === value;

/** Checks one requirement as Kubernetes does. */
function requirement(key, operator, values) {
  if (typeof key !== "string" || !isLabelKey(key)) refuse("a bad key");
  const takesNone = ["Exists", "DoesNotExist"].includes(operator);
  if (!takesNone && !["In", "NotIn", ">", "<"].includes(operator)) refuse("an unknown operator");
  if (takesNone !== (values.length === 0)) refuse("values and operator do not fit");
  if (!values.every(isLabelValue)) refuse("a bad value");
  if ([">", "<"].includes(operator) && !(/^\d+$/.test(values[0]) && isInt64(BigInt(values[0])))) refuse("not a number");
  return { key, operator, values };
}

/** A label's value in a selector: null is the empty one, as for the API server. */
const valueOf = (value) =>
  value === null ? "" : typeof value === "string" ? value : refuse("a value that is no string");

function listOf(value) {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : refuse("not a list");
}

function requirementsOf(selector) {
  if (!isMap(selector)) refuse("a label selector of another type");
  for (const key of Object.keys(selector)) if (!LABEL_SELECTOR.includes(key)) refuse("an unknown field");
  const { matchLabels = null, matchExpressions } = selector;
  if (matchLabels !== null && !isMap(matchLabels)) refuse("matchLabels of another type");
  const equal = Object.entries(matchLabels ?? {}).map(([key, value]) => requirement(key, "In", [valueOf(value)]));
  const terms = listOf(matchExpressions).map((term) => {
    if (!isMap(term)) refuse("an expression of another type");
    for (const key of Object.keys(term)) if (!["key", "operator", "values"].includes(key)) refuse("an unknown field");
    if (![">", "<"].includes(term.operator))
      return requirement(term.key, term.operator, listOf(term.values).map(valueOf));
    return refuse("an operator of strings only");
  });
  return [...equal, ...terms];
}

/** The syntax of `kubectl -l`, word by word. */
function requirementsOfText(text) {
  const words = text.match(/==|!=|[=!(),<>]|[^=!(),<>\s]+/g) ?? [];
  const requirements = [];
  const isWord = (word) => word !== undefined && !/^[=!(),<>]/.test(word);
  const isEnd = () => words.length === 0 || words[0] === ",";
  const word = () => (isWord(words[0]) ? words.shift() : refuse("a word is missing"));
  const list = () => {
    if (words.shift() !== "(") refuse("`(` is missing");
    const values = [];
    // A comma without a word before it lists the empty value.
    let isOpen = true;
    while (words[0] !== ")") {
      if (words[0] === ",") {
        if (isOpen) values.push("");
        isOpen = true;
        words.shift();
      } else {
        if (!isOpen) refuse("`,` is missing");
        values.push(word());
        isOpen = false;
      }
    }
    if (isOpen) values.push("");
    words.shift();
    return values;
  };
  while (words.length > 0) {
    if (words[0] === "!") {
      words.shift();
      requirements.push(requirement(word(), "DoesNotExist", []));
    } else {
      const key = word();
      if (isEnd()) requirements.push(requirement(key, "Exists", []));
      else {
        const operator = words.shift();
        const known = { in: "In", notin: "NotIn", "=": "In", "==": "In", "!=": "NotIn", "<": "<", ">": ">" }[operator];
        if (!known) refuse("an unknown operator");
        const values = isWord(operator) ? list() : [isEnd() ? "" : word()];
        requirements.push(requirement(key, known, values));
      }
    }
    if (words.length === 0) break;
    if (words.shift() !== ",") refuse("`,` is missing");
    if (!isWord(words[0]) && words[0] !== "!") refuse("nothing behind `,`");
  }
  return requirements;
}

const names = (value) => listOf(value).map((it) => (typeof it === "string" ? it : refuse("a name that is no string")));

/** The union of labels and names, without those to ignore; those to ignore alone mean all others. */
function greenhouse(selector) {
  const named = names(selector.clusterNames);
  const ignored = [...names(selector.ignoreClusters), ...names(selector.excludeList)];
  const written = selector.labelSelector ?? null;
  const matches = written === null ? () => false : labelSelector(written);
  // Null is what the API server stores as left out.
  const isAll = written === null && (selector.clusterNames ?? null) === null;
  return ({ name, labels }) => !ignored.includes(name) && (isAll || named.includes(name) || matches(labels ?? {}));
}

/** A list of names wins, also an empty one. */
function placement({ clusters = null, clusterSelector = null }) {
  const matches = clusterSelector === null ? () => false : labelSelector(clusterSelector);
  if (clusters === null) return ({ labels }) => matches(labels ?? {});
  const named = listOf(clusters).map((it) => {
    if (!isMap(it) || typeof it.name !== "string") refuse("a cluster without a name");
    return it.name;
  });
  return ({ name }) => named.includes(name);
}

/** The exclusive label of a ManagedClusterSet, or undefined where it goes by a label selector. */
export function exclusiveLabel(set) {
  const { selectorType = "", exclusiveLabel: label } = set.spec?.clusterSelector ?? {};
  const name = set.metadata?.name;
  if (["", "ExclusiveClusterSetLabel", "LegacyClusterSetLabel"].includes(selectorType ?? "")) {
    return { key: CLUSTER_SET, value: name };
  }
  if (selectorType !== "ExclusiveLabel") return undefined;
  const key = label?.key || CLUSTER_SET;
  return { key, value: label?.value || (key === CLUSTER_SET ? name : refuse("an exclusive label without a value")) };
}

/** Which labels put a cluster into a ManagedClusterSet. `isTransitional`: OCM 0.7, with the fixed key alone. */
export function membersOf(set, isTransitional = false) {
  const versions = ["v1beta1", "v1beta2"].map((it) => `cluster.open-cluster-management.io/${it}`);
  if (set.kind !== "ManagedClusterSet" || !versions.includes(set.apiVersion)) refuse("not a cluster set");
  const name = set.metadata?.name;
  if (typeof name !== "string" || name === "") refuse("a set without a name");
  const { selectorType, labelSelector: selector = null } = set.spec?.clusterSelector ?? {};
  if (selectorType === "LabelSelector") {
    if (isTransitional) refuse("no label selectors yet");
    return selector === null ? () => false : labelSelector(selector);
  }
  const label = exclusiveLabel(set);
  if (!label) refuse("an unknown selector type");
  if (typeof label.key !== "string" || !isLabelKey(label.key)) refuse("a bad key");
  if (typeof label.value !== "string" || !isLabelValue(label.value)) refuse("a bad value");
  if (isTransitional && (label.key !== CLUSTER_SET || label.value !== name)) refuse("another label than the fixed one");
  return (labels) => labels[label.key] === label.value;
}
