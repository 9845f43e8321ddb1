// JSON with exact integers: what JavaScript's numbers cannot hold becomes a BigInt.
// It is written with sorted keys, so that two equal values are one text.

/** Reads JSON. Integers beyond 2^53 become BigInts. */
export function read(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  let at = 0;
  const blank = () => {
    while (" \n\r\t".includes(text[at]) && at < text.length) at += 1;
  };
  const expect = (mark) => {
    blank();
    if (text[at] !== mark) throw new SyntaxError(`expected ${mark} at ${at}`);
    at += 1;
  };
  const string = () => {
    const start = at;
    for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    at += 1;
    return JSON.parse(text.slice(start, at));
  };
  const many = (open, close, item) => {
    expect(open);
    blank();
    if (text[at] === close) {
      at += 1;
      return;
    }
    for (;;) {
      item();
      blank();
      if (text[at] === close) break;
      expect(",");
    }
    at += 1;
  };
  const value = () => {
    blank();
    if (text[at] === "{") {
      const map = {};
      many("{", "}", () => {
        blank();
        const key = string();
        expect(":");
        put(map, key, value());
      });
      return map;
    }
    if (text[at] === "[") {
      const list = [];
      many("[", "]", () => list.push(value()));
      return list;
    }
    if (text[at] === '"') return string();
    const [word] = text.slice(at, at + 64).match(/^[-+.\w]+/);
    at += word.length;
    if (!/^-?\d+$/.test(word)) return JSON.parse(word);
    return Number.isSafeInteger(Number(word)) ? Number(word) : BigInt(word);
  };
  return value();
}

/** Writes canonical JSON. */
export function write(value) {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((it) => write(it ?? null)).join(",")}]`;
  if (!isMap(value)) return JSON.stringify(value);
  const entries = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${entries
    .sort()
    .map((key) => `${JSON.stringify(key)}:${write(value[key])}`)
    .join(",")}}`;
}

export const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const has = (map, key) => isMap(map) && Object.hasOwn(map, key);
export const same = (one, other) => write(one ?? null) === write(other ?? null);

/** Sets a key, also one such as `__proto__`. */
export function put(map, key, value) {
  Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  return map;
}

export function clone(value) {
  if (Array.isArray(value)) return value.map(clone);
  if (!isMap(value)) return value;
  return Object.entries(value).reduce((copy, [key, it]) => put(copy, key, clone(it)), {});
}

/** What is at a list of keys, or undefined. */
export function at(value, ...keys) {
  return keys.reduce((it, key) => (Array.isArray(it) || has(it, key) ? it[key] : undefined), value);
}

/** A pointer to a list of keys. */
export const pointer = (keys) => keys.map((key) => `/${String(key).replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");

/** What a verb throws where it refuses its input. */
export class Refusal extends Error {}

export function refuse(why) {
  throw new Refusal(why);
}
