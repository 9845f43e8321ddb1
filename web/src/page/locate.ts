// Finds the position of a document, for answers that name a document without its position.
import type { ParseAnswer } from "../../contract.js";
import { LATER, URGENT } from "./engine.js";
import type { Place, State } from "./state.js";

export interface ParsedDocument {
  file: string;
  document: {
    kind?: string;
    metadata?: { name?: string; namespace?: string; labels?: Record<string, string> };
  } & Record<string, unknown>;
  /** By JSON pointer. */
  places: NonNullable<ParseAnswer["places"]>[number];
}

/** Parses the files whose text passes `mayContain`. */
export async function parseDocuments(
  state: State,
  mayContain: (text: string) => boolean,
  urgency = LATER,
): Promise<ParsedDocument[]> {
  const files = [...state.files.values()].filter(
    (it) => it.live === undefined && it.text !== null && mayContain(it.text),
  );
  const parsed = await Promise.all(
    files.map((it) => state.query({ op: "parse", text: it.text!, places: true }, urgency)),
  );
  return parsed.flatMap((answer, index): ParsedDocument[] =>
    answer && "ok" in answer
      ? answer.ok.documents.map((document, at) => ({
          file: files[index]!.name,
          document: (document ?? {}) as ParsedDocument["document"],
          places: answer.ok.places?.[at] ?? {},
        }))
      : [],
  );
}

/**
 * The position of a document by its reference (`Kind/name`, `Kind/namespace/name`, `Kind.group/…`), or of a value in
 * it.
 */
export async function locate(state: State, reference: string, pointer = ""): Promise<Place | undefined> {
  const parts = reference.split("/");
  const kind = parts[0]!.split(".")[0]!;
  const name = parts.at(-1)!;
  const namespace = parts.length > 2 ? parts[1] : undefined;
  const isIt = ({ document: it }: ParsedDocument) =>
    it.kind === kind &&
    it.metadata?.name === name &&
    (namespace === undefined || (it.metadata.namespace ?? "") === namespace);
  const maybe = (text: string) => text.includes(kind) && text.includes(name);
  for (const { name: file, text, live } of state.files.values()) {
    if (live !== undefined || text === null || !maybe(text)) continue;
    // Parses only candidate documents: a file may hold a thousand clusters.
    for (const part of splitDocuments(text).filter((it) => maybe(it.text))) {
      const answer = await state.query({ op: "parse", text: part.text, places: true }, URGENT);
      if (!answer || !("ok" in answer)) continue;
      const index = answer.ok.documents.findIndex((document) =>
        isIt({ file, document: (document ?? {}) as ParsedDocument["document"], places: {} }),
      );
      if (index < 0) continue;
      const places = answer.ok.places?.[index];
      const at = places?.[pointer] ?? places?.[""];
      return { file, ...(at ? { line: at.line + part.before, column: at.column } : {}) };
    }
  }
  return undefined;
}

/** The documents of a text, each with the number of lines before it. */
function splitDocuments(text: string): { text: string; before: number }[] {
  const found: { text: string; before: number }[] = [];
  let [start, before, line] = [0, 0, 0];
  for (let at = 0; at >= 0; line++) {
    if (at > start && text.startsWith("---", at)) {
      found.push({ text: text.slice(start, at), before });
      [start, before] = [at, line];
    }
    const end = text.indexOf("\n", at);
    at = end < 0 ? -1 : end + 1;
  }
  found.push({ text: text.slice(start), before });
  return found;
}

/** Opens a document in the editor, if it exists. */
export async function goToDocument(state: State, reference: string, pointer?: string): Promise<void> {
  const place = await locate(state, reference, pointer);
  if (place) state.goTo(place);
}
