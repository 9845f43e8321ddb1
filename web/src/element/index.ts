// `<fleetfold-preview>`: the effective configuration of every cluster and its origins, inside another page. Its styles
// and the page's are isolated.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { keyed } from "lit/directives/keyed.js";
import { baseStyles, tokens } from "../theme.styles.js";
import { SOON } from "../page/engine.js";
import type { File } from "../page/files.js";
import { localSource } from "../page/source.js";
import { type Place, State } from "../page/state.js";
import "../page/view/effective.js";
import "../page/view/groups.js";
import { fetchFiles, filesOfDocuments } from "./documents.js";
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
    baseStyles,
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
      /* Inherits the page's colour scheme unless the theme is set. */
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
  #lastSelection: PreviewSelection = {};
  #loading: AbortController | undefined;
  /** The edits at the time the element was removed from the page. */
  #edits: Record<string, string | null> = {};
  /** The texts at the last `fleetfold-change`, to tell edits from other changes. */
  #lastTexts = "";

  constructor() {
    super();
    this.problems = [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.state) return;
    this.#start();
    // On the first connection the initial properties follow later and `updated` loads.
    if (this.hasUpdated) void this.#load(this.#edits);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // A moved element is connected again by then.
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
    state.addEventListener("change", this.#stateChanged);
    state.addEventListener("open", this.#openPlace);
    this.state = state;
  }

  #stop(): void {
    this.#loading?.abort();
    this.#edits = Object.fromEntries((this.state?.edits ?? []).map((it) => [it.name, it.text]));
    // A pending notification of the state must not reach an element without one.
    this.state?.removeEventListener("change", this.#stateChanged);
    this.state?.removeEventListener("open", this.#openPlace);
    this.state?.engine.stop();
    this.state = undefined;
    this.place = undefined;
  }

  override updated(changed: PropertyValues): void {
    if (!this.state) return;
    if (changed.has("documents") || changed.has("src") || !this.#loading) void this.#load();
    else if (changed.has("cluster") || changed.has("subject")) this.#selectFromProperties();
  }

  /** Loads the documents of the page, then applies `edits`. */
  async #load(edits: Record<string, string | null> = {}): Promise<void> {
    const state = this.state;
    if (!state) return;
    this.#loading?.abort();
    const { signal } = (this.#loading = new AbortController());
    const found = this.src ? await fetchFiles(state.engine, this.src, signal) : { files: [] as File[], problems: [] };
    const given = signal.aborted ? [] : await filesOfDocuments(state.engine, this.documents);
    if (signal.aborted) return;
    this.problems = found.problems.map((it) => it.message);
    for (const it of found.problems) this.#dispatch("fleetfold-error", it);
    this.#lastTexts = "";
    await state.open(localSource([...given, ...found.files]), edits);
    if (signal.aborted) return;
    this.#lastTexts = this.#fileTexts();
    const subjects = await this.#subjects(state);
    if (signal.aborted) return;
    await this.#selectInitial(state, subjects);
    if (!signal.aborted) this.#dispatch("fleetfold-ready", { subjects: subjects.map((it) => it.subject) });
  }

  async #subjects(state: State) {
    const answer = await state.query({ op: "subjects" }, SOON);
    return answer && "ok" in answer ? answer.ok.subjects : [];
  }

  /**
   * In order of preference: the page's properties, a subject with results for the page's cluster, the subject with the
   * most clusters.
   */
  async #selectInitial(state: State, subjects: { subject: string; clusters?: number }[]): Promise<void> {
    const cluster: string | undefined = this.cluster ?? undefined;
    let subject: string | undefined = this.subject ?? undefined;
    const bySize = [...subjects].sort((a, b) => (b.clusters ?? 0) - (a.clusters ?? 0));
    if (subject === undefined && cluster !== undefined) {
      for (const it of bySize.slice(0, 100)) {
        const answer = await state.query({ op: "effective", subject: it.subject, clusters: [cluster] }, SOON);
        const result = answer && "ok" in answer ? answer.ok.results[0] : undefined;
        if (result?.options || result?.objects) {
          subject = it.subject;
          break;
        }
      }
    }
    subject ??= bySize[0]?.subject;
    this.#lastSelection = {
      ...(subject === undefined ? {} : { subject }),
      ...(cluster === undefined ? {} : { cluster }),
    };
    state.select({ subject, cluster, path: undefined, object: undefined, compare: undefined });
  }

  /** The page changed a property: no `fleetfold-select` event, since the user selected nothing. */
  #selectFromProperties(): void {
    const { subject, cluster } = this.state!.selection;
    const wanted = { subject: this.subject ?? subject, cluster: this.cluster ?? cluster };
    if (wanted.subject === subject && wanted.cluster === cluster) return;
    this.#lastSelection = { ...this.#lastSelection, ...defined(wanted) };
    this.state!.select(wanted);
  }

  readonly #stateChanged = (): void => {
    const { subject, cluster, path, object } = this.state?.selection ?? {};
    const selection: PreviewSelection = defined({ subject, cluster, path, object });
    if (JSON.stringify(selection) !== JSON.stringify(this.#lastSelection) && subject !== undefined) {
      this.#lastSelection = selection;
      if (cluster !== undefined) this.cluster = cluster;
      this.subject = subject;
      this.#dispatch("fleetfold-select", selection);
    }
    if (this.#lastTexts && this.#lastTexts !== this.#fileTexts()) {
      this.#lastTexts = this.#fileTexts();
      const files = [...this.state!.files.values()].flatMap((it) =>
        it.text === null ? [] : [{ name: it.name, text: it.text }],
      );
      this.#dispatch("fleetfold-change", { files });
    }
  };

  #fileTexts(): string {
    return JSON.stringify([...(this.state?.files.values() ?? [])].map((it) => [it.name, it.text]));
  }

  readonly #openPlace = (event: Event): void => {
    const { detail } = event as CustomEvent<Place>;
    if (this.#dispatch("fleetfold-open", defined(detail))) this.place = { ...detail };
  };

  #fail(message: string): void {
    this.problems = [...this.problems, message];
    this.#dispatch("fleetfold-error", { message });
  }

  /** Returns false if the page prevented the default. */
  #dispatch<K extends keyof PreviewEventMap>(type: K, detail: PreviewEventMap[K]["detail"]): boolean {
    return this.dispatchEvent(
      new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: type === "fleetfold-open" }),
    );
  }

  override render() {
    const { state } = this;
    if (!state) return nothing;
    const editable = this.editable && !this.readonly;
    // Views belong to one state: a new state after a reconnect gets new views.
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
          ${
            !editable && this.place
              ? html`<ff-source
                  .state=${state}
                  .place=${this.place}
                  @close=${() => (this.place = undefined)}
                ></ff-source>`
              : nothing
          }
        </div>`,
      )}
    `;
  }
}

function defined<T extends object>(it: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(it).filter(([, value]) => value !== undefined)) as never;
}

// Checks the class against its published types.
FleetfoldPreview satisfies { new (): Preview; worker: () => Worker };

if (!customElements.get("fleetfold-preview")) customElements.define("fleetfold-preview", FleetfoldPreview);
