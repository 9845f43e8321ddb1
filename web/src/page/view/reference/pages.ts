// The reference: a guide, every request of the contract to try out, and every code.
import { css, html, LitElement, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { markStyles } from "../../../layers.js";
import { baseStyles } from "../../../theme.styles.js";
import { pluralize } from "../../../format.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import { inlineCode } from "../inline-code.js";
import { reveal } from "../reveal.js";
import { CODES } from "./codes.js";
import { OPS, type OpPage, RECORDS, recordsBelow, typeOf } from "./contract.js";
import { guide } from "./guide.js";
import "./try-request.js";
import { sheetStyles } from "../sheet.styles.js";

type Chapter = "guide" | "requests" | "codes";
const CHAPTERS: [chapter: Chapter, title: string][] = [
  ["guide", "Guide"],
  ["requests", "Requests"],
  ["codes", "Codes"],
];

export class ReferencePages extends LitElement {
  static override properties = {
    state: { attribute: false },
    chapter: { state: true },
    op: { state: true },
    find: { state: true },
  };
  static override styles = [
    baseStyles,
    markStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        gap: 4px;
        margin-bottom: calc(var(--ff-space) * 1.5);
      }
      table {
        width: 100%;
        margin-bottom: var(--ff-space);
        border-collapse: collapse;
      }
      th,
      td {
        padding: 3px var(--ff-space) 3px 0;
        border-top: 1px solid var(--ff-line);
        font-weight: 400;
        text-align: left;
        vertical-align: top;
        overflow-wrap: anywhere;
      }
      tbody th {
        width: 9em;
      }
      .type {
        width: 10em;
      }
      thead th {
        border: 0;
        color: var(--ff-quiet);
      }
      .marks {
        display: flex;
        flex-wrap: wrap;
        gap: 0 calc(var(--ff-space) * 2);
        padding: 0;
        list-style: none;
      }
      .keys {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 4px calc(var(--ff-space) * 2);
        margin: 0;
      }
      .keys dd {
        margin: 0;
      }
      kbd {
        padding: 0 5px;
        border: 1px solid var(--ff-line);
        border-radius: 3px;
        font-family: var(--ff-mono);
      }
      input[type="search"] {
        width: 100%;
        margin-bottom: var(--ff-space);
      }
      .codes th {
        width: 15em;
      }
      tr[aria-current="true"] {
        background: var(--ff-chosen);
      }
    `,
  ];
  declare state: State;
  declare chapter: Chapter;
  declare op: OpPage;
  declare find: string;
  #openedPath: string | undefined;

  constructor() {
    super();
    [this.chapter, this.op, this.find] = ["guide", OPS.find((it) => it.op === "whatIf") ?? OPS[0]!, ""];
    new StateController(this);
  }

  /** A path can select a page here: `code:bad-yaml`, `op:plan`. */
  override willUpdate(): void {
    const { path } = this.state.selection;
    if (path === this.#openedPath) return;
    this.#openedPath = path;
    const [, kind, name] = /^(code|op):(.+)$/.exec(path ?? "") ?? [];
    if (kind === "code" && CODES.some((it) => it.name === name)) [this.chapter, this.find] = ["codes", ""];
    const op = kind === "op" ? OPS.find((it) => it.op === name) : undefined;
    if (op) [this.chapter, this.op] = ["requests", op];
    if (kind === "code")
      void this.updateComplete.then(() => reveal(this.renderRoot.querySelector('tr[aria-current="true"]')));
  }

  override render() {
    return html`<div class="head">
        <h2>Reference</h2>
        ${CHAPTERS.map(
          ([it, title]) =>
            html`<button aria-pressed=${this.chapter === it} @click=${() => (this.chapter = it)}>${title}</button>`,
        )}
      </div>
      ${this.chapter === "guide" ? guide() : this.chapter === "codes" ? this.#codes() : this.#requests()}`;
  }

  #requests() {
    const { op } = this;
    const below = recordsBelow(op.answer, new Set(recordsBelow(op.request)));
    return html` <nav aria-label="Requests">
        ${OPS.map(
          (it) =>
            html`<button
              class="mono"
              aria-pressed=${it === op}
              @click=${() => this.state.select({ path: `op:${it.op}` })}
            >
              ${it.op}
            </button>`,
        )}
      </nav>
      <section aria-label=${op.op}>
        <h3><code>${op.op}</code></h3>
        <p>${inlineCode(op.about)}</p>
        <ff-try .state=${this.state} .page=${op}></ff-try>
      </section>
      <section aria-label="Request">
        <h3>Request</h3>
        ${this.#record(op.request)}
      </section>
      <section aria-label="Answer">
        <h3>
          Answer <span class="quiet">under <code>ok</code></span>
        </h3>
        <p class="quiet">${inlineCode(RECORDS[op.answer]?.description ?? "")}</p>
        ${this.#record(op.answer)}
      </section>
      ${
        below.length
          ? html`<section aria-label="Records">
              <h3>Records <span class="quiet">that these name</span></h3>
              ${repeat(
                below,
                (it) => `${op.op} ${it}`,
                (it) =>
                  html`<details id="record-${it}" class="card">
                    <summary>
                      <code>${it}</code> <span class="quiet">${inlineCode(RECORDS[it]?.description ?? "")}</span>
                    </summary>
                    ${this.#record(it)}
                  </details>`,
              )}
            </section>`
          : nothing
      }`;
  }

  #record(name: string) {
    const record = RECORDS[name];
    const fields = Object.entries(record?.properties ?? {}).filter(([field]) => field !== "op");
    if (!fields.length) return html`<p class="quiet">No fields.</p>`;
    // Required fields first.
    const required = new Set(record?.required ?? []);
    fields.sort(([a], [b]) => Number(required.has(b)) - Number(required.has(a)));
    return html`<table>
      <caption class="visually-hidden">
        Fields of ${name}
      </caption>
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col" class="type">type</th>
          <th scope="col">means</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(
          ([field, it]) =>
            html`<tr>
              <th scope="row">
                <code>${field}</code>${required.has(field) ? nothing : html` <span class="quiet">optional</span>`}
              </th>
              <td class="type">
                ${typeOf(it).map((part) =>
                  typeof part === "string"
                    ? part
                    : html`<button class="link" @click=${() => this.#open(part.record)}>${part.record}</button>`,
                )}
              </td>
              <td>${inlineCode(it.description ?? "")}</td>
            </tr>`,
        )}
      </tbody>
    </table>`;
  }

  #open(record: string): void {
    const details = this.renderRoot.querySelector<HTMLDetailsElement>(`#record-${record}`);
    if (!details) return;
    details.open = true;
    details.querySelector("summary")?.focus({ preventScroll: true });
    reveal(details);
  }

  #codes() {
    const wanted = this.find.trim().toLowerCase();
    const shown = CODES.filter((it) => !wanted || it.name.includes(wanted) || it.means.toLowerCase().includes(wanted));
    const chosen = /^code:(.+)$/.exec(this.state.selection.path ?? "")?.[1];
    return html`<p>
        Answers carry these names, and programs may branch on them: none of them ever changes its meaning.
      </p>
      <input
        type="search"
        aria-label="Find a code"
        placeholder="find a code or what it means"
        .value=${this.find}
        @input=${(event: Event) => (this.find = (event.target as HTMLInputElement).value)}
      />
      <p class="quiet" role="status">${pluralize(shown.length, "code")}</p>
      ${["Findings", "Reasons"].map((of) => {
        const rows = shown.filter((it) => it.of === of);
        return rows.length
          ? html`<section aria-label=${of}>
              <h3>${of}</h3>
              <table class="codes">
                <caption class="visually-hidden">
                  ${of}
                </caption>
                <thead>
                  <tr>
                    <th scope="col">code</th>
                    <th scope="col">means</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(
                    (it) =>
                      html`<tr aria-current=${it.name === chosen ? "true" : "false"}>
                        <th scope="row">
                          <button class="link mono" @click=${() => this.state.select({ path: `code:${it.name}` })}>
                            ${it.name}
                          </button>
                        </th>
                        <td>${inlineCode(it.means)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </section>`
          : nothing;
      })}`;
  }
}

customElements.define("ff-reference-pages", ReferencePages);
