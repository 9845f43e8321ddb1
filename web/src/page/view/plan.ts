// The plan, wave by wave: actions, held actions with their reason, needs, and the digest to approve.
import { css, html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ActionAnswer, NeedAnswer, PlanAnswer, StatusAnswer } from "../../../contract.js";
import { baseStyles } from "../../theme.styles.js";
import { clusterName, formatCount, pluralize, toJson } from "../../format.js";
import { EngineQuery } from "../engine-query.js";
import { LATER } from "../engine.js";
import { currentMinute } from "../clock.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { inlineCode } from "./inline-code.js";
import "./plan/action.js";
import "./plan/digest.js";
import { type ActionGroup, type Filter, groupActions, matchesFilter, targetName } from "./plan/action-groups.js";
import "./plan/needs.js";
import { sheetStyles } from "./sheet.styles.js";
import { tallies } from "./tallies.js";

const INITIAL_CARDS = 60;
/** Clusters with needs are mostly alike, so only a few are shown initially. */
const INITIAL_CLUSTERS = 4;
const VERBS: [verb: string, shown: string][] = [
  ["", "every verb"],
  ["create", "+ create"],
  ["patch", "~ patch"],
  ["delete", "− delete"],
];
const NO_FILTER: Filter = { cluster: undefined, subject: "", verb: "", text: "" };

export class Plan extends LitElement {
  static override properties = { state: { attribute: false }, filter: { state: true }, shown: { state: true } };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      form {
        display: flex;
        flex-wrap: wrap;
        gap: calc(var(--ff-space) / 2);
        margin-bottom: var(--ff-space);
      }
      form > * {
        flex: 1 1 110px;
        min-width: 0;
      }
    `,
  ];
  declare state: State;
  declare filter: Filter;
  /** The number of cards shown for each section. */
  declare shown: number;
  readonly plan = new EngineQuery<"plan">(this, () => ({ op: "plan", now: (this.#now = currentMinute()) }), {
    urgency: LATER,
  });
  #now = currentMinute();

  constructor() {
    super();
    [this.filter, this.shown] = [NO_FILTER, INITIAL_CARDS];
    new StateController(this);
  }

  override render() {
    const plan = this.plan.value;
    return html`
      <div class="head">
        <h2>Plan</h2>
        <span class="quiet" title=${this.#now}>for ${this.#now.slice(0, 16).replace("T", " ")} UTC</span>
      </div>
      ${
        this.plan.error
          ? html`<p class="card error" role="alert">
              ${this.plan.error.message}${this.plan.error.hint ? html`<br />${this.plan.error.hint}` : nothing}
            </p>`
          : nothing
      }
      ${plan ? html`<div class=${this.state.broken.length ? "stale" : ""}>${this.#plan(plan)}</div>` : nothing}
    `;
  }

  #plan(plan: PlanAnswer) {
    const all = [...plan.actions, ...plan.held];
    if (!all.length && !plan.needs.length && !plan.status.length) return this.#nothing();
    const number = (verb: string) => plan.actions.filter((it) => it.verb === verb).length;
    const actions = plan.actions.filter((it) => matchesFilter(it, this.filter));
    const held = plan.held.filter((it) => matchesFilter(it, this.filter));
    return html`
      ${tallies("Planned actions", [
        [number("create"), "+ create"],
        [number("patch"), "~ patch"],
        [number("delete"), "− delete"],
        [plan.held.length, "‖ held", true],
        [plan.needs.length, "? to read first", true],
        [plan.status.length, plan.status.length === 1 ? "status" : "statuses"],
      ])}
      <section aria-label="Approve">
        <h3>Approve this plan</h3>
        ${
          all.length
            ? html`<ff-digest .state=${this.state} .digest=${plan.digest}></ff-digest> ${
                  plan.needs.length
                    ? html`<p class="warn">
                        This plan covers only the objects that were read so far. Its digest changes when more are read.
                      </p>`
                    : nothing
                }`
            : html`<p class="quiet">
                There is nothing to approve${plan.needs.length ? " until more objects are read" : ""}.
              </p>`
        }
      </section>
      ${all.length ? this.#filters(all) : nothing}
      ${
        this.#isFiltered
          ? html`<p role="status">
              ${formatCount(actions.length + held.length)} of ${pluralize(all.length, "action")}
              <button class="link" @click=${() => (this.filter = NO_FILTER)}>show all</button>
            </p>`
          : nothing
      }
      ${held.length ? this.#held(held) : nothing} ${plan.needs.length ? this.#needs(plan.needs) : nothing}
      ${this.#waves(actions)} ${plan.status.length ? this.#status(plan.status) : nothing}
    `;
  }

  #filters(all: ActionAnswer[]) {
    const clusters = [...new Set(all.map((it) => it.cluster))].sort();
    const subjects = [...new Set(all.map((it) => it.subject))].sort();
    const { cluster, subject, text, verb } = this.filter;
    const set = (it: Partial<Filter>) => (this.filter = { ...this.filter, ...it });
    const valueOf = (event: Event) => (event.target as HTMLInputElement).value;
    return html`<form role="search" aria-label="Actions" @submit=${(event: Event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Find in actions"
        placeholder="find"
        .value=${text}
        @input=${(event: Event) => set({ text: valueOf(event) })}
      />
      <select aria-label="Verb" @change=${(event: Event) => set({ verb: valueOf(event) })}>
        ${VERBS.map(([it, shown]) => html`<option value=${it} ?selected=${it === verb}>${shown}</option>`)}
      </select>
      <select aria-label="Subject" @change=${(event: Event) => set({ subject: valueOf(event) })}>
        <option value="" ?selected=${!subject}>every subject</option>
        ${subjects.map((it) => html`<option value=${it} ?selected=${it === subject}>${it}</option>`)}
      </select>
      <select
        aria-label="Cluster"
        @change=${(event: Event) => set({ cluster: valueOf(event) === "*" ? undefined : valueOf(event) })}
      >
        <option value="*" ?selected=${cluster === undefined}>every cluster</option>
        ${clusters.map((it) => html`<option value=${it} ?selected=${it === cluster}>${clusterName(it)}</option>`)}
      </select>
    </form>`;
  }

  get #isFiltered(): boolean {
    const { cluster, subject, text, verb } = this.filter;
    return cluster !== undefined || Boolean(subject || text.trim() || verb);
  }

  #waves(actions: ActionAnswer[]) {
    const waves = [...new Set(actions.map((it) => it.wave))];
    return waves.map((wave) => {
      const of = actions.filter((it) => it.wave === wave);
      return html`<section aria-label="Wave ${wave}">
        <h3>
          Wave ${formatCount(wave)}
          <span class="quiet"
            >${pluralize(of.length, "action")}${wave === waves[0] ? "" : ", after the wave before it"}</span
          >
        </h3>
        ${this.#groups(groupActions(of))}
      </section>`;
    });
  }

  /** A reason that all held actions share is shown once. */
  #held(held: ActionAnswer[]) {
    const why = new Map(held.flatMap((it) => (it.held ? [[`${it.held.text} ${it.held.hint}`, it.held]] : [])));
    const only = why.size === 1 ? [...why.values()][0] : undefined;
    return html`<section aria-label="Held">
      <h3>Held <span class="warn">${pluralize(held.length, "action")} stopped</span></h3>
      ${
        only
          ? html`<p class="card loud">
              <strong>‖ ${inlineCode(only.text)}.</strong> To let it pass: ${inlineCode(only.hint)}
            </p>`
          : nothing
      }
      ${this.#groups(groupActions(held), only !== undefined)}
    </section>`;
  }

  #groups(groups: ActionGroup[], isSaid = false) {
    const shown = groups.slice(0, this.shown);
    return html`${repeat(
      shown,
      (it) => it.key,
      (it) => html`<ff-actions .state=${this.state} .group=${it} .isSaid=${isSaid}></ff-actions>`,
    )}
    ${this.#more(groups.length - shown.length, "group")}`;
  }

  #needs(needs: NeedAnswer[]) {
    const clusters = [...new Set(needs.map((it) => it.cluster))];
    const shown = clusters.slice(0, this.shown === INITIAL_CARDS ? INITIAL_CLUSTERS : this.shown);
    return html`<section aria-label="To read first">
      <h3>
        To read first
        <span class="warn"
          >${pluralize(needs.length, "object or list", "objects and lists")} in
          ${pluralize(clusters.length, "cluster")}</span
        >
      </h3>
      <p class="quiet">
        An object that was not read is unknown, not absent: nothing is planned for it until it is read.
      </p>
      ${repeat(
        shown,
        (it) => it,
        (it) =>
          html`<ff-needs
            .state=${this.state}
            .cluster=${it}
            .needs=${needs.filter((need) => need.cluster === it)}
          ></ff-needs>`,
      )}
      ${this.#more(clusters.length - shown.length, "cluster")}
    </section>`;
  }

  #status(all: StatusAnswer[]) {
    const shown = all.slice(0, this.shown);
    return html`<section aria-label="Statuses">
      <h3>Statuses <span class="quiet">${formatCount(all.length)} to update</span></h3>
      ${shown.map(
        (it) =>
          html`<details class="card">
            <summary>${targetName(it.target)} <span class="quiet">${clusterName(it.cluster)}</span></summary>
            <button class="link" @click=${() => this.state.select({ subject: it.subject })}>${it.subject}</button>
            <pre tabindex="0" aria-label="The status">${toJson(it.status, 2)}</pre>
          </details>`,
      )}
      ${this.#more(all.length - shown.length, "status")}
    </section>`;
  }

  #more(left: number, what: string) {
    return left > 0
      ? html`<button @click=${() => (this.shown += INITIAL_CARDS * 4)}>
          show more (${pluralize(left, what, what === "status" ? "statuses" : `${what}s`)} left)
        </button>`
      : nothing;
  }

  #nothing() {
    return html`<p>Nothing to do${this.state.files.size ? ": the observed objects match the documents" : ""}.</p>
      <p class="quiet">
        A plan needs documents and observed objects. Put the objects of a cluster into
        <code>live/&lt;cluster&gt;/</code> next to the documents, and those of the hub into <code>live/_hub/</code>:
      </p>
      <pre>
# live/eu-1/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 2}</pre>`;
  }
}

customElements.define("ff-plan", Plan);
