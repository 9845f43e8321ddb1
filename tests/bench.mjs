// The figures of TARGETS: ours, natively and under wasmtime, against the Go libraries, in one run. Figures are CPU
// time, the least of all samples and of two alternating rounds; what counts are the ratios. `npm run bench small`
// measures single operations alone, `npm run bench fleet` whole fleets alone, `npm run bench runner` the runner on real
// API servers alone, `npm run bench page` the page in Chromium and what travels to it.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const oracles = join(root, "tests", "oracles");
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const folder = join(tmpdir(), "fleetfold-bench");
const cargo = (...args) => execFileSync("cargo", args, { cwd: root, stdio: "inherit" });
const parts = process.argv.slice(2);
const asked = (part) => parts.length === 0 || parts.includes(part);

if (asked("page")) {
  execFileSync("node", [join(root, "web", "build.mjs")], { stdio: "inherit" });
  cargo("build", "--release", "--locked", "--bin", "fleetfold");
  execFileSync("node", [join(root, "tests", "web", "bench.mjs")], { stdio: "inherit" });
  if (parts.length === 1) process.exit();
}

if (asked("runner")) {
  cargo("build", "--release", "--locked", "--bin", "fleetfold");
  execFileSync("node", [join(root, "tests", "cluster", "bench.mjs")], {
    stdio: "inherit",
    env: { ...process.env, FLEETFOLD_PROFILE: "release" },
  });
  if (parts.length === 1) process.exit();
}

mkdirSync(folder, { recursive: true });
const go = join(folder, "go-bench");
execFileSync("go", ["build", "-o", go, "./cmd/bench"], {
  cwd: oracles,
  stdio: "inherit",
  env: { ...process.env, CGO_ENABLED: "0" },
});
cargo("build", "--release", "--locked", "-p", "fleetfold-tests", "--bin", "bench");

const run = (program, args) => {
  const env = { ...process.env, GOMAXPROCS: "1" };
  return JSON.parse(
    execFileSync(program, args.map(String), { encoding: "utf8", env, stdio: ["ignore", "pipe", "inherit"] }),
  );
};
const ours = (...args) => run(join(target, "release", "bench"), args);
const theirs = (...args) => run(go, args);
const least = {};
const keep = (figures) => {
  for (const [name, value] of Object.entries(figures)) {
    if (typeof value === "number") least[name] = Math.min(least[name] ?? Infinity, value);
  }
};

const us = (ns) => `${(ns / 1_000).toFixed(ns < 100_000 ? 2 : 0)} µs`;
const atLeast = (ratio, [goal, stretch]) =>
  `${ratio.toFixed(1)}× ${ratio >= stretch ? "stretch" : ratio >= goal ? "met" : "missed"}`;
const atMost = (figure, [goal, stretch], digits = 2) =>
  `${figure.toFixed(digits)} ${figure <= stretch ? "stretch" : figure <= goal ? "met" : "missed"}`;
const table = (head, rows) => {
  const width = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(width[column]))
        .join("  ")
        .trimEnd(),
    );
  console.log();
};

if (asked("small")) small();
if (asked("fleet")) fleet();

function small() {
  cargo(
    "build",
    "--locked",
    "--profile",
    "module-fast",
    "--target",
    "wasm32-unknown-unknown",
    "-p",
    "fleetfold-bench-guest",
  );
  const guest = join(target, "wasm32-unknown-unknown", "module-fast", "fleetfold_bench_guest.wasm");
  execFileSync(go, ["write", folder], { stdio: "inherit" });
  for (let round = 0; round < 2; round += 1) {
    keep(theirs("run", folder));
    keep(ours("small", folder, guest));
  }
  const workloads = [
    ["W1", "select, 10,000 clusters", "w1_10k", "w1_10k_ns", [500, 700], [350, 500]],
    ["W1", "select, 100,000 clusters", "w1_100k", "w1_100k_ns", [2_000, 3_000], [1_500, 2_000]],
    ["W2", "patch, 5 operations on 4 KiB", "w2", "w2_ns", [17, 25], [12, 15]],
    ["W3", "subset match, from bytes", "w3", "w3_ns", [8, 12], [6, 9]],
    ["W3", "subset match, from objects", "w3", "w3_typed_ns", [8, 12], [6, 9]],
    ["W8", "value tree of 3 layers, origins", "w8", "w8_ns", [5, 8], [4, 6]],
  ];
  const rows = workloads.map(([id, name, us_, them, goals, inWasm]) => {
    const [native, wasm, opponent] = [least[`${us_}_native_ns`], least[`${us_}_wasmtime_ns`], least[them]];
    const ratios = [atLeast(opponent / native, goals), atLeast(opponent / wasm, inWasm)];
    return [
      id,
      name,
      us(opponent),
      us(native),
      ratios[0],
      us(wasm),
      ratios[1],
      (wasm / native).toFixed(2),
      [goals, inWasm].map(([goal, stretch]) => `${goal}× / ${stretch}×`).join(", "),
    ];
  });
  table(
    [
      "",
      "workload",
      "Go",
      "native",
      "Go/native",
      "wasmtime",
      "Go/wasmtime",
      "wasm/native",
      "target / stretch, in wasm",
    ],
    rows,
  );
  console.log(
    `selected ${least.w1_10k_selected} of 10,000 and ${least.w1_100k_selected} of 100,000 (Go: ` +
      `${least.w1_selected_10k}, ${least.w1_selected_100k})\n`,
  );
}

function fleet() {
  const count = 10_000;
  const sizes = [100, 1_000, 10_000, 100_000];
  for (const size of sizes) execFileSync(go, ["fleet", folder, "-clusters", size], { stdio: "inherit" });

  // W4 and W5, in alternating rounds. What both sides work out must be the same to the byte, or the figures mean
  // nothing.
  for (let round = 0; round < 2; round += 1) {
    const plan = theirs("plan", "-clusters", count);
    const native = ours("plan", folder, count, "native");
    const wasmtime = ours("plan", folder, count, "wasmtime");
    if (plan.noop !== 8_938 || plan.update !== 1_062)
      throw new Error(`the Go side plans ${plan.noop} noop and ${plan.update} update`);
    for (const it of [native, wasmtime]) {
      if (it.sha256 !== plan.sha256) throw new Error(`the plans differ: ${it.sha256} is not ${plan.sha256}`);
    }
    [plan, native, wasmtime].forEach(keep);
  }
  // From live objects as bytes to written results: where the Go side starts and ends. Documents come on top.
  const sum = (host, ...steps) => steps.reduce((all, step) => all + least[`${host}_${step}_ns`], 0) / count;
  const [native, wasmtime] = ["native", "wasmtime"].map((host) => sum(host, "live", "plan", "origins"));
  const [today, tuned] = [least.w4_today_ns / count, least.w4_tuned_ns / count];
  const rows = [
    [
      "W4",
      "plan of 10,000 clusters, native, against today",
      us(today),
      us(native),
      atLeast(today / native, [40, 75]),
      "40× / 75×",
    ],
    ["W4", "the same, against tuned", us(tuned), us(native), atLeast(tuned / native, [6, 10]), "6× / 10×"],
    [
      "W5",
      "plan of 10,000 clusters, wasmtime, against today",
      us(today),
      us(wasmtime),
      atLeast(today / wasmtime, [30, 50]),
      "30× / 50×",
    ],
    ["W5", "the same, against tuned", us(tuned), us(wasmtime), atLeast(tuned / wasmtime, [4, 7]), "4× / 7×"],
    ["", "wasmtime over native", us(native), us(wasmtime), atMost(wasmtime / native, [1.4, 1.25]), "≤ 1.4 / 1.25"],
  ];
  const plain = sum("native", "live", "plan", "plain");
  rows.push([
    "",
    "origins on over off, native",
    us(plain),
    us(native),
    atMost(native / plain, [1.25, 1.1]),
    "≤ 1.25 / 1.10",
  ]);

  // W6: one change in a large workspace over the same in a small one.
  for (const size of [1_000, 100_000]) for (let round = 0; round < 2; round += 1) keep(ours("change", folder, size));
  for (const [what, name] of [
    ["label", "a cluster's label changed"],
    ["object", "a live object changed"],
    ["default", "a default changed, a cluster"],
  ]) {
    const [small, large] = [1_000, 100_000].map((size) => least[`w6_${what}_${size}_ns`]);
    rows.push([
      "W6",
      `${name}, 100,000 over 1,000`,
      us(small),
      us(large),
      atMost(large / small, [1.2, 1.05]),
      "≤ 1.2 / 1.05",
    ]);
  }

  // Growth: the slope of the whole cost over the number of clusters, both as logarithms.
  const costs = sizes.map((size) => {
    const it = size === count ? least : ours("plan", folder, size, "native");
    return it.native_documents_ns + it.native_live_ns + it.native_plan_ns;
  });
  const exponent = slope(sizes.map(Math.log), costs.map(Math.log));
  rows.push([
    "",
    "growth from 100 to 100,000 clusters, exponent",
    us(costs[0] / sizes[0]),
    us(costs[3] / sizes[3]),
    atMost(exponent, [1.05, 1]),
    "≤ 1.05",
  ]);

  const memory = ours("memory", folder, 100_000);
  // Both together: what results take is little, and part of it fits into room that loading left behind.
  const bytes = memory.memory_results + memory.memory_needs;
  rows.push([
    "",
    "memory of like clusters beyond their labels, bytes each",
    "",
    `${bytes}`,
    atMost(bytes, [1_024, 512], 0),
    "≤ 1024",
  ]);
  table(["", "workload", "before", "ours", "ratio", "target / stretch"], rows);

  const each = (host) =>
    ["documents", "live", "plan", "origins", "plain"].map((step) => us(least[`${host}_${step}_ns`] / count));
  table(
    ["a cluster, of 10,000", "load documents", "load live", "plan", "write with origins", "without"],
    [
      ["native", ...each("native")],
      ["wasmtime", ...each("wasmtime")],
    ],
  );
  console.log(
    "W4 and W5 compare loading live objects, planning, and writing what each cluster gets with its origins; " +
      "the Go side",
  );
  console.log(
    "decodes live objects, plans, and writes what each cluster gets, without origins. The objects are equal " +
      "to the byte.",
  );
  const withDocuments = sum("native", "documents", "live", "plan", "origins");
  console.log(
    `With the documents, which the Go side has decoded already: ${(tuned / withDocuments).toFixed(1)}× tuned. ` +
      `Planning alone, without writing results: ${(tuned / sum("native", "live", "plan")).toFixed(1)}× tuned.`,
  );
  console.log("Origins are always kept; `off` leaves them out of the answer.");
  console.log(
    "Memory is that of results and of a plan that needs to see every cluster; live objects come on top. The " +
      `needs take ${memory.memory_needs} of it.`,
  );
}

function slope(xs, ys) {
  const mean = (all) => all.reduce((sum, it) => sum + it, 0) / all.length;
  const [x, y] = [mean(xs), mean(ys)];
  const over = (f) => xs.reduce((sum, _, at) => sum + f(at), 0);
  return over((at) => (xs[at] - x) * (ys[at] - y)) / over((at) => (xs[at] - x) ** 2);
}
