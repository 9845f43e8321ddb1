// How values, numbers and names are written out. Always as text: what a document says is never markup.

const NUMBERS = new Intl.NumberFormat("en");

export function formatCount(number: number): string {
  return NUMBERS.format(number);
}

/** `1 cluster`, `1,000 clusters`. */
export function pluralize(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

/** A value in one line: strings as they are unless they look like something else, everything else as JSON. */
export function inlineValue(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string")
    return value === "" || value !== value.trim() || looksLikeOtherType(value) ? JSON.stringify(value) : value;
  return toJson(value);
}

function looksLikeOtherType(text: string): boolean {
  return /^[-+]?(\d[\d_]*)?(\.\d*)?(e[-+]?\d+)?$|^0[xob][\da-f_]+$|^(true|false|null|yes|no|on|off|~)$|^[[{"]/i.test(
    text,
  );
}

/** As JSON, integers exact. */
export function toJson(value: unknown, space?: number): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value))
    return wrap(
      "[",
      value.map((it) => toJson(it, space)),
      "]",
      space,
    );
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).map(
    ([key, it]) => `${JSON.stringify(key)}:${space ? " " : ""}${toJson(it, space)}`,
  );
  return wrap("{", entries, "}", space);
}

function wrap(open: string, parts: string[], close: string, space = 0): string {
  if (parts.length === 0) return open + close;
  if (!space) return open + parts.join(",") + close;
  const indent = " ".repeat(space);
  return `${open}\n${parts.map((it) => indent + it.replaceAll("\n", `\n${indent}`)).join(",\n")}\n${close}`;
}

/** A reference in place of a value: `secret shared/password`. */
export function referenceText(from: unknown): string {
  const secret = (from as { secret?: { name?: unknown; key?: unknown } } | undefined)?.secret;
  if (secret) return `secret ${secret.name}/${secret.key}`;
  return toJson(from);
}

/** What the empty name of a cluster stands for. */
export function clusterName(name: string): string {
  return name === "" ? "the hub" : name;
}

/** `presets.yaml:24`, the last part of a path being what people know a file by. */
export function placeName(place: { file?: string | undefined; line?: number | undefined }): string {
  const file = place.file?.split("/").at(-1) ?? "";
  return place.line === undefined ? file : `${file}:${place.line}`;
}
