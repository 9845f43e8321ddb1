// The state of the page: files, edits and selection. Everything derived comes from the engine through `EngineQuery`.
import type { Configure, Finding, Load, Op, ParsePlace, Requests } from "../../contract.js";
import { toJson } from "../format.js";
import { type Answered, Engine } from "./engine.js";
import { type File, type Role, loadRequest, observedLoads, rolesOf, settingsRequest } from "./files.js";
import type { SetupRequest, WorkspaceName } from "./messages.js";
import type { Source } from "./source.js";

export type View = "groups" | "fleet" | "whatif" | "plan" | "permissions" | "picture" | "reference";

/** The user's selection. */
export interface Selection {
  view: View;
  subject?: string | undefined;
  /** The hub is the empty name. */
  cluster?: string | undefined;
  /** The cluster to compare with. */
  compare?: string | undefined;
  /** An option path or a JSON pointer, and the object if the subject has several. */
  path?: string | undefined;
  object?: string | undefined;
  /** The file in the editor. */
  file?: string | undefined;
}

/** A position in a file, as in answers: counted from one, columns in characters. */
export interface Place {
  file: string;
  line?: number | undefined;
  column?: number | undefined;
  /** Show it without moving the focus. */
  aside?: boolean;
}

const NOTIFY_DELAY_MS = 40;

/** A file with its edit: `base` is null for an added file, `text` for a removed one. */
export interface FileState extends Role {
  name: string;
  base: string | null;
  text: string | null;
}

/** The last valid settings of a file, the positions of its values, and its current error. */
interface Settings {
  request?: SetupRequest | undefined;
  places?: Record<string, ParsePlace>;
  error?: Finding;
}

/**
 * Dispatches `typed` on every keystroke, for queries; `change` when anything changed and typing paused, for rendering;
 * and `open` (a `CustomEvent<Place>`) when the editor should open a position.
 */
export class State extends EventTarget {
  readonly engine: Engine;
  source: Source = { id: "own", title: "", files: [], complete: [], facts: [] };
  files = new Map<string, FileState>();
  selection: Selection = { view: "groups" };
  /** Increments with every change of documents. Each answer belongs to one generation. */
  generation = 0;
  /** The findings of loading, by file. */
  findings = new Map<string, Finding[]>();
  readonly #settingsByFile = new Map<string, Settings>();
  /**
   * Files being sent to the engine, and whether they changed meanwhile: only the latest text of several keystrokes is
   * sent.
   */
  readonly #sending = new Map<string, boolean>();
  readonly #pending = new Map<string, Promise<Answered | undefined>>();

  constructor(worker: Worker) {
    super();
    this.engine = new Engine(worker);
  }

  /** Opens a source as the new baseline. */
  async open(source: Source, edits: Record<string, string | null> = {}): Promise<void> {
    const files = new Map(source.files.map((it): [string, FileState] => [it.name, { ...it, base: it.text }]));
    const added = Object.keys(edits).filter((it) => !files.has(it));
    const { roles } = await rolesOf(this.engine, added);
    this.source = source;
    this.files = files;
    for (const [name, text] of Object.entries(edits)) this.#edit(name, text, roles.get(name));
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

  /** Takes over a newer version of the server's documents. Edits stay on top. */
  async replaceBaseline(source: Source): Promise<void> {
    const edits = Object.fromEntries(
      [...this.files.values()].filter((it) => it.text !== it.base).map((it) => [it.name, it.text]),
    );
    await this.open(source, edits);
  }

  /** Sets the text of a file. Returns before the engine has it. */
  setText(name: string, text: string): void {
    const before = this.files.get(name);
    if (!before) return void this.#addText(name, text);
    if (before.text === text) return;
    this.#edit(name, text);
    void this.#sendFile(name);
  }

  async #addText(name: string, text: string): Promise<void> {
    const { roles } = await rolesOf(this.engine, [name]);
    await this.add([{ name, text, ...roles.get(name) }]);
  }

  async add(files: File[]): Promise<void> {
    for (const it of files) this.#edit(it.name, it.text, it);
    await this.#reload();
  }

  remove(name: string): void {
    const before = this.files.get(name);
    this.#edit(name, null);
    if (this.selection.file === name) this.selection = { ...this.selection, file: undefined };
    // The cluster's observed objects must be loaded again without this file.
    void (before && !isManifests(before) ? this.#reload() : this.#sendFile(name));
  }

  async reset(): Promise<void> {
    await this.open(this.source);
  }

  /** Makes the current documents the baseline of what-if. */
  async keepAsBaseline(): Promise<void> {
    const files = [...this.files.values()].flatMap((it): File[] =>
      it.text === null ? [] : [{ name: it.name, text: it.text, ...roleOf(it) }],
    );
    await this.open({ ...this.source, id: "own", files });
  }

  get edits(): FileState[] {
    return [...this.files.values()].filter((it) => it.text !== it.base);
  }

  /** Files with parse errors; their last valid version is in use. */
  get broken(): string[] {
    return [...this.findings].filter(([, all]) => all.some((it) => it.severity === "error")).map(([name]) => name);
  }

  select(changes: Partial<Selection>): void {
    this.selection = { ...this.selection, ...changes };
    this.#notify();
  }

  /** Opens a position in the editor. */
  goTo(place: Place): void {
    if (!this.files.has(place.file)) return;
    this.select({ file: place.file });
    this.dispatchEvent(new CustomEvent("open", { detail: place }));
  }

  /** The edits as a `whatIf` change of the baseline; nothing if there are no edits. */
  async editsAsChange(): Promise<{ load: Load[]; configure?: Configure } | undefined> {
    const edits = this.edits;
    if (edits.length === 0) return undefined;
    const load: Load[] = [];
    const plain = ({ op: _, ...it }: SetupRequest): Load => it as Load;
    for (const it of edits.filter(isManifests)) load.push(plain(loadRequest({ name: it.name, text: it.text ?? "" })));
    for (const cluster of new Set(edits.flatMap((it) => (it.live === undefined ? [] : [it.live])))) {
      load.push(...observedLoads(cluster, this.#currentFiles(), this.#isComplete(cluster)).map(plain));
    }
    let configure: Configure | undefined;
    for (const it of edits.filter((it) => it.settings)) {
      const put = await this.#settings(it.name, it.text ?? "");
      if (put) configure = plain(put) as Configure;
    }
    return { load, ...(configure ? { configure } : {}) };
  }

  /** Queries the engine once for each request and generation. Returns nothing if the documents have changed since. */
  query<O extends Op>(
    request: Requests[O] & { op: O },
    urgency: number,
    on: WorkspaceName = "current",
  ): Promise<Answered<O> | undefined> {
    const key = `${on} ${toJson(request)}`;
    let pending = this.#pending.get(key);
    if (!pending) {
      pending = this.engine.query<O>(on, this.generation, urgency, request);
      this.#pending.set(key, pending);
    }
    return pending as Promise<Answered<O> | undefined>;
  }

  #edit(name: string, text: string | null, role: Role = {}): void {
    const before = this.files.get(name);
    const edited: FileState = { ...(before ?? { name, base: null, ...roleOf(role) }), text };
    if (edited.base === null && edited.text === null) this.files.delete(name);
    else this.files.set(name, edited);
  }

  /** Sends one file to the engine. */
  async #sendFile(name: string): Promise<void> {
    const file = this.files.get(name);
    if (file && !isManifests(file)) return this.#reload();
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
      // Queries queue behind the update, so there is no need to wait.
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

  /** The requests that set up a workspace, each with its file. */
  async #setupRequests(files: File[]): Promise<[string, SetupRequest][]> {
    const requests = (this.source.settings ?? []).map((it): [string, SetupRequest] => ["", { ...it, op: "configure" }]);
    for (const it of files.filter((it) => it.settings)) {
      const request = await this.#settings(it.name, it.text);
      if (request) requests.push([it.name, request]);
      // Without settings it holds manifests; a file that does not parse is reported already.
      else if (!this.#settingsByFile.get(it.name)?.error) requests.push([it.name, loadRequest(it)]);
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
    for (const it of files.filter(isManifests)) requests.push([it.name, loadRequest(it)]);
    return requests;
  }

  /** For a cluster without observed objects in the source, the added files are complete. */
  #isComplete(cluster: string): boolean {
    return this.source.complete.includes(cluster) || !this.source.files.some((it) => it.live === cluster);
  }

  /** The settings of a file; the last valid ones while it does not parse. */
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
      it.text === null ? [] : [{ name: it.name, text: it.text, ...roleOf(it) }],
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

  /** While the user types there is only time for the preview, so rendering the rest waits. */
  #notifyTimer: ReturnType<typeof setTimeout> | undefined;
  #notifySoon(): void {
    clearTimeout(this.#notifyTimer);
    this.#notifyTimer = setTimeout(() => this.#notify(), NOTIFY_DELAY_MS);
  }
}

function roleOf({ live, settings }: Role): Role {
  return { ...(live === undefined ? {} : { live }), ...(settings ? { settings } : {}) };
}

/** Whether a file holds neither observed objects nor settings. */
export function isManifests({ live, settings }: Role): boolean {
  return live === undefined && !settings;
}
