// Converts the documents that a page sets on the element to files.
import { type File, fileOf } from "../page/files.js";
import { toYaml } from "../yaml.js";
import type { PreviewDocuments, PreviewFile } from "./element.js";

/** The file name of documents without one. */
const DEFAULT_NAME = "documents.yaml";

export function filesOf(documents: PreviewDocuments | undefined): File[] {
  if (documents === undefined || documents === null) return [];
  if (typeof documents === "string") return documents.trim() === "" ? [] : [fileOf(DEFAULT_NAME, documents)];
  const all: readonly object[] = documents;
  const named = all.filter(isFile).map((it) => fileOf(it.name, it.text));
  const objects = all.filter((it) => !isFile(it));
  return [...named, ...(objects.length ? [fileOf(DEFAULT_NAME, objects.map(toYaml).join("---\n"))] : [])];
}

function isFile(it: object): it is PreviewFile {
  return "name" in it && "text" in it && typeof it.name === "string" && typeof it.text === "string" && !("kind" in it);
}

/** Fetches each URL as one file. A response that maps paths to texts gives several files. */
export async function fetchFiles(
  src: string,
  signal: AbortSignal,
): Promise<{ files: File[]; problems: { src: string; message: string }[] }> {
  const files: File[] = [];
  const problems: { src: string; message: string }[] = [];
  for (const it of src.split(/\s+/).filter(Boolean)) {
    try {
      const response = await fetch(new URL(it, document.baseURI), { signal });
      if (!response.ok) throw new Error(`the server answers ${response.status}`);
      files.push(...filesInResponse(it, await response.text()));
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

function filesInResponse(src: string, text: string): File[] {
  const name = new URL(src, document.baseURI).pathname.split("/").filter(Boolean).slice(-2).join("/");
  if (!text.trimStart().startsWith("{")) return [fileOf(name, text)];
  try {
    const files = Object.entries(JSON.parse(text) as Record<string, unknown>);
    if (files.length && files.every(([path, it]) => typeof it === "string" && /\.(ya?ml|json)$/.test(path)))
      return files.map(([path, it]) => fileOf(path, it as string));
  } catch {
    // Not JSON: the engine decides whether it is YAML.
  }
  return [fileOf(name, text)];
}
