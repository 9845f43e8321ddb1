// Picks one of thousands of clusters: type to filter, arrows and Enter to pick.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../../../theme.styles.js";
import { styleMap } from "../../../style-map.js";
import { clusterName, formatCount } from "../../../format.js";

const ROW_HEIGHT = 24;
const VISIBLE_ROWS = 12;

/**
 * Dispatches `pick` with the name. `names` are the clusters that the subject selects, `others` the rest of the fleet.
 */
export class ClusterPicker extends LitElement {
  static override properties = {
    names: { attribute: false },
    others: { attribute: false },
    value: { attribute: false },
    label: {},
    placeholder: {},
    open: { state: true },
    typed: { state: true },
    at: { state: true },
    top: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        position: relative;
        min-width: 0;
      }
      input {
        width: 100%;
        font-weight: 600;
        text-overflow: ellipsis;
      }
      .list {
        position: absolute;
        z-index: 5;
        inset-inline-start: 0;
        min-width: 100%;
        width: max-content;
        max-width: 28rem;
        max-height: ${ROW_HEIGHT * VISIBLE_ROWS}px;
        margin-top: 2px;
        overflow: auto;
        border: 1px solid var(--ff-line);
        border-radius: var(--ff-radius);
        background: var(--ff-page);
      }
      .all {
        position: relative;
        min-width: 14rem;
      }
      .option {
        position: absolute;
        inset-inline: 0;
        height: ${ROW_HEIGHT}px;
        padding-inline: var(--ff-space);
        line-height: ${ROW_HEIGHT}px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        cursor: pointer;
      }
      .option:hover {
        background: var(--ff-hover);
      }
      .option[aria-selected="true"] {
        background: var(--ff-chosen);
      }
      .none {
        padding: 2px var(--ff-space);
      }
    `,
  ];
  declare names: string[];
  declare others: string[];
  declare value: string | undefined;
  declare label: string;
  declare placeholder: string;
  declare open: boolean;
  declare typed: string;
  declare at: number;
  declare top: number;

  constructor() {
    super();
    this.names = [];
    this.others = [];
    this.label = "Cluster";
    this.placeholder = "";
    this.open = false;
    this.typed = "";
    this.at = 0;
    this.top = 0;
  }

  override focus(): void {
    this.renderRoot.querySelector("input")?.focus();
  }

  get #matches(): { name: string; picked: boolean }[] {
    const wanted = this.typed.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (name: string) => wanted.every((it) => clusterName(name).toLowerCase().includes(it));
    return [
      ...this.names.filter(fits).map((name) => ({ name, picked: true })),
      ...this.others.filter(fits).map((name) => ({ name, picked: false })),
    ];
  }

  override render() {
    const found = this.open ? this.#matches : [];
    const first = Math.max(0, Math.floor(this.top / ROW_HEIGHT) - 4);
    const window = found.slice(first, first + VISIBLE_ROWS + 8).map((it, index) => ({ ...it, index: first + index }));
    const active = found[this.at];
    if (active && !window.some((it) => it.index === this.at)) window.push({ ...active, index: this.at });
    return html`
      <input
        role="combobox"
        aria-label=${this.label}
        aria-expanded=${this.open}
        aria-controls="list"
        aria-autocomplete="list"
        aria-activedescendant=${this.open && active ? `option-${this.at}` : nothing}
        autocomplete="off"
        spellcheck="false"
        placeholder=${this.open && this.value !== undefined ? clusterName(this.value) : this.placeholder}
        .value=${this.open ? this.typed : this.value === undefined ? "" : clusterName(this.value)}
        @focus=${this.#start}
        @click=${this.#start}
        @blur=${() => (this.open = false)}
        @input=${this.#input}
        @keydown=${this.#key}
      />
      <div
        id="list"
        class="list"
        role="listbox"
        aria-label=${`${this.label}: names`}
        ?hidden=${!this.open}
        @scroll=${this.#scroll}
        @mousedown=${(event: Event) => event.preventDefault()}
      >
        ${
          found.length
            ? html`<div class="all" role="presentation" style=${styleMap({ height: `${found.length * ROW_HEIGHT}px` })}>
                ${window.map(
                  (it) =>
                    html`<div
                      class="option"
                      role="option"
                      id="option-${it.index}"
                      aria-selected=${it.index === this.at}
                      aria-setsize=${found.length}
                      aria-posinset=${it.index + 1}
                      style=${styleMap({ top: `${it.index * ROW_HEIGHT}px` })}
                      @click=${() => this.#pick(it.name)}
                    >
                      ${clusterName(it.name)}${it.picked ? nothing : html` <span class="quiet">not selected</span>`}
                    </div>`,
                )}
              </div>`
            : html`<div class="none quiet" role="option" aria-selected="false" aria-disabled="true">
                ${
                  this.open ? `no cluster of ${formatCount(this.names.length + this.others.length)} is called that` : ""
                }
              </div>`
        }
      </div>
    `;
  }

  readonly #start = (): void => {
    if (this.open) return;
    this.typed = "";
    this.open = true;
    this.at = Math.max(
      0,
      this.#matches.findIndex((it) => it.name === this.value),
    );
    void this.updateComplete.then(() => this.#reveal());
  };

  readonly #input = (event: InputEvent): void => {
    this.typed = (event.target as HTMLInputElement).value;
    this.open = true;
    this.at = 0;
    this.#reveal();
  };

  readonly #scroll = (event: Event): void => {
    this.top = (event.target as HTMLElement).scrollTop;
  };

  readonly #key = (event: KeyboardEvent): void => {
    const found = this.#matches;
    const to = {
      ArrowDown: this.at + 1,
      ArrowUp: this.at - 1,
      PageDown: this.at + VISIBLE_ROWS,
      PageUp: this.at - VISIBLE_ROWS,
    }[event.key];
    if (to !== undefined) {
      if (!this.open) this.#start();
      else this.at = Math.min(Math.max(to, 0), Math.max(found.length - 1, 0));
      this.#reveal();
    } else if (event.key === "Enter" && this.open && found[this.at]) {
      this.#pick(found[this.at]!.name);
    } else if (event.key === "Escape" && this.open) {
      this.open = false;
      this.dispatchEvent(new CustomEvent("leave"));
    } else {
      // Letters typed here must not trigger the page's shortcuts.
      if (event.key.length === 1) event.stopPropagation();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  #reveal(): void {
    const list = this.renderRoot.querySelector(".list")!;
    const top = this.at * ROW_HEIGHT;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW_HEIGHT > list.scrollTop + ROW_HEIGHT * VISIBLE_ROWS)
      list.scrollTop = top + ROW_HEIGHT - ROW_HEIGHT * VISIBLE_ROWS;
    this.top = list.scrollTop;
  }

  #pick(name: string): void {
    this.open = false;
    this.typed = "";
    this.dispatchEvent(new CustomEvent("pick", { detail: name }));
  }
}

customElements.define("ff-pick", ClusterPicker);
