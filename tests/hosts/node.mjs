// The raw module in Node, with no glue: answers every vector and prints the same digest as every other host. Then
// doubles.
//   fleetfold vectors DIR --requests | node tests/hosts/node.mjs MODULE
import { readFileSync } from "node:fs";
import { start } from "./anywhere.mjs";
import { workspace } from "./anywhere/javascript/host.mjs";

const path = process.argv[2];
const { status } = start("javascript", path, { stdio: "inherit" });
if (status !== 0) process.exit(1);

// Doubles against the engine that defines how RFC 8785 writes them: random bit patterns, and decimals as people write
// them.
const bits = new DataView(new ArrayBuffer(8));
let state = 20261116n;
const random = () => (state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n));
const doubles = [];
while (doubles.length < 100_000) {
  bits.setBigUint64(0, random() ^ (random() >> 32n));
  const wild = bits.getFloat64(0);
  const tame = Number(random() % 10n ** 17n) / 10 ** Number(random() % 18n) + 2 ** Number(random() % 53n);
  for (const double of [wild, tame]) {
    // Written as digits alone, an integer beyond int64 is refused by the contract.
    const readable =
      Number.isFinite(double) && (!Number.isInteger(double) || Math.abs(double) < 2 ** 63 || Math.abs(double) >= 1e21);
    if (readable) doubles.push(double);
  }
}
const call = workspace(new WebAssembly.Module(readFileSync(path)));
let wrong = 0;
for (let at = 0; at < doubles.length; at += 1_000) {
  const some = doubles.slice(at, at + 1_000);
  // More digits than needed, so that reading has to round.
  const text = `{"n":[${some.map((double) => double.toExponential(20)).join(",")}]}`;
  const answer = call(JSON.stringify({ op: "parse", text }));
  const wanted = `{"ok":{"documents":[{"n":[${some.map((double) => JSON.stringify(double)).join(",")}]}]}}`;
  if (answer !== wanted) wrong += 1;
}
console.log(`${doubles.length} doubles, ${wrong} of ${doubles.length / 1_000} thousands differ`);
if (wrong) process.exitCode = 1;
