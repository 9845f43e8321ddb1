// Formats values, numbers and names. Always as text: document content is never markup.

const NUMBERS = new Intl.NumberFormat("en");

export function formatCount(number: number): string {
  return NUMBERS.format(number);
}

/** `1 cluster`, `1,000 clusters`. */
export function pluralize(number: number, one: string, many = `${one}s`): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}

/** A value on one line: strings unquoted unless they look like another type, everything else as JSON. */
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

/** JSON with exact integers. As with `JSON.stringify`, a property that is `undefined` is left out. */
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
  const entries = Object.entries(value)
    .filter(([, it]) => it !== undefined)
    .map(([key, it]) => `${JSON.stringify(key)}:${space ? " " : ""}${toJson(it, space)}`);
  return wrap("{", entries, "}", space);
}

function wrap(open: string, parts: string[], close: string, space = 0): string {
  if (parts.length === 0) return open + close;
  if (!space) return open + parts.join(",") + close;
  const indent = " ".repeat(space);
  return `${open}\n${parts.map((it) => indent + it.replaceAll("\n", `\n${indent}`)).join(",\n")}\n${close}`;
}

/** One segment of a JSON pointer. */
export function pointerSegment(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A reference instead of a value: `secret shared/password`. */
export function referenceText(from: unknown): string {
  const secret = (from as { secret?: { name?: unknown; key?: unknown } } | undefined)?.secret;
  if (secret) return `secret ${secret.name}/${secret.key}`;
  return toJson(from);
}

/** The display name of a cluster; the empty name is the hub. */
export function clusterName(name: string): string {
  return name === "" ? "the hub" : name;
}

/** `presets.yaml:24`: only the last segment of the path. */
export function placeName(place: { file?: string | undefined; line?: number | undefined }): string {
  const file = place.file?.split("/").at(-1) ?? "";
  return place.line === undefined ? file : `${file}:${place.line}`;
}
