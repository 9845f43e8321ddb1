// The kept inputs of the fuzz targets: one file a target in core/fuzz/corpus, one input a line as a JSON string, or as
// `x` and hexadecimal digits where it is not UTF-8.
//
//   node tests/fuzz-corpus.mjs TARGET FOLDER     writes them as files, as libFuzzer reads them
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const corpus = fileURLToPath(new URL("../core/fuzz/corpus", import.meta.url));
const fileOf = (target) => join(corpus, `${target}.jsonl`);

/** The kept inputs of a target, as bytes. */
export function kept(target) {
  if (!existsSync(fileOf(target))) return [];
  const lines = readFileSync(fileOf(target), "utf8").split("\n").filter(Boolean);
  return lines.map((it) => (it.startsWith("x") ? Buffer.from(it.slice(1), "hex") : Buffer.from(JSON.parse(it))));
}

/** Keeps inputs, smallest first: the order depends on nothing but their bytes. */
export function keep(target, inputs, most) {
  const sorted = inputs.sort((a, b) => a.length - b.length || Buffer.compare(a, b)).slice(0, most);
  writeFileSync(fileOf(target), sorted.map((it) => `${line(it)}\n`).join(""));
}

function line(input) {
  const text = input.toString("utf8");
  return Buffer.from(text).equals(input) ? JSON.stringify(text) : `x${input.toString("hex")}`;
}

/** Writes each input to a file named after its bytes. */
export function unpack(inputs, folder) {
  mkdirSync(folder, { recursive: true });
  for (const input of inputs) writeFileSync(join(folder, createHash("sha256").update(input).digest("hex")), input);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) unpack(kept(process.argv[2]), process.argv[3]);
