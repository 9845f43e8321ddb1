// Quick fixes for findings with exactly one solution.
import type { Text } from "@codemirror/state";
import type { Finding } from "../../../../contract.js";
import { offsetOf, quotedWords, wordAt } from "./position.js";

export interface Fix {
  from: number;
  to: number;
  insert: string;
}

/** A hint with exactly one replacement. */
const SINGLE_REPLACEMENT = /^(?:did you mean `([^`]+)`\?|one of: ([^\s,`]+))$/;

/** The label of the button: `Replace with In`. `fixOf` checks whether the text still allows it. */
export function fixTitle(finding: Finding): string | undefined {
  const found = SINGLE_REPLACEMENT.exec(finding.hint ?? "");
  if (found && quotedWords(finding.message).length) return `Replace with ${found[1] ?? found[2]}`;
  return isTab(finding) ? "Indent with spaces" : undefined;
}

export function fixOf(doc: Text, finding: Finding, at = offsetOf(doc, finding.at ?? {})): Fix | undefined {
  const found = SINGLE_REPLACEMENT.exec(finding.hint ?? "");
  if (found) {
    const word = quotedWords(finding.message)
      .map((it) => wordAt(doc, at, it))
      .find((it) => it);
    return word && { ...word, insert: found[1] ?? found[2]! };
  }
  if (!isTab(finding)) return undefined;
  const line = doc.lineAt(at);
  const indent = /^\s*/.exec(line.text)![0];
  return { from: line.from, to: line.from + indent.length, insert: indent.replaceAll("\t", "  ") };
}

function isTab(finding: Finding): boolean {
  return finding.code === "bad-yaml" && finding.message === "a tab cannot indent";
}
