// Completion from the supported kinds, their schemas, the fleet, the options of definitions, and values of other
// documents of the same kind.
import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import type { KindAnswer } from "../../../../contract.js";
import { pluralize, inlineValue, toJson } from "../../../format.js";
import { SOON } from "../../engine.js";
import type { State } from "../../state.js";
import { Corpus, type Document, valuesAt } from "./corpus.js";
import { type Schema, schemasAt } from "./schemas.js";
import { ITEM, type CursorContext, cursorContextAt, topLevelValue } from "./cursor-context.js";
import { fleetIndex, type FleetIndex, referenceCompletions } from "./suggestions.js";

const MAX_VALUE_LENGTH = 80;
const MAX_VALUES = 60;

export function completionFor(about: () => { state: State; file: string | undefined }): CompletionSource {
  const corpus = new Corpus();
  return async (context) => {
    const { state, file } = about();
    const cursor = cursorContextAt(context.state, context.pos);
    if (!cursor || file === undefined) return null;
    if (
      !context.explicit &&
      cursor.from === context.pos &&
      !/[:{[,-] $/.test(context.state.sliceDoc(Math.max(0, context.pos - 2), context.pos))
    )
      return null;
    const [documents, clusters, kinds] = await Promise.all([
      corpus.documents(state),
      state.query({ op: "clusters" }, SOON),
      state.query({ op: "kinds" }, SOON),
    ]);
    if (context.aborted) return null;
    const fleet = fleetIndex(
      clusters && "ok" in clusters ? clusters.ok.clusters : [],
      documents,
      kinds && "ok" in kinds ? kinds.ok.kinds : [],
    );
    return complete(context, cursor, state.files.get(file)?.settings === true, fleet);
  };
}

async function complete(
  context: CompletionContext,
  cursor: CursorContext,
  isSettings: boolean,
  fleet: FleetIndex,
): Promise<CompletionResult | null> {
  const [apiVersion, kind] = [topLevelValue(cursor.text, "apiVersion"), topLevelValue(cursor.text, "kind")];
  const sameKind = fleet.documents.filter((it) => it.kind === kind);
  const schemas = await schemasAt(apiVersion, kind, cursor.path, isSettings, ITEM);
  const options: Completion[] = [];
  if (cursor.writes !== "value") options.push(...keys(context, cursor, schemas, sameKind, fleet));
  if (cursor.writes !== "key")
    options.push(...values(cursor, schemas, kind === "Secret" ? [] : sameKind, fleet, apiVersion, kind));
  const once = new Map<string, Completion>();
  const typed = context.state.sliceDoc(cursor.from, context.pos);
  // The corpus contains the word being typed, from this very line.
  const isEcho = (it: Completion) => it.label === typed && (it.boost ?? 0) < 0;
  for (const it of options) if (!once.has(it.label) && !isEcho(it)) once.set(it.label, it);
  return once.size ? { from: cursor.from, options: [...once.values()], validFor: /^[^\s,:{}[\]]*$/ } : null;
}

function keys(
  context: CompletionContext,
  cursor: CursorContext,
  schemas: Schema[],
  alike: Document[],
  fleet: FleetIndex,
): Completion[] {
  const all: Completion[] = [];
  const isNew = (key: string) => !cursor.siblings.has(key) || context.state.sliceDoc(cursor.from, context.pos) === key;
  for (const schema of schemas) {
    for (const [key, below] of Object.entries(schema.properties ?? {})) {
      const detail = typeName(below);
      all.push({
        label: key,
        type: "property",
        ...(detail ? { detail } : {}),
        ...(below.description ? { info: below.description } : {}),
        apply: insertKey(key, shapeOfSchema(below), cursor),
        boost: 2,
      });
    }
  }
  if (cursor.path.at(-1) === "matchLabels") {
    for (const [key, values] of fleet.labels)
      all.push({
        label: key,
        type: "property",
        detail: `${[...values.keys()].slice(0, 3).join(", ")}${values.size > 3 ? ", …" : ""}`,
        apply: insertKey(key, "scalar", cursor),
        boost: 3,
      });
  }
  const seen = new Map<string, { times: number; example: unknown }>();
  for (const it of valuesAt(alike, cursor.path)) {
    if (typeof it !== "object" || it === null || Array.isArray(it)) continue;
    for (const [key, value] of Object.entries(it))
      seen.set(key, { times: (seen.get(key)?.times ?? 0) + 1, example: seen.get(key)?.example ?? value });
  }
  for (const [key, { times, example }] of seen) {
    const shape = Array.isArray(example) ? "list" : typeof example === "object" && example !== null ? "map" : "scalar";
    all.push({
      label: key,
      type: "property",
      detail: `in ${pluralize(times, "place")}`,
      apply: insertKey(key, shape, cursor),
    });
  }
  return all.filter((it) => isNew(it.label));
}

function values(
  cursor: CursorContext,
  schemas: Schema[],
  alike: Document[],
  fleet: FleetIndex,
  apiVersion: string | undefined,
  kind: string | undefined,
): Completion[] {
  const all: Completion[] = [];
  const [key, depth] = [cursor.path.at(-1), cursor.path.length];
  if (depth === 1 && key === "kind") all.push(...kindValues(fleet.kinds, fleet.documents, apiVersion));
  if (depth === 1 && key === "apiVersion") all.push(...versionValues(fleet.kinds, fleet.documents, kind));
  all.push(...referenceCompletions(cursor, fleet));
  for (const schema of schemas) {
    const choices = schema.enum ?? (schema.type === "boolean" ? [true, false] : []);
    for (const it of choices)
      all.push({
        label: inlineValue(it),
        type: "enum",
        boost: 2,
        ...(schema.description ? { info: schema.description } : {}),
      });
  }
  const isName = depth === 2 && cursor.path[0] === "metadata" && key !== "namespace";
  // Values of other documents are a fallback.
  if (!all.length && depth > 1 && !isName) {
    const seen = new Set<string>();
    for (const it of valuesAt(alike, cursor.path)) {
      if (typeof it !== "string" || seen.size >= MAX_VALUES) continue;
      const text = inlineValue(it);
      if (text.length <= MAX_VALUE_LENGTH && !text.includes("\n")) seen.add(text);
    }
    for (const it of seen) all.push({ label: it, type: "text", detail: "as in another document", boost: -1 });
  }
  return all;
}

function kindValues(kinds: KindAnswer[], documents: Document[], apiVersion: string | undefined): Completion[] {
  const group = apiVersion === undefined ? undefined : apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
  const all = kinds.filter((it) => !it.kind.endsWith("*") && (group === undefined || it.group === group));
  const seen = documents.filter((it) => apiVersion === undefined || it.apiVersion === apiVersion);
  return [
    ...all.map((it): Completion => ({
      label: it.kind,
      type: "class",
      detail: it.group,
      info: `${it.scope === "Cluster" ? "of the hub as a whole" : "in a namespace"}, read by ${it.dialects.join(", ")}`,
      boost: 1,
    })),
    ...[...new Map(seen.map((it) => [it.kind, it.apiVersion ?? ""]))].map(([label, detail]): Completion => ({
      label,
      type: "class",
      detail,
      boost: -1,
    })),
  ];
}

function versionValues(kinds: KindAnswer[], documents: Document[], kind: string | undefined): Completion[] {
  const all = kinds.filter(
    (it) => kind === undefined || it.kind === kind || (it.kind.endsWith("*") && kind.startsWith(it.kind.slice(0, -1))),
  );
  const written = all.flatMap((it) => it.versions.map((version) => (it.group ? `${it.group}/${version}` : version)));
  const seen = documents.filter((it) => kind === undefined || it.kind === kind).flatMap((it) => it.apiVersion ?? []);
  return [...new Set([...written, ...seen])].map((label): Completion => ({ label, type: "namespace" }));
}

function typeName(schema: Schema): string {
  if (schema.enum)
    return schema.enum
      .map((it) => toJson(it))
      .join(" | ")
      .slice(0, MAX_VALUE_LENGTH);
  return Array.isArray(schema.type) ? schema.type.join(" | ") : (schema.type ?? "");
}

function shapeOfSchema(schema: Schema): "scalar" | "map" | "list" {
  return schema.type === "object" || schema.properties || schema.$ref
    ? "map"
    : schema.type === "array"
      ? "list"
      : "scalar";
}

/** Inserts a key with its colon and indentation, unless the colon is already there. */
function insertKey(
  key: string,
  shape: "scalar" | "map" | "list",
  cursor: CursorContext,
): NonNullable<Completion["apply"]> {
  const name = /^[\w./-]+$/.test(key) ? key : JSON.stringify(key);
  return (view: EditorView, _: Completion, from: number, to: number) => {
    const follows = /^\s*:/.test(view.state.sliceDoc(to, view.state.doc.lineAt(to).to));
    const below = cursor.indent === undefined ? " " : `\n${" ".repeat(cursor.indent + 2)}`;
    const after = follows
      ? ""
      : shape === "scalar" || cursor.indent === undefined
        ? ": "
        : shape === "map"
          ? `:${below}`
          : `:${below}- `;
    const insert = name + after;
    view.dispatch({
      changes: { from, to, insert },
      selection: { anchor: from + insert.length },
      userEvent: "input.complete",
    });
  };
}
