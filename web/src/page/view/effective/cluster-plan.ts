// A cluster's part of the plan: one line for each action with its reason; differences on demand.
import { css, html, LitElement, nothing } from "lit";
import type { ActionAnswer, DifferenceAnswer } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, formatCount, pluralize, inlineValue } from "../../../format.js";
import { EngineQuery } from "../../engine-query.js";
import { LATER } from "../../engine.js";
import { currentMinute } from "../../clock.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import { inlineCode } from "../inline-code.js";

const SIGNS: Record<string, string> = { create: "+", patch: "~", delete: "−" };
/** The Plan view shows the rest. */
const MAX_ACTIONS = 40;

export class ClusterPlan extends LitElement {
  static override properties = { state: { attribute: false } };
  static override styles = [
    baseStyles,
    css`
      :host {
        padding: var(--ff-space);
        border-top: 1px solid var(--ff-line);
      }
      summary {
        display: flex;
        gap: 6px;
        min-width: 0;
        padding-block: 2px;
        cursor: pointer;
      }
      .line {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .sign {
        flex: none;
        font-family: var(--ff-mono);
        font-weight: 700;
      }
      .create {
        color: var(--ff-added);
      }
      .patch {
        color: var(--ff-warning);
      }
      .delete {
        color: var(--ff-removed);
      }
      .about,
      ul {
        margin: 0;
        padding: 0 0 4px 20px;
        list-style: none;
        overflow-wrap: anywhere;
      }
      li > span {
        unicode-bidi: isolate;
      }
      del {
        color: var(--ff-removed);
      }
      ins {
        color: var(--ff-added);
        text-decoration: none;
      }
      .value {
        display: inline-block;
        max-width: 100%;
        max-height: 6em;
        overflow: auto;
        vertical-align: top;
      }
    `,
  ];
  declare state: State;
  readonly plan = new EngineQuery<"plan">(
    this,
    () => {
      const { cluster, subject } = this.state.selection;
      if (cluster === undefined || subject === undefined) return undefined;
      // Actions on the hub belong to no cluster: scope the plan by subject.
      return {
        op: "plan",
        scope: cluster === "" ? { subjects: [subject] } : { clusters: [cluster] },
        now: currentMinute(),
      };
    },
    { urgency: LATER },
  );

  constructor() {
    super();
    new StateController(this);
  }

  override render() {
    const { value, error, stale } = this.plan;
    const { cluster, subject } = this.state.selection;
    if (cluster === undefined) return nothing;
    if (error)
      return html`<h3>Plan</h3>
        <p class="quiet">${inlineCode(error.message)}</p>`;
    if (!value) return nothing;
    // Actions of the selected subject first.
    const all = [...value.actions, ...value.held].sort(
      (a, b) => Number(b.subject === subject) - Number(a.subject === subject),
    );
    return html`
      <h3>
        Plan for ${clusterName(cluster)}:
        ${
          value.actions.length
            ? pluralize(value.actions.length, "action")
            : value.needs.length
              ? "not known yet"
              : "nothing to do"
        }${value.held.length ? `, ${formatCount(value.held.length)} held` : ""}
      </h3>
      ${
        value.needs.length
          ? html`<p class="quiet">${pluralize(value.needs.length, "object")} must be read first.</p>`
          : nothing
      }
      <div class=${stale ? "stale" : ""}>${all.slice(0, MAX_ACTIONS).map((it) => this.#action(it))}</div>
      ${
        all.length > MAX_ACTIONS
          ? html`<p>
              <button class="link" @click=${() => this.state.select({ view: "plan" })}>
                ${formatCount(all.length - MAX_ACTIONS)} more in the plan
              </button>
            </p>`
          : nothing
      }
    `;
  }

  #action(it: ActionAnswer) {
    const differences = it.reason.differences ?? [];
    return html`<details>
      <summary>
        <span class="sign ${it.verb}" aria-hidden="true">${SIGNS[it.verb] ?? ""}</span
        ><span class="line"
          >${it.verb} ${it.target.kind} <code>${it.target.name}</code>${it.held ? html` <b>held</b>` : nothing}
          <span class="quiet">${inlineCode(it.reason.text)}</span></span
        >
      </summary>
      <p class="about quiet">
        ${it.subject}, wave
        ${it.wave}${it.held ? html`. ${inlineCode(it.held.text)}: ${inlineCode(it.held.hint)}` : nothing}.
        ${inlineCode(it.reason.text)}
      </p>
      <ul>
        ${differences.map(difference)}
      </ul>
    </details>`;
  }
}

function difference(it: DifferenceAnswer) {
  return html`<li>
    <code>${it.path}</code>
    ${it.kind === "changed" ? nothing : html`<span class="quiet">${it.kind}</span> `}${
      it.live === undefined ? nothing : html`<del class="value mono">${inlineValue(it.live)}</del> → `
    }${
      it.desired === undefined
        ? html`<span class="quiet">nothing</span>`
        : html`<ins class="value mono">${inlineValue(it.desired)}</ins>`
    }
  </li>`;
}

customElements.define("ff-cluster-plan", ClusterPlan);
