// The effect of the edits on each cluster of a subject, as signs.
import type { WhatIfAnswer } from "../../../../contract.js";

const SIGNS: Record<string, string> = { changed: "~", joins: "+", leaves: "−", fails: "!", heals: "✓" };
const WORDS: Record<string, [one: string, many: string]> = {
  "~": ["changes", "change"],
  "+": ["joins", "join"],
  "−": ["leaves", "leave"],
  "!": ["fails", "fail"],
  "✓": ["heals", "heal"],
};

/** By cluster. */
export function signsOf(answer: WhatIfAnswer | undefined, subject: string | undefined): Map<string, string> {
  const signs = new Map<string, string>();
  for (const group of answer?.groups ?? []) {
    if (group.subject === subject) for (const cluster of group.clusters) signs.set(cluster, SIGNS[group.change] ?? "~");
  }
  return signs;
}

/** The number of clusters with each sign. */
export function countSigns(signs: Map<string, string>, clusters: Iterable<string>): Map<string, number> {
  const tally = new Map<string, number>();
  for (const it of clusters) {
    const sign = signs.get(it);
    if (sign) tally.set(sign, (tally.get(sign) ?? 0) + 1);
  }
  return tally;
}

/** `3 change`, `1 joins`. */
export function signText(sign: string, number: number): string {
  return WORDS[sign]?.[number === 1 ? 0 : 1] ?? "change";
}
