// Reads `deny.toml` for the tests: the part of TOML that it uses, which is tables, strings, booleans, numbers, lists
// and inline tables.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `{ table: { key: value } }`. */
export function readDeny() {
  const tables = {};
  let table;
  const lines = readFileSync(fileURLToPath(new URL("../../deny.toml", import.meta.url)), "utf8").split("\n");
  while (lines.length > 0) {
    const line = lines.shift();
    const [, name] = line.match(/^\[(\w+)\]$/) ?? [];
    if (name) table = tables[name] = {};
    else if (/^[\w-]+ = /.test(line)) {
      let text = line;
      while (/= \[$/.test(text.split("\n", 1)[0]) && !text.endsWith("\n]")) text += `\n${lines.shift()}`;
      const [, key, value] = text.match(/^([\w-]+) = ([\s\S]*)$/);
      table[key] = valueOf(value);
    } else if (line && !line.startsWith("#")) throw new Error(`deny.toml: cannot read \`${line}\``);
  }
  return tables;
}

const valueOf = (text) => JSON.parse(text.replaceAll(/([{,] ?)([a-z]+) = /g, '$1"$2": ').replaceAll(/,(\s*\])/g, "$1"));

/** Whether `name@1.2` is about this version. */
export function isAbout(spec, { name, version }) {
  const [crate, prefix] = spec.split("@");
  return crate === name && (prefix === undefined || version === prefix || version.startsWith(`${prefix}.`));
}

/** Whether an SPDX expression can be met with these licences. `MIT/Apache-2.0` is an old form of `OR`. */
export function isMet(expression, licences) {
  const words = expression.replaceAll("/", " OR ").match(/\(|\)|[^\s()]+/g) ?? [];
  const either = () => {
    let met = both();
    while (words[0] === "OR") met = [words.shift(), both()][1] || met;
    return met;
  };
  const both = () => {
    let met = one();
    while (words[0] === "AND") met = [words.shift(), one()][1] && met;
    return met;
  };
  const one = () => {
    const word = words.shift();
    if (word === "(") return [either(), words.shift()][0];
    if (words[0] !== "WITH") return licences.has(word);
    words.shift();
    return licences.has(`${word} WITH ${words.shift()}`);
  };
  return expression !== "" && either() && words.length === 0;
}
