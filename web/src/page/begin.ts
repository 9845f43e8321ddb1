// What the page shows before anybody chose: the value with the longest story that the fleet has to tell.
import type { ResultAnswer, SubjectAnswer } from "../../contract.js";
import { SOON } from "./engine.js";
import type { Choice, State } from "./state.js";

/** The subject to begin with: one that sets values, for as many clusters as possible. */
export function mostTelling(subjects: SubjectAnswer[]): SubjectAnswer | undefined {
  const weight = (it: SubjectAnswer) => (it.error ? -1 : CHOOSES_ONLY.has(it.dialect) ? 0 : 1 + (it.clusters ?? 0));
  return subjects.reduce<SubjectAnswer | undefined>((best, it) => (best && weight(best) > weight(it) ? best : it), undefined);
}

/** Sets and placements say who is meant, and give nobody a value. */
const CHOOSES_ONLY = new Set(["ocm"]);

/** Cluster, value and file to begin with, for a subject. */
export async function begin(state: State, subject: string): Promise<Partial<Choice>> {
  const answer = await state.ask({ op: "effective", subject, origins: true }, SOON);
  if (!answer || !("ok" in answer)) return { subject };
  const stories = answer.ok.results.flatMap(tellings);
  const longest = stories.reduce<Telling | undefined>((best, it) => (best && best.length >= it.length ? best : it), undefined);
  return { subject, ...(longest ? { cluster: longest.cluster, path: longest.path, object: longest.object, file: longest.file } : {}) };
}

interface Telling {
  length: number;
  cluster: string | undefined;
  path: string;
  object?: string | undefined;
  file: string | undefined;
}

function tellings(result: ResultAnswer): Telling[] {
  const [cluster] = result.clusters;
  return Object.entries(result.origins ?? {}).map(([path, chain]) => ({ length: chain.length, cluster, path, file: chain[0]?.file }));
}
