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
