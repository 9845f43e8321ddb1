// Runs generated cases through the engine and the second implementation, and compares what the documents promise.
// `npm run model -- --cases 100000 --seed 1 --verb fold,match`
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { startEngine } from "./engine.mjs";
import { randomOf, seedOf } from "./generate/random.mjs";
import { clone, isMap, read, Refusal, same, write } from "./json.mjs";
import { VERBS } from "./verbs.mjs";

const BATCH = 500;
const NAMING = [
  "op",
  "apiVersion",
  "kind",
  "metadata",
  "name",
  "uid",
  "path",
  "set",
  "key",
  "operator",
  "live",
  "port",
  "containerPort",
  "namespace",
  "spec",
  "documents",
  "complete",
  "limits",
  "plugin",
  "pluginDefinitionRef",
  "clusterName",
  "targetType",
];

/** The requests of a case, as lines: what is loaded, the question, and what makes the workspace empty again. */
const linesOf = (verb, it) => [...(it.given ?? []), it.request, ...(verb.after?.(it) ?? [])].map(write);

function modelAnswer(verb, it) {
  try {
    return verb.answer(it);
  } catch (error) {
    if (error instanceof Refusal) return { refused: true };
    throw error;
  }
}

/** What the engine says about a case, in the words of the model. */
function engineAnswer(verb, it, lines) {
  const given = it.given?.length ?? 0;
  for (const [index, line] of lines.entries()) {
    if (index !== given && line.startsWith('{"error"')) throw new Error(`a set-up request is refused: ${line}`);
  }
  const answer = read(lines[given]);
  return answer.error ? { refused: true } : verb.view(answer.ok, it, answer);
}

/** Compares one case: undefined where both agree, else `{ model, engine, explained }`. */
function compare(verb, it, lines) {
  const model = modelAnswer(verb, it);
  const engine = engineAnswer(verb, it, lines);
  if (same(model, engine)) return undefined;
  return { model, engine, explained: verb.explained?.(it, model, engine) };
}

/** How many of all cases each verb gets: `[name, count]`. */
export function sharesOf(names, cases) {
  const whole = names.reduce((sum, name) => sum + VERBS[name].share, 0);
  return names.map((name) => [name, Math.ceil((cases * VERBS[name].share) / whole)]);
}

/** Runs `count` cases of a verb; `onDifference` hears of each unexplained one, shrunk. */
export async function run(name, { count, seed, verb = VERBS[name], onDifference = () => {}, most = 5 }) {
  const engine = startEngine();
  const totals = { verb: name, cases: 0, refused: 0, explained: {}, differences: 0 };
  try {
    let pending;
    for (let start = 0; start < count && totals.differences < most; start += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => start + index);
      const cases = numbers.map((number) => ({ number, ...verb.generate(randomOf(seedOf(seed, name, number))) }));
      const answers = engine.ask(cases.flatMap((it) => linesOf(verb, it)));
      // The engine works on this batch while the model looks at the one before.
      if (pending) await check(verb, pending, totals, { engine, seed, onDifference, most });
      pending = { cases, lines: await answers };
    }
    if (pending) await check(verb, pending, totals, { engine, seed, onDifference, most });
  } finally {
    await engine.close();
  }
  return totals;
}

async function check(verb, { cases, lines }, totals, { engine, seed, onDifference, most }) {
  let at = 0;
  for (const it of cases) {
    if (totals.differences >= most) return;
    const own = lines.slice(at, (at += linesOf(verb, it).length));
    totals.cases += 1;
    const found = compare(verb, it, own);
    if (!found) {
      if (own.some((line) => line.startsWith('{"error"'))) totals.refused += 1;
    } else if (found.explained) {
      totals.explained[found.explained] = (totals.explained[found.explained] ?? 0) + 1;
    } else {
      totals.differences += 1;
      const small = await shrink(verb, it, engine, found);
      const again = compare(verb, small, await engine.ask(linesOf(verb, small))) ?? found;
      onDifference({ verb: totals.verb, seed, number: it.number, case: small, ...again });
    }
  }
}

/** Which of the two refuse. */
const wayOf = (found) => [found.model, found.engine].map((answer) => answer?.refused === true).join();

/** A smaller case that still differs, by leaving out and emptying one part after the other. */
async function shrink(verb, it, engine, original) {
  const way = wayOf(original);
  let best = it;
  const differs = async (candidate) => {
    try {
      const lines = await engine.ask(linesOf(verb, candidate));
      const found = compare(verb, candidate, lines);
      return found !== undefined && !found.explained && wayOf(found) === way;
    } catch {
      return false;
    }
  };
  for (let isSmaller = true, rounds = 0; isSmaller && rounds < 8; rounds += 1) {
    isSmaller = false;
    for (const path of placesOf(best.request, ["request"])
      .concat(placesOf(best.given ?? [], ["given"]))
      .reverse()) {
      // What names things stays: without it the case would be refused, which is another difference.
      if ((path[0] === "request" && path.length === 2) || NAMING.includes(path.at(-1))) continue;
      const candidate = without(best, path);
      if (candidate && verb.isFine?.(candidate) !== false && (await differs(candidate))) {
        best = candidate;
        isSmaller = true;
      }
    }
  }
  return best;
}

function placesOf(value, path) {
  if (Array.isArray(value)) return value.flatMap((it, index) => [[...path, index], ...placesOf(it, [...path, index])]);
  if (!isMap(value)) return [];
  return Object.entries(value).flatMap(([key, it]) => [[...path, key], ...placesOf(it, [...path, key])]);
}

/** A copy without one part; undefined where the part is not there any more. */
function without(it, path) {
  const copy = { ...it, given: clone(it.given), request: clone(it.request) };
  const parent = path.slice(0, -1).reduce((value, key) => value?.[key], copy);
  const key = path.at(-1);
  if (Array.isArray(parent) && key < parent.length) parent.splice(key, 1);
  else if (isMap(parent) && Object.hasOwn(parent, key)) delete parent[key];
  else return undefined;
  return copy;
}

/** A difference as a vector to complete: the answer is the model's, and the documents say whether it is right. */
export function vectorOf({ verb, seed, number, case: it, model, engine }) {
  const vector = {
    name: `${verb}-…`,
    seed: "…",
    why: "…",
    ...(it.given?.length > 0 && { given: it.given }),
    request: it.request,
  };
  return [
    `${verb}: case ${number} of seed ${seed} differs`,
    JSON.stringify(vector, (_, value) => (typeof value === "bigint" ? `${value}` : value), 2),
    `model:  ${write(model)}`,
    `engine: ${write(engine)}`,
  ].join("\n");
}

async function main() {
  const { values } = parseArgs({
    options: {
      cases: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
      verb: { type: "string" },
      most: { type: "string", default: "5" },
    },
  });
  const names = values.verb?.split(",") ?? Object.keys(VERBS);
  for (const name of names) if (!VERBS[name]) throw new Error(`${name} is not one of ${Object.keys(VERBS).join(", ")}`);
  let differences = 0;
  console.log("verb          cases   refused  explained  differences  seed");
  for (const [name, count] of sharesOf(names, Number(values.cases))) {
    const totals = await run(name, {
      count,
      seed: values.seed,
      most: Number(values.most),
      onDifference: (it) => console.log(vectorOf(it)),
    });
    differences += totals.differences;
    const explained = Object.values(totals.explained).reduce((sum, it) => sum + it, 0);
    const columns = [totals.cases, totals.refused, explained, totals.differences, values.seed].map(String);
    const widths = [9, 9, 10, 12, 5];
    console.log(`${name.padEnd(10)}${columns.map((it, at) => it.padStart(widths[at])).join(" ")}`);
    for (const [reason, times] of Object.entries(totals.explained)) console.log(`    ${times} × ${reason}`);
  }
  process.exitCode = differences === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
