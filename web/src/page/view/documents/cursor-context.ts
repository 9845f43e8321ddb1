// The YAML context of the cursor. Unfinished lines are not valid YAML, so block style is read by indentation; the
// syntax tree identifies literals and the start of braces and brackets.
import { syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";

/** A list item in a path. */
export const ITEM = "[]";

export interface CursorContext {
  /** For a key, the path of its map; for a value, its own path. */
  path: string[];
  /** In a list, the typed text may become a key or a value. */
  writes: "key" | "value" | "either";
  /** The start of the typed text. */
  from: number;
  /** The column of a key, to indent the next line; undefined inside braces. */
  indent: number | undefined;
  /** The sibling keys, with their values if those are on one line. */
  siblings: Map<string, string>;
  /** The text of the document, and its part before the cursor. */
  text: string;
  before: string;
}

/** The search stops after this many lines. */
const MAX_LINES = 4_000;

const KEY = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'[\]{},&*!|>-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)/;

export function cursorContextAt(state: EditorState, position: number): CursorContext | undefined {
  const tree = syntaxTree(state);
  let flow: number | undefined;
  for (let node = tree.resolveInner(position, -1); node.parent; node = node.parent) {
    if (/^(Comment|BlockLiteral)/.test(node.name)) return undefined;
    if (
      /^Flow/.test(node.name) &&
      node.from < position &&
      (position < node.to || !/[\]}]/.test(state.sliceDoc(node.to - 1, node.to)))
    )
      flow = node.from;
  }
  const doc = state.doc;
  const line = doc.lineAt(position);
  const before = line.text.slice(0, position - line.from);
  if (/(^|\s)#/.test(before) && flow === undefined) return undefined;
  const within = documentAround(doc, line.number, position);
  const own = lineOpeners(before);
  const last = own.at(-1);
  // The tree may not know braces that are not closed yet.
  if (flow === undefined && last && /^[[{]/.test(before.slice(last.after).trimStart()))
    flow = line.from + last.after + before.slice(last.after).search(/\S/);
  if (flow !== undefined) return flowContext(doc, flow, position, within);
  const start = position - /[^\s]*$/.exec(before.slice(last?.after ?? 0))![0].length - line.from;
  if (last?.key !== undefined) {
    // `key: va|`; values of several words are not completed.
    if (/\S\s/.test(before.slice(last.after).trimStart())) return undefined;
    return {
      path: [...pathAbove(doc, line.number, last.column, own.slice(0, -1)), last.key],
      writes: "value",
      from: line.from + start,
      indent: last.column,
      siblings: siblingKeys(doc, line.number, last.column),
      ...within,
    };
  }
  if (/\S\s/.test(before.slice(last?.after ?? 0).trimStart())) return undefined;
  const path = pathAbove(doc, line.number, start, own);
  return {
    path,
    writes: last ? "either" : "key",
    from: line.from + start,
    indent: start,
    siblings: siblingKeys(doc, line.number, start),
    ...within,
  };
}

interface Opener {
  column: number;
  /** Undefined for a list item. */
  key?: string;
  /** The column at which the value starts. */
  after: number;
}

/** The keys and dashes at the start of a line. */
function lineOpeners(text: string): Opener[] {
  const all: Opener[] = [];
  let at = /^ */.exec(text)![0].length;
  for (let dash = /^-(?: +|$)/.exec(text.slice(at)); dash; dash = /^-(?: +|$)/.exec(text.slice(at))) {
    all.push({ column: at, after: at + dash[0].length });
    at += dash[0].length;
  }
  const key = KEY.exec(text.slice(at));
  if (key) all.push({ column: at, key: unquote(key[1]!), after: at + key[0].length });
  return all;
}

/** The path of a column: each line above that is indented less than all lines below it. */
function pathAbove(doc: Text, line: number, column: number, own: Opener[]): string[] {
  const path: string[] = [];
  let least = column;
  let item = false;
  const take = (all: Opener[], text: string) => {
    for (const it of all.reverse()) {
      // A list may have the same indentation as its key.
      const sameColumn = item && it.key !== undefined && it.column === least && !text.slice(it.after).trim();
      if (it.column >= least && !sameColumn) continue;
      path.unshift(it.key ?? ITEM);
      [least, item] = [it.column, it.key === undefined];
    }
  };
  take([...own], "");
  for (let number = line - 1; number > 0 && line - number < MAX_LINES && (least > 0 || item); number--) {
    const { text } = doc.line(number);
    if (isDocumentEnd(text)) break;
    if (!isBlank(text)) take(lineOpeners(text), text);
  }
  return path;
}

/** The keys at a column, in the same map. */
function siblingKeys(doc: Text, line: number, column: number): Map<string, string> {
  const found = new Map<string, string>();
  const look = (number: number, step: number) => {
    for (; number > 0 && number <= doc.lines && Math.abs(number - line) < MAX_LINES; number += step) {
      const { text } = doc.line(number);
      if (isDocumentEnd(text)) return;
      if (isBlank(text)) continue;
      const all = lineOpeners(text);
      const here = all.find((it) => it.key !== undefined && it.column === column);
      const dashed = all.some((it) => it.key === undefined && it.column < column);
      // Downwards, a dash starts the next item; upwards, it is the start of this one.
      if (step > 0 && dashed) return;
      if (here) found.set(here.key!, unquote(text.slice(here.after).trim()));
      if (dashed || (text.search(/\S/) < column && !here)) return;
    }
  };
  const own = lineOpeners(doc.line(line).text);
  if (!own.some((it) => it.key === undefined && it.column < column)) look(line - 1, -1);
  for (const it of own)
    if (it.key !== undefined && it.column === column)
      found.set(it.key, unquote(doc.line(line).text.slice(it.after).trim()));
  look(line + 1, 1);
  return found;
}

interface Level {
  map: boolean;
  /** The key whose value is being read. */
  key?: string;
  beside: Map<string, string>;
}

/** Inside braces or brackets: parses from their start. */
function flowContext(
  doc: Text,
  start: number,
  position: number,
  within: Pick<CursorContext, "text" | "before">,
): CursorContext {
  const line = doc.lineAt(start);
  const head = lineOpeners(line.text.slice(0, start - line.from));
  const path = head.length
    ? [...pathAbove(doc, line.number, head.at(-1)!.column, head.slice(0, -1)), head.at(-1)!.key ?? ITEM]
    : pathAbove(doc, line.number, start - line.from, []);
  const levels: Level[] = [];
  const inside = doc.sliceString(start, Math.min(doc.length, position + 2_000));
  let at = 0;
  let token = 0;
  let context: CursorContext | undefined;
  let depth = 0;
  for (; at <= inside.length; at++) {
    const level = levels.at(-1);
    if (start + at === position) {
      const inner = levels.flatMap((it) => (it.map ? (it.key ?? []) : ITEM));
      const from = start + token + /^\s*/.exec(inside.slice(token, at))![0].length;
      context = {
        path: [...path, ...inner],
        writes: level?.map && level.key === undefined ? "key" : level?.map ? "value" : "either",
        from: Math.min(from, position),
        indent: undefined,
        siblings: level?.beside ?? new Map(),
        ...within,
      };
      depth = levels.length;
    }
    const letter = inside[at];
    if (letter === undefined) break;
    if (letter === '"' || letter === "'") {
      const end = inside.indexOf(letter, at + 1);
      // The quote may be the one being typed.
      if (end > 0 && !(start + at < position && start + end >= position)) at = end;
    } else if (letter === "{" || letter === "[") {
      levels.push({ map: letter === "{", beside: new Map() });
      token = at + 1;
    } else if (letter === ":" && level?.map && level.key === undefined && /[\s,}]|^$/.test(inside[at + 1] ?? "")) {
      level.key = unquote(inside.slice(token, at).trim());
      token = at + 1;
    } else if (letter === "," || letter === "}" || letter === "]") {
      if (level?.map && level.key !== undefined) level.beside.set(level.key, unquote(inside.slice(token, at).trim()));
      if (level) delete level.key;
      token = at + 1;
      if (letter !== ",") levels.pop();
      if (context && levels.length < depth) break;
      if (!levels.length) break;
    }
  }
  return context ?? { path, writes: "either", from: position, indent: undefined, siblings: new Map(), ...within };
}

/** The text of the document that contains a line. */
function documentAround(doc: Text, line: number, position: number): Pick<CursorContext, "text" | "before"> {
  let [first, last] = [line, line];
  while (first > 1 && line - first < MAX_LINES && !isDocumentEnd(doc.line(first - 1).text)) first--;
  while (last < doc.lines && last - line < MAX_LINES && !isDocumentEnd(doc.line(last + 1).text)) last++;
  const { from } = doc.line(first);
  return { text: doc.sliceString(from, doc.line(last).to), before: doc.sliceString(from, position) };
}

/** The value of a top-level key. */
export function topLevelValue(text: string, key: string): string | undefined {
  const found = new RegExp(`^${key}:[ \\t]+(\\S+)`, "m").exec(text)?.[1];
  return found === undefined ? undefined : unquote(found);
}

function unquote(text: string): string {
  return /^(["']).*\1$/.test(text) ? text.slice(1, -1) : text;
}

function isDocumentEnd(text: string): boolean {
  return /^(---|\.\.\.)(\s|$)/.test(text);
}

function isBlank(text: string): boolean {
  return /^\s*(#|$)/.test(text);
}
