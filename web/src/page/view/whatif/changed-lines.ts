// The diff of a file, line by line. For Secrets it shows that a line changed, never its content.
import { Chunk } from "@codemirror/merge";
import { Text } from "@codemirror/state";
import type { FileState } from "../../state.js";

export interface Line {
  sign: " " | "+" | "−" | "…";
  text: string;
  /** In the new text; for removed lines, in the old one. */
  number?: number;
}

const CONTEXT_LINES = 3;

/** The changed lines with some context. */
export function changedLines({ base, text }: FileState): Line[] {
  const [before, after] = [split(base), split(text)];
  const [wasHidden, isHidden] = [hiddenLines(before), hiddenLines(after)];
  const [a, b] = [Text.of(before.length ? before : [""]), Text.of(after.length ? after : [""])];
  const lines: Line[] = [];
  let next = 0;
  const kept = (to: number) => {
    for (; next < to; next++) lines.push({ sign: " ", text: isHidden[next] ? HIDDEN : after[next]!, number: next + 1 });
  };
  for (const chunk of Chunk.build(a, b)) {
    kept(lineIndex(b, chunk.fromB));
    const [toA, toB] = [
      Math.min(lineIndex(a, chunk.toA), before.length),
      Math.min(lineIndex(b, chunk.toB), after.length),
    ];
    for (let it = lineIndex(a, chunk.fromA); it < toA; it++)
      lines.push({ sign: "−", text: wasHidden[it] ? HIDDEN : before[it]!, number: it + 1 });
    for (; next < toB; next++)
      lines.push({ sign: "+", text: isHidden[next] ? HIDDEN : after[next]!, number: next + 1 });
  }
  kept(after.length);
  return nearChanges(lines);
}

/** Replaces lines far from any change with a mark. */
function nearChanges(lines: Line[]): Line[] {
  const near = lines.map(() => false);
  lines.forEach(
    (it, at) => it.sign !== " " && near.fill(true, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1),
  );
  return lines.flatMap((it, at): Line[] =>
    near[at] ? [it] : near[at - 1] || at === 0 ? [{ sign: "…", text: "" }] : [],
  );
}

function split(text: string | null): string[] {
  if (text === null || text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** The index of the line that starts at `position`; past the end, the number of lines. */
function lineIndex(
  text: { length: number; lines: number; lineAt(position: number): { number: number } },
  position: number,
): number {
  return position > text.length ? text.lines : text.lineAt(position).number - 1;
}

const HIDDEN = "•••";
const SECRET = /(^|[\s{,"'-])["']?kind["']?\s*:\s*["']?Secret\b/;
const STRUCTURE =
  /^(---|\s*$|(apiVersion|kind|metadata|type|data|stringData):\s*[\w./-]*\s*$|  (name|namespace):\s*[\w.-]*\s*$)/;

/** Marks the lines of Secrets that hold more than its identity. */
function hiddenLines(lines: string[]): boolean[] {
  const hidden = lines.map(() => false);
  let start = 0;
  for (let end = 0; end <= lines.length; end++) {
    if (end < lines.length && !/^---(\s|$)/.test(lines[end]!)) continue;
    const isSecret = lines.slice(start, end).some((it) => SECRET.test(it));
    for (let it = start; isSecret && it < end; it++) hidden[it] = !STRUCTURE.test(lines[it]!);
    start = end;
  }
  return hidden;
}
