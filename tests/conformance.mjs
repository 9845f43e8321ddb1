// What each host passes of the vectors: runs all of them and prints the table of docs/conformance.md.
//
//   node tests/conformance.mjs            compares the page with what the hosts answer
//   node tests/conformance.mjs --write    writes the table into the page
//
// `npm test` compares it too, with the runs that it makes anyway.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./cluster/documents.mjs";
import { conformanceHosts, resultOf } from "./hosts/all.mjs";

const PAGE = join(root, "docs", "conformance.md");
const TABLE = /<!-- hosts: begin -->\n[^]*?<!-- hosts: end -->\n/;

/**
 * The generated part of the page, from what each host answered: `[{ name, runs, compares, digest, version, … }]`.
 * Throws where a host fails: there is no table of a suite that does not pass.
 */
export function tableOf(results) {
  const [native] = results;
  if (!native.version) throw new Error("tests/vectors/VERSION was not printed by `fleetfold vectors`");
  const rows = results.map((it) => {
    const done = it.compares ? it.passed : it.answered;
    if (it.failed) throw new Error(`${it.name}: ${it.failed} vectors failed`);
    if (!done || done !== native.passed)
      throw new Error(`${it.name}: ${done} of ${native.passed} vectors were answered`);
    if (!it.digest || it.digest !== native.digest)
      throw new Error(`${it.name}: digest ${it.digest}, native ${native.digest}`);
    return (
      `| ${it.name} | ${it.runs} | ${done} of ${native.passed} | ` +
      `${it.compares ? "each answer, and the digest" : "the digest"} |`
    );
  });
  return [
    "<!-- hosts: begin -->",
    `Version ${native.version} has ${native.passed} vectors.`,
    `Their digest is \`${native.digest}\`.`,
    "",
    "| host | runs | vectors passed | compared |",
    "|---|---|---|---|",
    ...rows,
    "<!-- hosts: end -->",
    "",
  ].join("\n");
}

/** Nothing where the page has that table; else what is wrong. */
export function differenceOf(results) {
  let table;
  try {
    table = tableOf(results);
  } catch (error) {
    return error.message;
  }
  const page = readFileSync(PAGE, "utf8");
  if (page.match(TABLE)?.[0] === table) return undefined;
  return `docs/conformance.md is out of date; it must have\n\n${table}\nRun: node tests/conformance.mjs --write`;
}

function run({ command, args }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (data) => (output += data));
    child.on("error", (error) => resolve(`${command} does not start: ${error.message}`));
    child.on("close", () => resolve(output));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results = [];
  for (const host of conformanceHosts(join("tests", "vectors"))) {
    results.push({ ...host, ...resultOf(await run(host)) });
    console.error(`${host.name.padEnd(18)}${results.at(-1).digest}`);
  }
  if (process.argv.includes("--write")) {
    const page = readFileSync(PAGE, "utf8");
    if (!TABLE.test(page)) throw new Error("docs/conformance.md has no place for the table");
    writeFileSync(
      PAGE,
      page.replace(TABLE, () => tableOf(results)),
    );
  } else {
    const difference = differenceOf(results);
    if (difference) {
      console.error(difference);
      process.exitCode = 1;
    } else console.log(tableOf(results));
  }
}
