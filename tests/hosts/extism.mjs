// The plugin in Extism's host for Node: answers every vector and prints the same digest as every other host.
//   fleetfold vectors DIR --requests | node tests/hosts/extism.mjs PLUGIN
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import createPlugin from "@extism/extism";
import { cases } from "./requests.mjs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
const hash = createHash("sha256");
const all = cases();
for (const requests of all) {
  // One instance is one workspace.
  const plugin = await createPlugin(module);
  for (const request of requests) hash.update(`${(await plugin.call("call", request)).text()}\n`);
  await plugin.close();
}
console.log(`answers sha256:${hash.digest("hex")}`);
console.log(`${all.length} answered`);
