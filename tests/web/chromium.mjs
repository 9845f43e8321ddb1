// Finds the Chromium that the tests drive, or installs Debian's. Run by itself it makes sure that there is one.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The path of Chromium: `CHROMIUM`, or what the path has. */
export function chromium() {
  const found = named() ?? onPath();
  if (found) return found;
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) {
    throw new Error("there is no Chromium: install the package chromium, or say in CHROMIUM where one is");
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = () => spawnSync("apt-get", ["install", "-y", "--no-install-recommends", "chromium"], { env, stdio: ["ignore", process.stderr, "inherit"] });
  // A fresh machine may not know its packages yet.
  if (install().status !== 0) {
    execFileSync("apt-get", ["update"], { env, stdio: ["ignore", process.stderr, "inherit"] });
    install();
  }
  const installed = onPath();
  if (!installed) throw new Error("apt-get could not install chromium: install it by hand, or say in CHROMIUM where one is");
  return installed;
}

function named() {
  const path = process.env.CHROMIUM;
  if (path && !existsSync(path)) throw new Error(`CHROMIUM says ${path}, and there is nothing`);
  return path || undefined;
}

function onPath() {
  return (process.env.PATH ?? "")
    .split(":")
    .map((it) => `${it}/chromium`)
    .find((it) => existsSync(it));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(execFileSync(chromium(), ["--version", "--no-sandbox"], { encoding: "utf8" }).trim());
