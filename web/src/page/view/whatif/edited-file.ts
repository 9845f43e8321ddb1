// One edited file: its diff, and a button to revert it.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { classMap } from "lit/directives/class-map.js";
import { baseStyles } from "../../../theme.styles.js";
import { formatCount } from "../../../format.js";
import type { FileState, State } from "../../state.js";
import { PrintController } from "../print-controller.js";
import { sheetStyles } from "../sheet.styles.js";
import { type Line, changedLines } from "./changed-lines.js";

const INITIAL_LINES = 120;

export class EditedFile extends LitElement {
  static override properties = {
    state: { attribute: false },
    file: { attribute: false },
    lines: { state: true },
    all: { state: true },
  };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      ol {
        margin: calc(var(--ff-space) / 2) 0 0;
        padding: 0;
        border-top: 1px solid var(--ff-line);
        list-style: none;
        font: 0.95em / 1.5 var(--ff-mono);
        overflow-x: auto;
      }
      ol button {
        display: grid;
        grid-template-columns: 3.5em 1.5em minmax(0, 1fr);
        width: 100%;
        padding: 0;
        border: 0;
        border-radius: 0;
        background: none;
        text-align: left;
      }
      .number {
        padding-right: var(--ff-space);
        color: var(--ff-quiet);
        text-align: right;
        font-variant-numeric: tabular-nums;
        user-select: none;
      }
      .text {
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .plus {
        background: var(--ff-added-soft);
        color: var(--ff-added);
      }
      .minus {
        background: var(--ff-removed-soft);
        color: var(--ff-removed);
      }
      .plus .number,
      .minus .number {
        color: inherit;
      }
      @media print {
        .plus {
          font-weight: 600;
        }
      }
    `,
  ];
  declare state: State;
  declare file: FileState;
  declare lines: Line[];
  declare all: boolean;
  readonly #printing = new PrintController(this);

  constructor() {
    super();
    [this.lines, this.all] = [[], false];
  }

  override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get("file") as FileState | undefined;
    if (changed.has("file") && (before?.text !== this.file.text || before?.base !== this.file.base))
      void this.#compare(this.file);
  }

  async #compare(file: FileState): Promise<void> {
    const lines = await changedLines(this.state.engine, file);
    if (file.text === this.file.text && file.base === this.file.base) this.lines = lines;
  }

  override render() {
    const { base, name, text } = this.file;
    const became =
      base === null
        ? ["+", "added", "added"]
        : text === null
          ? ["−", "removed", "removed"]
          : ["~", "patched", "edited"];
    const [plus, minus] = [this.#number("+"), this.#number("−")];
    const shown = this.all || this.#printing.now ? this.lines : this.lines.slice(0, INITIAL_LINES);
    return html`<article class="card" aria-label=${name}>
      <div class="line">
        <span class="sign ${became[1]}" aria-hidden="true">${became[0]}</span>
        <button class="link" @click=${() => this.state.goTo({ file: name })}>${name}</button>
        <span class="quiet">${became[2]}</span>
        <span class="added"
          ><span aria-hidden="true">+</span>${formatCount(plus)}<span class="visually-hidden"> lines added,</span></span
        >
        <span class="removed"
          ><span aria-hidden="true">−</span>${formatCount(minus)}<span class="visually-hidden">
            lines removed</span
          ></span
        >
        <button class="push no-print" aria-label="Revert ${name}" @click=${this.#revert}>revert</button>
      </div>
      <ol aria-label="Changed lines">
        ${shown.map((it) => this.#line(it))}
      </ol>
      ${
        shown.length < this.lines.length
          ? html`<button @click=${() => (this.all = true)}>show all ${formatCount(this.lines.length)} lines</button>`
          : nothing
      }
    </article>`;
  }

  #number(sign: Line["sign"]): number {
    return this.lines.filter((it) => it.sign === sign).length;
  }

  #line(line: Line) {
    const spoken = { "+": "added ", "−": "removed ", " ": "", "…": "lines left out" }[line.sign];
    return html`<li class=${classMap({ plus: line.sign === "+", minus: line.sign === "−" })}>
      <button
        tabindex=${line.sign === "+" ? 0 : -1}
        @click=${() => this.state.goTo({ file: this.file.name, line: line.number })}
      >
        <span class="number">${line.number ?? ""}</span><span class="sign" aria-hidden="true">${line.sign}</span
        ><span class="text"><span class="visually-hidden">${spoken}</span>${line.text}</span>
      </button>
    </li>`;
  }

  readonly #revert = (): void => {
    const { base, name } = this.file;
    if (base === null) this.state.remove(name);
    else this.state.setText(name, base);
  };
}

customElements.define("ff-edited-file", EditedFile);
