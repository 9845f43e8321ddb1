// The npm package in Node: answers every vector and prints the same digest as every other host.
//   fleetfold vectors DIR --requests | node tests/hosts/package.mjs
import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pack } from "../web/package-packed.mjs";
import { cases } from "./requests.mjs";

const { Workspace } = await import(pathToFileURL(join(pack().folder, "dist", "node.js")));
const hash = createHash("sha256");
const all = cases();
for (const requests of all) {
  const workspace = new Workspace();
  for (const request of requests) hash.update(`${workspace.callText(request)}\n`);
  workspace.free();
}
console.log(`answers sha256:${hash.digest("hex")}`);
console.log(`${all.length} answered`);
