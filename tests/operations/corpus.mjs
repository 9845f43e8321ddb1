// The documents that people wrote: those of `examples`, and those that the vectors load. What they say at a field is a
// value that the field takes, or a mistake that somebody thought of; both are worth a drill.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { has, isMap, root, startEngine, write } from "./engine.mjs";

const engine = startEngine();

/** The documents of a YAML text, as the engine reads them. */
export const documentsOf = (text) => engine.call({ op: "parse", text }).ok.documents.filter((it) => it !== null);

/** The files below a folder with this ending, in the order of their names. */
export function filesBelow(folder, ending) {
  const entries = readdirSync(folder).sort();
  return entries.flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesBelow(path, ending);
    return name.endsWith(ending) ? [path] : [];
  });
}

/** Group and kind. */
export const kindOf = ({ apiVersion, kind }) =>
  `${String(apiVersion ?? "").includes("/") ? apiVersion.split("/")[0] : ""}/${kind}`;

/** All documents of a kind, those of the examples first: `{ "group/Kind": [document] }`. */
export function readCorpus() {
  const corpus = new Map();
  const seen = new Set();
  const add = (document) => {
    const text = write(document);
    if (!isMap(document) || typeof document.kind !== "string" || seen.has(text)) return;
    seen.add(text);
    const kind = kindOf(document);
    if (!corpus.has(kind)) corpus.set(kind, []);
    corpus.get(kind).push(document);
  };
  const examples = filesBelow(join(root, "examples"), ".yaml").filter((it) => !it.includes("/live/"));
  for (const path of examples) documentsOf(readFileSync(path, "utf8")).forEach(add);
  for (const path of filesBelow(join(root, "tests", "vectors"), ".json")) {
    const { given = [], request } = JSON.parse(readFileSync(path, "utf8"));
    for (const load of [...given, request].flatMap(loadsOf)) loadedBy(load).forEach(add);
  }
  return corpus;
}

/** The loads of documents that a request makes. */
function loadsOf(request) {
  const loads = request?.op === "load" ? [request] : [request?.load ?? []].flat();
  return loads.filter((it) => isMap(it) && !has(it, "live"));
}

function loadedBy({ documents, text }) {
  if (documents) return Array.isArray(documents) ? documents : [];
  if (typeof text !== "string") return [];
  // A vector may be about a text that cannot be read.
  const answer = engine.ask({ op: "parse", text });
  return answer.error ? [] : answer.ok.documents;
}
