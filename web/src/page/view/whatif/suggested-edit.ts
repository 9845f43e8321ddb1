// Suggests a first edit in the loaded documents: a number that many clusters get.
import { isManifests, type State } from "../../state.js";

export interface SuggestedEdit {
  file: string;
  line: number;
  /** The name of the option or field. */
  name: string;
  before: string;
  after: string;
  /** The text of the file with the edit. */
  text: string;
}

/**
 * Patterns in order of preference: `{name: replicas, value: 3}` on one line or two, `replicas: 3`, then any tag and any
 * number that a layer sets.
 */
const PATTERNS = [
  /\b(?:name|path): ["']?(replicas)["']?,? *(?:\n *)?value: ["']?(\d+)["']?/,
  /\b(replicas): (\d+)\b/,
  /\b(?:name|path): ["']?([\w.-]*(?:tag|[vV]ersion))["']?,? *(?:\n *)?value: ["']?([\w.-]*\d)\b/,
  /\b(?:name|path): ["']?([\w.-]+)["']?,? *(?:\n *)?value: ["']?(\d+)["']?/,
  /\b(numberOfClusters|limit|count|port): (\d+)\b/,
  /\b([A-Za-z][\w-]*): (\d+)\b/,
];

/** Skips files with Secrets, and observed objects. */
export async function suggestEdit(state: State): Promise<SuggestedEdit | undefined> {
  const files = [...state.files.values()].filter((it) => isManifests(it) && it.text !== null);
  for (const pattern of PATTERNS) {
    for (const { name: file, text } of files) {
      const found = pattern.exec(text!);
      if (!found || (await state.engine.ask({ op: "redact", text: text! })).secrets.length) continue;
      const [all, name, before] = found as unknown as [string, string, string];
      const at = found.index + all.lastIndexOf(before);
      const after = before.replace(/\d+$/, (digits) => String(BigInt(digits) + 2n));
      return {
        file,
        line: text!.slice(0, at).split("\n").length,
        name,
        before,
        after,
        text: text!.slice(0, at) + after + text!.slice(at + before.length),
      };
    }
  }
  return undefined;
}
