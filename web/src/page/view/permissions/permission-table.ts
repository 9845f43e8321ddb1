// Who may set which label on a cluster and bind which set: one low-priority query for each cell.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import type { ExplainAnswer, ExplainRequest } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { formatCount } from "../../../format.js";
import { LATER } from "../../engine.js";
import type { State } from "../../state.js";
import { sheetStyles } from "../sheet.styles.js";
import type { Candidates, Label, Requester } from "./candidates.js";

const ROWS = 40;
const COLUMNS = 8;

type Row = { label: Label } | { set: string };
export interface Cell {
  who: Requester;
  row: Row;
}

const WORDS: Record<string, [sign: string, tone: string]> = {
  may: ["✓", "added"],
  "may not": ["✕", "removed"],
  "add only": ["◐", "warn"],
  "has it": ["=", "quiet"],
  unguarded: ["⚠", "warn"],
};

/** Dispatches `pick` (a `CustomEvent<Cell>`) when the user asks for the reason. */
export class PermissionTable extends LitElement {
  static override properties = {
    state: { attribute: false },
    found: { attribute: false },
    cluster: {},
    labels: { attribute: false },
    words: { state: true },
    all: { state: true },
  };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      .scroll {
        max-height: 480px;
        overflow: auto;
        border: 1px solid var(--ff-line);
        border-radius: var(--ff-radius);
      }
      table {
        width: 100%;
        border-collapse: collapse;
      }
      th,
      td {
        padding: 3px var(--ff-space);
        border-bottom: 1px solid var(--ff-line);
        font-weight: 400;
        text-align: left;
        vertical-align: top;
      }
      tbody th {
        min-width: 160px;
        overflow-wrap: anywhere;
      }
      thead th {
        position: sticky;
        top: 0;
        background: var(--ff-raised);
        font-weight: 600;
        overflow-wrap: anywhere;
      }
      td {
        white-space: nowrap;
      }
    `,
  ];
  declare state: State;
  declare found: Candidates;
  declare cluster: string;
  /** The current labels of the cluster. */
  declare labels: Record<string, string>;
  declare words: ReadonlyMap<string, string>;
  declare all: boolean;
  #key = "";

  constructor() {
    super();
    [this.words, this.all, this.labels] = [new Map(), false, {}];
  }

  override updated(changed: PropertyValues<this>): void {
    if (
      !(changed.has("found") || changed.has("cluster") || changed.has("all")) &&
      this.#key.startsWith(`${this.state.generation} `)
    )
      return;
    void this.#load();
  }

  get #rows(): Row[] {
    return [...this.found.labels.map((label) => ({ label })), ...this.found.sets.map((set) => ({ set }))];
  }

  async #load(): Promise<void> {
    const [columns, rowCount] = [this.found.who.length, this.found.labels.length];
    const key = `${this.state.generation} ${this.cluster} ${this.all} ${columns} ${rowCount}`;
    this.#key = key;
    const words = new Map<string, string>();
    const rows = this.all ? this.#rows : this.#rows.slice(0, ROWS);
    const who = this.all ? this.found.who : this.found.who.slice(0, COLUMNS);
    // Row by row, so that newer queries do not wait behind thousands of these.
    for (const row of rows) {
      const answers = await Promise.all(
        who.map((it) => this.state.query<"explain">(requestOf(it, row, this.cluster), LATER)),
      );
      if (key !== this.#key) return;
      answers.forEach(
        (answer, at) =>
          answer &&
          words.set(
            keyOf(who[at]!, row),
            "ok" in answer ? resultOf(answer.ok, row, this.labels) : answer.error.message,
          ),
      );
    }
    this.words = words;
  }

  override render() {
    const rows = this.all ? this.#rows : this.#rows.slice(0, ROWS);
    const who = this.all ? this.found.who : this.found.who.slice(0, COLUMNS);
    const left = this.#rows.length * this.found.who.length - rows.length * who.length;
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Who may set which label">
        <table>
          <caption class="visually-hidden">
            Who may set which label on ${this.cluster}, and bind which set
          </caption>
          <thead>
            <tr>
              <th scope="col">label or set</th>
              ${who.map((it) => html`<th scope="col">${it.shown}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr>
                  <th scope="row">
                    ${
                      "set" in row
                        ? html`bind <code>${row.set}</code>`
                        : html`<code>${row.label.key}=${row.label.value}</code>`
                    }
                  </th>
                  ${who.map((it) => this.#cell(it, row))}
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
      ${
        left > 0
          ? html`<button @click=${() => (this.all = true)}>show all (${formatCount(left)} more)</button>`
          : nothing
      }`;
  }

  #cell(who: Requester, row: Row) {
    const word = this.words.get(keyOf(who, row));
    if (word === undefined) return html`<td class="quiet">…</td>`;
    const [sign, tone] = WORDS[word] ?? ["✕", "error"];
    const what = "set" in row ? `bind ${row.set}` : `set ${row.label.key}=${row.label.value}`;
    return html`<td>
      <button
        class="link"
        aria-label="${who.shown}, ${what}: ${word}"
        @click=${() => this.dispatchEvent(new CustomEvent<Cell>("pick", { detail: { who, row } }))}
      >
        <span class="sign ${tone}" aria-hidden="true">${sign}</span>${word}
      </button>
    </td>`;
  }
}

function keyOf(who: Requester, row: Row): string {
  return JSON.stringify([who.shown, "set" in row ? row.set : [row.label.key, row.label.value]]);
}

function requestOf(who: Requester, row: Row, cluster: string): ExplainRequest {
  return "set" in row
    ? { op: "explain", user: who.user, set: row.set }
    : { op: "explain", user: who.user, cluster, labels: { [row.label.key]: row.label.value } };
}

function resultOf(answer: ExplainAnswer, row: Row, labels: Record<string, string>): string {
  const checks = answer.checks ?? [];
  if ("label" in row && labels[row.label.key] === row.label.value) return "has it";
  if (!answer.allowed) return checks.some((it) => it.change !== "remove" && it.granted) ? "add only" : "may not";
  return checks.length || "set" in row ? "may" : "unguarded";
}

customElements.define("ff-permission-table", PermissionTable);
