// The impact of the edits: the affected sources, subjects and clusters, and where a layer shadows an edit.
import type { WhatIfAnswer } from "../../../../contract.js";
import { signsOf } from "../groups/change-signs.js";
import type { Source } from "./feeds.js";

export interface EditImpact {
  /** By subject, the effect on each cluster, as signs. */
  signs: Map<string, Map<string, string>>;
  /** `source subject` pairs that set a changed value. */
  decides: Set<string>;
  /** `source subject` pairs that were edited without effect, with the clusters. */
  shadowed: Map<string, Set<string>>;
  /** By subject, the clusters in which a layer shadows an edit. */
  hidden: Map<string, Set<string>>;
}

export function editImpact(answer: WhatIfAnswer | undefined, sources: Source[], edited: Set<string>): EditImpact {
  const blast: EditImpact = { signs: new Map(), decides: new Set(), shadowed: new Map(), hidden: new Map() };
  const isEdited = (it: Source) => [...it.files].some((file) => edited.has(file));
  for (const { subject, changes } of answer?.groups ?? []) {
    blast.signs.set(subject, blast.signs.get(subject) ?? signsOf(answer, subject));
    for (const source of sources) {
      if (!source.feeds.get(subject)?.clusters.size) continue;
      // A cluster that joins or leaves has no single changed value: its cause is the edited source.
      const decides = changes.length
        ? changes.some(
            ({ cause }) =>
              cause &&
              source.layers.has(cause.layer) &&
              (cause.document === undefined || source.documents.has(cause.document)),
          )
        : isEdited(source);
      if (decides) blast.decides.add(`${source.id} ${subject}`);
    }
  }
  for (const { subject, path, clusters } of answer?.shadowed ?? []) {
    blast.hidden.set(subject, new Set([...(blast.hidden.get(subject) ?? []), ...clusters]));
    for (const source of sources.filter((it) => isEdited(it) && it.feeds.get(subject)?.hidden.has(path))) {
      const id = `${source.id} ${subject}`;
      blast.shadowed.set(id, new Set([...(blast.shadowed.get(id) ?? []), ...clusters]));
    }
  }
  return blast;
}
