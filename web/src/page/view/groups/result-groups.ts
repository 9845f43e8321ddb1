// Groups of clusters with equal results, and how each differs from the largest.
import type { EffectiveAnswer, ResultAnswer } from "../../../../contract.js";
import { inlineValue, toJson, referenceText } from "../../../format.js";

export interface Group {
  /** A, B, C…: largest first, groups with errors last. */
  letter: string;
  /** The engine separates results with different layers; equal values form one group here. */
  results: ResultAnswer[];
  clusters: string[];
  /** The differences to the largest group, rarest first. */
  differences: Difference[];
  largest: boolean;
}

export interface Difference {
  /** An option path, or the end of a pointer into an object. */
  path: string;
  /** Undefined where the group does not have it. */
  value?: string;
}

const cache = new WeakMap<EffectiveAnswer, Group[]>();

export function groupsOf(answer: EffectiveAnswer): Group[] {
  let groups = cache.get(answer);
  if (!groups) cache.set(answer, (groups = groupResults(answer)));
  return groups;
}

export function groupWith(groups: Group[], cluster: string | undefined): Group | undefined {
  return cluster === undefined ? undefined : groups.find((it) => it.clusters.includes(cluster));
}

/** The initially selected cluster: the first of the largest group. */
export function firstOf(answer: EffectiveAnswer): string | undefined {
  const groups = groupsOf(answer);
  return (groups.find((it) => it.largest) ?? groups[0])?.clusters[0];
}

/** `replicas=5`, `no storage.class`. */
export function differenceText({ path, value }: Difference): string {
  return value === undefined ? `no ${path}` : `${path}=${value}`;
}

function groupResults(answer: EffectiveAnswer): Group[] {
  // Options that contain the cluster's name differ everywhere and distinguish no group.
  const perClusterPaths = new Set(
    answer.results.flatMap((it) =>
      Object.values(it.own ?? {})
        .slice(0, 1)
        .flatMap((options) => options.map(({ path }) => path)),
    ),
  );
  const equal = new Map<string, { results: ResultAnswer[]; leaves: Map<string, Leaf> }>();
  for (const result of answer.results) {
    const leaves = answer.results.length === 1 ? new Map<string, Leaf>() : leavesOf(result, perClusterPaths);
    const sign = toJson([result.group?.index, result.error?.message, [...leaves].map(([key, it]) => [key, it.shape])]);
    const known = equal.get(sign);
    if (known) known.results.push(result);
    else equal.set(sign, { results: [result], leaves });
  }
  const sorted = [...equal.values()]
    .map((it) => ({ ...it, clusters: it.results.flatMap((result) => result.clusters) }))
    .sort(
      (a, b) =>
        Number(!!a.results[0]!.error) - Number(!!b.results[0]!.error) ||
        decisionIndex(a.results[0]!) - decisionIndex(b.results[0]!) ||
        b.clusters.length - a.clusters.length,
    );
  const most = sorted
    .filter((it) => !it.results[0]!.error)
    .reduce((best, it) => (it.clusters.length > (best?.clusters.length ?? 0) ? it : best), sorted[0]);
  // The number of clusters with the same value: rare values distinguish more.
  const clustersByLeaf = new Map<string, number>();
  for (const { leaves, clusters } of sorted)
    for (const [key, { shape }] of leaves)
      clustersByLeaf.set(`${key}\0${shape}`, (clustersByLeaf.get(`${key}\0${shape}`) ?? 0) + clusters.length);
  // If several groups are the largest, compare each with the most common value of every option.
  const isTied = sorted.filter((it) => it.clusters.length === most?.clusters.length).length > 1;
  const usual = isTied ? usualLeaves(sorted, clustersByLeaf) : (most?.leaves ?? new Map<string, Leaf>());
  return sorted.map(({ results, leaves, clusters }, index) => {
    const found: [weight: number, Difference][] = [];
    for (const key of new Set([...leaves.keys(), ...usual.keys()])) {
      const [here, there] = [leaves.get(key), usual.get(key)];
      if (here?.shape === there?.shape) continue;
      const { path, injected } = (here ?? there)!;
      found.push([
        (injected ? 1e6 : 0) + (clustersByLeaf.get(`${key}\0${here?.shape}`) ?? 0),
        here ? { path, value: here.text } : { path },
      ]);
    }
    const differences = results[0]!.error
      ? []
      : found.sort((a, b) => a[0] - b[0] || a[1].path.length - b[1].path.length).map(([, it]) => it);
    return {
      letter: letter(index),
      results,
      clusters,
      differences,
      largest: leaves === most?.leaves && !results[0]!.error,
    };
  });
}

/** The most common value of every key; absent if most clusters do not have it. */
function usualLeaves(
  groups: { leaves: Map<string, Leaf>; clusters: string[] }[],
  spread: Map<string, number>,
): Map<string, Leaf> {
  const usual = new Map<string, Leaf>();
  const number = (key: string) => spread.get(`${key}\0${usual.get(key)?.shape}`) ?? 0;
  for (const { leaves } of groups)
    for (const [key, leaf] of leaves)
      if ((spread.get(`${key}\0${leaf.shape}`) ?? 0) > number(key)) usual.set(key, leaf);
  const all = groups.reduce((sum, it) => sum + it.clusters.length, 0);
  for (const key of [...usual.keys()]) {
    const having = groups.reduce((sum, it) => sum + (it.leaves.has(key) ? it.clusters.length : 0), 0);
    if (all - having > number(key)) usual.delete(key);
  }
  return usual;
}

/** Decision groups keep their own order. */
function decisionIndex(result: ResultAnswer): number {
  return result.group?.index ?? 0;
}

function letter(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letter(Math.floor(index / 26) - 1) + last;
}

interface Leaf {
  path: string;
  text: string;
  /** The text without the cluster's own name. */
  shape: string;
  injected?: boolean;
}

/** Every value of a result, by a key that is equal in all groups, without per-cluster options. */
function leavesOf(result: ResultAnswer, own: Set<string>): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const name = result.clusters.length === 1 ? result.clusters[0] : undefined;
  const put = (key: string, path: string, value: unknown, text: string, injected = false) =>
    leaves.set(key, {
      path,
      text: truncate(text),
      shape: name && typeof value === "string" ? text.replaceAll(name, "\0") : text,
      injected,
    });
  for (const it of result.options ?? [])
    if (!own.has(it.path))
      put(
        it.path,
        it.path,
        it.value,
        it.valueFrom === undefined ? inlineValue(it.value) : referenceText(it.valueFrom),
        it.from === "injected",
      );
  const several = (result.objects?.length ?? 0) > 1;
  for (const { object } of result.objects ?? []) {
    const { kind, metadata } = object as { kind?: string; metadata?: { name?: string } };
    walk(object, [], (path, value) =>
      put(
        `${kind}/${metadata?.name} ${toJson(path)}`,
        (several ? `${metadata?.name} ` : "") + lastSegments(path),
        value,
        inlineValue(value),
      ),
    );
  }
  return leaves;
}

function walk(value: unknown, path: string[], leaf: (path: string[], value: unknown) => void): void {
  if (typeof value === "object" && value !== null && Object.keys(value).length)
    for (const [key, it] of Object.entries(value)) walk(it, [...path, key], leaf);
  else leaf(path, value);
}

/** The last name of a path, with list indexes after it. */
function lastSegments(path: string[]): string {
  let from = path.length - 1;
  while (from > 0 && /^\d+$/.test(path[from]!)) from--;
  return path.slice(from).join("/");
}

function truncate(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
