// The documents of YAML files, read by kubectl: the tests have no parser of their own that could differ from it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findTools } from "./tools.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The documents of a text, in its order, with everything that they say. */
export function readDocuments(text, tools = findTools()) {
  // An empty patch, applied here, is the way to make kubectl print what it read without asking a server.
  const args = ["patch", "--local", "--type=merge", "--patch={}", "--output=json", "--filename=-"];
  const { stdout, stderr, status } = spawnSync(tools.kubectl, args, {
    input: text,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`not documents: ${stderr}`);
  // One indented object after the other: each ends with a brace at the start of a line.
  return stdout
    .split(/^(?=\{)/m)
    .filter((it) => it.trim())
    .map((it) => JSON.parse(it));
}

/**
 * The documents of a folder of `examples`: `{ documents, live: { _hub: […], berlin: […] } }`.
 *
 * What `live/<cluster>` holds is not asked for by anybody: it was there already.
 */
export function readExample(name, { only = () => true } = {}) {
  const folder = join(root, "examples", name);
  const live = {};
  const liveFolder = join(folder, "live");
  if (existsSync(liveFolder)) {
    for (const cluster of readdirSync(liveFolder).sort()) live[cluster] = readFiles(join(liveFolder, cluster), only);
  }
  return { documents: readFiles(folder, only), live };
}

function readFiles(folder, only) {
  const files = readdirSync(folder).filter((it) => it.endsWith(".yaml") && statSync(join(folder, it)).isFile());
  return files
    .filter(only)
    .sort()
    .flatMap((it) => readDocuments(readFileSync(join(folder, it), "utf8")));
}
