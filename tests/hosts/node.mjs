// The raw module in Node, with no glue: answers every vector and prints the same digest as every other host.
//   fleetfold vectors DIR --requests | node tests/hosts/node.mjs MODULE
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));

/** One instance is one workspace. It imports nothing. */
function workspace() {
  const { memory, fleetfold_abi, fleetfold_alloc, fleetfold_free, fleetfold_call } = new WebAssembly.Instance(module, {}).exports;
  if (fleetfold_abi() !== 1) throw new Error(`abi ${fleetfold_abi()}, wanted 1`);
  return (request) => {
    const bytes = new TextEncoder().encode(request);
    const place = fleetfold_alloc(bytes.length);
    new Uint8Array(memory.buffer).set(bytes, place);
    const answer = BigInt.asUintN(64, fleetfold_call(place, bytes.length));
    const [start, length] = [Number(answer >> 32n), Number(answer & 0xffffffffn)];
    const text = new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(memory.buffer, start, length));
    fleetfold_free(place, bytes.length);
    fleetfold_free(start, length);
    return text;
  };
}

const hash = createHash("sha256");
const cases = readFileSync(0, "utf8").trimEnd().split("\n");
for (const line of cases) {
  const call = workspace();
  for (const request of JSON.parse(line)) hash.update(`${call(request)}\n`);
}
console.log(`answers sha256:${hash.digest("hex")}`);
console.log(`${cases.length} answered`);

// Doubles against the engine that defines how RFC 8785 writes them: random bit patterns, and decimals as people write them.
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
    const readable = Number.isFinite(double) && (!Number.isInteger(double) || Math.abs(double) < 2 ** 63 || Math.abs(double) >= 1e21);
    if (readable) doubles.push(double);
  }
}
const call = workspace();
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
