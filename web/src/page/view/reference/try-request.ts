// An editable request and the engine's answer to it. It never touches the loaded fleet.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import type { Finding, Refusal } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { toJson } from "../../../format.js";
import type { State } from "../../state.js";
import "../copy-button.js";
import { inlineCode } from "../inline-code.js";
import { sheetStyles } from "../sheet.styles.js";
import { LOAD, type OpPage } from "./contract.js";
import { asCommand, asCurl, asJavaScript } from "./snippets.js";

const DEBOUNCE_MS = 120;
/** Longer answers, such as a schema, are truncated. */
const MAX_ANSWER_LENGTH = 20_000;

export class TryRequest extends LitElement {
  static override properties = {
    state: { attribute: false },
    page: { attribute: false },
    text: { state: true },
    answer: { state: true },
    all: { state: true },
  };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      .both {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr));
        gap: var(--ff-space);
      }
      textarea,
      pre {
        width: 100%;
        height: 280px;
        max-height: none;
        margin: 0;
        padding: var(--ff-space);
        font: 0.95em / 1.45 var(--ff-mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
        resize: vertical;
      }
      .title {
        display: flex;
        align-items: center;
        gap: calc(var(--ff-space) / 2);
        min-height: 28px;
      }
      .title > :first-child {
        margin-right: auto;
      }
    `,
  ];
  declare state: State;
  declare page: OpPage;
  declare text: string;
  declare answer: { ok?: unknown; error?: Refusal; diagnostics?: Finding[] } | undefined;
  declare all: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.text = "";
    this.all = false;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("page") || changed.get("page") === this.page) return;
    this.text = toJson(this.page.example, 2);
    [this.answer, this.all] = [undefined, false];
    void this.#run();
  }

  async #run(): Promise<void> {
    const { page, text } = this;
    const before = page.needsDocuments && page.op !== "load" ? [LOAD] : [];
    const answer = await this.state.engine.try(this.state.generation, before, text);
    if (page === this.page && text === this.text) this.answer = answer;
  }

  override render() {
    const example = toJson(this.page.example, 2);
    return html`<div class="both">
        <div>
          <div class="title">
            <label for="request"><strong>request</strong></label>
            ${this.text === example ? nothing : html`<button @click=${() => this.#type(example)}>as it was</button>`}
            <ff-copy .text=${asCurl(this.text, this.page)} .shown=${"curl"} .what=${"as curl"}></ff-copy>
            <ff-copy
              .text=${asCommand(this.text, this.page)}
              .shown=${"fleetfold call"}
              .what=${"as a command"}
            ></ff-copy>
            <ff-copy
              .text=${asJavaScript(this.text, this.page)}
              .shown=${"JavaScript"}
              .what=${"as JavaScript"}
            ></ff-copy>
          </div>
          <textarea
            id="request"
            spellcheck="false"
            .value=${this.text}
            @input=${(event: Event) => this.#type((event.target as HTMLTextAreaElement).value)}
          ></textarea>
        </div>
        <div data-answer=${this.answer ? ("error" in this.answer ? "error" : "ok") : ""}>
          <div class="title"><strong>answer</strong></div>
          ${this.#answer()}
        </div>
      </div>
      ${
        this.page.needsDocuments && this.page.op !== "load"
          ? html`<p class="quiet">
              Asked of the documents in the example of <code>load</code>, never of what is loaded in this page.
            </p>`
          : nothing
      }`;
  }

  #answer() {
    if (!this.answer) return html`<pre tabindex="0" role="group" aria-label="the answer of the engine"></pre>`;
    const { error } = this.answer;
    const text = toJson(this.answer, 2);
    const isCut = text.length > MAX_ANSWER_LENGTH && !this.all;
    return html`${
        error
          ? html`<div class="card error" role="alert">
              <strong>${error.code}</strong>:
              ${inlineCode(error.message)}${error.at ? html`<div>at <code>${error.at}</code></div>` : nothing}${
                error.hint ? html`<div>${inlineCode(error.hint)}</div>` : nothing
              }
            </div>`
          : nothing
      }
      <pre tabindex="0" role="group" aria-label="the answer of the engine">
${isCut ? `${text.slice(0, MAX_ANSWER_LENGTH)}\n…` : text}</pre>
      ${isCut ? html`<button @click=${() => (this.all = true)}>show all of it</button>` : nothing}`;
  }

  #type(text: string): void {
    this.text = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), DEBOUNCE_MS);
  }
}

customElements.define("ff-try", TryRequest);
