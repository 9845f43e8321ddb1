// Converts positions of answers (lines and columns from one, columns in characters) to offsets of the editor (UTF-16
// units from zero).
import type { Text } from "@codemirror/state";
import type { Finding } from "../../../../contract.js";

export function offsetOf(doc: Text, place: { line?: number | undefined; column?: number | undefined }): number {
  const line = doc.line(Math.min(Math.max(place.line ?? 1, 1), doc.lines));
  let offset = 0;
  for (let left = (place.column ?? 1) - 1; left > 0 && offset < line.length; left--)
    offset += (line.text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  return line.from + offset;
}

/** The range of a finding: the word that its message quotes if it is on that line, else the token at the position. */
export function rangeOf(doc: Text, finding: Finding): { from: number; to: number } {
  const from = offsetOf(doc, finding.at ?? {});
  const word = quotedWords(finding.message)
    .map((it) => wordAt(doc, from, it))
    .find((it) => it);
  if (word) return word;
  const line = doc.lineAt(from);
  const rest = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}[\]]+)/.exec(line.text.slice(from - line.from))?.[0];
  // No token there: mark the complete line, so that something is visible.
  if (!rest) return { from: line.from + (/\S/.exec(line.text)?.index ?? 0), to: line.to };
  return { from, to: from + rest.length };
}

/** The words in backticks. */
export function quotedWords(message: string): string[] {
  return [...message.matchAll(/`([^`]+)`/g)].map((it) => it[1]!);
}

/** The range of a word on the line of an offset: the first one from there on, else the only one on the line. */
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
