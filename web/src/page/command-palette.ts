// ⌘K: jump to a cluster, a subject, an option, a document or a view by parts of its name.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../theme.styles.js";
import { clusterName } from "../format.js";
import { EngineQuery } from "./engine-query.js";
import { LATER } from "./engine.js";
import type { Selection, State, View } from "./state.js";

interface Target {
  kind: "cluster" | "subject" | "option" | "document" | "view";
  name: string;
  go: () => void;
}

const MAX_RESULTS = 50;

export class CommandPalette extends LitElement {
  static override properties = {
    state: { attribute: false },
    views: { attribute: false },
    open: { type: Boolean, reflect: true },
    typed: { state: true },
    at: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        position: fixed;
        inset: calc(var(--ff-space) * 6) 0 auto;
        z-index: 10;
        width: min(640px, calc(100vw - 32px));
        margin: 0 auto;
        border: 1px solid var(--ff-accent);
        border-radius: var(--ff-radius);
        background: var(--ff-page);
      }
      :host(:not([open])) {
        display: none;
      }
      input {
        width: 100%;
        padding: var(--ff-space);
        border: 0;
        border-bottom: 1px solid var(--ff-line);
        outline-offset: -2px;
      }
      ul {
        max-height: 50vh;
        margin: 0;
        padding: calc(var(--ff-space) / 2) 0;
        overflow: auto;
        list-style: none;
      }
      li {
        display: flex;
        gap: var(--ff-space);
        padding: 2px var(--ff-space);
        cursor: pointer;
        overflow-wrap: anywhere;
      }
      li[aria-selected="true"] {
        background: var(--ff-chosen);
      }
      li .quiet {
        flex: none;
        width: 72px;
      }
      mark {
        background: none;
        color: inherit;
        font-weight: 700;
        text-decoration: underline;
      }
      .none {
        padding: var(--ff-space);
      }
    `,
  ];
  declare state: State;
  declare views: [View, string][];
  declare open: boolean;
  declare typed: string;
  declare at: number;
  readonly clusters = new EngineQuery<"clusters">(this, () => (this.open ? { op: "clusters" } : undefined), {
    urgency: LATER,
  });
  readonly subjects = new EngineQuery<"subjects">(this, () => (this.open ? { op: "subjects" } : undefined), {
    urgency: LATER,
  });
  readonly effective = new EngineQuery<"effective">(
    this,
    () => {
      const { subject } = this.state.selection;
      return this.open && subject ? { op: "effective", subject, origins: true } : undefined;
    },
    { urgency: LATER },
  );
  #previousFocus: Element | null = null;

  constructor() {
    super();
    [this.views, this.open, this.typed, this.at] = [[], false, "", 0];
  }

  show(): void {
    this.#previousFocus = deepActiveElement();
    [this.open, this.typed, this.at] = [true, "", 0];
    for (const it of [this.clusters, this.subjects, this.effective]) it.refresh();
    void this.updateComplete.then(() => this.renderRoot.querySelector("input")?.focus());
  }

  close(): void {
    if (!this.open) return;
    this.open = false;
    if (this.#previousFocus instanceof HTMLElement) this.#previousFocus.focus();
  }

  override render() {
    if (!this.open) return nothing;
    const found = this.#found();
    const at = Math.min(this.at, found.length - 1);
    return html`
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls="targets"
        aria-autocomplete="list"
        aria-activedescendant=${found.length ? `t${at}` : nothing}
        aria-label="Jump to a cluster, subject, option, document or view"
        placeholder="Jump to a cluster, subject, option, document or view"
        autocomplete="off"
        spellcheck="false"
        .value=${this.typed}
        @input=${this.#type}
        @keydown=${(event: KeyboardEvent) => this.#key(event, found, at)}
        @blur=${this.#leave}
      />
      ${
        found.length
          ? html`<ul id="targets" role="listbox" aria-label="Found">
              ${found.map(
                (it, index) =>
                  html`<li
                    id="t${index}"
                    role="option"
                    aria-selected=${index === at}
                    @pointerdown=${(event: Event) => this.#activate(event, it)}
                  >
                    <span class="quiet">${it.kind}</span><span>${this.#marked(it.name)}</span>
                  </li>`,
              )}
            </ul>`
          : html`<div class="none quiet" role="status">no matches</div>`
      }
    `;
  }

  override updated(): void {
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  #targets(): Target[] {
    const choose = (choice: Partial<Selection>) => () => this.state.select(choice);
    const result =
      this.effective.value?.results.find((it) => it.clusters.includes(this.state.selection.cluster ?? "")) ??
      this.effective.value?.results[0];
    const options = result?.options?.map((it) => ({ path: it.path, object: undefined })) ?? [];
    return [
      ...this.views.map(([view, name]): Target => ({ kind: "view", name, go: choose({ view }) })),
      ...(this.subjects.value?.subjects ?? []).map((it): Target => ({
        kind: "subject",
        name: it.subject,
        go: choose({ subject: it.subject, cluster: undefined, path: undefined, object: undefined }),
      })),
      ...options.map((it): Target => ({ kind: "option", name: it.path, go: choose(it) })),
      ...[...this.state.files.keys()].map((name): Target => ({
        kind: "document",
        name,
        go: () => this.state.goTo({ file: name }),
      })),
      ...(this.clusters.value?.clusters ?? []).map((it): Target => ({
        kind: "cluster",
        name: clusterName(it.name),
        go: choose({ cluster: it.name }),
      })),
    ];
  }

  /** Names that contain all typed words; names that start with the first word come first. */
  #found(): Target[] {
    const words = this.typed.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (it: Target) => words.every((word) => `${it.kind} ${it.name}`.toLowerCase().includes(word));
    const begins = (it: Target) => Number(!it.name.toLowerCase().startsWith(words[0] ?? ""));
    const found = this.#targets().filter(fits);
    return (words.length ? found.sort((a, b) => begins(a) - begins(b) || a.name.length - b.name.length) : found).slice(
      0,
      MAX_RESULTS,
    );
  }

  #marked(name: string) {
    const word = this.typed.trim().toLowerCase();
    const start = word ? name.toLowerCase().indexOf(word) : -1;
    return start < 0
      ? name
      : html`${name.slice(0, start)}<mark>${name.slice(
          start,
          start + word.length,
        )}</mark>${name.slice(start + word.length)}`;
  }

  readonly #type = (event: Event): void => {
    [this.typed, this.at] = [(event.target as HTMLInputElement).value, 0];
  };

  readonly #leave = (): void => {
    this.open = false;
  };

  #key(event: KeyboardEvent, found: Target[], at: number): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const step = steps[event.key];
    if (step !== undefined) this.at = Math.max(0, Math.min(found.length - 1, at + step));
    else if (event.key === "Enter" && found[at]) this.#activate(event, found[at]);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #activate(event: Event, target: Target): void {
    event.preventDefault();
    this.close();
    target.go();
  }
}

/** The focused element, through shadow roots. */
function deepActiveElement(): Element | null {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

customElements.define("ff-command-palette", CommandPalette);
