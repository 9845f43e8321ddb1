// Writes the contract's JSON Schema and TypeScript types, and the page of codes, which are made from the engine's records. A test fails when
// these files are not what the engine says.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const schema = (...args) =>
  execFileSync("cargo", ["run", "--quiet", "--locked", "--bin", "fleetfold", "--", "schema", ...args], {
    cwd: root,
    maxBuffer: 1 << 26,
  });
writeFileSync(new URL("contract.schema.json", import.meta.url), schema());
writeFileSync(new URL("contract.ts", import.meta.url), schema("--typescript"));
writeFileSync(new URL("../docs/codes.md", import.meta.url), schema("--codes"));
