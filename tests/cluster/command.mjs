// `fleetfold` as a command that ends: what it prints, and with which code.
import { execFile, spawnSync } from "node:child_process";
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

/** The same while this process goes on, so that servers in it can answer the command. */
export function commandBeside(args) {
  return new Promise((resolve) => {
    execFile(fleetfold, args, { encoding: "utf8", maxBuffer: 1 << 28 }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out, err }),
    );
  });
}

/** The plan of a real hub, as JSON. Members are contacted, unless `contact` is false and no runner has done so. */
export function planOf(plane, args = [], { contact = true } = {}) {
  const { code, out, err } = command([
    "plan",
    "--from-cluster",
    "--kubeconfig",
    plane.KUBECONFIG,
    "-o",
    "json",
    ...(contact ? ["--contact-members"] : []),
    ...args,
  ]);
  if (code > 1) throw new Error(`plan ends with ${code}: ${err}`);
  return { code, ...JSON.parse(out) };
}
