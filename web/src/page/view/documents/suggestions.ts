// Completions for values that name something: clusters, labels, options, other documents.
import type { Completion } from "@codemirror/autocomplete";
import type { ClusterAnswer, KindAnswer } from "../../../../contract.js";
import { pluralize, inlineValue, toJson } from "../../../format.js";
import { type Document, valuesAt } from "./corpus.js";
import { ITEM, type CursorContext, topLevelValue } from "./cursor-context.js";

export interface FleetIndex {
  clusters: ClusterAnswer[];
  documents: Document[];
  /** By key, the values and the number of clusters with each. */
  labels: Map<string, Map<string, number>>;
  kinds: KindAnswer[];
}

interface Option {
  name: string;
  type?: string;
  default?: unknown;
  description?: string;
}

export function fleetIndex(clusters: ClusterAnswer[], documents: Document[], kinds: KindAnswer[]): FleetIndex {
  return { clusters, documents, kinds, labels: labelsOf(clusters) };
}

/** The label index of the last fleet. */
let cached: { of: ClusterAnswer[]; labels: FleetIndex["labels"] } | undefined;

function labelsOf(clusters: ClusterAnswer[]): FleetIndex["labels"] {
  if (cached?.of === clusters) return cached.labels;
  const labels: FleetIndex["labels"] = new Map();
  for (const it of clusters) {
    for (const [key, value] of Object.entries(it.labels)) {
      let values = labels.get(key);
      if (!values) labels.set(key, (values = new Map()));
      values.set(value, (values.get(value) ?? 0) + 1);
    }
  }
  cached = { of: clusters, labels };
  return labels;
}

/** The completions for a value that is a reference. */
export function referenceCompletions(cursor: CursorContext, fleet: FleetIndex): Completion[] {
  // A list item is named after its list.
  const path = cursor.path.filter((it) => it !== ITEM);
  const isItem = cursor.path.at(-1) === ITEM;
  const [above, key] = [path.at(-2) ?? "", path.at(-1) ?? ""];
  if (above === "matchLabels") return labelValues(fleet, key);
  if (above === "matchExpressions" && !isItem && key === "key") return labelKeys(fleet);
  if (above === "matchExpressions" && key === "operator")
    return ["In", "NotIn", "Exists", "DoesNotExist"].map((label) => ({ label, type: "enum", boost: 3 }));
  if (above === "matchExpressions" && key === "values")
    return labelValues(fleet, cursor.siblings.get("key") ?? keyBefore(cursor));
  if (/^clusterNames?$|^(ignore|exclude)\w*s$/i.test(key) || (above === "clusters" && key === "name"))
    return clusterNames(cursor, fleet);
  if (/^(optionValues|overrides|pluginOverrides|optionsOverride)$/.test(above) && /^(name|path)$/.test(key))
    return optionNameCompletions(cursor, fleet);
  if (/^(optionValues|overrides|pluginOverrides|optionsOverride)$/.test(above) && key === "value")
    return optionValues(cursor, fleet);
  if (key === "namespace" && above !== "") return namespaces(fleet);
  return documentNames(fleet, cursor, above, key);
}

function labelKeys(fleet: FleetIndex): Completion[] {
  return [...fleet.labels].map(([label, values]) => ({
    label,
    type: "property",
    detail: pluralize(values.size, "value"),
    boost: 3,
  }));
}

function labelValues(fleet: FleetIndex, key: string): Completion[] {
  return [...(fleet.labels.get(key) ?? [])].map(([value, clusters]) => ({
    label: inlineValue(value),
    type: "text",
    detail: pluralize(clusters, "cluster"),
    boost: 3,
  }));
}

/** Inside `values: […]`, the key precedes the list. */
function keyBefore(cursor: CursorContext): string {
  return [...cursor.before.matchAll(/\bkey:\s*["']?([^\s,"'}]+)/g)].at(-1)?.[1] ?? "";
}

/** The clusters of the dialects that read the document; all clusters if the kind is unknown. */
function clusterNames(cursor: CursorContext, fleet: FleetIndex): Completion[] {
  const dialects = (kind: string | undefined) =>
    fleet.kinds
      .filter((it) => it.kind === kind || (it.kind.endsWith("*") && kind?.startsWith(it.kind.slice(0, -1))))
      .flatMap((it) => it.dialects);
  const own = dialects(topLevelValue(cursor.text, "kind"));
  const kinds = new Map(
    [...new Set(fleet.clusters.map((it) => it.kind))].map((kind) => [
      kind,
      dialects(kind).some((it) => own.includes(it)),
    ]),
  );
  const near = fleet.clusters.filter((it) => kinds.get(it.kind));
  return (near.length ? near : fleet.clusters).map((it) => ({
    label: it.name,
    type: "variable",
    detail: it.kind,
    boost: 3,
  }));
}

/** The options of the definitions that the document names, or of all definitions if it names none. */
function optionsOf(cursor: CursorContext, fleet: FleetIndex): [definition: string, option: Option][] {
  const definitions = fleet.documents.filter(
    (it) => it.kind === "PluginDefinition" || it.kind === "ClusterPluginDefinition",
  );
  const words = new Set(cursor.text.split(/[\s,:{}[\]"']+/));
  const named = definitions.filter((it) => words.has(it.metadata?.name ?? ""));
  return (named.length ? named : definitions).flatMap((it) =>
    valuesAt([it], ["spec", "options", ITEM])
      .filter((option): option is Option => typeof (option as Option | null)?.name === "string")
      .map((option): [string, Option] => [it.metadata?.name ?? "", option]),
  );
}

function optionNameCompletions(cursor: CursorContext, fleet: FleetIndex): Completion[] {
  return optionsOf(cursor, fleet).map(([definition, it]) => ({
    label: it.name,
    type: "variable",
    detail: `${it.type ?? ""} of ${definition}`.trim(),
    info:
      [it.description, it.default === undefined ? undefined : `default: ${toJson(it.default)}`]
        .filter((it) => it)
        .join("\n") || "no default",
    boost: 3,
  }));
}

function optionValues(cursor: CursorContext, fleet: FleetIndex): Completion[] {
  const name = cursor.siblings.get("name") ?? cursor.siblings.get("path");
  const options = optionsOf(cursor, fleet).filter(([, it]) => it.name === name);
  return options.flatMap(([definition, it]): Completion[] => [
    ...(it.default === undefined
      ? []
      : [{ label: inlineValue(it.default), type: "text", detail: `default of ${definition}`, boost: 2 }]),
    ...(it.type === "bool" ? ["true", "false"].map((label) => ({ label, type: "enum", boost: 2 })) : []),
  ]);
}

function namespaces(fleet: FleetIndex): Completion[] {
  const all = new Set(
    fleet.documents.flatMap((it) => (it.kind === "Namespace" ? it.metadata?.name : it.metadata?.namespace) ?? []),
  );
  return [...all].map((label) => ({ label, type: "namespace", boost: 1 }));
}

/** The names of documents that a key refers to: `clusterSets`, `pluginPreset`, `pluginDefinitionRef: {name}`. */
function documentNames(fleet: FleetIndex, cursor: CursorContext, above: string, key: string): Completion[] {
  const spoken = key === "name" ? (cursor.siblings.get("kind") ?? above) : key;
  const word = spoken
    .replace(/(Refs?|Names?)$/, "")
    .replace(/s$/, "")
    .toLowerCase();
  if (word === "" || word === "metadata") return [];
  const found = fleet.documents.filter((it) => {
    const kind = it.kind.toLowerCase();
    // `pluginDefinitionNames` may also refer to a ClusterPluginDefinition, unless a sibling `kind` says otherwise.
    const isMeant = kind === word || (word.length > 6 && kind.endsWith(word) && !cursor.siblings.has("kind"));
    return it.metadata?.name !== undefined && isMeant;
  });
  return [...new Map(found.map((it) => [it.metadata!.name!, it.kind]))].map(([label, detail]) => ({
    label,
    type: "class",
    detail,
    boost: 2,
  }));
}
