// Prints the size of the raw module and its limit: 350 KB of brotli.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
execFileSync("npm", ["run", "--silent", "module"], { cwd: root, stdio: ["ignore", process.stderr, "inherit"] });

const module = readFileSync(join(target, "fleetfold.wasm"));
const crates = execFileSync(
  "cargo",
  [
    "tree",
    "-p",
    "fleetfold-wasm",
    "--target",
    "wasm32-unknown-unknown",
    "-e",
    "normal",
    "--prefix",
    "none",
    "--no-dedupe",
  ],
  { cwd: root, encoding: "utf8" },
);
const brotli = brotliCompressSync(module, {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
const row = (name, bytes, note = "") =>
  console.log(`${name.padEnd(8)}${bytes.toLocaleString("en").padStart(12)}  ${note}`);
row("raw", module.length);
row("gzip", gzipSync(module, { level: 9 }).length);
row("brotli", brotli.length, `${Math.round((brotli.length / 350_000) * 100)} % of the limit, 350,000`);
row("crates", new Set(crates.trim().split("\n")).size, "of at most 20");
console.log(`sha256  ${createHash("sha256").update(module).digest("hex")}`);
