// Values of the live object carried over into the desired one: built-in rules per kind, then the paths of seed 003.
import { at, clone, has, isMap, put, refuse } from "./json.mjs";
import { isLabelKey } from "./select.mjs";

const LISTS = { containers: "name", initContainers: "name", webhooks: "name", volumeMounts: "mountPath" };

/** The desired object with what the cluster keeps. */
export function retain({ desired, live, rules = {}, builtin = true, retainReplicas = false }) {
  const fields = (rules.fields ?? []).map(stepsOf);
  for (const key of rules.labels ?? []) if (!isLabelKey(key)) refuse("a bad label key");
  if (live === null) return clone(desired);
  for (const place of [["kind"], ["metadata", "name"], ["metadata", "namespace"]]) {
    if (at(desired, ...place) !== at(live, ...place)) refuse("another object");
  }
  const object = clone(desired);
  if (builtin) builtIn(object, live);
  const { spec } = object;
  const replicas = at(live, "spec", "replicas");
  if (builtin && retainReplicas && isMap(spec) && Number.isInteger(replicas)) spec.replicas = replicas;
  for (const key of rules.labels ?? [])
    carry(
      object,
      live,
      ["metadata", "labels", key].map((name) => ({ name })),
      object,
    );
  for (const steps of fields) carry(object, live, steps, object);
  return object;
}

const nameOf = (it) => it?.name;
const isUnique = (list, keyOf) => new Set(list.map(keyOf)).size === list.length;
const isSet = (value) => value !== undefined && value !== null;
const isFull = (value) => isSet(value) && value !== "" && value !== 0 && !(Array.isArray(value) && value.length === 0);

function builtIn(object, live) {
  const { metadata } = object;
  if (isSet(live.metadata.resourceVersion)) metadata.resourceVersion = live.metadata.resourceVersion;
  if (isSet(live.status)) object.status = clone(live.status);
  unite(metadata, live.metadata, "annotations");
  uniteLists(metadata, live.metadata, "finalizers", (it) => it);
  if (!has(metadata, "ownerReferences") && isSet(live.metadata.ownerReferences))
    metadata.ownerReferences = clone(live.metadata.ownerReferences);
  if (object.kind === "ServiceAccount") {
    for (const key of ["secrets", "imagePullSecrets"]) {
      if ([object, live].every((it) => isUnique(it[key] ?? [], nameOf))) uniteLists(object, live, key, nameOf);
    }
  }
  if (object.kind === "PersistentVolumeClaim") fill(object, live, "volumeName");
  if (object.kind === "Service") service(object, live);
}

/** Maps unite by key, and the template wins. */
function unite(own, live, key) {
  if (!isMap(live[key]) || Object.keys(live[key]).length === 0 || !(isMap(own[key]) || !isSet(own[key]))) return;
  own[key] = { ...clone(live[key]), ...own[key] };
}

/** Lists unite without repetition; elements that nothing tells apart cannot. */
function uniteLists(own, live, key, keyOf) {
  const [mine, theirs] = [own[key] ?? [], live[key] ?? []];
  if ([...mine, ...theirs].some((it) => keyOf(it) === undefined)) return;
  const missing = theirs.filter(
    (it, index) =>
      !mine.some((other) => keyOf(other) === keyOf(it)) &&
      theirs.findIndex((other) => keyOf(other) === keyOf(it)) === index,
  );
  if (missing.length > 0) own[key] = [...mine, ...clone(missing)];
}

/** A field of `spec` that the cluster chose, where the template has none or an empty one. */
function fill(object, live, key, isFine = (value) => typeof value === "string") {
  const value = at(live, "spec", key);
  if (isFull(value) && isFine(value) && isMap(object.spec) && !isFull(object.spec[key]))
    object.spec[key] = clone(value);
}

function service(object, live) {
  const isHeadless = (it) => at(it, "spec", "clusterIP") === "None";
  const wanted = at(object, "spec", "clusterIP");
  const isOther = isFull(wanted) && wanted !== at(live, "spec", "clusterIP");
  fill(object, live, "clusterIP");
  if (!isOther && !(isHeadless(object) && !isHeadless(live))) fill(object, live, "clusterIPs", Array.isArray);
  fill(object, live, "healthCheckNodePort", Number.isInteger);
  const [own, theirs] = [at(object, "spec", "ports"), at(live, "spec", "ports")];
  if (!Array.isArray(own) || !Array.isArray(theirs)) return;
  // A port is found by all it has, else by number and protocol, else by name and protocol.
  const numberOf = ({ port, protocol = "TCP" }) => `${port}/${protocol}`;
  const nameIn = ({ name, protocol = "TCP" }) => `${name ?? ""}/${protocol}`;
  const ways = [(it) => `${numberOf(it)} ${nameIn(it)}`, numberOf, nameIn];
  const left = { own: [...own], theirs: [...theirs] };
  for (const keyOf of ways) {
    for (const port of [...left.own]) {
      const alike = (list) => list.filter((it) => keyOf(it) === keyOf(port));
      const [partner] = alike(left.theirs);
      if (alike(left.own).length !== 1 || alike(left.theirs).length !== 1) continue;
      left.own.splice(left.own.indexOf(port), 1);
      left.theirs.splice(left.theirs.indexOf(partner), 1);
      if (isFull(partner.nodePort) && !isFull(port.nodePort)) port.nodePort = partner.nodePort;
    }
  }
}

/** `spec.foo[].bar["a.b"]` as steps `{ name }` and `{ isList: true }`. */
export function stepsOf(path) {
  const steps = [];
  let rest = path;
  while (rest !== "") {
    const word = rest.match(steps.length === 0 ? /^([\w/-]+)/ : /^\.([\w/-]+)/);
    const list = steps.length > 0 && rest.match(/^\[\]/);
    const quoted = steps.length > 0 && rest.match(/^\["([^"]+)"\]/);
    if (word && !word[1].includes("/")) steps.push({ name: word[1] });
    else if (quoted) steps.push({ name: quoted[1] });
    else if (list) steps.push({ isList: true });
    else refuse("a bad path");
    rest = rest.slice((word ?? quoted ?? list)[0].length);
  }
  if (steps.length === 0) refuse("an empty path");
  while (steps.at(-1).isList) steps.pop();
  return steps;
}

/** Carries one path over: only where the template does not set it, and never through something that is no map. */
function carry(own, live, [step, ...rest], kind, list) {
  if (step.isList) {
    if (!Array.isArray(own) || !Array.isArray(live)) return;
    pairs(own, live, list, kind).forEach(([mine, theirs]) => carry(mine, theirs, rest, kind));
    return;
  }
  if (!isMap(own) || !isMap(live) || !isSet(live[step.name])) return;
  if (rest.length === 0) {
    if (!has(own, step.name)) put(own, step.name, clone(live[step.name]));
    return;
  }
  // Parents are made where something is carried into them; elements of a list are not.
  const below = has(own, step.name) ? own[step.name] : {};
  const isNew = !has(own, step.name);
  carry(below, live[step.name], rest, kind, step.name);
  if (isNew && Object.keys(below).length > 0) put(own, step.name, below);
}

/** Elements that belong together: by merge key, else by unique `name`, else by place in lists of one length. */
function pairs(own, live, list, { apiVersion }) {
  const isKnown = has(LISTS, list) && /^(v1|apps\/v1)$/.test(apiVersion);
  const key = isKnown ? LISTS[list] : "name";
  const isNamed = (all) =>
    all.every((it) => isMap(it) && isSet(it[key])) && new Set(all.map((it) => it[key])).size === all.length;
  if (isNamed(own) && isNamed(live)) {
    return own.flatMap((it) => live.filter((other) => other[key] === it[key]).map((other) => [it, other]));
  }
  return !isKnown && own.length === live.length ? own.map((it, index) => [it, live[index]]) : [];
}
