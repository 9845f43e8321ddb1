// Ranks the labels of a fleet: those that many clusters have, with few values that divide the clusters evenly.
import type { ClusterAnswer } from "../../../../contract.js";

export interface Label {
  key: string;
  /** The number of clusters that have it. */
  clusters: number;
  /** Most clusters first. */
  values: [value: string, clusters: number][];
}

const cache = new WeakMap<ClusterAnswer[], Label[]>();

/** All labels of the fleet, the most distinguishing first. */
export function labelsOf(clusters: ClusterAnswer[]): Label[] {
  let labels = cache.get(clusters);
  if (!labels) cache.set(clusters, (labels = rankLabels(clusters)));
  return labels;
}

/** Label keys may equal names of object properties. */
export function labelOf({ labels }: ClusterAnswer, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** The key without its prefix. */
export function shortKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

function rankLabels(clusters: ClusterAnswer[]): Label[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { labels } of clusters) {
    for (const [key, value] of Object.entries(labels)) {
      const values = counts.get(key) ?? new Map<string, number>();
      counts.set(key, values.set(value, (values.get(value) ?? 0) + 1));
    }
  }
  const all = [...counts].map(([key, values]): Label => ({
    key,
    clusters: [...values.values()].reduce((sum, it) => sum + it, 0),
    values: [...values].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
  }));
  const sorted = all
    .map((it): [number, Label] => [score(it, clusters.length), it])
    .sort((a, b) => b[0] - a[0] || (a[1].key < b[1].key ? -1 : 1));
  return sorted
    .map(([, it]) => it)
    .filter((it, index, labels) => !labels.slice(0, index).some((other) => isDuplicate(it, other, clusters)));
}

/** How evenly its values divide the clusters, reduced for labels with many values. */
function score({ clusters, values }: Label, all: number): number {
  const evenness = values.reduce((sum, [, it]) => sum - (it / clusters) * Math.log2(it / clusters), 0);
  return (clusters / all) * (values.length > 12 ? (evenness * 6) / values.length : evenness + 0.01);
}

/** Whether it duplicates another label, as `topology.kubernetes.io/region` does `region`. */
function isDuplicate(label: Label, other: Label, clusters: ClusterAnswer[]): boolean {
  return (
    label.clusters === other.clusters &&
    label.values.length === other.values.length &&
    clusters.every((it) => labelOf(it, label.key) === labelOf(it, other.key))
  );
}
