// What a change ticket needs beside what is on screen: what this is and when it was looked at, and the steps it leads to.
import { css, html, LitElement, nothing } from "lit";
import type { ActionAnswer } from "../../../../contract.js";
import { look } from "../../../theme.styles.js";
import { clusterName, counted } from "../../../format.js";
import { Ask, Watch } from "../../engine-query.js";
import { LATER } from "../../engine.js";
import { now } from "../../clock.js";
import type { State } from "../../state.js";
import "../plan/digest.js";
import { targetName } from "../plan/action-groups.js";
import { prose } from "../inline-code.js";
import { Printing } from "../print-controller.js";
import { sheet, sign } from "../sheet.styles.js";

/** Plans are only wanted when somebody prints: not while they type. */
const PAUSE = 400;

export class Ticket extends LitElement {
  static override properties = { state: { attribute: false }, piece: {} };
  static override styles = [
    look,
    sheet,
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
  readonly planned = new Ask<"plan">(this, () => this.#question(), { urgency: LATER });
  readonly plannedBefore = new Ask<"plan">(this, () => this.#question(), { urgency: LATER, on: "baseline" });
  readonly #printing = new Printing(this);
  #generation = -1;

  constructor() {
    super();
    new Watch(this);
  }

  async #question() {
    if (this.piece !== "plan") return undefined;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (!this.state.edits.length) return undefined;
    this.#generation = this.state.generation;
    return { op: "plan" as const, now: now() };
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
        <span class="quiet">${counted(actions.length, "action")}, ${held.length} held</span>
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
      <h3>The whole plan</h3>
      <p>
        ${counted(this.planned.value!.actions.length, "action")}, ${this.planned.value!.held.length} held,
        ${this.planned.value!.needs.length} to be seen first
      </p>
      <ff-digest .state=${this.state} .digest=${this.planned.value!.digest}></ff-digest>
    </section>`;
  }

  #action(action: ActionAnswer) {
    return html`<li>
      ${sign(action.verb)} ${action.verb} ${targetName(action.target)} in ${clusterName(action.cluster)}:
      ${prose(action.reason.text)}
      ${action.held ? html`<br /><strong>held: ${prose(action.held.text)}</strong> (${prose(action.held.hint)})` : nothing}
    </li>`;
  }
}

customElements.define("ff-ticket", Ticket);
