// The documents of `<fleetfold-preview>`: an editor, or an excerpt around the deciding line.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../theme.styles.js";
import { StateController } from "../page/state-controller.js";
import type { Place, State } from "../page/state.js";

/** Lines shown before and after the requested one. */
const CONTEXT_LINES = 4;

interface Redacted {
  text: string;
  /** Undefined until the engine has redacted the text. */
  shown?: string;
}

export class SourceText extends LitElement {
  static override properties = {
    state: { attribute: false },
    editable: { attribute: false },
    place: { attribute: false },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        min-width: 0;
      }
      .bar {
        display: flex;
        gap: var(--ff-space);
        align-items: center;
        justify-content: space-between;
        padding: calc(var(--ff-space) / 2) var(--ff-space);
        border-block-end: 1px solid var(--ff-line);
      }
      .bar > * {
        min-width: 0;
      }
      textarea {
        flex: 1;
        min-height: 8em;
        padding: var(--ff-space);
        border: 0;
        border-radius: 0;
        resize: none;
        white-space: pre;
        font-family: var(--ff-mono);
        line-height: 20px;
        tab-size: 2;
      }
      pre {
        margin: 0;
        padding: 4px 0;
        overflow: auto;
        line-height: 20px;
      }
      .line {
        display: block;
        padding-inline: var(--ff-space);
        white-space: pre;
      }
      .number {
        display: inline-block;
        width: 4ch;
        margin-inline-end: var(--ff-space);
        color: var(--ff-quiet);
        text-align: end;
        user-select: none;
      }
      .here {
        background: var(--ff-chosen);
      }
    `,
  ];
  declare state: State;
  declare editable: boolean;
  /** The requested line. */
  declare place: Place | undefined;

  constructor() {
    super();
    this.editable = false;
    new StateController(this);
  }

  /** The file of the excerpt without what Secrets hold. */
  #redacted: Redacted | undefined;

  async #redact(text: string): Promise<void> {
    const redacted: Redacted = (this.#redacted = { text });
    redacted.shown = (await this.state.engine.ask({ op: "redact", text })).text;
    this.requestUpdate();
  }

  override updated(changed: Map<string, unknown>): void {
    const area = this.renderRoot.querySelector("textarea");
    if (!changed.has("place") || !this.place?.line || !area) return;
    const lines = area.value.split("\n");
    const start = lines.slice(0, this.place.line - 1).reduce((sum, it) => sum + it.length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[this.place.line - 1]?.length ?? 0));
    area.scrollTop = Math.max(0, (this.place.line - CONTEXT_LINES) * 20);
  }

  override render() {
    return this.editable ? this.#editor() : this.#excerpt();
  }

  #editor() {
    const names = [...this.state.files.keys()];
    const chosen = this.state.selection.file;
    const file = this.state.files.get(chosen !== undefined && names.includes(chosen) ? chosen : (names[0] ?? ""));
    if (!file) return html`<p class="empty">There are no documents yet.</p>`;
    return html`
      <div class="bar">
        <select
          aria-label="File"
          @change=${(event: Event) => this.state.select({ file: (event.target as HTMLSelectElement).value })}
        >
          ${names.map((it) => html`<option value=${it} ?selected=${it === file.name}>${it}</option>`)}
        </select>
        ${file.text === file.base ? nothing : html`<span class="quiet">~ edited</span>`}
      </div>
      <textarea
        aria-label=${`Documents in ${file.name}`}
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
        .value=${file.text ?? ""}
        @input=${(event: Event) => this.state.setText(file.name, (event.target as HTMLTextAreaElement).value)}
      ></textarea>
    `;
  }

  #excerpt() {
    const { place } = this;
    const text = place && this.state.files.get(place.file)?.text;
    if (!place || text == null) return nothing;
    if (this.#redacted?.text !== text) void this.#redact(text);
    const lines = this.#redacted?.shown?.split("\n") ?? [];
    const line = place.line ?? 1;
    const from = Math.max(1, line - CONTEXT_LINES);
    const shown = lines.slice(from - 1, line + CONTEXT_LINES);
    return html`
      <div class="bar">
        <code>${place.file}:${line}</code
        ><button
          aria-label="Close the lines of the document"
          @click=${() => this.dispatchEvent(new CustomEvent("close"))}
        >
          ×
        </button>
      </div>
      ${
        shown.length
          ? html`<pre tabindex="0" role="region" aria-label=${`${place.file} around line ${line}`}>
${shown.map((it, at) => this.#line(from + at, it, from + at === line))}</pre>`
          : nothing
      }
    `;
  }

  #line(number: number, text: string, isCurrent: boolean) {
    const current = isCurrent ? "location" : nothing;
    // The line break is explicit: the formatter would indent it, and the line is part of a `pre`.
    return html`<span class="line ${isCurrent ? "here" : ""}" aria-current=${current}
      ><span class="number">${number}</span>${text}${"\n"}</span
    >`;
  }
}

customElements.define("ff-source", SourceText);
