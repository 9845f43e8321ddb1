// A group of similar actions as one line; its actions and their details on demand.
import { css, html, LitElement, nothing } from "lit";
import { until } from "lit/directives/until.js";
import type { ActionAnswer, DifferenceAnswer, Json } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { clusterName, formatCount, pluralize, inlineValue, toJson } from "../../../format.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import { goToDocument } from "../../locate.js";
import { inlineCode } from "../inline-code.js";
import { sheetStyles } from "../sheet.styles.js";
import { verbSign } from "../tallies.js";
import { type ActionGroup, targetName } from "./action-groups.js";

const PAGE_SIZE = 50;

export class ActionGroupCard extends LitElement {
  static override properties = {
    state: { attribute: false },
    group: { attribute: false },
    open: { state: true },
    isSaid: { attribute: false },
    shown: { state: true },
    details: { state: true },
  };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      .all {
        margin-top: calc(var(--ff-space) / 2);
      }
      .one {
        padding: 3px 0;
        border-top: 1px solid var(--ff-line);
      }
      .target {
        font-family: var(--ff-mono);
        font-size: 0.95em;
      }
      table {
        width: 100%;
        margin: calc(var(--ff-space) / 2) 0;
        border-collapse: collapse;
        table-layout: fixed;
      }
      td,
      th {
        padding: 2px 4px;
        border-top: 1px solid var(--ff-line);
        text-align: left;
        vertical-align: top;
        overflow-wrap: anywhere;
        font-weight: 400;
      }
      td > div {
        max-height: 12em;
        overflow: auto;
      }
      th.kind {
        width: 6em;
      }
      thead th {
        border: 0;
        color: var(--ff-quiet);
      }
      .loud thead th {
        color: var(--ff-ink);
      }
    `,
  ];
  declare state: State;
  declare group: ActionGroup;
  declare open: boolean;
  /** Whether the reason for holding them is shown elsewhere. */
  declare isSaid: boolean;
  declare shown: number;
  /** The ids of the unfolded actions. */
  declare details: ReadonlySet<string>;

  constructor() {
    super();
    [this.open, this.isSaid, this.shown, this.details] = [false, false, PAGE_SIZE, new Set()];
    new StateController(this);
  }

  override render() {
    const { actions, subject, verb } = this.group;
    const [first] = actions as [ActionAnswer];
    const held = first.held;
    const more = actions.length - 1;
    return html`<article
      class="card ${held ? "loud" : ""}"
      data-verb=${verb}
      aria-label="${verb} ${targetName(first.target)}${more ? ` and ${formatCount(more)} more` : ""}"
    >
      <div class="line whole">
        ${verbSign(verb)}
        <button class="link main" aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>
          <span aria-hidden="true">${this.open ? "▾" : "▸"}</span> ${verb}
          <span class="target">${targetName(first.target)}</span
          >${more ? html` and ${formatCount(more)} more` : nothing}
        </button>
        <span class="push quiet"
          >${held ? "‖ held, " : nothing}${
            more ? pluralize(actions.length, "action") : clusterName(first.cluster)
          }</span
        >
      </div>
      <div class="quiet">
        ${inlineCode(more ? this.#reason(actions) : first.reason.text)}; from
        <button class="link" @click=${() => this.state.select({ subject, ...this.#clusterSelection(first) })}>
          ${subject}
        </button>
      </div>
      ${
        held && !this.isSaid
          ? html`<p><strong>‖ held: ${inlineCode(held.text)}.</strong> To let it pass: ${inlineCode(held.hint)}</p>`
          : nothing
      }
      ${this.open ? this.#actions(actions) : nothing}
    </article>`;
  }

  /** The common reason. */
  #reason(actions: ActionAnswer[]): string {
    const texts = new Set(actions.map((it) => it.reason.text));
    return texts.size === 1 ? [...texts][0]! : `${actions[0]!.reason.text}, and the like`;
  }

  #actions(actions: ActionAnswer[]) {
    const shown = actions.slice(0, this.shown);
    return html`<div class="all">
      ${shown.map((it) => this.#action(it, actions.length === 1))}
      ${
        shown.length < actions.length
          ? html`<button @click=${() => (this.shown += PAGE_SIZE * 4)}>
              show more (${formatCount(actions.length - shown.length)} left)
            </button>`
          : nothing
      }
    </div>`;
  }

  #action(action: ActionAnswer, alone: boolean) {
    const open = alone || this.details.has(action.id);
    const differences = action.reason.differences ?? [];
    return html`<div class="one">
      ${
        alone
          ? nothing
          : html`<div class="line">
              <button class="link target" aria-expanded=${open} @click=${() => this.#toggle(action.id)}>
                <span aria-hidden="true">${open ? "▾" : "▸"}</span> ${targetName(action.target)}
              </button>
              <span class="quiet">${inlineCode(action.reason.text)}</span>
              <button
                class="link push"
                @click=${() => this.state.select({ cluster: action.cluster, subject: action.subject })}
              >
                ${clusterName(action.cluster)}
              </button>
            </div>`
      }
      ${
        open
          ? html`<div class="line">
                ${
                  alone
                    ? html`<button
                        class="link"
                        @click=${() => this.state.select({ cluster: action.cluster, subject: action.subject })}
                      >
                        ${clusterName(action.cluster)}
                      </button>`
                    : nothing
                }
                <button class="link" @click=${() => goToDocument(this.state, action.subject)}>
                  to the document of ${action.subject}
                </button>
                <span class="quiet">${action.reason.code}</span>
              </div>
              ${differences.length ? this.#differences(differences) : nothing}
              ${
                action.body === undefined
                  ? nothing
                  : html`<details>
                      <summary>the object</summary>
                      <pre tabindex="0" aria-label="The object">${until(this.#printed(action.body))}</pre>
                    </details>`
              }
              ${
                action.patch === undefined
                  ? nothing
                  : html`<details>
                      <summary>the patch, ${pluralize(action.patch.length, "operation")}</summary>
                      <pre tabindex="0" aria-label="The patch">${toJson(action.patch, 2)}</pre>
                    </details>`
              }
              ${
                action.precondition
                  ? html`<div class="quiet">only while the live object is ${toJson(action.precondition)}</div>`
                  : nothing
              }`
          : nothing
      }
    </div>`;
  }

  #differences(differences: DifferenceAnswer[]) {
    return html`<table>
      <caption class="visually-hidden">
        Differences
      </caption>
      <thead>
        <tr>
          <th scope="col">place</th>
          <th scope="col" class="kind">difference</th>
          <th scope="col">live → desired</th>
        </tr>
      </thead>
      <tbody>
        ${differences.map(
          (it) =>
            html`<tr>
              <th scope="row" class="mono">${it.path || "/"}</th>
              <td>${it.kind}</td>
              <td>
                <div tabindex="0" role="group" aria-label="live and desired">
                  ${
                    it.live === undefined
                      ? html`<span class="quiet">not there</span>`
                      : html`<span class="was" dir="auto">${inlineValue(it.live)}</span>`
                  }
                  →
                  ${
                    it.desired === undefined
                      ? html`<span class="quiet">gone</span>`
                      : html`<span class="is" dir="auto">${inlineValue(it.desired)}</span>`
                  }
                </div>
              </td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  /** Keeps the selected cluster for actions on the hub, since the hub's own column shows little. */
  #clusterSelection(action: ActionAnswer): { cluster?: string } {
    return action.cluster === "" ? {} : { cluster: action.cluster };
  }

  #toggle(id: string): void {
    const details = new Set(this.details);
    if (!details.delete(id)) details.add(id);
    this.details = details;
  }

  /** The text of each object: `until` needs the same promise on every update. */
  readonly #texts = new WeakMap<object, Promise<string>>();
  #printed(body: Json): Promise<string> {
    const key = body as object;
    const text =
      this.#texts.get(key) ?? this.state.engine.ask({ op: "print", documents: [body] }).then((it) => it.text);
    this.#texts.set(key, text);
    return text;
  }
}

customElements.define("ff-actions", ActionGroupCard);
