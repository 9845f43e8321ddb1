// The cluster filter: a selector as in kubectl, or any part of a name, a label or a set.
import type { ClusterAnswer } from "../../../../contract.js";

export type FilterMode = "all" | "selector" | "text";

/** Detects the filter mode. A single word is text: it also matches label keys. */
export function filterMode(filter: string): FilterMode {
  const trimmed = filter.trim();
  if (trimmed === "") return "all";
  return /[=!<>(),]|\s(in|notin)(\s|$)/.test(trimmed) ? "selector" : "text";
}

/** Whether every word occurs somewhere in the cluster. */
export function matchesText(cluster: ClusterAnswer, words: string[]): boolean {
  const texts = [
    cluster.name,
    cluster.namespace ?? "",
    cluster.kind,
    ...(cluster.sets ?? []),
    ...Object.entries(cluster.labels).map(([key, value]) => `${key}=${value}`),
  ].map((it) => it.toLowerCase());
  return words.every((word) => texts.some((it) => it.includes(word)));
}

export function searchWords(filter: string): string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

/** The values that a selector requires of a label, in the forms that chips write. */
export function selectedValues(filter: string, key: string): string[] {
  return requirements(filter).flatMap((it) => {
    const { key: its, values } = parseEquality(it) ?? {};
    return its === key ? (values ?? []) : [];
  });
}

/** Adds a label value to the selector or removes it. Other requirements stay. */
export function toggleValue(filter: string, key: string, value: string): string {
  const parts = filterMode(filter) === "selector" ? requirements(filter) : [];
  const at = parts.findIndex((it) => parseEquality(it)?.key === key);
  const before = at < 0 ? [] : parseEquality(parts[at]!)!.values;
  const values = before.includes(value) ? before.filter((it) => it !== value) : [...before, value];
  const fresh =
    values.length === 0 ? [] : [values.length === 1 ? `${key}=${values[0]}` : `${key} in (${values.join(",")})`];
  if (at < 0) parts.push(...fresh);
  else parts.splice(at, 1, ...fresh);
  return parts.join(",");
}

/** The requirements of a selector, split at commas outside of parentheses. */
function requirements(filter: string): string[] {
  return filter
    .split(/,(?![^(]*\))/)
    .map((it) => it.trim())
    .filter(Boolean);
}

function parseEquality(requirement: string): { key: string; values: string[] } | undefined {
  const one = /^([^\s=!<>()]+)\s*==?\s*([^\s=!<>(),]*)$/.exec(requirement);
  if (one) return { key: one[1]!, values: [one[2]!] };
  const some = /^([^\s=!<>()]+)\s+in\s*\(([^()]*)\)$/.exec(requirement);
  return some ? { key: some[1]!, values: some[2]!.split(",").map((it) => it.trim()) } : undefined;
}

/** The column of a parse error in the filter, counted from one. */
export function errorColumn(message: string): number | undefined {
  const found = /\(at 1:(\d+) of the selector\)$/.exec(message);
  return found ? Number(found[1]) : undefined;
}
