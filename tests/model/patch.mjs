// JSON patch as RFC 6902 has it, with the rules of seed 003 about identity and about maps of labels and annotations.
import { clone, has, isMap, put, refuse, same } from "./json.mjs";

const IDENTITY = [["kind"], ["metadata", "name"], ["metadata", "namespace"], ["metadata", "generateName"]];

/** The patched object. `isLenient`: an operation without `op` adds what is missing, as overrides of KubeFed do. */
export function patch(object, operations, isLenient = false) {
  const before = identityOf(object);
  let result = clone(object);
  for (const operation of operations) {
    result = apply(result, operation, isLenient);
    if (!same(identityOf(result), before)) refuse("another identity");
  }
  return result;
}

const identityOf = (object) =>
  IDENTITY.map((path) => path.reduce((it, key) => (has(it, key) ? it[key] : undefined), object)).map((it) =>
    it === undefined ? "absent" : [it],
  );

function keysOf(pointer) {
  if (typeof pointer !== "string") refuse("a pointer is missing");
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) refuse("a bad pointer");
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));
}

function apply(root, operation, isLenient) {
  const { op = "replace", from, path } = operation;
  const keys = keysOf(path);
  const isIdentity = (place) => IDENTITY.some((it) => same(it, place));
  if (op !== "test" && isIdentity(keys)) refuse("identity is not written");
  const value = () => (has(operation, "value") ? clone(operation.value) : refuse("a value is missing"));
  switch (op) {
    case "add":
      return add(root, keys, value());
    case "remove":
      return remove(root, keys);
    case "replace": {
      const isMissing = find(root, keys) === undefined;
      if (isMissing && isLenient && !has(operation, "op")) return add(root, keys, value());
      return isMissing ? refuse("nothing to replace") : set(root, keys, value());
    }
    case "test":
      return same([need(find(root, keys))], [value()]) ? root : refuse("another value");
    case "copy":
      return add(root, keys, clone(need(find(root, keysOf(from)))));
    case "move": {
      const source = keysOf(from);
      const moved = need(find(root, source));
      if (source.length === 0) refuse("an object cannot go");
      if (path === from) return root;
      if (source.every((key, index) => keys[index] === key)) refuse("into itself");
      return add(remove(root, source), keys, moved);
    }
    default:
      return refuse("an unknown operation");
  }
}

/** The index that a key of a list means, up to `most`. */
function indexOf(key, most) {
  return /^(0|[1-9]\d*)$/.test(key) && Number(key) <= most ? Number(key) : undefined;
}

function find(root, keys) {
  return keys.reduce((it, key) => {
    if (Array.isArray(it)) return it[indexOf(key, it.length - 1)];
    return has(it, key) ? it[key] : undefined;
  }, root);
}

const need = (found) => (found === undefined ? refuse("nothing there") : found);

const parentOf = (root, keys) => need(find(root, keys.slice(0, -1)));

function set(root, keys, value) {
  if (keys.length === 0) return value;
  const parent = parentOf(root, keys);
  put(parent, keys.at(-1), value);
  return root;
}

function add(root, keys, value) {
  if (keys.length === 0) return value;
  const path = keys.slice(0, -1);
  // One override must work whether an object has labels or not.
  const isLabels = ["labels", "annotations"].includes(path.at(-1)) && path.at(-2) === "metadata";
  if (isLabels && isMap(find(root, path.slice(0, -1))) && (find(root, path) ?? null) === null) set(root, path, {});
  const parent = parentOf(root, keys);
  const key = keys.at(-1);
  if (Array.isArray(parent)) {
    const index = key === "-" ? parent.length : indexOf(key, parent.length);
    if (index === undefined) refuse("outside of the list");
    parent.splice(index, 0, value);
    return root;
  }
  return isMap(parent) ? set(root, keys, value) : refuse("nothing goes in there");
}

function remove(root, keys) {
  if (find(root, keys) === undefined) refuse("nothing to remove");
  if (keys.length === 0) refuse("an object cannot go");
  const parent = parentOf(root, keys);
  if (Array.isArray(parent)) parent.splice(Number(keys.at(-1)), 1);
  else delete parent[keys.at(-1)];
  return root;
}
