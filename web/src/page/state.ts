// What the page knows: the files, what was edited, what is chosen. Everything that is worked out is asked of the engine, by `Ask`.
import type { Configure, Finding, Load, Op, ParsePlace, Requests } from "../../contract.js";
import { type Answered, Engine } from "./engine.js";
import { type File, isSettings, loadRequest, observedLoads, settingsRequest } from "./files.js";
import type { SetupRequest, WorkspaceName } from "./messages.js";
import type { Source } from "./source.js";

export type View = "groups" | "fleet" | "whatif" | "plan" | "permissions" | "picture" | "reference";

/** What somebody looks at. */
export interface Selection {
  view: View;
  subject?: string | undefined;
  /** The hub is the empty name. */
  cluster?: string | undefined;
  /** Another cluster, to compare with. */
  compare?: string | undefined;
  /** An option path or a JSON pointer, and the object where a subject gives several. */
  path?: string | undefined;
  object?: string | undefined;
  /** The file in the editor. */
  file?: string | undefined;
}

/** A place in a file, as answers give it: counted from one, columns in characters. */
export interface Place {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
  /** Nobody asked for it: it is shown, and the focus stays where it is. */
  aside?: boolean;
}

/** Milliseconds. */
const NOTIFY_DELAY_MS = 40;

/** A file and what became of it: `base` is null for one that was added, `text` for one that was removed. */
export interface FileState {
  name: string;
  live?: string;
  base: string | null;
  text: string | null;
}

/** The settings of a file as they were last read, where its values stand, and why it cannot be read now. */
interface Settings {
  request?: SetupRequest | undefined;
  places?: Record<string, ParsePlace>;
  error?: Finding;
}

/**
 * Tells `typed` with every key, for who has a question; `change` when anything of it is another and nobody is in the middle of a word, for
 * who draws; and `open` (a `CustomEvent<Place>`) when the editor should go to a place.
 */
export class State extends EventTarget {
  readonly engine: Engine;
  source: Source = { id: "own", title: "", files: [], complete: [], facts: [] };
  files = new Map<string, FileState>();
  selection: Selection = { view: "groups" };
  /** Counts every change of documents. Answers belong to one. */
  generation = 0;
  /** What was found while loading, by file. */
  findings = new Map<string, Finding[]>();
  readonly #settingsByFile = new Map<string, Settings>();
  /** Files on their way to the engine, and whether they have changed since: of many keys in a large file, the last one counts. */
  readonly #sending = new Map<string, boolean>();
  readonly #pending = new Map<string, Promise<Answered | undefined>>();

  constructor(worker: Worker) {
    super();
    this.engine = new Engine(worker);
  }

  /** Begins anew with a source: it is the baseline of every what-if. */
  async open(source: Source, edits: Record<string, string | null> = {}): Promise<void> {
    this.source = source;
    this.files = new Map(source.files.map((it) => [it.name, { ...it, base: it.text }]));
    for (const [name, text] of Object.entries(edits)) this.#edit(name, text);
    const requests = await this.#setupRequests(source.files);
    this.#nextGeneration();
    void this.engine.setUp(
      "baseline",
      this.generation,
      requests.map(([, request]) => request),
      true,
    );
    await this.#reload();
  }

  /** Takes over what a server has by now. Edits stay, over the new baseline. */
  async replaceBaseline(source: Source): Promise<void> {
    const edits = Object.fromEntries(
      [...this.files.values()].filter((it) => it.text !== it.base).map((it) => [it.name, it.text]),
    );
    await this.open(source, edits);
  }

  /** What people have in their editor now. The page does not wait for it. */
  setText(name: string, text: string): void {
    const before = this.files.get(name);
    if (before?.text === text) return;
    this.#edit(name, text);
    void this.#sendFile(name);
  }

  async add(files: File[]): Promise<void> {
    for (const it of files) this.#edit(it.name, it.text, it.live);
    await this.#reload();
  }

  remove(name: string): void {
    const live = this.files.get(name)?.live;
    this.#edit(name, null);
    if (this.selection.file === name) this.selection = { ...this.selection, file: undefined };
    // What was seen is not in a file that is gone: the cluster is told anew.
    void (live === undefined ? this.#sendFile(name) : this.#reload());
  }

  /** Back to the baseline. */
  async reset(): Promise<void> {
    await this.open(this.source);
  }

  /** From now on, what-if counts from here. */
  async keepAsBaseline(): Promise<void> {
    const files = [...this.files.values()].flatMap((it): File[] =>
      it.text === null ? [] : [{ name: it.name, text: it.text, ...(it.live === undefined ? {} : { live: it.live }) }],
    );
    await this.open({ ...this.source, id: "own", files });
  }

  get edits(): FileState[] {
    return [...this.files.values()].filter((it) => it.text !== it.base);
  }

  /** Files with something that cannot be read: what is shown is what was last good. */
  get broken(): string[] {
    return [...this.findings].filter(([, all]) => all.some((it) => it.severity === "error")).map(([name]) => name);
  }

  select(changes: Partial<Selection>): void {
    this.selection = { ...this.selection, ...changes };
    this.#notify();
  }

  /** Opens a place in the editor. */
  goTo(place: Place): void {
    if (!this.files.has(place.file)) return;
    this.select({ file: place.file });
    this.dispatchEvent(new CustomEvent("open", { detail: place }));
  }

  /** The edits as a change of the baseline, as `whatIf` takes it; nothing when there are none. */
  async editsAsChange(): Promise<{ load: Load[]; configure?: Configure } | undefined> {
    const edits = this.edits;
    if (edits.length === 0) return undefined;
    const load: Load[] = [];
    const plain = ({ op: _, ...it }: SetupRequest): Load => it as Load;
    for (const it of edits.filter((it) => it.live === undefined && !isSettings(it.name)))
      load.push(plain(loadRequest({ name: it.name, text: it.text ?? "" })));
    for (const cluster of new Set(edits.flatMap((it) => (it.live === undefined ? [] : [it.live])))) {
      load.push(...observedLoads(cluster, this.#currentFiles(), this.#isComplete(cluster)).map(plain));
    }
    let configure: Configure | undefined;
    for (const it of edits.filter((it) => isSettings(it.name))) {
      const put = await this.#settings(it.name, it.text ?? "");
      if (put) configure = plain(put) as Configure;
    }
    return { load, ...(configure ? { configure } : {}) };
  }

  /** One answer for each question and generation, whoever asks. Nothing when the documents have changed since. */
  query<O extends Op>(
    request: Requests[O] & { op: O },
    urgency: number,
    on: WorkspaceName = "current",
  ): Promise<Answered<O> | undefined> {
    const key = `${on} ${JSON.stringify(request)}`;
    let pending = this.#pending.get(key);
    if (!pending) {
      pending = this.engine.query<O>(on, this.generation, urgency, request);
      this.#pending.set(key, pending);
    }
    return pending as Promise<Answered<O> | undefined>;
  }

  #edit(name: string, text: string | null, live?: string): void {
    const before = this.files.get(name);
    const edited: FileState = { ...(before ?? { name, base: null, ...(live === undefined ? {} : { live }) }), text };
    if (edited.base === null && edited.text === null) this.files.delete(name);
    else this.files.set(name, edited);
  }

  /** Brings the engine up to date with one file. */
  async #sendFile(name: string): Promise<void> {
    const file = this.files.get(name);
    if (file?.live !== undefined || isSettings(name)) return this.#reload();
    if (this.#sending.has(name)) return void this.#sending.set(name, true);
    let isDirty: boolean | undefined = true;
    while (isDirty) {
      this.#sending.set(name, false);
      const sent = this.engine.setUp(
        "current",
        this.#nextGeneration(),
        [loadRequest({ name, text: this.files.get(name)?.text ?? "" })],
        false,
      );
      // The questions wait behind it: nobody here has to.
      this.dispatchEvent(new Event("typed"));
      this.#recordFindings(name, await sent);
      isDirty = this.#sending.get(name);
    }
    this.#sending.delete(name);
    this.#notifySoon();
  }

  async #reload(): Promise<void> {
    const puts = await this.#setupRequests(this.#currentFiles());
    const generation = this.#nextGeneration();
    const answers = await this.engine.setUp(
      "current",
      generation,
      puts.map(([, put]) => put),
      true,
    );
    this.findings = new Map();
    answers.forEach((answer, index) => this.#recordFindings(puts[index]![0], [answer]));
    for (const [name, { error }] of this.#settingsByFile)
      if (error && this.files.get(name)?.text != null) this.findings.set(name, [error]);
    this.#notify();
  }

  #recordFindings(name: string, answers: Answered<"load">[]): void {
    const before = this.findings.get(name) ?? [];
    const found = answers.flatMap((it) =>
      "error" in it
        ? [
            {
              severity: "error",
              ...it.error,
              at: { file: name, ...this.#settingsByFile.get(name)?.places?.[`/spec${it.error.at}`] },
            } as Finding,
          ]
        : (it.diagnostics ?? []),
    );
    if (answers.length === 1 && before.length && !found.length) this.findings.delete(name);
    else this.findings.set(name, found);
  }

  /** All that a workspace is told, each with the file that says it. */
  async #setupRequests(files: File[]): Promise<[string, SetupRequest][]> {
    const requests = (this.source.settings ?? []).map((it): [string, SetupRequest] => ["", { ...it, op: "configure" }]);
    for (const it of files.filter((it) => isSettings(it.name))) {
      const request = await this.#settings(it.name, it.text);
      if (request) requests.push([it.name, request]);
    }
    requests.push(...this.source.facts.map((it): [string, SetupRequest] => ["", { ...it, op: "load" }]));
    const clusters = new Set([
      ...this.source.complete,
      ...files.flatMap((it) => (it.live === undefined ? [] : [it.live])),
    ]);
    for (const cluster of clusters) {
      requests.push(
        ...observedLoads(cluster, files, this.#isComplete(cluster)).map((it): [string, SetupRequest] => [
          it.file ?? "",
          it,
        ]),
      );
    }
    for (const it of files.filter((it) => it.live === undefined && !isSettings(it.name)))
      requests.push([it.name, loadRequest(it)]);
    return requests;
  }

  /** Of a cluster that nobody looked at before, what was brought along is all there is. */
  #isComplete(cluster: string): boolean {
    return this.source.complete.includes(cluster) || !this.source.files.some((it) => it.live === cluster);
  }

  /** What a settings file says; while it cannot be read, what it said last. */
  async #settings(name: string, text: string): Promise<SetupRequest | undefined> {
    const answer = await this.engine.query("current", Number.MAX_SAFE_INTEGER, 0, {
      op: "parse",
      text,
      file: name,
      places: true,
    });
    const settings: Settings =
      answer && "ok" in answer
        ? { request: settingsRequest(answer.ok.documents), places: answer.ok.places?.[0] ?? {} }
        : { ...this.#settingsByFile.get(name) };
    if (answer && "error" in answer) {
      const [, line, column] = /(\d+):(\d+)$/.exec(answer.error.at ?? "") ?? [];
      settings.error = {
        severity: "error",
        ...answer.error,
        at: { file: name, ...(line && column ? { line: Number(line), column: Number(column) } : {}) },
      };
    }
    this.#settingsByFile.set(name, settings);
    return settings.request;
  }

  #currentFiles(): File[] {
    return [...this.files.values()].flatMap((it) =>
      it.text === null ? [] : [{ name: it.name, text: it.text, ...(it.live === undefined ? {} : { live: it.live }) }],
    );
  }

  #nextGeneration(): number {
    this.#pending.clear();
    return ++this.generation;
  }

  #notify(): void {
    clearTimeout(this.#notifyTimer);
    this.dispatchEvent(new Event("change"));
  }

  /** Between two keys there is time for the preview, and for nothing else. */
  #notifyTimer: ReturnType<typeof setTimeout> | undefined;
  #notifySoon(): void {
    clearTimeout(this.#notifyTimer);
    this.#notifyTimer = setTimeout(() => this.#notify(), NOTIFY_DELAY_MS);
  }
}
