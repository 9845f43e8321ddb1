// Prints the size of the raw module in both forms, and what its code is made of by room and by dialect.
//
//   npm run size               raw, gzip and brotli of both, against their limits; code by room and by dialect
//   npm run size -- --names    also the largest functions, without their type arguments
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { attribute } from "./attribute.mjs";
import { build, root } from "./build.mjs";

/** The most bytes of brotli that each form may have, by TARGETS. */
const LIMITS = { fast: 450_000, small: 350_000 };

const number = (bytes) => bytes.toLocaleString("en").padStart(11);
const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }).length;

for (const form of ["small", "fast"]) {
  const module = build(form);
  const compressed = brotli(module);
  const percent = Math.round((compressed / LIMITS[form]) * 100);
  console.log(`${form.padEnd(7)}raw ${number(module.length)}`);
  console.log(`       gzip${number(gzipSync(module, { level: 9 }).length)}`);
  console.log(
    `       brotli${number(compressed).slice(2)}  ${percent} % of the limit, ${LIMITS[form].toLocaleString("en")}`,
  );
  console.log(`       sha256  ${createHash("sha256").update(module).digest("hex")}`);
}
const tree = ["tree", "-p", "fleetfold-wasm", "--target", "wasm32-unknown-unknown", "-e", "normal", "--prefix", "none"];
const crates = execFileSync("cargo", [...tree, "--no-dedupe"], { cwd: root, encoding: "utf8" });
console.log(`crates ${new Set(crates.trim().split("\n")).size}, of at most 20\n`);

const { rooms, dialects, functions, data, code } = attribute(build("small", { named: true }));
const table = (title, rows, total) => {
  console.log(title);
  for (const [name, bytes] of rows)
    console.log(`${number(bytes)}  ${((bytes / total) * 100).toFixed(1).padStart(5)} %  ${name}`);
  console.log();
};
table(`Code of the small form by room, of ${number(code).trim()} bytes`, rooms, code);
table("By dialect", dialects, code);
if (process.argv.includes("--names")) table("The largest functions, without their type arguments", functions, code);
table(
  "The largest runs of data",
  data.slice(0, 10),
  data.reduce((sum, [, bytes]) => sum + bytes, 0),
);
