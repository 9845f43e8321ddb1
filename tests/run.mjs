// Runs everything, prints what each step says, and ends with `N passed, N failed`.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const fleetfold = join(target, "debug", "fleetfold");
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

function count(text, pattern) {
  return [...text.matchAll(pattern)].reduce((sum, [, found]) => sum + (Number(found) || (found.startsWith("---") ? 1 : 0)), 0);
}

/** Runs one step. A step without a runner's counts is one test; one that fails without counting a failure is one failure. */
async function step(name, command, args, { counts, cwd = root } = {}) {
  console.log(`\n== ${name}: ${command} ${args.join(" ")}`);
  const { code, output } = await run(command, args, cwd);
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

function run(command, args, cwd) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, CGO_ENABLED: "0" }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (stream) => (data) => {
      output += data;
      stream.write(data);
    };
    child.stdout.on("data", keep(process.stdout));
    child.stderr.on("data", keep(process.stderr));
    child.on("error", (error) => {
      console.error(`${command} does not start: ${error.message}`);
      resolve({ code: 127, output });
    });
    child.on("close", (code) => resolve({ code, output }));
  });
}

await step("toolchain", "node", ["tests/toolchain.mjs"]);
await step("format", "cargo", ["fmt", "--all", "--check"]);
await step("build", "cargo", ["build", "--workspace", "--all-targets", "--locked"]);
await step("lint", "cargo", ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]);
await step("rust", "cargo", ["test", "--workspace", "--locked"], { counts: COUNTS.cargo });
await step("go peers", "go", ["test", "-v", "./..."], { counts: COUNTS.go, cwd: join(root, "tests", "peers") });

// The vectors, in every host there is: the same bytes everywhere.
const hosts = {
  native: [fleetfold, ["vectors", vectors, "--native"], { counts: COUNTS.vectors }],
  wasmtime: [fleetfold, ["vectors", vectors], { counts: COUNTS.vectors }],
  node: ["sh", ["-c", `"${fleetfold}" vectors ${vectors} --requests | node tests/hosts/node.mjs "${join(target, "fleetfold.wasm")}"`]],
};
const digests = [];
for (const [host, [command, args, options]] of Object.entries(hosts)) {
  const output = await step(`vectors, ${host}`, command, args, options);
  digests.push([host, output.match(/^answers (sha256:\w+)$/m)?.[1]]);
}
console.log(`\n== one digest over all answers\n${digests.map(([host, digest]) => `${host.padEnd(10)}${digest}`).join("\n")}`);
total[digests.every(([, digest]) => digest && digest === digests[0][1]) ? "passed" : "failed"] += 1;

// The runner, the webhook and their installation, on real API servers: one file after the other, as each takes the machine.
await step("control plane", "node", ["tests/cluster/tools.mjs"]);
const suites = ["cluster", "install"].map((it) => join("tests", it));
const files = suites.flatMap((folder) => readdirSync(join(root, folder)).filter((it) => it.endsWith(".test.mjs")).map((it) => join(folder, it)));
await step("real clusters", "node", ["--test", "--test-reporter=spec", "--test-concurrency=1", ...files.sort()], { counts: COUNTS.node });

console.log(`\n${((Date.now() - started) / 60_000).toFixed(1)} minutes`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
