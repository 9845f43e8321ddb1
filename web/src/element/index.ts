// `<fleetfold-preview>`: what every cluster gets and why, inside somebody else's page. It brings its own look and leaves the page's alone.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { look, tokens } from "../theme.styles.js";
import { SOON } from "../page/engine.js";
import type { File } from "../page/files.js";
import { ownFiles } from "../page/source.js";
import { type Place, State } from "../page/state.js";
import "../page/view/effective.js";
import "../page/view/groups.js";
import { fetched, filesOf } from "./documents.js";
import type { FleetfoldPreview as Preview, PreviewDocuments, PreviewEventMap, PreviewSelection } from "./element.js";
import "./source.js";

export type * from "./element.js";

export class FleetfoldPreview extends LitElement {
  static override properties = {
    documents: { attribute: false },
    src: {},
    cluster: {},
    subject: {},
    show: {},
    editable: { type: Boolean },
    readonly: { type: Boolean },
    theme: { reflect: true },
    state: { state: true },
    place: { state: true },
    problems: { state: true },
  };
  static override styles = [
    tokens,
    look,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-width: 0;
        max-height: 48rem;
        overflow: hidden;
        border: 1px solid var(--ff-line);
        border-radius: var(--ff-radius);
      }
      :host([hidden]) {
        display: none;
      }
      /* As the page around it, unless it is told otherwise. */
      :host(:not([theme])) {
        color-scheme: inherit;
      }
      .columns {
        display: flex;
        flex: 1;
        min-height: 0;
      }
      .columns > * {
        flex: 1 1 0;
        min-width: 0;
        min-height: 0;
        overflow: auto;
      }
      .columns > * + * {
        border-inline-start: 1px solid var(--ff-line);
      }
      @container (max-width: 640px) {
        .columns {
          flex-direction: column;
        }
        .columns > * + * {
          border-inline-start: 0;
          border-block-start: 1px solid var(--ff-line);
        }
      }
      .around {
        display: flex;
        flex: 1;
        flex-direction: column;
        min-height: 0;
        container-type: inline-size;
      }
      .around > ff-source {
        max-height: 16rem;
        border-block-start: 1px solid var(--ff-line);
      }
      .problem {
        margin: 0;
        padding: 4px var(--ff-space);
        background: var(--ff-error-soft);
        overflow-wrap: anywhere;
      }
    `,
  ];

  static worker = (): Worker =>
    new Worker(new URL("./element-worker.js", import.meta.url), { type: "module", name: "fleetfold" });

  declare documents: PreviewDocuments;
  declare src: string;
  declare cluster: string;
  declare subject: string;
  declare show: "cluster" | "groups";
  declare editable: boolean;
  declare readonly: boolean;
  declare theme: "light" | "dark" | "system";
  declare state: State | undefined;
  declare place: Place | undefined;
  declare problems: string[];
  #told: PreviewSelection = {};
  #opening: AbortController | undefined;
  /** What was edited when it was taken out of the page. */
  #edits: Record<string, string | null> = {};
  /** The texts that were told last, to tell edits from everything else that changes. */
  #texts = "";

  constructor() {
    super();
    this.problems = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.state) return;
    this.#start();
    // After the properties that come with it are there.
    if (this.hasUpdated) void this.#open(this.#edits);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // Who is only moved to another place is back at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.#stop();
    });
  }

  #start(): void {
    const state = new State((this.constructor as typeof FleetfoldPreview).worker());
    state.engine.ready.catch(
      (problem: unknown) =>
        this.state === state && this.#fail(problem instanceof Error ? problem.message : String(problem)),
    );
    state.addEventListener("change", this.#changed);
    state.addEventListener("open", this.#seek);
    this.state = state;
  }

  #stop(): void {
    this.#opening?.abort();
    this.#edits = Object.fromEntries((this.state?.edits ?? []).map((it) => [it.name, it.text]));
    this.state?.engine.stop();
    this.state = undefined;
    this.place = undefined;
  }

  override updated(changed: PropertyValues): void {
    if (!this.state) return;
    if (changed.has("documents") || changed.has("src") || !this.#opening) void this.#open();
    else if (changed.has("cluster") || changed.has("subject")) this.#chooseAsTold();
  }

  /** Loads what the page gave, and `edits` over it. */
  async #open(edits: Record<string, string | null> = {}): Promise<void> {
    const state = this.state;
    if (!state) return;
    this.#opening?.abort();
    const { signal } = (this.#opening = new AbortController());
    const found = this.src ? await fetched(this.src, signal) : { files: [] as File[], problems: [] };
    if (signal.aborted) return;
    this.problems = found.problems.map((it) => it.message);
    for (const it of found.problems) this.#tell("fleetfold-error", it);
    this.#texts = "";
    await state.open(ownFiles([...filesOf(this.documents), ...found.files]), edits);
    if (signal.aborted) return;
    this.#texts = this.#now();
    const subjects = await this.#subjects(state);
    if (signal.aborted) return;
    await this.#chooseSomething(state, subjects);
    if (!signal.aborted) this.#tell("fleetfold-ready", { subjects: subjects.map((it) => it.subject) });
  }

  async #subjects(state: State) {
    const answer = await state.ask({ op: "subjects" }, SOON);
    return answer && "ok" in answer ? answer.ok.subjects : [];
  }

  /** What the page says; else what the cluster gets something from; else what reaches furthest. */
  async #chooseSomething(state: State, subjects: { subject: string; clusters?: number }[]): Promise<void> {
    const cluster: string | undefined = this.cluster ?? undefined;
    let subject: string | undefined = this.subject ?? undefined;
    const furthest = [...subjects].sort((a, b) => (b.clusters ?? 0) - (a.clusters ?? 0));
    if (subject === undefined && cluster !== undefined) {
      for (const it of furthest.slice(0, 100)) {
        const answer = await state.ask({ op: "effective", subject: it.subject, clusters: [cluster] }, SOON);
        const result = answer && "ok" in answer ? answer.ok.results[0] : undefined;
        if (result?.options || result?.objects) {
          subject = it.subject;
          break;
        }
      }
    }
    subject ??= furthest[0]?.subject;
    this.#told = { ...(subject === undefined ? {} : { subject }), ...(cluster === undefined ? {} : { cluster }) };
    state.choose({ subject, cluster, path: undefined, object: undefined, compare: undefined });
  }

  /** The page changed a property: nobody chose, so nothing is told. */
  #chooseAsTold(): void {
    const { subject, cluster } = this.state!.choice;
    const told = { subject: this.subject ?? subject, cluster: this.cluster ?? cluster };
    if (told.subject === subject && told.cluster === cluster) return;
    this.#told = { ...this.#told, ...defined(told) };
    this.state!.choose(told);
  }

  readonly #changed = (): void => {
    const { subject, cluster, path, object } = this.state?.choice ?? {};
    const selection: PreviewSelection = defined({ subject, cluster, path, object });
    if (JSON.stringify(selection) !== JSON.stringify(this.#told) && subject !== undefined) {
      this.#told = selection;
      if (cluster !== undefined) this.cluster = cluster;
      this.subject = subject;
      this.#tell("fleetfold-select", selection);
    }
    if (this.#texts && this.#texts !== this.#now()) {
      this.#texts = this.#now();
      const files = [...this.state!.files.values()].flatMap((it) =>
        it.text === null ? [] : [{ name: it.name, text: it.text }],
      );
      this.#tell("fleetfold-change", { files });
    }
  };

  #now(): string {
    return JSON.stringify([...(this.state?.files.values() ?? [])].map((it) => [it.name, it.text]));
  }

  readonly #seek = (event: Event): void => {
    const { detail } = event as CustomEvent<Place>;
    if (this.#tell("fleetfold-open", defined(detail))) this.place = { ...detail };
  };

  #fail(message: string): void {
    this.problems = [...this.problems, message];
    this.#tell("fleetfold-error", { message });
  }

  /** Whether the page has nothing against what follows. */
  #tell<K extends keyof PreviewEventMap>(type: K, detail: PreviewEventMap[K]["detail"]): boolean {
    return this.dispatchEvent(
      new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: type === "fleetfold-open" }),
    );
  }

  override render() {
    const { state } = this;
    if (!state) return nothing;
    const editable = this.editable && !this.readonly;
    // Views belong to one state: a new one after a reconnect gets new views.
    return html`
      ${this.problems.map((it) => html`<p class="problem" role="alert">${it}</p>`)}
      ${keyed(
        state,
        html`<div class="around">
          <div class="columns">
            ${editable ? html`<ff-source .state=${state} .editable=${true} .place=${this.place}></ff-source>` : nothing}
            ${this.show === "groups" ? html`<ff-groups .state=${state}></ff-groups>` : nothing}
            <ff-effective .state=${state}></ff-effective>
          </div>
          ${!editable && this.place ? html`<ff-source .state=${state} .place=${this.place} @close=${() => (this.place = undefined)}></ff-source>` : nothing}
        </div>`,
      )}
    `;
  }
}

function defined<T extends object>(it: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(it).filter(([, value]) => value !== undefined)) as never;
}

// What the types promise is what there is.
FleetfoldPreview satisfies { new (): Preview; worker: () => Worker };

if (!customElements.get("fleetfold-preview")) customElements.define("fleetfold-preview", FleetfoldPreview);
