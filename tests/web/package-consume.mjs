// Temporary projects that install the packed tarball.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./package-packed.mjs";

/** The expected output of `package-consumer.ts` in every runtime. */
export const SAID = [
  "0 diagnostics",
  "wins cluster-option-override 5 fleet.yaml:14",
  "shadowed preset 3 fleet.yaml:13",
  "9007199254740994",
  "PluginPreset/acme/metrics",
  '[{"day":false,"mode":420}]',
  "eu-1",
  "unknown-field /texts",
  "refused",
  "bad-yaml 1:8 9",
];

/** Creates a project with the tarball installed and `package-consumer.ts` beside its own files. */
export function project(packed, name, manifest, files = {}) {
  const folder = join(packed.scratch, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, ...manifest }));
  run("npm", ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", packed.tarball], folder);
  copyFileSync(fileURLToPath(new URL("package-consumer.ts", import.meta.url)), join(folder, "consumer.ts"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}

/** Compiles a project including the types of the package: no `skipLibCheck`. */
export function compile(folder, options) {
  const strict = [
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
    "--types",
    "",
    "--pretty",
    "false",
  ];
  run(tool("tsc"), [...strict, ...options], folder);
}

export function tool(name) {
  return join(root, "node_modules", ".bin", name);
}

/** Returns the output of a command; a failure carries the output in its error. */
export function run(command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new Error(`${command} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}
