// Where a document stands, for answers that name one without saying its place.
import type { ParseAnswer } from "../../contract.js";
import { LATER, URGENT } from "./engine.js";
import type { Place, State } from "./state.js";

export interface Written {
  file: string;
  document: { kind?: string; metadata?: { name?: string; namespace?: string; labels?: Record<string, string> } } & Record<string, unknown>;
  /** By JSON pointer. */
  places: NonNullable<ParseAnswer["places"]>[number];
}

/** The documents of the files that `maybe` does not rule out by their text, as they are written. */
export async function written(state: State, maybe: (text: string) => boolean, urgency = LATER): Promise<Written[]> {
  const files = [...state.files.values()].filter((it) => it.live === undefined && it.text !== null && maybe(it.text));
  const parsed = await Promise.all(files.map((it) => state.ask({ op: "parse", text: it.text!, places: true }, urgency)));
  return parsed.flatMap((answer, index): Written[] =>
    answer && "ok" in answer
      ? answer.ok.documents.map((document, at) => ({ file: files[index]!.name, document: (document ?? {}) as Written["document"], places: answer.ok.places?.[at] ?? {} }))
      : [],
  );
}

/** The place of a document by its reference (`Kind/name`, `Kind/namespace/name`, `Kind.group/…`), or of a value in it. */
export async function whereIs(state: State, reference: string, pointer = ""): Promise<Place | undefined> {
  const parts = reference.split("/");
  const kind = parts[0]!.split(".")[0]!;
  const name = parts.at(-1)!;
  const namespace = parts.length > 2 ? parts[1] : undefined;
  const isIt = ({ document: it }: Written) => it.kind === kind && it.metadata?.name === name && (namespace === undefined || (it.metadata.namespace ?? "") === namespace);
  const found = (await written(state, (text) => text.includes(kind) && text.includes(name), URGENT)).find(isIt);
  if (!found) return undefined;
  const at = found.places[pointer] ?? found.places[""];
  return { file: found.file, ...(at ? { line: at.line, column: at.column } : {}) };
}

/** Opens a document in the editor, where there is one. */
export async function goToDocument(state: State, reference: string, pointer?: string): Promise<void> {
  const place = await whereIs(state, reference, pointer);
  if (place) state.goTo(place);
}
