// The engine as a process that reads a request a line and writes an answer a line.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

/** The command, or the one that `FLEETFOLD_ENGINE` names (words, no quotes). */
function commandLine() {
  const given = process.env.FLEETFOLD_ENGINE;
  return given ? given.split(" ") : [join(target, "debug", "fleetfold"), "call", "--native"];
}

/** Starts an engine: `ask` takes lines and answers lines, `close` ends it. */
export function startEngine() {
  const [command, ...args] = commandLine();
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let failure;
  const fail = (error) => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  child.on("error", (error) => fail(new Error(`${command} does not start: ${error.message}`)));
  child.stdin.on("error", fail);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [first] = waiting;
    first.lines.push(line);
    if (first.lines.length === first.count) waiting.shift().resolve(first.lines);
  });
  const closed = new Promise((resolve) => {
    child.on("close", (code) => {
      fail(new Error(`${command} ended with ${code}`));
      resolve(code);
    });
  });
  return {
    ask(requests) {
      if (failure) return Promise.reject(failure);
      if (requests.length === 0) return Promise.resolve([]);
      return new Promise((resolve, reject) => {
        waiting.push({ count: requests.length, lines: [], resolve, reject });
        child.stdin.write(`${requests.join("\n")}\n`);
      });
    },
    close() {
      child.stdin.end();
      return closed;
    },
  };
}
