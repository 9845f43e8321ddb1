// Layers of options over each other, lowest first, with the origin of every value.
import { clone, has, isMap, put, refuse } from "./json.mjs";
import { selectorOf } from "./select.mjs";

/** The effective options of a cluster: `{ options, origins, values }`. */
export function fold(layers, cluster) {
  // Every layer is read before any is left out: a bad one is an error for all clusters.
  const read = layers.map(({ name, when, set }) => ({
    name,
    picks: pickerOf(when, cluster),
    set: latest(set.map(entryOf)),
  }));
  const applied = read.filter(({ picks }) => picks(cluster));
  const paths = [...new Set(applied.flatMap(({ set }) => set.map(({ path }) => path)))].sort();
  const options = [];
  const origins = {};
  for (const path of paths) {
    const parts = applied.flatMap((layer) => partOf(path, layer) ?? []);
    // Below its first own entry, a parent matters only where it has the key.
    const first = parts.findIndex(({ via }) => via === undefined);
    const chain = parts.filter((part, index) => index > first || "value" in part || "valueFrom" in part);
    put(origins, path, chain.map(originOf).reverse());
    const option = effective(path, chain, origins);
    if (option) options.push(option);
  }
  return { options, origins, values: treeOf(options) };
}

function pickerOf(when, cluster) {
  if (when === undefined) return () => true;
  const picks = selectorOf(when);
  return cluster ? picks : refuse("a selector without a cluster");
}

const entryOf = (entry) => ({ ...entry, keys: keysOf(entry.path) });

/** The entries with one source; of a path given twice, the last. */
function latest(set) {
  const isFine = (entry) => has(entry, "value") !== ((entry.valueFrom ?? null) !== null);
  const fine = set.filter(isFine);
  return fine.filter((entry, index) => !fine.slice(index + 1).some(({ path }) => path === entry.path));
}

/** An option path as keys (text) and indices (numbers). */
export function keysOf(path) {
  const keys = [];
  const parts = path.match(/(?:\\.|[^\\.[])+|\[\d+\]|\.|[\s\S]/g) ?? [];
  let isKeyNext = true;
  for (const part of parts) {
    if (part === ".") {
      if (isKeyNext) refuse("an empty key");
      isKeyNext = true;
    } else if (/^\[\d+\]$/.test(part)) {
      if (isKeyNext) refuse("an index without a key");
      const index = Number(part.slice(1, -1));
      keys.push(index <= 65536 ? index : refuse("a huge index"));
    } else if (isKeyNext && !/^[\\[]$/.test(part)) {
      keys.push(part.replace(/\\(.)/g, "$1"));
      isKeyNext = false;
    } else refuse("a bad path");
  }
  if (isKeyNext) refuse("an empty key");
  return keys;
}

const textOf = (keys) =>
  keys
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key.replace(/[\\.[]/g, "\\$&")}`))
    .join("")
    .slice(1);

const isBelow = (keys, above) => keys.length > above.length && above.every((key, index) => keys[index] === key);

/** What a value holds at keys: `{ value }`, or undefined. */
function inside(value, keys) {
  const [key, ...rest] = keys;
  if (key === undefined) return { value };
  if (typeof key === "number") return Array.isArray(value) && key < value.length ? inside(value[key], rest) : undefined;
  return has(value, key) ? inside(value[key], rest) : undefined;
}

/** What a layer says about a path: its own entry, or what its nearest parent entry holds there. */
function partOf(path, { name, set }) {
  const sourceOf = ({ value, valueFrom }) => ((valueFrom ?? null) === null ? { value } : { valueFrom });
  const own = set.find((it) => it.path === path);
  if (own) return { layer: name, isDeep: own.merge === "deep", ...sourceOf(own) };
  const keys = keysOf(path);
  const parents = set.filter((it) => isBelow(keys, it.keys)).sort((one, other) => other.keys.length - one.keys.length);
  for (const parent of parents) {
    const rest = keys.slice(parent.keys.length);
    const found = has(sourceOf(parent), "value") ? inside(parent.value, rest) : undefined;
    const isDeep = parent.merge === "deep";
    // A merged map leaves alone what it does not have, unless it has something else on the way there.
    if (found || !isDeep || isReplaced(parent, rest)) return { layer: name, isDeep, via: parent.path, ...found };
  }
  return undefined;
}

/** Whether something that is no map lies on the way to a place: it replaces what is below it. */
function isReplaced({ value }, rest) {
  const onTheWay = rest.map((_, length) => inside(value, rest.slice(0, length)));
  return onTheWay.some((it, index) => it && !(isMap(it.value) && typeof rest[index] === "string"));
}

function originOf({ layer, isDeep, via, value, valueFrom }) {
  return clone({ layer, value, valueFrom, via, merge: isDeep ? "deep" : undefined });
}

/** The option that a chain of parts gives, lowest first; undefined where it is removed. */
function effective(path, chain, origins) {
  const top = chain.at(-1);
  if (!("value" in top || "valueFrom" in top)) return undefined;
  if (top.valueFrom) return { path, from: top.layer, valueFrom: top.valueFrom };
  if (top.via !== undefined && top.value === null) return undefined;
  if (!top.isDeep || !isMap(top.value)) return { path, from: top.layer, value: clone(top.value) };
  const start = chain.findLastIndex((it) => !it.isDeep || !isMap(it.value));
  const merged = chain.slice(Math.max(start, 0)).filter((it) => "value" in it);
  const value = merged.reduce(
    (below, it) => (it.isDeep && isMap(it.value) ? deepMerge(below, it.value) : clone(it.value)),
    {},
  );
  for (const leaf of leavesOf(value)) put(origins, textOf([...keysOf(path), ...leaf]), leafChain(leaf, merged));
  return { path, from: top.layer, value };
}

/** The layers that set a leaf of a merged map, since it was last dropped or replaced, winner first. */
function leafChain(leaf, merged) {
  let chain = [];
  for (const { layer, via, value, isDeep } of merged) {
    const found = inside(value, leaf);
    if (found?.value === null && isDeep) chain = [];
    else if (found) chain.unshift({ layer, via, value: found.value });
    else if (isReplaced({ value }, leaf)) chain = [];
  }
  return chain;
}

/** Maps merge, null drops a key, everything else is replaced. */
export function deepMerge(below, above) {
  const merged = isMap(below) ? clone(below) : {};
  for (const [key, value] of Object.entries(above)) {
    if (value === null) delete merged[key];
    else put(merged, key, isMap(value) ? deepMerge(merged[key], value) : clone(value));
  }
  return merged;
}

function leavesOf(value, path = []) {
  if (!isMap(value)) return [path];
  return Object.entries(value).flatMap(([key, it]) => leavesOf(it, [...path, key]));
}

/** The tree that Helm gets: by path, so that parents come first; what does not fit is left out. */
function treeOf(options) {
  const tree = {};
  const references = [];
  for (const { path, value, valueFrom } of options) {
    const keys = keysOf(path);
    if (valueFrom) references.push(keys);
    else if (!references.some((it) => isBelow(keys, it)) && fits(tree, keys)) place(tree, keys, clone(value));
  }
  return tree;
}

/** Null gives way, as in Helm. */
const isFree = (value) => value === undefined || value === null;

function fits(tree, keys) {
  let it = tree;
  for (const key of keys) {
    if (isFree(it)) return true;
    if (typeof key === "number" ? !Array.isArray(it) : !isMap(it)) return false;
    it = Array.isArray(it) || has(it, key) ? it[key] : undefined;
  }
  return true;
}

function place(tree, keys, value) {
  let it = tree;
  keys.forEach((key, index) => {
    if (Array.isArray(it)) while (it.length < key) it.push(null);
    const next = keys[index + 1];
    if (next === undefined) put(it, key, value);
    else if (isFree(Array.isArray(it) || has(it, key) ? it[key] : undefined))
      put(it, key, typeof next === "number" ? [] : {});
    it = it[key];
  });
}
