// `fleetfold` as a command that ends: what it prints, and with which code.
import { spawnSync } from "node:child_process";
import { fleetfold } from "./runner.mjs";

/** Runs a command and answers `{ code, out, err }`. */
export function command(args, { input, env } = {}) {
  const { status, stdout, stderr, error } = spawnSync(fleetfold, args, {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  return { code: status, out: stdout, err: stderr };
}

/** The plan of a real hub, as JSON. */
export function planOf(plane, args = []) {
  const { code, out, err } = command([
    "plan",
    "--from-cluster",
    "--kubeconfig",
    plane.KUBECONFIG,
    "-o",
    "json",
    ...args,
  ]);
  if (code > 1) throw new Error(`plan ends with ${code}: ${err}`);
  return { code, ...JSON.parse(out) };
}
