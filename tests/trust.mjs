// Runs the suites with large counts and prints one table: what was tried, how often, from which seed, and whether it
// held.
//
//   npm run trust                             every row, in the long form: many hours
//   npm run trust -- --short                  the counts of `npm test`
//   npm run trust -- --only oracles,fuzz      some rows; `--list` prints their names
//   npm run trust -- --scale 0.01 --seed 7    a hundredth of each count, from this seed
//
// docs/reliability.md explains the rows. What a row prints is in target/trust/<row>.log.
// Exits with 1 if a row fails. A row that cannot run, or that does less than was asked for, fails.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepare, ROWS } from "./trust/rows.mjs";
import { headOf, runRows, tableOf } from "./trust/table.mjs";
import { target } from "./trust/run.mjs";

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    only: { type: "string" },
    scale: { type: "string", default: "1" },
    seed: { type: "string" },
    list: { type: "boolean", default: false },
    "no-build": { type: "boolean", default: false },
  },
});

const names = ROWS.map((it) => it.name);
const only = values.only?.split(",") ?? names;
const unknown = only.filter((it) => !names.includes(it));
const scale = Number(values.scale);
const seed = Number(values.seed ?? new Date().toISOString().slice(0, 10).replaceAll("-", ""));
if (unknown.length > 0) usage(`there is no row ${unknown.join(", ")}; known: ${names.join(", ")}`);
if (!(scale > 0)) usage("--scale is a number above 0");
if (!Number.isSafeInteger(seed) || seed < 0) usage("--seed is a whole number");

if (values.list) {
  for (const { name, what } of ROWS) console.log(`${name.padEnd(14)}${what}`);
} else {
  const logs = join(target, "trust");
  mkdirSync(logs, { recursive: true });
  const options = { isShort: values.short, scale, seed, logs };
  console.log(headOf(options));
  if (!values["no-build"]) await prepare(options);
  const results = await runRows(
    ROWS.filter((it) => only.includes(it.name)),
    options,
    (line) => console.error(line),
  );
  console.log(`\n${tableOf(results)}`);
  const failed = results.filter((it) => it.problem);
  console.log(`\n${results.length - failed.length} rows held, ${failed.length} failed`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function usage(message) {
  console.error(`error: ${message}`);
  process.exit(2);
}
