// All documents as values, for completion: the keys and values of other documents at the same path. A file that does
// not parse contributes its last valid documents.
import { LATER } from "../../engine.js";
import { isManifests, type State } from "../../state.js";
import { ITEM } from "./cursor-context.js";

export interface Document {
  apiVersion?: string;
  kind: string;
  metadata?: { name?: string; namespace?: string; labels?: Record<string, unknown> };
  spec?: Record<string, unknown>;
}

/** Of a larger file only the first documents are parsed. */
const MAX_TEXT_LENGTH = 100_000;

export class Corpus {
  readonly #parsed = new Map<string, { text: string; documents: Document[] }>();
  #reading: Promise<void> = Promise.resolve();

  async documents(state: State): Promise<Document[]> {
    this.#reading = this.#reading.then(() => this.#parseChanged(state));
    await this.#reading;
    return [...this.#parsed.values()].flatMap((it) => it.documents);
  }

  async #parseChanged(state: State): Promise<void> {
    for (const name of this.#parsed.keys()) if (state.files.get(name)?.text == null) this.#parsed.delete(name);
    const fresh = [...state.files.values()].filter(
      (it) => it.text !== null && isManifests(it) && this.#parsed.get(it.name)?.text !== it.text,
    );
    await Promise.all(
      fresh.map(async ({ name, text }) => {
        const answer = await state.engine.query("current", Number.MAX_SAFE_INTEGER, LATER, {
          op: "parse",
          text: head(text!),
        });
        const documents =
          answer && "ok" in answer ? (answer.ok.documents.filter(isDocument) as unknown[] as Document[]) : undefined;
        this.#parsed.set(name, { text: text!, documents: documents ?? this.#parsed.get(name)?.documents ?? [] });
      }),
    );
  }
}

/** Whether the identifying fields are strings: while the user types they need not be. */
function isDocument(value: unknown): boolean {
  const { kind, apiVersion, metadata } = (value ?? {}) as Record<string, unknown>;
  const { name, namespace } = (typeof metadata === "object" && metadata !== null ? metadata : {}) as Record<
    string,
    unknown
  >;
  return (
    typeof kind === "string" && [apiVersion, name, namespace].every((it) => it === undefined || typeof it === "string")
  );
}

function head(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const end = text.lastIndexOf("\n---", MAX_TEXT_LENGTH);
  return end < 0 ? text : text.slice(0, end + 1);
}

/** The values of documents at a path. */
export function valuesAt(documents: Iterable<Document>, path: string[]): unknown[] {
  let at: unknown[] = [...documents];
  for (const step of path) {
    at = at.flatMap((it) => {
      if (step === ITEM) return Array.isArray(it) ? it : [];
      if (typeof it !== "object" || it === null || Array.isArray(it) || !Object.hasOwn(it, step)) return [];
      return [(it as Record<string, unknown>)[step]];
    });
  }
  return at;
}
