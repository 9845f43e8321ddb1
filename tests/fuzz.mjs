// Runs the fuzz targets of core/fuzz under libFuzzer, on the pinned stable compiler.
//
//   npm run fuzz -- --minutes 10               all targets, ten minutes together
//   npm run fuzz -- --runs 10000000 json       one target, so many runs
//   npm run fuzz -- --runs 100000 --seed 7 --no-keep     the same runs again, and no input is kept
//
// Each target begins with its kept inputs and with inputs cut out of the vectors. Afterwards the inputs that reach code
// that no other reaches are kept in core/fuzz/corpus: commit them. A failing input is printed and stays in the folder
// that is named at the end.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keep, kept, unpack } from "./fuzz-corpus.mjs";
import { SEEDS } from "./fuzz-seeds.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "fuzz");
const host = execFileSync("rustc", ["-vV"], { encoding: "utf8" }).match(/^host: (.+)$/m)[1];

/** What cargo-fuzz passes too, without the sanitizers, which need a nightly compiler. */
const COVERAGE = [
  "--cfg=fuzzing",
  "-Cpasses=sancov-module",
  "-Cllvm-args=-sanitizer-coverage-level=4",
  "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
  "-Cllvm-args=-sanitizer-coverage-pc-table",
  "-Cllvm-args=-sanitizer-coverage-trace-compares",
  "-Ccodegen-units=1",
  "-Cdebug-assertions",
  "-Coverflow-checks",
];

/** An input above this length costs time without new code. */
const MAX_LENGTH = 4096;
/** So many inputs are kept, the smallest first. */
const MAX_KEPT = 400;
/** A run above these is a finding: seconds and megabytes. */
const MAX_SECONDS = 5;
const MAX_MEGABYTES = 1024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "10" },
    runs: { type: "string" },
    seed: { type: "string" },
    "no-keep": { type: "boolean", default: false },
  },
});
const targets = positionals.length ? positionals : Object.keys(SEEDS).sort();
for (const it of targets) if (!SEEDS[it]) throw new Error(`there is no target ${it}; known: ${Object.keys(SEEDS)}`);

const flags = [...(process.env.RUSTFLAGS ?? "").split(" ").filter(Boolean), ...COVERAGE].join(" ");
execFileSync(
  "cargo",
  ["build", "--locked", "--release", "-p", "fleetfold-fuzz", "--features", "libfuzzer", "--bins", "--target", host],
  { cwd: root, stdio: "inherit", env: { ...process.env, RUSTFLAGS: flags, CARGO_TARGET_DIR: target } },
);

const work = mkdtempSync(join(tmpdir(), "fleetfold-fuzz-"));
const seconds = Math.max(1, Math.round((Number(values.minutes) * 60) / targets.length));
let failed = 0;
for (const name of targets) {
  const [inputs, merged, artifacts] = ["inputs", "merged", "failures"].map((it) => join(work, name, it));
  for (const folder of [merged, artifacts]) mkdirSync(folder, { recursive: true });
  unpack([...kept(name), ...SEEDS[name]()], inputs);
  const limit = values.runs ? `-runs=${values.runs}` : `-max_total_time=${seconds}`;
  const seed = values.seed ? [`-seed=${values.seed}`] : [];
  const run = fuzz(name, [limit, ...seed, `-timeout=${MAX_SECONDS}`, `-artifact_prefix=${artifacts}/`, inputs]);
  const runs = run.stderr.match(/^Done (\d+) runs/m)?.[1] ?? "?";
  const failures = readdirSync(artifacts);
  console.log(`${name.padEnd(10)} ${runs.padStart(10)} runs, ${failures.length} failures`);
  for (const file of failures)
    console.log(`  ${join(artifacts, file)}\n  ${JSON.stringify(readFileSync(join(artifacts, file), "utf8"))}`);
  if (failures.length || run.status !== 0) {
    failed += 1;
    console.log(run.stderr.split("\n").slice(-30).join("\n"));
    continue;
  }
  if (values["no-keep"]) continue;
  const merge = fuzz(name, ["-merge=1", merged, inputs]);
  const found = readdirSync(merged).map((it) => readFileSync(join(merged, it)));
  if (merge.status === 0) keep(name, found, MAX_KEPT);
}
console.log(`${targets.length - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;

function fuzz(name, args) {
  const program = join(target, host, "release", name);
  const limits = [`-max_len=${MAX_LENGTH}`, `-rss_limit_mb=${MAX_MEGABYTES}`, "-print_final_stats=1"];
  return spawnSync(program, [...limits, ...args], { encoding: "utf8", maxBuffer: 1 << 30 });
}
