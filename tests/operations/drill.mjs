// Drills every field of every kind: set, change, remove, wrong values, roll back.
// `node tests/operations/drill.mjs --all --seed 1 [--dialect kudo] [--kind OperatorVersion] [--field spec.plans]`
// Without `--all` it is the short form, as in `npm test`.
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { kindOf, readCorpus } from "./corpus.mjs";
import { fieldsOf, readTables } from "./fields.mjs";
import { readFleets, settled } from "./fleets.mjs";
import { Drill } from "./properties.mjs";
import { EXCEPTIONS, EXCLUDED, UNDRILLED } from "./tables.mjs";

/**
 * What is to be drilled: `[{ dialect, kind, fleet, document, fields, excluded }]`, an entry for a kind in a fleet.
 *
 * A kind that no fleet has, and that the table of exceptions does not name, is in `missing`.
 */
export function subjectsOfDrills() {
  const corpus = readCorpus();
  const fleets = readFleets();
  const drills = [];
  const missing = [];
  const undrilled = [];
  const taken = new Set();
  for (const { name: dialect, kinds } of readTables()) {
    for (const kind of kinds) {
      const pattern = new RegExp(`^${`${kind.group}/${kind.kind}`.replace(/[.]/g, "\\.").replace("*", ".*")}$`);
      const reason = UNDRILLED.find((it) => it.kind.test(`${kind.group}/${kind.kind}`))?.reason;
      if (reason) {
        undrilled.push({ dialect, kind: `${kind.group}/${kind.kind}`, reason });
        continue;
      }
      const found = fleets
        .filter((it) => it.dialect === dialect)
        .flatMap((fleet) => candidates(fleet, pattern).map((document) => ({ fleet, document })));
      if (found.length === 0) missing.push(`${kind.group}/${kind.kind}`);
      for (const { fleet, document } of found) {
        const id = kindOf(document);
        if (taken.has(`${dialect} ${fleet.name} ${id}`)) continue;
        taken.add(`${dialect} ${fleet.name} ${id}`);
        const all = fieldsOf(id, kind, [document, ...(corpus.get(id) ?? [])]);
        const isExcluded = (it) => EXCLUDED.some(([of, field]) => of.test(id) && field.test(it.name));
        drills.push({
          dialect,
          kind: id,
          fleet,
          document,
          fields: all.filter((it) => !isExcluded(it)),
          excluded: all.filter(isExcluded).map((it) => it.name),
        });
      }
    }
  }
  const isDrilled = (kind) => drills.some((it) => it.kind === kind);
  return { drills, missing: missing.filter((it) => !isDrilled(it)), undrilled };
}

/** The richest document of each kind of a fleet that a pattern names. */
function candidates(fleet, pattern) {
  const best = new Map();
  for (const document of fleet.documents) {
    const kind = kindOf(document);
    if (!pattern.test(kind) || !fleet.only.test(kind)) continue;
    const size = JSON.stringify(document).length;
    if (!best.has(kind) || best.get(kind).size < size) best.set(kind, { document, size });
  }
  return [...best.values()].map((it) => it.document);
}

/**
 * Drills the fields of one kind in one fleet: `{ fields, operations, failures, excused, without }`.
 *
 * Short: one field of `DRILLED`, with one wrong value, and what is planned is applied for one of `APPLIED`. Another
 * seed takes other ones.
 */
export function drillKind({ kind, fleet, document, fields: all }, { isLong, seed }) {
  const base = settled(fleet);
  const fields = isLong ? all : all.filter((_, index) => (index + seed) % DRILLED === 0);
  const totals = { fields: fields.length, operations: 0, failures: [], excused: [], without: [], unchanged: [] };
  for (const [index, field] of fields.entries()) {
    const drill = new Drill({
      raw: fleet,
      settle: settled,
      settled: base,
      document,
      id: kind,
      field,
      isLong,
      turn: index + seed,
      isApplied: isLong || (index + seed) % APPLIED === 0,
      onOperation: () => (totals.operations += 1),
      onFailure: (it) => totals.failures.push({ kind, fleet: fleet.name, field: field.name, ...it }),
      onExcused: (row) => totals.excused.push(row),
    });
    const reason = drill.run();
    // Null, and what is empty, has no other value of its type.
    if (drill.others?.length === 0 && !isNothing(drill.value)) totals.unchanged.push(field.name);
    if (reason) totals.without.push({ kind, fleet: fleet.name, field: field.name, reason });
  }
  return totals;
}

const isNothing = (value) => value === null || ["{}", "[]"].includes(JSON.stringify(value));

const DRILLED = 2;
const APPLIED = 8;

/** The counts of a kind as a line, under `HEADER`. */
export function countsOf({ kind, fleet }, { fields, operations, failures, without, excused }) {
  const columns = [fields, operations, failures.length + without.length, excused.length];
  return `${columns.map((it) => String(it).padStart(10)).join("")}  ${kind} (${fleet.name})`;
}

export const HEADER = "    fields operations  failures   excused  kind (fleet)";

/** A property that does not hold, or a field without a value, as a line. */
export const lineOf = ({ kind, fleet, field, operation, property, message, reason }) =>
  property
    ? `${kind} (${fleet}) ${field}, ${operation}: the property \`${property}\` is broken: ${message}`
    : `${kind} (${fleet}) ${field} is not drilled: ${reason}`;

/** Drills everything, in the long form by default. Returns `{ operations, failures }`, failures as lines. */
export function drillEverything({ seed = 1, isLong = true, only = {}, print = console.log } = {}) {
  const { drills, missing } = subjectsOfDrills();
  const failures = missing.map((kind) => `no fleet has a document of ${kind}, and no table says why`);
  const excused = new Set();
  let operations = 0;
  const isWanted = (it) =>
    (!only.dialect || it.dialect === only.dialect) && (!only.kind || it.kind.endsWith(`/${only.kind}`));
  print(HEADER);
  for (const drill of drills.filter(isWanted)) {
    const fields = drill.fields.filter((it) => !only.field || it.name === only.field);
    const totals = drillKind({ ...drill, fields }, { isLong, seed });
    print(countsOf(drill, totals));
    operations += totals.operations;
    totals.excused.forEach((row) => excused.add(row));
    const lines = [...totals.without, ...totals.failures].map(lineOf);
    lines.forEach((line) => print(`  ${line}`));
    failures.push(...lines);
  }
  // A row that excuses nothing any more hides the next mistake.
  const isWhole = isLong && Object.values(only).every((it) => it === undefined);
  const unused = isWhole ? EXCEPTIONS.filter((it) => !excused.has(it)) : [];
  failures.push(
    ...unused.map(({ kind, field, property }) => `no drill needs the exception of ${kind ?? ""} ${field} ${property}`),
  );
  return { operations, failures };
}

function main() {
  const { values } = parseArgs({
    options: {
      all: { type: "boolean", default: false },
      seed: { type: "string", default: "1" },
      dialect: { type: "string" },
      kind: { type: "string" },
      field: { type: "string" },
    },
  });
  const { dialect, kind, field } = values;
  const only = { dialect, kind, field };
  const { operations, failures } = drillEverything({ seed: Number(values.seed), isLong: values.all, only });
  for (const line of failures.filter((it) => it.startsWith("no "))) console.log(line);
  console.log(`${operations} operations, ${failures.length} failures`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
