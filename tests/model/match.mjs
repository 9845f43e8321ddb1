// Is the desired object contained in the live one, and what is the update: seed 004, with the strict rules for lists.
import { at, clone, has, isMap, pointer, put, refuse, same, write } from "./json.mjs";

/** Lists whose elements have a key: the last part of their path, the part before it, and the key with defaults. */
const KEYED = [
  { list: "containers", key: { name: undefined } },
  { list: "initContainers", key: { name: undefined } },
  { list: "env", key: { name: undefined } },
  { list: "volumes", key: { name: undefined } },
  { list: "ports", inside: "containers", key: { containerPort: undefined, protocol: "TCP" } },
  { list: "ports", inside: "spec", key: { port: undefined, protocol: "TCP" } },
  { list: "subjects", key: { kind: undefined, name: undefined, namespace: "" }, isExact: true },
];
const SETS = ["verbs", "resources", "apiGroups", "resourceNames", "nonResourceURLs"];
/** Zero replicas are stored, and an empty selector is not none. */
const KEPT = ["replicas", "selector"];
/** What grants permissions is exact: empty where it is absent, and rules have no further keys. */
const EXACT = { Role: "rules", ClusterRole: "rules", RoleBinding: "subjects", ClusterRoleBinding: "subjects" };
const NEVER = ["Namespace", "ServiceAccount"];
const REPLACED = {
  Role: [["rules"], ["metadata", "labels"]],
  ClusterRole: [["rules"], ["metadata", "labels"]],
  RoleBinding: [["subjects"], ["metadata", "labels"]],
  ClusterRoleBinding: [["subjects"], ["metadata", "labels"]],
  Deployment: [
    ["metadata", "labels"],
    ["metadata", "annotations"],
  ],
  Service: [
    ["metadata", "labels"],
    ["metadata", "annotations"],
  ],
};
const COUNTED = {
  Role: ["/rules", "/metadata/labels"],
  RoleBinding: ["/subjects", "/roleRef", "/metadata/labels"],
  Deployment: ["/spec", "/metadata/labels", "/metadata/annotations"],
  Service: ["/spec", "/metadata/labels", "/metadata/annotations"],
};
const SERVER = ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"];

const isBuiltIn = ({ apiVersion }) => typeof apiVersion === "string" && !/\.(org|test)\//.test(apiVersion);
const isZero = (value) =>
  value === false ||
  value === 0 ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0);
const IMMUTABLE = { RoleBinding: ["/roleRef"], ClusterRoleBinding: ["/roleRef"], Deployment: ["/spec/selector"] };

/** Where live does not contain desired: `{ path, kind }`, in any order. */
export function differences(desired, live, lastApplied) {
  const isKind = isMap(desired) && typeof desired.kind === "string" && typeof desired.apiVersion === "string";
  const context = { isBuiltIn: isKind && isBuiltIn(desired), kind: isKind ? desired.kind : undefined, found: [] };
  const isRbac = isKind && desired.apiVersion.startsWith("rbac.authorization.k8s.io/");
  context.exact = isRbac && has(EXACT, desired.kind) ? EXACT[desired.kind] : undefined;
  compare(desired, live, lastApplied, [], context);
  const absent = context.exact && (at(desired, context.exact) ?? null) === null ? at(live, context.exact) : undefined;
  if (Array.isArray(absent) && !context.found.some(({ keys }) => pointer(keys) === `/${context.exact}`)) {
    absent.forEach((_, index) => context.found.push({ keys: [context.exact, index], kind: "extra" }));
  }
  const immutable = IMMUTABLE[context.kind] ?? [];
  return context.found.map(({ keys, kind }) => {
    const path = pointer(keys);
    // What is not there yet can still be written.
    const isFixed = immutable.some(
      (it) => `${path}/`.startsWith(`${it}/`) && has(at(live, ...it.split("/").slice(1, -1)), it.split("/").at(-1)),
    );
    return { path, kind: isFixed ? "immutable" : kind };
  });
}

/** What never counts: the status, and what the server writes into metadata. */
function isIgnored(keys, context) {
  if (context.kind === undefined) return false;
  return (
    (keys.length === 1 && keys[0] === "status") ||
    (keys.length === 2 && keys[0] === "metadata" && SERVER.includes(keys[1]))
  );
}

function compare(desired, live, last, keys, context) {
  const note = (kind, at = keys) => context.found.push({ keys: at, kind });
  if (desired === null) return;
  if (live === undefined) return note("missing");
  if (isMap(desired)) {
    if (!isMap(live)) return note("changed");
    for (const [key, value] of Object.entries(desired)) {
      const path = [...keys, key];
      if (isIgnored(path, context)) continue;
      const found = has(live, key) ? live[key] : undefined;
      // The server does not store zero values of its own kinds; what is null there is not stored either.
      if ((found ?? null) === null && isZero(value) && isOmitted(path, context)) continue;
      compare(value, found, isMap(last) ? last[key] : undefined, path, context);
    }
    for (const key of Object.keys(isMap(last) ? last : {})) {
      if (!has(desired, key) && has(live, key) && !isIgnored([...keys, key], context)) note("extra", [...keys, key]);
    }
    if (context.exact === "rules" && keys.length === 2 && keys[0] === "rules") {
      for (const [key, value] of Object.entries(live)) {
        const isKnown = !has(desired, key) && isMap(last) && has(last, key);
        const isEmpty = value === null || (isZero(value) && value !== false && value !== 0);
        if (!isKnown && !isEmpty && (desired[key] ?? null) === null) note("extra", [...keys, key]);
      }
    }
    return undefined;
  }
  if (Array.isArray(desired))
    return Array.isArray(live) ? compareLists(desired, live, last, keys, context) : note("changed");
  return same([desired], [live]) ? undefined : note("changed");
}

/** Whether the server leaves a field out where it is empty: metadata of any kind, other fields of its own kinds. */
function isOmitted(path, context) {
  if (path[0] === "metadata") return context.kind !== undefined && path.length === 2;
  return context.isBuiltIn && !isText(path.slice(0, -1)) && !KEPT.includes(path.at(-1));
}

/** Maps of texts: every key is a key, also with an empty value. */
const isText = (keys) => ["labels", "annotations", "data", "matchLabels"].includes(keys.at(-1));

function keyedBy(keys, context) {
  if (!context.isBuiltIn) return undefined;
  const names = keys.filter((key) => typeof key === "string");
  return KEYED.find(({ list, inside }) => names.at(-1) === list && (!inside || names.at(-2) === inside));
}

const keyOf = (element, { key }) =>
  JSON.stringify(Object.entries(key).map(([name, otherwise]) => element?.[name] ?? otherwise));

/** Whether the key tells all elements of a list apart. */
function isKeyed(list, keyed) {
  const isNamed = (it) =>
    isMap(it) && Object.entries(keyed.key).every(([name, otherwise]) => (it[name] ?? otherwise) !== undefined);
  return list.every(isNamed) && new Set(list.map((it) => keyOf(it, keyed))).size === list.length;
}

function compareLists(desired, live, last, keys, context) {
  const note = (kind, index) => context.found.push({ keys: index === undefined ? keys : [...keys, index], kind });
  const isSet = context.isBuiltIn && SETS.includes(keys.at(-1));
  const keyed = keyedBy(keys, context);
  const keysOf = (list) => list.map((it) => keyOf(it, keyed));
  const isPaired = keyed && [desired, live].every((list) => isKeyed(list, keyed));
  if (isSet) {
    desired.forEach((it, index) => live.some((other) => same(it, other)) || note("missing", index));
    live.forEach((it, index) => desired.some((other) => same(it, other)) || note("extra", index));
    return undefined;
  }
  if (isPaired) {
    const inLive = keysOf(live);
    const inLast = Array.isArray(last) && isKeyed(last, keyed) ? keysOf(last) : [];
    desired.forEach((it, index) => {
      const place = inLive.indexOf(keyOf(it, keyed));
      if (place < 0) note("missing", index);
      else compare(it, live[place], at(last, inLast.indexOf(keyOf(it, keyed))), [...keys, index], context);
    });
    const wanted = keysOf(desired);
    inLive.forEach((key, index) => {
      if (!wanted.includes(key) && (keyed.isExact || inLast.includes(key))) note("extra", index);
    });
    return undefined;
  }
  if (isReordered(desired, live)) return note("order");
  const earlier = Array.isArray(last) && last.length === desired.length ? last : [];
  desired.forEach((it, index) =>
    index < live.length ? compare(it, live[index], earlier[index], [...keys, index], context) : note("missing", index),
  );
  live.forEach((_, index) => index < desired.length || note("extra", index));
  return undefined;
}

/** Whether a list has the same elements in another order. */
function isReordered(desired, live) {
  const sorted = (list) => list.map((it) => write(it)).sort();
  return desired.length === live.length && !same(desired, live) && same(sorted(desired), sorted(live));
}

/** With `policy: byKind`: what counts for the kind, and the object to send, or null. */
export function byKind(desired, live) {
  if (!isMap(live) || !isMap(live.metadata)) refuse("no live object");
  for (const place of [["kind"], ["metadata", "name"], ["metadata", "namespace"]]) {
    if (at(desired, ...place) !== at(live, ...place)) refuse("another object");
  }
  if (NEVER.includes(desired.kind)) return { differences: [], update: null };
  const sections = COUNTED[desired.kind];
  const found = differences(desired, live).filter(
    ({ path }) =>
      !sections ||
      isTouched(
        path,
        sections.map((it) => ({ path: it })),
      ),
  );
  const mendable = found.filter(({ kind }) => kind !== "immutable");
  if (mendable.length === 0) return { differences: found, update: null };
  const replaced = (REPLACED[desired.kind] ?? []).filter((place) => isTouched(pointer(place), mendable));
  const update = merge(desired, live, [], { isBuiltIn: isBuiltIn(desired), kind: desired.kind }, found);
  for (const place of replaced) {
    const parent = place.slice(0, -1).reduce((it, key) => it[key], update);
    const wanted = at(desired, ...place) ?? null;
    if (wanted === null) delete parent[place.at(-1)];
    else put(parent, place.at(-1), clone(wanted));
  }
  return { differences: found, update };
}

const isTouched = (path, found) =>
  found.some((it) => it.path === path || it.path.startsWith(`${path}/`) || path.startsWith(`${it.path}/`));

/** Live with what desired says: maps and keyed lists merge, everything else is replaced where it differs. */
function merge(desired, live, keys, context, found) {
  if (!isTouched(pointer(keys), found) && keys.length > 0) return clone(live);
  const isFixed = (path) => found.some((it) => it.kind === "immutable" && it.path === path);
  if (isMap(desired) && isMap(live)) {
    const merged = clone(live);
    for (const [key, value] of Object.entries(desired)) {
      const path = [...keys, key];
      if (value === null || isIgnored(path, context) || path[0] === "apiVersion" || isFixed(pointer(path))) continue;
      if (has(live, key) && live[key] !== null) put(merged, key, merge(value, live[key], path, context, found));
      else if (isTouched(pointer(path), found)) put(merged, key, clone(value));
    }
    return merged;
  }
  const keyed = keyedBy(keys, context);
  const isPaired = keyed && [desired, live].every((list) => Array.isArray(list) && isKeyed(list, keyed));
  if (Array.isArray(desired) && Array.isArray(live) && !keyed && !found.some(({ path }) => path === pointer(keys))) {
    // An element that lacks nothing stays as it is; one that differs is replaced, not blended.
    return desired.map((it, index) =>
      clone(index < live.length && !isTouched(pointer([...keys, index]), found) ? live[index] : it),
    );
  }
  if (!isPaired || keyed.isExact) return clone(desired);
  const kept = live.map((it) => {
    const index = desired.findIndex((other) => keyOf(other, keyed) === keyOf(it, keyed));
    return index < 0 ? clone(it) : merge(desired[index], it, [...keys, index], context, found);
  });
  const added = desired.filter((it) => !live.some((other) => keyOf(other, keyed) === keyOf(it, keyed)));
  return [...kept, ...clone(added)];
}
