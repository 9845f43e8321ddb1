// The diff of a file, line by line. For Secrets it shows that a line changed, never its content.
import { Chunk } from "@codemirror/merge";
import { Text } from "@codemirror/state";
import type { Engine } from "../../engine.js";
import type { FileState } from "../../state.js";

export interface Line {
  sign: " " | "+" | "−" | "…";
  text: string;
  /** In the new text; for removed lines, in the old one. */
  number?: number;
}

const CONTEXT_LINES = 3;

/** The changed lines with some context. */
export async function changedLines(engine: Engine, { base, text }: FileState): Promise<Line[]> {
  const [before, after] = [split(base), split(text)];
  const [shownBefore, shownAfter] = [await shownLines(engine, base), await shownLines(engine, text)];
  const [a, b] = [Text.of(before.length ? before : [""]), Text.of(after.length ? after : [""])];
  const lines: Line[] = [];
  let next = 0;
  const kept = (to: number) => {
    for (; next < to; next++) lines.push({ sign: " ", text: shownAfter[next] ?? "", number: next + 1 });
  };
  for (const chunk of Chunk.build(a, b)) {
    kept(lineIndex(b, chunk.fromB));
    const [toA, toB] = [
      Math.min(lineIndex(a, chunk.toA), before.length),
      Math.min(lineIndex(b, chunk.toB), after.length),
    ];
    for (let it = lineIndex(a, chunk.fromA); it < toA; it++)
      lines.push({ sign: "−", text: shownBefore[it] ?? "", number: it + 1 });
    for (; next < toB; next++) lines.push({ sign: "+", text: shownAfter[next] ?? "", number: next + 1 });
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

/** The lines without what Secrets hold. */
async function shownLines(engine: Engine, text: string | null): Promise<string[]> {
  return text === null ? [] : split((await engine.ask({ op: "redact", text })).text);
}
