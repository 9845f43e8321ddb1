// The subjects, grouped by dialect. The selection here drives the other columns.
import { css, html, LitElement, nothing } from "lit";
import { styleMap } from "../../../style-map.js";
import type { SubjectAnswer } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { formatCount, pluralize } from "../../../format.js";
import { VirtualList, virtualListStyles } from "../../virtual-list.js";
import { parseReference, shortName } from "./reference.js";

const DIALECTS = ["greenhouse", "ocm", "kubefed", "kudo", "certmanager"];
const ROW = 24;

export class SubjectList extends LitElement {
  static override properties = {
    subjects: { attribute: false },
    chosen: { attribute: false },
    changed: { attribute: false },
  };
  static override styles = [
    baseStyles,
    virtualListStyles,
    css`
      .v-row {
        display: grid;
        grid-template-columns: 88px minmax(0, 1fr) 20px 56px 48px;
        align-items: center;
        gap: var(--ff-space);
        padding: 0 var(--ff-space);
      }
      .v-row > * {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .number {
        text-align: right;
        font-variant-numeric: tabular-nums;
      }
      .bar {
        height: 6px;
        border-radius: 3px;
        background: var(--ff-line);
      }
      .bar > * {
        height: 100%;
        border-radius: 3px;
        background: var(--ff-quiet);
      }
      .sign {
        color: var(--ff-accent);
        text-align: center;
      }
      .error {
        color: var(--ff-error);
      }
    `,
  ];
  declare subjects: SubjectAnswer[];
  declare chosen: string | undefined;
  /** The subjects that the edits change. */
  declare changed: Set<string>;
  #shown = "";
  readonly #list = new VirtualList<SubjectAnswer>(this, {
    key: (it) => it.subject,
    row: ROW,
    pick: ({ subject }) => this.dispatchEvent(new CustomEvent("pick", { detail: subject })),
  });

  override updated(): void {
    // Reveals a subject selected elsewhere once, so as not to fight the user's scrolling.
    if (this.chosen === undefined || this.chosen === this.#shown) return;
    this.#shown = this.chosen;
    this.#list.reveal(this.#sorted().findIndex((it) => it.subject === this.chosen));
  }

  override render() {
    const sorted = this.#sorted();
    const most = Math.max(1, ...sorted.map((it) => it.clusters ?? 0));
    const first = new Set(sorted.filter((it, index) => it.dialect !== sorted[index - 1]?.dialect));
    return html`<div style=${styleMap({ height: `${Math.min(sorted.length, 8) * ROW}px`, display: "grid" })}>
      ${this.#list.render(sorted, (it) => this.#row(it, first.has(it), most), {
        label: "Subjects",
        chosen: sorted.findIndex((it) => it.subject === this.chosen),
      })}
    </div>`;
  }

  #row(it: SubjectAnswer, first: boolean, most: number) {
    const name = parseReference(it.subject);
    return html`<span class="quiet"><span class=${first ? "" : "visually-hidden"}>${it.dialect}</span></span>
      <span title=${it.subject}><span class="quiet">${name.kind}</span> ${shortName(name)}</span>
      <span class="sign"
        >${
          this.changed.has(it.subject)
            ? html`<span aria-hidden="true">~</span><span class="visually-hidden">changed by edits</span>`
            : nothing
        }</span
      >
      ${
        it.error
          ? html`<span class="number error" title=${it.error.message}>error</span>`
          : html`<span class="number"
              >${
                it.clusters === undefined
                  ? html`<span class="quiet">hub</span>`
                  : html`${formatCount(it.clusters)}<span class="visually-hidden">
                        ${pluralize(it.clusters, "cluster").split(" ")[1]}</span
                      >`
              }</span
            >`
      }
      <span class="bar" aria-hidden="true"
        ><span style=${styleMap({ display: "block", width: `${(100 * (it.clusters ?? 0)) / most}%` })}></span
      ></span>`;
  }

  #sorted(): SubjectAnswer[] {
    const rank = (it: SubjectAnswer) => (DIALECTS.indexOf(it.dialect) + DIALECTS.length + 1) % (DIALECTS.length + 1);
    return [...this.subjects].sort((a, b) => rank(a) - rank(b));
  }
}

customElements.define("ff-subject-list", SubjectList);
