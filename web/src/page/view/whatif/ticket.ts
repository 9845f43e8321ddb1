// The parts of a change ticket that are not on screen: source, time and the resulting actions.
import { css, html, LitElement, nothing } from "lit";
import type { ActionAnswer } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, pluralize } from "../../../format.js";
import { EngineQuery } from "../../engine-query.js";
import { LATER } from "../../engine.js";
import { currentMinute } from "../../clock.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import "../plan/digest.js";
import { targetName } from "../plan/action-groups.js";
import { inlineCode } from "../inline-code.js";
import { PrintController } from "../print-controller.js";
import { sheetStyles } from "../sheet.styles.js";
import { verbSign } from "../tallies.js";

/** The plan is only needed for printing, so it waits for a pause in typing. */
const DEBOUNCE_MS = 400;

export class Ticket extends LitElement {
  static override properties = { state: { attribute: false }, piece: {} };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        display: none;
        padding: 0;
      }
      @media print {
        :host {
          display: block;
        }
      }
      dl {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 0 calc(var(--ff-space) * 2);
        margin: 0 0 calc(var(--ff-space) * 2);
      }
      dd {
        margin: 0;
      }
      li {
        break-inside: avoid-page;
      }
    `,
  ];
  declare state: State;
  declare piece: "head" | "plan";
  readonly planned = new EngineQuery<"plan">(this, () => this.#request(), { urgency: LATER });
  readonly plannedBefore = new EngineQuery<"plan">(this, () => this.#request(), { urgency: LATER, on: "baseline" });
  readonly #printing = new PrintController(this);
  #generation = -1;

  constructor() {
    super();
    new StateController(this);
  }

  async #request() {
    if (this.piece !== "plan") return undefined;
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS));
    if (!this.state.edits.length) return undefined;
    this.#generation = this.state.generation;
    return { op: "plan" as const, now: currentMinute() };
  }

  override render() {
    if (!this.#printing.now) return nothing;
    return this.piece === "head" ? this.#head() : this.#plan();
  }

  #head() {
    const { source } = this.state;
    return html`<dl>
      <dt>Looked at</dt>
      <dd>${new Date().toISOString().replace(/\.\d+Z$/, "Z")}</dd>
      <dt>Source</dt>
      <dd>${source.title} (${source.id})</dd>
    </dl>`;
  }

  #plan() {
    const isFresh =
      this.#generation === this.state.generation &&
      !this.planned.stale &&
      !this.plannedBefore.stale &&
      this.planned.value &&
      this.plannedBefore.value;
    if (!isFresh) return html`<p>The plan was not worked out yet when this was printed. Print it again.</p>`;
    const known = new Set([...this.plannedBefore.value!.actions, ...this.plannedBefore.value!.held].map((it) => it.id));
    const fresh = (all: ActionAnswer[]) => all.filter((it) => !known.has(it.id));
    const [actions, held] = [fresh(this.planned.value!.actions), fresh(this.planned.value!.held)];
    return html`<section>
      <h3>
        Actions because of the change
        <span class="quiet">${pluralize(actions.length, "action")}, ${held.length} held</span>
      </h3>
      <ul class="plain">
        ${actions.map((it) => this.#action(it))}
      </ul>
      ${
        held.length
          ? html`<h3>Held</h3>
              <ul class="plain">
                ${held.map((it) => this.#action(it))}
              </ul>`
          : nothing
      }
      <h3>The complete plan</h3>
      <p>
        ${pluralize(this.planned.value!.actions.length, "action")}, ${this.planned.value!.held.length} held,
        ${this.planned.value!.needs.length} to read first
      </p>
      <ff-digest .state=${this.state} .digest=${this.planned.value!.digest}></ff-digest>
    </section>`;
  }

  #action(action: ActionAnswer) {
    return html`<li>
      ${verbSign(action.verb)} ${action.verb} ${targetName(action.target)} in ${clusterName(action.cluster)}:
      ${inlineCode(action.reason.text)}
      ${
        action.held
          ? html`<br /><strong>held: ${inlineCode(action.held.text)}</strong> (${inlineCode(action.held.hint)})`
          : nothing
      }
    </li>`;
  }
}

customElements.define("ff-ticket", Ticket);
