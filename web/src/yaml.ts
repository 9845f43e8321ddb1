// Writes values as YAML that kubectl parses to the same values, line by line, so that each line can show its origin.

/** The kind of a token, for its colour. */
export type Token = [kind: "space" | "mark" | "key" | "string" | "number" | "word", text: string];

export interface Line {
  /** The JSON pointer of the value on this line. */
  pointer: string;
  tokens: Token[];
}

export function yamlLines(value: unknown): Line[] {
  const lines: Line[] = [];
  writeValue(lines, value, "", 0, []);
  return lines;
}

export function toYaml(value: unknown): string {
  return yamlLines(value).map(lineText).join("\n") + "\n";
}

export function lineText(line: Line): string {
  return line.tokens.map(([, text]) => text).join("");
}

/** One segment of a JSON pointer. */
export function pointerSegment(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Longer keys need the explicit form `? key`. */
const LONGEST_KEY = 120;

/** Writes `value` after `lead`, the start of its line: empty, `key:`, `- ` or several of these. */
function writeValue(lines: Line[], value: unknown, pointer: string, indent: number, lead: Token[]): void {
  const behindKey = lead.at(-1)?.[1] === ":";
  if (Array.isArray(value) && value.length) {
    if (behindKey) lines.push({ pointer, tokens: lead });
    value.forEach((it, at) => {
      const start: Token[] = at === 0 && !behindKey ? lead : space(indent);
      writeValue(lines, it, pointer + pointerSegment(at), indent + 2, [...start, ["mark", "- "]]);
    });
  } else if (isMap(value) && Object.keys(value).length) {
    if (behindKey) lines.push({ pointer, tokens: lead });
    const inner = behindKey ? indent + 2 : indent;
    Object.entries(value).forEach(([key, it], at) => {
      const start: Token[] = at === 0 && !behindKey ? lead : space(inner);
      writeEntry(lines, key, it, pointer + pointerSegment(key), inner, start);
    });
  } else {
    writeScalar(lines, value, pointer, indent, behindKey ? [...lead, ["space", " "]] : lead);
  }
}

function writeEntry(lines: Line[], key: string, value: unknown, pointer: string, indent: number, start: Token[]): void {
  const written: Token = ["key", quoted(key)];
  if (written[1].length <= LONGEST_KEY)
    return writeValue(lines, value, pointer, indent, [...start, written, ["mark", ":"]]);
  lines.push({ pointer, tokens: [...start, ["mark", "? "], written] });
  writeValue(lines, value, pointer, indent + 2, [...space(indent), ["mark", ": "]]);
}

function writeScalar(lines: Line[], value: unknown, pointer: string, indent: number, lead: Token[]): void {
  if (typeof value === "string" && isBlock(value)) {
    const chomp = !value.endsWith("\n") ? "-" : value.endsWith("\n\n") ? "+" : "";
    lines.push({ pointer, tokens: [...lead, ["mark", `|${chomp}`]] });
    const text = value.endsWith("\n") ? value.slice(0, -1) : value;
    for (const it of text.split("\n"))
      lines.push({ pointer, tokens: it === "" ? [] : [...space(indent + 2), ["string", it]] });
  } else {
    lines.push({ pointer, tokens: [...lead, token(value)] });
  }
}

function token(value: unknown): Token {
  switch (typeof value) {
    case "string":
      return ["string", quoted(value)];
    case "number":
    case "bigint":
      return ["number", number(value)];
    case "boolean":
      return ["word", String(value)];
    default:
      return Array.isArray(value) ? ["mark", "[]"] : isMap(value) ? ["mark", "{}"] : ["word", "null"];
  }
}

/** Some parsers read `1e+21` as a string: they require a decimal point. */
function number(value: number | bigint): string {
  return String(value).replace(/^(-?\d+)e/, "$1.0e");
}

function space(width: number): Token[] {
  return width ? [["space", " ".repeat(width)]] : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Letters, digits and other characters without a meaning in YAML; a colon only inside a word. */
const PLAIN = /^(?:[A-Za-z_/]|--?[A-Za-z])(?:[\w./@+=~,()'-]|:(?=[\w/.*]))*(?: (?:[\w./@+=~,()'-]|:(?=[\w/.*]))+)*$/;
/** Versions, addresses, quantities: they start like numbers but are strings. */
const ALMOST_NUMBER = /^\d+(?:\.\d+){2,}(?:[-+][A-Za-z][\w.-]*)?$|^\d+(?:\.\d+)?[acdf-np-wyzACDF-NP-WYZ][A-Za-z]*$/;
/** Words that some YAML parsers do not read as strings. */
const WORD = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|_+|[-+]?\.?(?:nan|inf))$/i;

/** A string on one line, quoted unless every parser reads it as a string without quotes. */
function quoted(text: string): string {
  return (PLAIN.test(text) && !WORD.test(text)) || ALMOST_NUMBER.test(text) ? text : doubleQuoted(text);
}

/** Escapes invisible and bidirectional control characters. */
const UNSEEN = /[\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/g;

function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Whether a multi-line text can be a literal block. */
function isBlock(text: string): boolean {
  return (
    text.includes("\n") &&
    !/^\s|[^\n\x20-\x7e\xa1-\uffff]|[\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/.test(
      text,
    )
  );
}
