// The short form of the differential runs: every verb, with its share of the cases. `npm run model` is the long one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { run, sharesOf, vectorOf } from "./differential.mjs";
import { read, write } from "./json.mjs";
import { VERBS } from "./verbs.mjs";

const CASES = 100_000;
const SEED = "1";

test("integers beyond 2^53 are read and written exactly", () => {
  const text = '{"a":[9007199254740993,-9223372036854775808,1.5,"9007199254740993"],"b":{"__proto__":1}}';
  assert.equal(write(read(text)), text);
});

for (const [name, count] of sharesOf(Object.keys(VERBS), CASES)) {
  test(`${name}: ${count} cases give the answer of the second implementation`, async () => {
    const differences = [];
    const totals = await run(name, { count, seed: SEED, onDifference: (it) => differences.push(vectorOf(it)) });
    assert.deepEqual(differences, []);
    assert.equal(totals.cases, count);
    // A generator whose input is mostly refused, or never, compares little.
    assert.ok(totals.refused < count / 2, `${totals.refused} of ${count} cases are refused`);
  });
}

test("a wrong answer is found, shrunk and printed as a vector", async () => {
  const { select } = VERBS;
  const wrong = { ...select, answer: (it) => select.answer(it).slice(1) };
  const found = [];
  await run("select", { count: 500, seed: SEED, verb: wrong, most: 1, onDifference: (it) => found.push(it) });
  assert.equal(found.length, 1);
  assert.equal(found[0].case.request.clusters.length, 1, "the fleet is shrunk to one cluster");
  assert.match(vectorOf(found[0]), /^select: case \d+ of seed 1 differs\n\{\n {2}"name": "select-…"/);
});
