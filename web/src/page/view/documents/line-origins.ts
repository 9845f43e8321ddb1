// The lines that set the values of the selected subject.
import type { EffectiveAnswer, LayerAnswer, ProductAnswer } from "../../../../contract.js";
import { inlineValue, referenceText } from "../../../format.js";

/** A line that sets a value. */
export interface LineOrigin {
  line: number;
  layer: string;
  /** An option path or a JSON pointer; empty for a complete object. */
  path: string;
  object?: string;
  value: string;
  /** The number of clusters in which it wins, of those in which it sets the value. */
  wins: number;
  of: number;
  /** The layer that wins in the other clusters. */
  by?: string;
}

/** By file, the lines that set a value for `cluster`, or for any cluster if none is selected. */
export function lineOrigins(answer: EffectiveAnswer, cluster: string | undefined): Map<string, LineOrigin[]> {
  const all = new Map<string, Map<string, LineOrigin>>();
  for (const result of answer.results) {
    const clusters = cluster === undefined ? result.clusters.length : Number(result.clusters.includes(cluster));
    if (!clusters) continue;
    const put = (layers: LayerAnswer[], path: string, object?: string) =>
      layers.forEach((layer, rank) => record(all, layer, rank, layers[0]!, path, clusters, object));
    for (const [path, layers] of Object.entries(result.origins ?? {})) put(layers, path);
    for (const product of result.objects ?? []) {
      const object = objectName(product);
      if (product.base) put([{ layer: "base", ...product.base, value: object }], "", object);
      for (const [path, layers] of Object.entries(product.origins ?? {})) put(layers, path, object);
    }
  }
  return new Map(
    [...all].map(([file, lines]) => [file, [...lines.values()].sort((a, b) => a.line - b.line || b.wins - a.wins)]),
  );
}

function record(
  all: Map<string, Map<string, LineOrigin>>,
  layer: LayerAnswer,
  rank: number,
  winner: LayerAnswer,
  path: string,
  clusters: number,
  object?: string,
): void {
  if (layer.file === undefined || layer.line === undefined) return;
  let lines = all.get(layer.file);
  if (!lines) all.set(layer.file, (lines = new Map()));
  const key = `${layer.line} ${layer.layer} ${object ?? ""} ${path}`;
  let decided = lines.get(key);
  if (!decided) {
    const value = layer.valueFrom === undefined ? inlineValue(layer.value) : referenceText(layer.valueFrom);
    lines.set(
      key,
      (decided = {
        line: layer.line,
        layer: layer.layer,
        path,
        ...(object === undefined ? {} : { object }),
        value,
        wins: 0,
        of: 0,
      }),
    );
  }
  decided.of += clusters;
  if (rank === 0) decided.wins += clusters;
  else decided.by ??= winner.layer;
}

/** `Kind/namespace/name`, as `explain` takes it. */
function objectName({ object }: ProductAnswer): string {
  const { kind, metadata } = object as { kind?: string; metadata?: { name?: string; namespace?: string } };
  return [kind, metadata?.namespace, metadata?.name].filter((it) => it !== undefined).join("/");
}

/** Describes an origin for tooltips and screen readers. */
export function describeOrigin(it: LineOrigin): string {
  const what = it.path ? `sets ${it.path}: ${shorten(it.value)}` : `writes ${it.value}`;
  const how =
    it.wins === it.of
      ? ""
      : it.wins === 0
        ? `, hidden by ${it.by}`
        : `, hidden by ${it.by} in ${it.of - it.wins} of ${it.of} clusters`;
  return `${it.layer} ${what}${how}`;
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** The file of the subject's own document, as far as its results name it. */
export function subjectFile(answer: EffectiveAnswer): string | undefined {
  for (const result of answer.results) {
    const layers = [
      ...Object.values(result.origins ?? {}),
      ...(result.objects ?? []).flatMap((it) => Object.values(it.origins ?? {})),
    ].flat();
    const own =
      layers.find((it) => it.document === answer.subject && it.file !== undefined) ??
      result.objects?.find((it) => it.base?.file !== undefined)?.base;
    if (own?.file !== undefined) return own.file;
  }
  return undefined;
}
