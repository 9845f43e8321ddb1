// Three resizable columns; the browser stores their widths. A narrow screen shows one at a time.
import { css, html, LitElement, nothing } from "lit";
import { styleMap } from "../style-map.js";
import { baseStyles } from "../theme.styles.js";

const STORAGE_KEY = "fleetfold.columns";
const NARROW = "(max-width: 900px)";
/** Shares of the left and the right column; the middle column takes the rest. */
const DEFAULT_SHARES: [number, number] = [0.3, 0.33];
const MIN_SHARE = 0.15;

export class Columns extends LitElement {
  static override properties = {
    shares: { state: true },
    narrow: { state: true },
    shown: { type: Number },
    titles: { attribute: false },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
      }
      .columns {
        display: grid;
        grid-row: 2;
        min-height: 0;
      }
      .column {
        min-width: 0;
        min-height: 0;
        overflow: hidden;
        display: grid;
      }
      .edge {
        width: 9px;
        margin: 0 -4px;
        z-index: 1;
        background: linear-gradient(to right, transparent 4px, var(--ff-line) 4px 5px, transparent 5px);
        cursor: col-resize;
        touch-action: none;
      }
      .edge:hover,
      .edge:focus-visible {
        background: linear-gradient(to right, transparent 3px, var(--ff-accent) 3px 6px, transparent 6px);
      }
      nav {
        display: flex;
        gap: var(--ff-space);
        padding: calc(var(--ff-space) / 2) var(--ff-space);
        border-bottom: 1px solid var(--ff-line);
      }
      nav button {
        flex: 1;
        min-height: 32px;
      }
      @media print {
        :host,
        .columns,
        .column {
          display: block;
          overflow: visible;
        }
        .edge,
        nav,
        .column.left,
        .column.right {
          display: none;
        }
      }
    `,
  ];
  declare shares: [number, number];
  declare narrow: boolean;
  /** The visible column on a narrow screen. */
  declare shown: number;
  declare titles: [string, string, string];
  readonly #media = matchMedia(NARROW);

  constructor() {
    super();
    this.shares = storedShares();
    this.narrow = this.#media.matches;
    this.shown = 1;
    this.titles = ["Documents", "Fleet", "Cluster"];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#media.addEventListener("change", this.#mediaChanged);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#media.removeEventListener("change", this.#mediaChanged);
  }

  override render() {
    const [left, right] = this.shares;
    const template = this.narrow
      ? "minmax(0, 1fr)"
      : `minmax(0, ${left}fr) auto minmax(0, ${1 - left - right}fr) auto minmax(0, ${right}fr)`;
    const hidden = (column: number) => this.narrow && this.shown !== column;
    return html`
      ${
        this.narrow
          ? html`<nav aria-label="Columns">
              ${this.titles.map(
                (title, column) =>
                  html`<button aria-pressed=${this.shown === column} @click=${() => this.show(column)}>
                    ${title}
                  </button>`,
              )}
            </nav>`
          : nothing
      }
      <div class="columns" style=${styleMap({ gridTemplateColumns: template })}>
        <div class="column left" ?hidden=${hidden(0)}><slot name="left"></slot></div>
        ${this.#edge(0, "Width of the documents", left)}
        <div class="column middle" ?hidden=${hidden(1)}><slot name="middle"></slot></div>
        ${this.#edge(1, "Width of the cluster", right)}
        <div class="column right" ?hidden=${hidden(2)}><slot name="right"></slot></div>
      </div>
    `;
  }

  /** Shows a column on a narrow screen. */
  show(column: number): void {
    this.shown = column;
  }

  #edge(which: 0 | 1, name: string, share: number) {
    if (this.narrow) return nothing;
    return html`<div
      class="edge"
      role="separator"
      tabindex="0"
      aria-orientation="vertical"
      aria-label=${name}
      aria-valuemin=${MIN_SHARE * 100}
      aria-valuemax="70"
      aria-valuenow=${Math.round(share * 100)}
      @pointerdown=${(event: PointerEvent) => this.#drag(event, which)}
      @keydown=${(event: KeyboardEvent) => this.#key(event, which)}
      @dblclick=${() => this.#resize(which, DEFAULT_SHARES[which])}
    ></div>`;
  }

  #drag(event: PointerEvent, which: 0 | 1): void {
    const edge = event.target as HTMLElement;
    const box = this.getBoundingClientRect();
    edge.setPointerCapture(event.pointerId);
    const move = ({ clientX }: PointerEvent) => {
      const share = (clientX - box.left) / box.width;
      this.#resize(which, which === 0 ? share : 1 - share);
    };
    edge.addEventListener("pointermove", move);
    edge.addEventListener("lostpointercapture", () => edge.removeEventListener("pointermove", move), { once: true });
  }

  #key(event: KeyboardEvent, which: 0 | 1): void {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02 }[event.key];
    if (event.key === "Home") this.#resize(which, DEFAULT_SHARES[which]);
    else if (step !== undefined) this.#resize(which, this.shares[which] + (which === 0 ? step : -step));
    else return;
    event.preventDefault();
  }

  #resize(which: 0 | 1, share: number): void {
    const other = this.shares[1 - which]!;
    const clamped = Math.max(MIN_SHARE, Math.min(1 - other - MIN_SHARE, share));
    this.shares = which === 0 ? [clamped, other] : [other, clamped];
    try {
      localStorage.setItem(STORAGE_KEY, JSON.stringify(this.shares));
    } catch {
      // Storage is disabled: the widths last as long as the page.
    }
  }

  readonly #mediaChanged = (): void => {
    this.narrow = this.#media.matches;
  };
}

function storedShares(): [number, number] {
  try {
    const [left, right] = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]") as unknown[];
    if (
      typeof left === "number" &&
      typeof right === "number" &&
      left >= MIN_SHARE &&
      right >= MIN_SHARE &&
      left + right <= 1 - MIN_SHARE
    )
      return [left, right];
  } catch {
    // Ignore an unreadable entry.
  }
  return [...DEFAULT_SHARES];
}

customElements.define("ff-columns", Columns);
