// Finds a Python that has the packages of requirements.txt, or makes one: an environment in the cache, outside of the
// tree.
//
//   node tests/hosts/python.mjs SCRIPT ARGS…     runs a script with it
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, install, onPath, run } from "../machine.mjs";

const requirements = fileURLToPath(new URL("requirements.txt", import.meta.url));

/** The interpreter's path. */
export function python() {
  const base = onPath("python3") ?? installed();
  // Where it really is, not a version manager's stand-in for it.
  const { status, stdout, stderr } = spawnSync(base, ["-c", "import sys; print(sys.base_prefix, sys.version)"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${base} is not a Python 3: ${stderr}`);
  const folder = cached("python", [readFileSync(requirements), stdout], (unfinished) => {
    console.error("fetching the Python packages of tests/hosts/requirements.txt");
    // Debian has Python without what fills an environment.
    if (spawnSync(base, ["-c", "import ensurepip"]).status !== 0) installed();
    run(base, ["-m", "venv", unfinished]);
    const pip = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--no-input",
      "--only-binary",
      ":all:",
    ];
    run(join(unfinished, "bin", "python"), [...pip, "--require-hashes", "--requirement", requirements]);
  });
  return join(folder, "bin", "python");
}

function installed() {
  install(["python3", "python3-venv"], "install Python 3.9 or newer with its module venv");
  return onPath("python3");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Nothing is written beside the script.
  const { status, error } = spawnSync(python(), ["-B", ...process.argv.slice(2)], { stdio: "inherit" });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
