// The table of `npm run trust`: a row that fails, that cannot run or that does too little is never a row that held.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../cluster/documents.mjs";
import { linesOf } from "./generated.mjs";
import { ROWS, enoughOfEach, plansByKind } from "./rows.mjs";
import { nodeTest, output, sum } from "./run.mjs";
import { runRows, tableOf, wantedOf } from "./table.mjs";

const logs = mkdtempSync(join(tmpdir(), "fleetfold-trust-"));
after(() => rmSync(logs, { recursive: true }));

const row = (name, run, counts = { short: 2, long: 1000 }) => ({ name, what: "w", unit: "cases", ...counts, run });
const options = { isShort: false, scale: 0.01, seed: 7, logs };

test("a row holds only if it did what was asked for", async () => {
  const rows = [
    row("enough", async ({ count }) => ({ count, note: "fine" })),
    row("little", async ({ count }) => ({ count: count - 1 })),
    row("nothing", async () => ({})),
    row("thrown", async () => {
      throw new Error("seed 7 differs | here\nand there");
    }),
  ];
  const results = await runRows(rows, options);
  assert.deepEqual(
    results.map((it) => it.problem),
    [undefined, "only 9 of 10 cases", "only undefined of 10 cases", "seed 7 differs | here\nand there"],
  );
  const lines = tableOf(results).split("\n");
  assert.match(lines[2], /^\| enough \| w \| 7 \| 10 cases \| held; fine \| 0\.0 \|$/);
  assert.match(lines[3], /\*\*failed\*\*: only 9 of 10 cases/);
  assert.match(lines[5], /\| – \| \*\*failed\*\*: seed 7 differs \\\| here and there \|/);
});

test("counts are those of the form, and a part is at least one", () => {
  const [some, all] = [row("some"), row("all", undefined, { short: 2, long: 30, always: true })];
  assert.equal(wantedOf(some, { isShort: true, scale: 0.01 }), 2);
  assert.equal(wantedOf(some, { isShort: false, scale: 1 }), 1000);
  assert.equal(wantedOf(some, { isShort: false, scale: 0.0001 }), 1);
  assert.equal(wantedOf(all, { isShort: false, scale: 0.0001 }), 30);
});

test("a program that fails, is missing or prints no count is an error with its reason", async () => {
  const log = join(logs, "program.log");
  await assert.rejects(output("sh", ["-c", "echo first; echo 'thread panicked at x'; exit 3"], { log }), {
    message: /ended with 3: thread panicked at x$/,
  });
  await assert.rejects(output("no-such-program", [], { log }), /ended with 127/);
  assert.match(readFileSync(log, "utf8"), /== sh -c .*\nfirst\n/);
  assert.equal(sum("seed 1, 10 cases\nseed 1, 1,000 cases", /, ([\d,]+) cases/g), 1010);
  assert.throws(() => sum("0 tests", /(\d+) cases/g), /the output has no/);
});

test("tests that are skipped, fail or do not run are no tests that held", async () => {
  const log = join(logs, "node.log");
  const run = (text, pattern) => {
    const file = join(logs, "some.test.mjs");
    writeFileSync(file, `import test from "node:test";\n${text}`);
    return nodeTest([file], { log, pattern });
  };
  assert.match(await run('test("a", () => console.log("7 cases"));'), /^7 cases$/m);
  await assert.rejects(
    run('test("a", () => {}); test("b", { skip: "why" }, () => {});'),
    /^Error: 1 tests were skipped$/,
  );
  await assert.rejects(run('test("a", () => { throw new Error("x"); });'), /ended with 1/);
  await assert.rejects(run('test("a", () => {});', "another name"), /no test ran/);
});

test("a test that a pattern leaves out is not a skipped test, and a skipped one beside it still is", async () => {
  const log = join(logs, "pattern.log");
  const file = join(logs, "pattern.test.mjs");
  const run = (text) => {
    writeFileSync(file, `import test from "node:test";\n${text}`);
    return nodeTest([file], { log, pattern: "^chosen" });
  };
  const both = 'test("chosen", () => console.log("7 cases")); test("other", () => {}); test("one more", () => {});';
  assert.match(await run(both), /^7 cases$/m);
  for (const skip of ["true", '"why"']) {
    await assert.rejects(run(`${both} test("chosen too", { skip: ${skip} }, () => {});`), {
      message: "1 tests were skipped",
    });
  }
});

test("of each kind of events there are enough plans, and only those with too few are repeated", async () => {
  const asked = [];
  const inOneRound = { missed: 16, merged: 2, repeated: 1, stale: 8 };
  const once = async (kind, rounds) => {
    asked.push([kind, rounds]);
    const kinds = Object.entries(inOneRound).filter(([it]) => kind === undefined || it === kind);
    return plansByKind(
      kinds.map(([it, plans]) => `${plans * rounds} plans of ${it} events, all converged, 0 deletes`).join("\n"),
    );
  };
  const done = await enoughOfEach(["missed", "merged", "stale"], 10, once);
  assert.deepEqual(asked, [
    [undefined, 1],
    ["merged", 4],
    ["stale", 1],
  ]);
  assert.deepEqual(done, { missed: 16, merged: 10, repeated: 1, stale: 16 });
  await assert.rejects(enoughOfEach(["missed", "late"], 1, once), /no plan of late events/);
  const lazy = async (kind) => (kind === undefined ? { missed: 1 } : {});
  await assert.rejects(enoughOfEach(["missed"], 5, lazy), /less than 5 plans of missed events/);
});

test("every row of the targets has a name, a sentence and counts", () => {
  assert.equal(new Set(ROWS.map((it) => it.name)).size, ROWS.length);
  for (const { name, what, unit, short, long, run } of ROWS) {
    assert.ok(what && unit && short > 0 && long >= short && run, name);
  }
});

test("docs/reliability.md explains every row", () => {
  const page = readFileSync(join(root, "docs", "reliability.md"), "utf8");
  for (const { name } of ROWS) assert.ok(page.includes(`### ${name}\n`), `${name} is not explained`);
  const headings = [...page.matchAll(/^### (\S+)$/gm)].map(([, name]) => name);
  assert.deepEqual(
    headings,
    ROWS.map((it) => it.name),
  );
});

test("wrong usage exits with 2 and names what is known", () => {
  const trust = (...args) => spawnSync("node", ["tests/trust.mjs", ...args], { cwd: root, encoding: "utf8" });
  for (const args of [
    ["--only", "nothing"],
    ["--scale", "0"],
    ["--seed", "x"],
  ]) {
    assert.equal(trust(...args).status, 2, args.join(" "));
  }
  assert.match(trust("--only", "nothing").stderr, /^error: there is no row nothing; known: vectors, oracles/);
  assert.match(trust("--list").stdout, /^canaries +no secret canary/m);
});

test("generated cases are the same for a seed, and others for another", () => {
  const [one, again, other] = [linesOf(7, 0, 40), linesOf(7, 0, 40), linesOf(8, 0, 40)];
  assert.equal(one, again);
  assert.notEqual(one, other);
  const requests = one
    .trimEnd()
    .split("\n")
    .map((it) => JSON.parse(it));
  assert.equal(requests.length, 40);
  const ops = new Set(requests.flat().map((it) => it.match(/"op":"(\w+)"/)?.[1]));
  for (const op of ["parse", "select", "fold", "patch"]) assert.ok(ops.has(op), op);
});
