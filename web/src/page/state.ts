// What the page knows: the files, what was edited, what is chosen. Everything that is worked out is asked of the engine, by `Ask`.
import type { Configure, Finding, Load, Op, ParsePlace, Requests } from "../../contract.js";
import { type Answered, Engine } from "./engine.js";
import { type File, isSettings, loadOf, seen, settingsOf } from "./files.js";
import type { Put, Which } from "./messages.js";
import type { Source } from "./source.js";

export type View = "groups" | "fleet" | "whatif" | "plan" | "permissions" | "picture" | "reference";

/** What somebody looks at. */
export interface Choice {
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
const BETWEEN_KEYS = 40;

/** A file and what became of it: `base` is null for one that was added, `text` for one that was removed. */
export interface Edited {
  name: string;
  live?: string;
  base: string | null;
  text: string | null;
}

/** The settings of a file as they were last read, where its values stand, and why it cannot be read now. */
interface Settings {
  put?: Put | undefined;
  places?: Record<string, ParsePlace>;
  flaw?: Finding;
}

/**
 * Tells `typed` with every key, for who has a question; `change` when anything of it is another and nobody is in the middle of a word, for
 * who draws; and `open` (a `CustomEvent<Place>`) when the editor should go to a place.
 */
export class State extends EventTarget {
  readonly engine: Engine;
  source: Source = { id: "own", title: "", files: [], complete: [], facts: [] };
  files = new Map<string, Edited>();
  choice: Choice = { view: "groups" };
  /** Counts every change of documents. Answers belong to one. */
  generation = 0;
  /** What was found while loading, by file. */
  findings = new Map<string, Finding[]>();
  readonly #said = new Map<string, Settings>();
  /** Files on their way to the engine, and whether they have changed since: of many keys in a large file, the last one counts. */
  readonly #sending = new Map<string, boolean>();
  readonly #asked = new Map<string, Promise<Answered | undefined>>();

  constructor(worker: Worker) {
    super();
    this.engine = new Engine(worker);
  }

  /** Begins anew with a source: it is the baseline of every what-if. */
  async open(source: Source, edits: Record<string, string | null> = {}): Promise<void> {
    this.source = source;
    this.files = new Map(source.files.map((it) => [it.name, { ...it, base: it.text }]));
    for (const [name, text] of Object.entries(edits)) this.#edit(name, text);
    const puts = await this.#puts(source.files);
    this.#next();
    void this.engine.put(
      "baseline",
      this.generation,
      puts.map(([, put]) => put),
      true,
    );
    await this.#refill();
  }

  /** Takes over what a server has by now. Edits stay, over the new baseline. */
  async follow(source: Source): Promise<void> {
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
    void this.#changed(name);
  }

  async add(files: File[]): Promise<void> {
    for (const it of files) this.#edit(it.name, it.text, it.live);
    await this.#refill();
  }

  remove(name: string): void {
    const live = this.files.get(name)?.live;
    this.#edit(name, null);
    if (this.choice.file === name) this.choice = { ...this.choice, file: undefined };
    // What was seen is not in a file that is gone: the cluster is told anew.
    void (live === undefined ? this.#changed(name) : this.#refill());
  }

  /** Back to the baseline. */
  async reset(): Promise<void> {
    await this.open(this.source);
  }

  /** From now on, what-if counts from here. */
  async keep(): Promise<void> {
    const files = [...this.files.values()].flatMap((it): File[] =>
      it.text === null ? [] : [{ name: it.name, text: it.text, ...(it.live === undefined ? {} : { live: it.live }) }],
    );
    await this.open({ ...this.source, id: "own", files });
  }

  get edits(): Edited[] {
    return [...this.files.values()].filter((it) => it.text !== it.base);
  }

  /** Files with something that cannot be read: what is shown is what was last good. */
  get broken(): string[] {
    return [...this.findings].filter(([, all]) => all.some((it) => it.severity === "error")).map(([name]) => name);
  }

  choose(choice: Partial<Choice>): void {
    this.choice = { ...this.choice, ...choice };
    this.#tell();
  }

  /** Opens a place in the editor. */
  goTo(place: Place): void {
    if (!this.files.has(place.file)) return;
    this.choose({ file: place.file });
    this.dispatchEvent(new CustomEvent("open", { detail: place }));
  }

  /** The edits as a change of the baseline, as `whatIf` takes it; nothing when there are none. */
  async change(): Promise<{ load: Load[]; configure?: Configure } | undefined> {
    const edits = this.edits;
    if (edits.length === 0) return undefined;
    const load: Load[] = [];
    const plain = ({ op: _, ...it }: Put): Load => it as Load;
    for (const it of edits.filter((it) => it.live === undefined && !isSettings(it.name)))
      load.push(plain(loadOf({ name: it.name, text: it.text ?? "" })));
    for (const cluster of new Set(edits.flatMap((it) => (it.live === undefined ? [] : [it.live])))) {
      load.push(...seen(cluster, this.#current(), this.#isComplete(cluster)).map(plain));
    }
    let configure: Configure | undefined;
    for (const it of edits.filter((it) => isSettings(it.name))) {
      const put = await this.#settings(it.name, it.text ?? "");
      if (put) configure = plain(put) as Configure;
    }
    return { load, ...(configure ? { configure } : {}) };
  }

  /** One answer for each question and generation, whoever asks. Nothing when the documents have changed since. */
  ask<O extends Op>(
    request: Requests[O] & { op: O },
    urgency: number,
    on: Which = "current",
  ): Promise<Answered<O> | undefined> {
    const key = `${on} ${JSON.stringify(request)}`;
    let asked = this.#asked.get(key);
    if (!asked) {
      asked = this.engine.ask<O>(on, this.generation, urgency, request);
      this.#asked.set(key, asked);
    }
    return asked as Promise<Answered<O> | undefined>;
  }

  #edit(name: string, text: string | null, live?: string): void {
    const before = this.files.get(name);
    const edited: Edited = { ...(before ?? { name, base: null, ...(live === undefined ? {} : { live }) }), text };
    if (edited.base === null && edited.text === null) this.files.delete(name);
    else this.files.set(name, edited);
  }

  /** Brings the engine up to date with one file. */
  async #changed(name: string): Promise<void> {
    const file = this.files.get(name);
    if (file?.live !== undefined || isSettings(name)) return this.#refill();
    if (this.#sending.has(name)) return void this.#sending.set(name, true);
    let again: boolean | undefined = true;
    while (again) {
      this.#sending.set(name, false);
      const put = this.engine.put(
        "current",
        this.#next(),
        [loadOf({ name, text: this.files.get(name)?.text ?? "" })],
        false,
      );
      // The questions wait behind it: nobody here has to.
      this.dispatchEvent(new Event("typed"));
      this.#found(name, await put);
      again = this.#sending.get(name);
    }
    this.#sending.delete(name);
    this.#tellSoon();
  }

  async #refill(): Promise<void> {
    const puts = await this.#puts(this.#current());
    const generation = this.#next();
    const answers = await this.engine.put(
      "current",
      generation,
      puts.map(([, put]) => put),
      true,
    );
    this.findings = new Map();
    answers.forEach((answer, index) => this.#found(puts[index]![0], [answer]));
    for (const [name, { flaw }] of this.#said)
      if (flaw && this.files.get(name)?.text != null) this.findings.set(name, [flaw]);
    this.#tell();
  }

  #found(name: string, answers: Answered<"load">[]): void {
    const before = this.findings.get(name) ?? [];
    const found = answers.flatMap((it) =>
      "error" in it
        ? [
            {
              severity: "error",
              ...it.error,
              at: { file: name, ...this.#said.get(name)?.places?.[`/spec${it.error.at}`] },
            } as Finding,
          ]
        : (it.diagnostics ?? []),
    );
    if (answers.length === 1 && before.length && !found.length) this.findings.delete(name);
    else this.findings.set(name, found);
  }

  /** All that a workspace is told, each with the file that says it. */
  async #puts(files: File[]): Promise<[string, Put][]> {
    const puts = (this.source.settings ?? []).map((it): [string, Put] => ["", { ...it, op: "configure" }]);
    for (const it of files.filter((it) => isSettings(it.name))) {
      const put = await this.#settings(it.name, it.text);
      if (put) puts.push([it.name, put]);
    }
    puts.push(...this.source.facts.map((it): [string, Put] => ["", { ...it, op: "load" }]));
    const clusters = new Set([
      ...this.source.complete,
      ...files.flatMap((it) => (it.live === undefined ? [] : [it.live])),
    ]);
    for (const cluster of clusters) {
      puts.push(...seen(cluster, files, this.#isComplete(cluster)).map((it): [string, Put] => [it.file ?? "", it]));
    }
    for (const it of files.filter((it) => it.live === undefined && !isSettings(it.name)))
      puts.push([it.name, loadOf(it)]);
    return puts;
  }

  /** Of a cluster that nobody looked at before, what was brought along is all there is. */
  #isComplete(cluster: string): boolean {
    return this.source.complete.includes(cluster) || !this.source.files.some((it) => it.live === cluster);
  }

  /** What a settings file says; while it cannot be read, what it said last. */
  async #settings(name: string, text: string): Promise<Put | undefined> {
    const answer = await this.engine.ask("current", Number.MAX_SAFE_INTEGER, 0, {
      op: "parse",
      text,
      file: name,
      places: true,
    });
    const settings: Settings =
      answer && "ok" in answer
        ? { put: settingsOf(answer.ok.documents), places: answer.ok.places?.[0] ?? {} }
        : { ...this.#said.get(name) };
    if (answer && "error" in answer) {
      const [, line, column] = /(\d+):(\d+)$/.exec(answer.error.at ?? "") ?? [];
      settings.flaw = {
        severity: "error",
        ...answer.error,
        at: { file: name, ...(line && column ? { line: Number(line), column: Number(column) } : {}) },
      };
    }
    this.#said.set(name, settings);
    return settings.put;
  }

  #current(): File[] {
    return [...this.files.values()].flatMap((it) =>
      it.text === null ? [] : [{ name: it.name, text: it.text, ...(it.live === undefined ? {} : { live: it.live }) }],
    );
  }

  #next(): number {
    this.#asked.clear();
    return ++this.generation;
  }

  #tell(): void {
    clearTimeout(this.#soon);
    this.dispatchEvent(new Event("change"));
  }

  /** Between two keys there is time for the preview, and for nothing else. */
  #soon: ReturnType<typeof setTimeout> | undefined;
  #tellSoon(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#tell(), BETWEEN_KEYS);
  }
}
