// Runs everything, prints what each step says, and ends with `N passed, N failed`.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { differenceOf } from "./conformance.mjs";
import { conformanceHosts, resultOf } from "./hosts/all.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const vectors = join("tests", "vectors");

/** Where each runner says how many passed and failed. */
const COUNTS = {
  cargo: { passed: /^test result: .*? (\d+) passed/gm, failed: /^test result: .*? (\d+) failed/gm },
  go: { passed: /^(--- PASS)/gm, failed: /^(--- FAIL)/gm },
  node: { passed: /^ℹ pass (\d+)$/gm, failed: /^ℹ (?:fail|cancelled) (\d+)$/gm },
  vectors: { passed: /^(\d+) passed, \d+ failed$/gm, failed: /^\d+ passed, (\d+) failed$/gm },
};

const total = { passed: 0, failed: 0 };
const started = Date.now();
const took = [];

function count(text, pattern) {
  return [...text.matchAll(pattern)].reduce(
    (sum, [, found]) => sum + (Number(found) || (found.startsWith("---") ? 1 : 0)),
    0,
  );
}

/**
 * Runs one step. A step without a runner's counts is one test; one that fails without counting a failure is one
 * failure.
 */
async function step(name, command, args, { counts, cwd = root, isAside = false } = {}) {
  const title = `\n== ${name}: ${command} ${args.join(" ")}`;
  if (!isAside) console.log(title);
  const begun = Date.now();
  const { code, output } = await run(command, args, cwd, isAside);
  took.push([name, Date.now() - begun]);
  // What runs beside others speaks when it is done: lines of two would be mixed up.
  if (isAside) console.log(`${title}\n${output}`);
  const passed = counts ? count(output, counts.passed) : Number(code === 0);
  const failed = counts ? count(output, counts.failed) : Number(code !== 0);
  total.passed += passed;
  total.failed += code === 0 ? failed : Math.max(failed, 1);
  if (counts && code === 0 && passed === 0) {
    console.error(`${name} ran no test`);
    total.failed += 1;
  }
  return output;
}

function run(command, args, cwd, isQuiet) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, CGO_ENABLED: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (stream) => (data) => {
      output += data;
      if (!isQuiet) stream.write(data);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    child.on("error", (error) => {
      output += `${command} does not start: ${error.message}\n`;
      if (!isQuiet) console.error(output);
      resolve({ code: 127, output });
    });
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Does something with each, two at a time. */
async function sideBySide(all, act) {
  const waiting = [...all];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await act(next);
  };
  await Promise.all([worker(), worker()]);
}

/** The tests in folders: so many files at once. */
function suite(name, folders, atOnce) {
  const files = folders.flatMap((it) => readdirSync(join(root, "tests", it)).map((file) => join("tests", it, file)));
  const tests = files.filter((it) => it.endsWith(".test.mjs")).sort();
  return step(name, "node", ["--test", "--test-reporter=spec", `--test-concurrency=${atOnce}`, ...tests], {
    counts: COUNTS.node,
  });
}

await step("toolchain", "node", ["tests/toolchain.mjs"]);
// Takes minutes on a machine that has none yet, and little of it where the Rust builds are on one core: both go on
// together.
const controlPlane = step("control plane", "nice", ["node", "tests/cluster/tools.mjs"], { isAside: true });
const runtimes = step(
  "python and java",
  "sh",
  ["-c", "node tests/hosts/python.mjs --version && node tests/hosts/java.mjs"],
  { isAside: true },
);
await step("format", "cargo", ["fmt", "--all", "--check"]);
// Before the program, which has the page in it. It also brings what `package-lock.json` names.
await step("page and package, built", "node", ["web/build.mjs"]);
await step("format of the page and the tests", "npm", ["run", "--silent", "format:check"]);
await step("types", join("node_modules", ".bin", "tsc"), ["-p", "web"]);
await step("build", "cargo", ["build", "--workspace", "--all-targets", "--locked"]);
// The modules as files, for the hosts of others. On one core, beside the lint; not through cargo, which would wait for
// it.
const tool = join(target, "debug", "fleetfold-tools");
const write = (command, out) => `"${tool}" ${command} "${join(target, "module")}" "${out}"`;
const both = `${write("module", target)} && ${write("policies", join(target, "policies"))}`;
const modules = step("modules", "sh", ["-c", both], { isAside: true });
await step("lint", "cargo", ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]);
await step("rust", "cargo", ["test", "--workspace", "--locked", "--no-fail-fast"], { counts: COUNTS.cargo });
// The engine with deliberate faults, in a build of its own: no other step gets a crate with this feature.
const seeded = ["--features", "fleetfold-vectors/seeded-bugs", "--test", "seeded_bugs", "--", "--nocapture"];
await step("seeded bugs", "cargo", ["test", "--workspace", "--locked", ...seeded], { counts: COUNTS.cargo });
await step("format of the Go programs", "npm", ["run", "--silent", "check:go"]);
await step("go oracles", "go", ["test", "-v", "./..."], { counts: COUNTS.go, cwd: join(root, "tests", "oracles") });

await step("chromium", "node", ["tests/web/chromium.mjs"]);

// The vectors, in every host there is: the same bytes everywhere.
await Promise.all([modules, runtimes]);
const results = conformanceHosts(vectors);
await sideBySide(results, async (host) => {
  const counts = host.compares ? COUNTS.vectors : undefined;
  const output = await step(`vectors, ${host.name}`, host.command, host.args, { counts, isAside: true });
  Object.assign(host, resultOf(output));
});
console.log(`\n== one digest over all answers\n${results.map((it) => `${it.name.padEnd(18)}${it.digest}`).join("\n")}`);
total[results.every((it) => it.digest && it.digest === results[0].digest) ? "passed" : "failed"] += 1;
const difference = differenceOf(results);
console.log(`\n== the page of the hosts: ${difference ?? "docs/conformance.md is up to date"}`);
total[difference ? "failed" : "passed"] += 1;

// What we build on.
await suite("supply chain", ["supply-chain"], 1);

// The engine against a second implementation of its verbs, on generated cases.
await suite("second implementation", ["model"], 1);

// The table of `npm run trust`, not its rows.
await suite("long run", ["trust"], 1);

// Every field of every kind: set, change, remove, wrong values, roll back.
await suite("operations", ["operations"], 1);

// Policy engines, plugins and functions, in hosts that nobody here wrote.
await controlPlane;
await suite("foreign hosts", ["hosts"], 2);

// The page in Chromium, and the package where people install it.
await suite("page and package", ["web"], 2);

// The runner, the webhook and their installation, on real API servers.
await suite("real clusters", ["cluster", "install"], 1);

console.log("\n== how long each took");
for (const [name, time] of took) console.log(`${(time / 1000).toFixed(0).padStart(6)} s  ${name}`);
console.log(`\n${((Date.now() - started) / 60_000).toFixed(1)} minutes`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
