// The rows of `npm run trust`: what must hold, how often `npm test` and the long form try it, and the suite that does.
// A suite says itself how much it did; a row that did less than was asked for fails.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../cluster/documents.mjs";
import { SEEDS } from "../fuzz-seeds.mjs";
import { answerEverywhere } from "./generated.mjs";
import { cargoTest, nodeTest, output, sum, target } from "./run.mjs";

const cluster = (name) => join("tests", "cluster", `${name}.test.mjs`);
const inTests = (folder, ending) =>
  readdirSync(join(root, "tests", folder))
    .filter((it) => it.endsWith(ending))
    .sort();
const FUZZ_TARGETS = Object.keys(SEEDS).length;
const roundsFor = (count, inOne) => String(Math.max(1, Math.ceil(count / inOne)));

/** Everything that the rows run, built once. */
export async function prepare({ logs }) {
  const log = join(logs, "build.log");
  await output("node", ["tests/toolchain.mjs"], { log });
  await output("node", ["web/build.mjs"], { log });
  await output("cargo", ["build", "--workspace", "--all-targets", "--locked"], { log });
  const tool = join(target, "debug", "fleetfold-tools");
  await output(tool, ["module", join(target, "module"), target], { log });
  await output(tool, ["policies", join(target, "module"), join(target, "policies")], { log });
}

/** Runs a suite again and again, each time from another seed, until it has done enough. */
async function repeat(count, seed, once) {
  let done = 0;
  for (let next = seed; done < count; next += 1) {
    const added = await once(next);
    if (!(added > 0)) throw new Error("the suite did nothing");
    done += added;
  }
  return done;
}

/** The kinds of events of which the long form needs so many plans each. */
const EVENT_KINDS = ["missed", "merged", "stale", "reordered"];

/** How many plans of each kind of events a run printed. */
export function plansByKind(text) {
  const found = text.matchAll(/(\d+) plans of (\w+) events, all converged, 0 deletes/g);
  return Object.fromEntries([...found].map(([, plans, kind]) => [kind, Number(plans)]));
}

/**
 * Runs one round of all kinds, then further rounds of only those kinds of which there is too little. Answers how much
 * was done of each.
 */
export async function enoughOfEach(kinds, least, once) {
  const done = await once(undefined, 1);
  const inOneRound = { ...done };
  for (const kind of kinds) {
    if (!(done[kind] > 0)) throw new Error(`there is no plan of ${kind} events`);
    const missing = least - done[kind];
    if (missing > 0) done[kind] += (await once(kind, Math.ceil(missing / inOneRound[kind])))[kind] ?? 0;
  }
  const short = kinds.filter((kind) => done[kind] < least);
  if (short.length > 0) throw new Error(`less than ${least} plans of ${short.join(" and ")} events`);
  return done;
}

export const ROWS = [
  {
    name: "vectors",
    what: "all vectors, then generated requests and documents, have one digest over all hosts",
    unit: "vectors and generated cases",
    short: 1,
    long: 100_000,
    async run({ count, seed, isShort, log, logs }) {
      const text = await output("node", ["tests/conformance.mjs"], { log });
      const vectors = sum(text, /^Version \S+ has (\d+) vectors\.$/gm);
      const generated = isShort ? 0 : await answerEverywhere({ count, seed, log, folder: logs });
      return { count: vectors + generated, note: `${vectors} vectors, ${generated} generated, twelve hosts` };
    },
  },
  {
    name: "oracles",
    what: "no unexplained difference from the Go libraries of the upstreams",
    unit: "cases",
    short: 50_000,
    long: 1_000_000,
    async run({ count, seed, log }) {
      const oracles = inTests("tests", "_oracle.rs").map((it) => it.replace(".rs", ""));
      const expected = ["selectors", "yaml", "patch", "cel", "helm"];
      const missing = expected.filter((it) => !oracles.includes(`${it}_oracle`));
      const args = ["test", "--workspace", "--locked", "--no-fail-fast"];
      for (const oracle of oracles) args.push("--test", oracle);
      const done = await repeat(count, seed, async (next) => {
        const env = { FLEETFOLD_SEED: String(next) };
        const text = await output("cargo", [...args, "--", "--nocapture"], { env, log });
        return sum(text, /seed \d+, (\d+) (?:cases|texts)/g);
      });
      if (missing.length > 0) throw new Error(`${done} cases agree, but there is no oracle for ${missing.join(", ")}`);
      return { count: done, note: expected.join(", ") };
    },
  },
  {
    name: "model",
    what: "no difference between the engine and a second implementation of its verbs",
    unit: "cases",
    short: 100_000,
    long: 10_000_000,
    async run({ count, seed, log }) {
      const text = await output(
        "npm",
        ["run", "--silent", "model", "--", "--cases", String(count), "--seed", String(seed)],
        {
          log,
        },
      );
      return { count: sum(text, /^[a-zA-Z]\S*\s+(\d+)\s+\d+\s+\d+\s+0\s+\d+$/gm) };
    },
  },
  {
    name: "fuzzing",
    what: "no crash, no hang and no memory above the limit in any fuzz target",
    unit: "runs",
    short: 1,
    // So many a target.
    long: 10_000_000 * FUZZ_TARGETS,
    async run({ count, seed, isShort, log }) {
      if (isShort) {
        const text = await cargoTest("replay", { log });
        return { count: sum(text, /^test result: ok\. (\d+) passed/gm), note: "kept inputs are replayed" };
      }
      const runs = String(Math.ceil(count / FUZZ_TARGETS));
      const args = ["run", "--silent", "fuzz", "--", "--runs", runs, "--seed", String(seed), "--no-keep"];
      const text = await output("npm", args, { log });
      return {
        count: sum(text, /^\S+\s+(\d+) runs, 0 failures$/gm),
        note: `${runs} for each of ${FUZZ_TARGETS} targets`,
      };
    },
  },
  {
    name: "growth",
    what: "no request costs more than n log n, unless a limit refuses it",
    unit: "shapes",
    seed: false,
    short: 20,
    long: 20,
    always: true,
    async run({ log }) {
      const text = await cargoTest("growth", { log });
      const shapes = [...text.matchAll(/^ +[\d.-]+ +\d+ +(true|false) {2}\S/gm)];
      return { count: shapes.length };
    },
  },
  {
    name: "crashes",
    what: "the runner is killed at every write, three ways, and ends in the state of a run without faults",
    unit: "crash points",
    seed: false,
    short: 20,
    long: 500,
    async run({ count, isShort, log }) {
      const pattern = "a crash at any write";
      let text = await nodeTest([cluster("reliability-crashes")], { log, pattern });
      if (!isShort) {
        const env = { FLEETFOLD_CRASH_POINTS: String(count - sum(text, /(\d+) crash points, all converged/g)) };
        text += await nodeTest([join("tests", "trust", "crash-workloads.mjs")], { env, log });
      }
      const workloads = [...text.matchAll(/crash points, all converged/g)].length;
      return { count: sum(text, /(\d+) crash points, all converged/g), note: `${workloads} runs of workloads` };
    },
  },
  {
    name: "events",
    what: "events that are missed, merged, repeated, stale or reordered do not change the end, and delete nothing",
    unit: "plans",
    short: 20,
    // 200 each of missed, merged, stale and reordered ones.
    long: 800,
    async run({ count, seed, isShort, log }) {
      const least = isShort ? 1 : Math.ceil(count / EVENT_KINDS.length);
      const run = (env, pattern) => nodeTest([cluster("reliability-events")], { env, log, pattern });
      const done = await enoughOfEach(EVENT_KINDS, least, async (kind, rounds) => {
        const env = { FLEETFOLD_ROUNDS: String(rounds), FLEETFOLD_SEED: String(seed), FLEETFOLD_EVENTS: kind };
        // The other tests of the file run once.
        return plansByKind(await run(env, kind && "^what watches do not tell"));
      });
      const kinds = Object.entries(done);
      const note = kinds.map(([kind, plans]) => `${plans} ${kind}`).join(", ");
      return { count: kinds.reduce((total, [, plans]) => total + plans, 0), note };
    },
  },
  {
    name: "errors",
    what: "API errors and cut connections on a write delay it; nothing is made twice",
    unit: "writes",
    short: 33,
    long: 500,
    async run({ count, seed, log }) {
      const env = { FLEETFOLD_ROUNDS: roundsFor(count, 33), FLEETFOLD_SEED: String(seed) };
      const pattern = "errors and cut connections|servers and their store";
      const text = await nodeTest([cluster("reliability-crashes")], { env, log, pattern });
      return { count: sum(text, /plans of errors, on (\d+) writes, all converged, 0 made twice/g) };
    },
  },
  {
    name: "deletes",
    what: "no object is deleted because something was not listed, not found or not labelled for a while",
    unit: "drills",
    short: 19,
    long: 1_000,
    async run({ count, seed, log }) {
      const env = { FLEETFOLD_ROUNDS: roundsFor(count, 19), FLEETFOLD_SEED: String(seed) };
      const text = await nodeTest([cluster("reliability-drills")], { env, log });
      return { count: sum(text, /(\d+) delete drills on (?:the hub|members), 0 deletes/g) };
    },
  },
  {
    name: "operations",
    what: "every field of every kind: set, change, remove, wrong values and roll back keep the properties",
    unit: "operations",
    short: 1,
    long: 1,
    always: true,
    async run({ seed, log }) {
      const script = join("tests", "operations", "drill.mjs");
      if (!existsSync(join(root, script))) throw new Error(`${script} is not in this tree`);
      const text = await output("node", [script, "--all", "--seed", String(seed)], { log });
      return { count: sum(text, /^(\d+) operations, 0 failures$/gm) };
    },
  },
  {
    name: "quiet",
    what: "a settled fleet gets no write in further reconciles and a restart",
    unit: "settled fleets",
    seed: false,
    short: 20,
    long: 20,
    always: true,
    async run({ isShort, log }) {
      const reconciles = isShort ? 20 : 100;
      const env = { FLEETFOLD_QUIET_RECONCILES: String(reconciles) };
      const stories = inTests("cluster", ".test.mjs").filter((it) => it.startsWith("story-"));
      const text = await nodeTest(
        stories.map((it) => join("tests", "cluster", it)),
        { env, log },
      );
      const quiet = [...text.matchAll(/^quiet: \d+ reconciles and a restart, 0 writes$/gm)];
      return { count: quiet.length, note: `${reconciles} reconciles and a restart each` };
    },
  },
  {
    name: "hostile",
    what: "after a hostile call to the module the next call is answered correctly",
    unit: "calls",
    short: 200,
    long: 10_000,
    async run({ count, seed, log }) {
      // Below this the test cannot see whether its limits stop calls.
      const calls = Math.max(count, 100);
      const env = { FLEETFOLD_HOSTILE_CALLS: String(calls), FLEETFOLD_SEED: String(seed) };
      const text = await cargoTest("hostile", { env, log });
      return { count: sum(text, /hostile: seed \d+, (\d+) calls/g) };
    },
  },
  {
    name: "canaries",
    what: "no secret canary comes out of any op or error",
    unit: "answers searched for 70 canaries",
    short: 1_000,
    long: 100_000,
    async run({ count, seed, log }) {
      const done = await repeat(count, seed, async (next) => {
        const text = await cargoTest("canaries", { env: { FLEETFOLD_SEED: String(next) }, log });
        return sum(text, /^0 of 70 canaries in (\d+) /gm);
      });
      return { count: done };
    },
  },
  {
    name: "strings",
    what: "no hostile string runs as script in the page",
    unit: "strings",
    short: 50,
    long: 200,
    async run({ count, seed, log }) {
      const env = { FLEETFOLD_HOSTILE_STRINGS: String(Math.max(count, 1)), FLEETFOLD_SEED: String(seed) };
      const text = await nodeTest([join("tests", "web", "hostile.test.mjs")], { env, log });
      const [, fields, views] = text.match(/hostile strings in (\d+) fields and (\d+) views/) ?? [];
      return {
        count: sum(text, /^(\d+) hostile strings in \d+ fields/gm),
        note: `in ${fields} fields and ${views} views`,
      };
    },
  },
  {
    name: "seeded-bugs",
    what: "the vectors catch every fault that is built into the engine on purpose",
    unit: "faults caught",
    seed: false,
    short: 20,
    long: 20,
    always: true,
    async run({ log }) {
      const features = ["--features", "fleetfold-vectors/seeded-bugs", "--test", "seeded_bugs"];
      const args = ["test", "--workspace", "--locked", ...features, "--", "--nocapture"];
      const text = await output("cargo", args, { log });
      const [, caught, all] = text.match(/^(\d+) of (\d+) seeded bugs are caught/m) ?? [];
      if (!caught || caught !== all) throw new Error(`${caught ?? 0} of ${all ?? "?"} seeded bugs are caught`);
      return { count: Number(caught), note: `${caught} of ${all}` };
    },
  },
  {
    name: "kubernetes",
    what: "the suite of the runner and the webhook passes on the newest and the oldest supported Kubernetes",
    unit: "tests passed",
    seed: false,
    short: 50,
    long: 100,
    always: true,
    async run({ isShort, log }) {
      const files = inTests("cluster", ".test.mjs")
        .filter((it) => !it.startsWith("reliability-"))
        .map((it) => join("tests", "cluster", it))
        .concat(join("tests", "install", "apply.test.mjs"));
      let [count, notes] = [0, []];
      for (const version of isShort ? ["newest"] : ["newest", "oldest"]) {
        const text = await nodeTest(files, { env: { FLEETFOLD_KUBERNETES: version }, log });
        const [, release] = text.match(/^the servers are Kubernetes (v\S+)$/m) ?? [];
        if (!release) throw new Error(`the ${version} servers did not say their version`);
        const passed = sum(text, /^ℹ pass (\d+)$/gm);
        count += passed;
        notes = [...notes, `${passed} on ${release}`];
      }
      return { count, note: notes.join(", ") };
    },
  },
];
