// The initial selection: the value with the longest chain of layers.
import type { ResultAnswer, SubjectAnswer } from "../../contract.js";
import { SOON } from "./engine.js";
import type { Selection, Place, State } from "./state.js";

/** The initial subject: one that sets values, for as many clusters as possible. */
export function initialSubject(subjects: SubjectAnswer[]): SubjectAnswer | undefined {
  const weight = (it: SubjectAnswer) =>
    it.error ? -1 : SELECTION_ONLY_DIALECTS.has(it.dialect) ? 0 : 1 + (it.clusters ?? 0);
  return subjects.reduce<SubjectAnswer | undefined>(
    (best, it) => (best && weight(best) > weight(it) ? best : it),
    undefined,
  );
}

/** Dialects whose subjects only select clusters and set no values. */
const SELECTION_ONLY_DIALECTS = new Set(["ocm"]);

/** The initial cluster and value of a subject, and the line that sets it. */
export async function initialSelection(
  state: State,
  subject: string,
): Promise<{ selection: Partial<Selection>; place?: Place }> {
  const answer = await state.query({ op: "effective", subject, origins: true }, SOON);
  if (!answer || !("ok" in answer)) return { selection: { subject } };
  const candidates = answer.ok.results.flatMap(candidatesOf);
  const longest = candidates.reduce<Candidate | undefined>(
    (best, it) => (best && best.length >= it.length ? best : it),
    undefined,
  );
  if (!longest) return { selection: { subject } };
  const { cluster, path, place } = longest;
  return { selection: { subject, cluster, path }, ...(place ? { place } : {}) };
}

interface Candidate {
  length: number;
  cluster: string | undefined;
  path: string;
  place: Place | undefined;
}

function candidatesOf(result: ResultAnswer): Candidate[] {
  const [cluster] = result.clusters;
  return Object.entries(result.origins ?? {}).map(([path, [winner, ...others]]) => {
    const place =
      winner?.file === undefined ? undefined : { file: winner.file, line: winner.line, column: winner.column };
    return { length: others.length, cluster, path, place };
  });
}
