// Builds the raw module in one of its forms, with the flags of `wasm/builder`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

/** The module `fast` or `small`; `named` keeps the names of its functions. */
export function build(form, { named = false } = {}) {
  const out = join(target, "size");
  const command = named ? "named" : form;
  const tool = ["run", "--quiet", "--locked", "-p", "fleetfold-tools", "--"];
  execFileSync("cargo", [...tool, command, join(target, "module"), out], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return readFileSync(join(out, `fleetfold-${command}.wasm`));
}
