// Converts the documents that a page sets on the element to files.
import type { Json } from "../../contract.js";
import type { Engine } from "../page/engine.js";
import { type File, filesOf } from "../page/files.js";
import type { PreviewDocuments, PreviewFile } from "./element.js";

/** The file name of documents without one. */
const DEFAULT_NAME = "documents.yaml";

export async function filesOfDocuments(engine: Engine, documents: PreviewDocuments | undefined): Promise<File[]> {
  if (documents === undefined || documents === null) return [];
  if (typeof documents === "string") return documents.trim() === "" ? [] : [{ name: DEFAULT_NAME, text: documents }];
  const all: readonly object[] = documents;
  const files = await filesOf(
    engine,
    all.filter(isFile).map((it) => [it.name, it.text]),
  );
  const objects = all.filter((it) => !isFile(it)) as Json[];
  if (!objects.length) return files;
  // The documents are loaded from this text, so it must hold all that Secrets hold.
  const { text } = await engine.ask({ op: "print", documents: objects, reveal: true });
  return [...files, { name: DEFAULT_NAME, text }];
}

function isFile(it: object): it is PreviewFile {
  return "name" in it && "text" in it && typeof it.name === "string" && typeof it.text === "string" && !("kind" in it);
}

/** Fetches each URL as one file. A response that maps paths to texts gives several files. */
export async function fetchFiles(
  engine: Engine,
  src: string,
  signal: AbortSignal,
): Promise<{ files: File[]; problems: { src: string; message: string }[] }> {
  const files: File[] = [];
  const problems: { src: string; message: string }[] = [];
  for (const it of src.split(/\s+/).filter(Boolean)) {
    try {
      const response = await fetch(new URL(it, document.baseURI), { signal });
      if (!response.ok) throw new Error(`the server returned ${response.status}`);
      files.push(...(await filesOf(engine, textsInResponse(it, await response.text()))));
    } catch (problem) {
      if (signal.aborted) break;
      problems.push({
        src: it,
        message: `${it} cannot be loaded: ${problem instanceof Error ? problem.message : String(problem)}`,
      });
    }
  }
  return { files, problems };
}

function textsInResponse(src: string, text: string): [string, string][] {
  const name = new URL(src, document.baseURI).pathname.split("/").filter(Boolean).slice(-2).join("/");
  if (!text.trimStart().startsWith("{")) return [[name, text]];
  try {
    const files = Object.entries(JSON.parse(text) as Record<string, unknown>);
    if (files.length && files.every(([path, it]) => typeof it === "string" && /\.(ya?ml|json)$/.test(path)))
      return files as [string, string][];
  } catch {
    // Not JSON: the engine decides whether it is YAML.
  }
  return [[name, text]];
}
