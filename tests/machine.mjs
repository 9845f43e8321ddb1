// What a fresh machine lacks: Debian's packages, and what is fetched or built once into a cache outside of the tree.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The first of these programs that the path has. */
export function onPath(...programs) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find((it) => existsSync(it));
}

/** Installs packages of Debian's, where that is possible; `otherwise` says what somebody can do where it is not. */
export function install(packages, otherwise) {
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) throw new Error(otherwise);
  const apt = (...args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    return spawnSync("apt-get", args, { env, stdio: ["ignore", process.stderr, "inherit"] }).status === 0;
  };
  const add = () => apt("install", "-y", "--no-install-recommends", ...packages);
  // A fresh machine may not know its packages yet.
  if (!add() && !(apt("update") && add()))
    throw new Error(`apt-get could not install ${packages.join(", ")}; ${otherwise}`);
}

/** Everything that the tests keep outside of the tree is in this folder. */
export function cache() {
  return process.env.FLEETFOLD_CACHE ?? join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "fleetfold");
}

/**
 * A folder of the cache that `fill(folder)` filled, now or earlier. It is named after everything that goes into it:
 * other inputs, another folder. It is filled beside its place and then renamed: whoever looks sees all of it or
 * nothing.
 */
export function cached(name, inputs, fill) {
  const hash = createHash("sha256");
  for (const input of inputs) hash.update(input).update("\0");
  const folder = join(cache(), `${name}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache(), { recursive: true });
  const unfinished = mkdtempSync(join(cache(), "unfinished-"));
  try {
    fill(unfinished);
    // Somebody else may have been faster.
    if (!existsSync(folder)) renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Runs a program to its end. What it prints is of interest only when it fails. */
export function run(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    ...options,
  });
  if (status !== 0)
    throw new Error(
      `${command} ${args.join(" ")} ends with ${error?.message ?? status}\n${stdout ?? ""}${stderr ?? ""}`,
    );
}
