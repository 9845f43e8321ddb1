// The flow of values: which documents feed which subjects.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { EffectiveAnswer, LayerAnswer, PlaceAnswer, ResultAnswer, SubjectAnswer } from "../../../../contract.js";
import { markOf } from "../../../layers.js";
import { formatCount } from "../../../format.js";
import { LATER, SOON } from "../../engine.js";
import type { Place, State } from "../../state.js";
import { type Group, groupsOf } from "../groups/result-groups.js";
import { parseReference } from "../groups/reference.js";

/**
 * The results of all subjects, queried again on every change of documents. The last complete set stays until the next
 * one is complete.
 */
export class AllResults implements ReactiveController {
  subjects: SubjectAnswer[] | undefined;
  answers = new Map<string, EffectiveAnswer>();
  readonly #host: ReactiveControllerHost & { state: State };
  #generation = -1;

  constructor(host: ReactiveControllerHost & { state: State }) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.state.addEventListener("change", this.#load);
    void this.#load();
  }

  hostDisconnected(): void {
    this.#host.state.removeEventListener("change", this.#load);
  }

  readonly #load = async (): Promise<void> => {
    const { state } = this.#host;
    const { generation } = state;
    if (generation === this.#generation) return;
    this.#generation = generation;
    const listed = await state.query({ op: "subjects" }, SOON);
    if (!listed || !("ok" in listed)) return;
    const { subjects } = listed.ok;
    const answers = await Promise.all(
      subjects.map(({ subject }) => state.query({ op: "effective", subject, origins: true }, LATER)),
    );
    if (generation !== this.#generation || answers.includes(undefined)) return;
    this.subjects = subjects;
    this.answers = new Map(answers.flatMap((it) => (it && "ok" in it ? [[it.ok.subject, it.ok]] : [])));
    this.#host.requestUpdate();
  };
}

/** Documents whose layers have one family: one document, or many of a kind. */
export interface Source {
  id: string;
  colour: number;
  family: string;
  layers: Set<string>;
  documents: Set<string>;
  /** The first position at which it sets a value. */
  place?: Place;
  files: Set<string>;
  /** By subject. */
  feeds: Map<string, Feed>;
}

export interface Feed {
  /** Clusters with an effective value from it. */
  clusters: Set<string>;
  /** Paths at which another layer overrides it in some cluster. */
  hidden: Set<string>;
}

/** Sources by family, then by name. More than `many` documents of a kind are folded into one source. */
export function sourcesOf(answers: Iterable<EffectiveAnswer>, many: number): Source[] {
  const sources = new Map<string, Source>();
  for (const { subject, results } of answers) {
    for (const result of results) {
      for (const [path, chain] of chainsOf(result)) {
        chain.forEach((it, index) => {
          const feed = feedOf(sources, it, subject);
          if (index > 0) feed.hidden.add(path);
          else for (const cluster of result.clusters) feed.clusters.add(cluster);
        });
      }
    }
  }
  return foldByKind([...sources.values()], many).sort(
    (a, b) => a.colour - b.colour || (sourceName(a) < sourceName(b) ? -1 : 1),
  );
}

/** Every value of a result with its layers, winner first. */
function* chainsOf(result: ResultAnswer): Iterable<[path: string, chain: LayerAnswer[]]> {
  yield* Object.entries(result.origins ?? {});
  for (const { base, origins } of result.objects ?? []) {
    if (base) yield ["", [{ layer: "base", ...base } as LayerAnswer]];
    yield* Object.entries(origins ?? {});
  }
}

function feedOf(
  sources: Map<string, Source>,
  { layer, document, file, line, column }: LayerAnswer & PlaceAnswer,
  subject: string,
): Feed {
  const { colour, family } = markOf(layer);
  const id = `${colour} ${document ?? layer}`;
  let source = sources.get(id);
  if (!source)
    sources.set(
      id,
      (source = {
        id,
        colour,
        family,
        layers: new Set(),
        documents: new Set(),
        files: new Set(),
        feeds: new Map(),
        ...(file === undefined ? {} : { place: { file, line, column } }),
      }),
    );
  source.layers.add(layer);
  if (document !== undefined) source.documents.add(document);
  if (file !== undefined) source.files.add(file);
  let feed = source.feeds.get(subject);
  if (!feed) source.feeds.set(subject, (feed = { clusters: new Set(), hidden: new Set() }));
  return feed;
}

function foldByKind(sources: Source[], many: number): Source[] {
  const kinds = new Map<string, Source[]>();
  for (const it of sources) {
    // Values that the engine injects are one source: they come from no document.
    const kind = it.family === "engine" ? "engine" : `${it.colour} ${parseReference([...it.documents][0] ?? "").kind}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), it]);
  }
  return [...kinds].flatMap(([kind, all]) =>
    all.length > (kind === "engine" ? 1 : many)
      ? [
          all.reduce(mergeSource, {
            ...all[0]!,
            id: `${kind}s`,
            layers: new Set(),
            documents: new Set(),
            files: new Set(),
            feeds: new Map(),
          }),
        ]
      : all,
  );
}

function mergeSource(into: Source, it: Source): Source {
  for (const layer of it.layers) into.layers.add(layer);
  for (const document of it.documents) into.documents.add(document);
  for (const file of it.files) into.files.add(file);
  for (const [subject, { clusters, hidden }] of it.feeds) {
    const feed = into.feeds.get(subject) ?? { clusters: new Set<string>(), hidden: new Set<string>() };
    for (const cluster of clusters) feed.clusters.add(cluster);
    for (const path of hidden) feed.hidden.add(path);
    into.feeds.set(subject, feed);
  }
  return into;
}

/** `acme/eu`, or `17 Cluster documents`. */
export function sourceName({ documents, layers }: Source): string {
  const [first] = documents;
  if (first === undefined) return [...layers].join(", ");
  const { kind, namespace, name } = parseReference(first);
  const isOneKind = [...documents].every((it) => parseReference(it).kind === kind);
  if (documents.size > 1) return `${formatCount(documents.size)} ${isOneKind ? `${kind} ` : ""}documents`;
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** A subject with its groups, or several folded subjects of a kind that no other document feeds. */
export interface Target {
  id: string;
  /** More than one if folded. */
  subjects: SubjectAnswer[];
  clusters: number;
  groups: Group[];
}

/**
 * Sorted close to their sources, subjects without sources last. With more than `most` subjects, kinds with many
 * subjects that no layer feeds are folded into one target.
 */
export function targetsOf(
  subjects: SubjectAnswer[],
  answers: Map<string, EffectiveAnswer>,
  sources: Source[],
  most: number,
  unfolded: Set<string>,
): Target[] {
  const fed = new Set(sources.flatMap((it) => [...it.feeds.keys()]));
  const kinds = new Map<string, SubjectAnswer[]>();
  for (const it of subjects) {
    const kind = parseReference(it.subject).kind;
    if (!fed.has(it.subject)) kinds.set(kind, [...(kinds.get(kind) ?? []), it]);
  }
  const targets = new Map<string, Target>();
  for (const it of subjects) {
    const kind = parseReference(it.subject).kind;
    const alike = kinds.get(kind) ?? [];
    const groups = groupsOf(answers.get(it.subject) ?? { subject: it.subject, results: [] });
    if (subjects.length > most && alike.length > 5 && alike.includes(it) && !unfolded.has(kind)) {
      const id = `all ${kind}`;
      const clusters = new Set(
        alike.flatMap((other) => answers.get(other.subject)?.results.flatMap((result) => result.clusters) ?? []),
      );
      targets.set(id, { id, subjects: alike, clusters: clusters.size, groups: [] });
    } else {
      targets.set(it.subject, {
        id: it.subject,
        subjects: [it],
        clusters: groups.reduce((sum, group) => sum + group.clusters.length, 0),
        groups,
      });
    }
  }
  const near = new Map([...targets.values()].map((it) => [it, averageSourceIndex(it, sources)]));
  return [...targets.values()].sort((a, b) => near.get(a)! - near.get(b)!);
}

/** The average index of a target's sources. */
function averageSourceIndex(target: Target, sources: Source[]): number {
  const at = sources.flatMap((it, index) =>
    it.family !== "engine" && target.subjects.some(({ subject }) => it.feeds.get(subject)?.clusters.size)
      ? [index]
      : [],
  );
  return at.length ? at.reduce((sum, it) => sum + it, 0) / at.length : sources.length;
}
