// Runs the program of a row, keeps what it prints, and counts in it.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../cluster/documents.mjs";

export const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

/** Runs a program to its end and answers its output. Throws when it fails, with the end of what it printed. */
export async function output(command, args, { env = {}, log, cwd = root } = {}) {
  const shown = [command, ...args].join(" ");
  appendFileSync(
    log,
    `\n== ${Object.entries(env)
      .map(([key, value]) => `${key}=${value} `)
      .join("")}${shown}\n`,
  );
  const { code, text } = await new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, CGO_ENABLED: "0", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (data) => {
        text += data;
        appendFileSync(log, data);
      });
    }
    child.on("error", (error) => resolve({ code: 127, text: error.message }));
    child.on("close", (code, signal) => resolve({ code: code ?? signal, text }));
  });
  if (code !== 0) throw new Error(`${shown} ended with ${code}: ${reasonIn(text)}`);
  return text;
}

/** The line that says most about a failure. */
function reasonIn(text) {
  const lines = text.split("\n").map((it) => it.trim());
  const telling = lines.filter((it) => /panicked at|^error|Error:|not ok|✖|differs|does not hold|FAIL/.test(it));
  return (telling[0] ?? lines.findLast((it) => it) ?? "no output").slice(0, 300);
}

/** The sum of all numbers that a pattern finds, `1,000` as a thousand. Throws when there is none. */
export function sum(text, pattern) {
  const found = [...text.matchAll(pattern)].map(([, number]) => Number(number.replaceAll(",", "")));
  if (found.length === 0) throw new Error(`the output has no ${pattern}`);
  return found.reduce((total, it) => total + it, 0);
}

/** Tests of a Rust file, with the binaries that `npm test` builds. */
export function cargoTest(file, { env, log, filter = [] }) {
  const args = ["test", "--workspace", "--locked", "--test", file, "--", "--nocapture", ...filter];
  return output("cargo", args, { env, log });
}

/** Tests of Node files, one file after the other. */
export async function nodeTest(files, { env, log, pattern }) {
  const named = pattern ? [`--test-name-pattern=${pattern}`] : [];
  const args = ["--test", "--test-reporter=spec", "--test-concurrency=1", ...named, ...files];
  // A run inside of a test would report to that one in place of printing.
  const text = await output("node", args, { env: { ...env, NODE_TEST_CONTEXT: undefined }, log });
  // Node 20 counts the tests that the pattern leaves out as skipped; later versions do not report them.
  const leftOut = [...text.matchAll(/^\s*﹣ .* # test name does not match pattern$/gm)].length;
  const skipped = sum(text, /^ℹ skipped (\d+)$/gm) - leftOut;
  if (skipped > 0) throw new Error(`${skipped} tests were skipped`);
  if (sum(text, /^ℹ pass (\d+)$/gm) === 0) throw new Error("no test ran");
  return text;
}
