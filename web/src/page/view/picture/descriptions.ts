// Descriptions of the map's nodes, for screen readers and the line above the map.
import type { EffectiveAnswer } from "../../../../contract.js";
import { clusterName, formatCount, pluralize } from "../../../format.js";
import { signText, countSigns } from "../groups/change-signs.js";
import { differenceText, type Group } from "../groups/result-groups.js";
import { parseReference } from "../groups/reference.js";
import type { EditImpact } from "./edit-impact.js";
import { type Source, sourceName, type Target } from "./feeds.js";

/** `plugin-override acme/eu feeds 3 clusters through PluginPreset/acme/metrics`. */
export function describeSource(source: Source, blast: EditImpact): string {
  const fed = [...source.feeds].filter(([, it]) => it.clusters.size);
  const name = `${[...source.layers].join(" and ")} ${sourceName(source)}`;
  const through = fed.map(([subject]) => subject);
  const clusters = new Set(fed.flatMap(([, it]) => [...it.clusters]));
  const list =
    through.length > 3
      ? `${through.slice(0, 3).join(", ")} and ${pluralize(through.length - 3, "other subject")}`
      : through.join(" and ");
  const feeds =
    fed.length === 0
      ? `${name} feeds nothing: other layers shadow all its values`
      : `${name} feeds ${clustersText(clusters)} through ${list}`;
  const decides = [...source.feeds.keys()].filter((it) => blast.decides.has(`${source.id} ${it}`));
  const shadowed = new Set(
    [...source.feeds.keys()].flatMap((it) => [...(blast.shadowed.get(`${source.id} ${it}`) ?? [])]),
  );
  return `${feeds}${decides.length ? `; decides what your edits change in ${decides.join(" and ")}` : ""}${
    shadowed.size ? `; your edit is shadowed in ${pluralize(shadowed.size, "cluster")}` : ""
  }`;
}

export function describeTarget(
  { subjects, clusters }: Target,
  answers: Map<string, EffectiveAnswer>,
  blast: EditImpact,
): string {
  const [first] = subjects;
  if (subjects.length > 1)
    return `${formatCount(subjects.length)} ${
      parseReference(first!.subject).kind
    } documents select ${pluralize(clusters, "cluster")}; unfold them`;
  if (first!.error) return `${first!.subject} produces nothing: ${first!.error.message}`;
  const names = new Set(answers.get(first!.subject)?.results.flatMap((it) => it.clusters));
  const signs = blast.signs.get(first!.subject);
  return `${first!.subject} feeds ${clustersText(names)}${
    signs ? `; with your edits ${signsText(countSigns(signs, signs.keys()))}` : ""
  }`;
}

export function describeGroup(target: Target, groups: Group[], clusters: number, blast: EditImpact): string {
  const [first] = groups;
  if (!first)
    return `${pluralize(clusters, "cluster")} in ${formatCount(target.subjects.length)} ${
      parseReference(target.subjects[0]!.subject).kind
    } documents`;
  const names = groups.flatMap((it) => it.clusters);
  const title =
    groups.length === 1
      ? `group ${first.letter} of ${target.id}`
      : `${formatCount(groups.length)} more groups of ${target.id}`;
  const what =
    groups.length === 1 && first.differences.length
      ? `, ${first.differences.slice(0, 2).map(differenceText).join(", ")}`
      : "";
  const failed =
    groups.length === 1 && first.results[0]!.error ? `, no result: ${first.results[0]!.error.message}` : "";
  const signs = countSigns(blast.signs.get(target.id) ?? new Map(), names);
  return `${title}: ${clustersText(new Set(names))}${what}${failed}${
    signs.size ? `; with your edits ${signsText(signs)}` : ""
  }`;
}

/** `3 clusters`, or the name of the only one. */
function clustersText(clusters: Set<string>): string {
  const [first] = clusters;
  return clusters.size === 1 && first === ""
    ? clusterName("")
    : clusters.size === 1
      ? `1 cluster, ${first}`
      : pluralize(clusters.size, "cluster");
}

function signsText(signs: Map<string, number>): string {
  return [...signs].map(([sign, number]) => `${formatCount(number)} ${signText(sign, number)}`).join(", ");
}
