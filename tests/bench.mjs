// W1, W2, W3 and W8 of TARGETS: ours, natively and under wasmtime, against the Go libraries, in one run. Figures are CPU
// time, the least of all samples and of two alternating rounds; what counts are the ratios.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const peers = join(root, "tests", "peers");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const folder = join(tmpdir(), "fleetfold-bench");
const cargo = (...args) => execFileSync("cargo", args, { cwd: root, stdio: "inherit" });

mkdirSync(folder, { recursive: true });
const go = join(folder, "go-bench");
execFileSync("go", ["build", "-o", go, "./cmd/bench"], { cwd: peers, stdio: "inherit", env: { ...process.env, CGO_ENABLED: "0" } });
execFileSync(go, ["write", folder], { stdio: "inherit" });
cargo("build", "--locked", "--profile", "module", "--target", "wasm32-unknown-unknown", "-p", "fleetfold-bench-guest");
cargo("build", "--release", "--locked", "-p", "fleetfold-tests", "--bin", "bench");
const guest = join(target, "wasm32-unknown-unknown", "module", "fleetfold_bench_guest.wasm");

const least = {};
const keep = (figures) => {
  for (const [name, value] of Object.entries(figures)) least[name] = Math.min(least[name] ?? Infinity, value);
};
for (let round = 0; round < 2; round += 1) {
  keep(JSON.parse(execFileSync(go, ["run", folder], { encoding: "utf8", env: { ...process.env, GOMAXPROCS: "1" } })));
  keep(JSON.parse(execFileSync(join(target, "release", "bench"), [folder, guest], { encoding: "utf8" })));
}

const WORKLOADS = [
  ["W1", "select, 10,000 clusters", "w1_10k", "w1_10k_ns", 200, 500],
  ["W1", "select, 100,000 clusters", "w1_100k", "w1_100k_ns", 1_000, 2_400],
  ["W2", "patch, 5 operations on 4 KiB", "w2", "w2_ns", 8, 15],
  ["W3", "subset match, from bytes", "w3", "w3_ns", 5, 10],
  ["W3", "subset match, from objects", "w3", "w3_typed_ns", 5, 10],
  ["W8", "value tree of 3 layers, origins", "w8", "w8_ns", 4, 8],
];
const us = (ns) => `${(ns / 1_000).toFixed(ns < 100_000 ? 2 : 0)} µs`;
const verdict = (ratio, goal, stretch) => `${ratio.toFixed(1)}× ${ratio >= stretch ? "stretch" : ratio >= goal ? "met" : "missed"}`;
const rows = WORKLOADS.map(([id, name, ours, theirs, goal, stretch]) => {
  const [native, wasm, opponent] = [least[`${ours}_native_ns`], least[`${ours}_wasmtime_ns`], least[theirs]];
  return [id, name, us(opponent), us(native), verdict(opponent / native, goal, stretch), us(wasm), verdict(opponent / wasm, goal, stretch), `${(wasm / native).toFixed(2)}`, `${goal}× / ${stretch}×`];
});
const head = ["", "workload", "Go", "native", "Go/native", "wasmtime", "Go/wasmtime", "wasm/native", "target / stretch"];
const width = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
for (const row of [head, ...rows]) console.log(row.map((cell, column) => cell.padEnd(width[column])).join("  ").trimEnd());
console.log(`selected ${least.w1_10k_selected} of 10,000 and ${least.w1_100k_selected} of 100,000 (Go: ${least.w1_selected_10k}, ${least.w1_selected_100k})`);
