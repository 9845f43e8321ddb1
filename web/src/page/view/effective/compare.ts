// Two clusters side by side: their differences and the layer that causes each.
import { css, html, LitElement, nothing } from "lit";
import type { ClusterDifference } from "../../../../contract.js";
import { layerMark, markStyles } from "../../../layers.js";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, pluralize, placeName } from "../../../format.js";
import { EngineQuery } from "../../engine-query.js";
import { URGENT } from "../../engine.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import { inlineCode } from "../inline-code.js";
import { layerValueText } from "./value-tree.js";
import "./membership.js";

export class Compare extends LitElement {
  static override properties = { state: { attribute: false } };
  static override styles = [
    baseStyles,
    markStyles,
    css`
      :host {
        padding: var(--ff-space);
      }
      table {
        width: 100%;
        border-collapse: collapse;
        table-layout: fixed;
      }
      th,
      td {
        padding: 4px 6px 4px 0;
        border-top: 1px solid var(--ff-line);
        text-align: start;
        vertical-align: top;
        overflow-wrap: anywhere;
      }
      th {
        font-weight: 600;
      }
      thead th:first-child {
        width: 28%;
      }
      tbody th {
        font-weight: 400;
      }
      td.value {
        font-family: var(--ff-mono);
        font-size: 0.95em;
        unicode-bidi: isolate;
      }
      .value span {
        display: -webkit-box;
        overflow: hidden;
        -webkit-line-clamp: 6;
        -webkit-box-orient: vertical;
      }
    `,
  ];
  declare state: State;
  readonly diff = new EngineQuery<"diff">(
    this,
    () => {
      const { subject, cluster, compare } = this.state.selection;
      return subject !== undefined && cluster !== undefined && compare !== undefined
        ? { op: "diff", subject, left: cluster, right: compare }
        : undefined;
    },
    { urgency: URGENT },
  );

  constructor() {
    super();
    new StateController(this);
  }

  override render() {
    const { subject, cluster, compare } = this.state.selection;
    const { value, error, stale } = this.diff;
    if (cluster === undefined || compare === undefined || subject === undefined) return nothing;
    if (error) {
      return html`<p>${inlineCode(error.message)}</p>
        <ff-membership
          .state=${this.state}
          .subject=${subject}
          .cluster=${error.at === "/left" ? cluster : compare}
        ></ff-membership>`;
    }
    if (!value) return nothing;
    if (!value.differences.length)
      return html`<p>${clusterName(cluster)} and ${clusterName(compare)} have equal results.</p>`;
    return html`
      <p role="status">${pluralize(value.differences.length, "difference")}</p>
      <table class=${stale ? "stale" : ""}>
        <thead>
          <tr>
            <th scope="col">value</th>
            <th scope="col">${clusterName(cluster)}</th>
            <th scope="col">${clusterName(compare)}</th>
            <th scope="col">because of</th>
          </tr>
        </thead>
        <tbody>
          ${value.differences.map((it) => this.#difference(it))}
        </tbody>
      </table>
    `;
  }

  #difference(it: ClusterDifference) {
    const show = () => this.state.select({ path: it.path, object: it.object, compare: undefined });
    const { cause } = it;
    return html`<tr>
      <th scope="row">
        <button class="link mono" title="Show who decides" @click=${show}>${breakable(it.path)}</button
        >${it.object ? html`<br /><span class="quiet">${it.object}</span>` : nothing}
      </th>
      <td class="value">${side(it.left, it.leftFrom)}</td>
      <td class="value">${side(it.right, it.rightFrom)}</td>
      <td>
        ${
          cause
            ? html`${layerMark(cause.layer)} ${cause.layer}
              ${
                cause.file === undefined
                  ? nothing
                  : html`<br /><button
                        class="link"
                        aria-label=${`Go to ${placeName(cause)}`}
                        @click=${() => this.state.goTo({ file: cause.file!, line: cause.line, column: cause.column })}
                      >
                        ${placeName(cause)}
                      </button>`
              }`
            : nothing
        }
      </td>
    </tr>`;
  }
}

/** Allows long paths to break between their segments. */
function breakable(path: string) {
  return path.split(/(?<=[./])/).map((it) => html`${it}<wbr />`);
}

function side(value: unknown, valueFrom: unknown) {
  return value === undefined && valueFrom === undefined
    ? html`<span class="quiet">not set</span>`
    : html`<span>${layerValueText({ value, valueFrom })}</span>`;
}

customElements.define("ff-compare", Compare);
