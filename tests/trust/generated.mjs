// Generated requests and documents, answered by every host: one digest over all answers.
//
// Half of the cases are those of tests/model, the requests of every verb with the documents they need; the other half
// are YAML texts of the generator of tests/oracles/cmd/yaml, as requests to parse them.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../cluster/documents.mjs";
import { conformanceHosts, resultOf } from "../hosts/all.mjs";
import { randomOf, seedOf } from "../model/generate/random.mjs";
import { write } from "../model/json.mjs";
import { VERBS } from "../model/verbs.mjs";
import { output } from "./run.mjs";

/** So many cases are in one file: a host starts anew for each. */
const CHUNK = 5_000;

/** The lines of a file, as `fleetfold vectors --requests` prints them: the requests for one workspace each. */
export function linesOf(seed, start, count) {
  const verbs = Object.entries(VERBS);
  const lines = yamlTexts(`${seed}${start}`, Math.floor(count / 2)).map((text) => [write({ op: "parse", text })]);
  for (let number = start; lines.length < count; number += 1) {
    const [name, verb] = verbs[number % verbs.length];
    const { given = [], request } = verb.generate(randomOf(seedOf(seed, name, number)));
    lines.push([...given, request].map(write));
  }
  return lines.map((it) => `${JSON.stringify(it)}\n`).join("");
}

function yamlTexts(seed, count) {
  const cwd = join(root, "tests", "oracles");
  const args = [
    "run",
    "./cmd/yaml",
    "generate",
    "-seed",
    String(BigInt.asUintN(63, BigInt(seed))),
    "-count",
    String(count),
  ];
  const env = { ...process.env, CGO_ENABLED: "0" };
  const text = execFileSync("go", args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 30 });
  return text
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line).text);
}

/** Answers so many cases in every host; throws where a digest is another one. */
export async function answerEverywhere({ count, seed, log, folder }) {
  let done = 0;
  while (done < count) {
    const chunk = Math.min(CHUNK, count - done);
    const file = join(folder, `generated-${seed}-${done}.jsonl`);
    writeFileSync(file, linesOf(seed, done, chunk));
    const digests = new Map();
    for (const { name, command, args } of conformanceHosts(file)) {
      const { digest, answered } = resultOf(await output(command, args, { log }));
      if (answered !== chunk) throw new Error(`${name} answered ${answered} of ${chunk} cases of ${file}`);
      digests.set(name, digest);
    }
    const others = [...digests].filter(([, digest]) => !digest || digest !== digests.get("native"));
    if (others.length > 0) {
      throw new Error(
        `${others.map(([name]) => name).join(", ")} answer otherwise than native; the cases are in ${file}`,
      );
    }
    rmSync(file);
    done += chunk;
  }
  return done;
}
