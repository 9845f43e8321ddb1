// The map in words, for who listens to it and for the line above it.
import type { EffectiveAnswer } from "../../../../contract.js";
import { clusterName, count, counted } from "../../../format.js";
import { signWord, tally } from "../groups/change-signs.js";
import { differenceText, type Group } from "../groups/result-groups.js";
import { named } from "../groups/reference.js";
import type { Blast } from "./edit-impact.js";
import { type Source, sourceName, type Target } from "./feeds.js";

/** `plugin-override acme/eu feeds 3 clusters through PluginPreset/acme/metrics`. */
export function spokenSource(source: Source, blast: Blast): string {
  const fed = [...source.feeds].filter(([, it]) => it.clusters.size);
  const name = `${[...source.layers].join(" and ")} ${sourceName(source)}`;
  const through = fed.map(([subject]) => subject);
  const clusters = new Set(fed.flatMap(([, it]) => [...it.clusters]));
  const list =
    through.length > 3
      ? `${through.slice(0, 3).join(", ")} and ${counted(through.length - 3, "other subject")}`
      : through.join(" and ");
  const feeds =
    fed.length === 0
      ? `${name} feeds nothing: other layers hide all that it says`
      : `${name} feeds ${who(clusters)} through ${list}`;
  const decides = [...source.feeds.keys()].filter((it) => blast.decides.has(`${source.id} ${it}`));
  const shadowed = new Set(
    [...source.feeds.keys()].flatMap((it) => [...(blast.shadowed.get(`${source.id} ${it}`) ?? [])]),
  );
  return `${feeds}${decides.length ? `; decides what your edits change in ${decides.join(" and ")}` : ""}${shadowed.size ? `; your edit is shadowed in ${counted(shadowed.size, "cluster")}` : ""}`;
}

export function spokenTarget(
  { subjects, clusters }: Target,
  answers: Map<string, EffectiveAnswer>,
  blast: Blast,
): string {
  const [first] = subjects;
  if (subjects.length > 1)
    return `${count(subjects.length)} ${named(first!.subject).kind} documents pick ${counted(clusters, "cluster")}; unfold them`;
  if (first!.error) return `${first!.subject} gives nothing: ${first!.error.message}`;
  const names = new Set(answers.get(first!.subject)?.results.flatMap((it) => it.clusters));
  const signs = blast.signs.get(first!.subject);
  return `${first!.subject} feeds ${who(names)}${signs ? `; with your edits ${told(tally(signs, signs.keys()))}` : ""}`;
}

export function spokenGroup(target: Target, groups: Group[], clusters: number, blast: Blast): string {
  const [first] = groups;
  if (!first)
    return `${counted(clusters, "cluster")} in ${count(target.subjects.length)} ${named(target.subjects[0]!.subject).kind} documents`;
  const names = groups.flatMap((it) => it.clusters);
  const title =
    groups.length === 1
      ? `group ${first.letter} of ${target.id}`
      : `${count(groups.length)} more groups of ${target.id}`;
  const what =
    groups.length === 1 && first.differences.length
      ? `, ${first.differences.slice(0, 2).map(differenceText).join(", ")}`
      : "";
  const failed =
    groups.length === 1 && first.results[0]!.error ? `, cannot be answered: ${first.results[0]!.error.message}` : "";
  const signs = tally(blast.signs.get(target.id) ?? new Map(), names);
  return `${title}: ${who(new Set(names))}${what}${failed}${signs.size ? `; with your edits ${told(signs)}` : ""}`;
}

/** `3 clusters`, or the only one by name. */
function who(clusters: Set<string>): string {
  const [first] = clusters;
  return clusters.size === 1 && first === ""
    ? clusterName("")
    : clusters.size === 1
      ? `1 cluster, ${first}`
      : counted(clusters.size, "cluster");
}

function told(signs: Map<string, number>): string {
  return [...signs].map(([sign, number]) => `${count(number)} ${signWord(sign, number)}`).join(", ");
}
