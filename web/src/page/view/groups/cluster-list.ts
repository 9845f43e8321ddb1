// The clusters of a group as a virtual list.
import { css, html, LitElement, nothing } from "lit";
import { styleMap } from "../../../style-map.js";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName } from "../../../format.js";
import { VirtualList, virtualListStyles } from "../../virtual-list.js";

const ROW = 24;

export class ClusterList extends LitElement {
  static override properties = {
    clusters: { attribute: false },
    signs: { attribute: false },
    chosen: { attribute: false },
    label: { attribute: false },
  };
  static override styles = [
    baseStyles,
    virtualListStyles,
    css`
      .v-row {
        display: flex;
        align-items: center;
        gap: var(--ff-space);
        padding: 0 var(--ff-space) 0 calc(var(--ff-space) * 5);
        font-family: var(--ff-mono);
        font-size: 0.95em;
      }
      .name {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .sign {
        color: var(--ff-accent);
      }
    `,
  ];
  declare clusters: string[];
  /** The effect of the edits on a cluster: `~`, `+`, `−`. */
  declare signs: Map<string, string> | undefined;
  declare chosen: string | undefined;
  declare label: string;
  readonly #list = new VirtualList<string>(this, {
    key: (it) => it,
    row: ROW,
    pick: (cluster) => this.dispatchEvent(new CustomEvent("pick", { detail: cluster })),
  });

  override render() {
    return html`<div style=${styleMap({ height: `${Math.min(this.clusters.length, 10) * ROW}px`, display: "grid" })}>
      ${this.#list.render(
        this.clusters,
        (it) =>
          html`<span class="name" title=${it}>${clusterName(it)}</span
            >${this.signs?.has(it) ? html`<span class="sign">${this.signs.get(it)}</span>` : nothing}`,
        { label: this.label, chosen: this.chosen === undefined ? -1 : this.clusters.indexOf(this.chosen) },
      )}
    </div>`;
  }
}

customElements.define("ff-cluster-list", ClusterList);
