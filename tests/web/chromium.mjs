// Finds the Chromium that the tests drive, or installs Debian's package. As a script it only makes sure that Chromium
// is installed.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { install, onPath } from "../machine.mjs";

/** The path of Chromium: `CHROMIUM`, else `chromium` from the PATH. */
export function chromium() {
  const found = named() ?? onPath("chromium");
  if (found) return found;
  install(["chromium"], "install Chromium, or say in CHROMIUM where one is");
  return onPath("chromium");
}

function named() {
  const path = process.env.CHROMIUM;
  if (path && !existsSync(path)) throw new Error(`CHROMIUM says ${path}, and there is nothing`);
  return path || undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(execFileSync(chromium(), ["--version", "--no-sandbox"], { encoding: "utf8" }).trim());
