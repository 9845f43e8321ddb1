// The What-if view: what the edits change, for which clusters, and what is shadowed. Printed, it is the page for a
// change ticket.
import { css, html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { markStyles } from "../../layers.js";
import { baseStyles } from "../../theme.styles.js";
import { formatCount, pluralize } from "../../format.js";
import type { ActionCounts, Collected } from "../../../contract.js";
import { EngineQuery } from "../engine-query.js";
import { SOON } from "../engine.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { PrintController, printExpanded } from "./print-controller.js";
import { reveal } from "./reveal.js";
import { sheetStyles } from "./sheet.styles.js";
import { tallies } from "./tallies.js";
import { changeStyles, collectedList, findingList, groupCard, shadowCard } from "./whatif/changes.js";
import { type SuggestedEdit, suggestEdit } from "./whatif/suggested-edit.js";
import "./whatif/edited-file.js";
import "./whatif/cluster-names.js";
import "./whatif/ticket.js";

const INITIAL_CARDS = 60;

/** Whether an edit that changes no value changes the plan, also by a held action. */
function changesPlan({ create, patch, delete: deletes, held }: ActionCounts, collected: Collected[] = []): boolean {
  return create + patch + deletes + held > 0 || collected.length > 0;
}

/** Clusters whose results fail do not change: they keep their last state. */
const keptTally = (kept = 0): [number, string, boolean][] => (kept > 0 ? [[kept, "keep their last state", true]] : []);

const withoutGroups = (plan: boolean): string =>
  plan ? "The plan changes, and the values of clusters stay the same." : "No cluster changes.";

export class WhatIf extends LitElement {
  static override properties = { state: { attribute: false }, all: { state: true }, suggestion: { state: true } };
  static override styles = [
    baseStyles,
    markStyles,
    sheetStyles,
    changeStyles,
    css`
      .teach {
        max-width: 60ch;
      }
    `,
  ];
  declare state: State;
  /** Whether all groups and values are shown. */
  declare all: boolean;
  declare suggestion: SuggestedEdit | undefined;
  readonly whatIf = new EngineQuery<"whatIf">(
    this,
    async () => {
      const change = await this.state.editsAsChange();
      // `lint` also finds what the edit breaks in documents that were not edited.
      return change && { op: "whatIf", lint: true, ...change };
    },
    { on: "baseline", urgency: SOON },
  );
  readonly #printing = new PrintController(this);
  #revealedSelection = "";

  constructor() {
    super();
    this.all = false;
    new StateController(this);
  }

  #suggestedFor = -1;
  override willUpdate(): void {
    const { edits, generation } = this.state;
    if (edits.length || this.#suggestedFor === generation) return;
    this.#suggestedFor = generation;
    void this.#suggest(generation);
  }

  async #suggest(generation: number): Promise<void> {
    const suggestion = await suggestEdit(this.state);
    if (generation === this.state.generation) this.suggestion = suggestion;
  }

  override updated(): void {
    // The keys `[` and `]` select a change: reveal it.
    const { subject, cluster, path, object } = this.state.selection;
    const chosen = JSON.stringify([subject, cluster, path, object]);
    if (chosen === this.#revealedSelection) return;
    this.#revealedSelection = chosen;
    reveal(this.renderRoot.querySelector('tr[aria-current="true"], .card[aria-current="true"]'));
  }

  override render() {
    const { edits } = this.state;
    if (!edits.length) return this.#empty();
    const answer = this.whatIf.value;
    return html`
      <div class="head">
        <h2>What-if</h2>
        <button class="no-print" @click=${printExpanded} title="Everything on white paper, for a change ticket">
          print
        </button>
        <button
          class="no-print"
          @click=${() => this.state.keepAsBaseline()}
          title="From now on, changes are counted from here"
        >
          keep as new baseline
        </button>
        <button class="no-print" @click=${() => this.state.reset()}>return to baseline</button>
      </div>
      <ff-ticket .state=${this.state} .piece=${"head"}></ff-ticket>
      <div class=${this.whatIf.stale || this.state.broken.length ? "stale" : ""}>
        ${
          answer
            ? html`${tallies("What would change", [
                [
                  answer.counts.changed - (answer.counts.kept ?? 0),
                  `of ${pluralize(answer.counts.clusters, "cluster")} changed`,
                ],
                ...keptTally(answer.counts.kept),
                [answer.counts.shadowed, "shadowed", true],
                [answer.counts.subjects, answer.counts.subjects === 1 ? "subject" : "subjects"],
              ])}
              ${tallies("Actions because of it", [
                [answer.actions.create, "+ create"],
                [answer.actions.patch, "~ patch"],
                [answer.actions.delete, "− delete"],
                [answer.actions.held, "‖ held", true],
                [answer.actions.needs, "? to read first"],
              ])}`
            : nothing
        }
      </div>
      ${
        this.whatIf.error
          ? html`<p class="card error" role="alert">
              ${this.whatIf.error.message}${this.whatIf.error.hint ? html`<br />${this.whatIf.error.hint}` : nothing}
            </p>`
          : nothing
      }
      ${
        answer?.refused
          ? html`<p class="card error" role="alert">
              Refused: ${answer.refused.join(", ")}. The engine refuses the change, and what the document governs keeps
              its last state.
            </p>`
          : nothing
      }
      <div class=${this.whatIf.stale || this.state.broken.length ? "stale" : ""}>
        ${
          answer
            ? html`${findingList("Introduced", "warn", this.whatIf.diagnostics, this.state)}
              ${findingList("Fixed", "quiet", answer.fixed ?? [], this.state)} ${this.#groups(answer)}
              ${answer.collected ? collectedList(answer.collected) : nothing} ${this.#shadowed(answer.shadowed)}`
            : nothing
        }
      </div>
      <section aria-label="Edited files">
        <h3>Edited files <span class="quiet">${formatCount(edits.length)}</span></h3>
        ${repeat(
          edits,
          (it) => it.name,
          (it) => html`<ff-edited-file .state=${this.state} .file=${it}></ff-edited-file>`,
        )}
      </section>
      <ff-ticket .state=${this.state} .piece=${"plan"}></ff-ticket>
    `;
  }

  #groups({ groups, actions, collected }: NonNullable<typeof this.whatIf.value>) {
    const all = this.all || this.#printing.now;
    const shown = all ? groups : groups.slice(0, INITIAL_CARDS);
    return html`<section aria-label="Changes">
      <h3>
        Changes <span class="quiet">${pluralize(groups.length, "group")} of equal change</span>
        <span class="quiet push no-print"><kbd>[</kbd> <kbd>]</kbd> through changes</span>
      </h3>
      ${groups.length ? nothing : html`<p class="quiet">${withoutGroups(changesPlan(actions, collected))}</p>`}
      ${shown.map((it) => groupCard(it, { state: this.state, all, unfold: () => (this.all = true) }))}
      ${
        shown.length < groups.length
          ? html`<button @click=${() => (this.all = true)}>show all ${pluralize(groups.length, "group")}</button>`
          : nothing
      }
    </section>`;
  }

  #shadowed(shadowed: NonNullable<typeof this.whatIf.value>["shadowed"]) {
    const all = this.all || this.#printing.now;
    const shown = all ? shadowed : shadowed.slice(0, INITIAL_CARDS);
    return html`<section aria-label="Shadowed">
      <h3>
        Shadowed
        <span class=${shadowed.length ? "warn" : "quiet"}
          >${shadowed.length ? `${formatCount(shadowed.length)} without effect` : "none"}</span
        >
      </h3>
      ${shown.map((it) => shadowCard(it, { state: this.state, all, unfold: () => (this.all = true) }))}
      ${
        shown.length < shadowed.length
          ? html`<button @click=${() => (this.all = true)}>show all ${formatCount(shadowed.length)}</button>`
          : nothing
      }
    </section>`;
  }

  #empty() {
    const { suggestion } = this;
    return html`<div class="head"><h2>What-if</h2></div>
      <div class="teach">
        <p>
          There are no edits. Change a document on the left: this view shows which clusters it changes and how, and
          where another layer shadows it. The loaded documents stay the baseline.
        </p>
        ${
          suggestion
            ? html`<p>
                  For a start, change <code>${suggestion.name}</code> in
                  <button
                    class="link"
                    @click=${() => this.state.goTo({ file: suggestion.file, line: suggestion.line })}
                  >
                    ${suggestion.file}:${suggestion.line}
                  </button>
                  from <span class="was">${suggestion.before}</span> to <span class="is">${suggestion.after}</span>.
                </p>
                <p><button class="primary" @click=${() => this.#try(suggestion)}>try this edit</button></p>`
            : html`<p>Add a document that sets a value for clusters, such as</p>
                <pre>
apiVersion: greenhouse.sap/v1alpha1
kind: PluginOverride
metadata: {name: more, namespace: acme}
spec:
  overrides:
    - {path: replicas, value: 5}</pre>`
        }
      </div>`;
  }

  #try({ file, line, text }: SuggestedEdit): void {
    this.state.setText(file, text);
    this.state.goTo({ file, line });
  }
}

customElements.define("ff-whatif", WhatIf);
