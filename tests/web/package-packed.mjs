// Packs the npm package and unpacks it into a temporary folder.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Returns `tarball`, the list of its `files`, the `folder` with the unpacked package, and an empty `scratch` folder.
 */
export function pack() {
  if (!existsSync(join(root, "web", "dist", "engine.wasm")))
    throw new Error("no package in web/dist: node web/build.mjs makes it");
  const scratch = mkdtempSync(join(tmpdir(), "fleetfold-package-"));
  process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const said = execFileSync("npm", ["pack", "--json", "--workspace", "web", "--pack-destination", scratch], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed = Object.values(JSON.parse(said))[0];
  const tarball = join(scratch, packed.filename);
  execFileSync("tar", ["-xzf", tarball, "-C", scratch]);
  return {
    tarball,
    files: packed.files.map((it) => it.path).sort(),
    size: packed.size,
    folder: join(scratch, "package"),
    scratch,
  };
}
