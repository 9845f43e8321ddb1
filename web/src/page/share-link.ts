// The state of the page in a link: compressed, in the fragment, which browsers never send. Secret data is never part of
// it.
import type { Engine } from "./engine.js";
import { type File, filesOf } from "./files.js";
import { type Source, fetchExample, localSource } from "./source.js";
import type { Selection, State } from "./state.js";

interface Shared {
  version: 1;
  /** The example that the edits apply to; otherwise `files` holds all files. */
  example?: string;
  files?: Record<string, string>;
  edits: Record<string, string | null>;
  /** The clusters of files with observed objects. Links of earlier versions leave that to the names of files. */
  live?: Record<string, string>;
  selection: Partial<Selection>;
}

export interface Link {
  url: string;
  /** The number of documents without what Secrets hold. */
  leftOut: number;
}

/** Chats, mail programs and some browsers truncate longer links. */
const MAX_LINK_LENGTH = 200_000;

/** A link to the current state of the page. */
export async function linkTo(state: State): Promise<Link> {
  let leftOut = 0;
  const redact = async (text: string): Promise<string> => {
    const redacted = await state.engine.ask({ op: "redact", text });
    leftOut += redacted.secrets.length;
    return redacted.text;
  };
  const shared: Shared = { version: 1, edits: {}, selection: state.selection };
  if (state.source.id.startsWith("example:")) shared.example = state.source.id.slice("example:".length);
  else shared.files = {};
  for (const { name, base, text, live } of state.files.values()) {
    if (shared.files && live !== undefined) (shared.live ??= {})[name] = live;
    if (shared.files && base !== null) shared.files[name] = await redact(base);
    if (text !== base) shared.edits[name] = text === null ? null : await redact(text);
  }
  const url = new URL(location.href);
  url.hash = new URLSearchParams({ s: await compress(JSON.stringify(shared)) }).toString();
  if (url.href.length > MAX_LINK_LENGTH)
    throw new Error(`the documents are too long for a link (${url.href.length} characters); share the files instead`);
  return { url: url.href, leftOut };
}

/** Reads a link: its documents, edits and selection. Without documents only the selection. */
export async function readLink(
  engine: Engine,
  fragment: string,
): Promise<{ source?: Source; edits?: Record<string, string | null>; selection: Partial<Selection> }> {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  const selection = Object.fromEntries(
    SELECTION_KEYS.flatMap((key) => (parameters.has(key) ? [[key, parameters.get(key)!]] : [])),
  ) as Partial<Selection>;
  const compressed = parameters.get("s");
  if (compressed === null) {
    const name = parameters.get("example");
    return { selection, ...(name ? { source: await fetchExample(engine, name) } : {}) };
  }
  const shared = validate(JSON.parse(await decompress(compressed)));
  const files = (await filesOf(engine, Object.entries(shared.files ?? {}))).map((it): File => {
    const live = shared.live?.[it.name];
    return live === undefined ? it : { ...it, live };
  });
  const source =
    shared.example === undefined
      ? { ...localSource(files), id: "link", title: "a shared link" }
      : await fetchExample(engine, shared.example);
  return { source, edits: shared.edits, selection: { ...shared.selection, ...selection } };
}

const SELECTION_KEYS = ["view", "subject", "cluster", "compare", "path", "object", "file"] as const;

/** The part of a fragment that identifies the documents; the rest is the selection. */
export function sourceKey(fragment: string): string {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ""));
  return parameters.get("s") ?? parameters.get("example") ?? "";
}

/** The fragment with the current selection, so that reload and back button restore it. */
export function fragmentOf(state: State, before: string): string {
  const parameters = new URLSearchParams(before.replace(/^#/, ""));
  for (const key of SELECTION_KEYS) {
    const value = state.selection[key];
    if (value === undefined) parameters.delete(key);
    else parameters.set(key, value);
  }
  if (!parameters.has("s")) {
    if (state.source.id.startsWith("example:")) parameters.set("example", state.source.id.slice("example:".length));
    else parameters.delete("example");
  }
  return parameters.toString();
}

/** A link is untrusted input: reject any other shape. */
function validate(value: unknown): Shared {
  const it = value as Shared;
  const isTexts = (map: unknown, nullable: boolean) =>
    typeof map === "object" &&
    map !== null &&
    Object.values(map).every((text) => typeof text === "string" || (nullable && text === null));
  const fits =
    typeof it === "object" &&
    it !== null &&
    it.version === 1 &&
    isTexts(it.edits, true) &&
    (it.files === undefined || isTexts(it.files, false)) &&
    (it.live === undefined || isTexts(it.live, false)) &&
    (it.example === undefined || typeof it.example === "string") &&
    typeof it.selection === "object" &&
    it.selection !== null &&
    Object.values(it.selection).every((value) => value === undefined || typeof value === "string");
  if (!fits) throw new Error("this page cannot open the link; was it made by another version?");
  return it;
}

async function compress(text: string): Promise<string> {
  const bytes = await pipeThrough(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function decompress(compressed: string): Promise<string> {
  try {
    const bytes = Uint8Array.from(atob(compressed.replaceAll("-", "+").replaceAll("_", "/")), (it) => it.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await pipeThrough(bytes, new DecompressionStream("deflate-raw")),
    );
  } catch {
    throw new Error("the link is cut off or damaged; ask for it again");
  }
}

async function pipeThrough(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = new Response(new Blob([bytes]).stream().pipeThrough(stream));
  return new Uint8Array(await response.arrayBuffer());
}
