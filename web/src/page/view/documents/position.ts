// Places as answers give them, and offsets as the editor counts them: lines from one, columns in characters from one, against
// UTF-16 units from zero.
import type { Text } from "@codemirror/state";
import type { Finding } from "../../../../contract.js";

export function offsetOf(doc: Text, place: { line?: number | undefined; column?: number | undefined }): number {
  const line = doc.line(Math.min(Math.max(place.line ?? 1, 1), doc.lines));
  let offset = 0;
  for (let left = (place.column ?? 1) - 1; left > 0 && offset < line.length; left--)
    offset += (line.text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return line.from + offset;
}

/** What a finding is about: the word that its message quotes where it stands in that line, else what begins at the place. */
export function rangeOf(doc: Text, finding: Finding): { from: number; to: number } {
  const from = offsetOf(doc, finding.at ?? {});
  const word = quotedWords(finding.message)
    .map((it) => wordAt(doc, from, it))
    .find((it) => it);
  if (word) return word;
  const line = doc.lineAt(from);
  const rest = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}[\]]+)/.exec(line.text.slice(from - line.from))?.[0];
  // Nothing begins there: the whole line, so that there is something to point at.
  if (!rest) return { from: line.from + (/\S/.exec(line.text)?.index ?? 0), to: line.to };
  return { from, to: from + rest.length };
}

/** The words in backticks. */
export function quotedWords(message: string): string[] {
  return [...message.matchAll(/`([^`]+)`/g)].map((it) => it[1]!);
}

/** Where a word stands in the line of an offset: from there on, or else anywhere if only once. */
export function wordAt(doc: Text, offset: number, word: string): { from: number; to: number } | undefined {
  const line = doc.lineAt(offset);
  const found: number[] = [];
  for (let at = line.text.indexOf(word); at >= 0; at = line.text.indexOf(word, at + 1)) {
    if (!isWordCharacter(line.text[at - 1]) && !isWordCharacter(line.text[at + word.length]))
      found.push(line.from + at);
  }
  const from = found.find((it) => it >= offset) ?? (found.length === 1 ? found[0] : undefined);
  return from === undefined ? undefined : { from, to: from + word.length };
}

function isWordCharacter(letter: string | undefined): boolean {
  return letter !== undefined && /[\w./-]/.test(letter);
}
