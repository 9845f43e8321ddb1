// What the code and the data of a module with names are made of.

/** The rooms of the engine, by the start of a path. The first that fits counts. */
const ROOMS = [
  ["fleetfold_core::api", "api"],
  ["fleetfold_core::dialect", "dialect"],
  ["fleetfold_core::workspace", "workspace"],
  ["fleetfold_core::engine", "engine"],
  ["fleetfold_core::object", "object"],
  ["fleetfold_core", "core, elsewhere"],
  ["fleetfold_cel", "cel"],
  ["fleetfold_yaml", "yaml"],
  ["fleetfold_value::diagnostic", "diagnostic"],
  ["fleetfold_value", "value"],
  ["fleetfold_", "wasm"],
  ["saphyr_parser", "saphyr-parser"],
  ["regex_lite", "regex-lite"],
  ["serde", "serde"],
  ["alloc", "std"],
  ["core", "std"],
  ["std", "std"],
  ["dlmalloc", "std"],
  ["compiler_builtins", "std"],
];

/**
 * `{ rooms, dialects, functions, data, code }`: lists of `[name, bytes]`, largest first, and the bytes of all code. A
 * generic function counts where its first type argument of ours is: `serde` for a request is code of that request.
 */
export function attribute(module) {
  const sections = sectionsOf(module);
  const bodies = bodiesOf(sections.get(10));
  const names = namesOf(sections.get("name"));
  const [rooms, dialects, functions] = [new Map(), new Map(), new Map()];
  const add = (map, name, bytes) => map.set(name, (map.get(name) ?? 0) + bytes);
  // The raw module imports nothing: its own functions are numbered from 0.
  bodies.forEach((bytes, index) => {
    const path = pathsOf(names.get(index) ?? "");
    const own = path.find((it) => it.startsWith("fleetfold_")) ?? path[0] ?? "";
    add(rooms, ROOMS.find(([start]) => own.startsWith(start))?.[1] ?? "others", bytes);
    const dialect = path.map((it) => it.match(/^fleetfold_core::dialect::(\w+)/)?.[1]).find(Boolean);
    if (dialect) add(dialects, dialect, bytes);
    add(functions, path[0] || "without a name", bytes);
  });
  const code = bodies.reduce((sum, it) => sum + it, 0);
  if (rooms.get("others") > code / 10) throw new Error("the names cannot be read: is the mangling another one?");
  const sorted = (map) => [...map].sort((a, b) => b[1] - a[1]);
  return {
    rooms: sorted(rooms),
    dialects: sorted(dialects),
    functions: sorted(functions).slice(0, 60),
    data: dataOf(sections.get(11)),
    code,
  };
}

/** A reader over bytes of a module. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  get done() {
    return this.at >= this.bytes.length;
  }
  number() {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }
  take(length) {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
  text() {
    return this.take(this.number()).toString("utf8");
  }
}

/** The contents of the sections by number, custom ones by name. */
function sectionsOf(module) {
  const reader = new Reader(module);
  reader.take(8);
  const sections = new Map();
  while (!reader.done) {
    const number = reader.take(1)[0];
    const content = new Reader(reader.take(reader.number()));
    sections.set(number === 0 ? content.text() : number, content);
  }
  return sections;
}

function bodiesOf(reader) {
  return Array.from({ length: reader.number() }, () => {
    const length = reader.number();
    reader.take(length);
    return length;
  });
}

/** The names of functions by number: the part 1 of the section `name`. */
function namesOf(reader) {
  const names = new Map();
  if (!reader) throw new Error("the module has no names");
  while (!reader.done) {
    const part = reader.take(1)[0];
    const content = new Reader(reader.take(reader.number()));
    if (part !== 1) continue;
    for (let left = content.number(); left > 0; left -= 1) names.set(content.number(), content.text());
  }
  return names;
}

/**
 * The paths in a mangled name (v0 of Rust), the function's own first, without type arguments: of
 * `_RINvNtCs1_4core3fmt5writeNtCs2_3cel5DatumE` these are `core::fmt::write` and `cel::Datum`. A path that refers back
 * to an earlier one is left out.
 */
export function pathsOf(name) {
  const paths = [];
  for (const root of name.matchAll(/Cs[0-9A-Za-z]*_(?=[1-9])/g)) {
    const path = [];
    let at = root.index + root[0].length;
    for (;;) {
      const length = name.slice(at).match(/^(?:s[0-9A-Za-z]*_)?(\d+)_?/);
      if (!length) break;
      at += length[0].length;
      path.push(name.slice(at, at + Number(length[1])));
      at += Number(length[1]);
    }
    paths.push(path.filter(Boolean).join("::"));
  }
  return paths;
}

/** The segments of data, as `[start of it, bytes]`, largest first: split where texts are apart by many zeros. */
function dataOf(reader) {
  const runs = [];
  for (let left = reader?.number() ?? 0; left > 0; left -= 1) {
    if (reader.number() === 0) {
      reader.take(1);
      reader.number();
      reader.take(1);
    }
    const bytes = reader.take(reader.number());
    let start = 0;
    for (let at = 0; at <= bytes.length; at += 1) {
      const isEnd = at === bytes.length || bytes.subarray(at, at + 16).every((it) => it === 0);
      if (!isEnd) continue;
      if (at > start) runs.push([printable(bytes.subarray(start, at)), at - start]);
      while (at < bytes.length && bytes[at] === 0) at += 1;
      start = at;
    }
  }
  return runs.sort((a, b) => b[1] - a[1]);
}

function printable(bytes) {
  const text = bytes.toString("latin1").match(/[ -~]{8,}/)?.[0] ?? "numbers";
  return text.slice(0, 80);
}
