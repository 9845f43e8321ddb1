// Reads the tables about built-in kinds from the source of the engine, so that a test can hold them against a server.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./documents.mjs";

const source = (file) =>
  readFileSync(join(root, "core/src/object/kinds", file), "utf8")
    .split("#[cfg(test)]")[0]
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/\\\n\s*/g, "");

const words = (text) => [...text.matchAll(/"([^"]*)"/g)].map(([, word]) => word);

/** `fields.rs`: `{ kinds: [{ group, kind, fields }], types: Map(name → fields) }`, a field as `{ name, shape, of }`. */
export function fieldTables() {
  const text = source("fields.rs");
  const [, kinds, types] = text.match(/const KINDS[^=]*= &\[([^]*?)\n\];[^]*const TYPES[^=]*= &\[([^]*?)\n\];/);
  return {
    kinds: [...kinds.matchAll(/\(\s*"([^"]*)",\s*&\[([^\]]*)\],\s*"([^"]*)",?\s*\)/g)].flatMap(
      ([, group, names, fields]) => words(names).map((kind) => ({ group, kind, fields: readFields(fields) })),
    ),
    types: new Map(
      [...types.matchAll(/\(\s*"(\w+)",\s*"([^"]*)",?\s*\)/g)].map(([, name, fields]) => [name, readFields(fields)]),
    ),
  };
}

/** The words of a type: a plain value, a list, a free map, or anything. */
function readFields(text) {
  return text.split(/\s+/).map((word) => {
    const [, name, mark, of] = word.match(/^([^:[{*]+)([^:]*)(?::(\w+))?$/);
    const shape = mark.endsWith("*") ? "any" : mark === "{}" ? "free" : mark === "[]" ? "list" : of ? "map" : "plain";
    return { name, shape, of };
  });
}

/** `defaults.rs`: the rows of every kind, `{ group, kind, rows }`, and those of pods and their parts by name. */
export function defaultTables() {
  const text = source("defaults.rs");
  const parts = Object.fromEntries(
    [...text.matchAll(/const (\w+): Rows = &\[([^]*?)\n\];/g)].map(([, name, rows]) => [name, readRows(rows)]),
  );
  const [, kinds] = text.match(/const KINDS[^=]*= &\[([^]*?)\n\];/);
  const rows = /\(\s*"([^"]*)",\s*&\[([^\]]*)\],\s*(?:(\w+)|&\[([^]*?)\]),?\s*\),?\s*(?=\(|$)/g;
  return {
    parts,
    kinds: [...kinds.matchAll(rows)].flatMap(([, group, names, part, listed]) =>
      words(names).map((kind) => ({ group, kind, rows: part ? parts[part] : readRows(listed) })),
    ),
  };
}

/** `{ path: ["spec", "replicas"], value }`, without a value where the server may fill in any. */
function readRows(text) {
  return [...text.matchAll(/\("([^"]+)", (?:(Text|Int|Bool)\(("?[^")]*"?)\)|(Empty|Any))\)/g)].map(
    ([, path, type, written, word]) => ({
      path: path.split(" "),
      ...(type && { value: JSON.parse(written) }),
      ...(word === "Empty" && { value: {} }),
    }),
  );
}
