// The fields of every kind that a dialect reads, from what the product has: the tables that `lint` checks by, the
// schemas of `fleetfold crds`, and every document of the examples and vectors. Nothing here is a list of fields: a
// field that the engine learns comes with a row, a schema or a vector, and is drilled from then on.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { clone, has, isMap, target, write } from "./engine.mjs";
import { FREE_MAPS, OPAQUE, VALUES } from "./tables.mjs";

/** What the engine knows of its kinds: `[{ name, kinds: [{ group, kind, table, schema }] }]`. */
export function readTables() {
  const { stdout, status, error } = spawnSync(join(target, "debug", "field-tables"), { encoding: "utf8" });
  if (status !== 0) throw error ?? new Error("`field-tables` fails; `cargo build --workspace --bins` builds it");
  return JSON.parse(stdout);
}

/** How many values of a field are kept, and how many documents that have it. */
const MOST = 12;

/**
 * The fields of a kind: `[{ path, name, type, words, values, carriers }]`.
 *
 * A path is a list of keys; `[]` is the elements of a list, `{}` any key of a map. `type` and `words` are those of a
 * table or schema, `values` and `carriers` (documents with the field) those of the corpus.
 */
export function fieldsOf(id, { table, schema }, documents) {
  const fields = new Map();
  const field = (path) => {
    const name = nameOf(path);
    if (!fields.has(name)) fields.set(name, { path, name, values: new Map(), carriers: [] });
    return fields.get(name);
  };
  if (schema?.properties?.spec) addSchema(schema.properties.spec, ["spec"], field);
  if (table) addSchema(table, ["spec"], field);
  for (const document of documents) {
    const found = new Map();
    walk(id, document, [], (path, value) => {
      if (!found.has(nameOf(path))) found.set(nameOf(path), { path, value });
    });
    for (const { path, value } of found.values()) {
      const { values, carriers } = field(path);
      if (values.size < MOST) values.set(write(value), value);
      if (carriers.length < MOST) carriers.push(document);
    }
  }
  const given = (name) => VALUES.filter((it) => isAt([it], id, name)).flatMap(([, , values]) => values);
  const known = (it) => ({ ...it, values: [...given(it.name), ...it.values.values()] });
  return [...fields.values()].map(known).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** A path as people write it: `spec.placement.clusters[].name`. */
export const nameOf = (path) => path.join(".").replaceAll(".[]", "[]").replaceAll(".{}", "{}");

function addSchema(schema, path, field) {
  const found = field(path);
  if (schema.type) found.type = schema.type;
  if (schema.enum) found.words = schema.enum;
  if (schema.properties) {
    for (const [key, inner] of Object.entries(schema.properties)) addSchema(inner, [...path, key], field);
  }
  if (schema.items) addSchema(schema.items, [...path, "[]"], field);
  if (isMap(schema.additionalProperties)) addSchema(schema.additionalProperties, [...path, "{}"], field);
}

/** Whether a pattern of the tables is about this place. */
const isAt = (patterns, id, name) => patterns.some(([kind, pattern]) => kind.test(id) && pattern.test(name));

function walk(id, value, path, visit, depth = Infinity) {
  if (path.length > 0) visit(path, value);
  const name = nameOf(path);
  const opaque = OPAQUE.find(([kind, pattern]) => kind.test(id) && pattern.test(name));
  const left = Math.min(depth, opaque?.[2] ?? Infinity);
  if (left === 0) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(id, item, [...path, "[]"], visit, left - 1);
  } else if (isMap(value)) {
    const isFree = isAt(FREE_MAPS, id, name);
    for (const [key, item] of Object.entries(value)) walk(id, item, [...path, isFree ? "{}" : key], visit, left - 1);
  }
}

/** Every place of a document that a path leads to, as lists of keys and indices. */
export function placesOf(document, path) {
  const step = (places, key) =>
    places.flatMap((place) => {
      const here = valueAt(document, place);
      if (key === "[]") return Array.isArray(here) ? here.map((_, index) => [...place, index]) : [];
      if (key === "{}") return isMap(here) ? Object.keys(here).map((it) => [...place, it]) : [];
      return has(here, key) ? [[...place, key]] : [];
    });
  return path.reduce(step, [[]]);
}

export const valueAt = (document, place) =>
  place.reduce((it, key) => (typeof key === "number" || has(it, key) ? it?.[key] : undefined), document);

/** A copy with another value at a place; without one, the place is taken out. */
export function withValue(document, place, value) {
  const copy = clone(document);
  const parent = valueAt(copy, place.slice(0, -1));
  const key = place.at(-1);
  if (value !== undefined) parent[key] = clone(value);
  else if (Array.isArray(parent)) parent.splice(key, 1);
  else delete parent[key];
  return copy;
}

/**
 * Where to write so that a document has a field: `{ place, value, leaf }`, the first place that is missing, or holds a
 * value of another type, with what comes there, and where the field is then. Undefined if nobody has written a value.
 */
export function additionOf(document, { path, carriers, type, words, values }) {
  for (const carrier of carriers) {
    const [source] = placesOf(carrier, path);
    const found = source && missing(document, path, source);
    if (found) return { ...found, value: valueAt(carrier, source.slice(0, found.place.length)) };
  }
  // No document has it: its parent must be there, and its type or a value be known.
  const value = words?.[0] ?? values[0] ?? GENERATED[type];
  const [parent] = placesOf(document, path.slice(0, -1));
  if (value === undefined || !parent || !isMap(valueAt(document, parent))) return undefined;
  const place = [...parent, path.at(-1) === "{}" ? "drilled" : path.at(-1)];
  return { place, leaf: place, value };
}

const GENERATED = { string: "drilled", boolean: true, integer: 1, number: 1, object: { drilled: "drilled" } };

/** How far a document has a path, in a list its first element, and what the place of a carrier becomes in it. */
function missing(document, path, source) {
  const place = [];
  for (const [depth, key] of path.entries()) {
    const here = valueAt(document, place);
    const next = key === "[]" ? 0 : source[depth];
    const isThere = key === "[]" ? Array.isArray(here) && here.length > 0 : has(here, next);
    if (!isThere) {
      const isContainer = key === "[]" ? Array.isArray(here) : isMap(here);
      // What follows in the carrier follows here. A value of another type is replaced.
      if (isContainer) return { place: [...place, next], leaf: [...place, next, ...source.slice(depth + 1)] };
      return place.length > 0 ? { place, leaf: [...place, ...source.slice(depth)] } : undefined;
    }
    place.push(next);
  }
  return undefined;
}
