// Cluster names: a few inline, many on demand, all of them in print.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, formatCount, pluralize } from "../../../format.js";
import type { State } from "../../state.js";
import { PrintController } from "../print-controller.js";
import { sheetStyles } from "../sheet.styles.js";

const INLINE_NAMES = 4;
const INITIAL_NAMES = 200;

export class ClusterNames extends LitElement {
  static override properties = {
    state: { attribute: false },
    names: { attribute: false },
    subject: {},
    open: { state: true },
    all: { state: true },
  };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
    `,
  ];
  declare state: State;
  declare names: string[];
  /** Selected together with a cluster. */
  declare subject: string | undefined;
  declare open: boolean;
  declare all: boolean;
  readonly #printing = new PrintController(this);

  constructor() {
    super();
    [this.names, this.open, this.all] = [[], false, false];
  }

  override render() {
    const names = this.names;
    if (this.#printing.now)
      return html`<strong>${pluralize(names.length, "cluster")}:</strong> ${names.map(clusterName).join(", ")}`;
    if (names.length <= INLINE_NAMES)
      return html`<ul class="names" aria-label=${pluralize(names.length, "cluster")}>
        ${names.map((it) => this.#name(it))}
      </ul>`;
    const shown = this.all ? names : names.slice(0, INITIAL_NAMES);
    return html`<button class="link" aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>
        <span aria-hidden="true">${this.open ? "▾" : "▸"}</span> ${pluralize(names.length, "cluster")}
      </button>
      ${
        this.open ? nothing : html`<span class="quiet">${clusterName(names[0]!)} … ${clusterName(names.at(-1)!)}</span>`
      }
      ${
        this.open
          ? html`<ul class="names" aria-label="Clusters">
                ${shown.map((it) => this.#name(it))}
              </ul>
              ${
                shown.length < names.length
                  ? html`<button @click=${() => (this.all = true)}>show all ${formatCount(names.length)}</button>`
                  : nothing
              }`
          : nothing
      }`;
  }

  #name(cluster: string) {
    return html`<li>
      <button
        class="link"
        @click=${() => this.state.select({ cluster, ...(this.subject === undefined ? {} : { subject: this.subject }) })}
      >
        ${clusterName(cluster)}
      </button>
    </li>`;
  }
}

customElements.define("ff-cluster-names", ClusterNames);
