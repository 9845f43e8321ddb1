// Why a subject selects a cluster or not: each requirement with a link to its label.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, pointerSegment } from "../../../format.js";
import { EngineQuery } from "../../engine-query.js";
import { LATER, SOON } from "../../engine.js";
import { StateController } from "../../state-controller.js";
import type { Place, State } from "../../state.js";
import { inlineCode } from "../inline-code.js";

export class Membership extends LitElement {
  static override properties = {
    state: { attribute: false },
    subject: { attribute: false },
    cluster: { attribute: false },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        padding: 4px var(--ff-space);
      }
      summary,
      li {
        overflow-wrap: anywhere;
      }
      details:not([open]) > summary {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      summary {
        cursor: pointer;
      }
      ul {
        margin: 0;
        padding: 0 0 0 14px;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: 1.4em 1fr;
      }
      .holds {
        color: var(--ff-added);
      }
      .fails {
        color: var(--ff-removed);
      }
    `,
  ];
  declare state: State;
  declare subject: string;
  declare cluster: string;
  readonly why = new EngineQuery<"explain">(
    this,
    () => (this.subject ? { op: "explain", subject: this.subject, cluster: this.cluster } : undefined),
    { urgency: SOON },
  );
  readonly clusters = new EngineQuery<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });

  constructor() {
    super();
    new StateController(this);
  }

  override updated(changed: Map<string, unknown>): void {
    if (changed.has("subject") || changed.has("cluster")) this.why.refresh();
  }

  override render() {
    const { value, error } = this.why;
    if (error) return html`<p class="quiet">${inlineCode(error.message)}</p>`;
    if (!value) return nothing;
    const reasons = value.reasons ?? [];
    const summary = value.selected
      ? html`<span class="holds" aria-hidden="true">✓</span> ${clusterName(this.cluster)} is selected`
      : html`<span class="fails" aria-hidden="true">✗</span> ${clusterName(this.cluster)} is not selected`;
    const list = html`<ul>
      ${reasons.map(
        (it) =>
          html`<li>
            <span class=${it.holds ? "holds" : "fails"}
              ><span aria-hidden="true">${it.holds ? "✓" : "✗"}</span
              ><span class="visually-hidden">${it.holds ? "holds:" : "does not hold:"}</span></span
            ><span>${inlineCode(it.text)} ${this.#link(it.text)}</span>
          </li>`,
      )}
    </ul>`;
    return html`<details ?open=${!value.selected}>
      <summary>
        ${summary}${
          value.selected && reasons.length
            ? html` <span class="quiet"
                >because of ${reasons.length === 1 ? inlineCode(reasons[0]!.text) : `${reasons.length} reasons`}</span
              >`
            : nothing
        }
      </summary>
      ${list}
    </details>`;
  }

  /** A link to the label of a reason. */
  #link(text: string) {
    const key = /^`([^`=! ]+)(?:[=! ][^`]*)?`.*the label/.exec(text)?.[1];
    if (key === undefined) return nothing;
    const go = async () => {
      const place = await this.#label(key);
      if (place) this.state.goTo(place);
    };
    return html`<button class="link" aria-label=${`Go to the label ${key} of ${this.cluster}`} @click=${go}>
      label
    </button>`;
  }

  /** Finds the label on demand, in the files that name the cluster. */
  async #label(key: string): Promise<Place | undefined> {
    const kinds = (this.clusters.value?.clusters ?? []).filter((it) => it.name === this.cluster).map((it) => it.kind);
    for (const file of this.state.files.values()) {
      if (file.live !== undefined || !file.text?.includes(this.cluster)) continue;
      const answer = await this.state.query({ op: "parse", text: file.text, places: true }, SOON);
      if (!answer || !("ok" in answer)) continue;
      const documents = answer.ok.documents as { kind?: string; metadata?: { name?: string } }[];
      const at = documents.findIndex((it) => kinds.includes(it.kind ?? "") && it.metadata?.name === this.cluster);
      const places = answer.ok.places?.[at];
      const place =
        places?.[`/metadata/labels${pointerSegment(key)}`] ?? places?.["/metadata/labels"] ?? places?.["/metadata"];
      if (place) return { file: file.name, ...place };
    }
    return undefined;
  }
}

customElements.define("ff-membership", Membership);
