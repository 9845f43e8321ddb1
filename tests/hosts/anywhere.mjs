// The raw module in runtimes that nobody here wrote, each with the host that docs/load-anywhere.md shows: answers every
// vector and prints the same digest as every other host.
//
//   fleetfold vectors DIR --requests | node tests/hosts/anywhere.mjs go|python|javascript|java MODULE
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, run } from "../machine.mjs";
import { java } from "./java.mjs";
import { python } from "./python.mjs";

export const folder = fileURLToPath(new URL("anywhere", import.meta.url));

/** How each is started: a program and its first arguments. */
export const HOSTS = {
  go: () => [go(), []],
  python: () => [python(), ["-B", join(folder, "python", "vectors.py")]],
  javascript: () => [process.execPath, [join(folder, "javascript", "vectors.mjs")]],
  java: () => {
    const [program, args] = java();
    return [program, [...args, "Vectors"]];
  },
};

/** Memory in pages of 64 KiB and milliseconds for one vector: far more than any takes, on a busy machine too. */
const LIMITS = ["4096", "60000"];

/** Runs a host to its end, with standard input as it comes or as given. */
export function start(language, module, { limits = LIMITS, mode = [], ...options } = {}) {
  const [program, args] = HOSTS[language]();
  return spawnSync(program, [...args, module, ...limits, ...mode], {
    maxBuffer: 2 ** 30,
    timeout: 300_000,
    ...options,
  });
}

function go() {
  const sources = join(folder, "go");
  const version = spawnSync("go", ["env", "GOVERSION", "GOARCH"], { encoding: "utf8" }).stdout ?? "";
  const files = readdirSync(sources);
  const built = cached(
    "wazero",
    [version, ...files, ...files.map((it) => readFileSync(join(sources, it)))],
    (unfinished) => {
      const env = { ...process.env, CGO_ENABLED: "0" };
      run("go", ["build", "-buildvcs=false", "-o", join(unfinished, "anywhere"), "."], { cwd: sources, env });
    },
  );
  return join(built, "anywhere");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [language, module] = process.argv.slice(2);
  if (!HOSTS[language] || !module) throw new Error(`wanted: ${Object.keys(HOSTS).join("|")} MODULE`);
  const { status, error } = start(language, module, { stdio: "inherit" });
  if (error) throw error;
  process.exitCode = status ?? 1;
}
