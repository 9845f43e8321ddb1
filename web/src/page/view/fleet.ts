// The fleet: every cluster with its labels and sets, filtered by selector or text, and whether the selected subject
// selects it.
import { html, LitElement, nothing } from "lit";
import { classMap } from "lit/directives/class-map.js";
import { styleMap } from "../../style-map.js";
import type { ClusterAnswer, ClustersAnswer } from "../../../contract.js";
import { baseStyles } from "../../theme.styles.js";
import { formatCount, pluralize } from "../../format.js";
import { EngineQuery } from "../engine-query.js";
import { URGENT } from "../engine.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { VirtualList, virtualListStyles } from "../virtual-list.js";
import { detail } from "./fleet/detail.js";
import {
  selectedValues,
  matchesText,
  errorColumn,
  filterMode,
  type FilterMode,
  toggleValue,
  searchWords,
} from "./fleet/filter.js";
import { type Label, labelOf, labelsOf, shortKey } from "./fleet/labels.js";
import { fleetStyles } from "./fleet/fleet.styles.js";
import { parseReference, referenceOf } from "./groups/reference.js";
import { clusterKind, reasonStyles } from "./groups/reasons.js";
import { inlineCode } from "./inline-code.js";

interface Column {
  id: string;
  title: string;
  width: string;
  text: (it: ClusterAnswer) => string;
}

const MAX_FACETS = 4;

export class Fleet extends LitElement {
  static override properties = {
    state: { attribute: false },
    filter: { state: true },
    meant: { state: true },
    set: { state: true },
    sort: { state: true },
    opened: { state: true },
    all: { state: true },
    width: { state: true },
  };
  static override styles = [baseStyles, reasonStyles, virtualListStyles, fleetStyles];
  declare state: State;
  declare filter: string;
  /** The filter mode chosen by the user, overriding the detected one. */
  declare meant: FilterMode | undefined;
  /** Show only the clusters of this set. */
  declare set: string | undefined;
  declare sort: { id: string; down: boolean };
  /** The cluster picked here: clusters of other kinds may share its name. */
  declare opened: string | undefined;
  /** The labels of which all values are shown. */
  declare all: Set<string>;
  declare width: number;
  readonly clusters = new EngineQuery<"clusters">(this, () => ({ op: "clusters" }));
  readonly picked = new EngineQuery<"clusters">(
    this,
    () => (this.#mode() === "selector" ? { op: "clusters", selector: this.filter.trim() } : undefined),
    { urgency: URGENT },
  );
  readonly subjects = new EngineQuery<"subjects">(this, () => ({ op: "subjects" }));
  readonly effective = new EngineQuery<"effective">(
    this,
    () => {
      const { subject } = this.state.selection;
      return subject === undefined ? undefined : { op: "effective", subject, origins: true };
    },
    { urgency: URGENT },
  );
  readonly why = new EngineQuery<"explain">(this, () => {
    const { subject, cluster } = this.state.selection;
    return subject === undefined || cluster === undefined ? undefined : { op: "explain", subject, cluster };
  });
  #revealed: string | undefined;
  #rowCache: { from: unknown[]; rows: ClusterAnswer[] } | undefined;
  readonly #table = new VirtualList<ClusterAnswer>(this, { key: referenceOf, row: 26, pick: (it) => this.#pick(it) });
  readonly #resizeObserver = new ResizeObserver(([entry]) => (this.width = Math.round(entry!.contentRect.width)));

  constructor() {
    super();
    [this.filter, this.sort, this.all, this.width] = ["", { id: "name", down: false }, new Set(), 480];
    new StateController(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resizeObserver.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resizeObserver.disconnect();
  }

  override render() {
    const answer = this.clusters.value;
    if (!answer) return nothing;
    if (answer.clusters.length === 0) return this.#empty();
    const columns = this.#columns(answer);
    const shown = this.#rows(answer, columns);
    const opened = this.#opened(answer, shown);
    return html`
      <div class="top">${this.#filter(answer, shown.length)} ${this.#facets(answer)}</div>
      <div class=${classMap({ table: true, stale: this.state.broken.length > 0 })}>
        ${this.#table.render(shown, (it) => this.#row(it, columns), {
          label: "Clusters",
          role: "grid",
          header: this.#header(columns),
          columns: columns.length,
          chosen: opened ? shown.findIndex((it) => referenceOf(it) === referenceOf(opened)) : -1,
        })}
      </div>
      ${
        opened
          ? detail(this.state, opened, this.#isCandidate(opened) ? this.why : undefined, (set) => (this.set = set))
          : nothing
      }
    `;
  }

  override updated(): void {
    // Reveals a cluster selected elsewhere once, so as not to fight the user's scrolling.
    const { cluster } = this.state.selection;
    const rows = this.#rowCache?.rows;
    if (cluster === this.#revealed || !rows) return;
    this.#revealed = cluster;
    const opened = this.clusters.value && this.#opened(this.clusters.value, rows);
    if (opened) this.#table.reveal(rows.findIndex((it) => referenceOf(it) === referenceOf(opened)));
  }

  #filter(answer: ClustersAnswer, shown: number) {
    const reading = this.#mode();
    const { error } = this.picked;
    const column = error && errorColumn(error.message);
    return html`
      <div class="filter">
        <input
          type="search"
          aria-label="Filter clusters"
          placeholder="env in (prod,stage),!legacy or any text"
          spellcheck="false"
          autocomplete="off"
          aria-invalid=${!!error}
          aria-describedby="read"
          .value=${this.filter}
          @input=${this.#filterTyped}
        />
      </div>
      <div id="read">
        ${
          error
            ? html`<div class="refused" role="alert">
                ${
                  column === undefined
                    ? nothing
                    : html`<pre aria-hidden="true">${this.filter.trim()}
<span class="caret">${" ".repeat(column - 1)}^</span></pre>`
                }
                not a selector: ${inlineCode(error.message)}
              </div>`
            : nothing
        }
        <p class="read">
          <span role="status"
            >${
              shown === answer.clusters.length
                ? pluralize(shown, "cluster")
                : html`<b>${formatCount(shown)}</b> of ${pluralize(answer.clusters.length, "cluster")}`
            }${this.set === undefined ? nothing : html` in the set ${this.set}`}</span
          >
          ${
            reading === "all"
              ? this.#nameCount(answer)
              : html`<span class="quiet"
                    >read as ${reading === "selector" ? "a selector" : "text in names, labels and sets"}</span
                  >
                  <button class="link" @click=${() => this.#setMode(reading === "selector" ? "text" : "selector")}>
                    read as ${reading === "selector" ? "text" : "a selector"}
                  </button>`
          }
        </p>
      </div>
    `;
  }

  #facets(answer: ClustersAnswer) {
    const labels = labelsOf(answer.clusters)
      .filter((it) => it.values.length > 1)
      .slice(0, MAX_FACETS);
    const sets = new Map<string, number>();
    for (const it of answer.clusters.flatMap((it) => it.sets ?? [])) sets.set(it, (sets.get(it) ?? 0) + 1);
    const bySize = [...sets].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return html`
      ${labels.map((it) =>
        this.#facet(it, labels.filter((other) => shortKey(other.key) === shortKey(it.key)).length > 1),
      )}
      ${
        sets.size
          ? html`<div class="facet" role="group" aria-label="Sets">
              <span class="quiet">sets</span>
              <div class="chips">
                ${this.#chips(
                  "sets",
                  bySize,
                  (it) => this.set === it,
                  (it) => (this.set = this.set === it ? undefined : it),
                )}
              </div>
            </div>`
          : nothing
      }
    `;
  }

  /** `alike`: another label has the same short name. */
  #facet({ key, values }: Label, alike: boolean) {
    const asked = this.#mode() === "selector" ? selectedValues(this.filter, key) : [];
    return html`<div class="facet" role="group" aria-label=${key}>
      <span class="quiet" title=${key}
        >${alike && key !== shortKey(key) ? `${shortKey(key)} (${key})` : shortKey(key)}</span
      >
      <div class="chips">
        ${this.#chips(
          key,
          values,
          (it) => asked.includes(it),
          (it) => this.#set(toggleValue(this.filter, key, it)),
        )}
      </div>
    </div>`;
  }

  #chips(id: string, values: [string, number][], isOn: (value: string) => boolean, toggle: (value: string) => void) {
    const all = this.all.has(id);
    const fit = chipsThatFit(values, this.width - 180);
    const shown = values.filter(([value], index) => all || index < fit || isOn(value));
    return html`${shown.map(
      ([value, number]) =>
        html`<button aria-pressed=${isOn(value)} title=${value} @click=${() => toggle(value)}>
          ${value === "" ? '""' : value} <span class="number">${formatCount(number)}</span>
        </button>`,
    )}
    ${
      values.length > shown.length
        ? html`<button class="link" @click=${() => (this.all = new Set([...this.all, id]))}>
            +${formatCount(values.length - shown.length)} more
          </button>`
        : nothing
    }`;
  }

  #header(columns: Column[]) {
    return html`<div
      class="cells head"
      role="row"
      aria-rowindex="1"
      style=${styleMap({ gridTemplateColumns: widths(columns) })}
    >
      ${columns.map(
        ({ id, title }) =>
          html`<span
            role="columnheader"
            class=${id === "in" ? "in" : ""}
            aria-sort=${this.sort.id !== id ? "none" : this.sort.down ? "descending" : "ascending"}
          >
            <button
              title=${id === "in" ? `in ${this.state.selection.subject}` : id}
              @click=${() => (this.sort = { id, down: this.sort.id === id && !this.sort.down })}
            >
              ${title}${
                this.sort.id === id ? html`<span aria-hidden="true"> ${this.sort.down ? "↓" : "↑"}</span>` : nothing
              }
            </button>
          </span>`,
      )}
    </div>`;
  }

  #row(it: ClusterAnswer, columns: Column[]) {
    return html`<div class="cells" role="presentation" style=${styleMap({ gridTemplateColumns: widths(columns) })}>
      ${columns.map(({ id, text }) => {
        if (id === "in") return this.#membership(text(it));
        return html`<span role="gridcell" class=${id === "name" ? "name" : ""} title=${text(it)}
          >${text(it)}${
            id === "name" && it.unreachable !== undefined
              ? html` <span class="no" title=${it.unreachable}
                  >✗ <span class="visually-hidden">unreachable</span></span
                >`
              : nothing
          }</span
        >`;
      })}
    </div>`;
  }

  #membership(is: string) {
    const [sign, word, name] =
      is === "in" ? ["✓", "in", "yes"] : is === "out" ? ["✗", "not in", "no"] : ["", "another fleet", "quiet"];
    return html`<span role="gridcell" class="in ${name}"
      ><span aria-hidden="true">${sign}</span><span class="visually-hidden">${word}</span></span
    >`;
  }

  /** The columns that distinguish clusters best in the available width. */
  #columns(answer: ClustersAnswer): Column[] {
    const columns: Column[] = [{ id: "name", title: "name", width: "minmax(96px, 2fr)", text: (it) => it.name }];
    const { subject } = this.state.selection;
    const kinds = new Set(answer.clusters.map((it) => it.kind));
    if (kinds.size > 1)
      columns.push({ id: "kind", title: "kind", width: "minmax(64px, 1.4fr)", text: (it) => it.kind });
    const room = Math.min(8, Math.max(1, Math.floor((this.width - 300) / 84)));
    for (const { key } of labelsOf(answer.clusters).slice(0, room))
      columns.push({
        id: `label ${key}`,
        title: shortKey(key),
        width: "minmax(56px, 1fr)",
        text: (it) => labelOf(it, key) ?? "",
      });
    if (subject !== undefined)
      columns.push({
        id: "in",
        title: `in ${parseReference(subject).name}`,
        width: "minmax(56px, 80px)",
        text: this.#inSubject(subject),
      });
    return columns;
  }

  #inSubject(subject: string): (it: ClusterAnswer) => string {
    const names = new Set(
      this.effective.value?.subject === subject ? this.effective.value.results.flatMap((it) => it.clusters) : [],
    );
    return (it) => (!this.#isCandidate(it) ? "" : names.has(it.name) ? "in" : "out");
  }

  /** Whether the selected subject selects from the clusters of this kind and namespace. */
  #isCandidate(it: ClusterAnswer): boolean {
    const { subject } = this.state.selection;
    const known = this.subjects.value?.subjects.find((other) => other.subject === subject);
    if (!known || clusterKind(known.dialect) !== it.kind) return false;
    return known.dialect !== "greenhouse" || parseReference(known.subject).namespace === it.namespace;
  }

  #mode(): FilterMode {
    const reading = filterMode(this.filter);
    return reading === "all" ? "all" : (this.meant ?? reading);
  }

  /** Scrolling renders often, so the rows are cached until an input changes. */
  #rows(answer: ClustersAnswer, columns: Column[]): ClusterAnswer[] {
    const from = [
      answer,
      this.picked.value,
      this.#mode(),
      this.filter,
      this.set,
      this.sort,
      this.effective.value,
      this.subjects.value,
      columns.map((it) => it.id).join(" "),
    ];
    if (!this.#rowCache?.from.every((it, index) => it === from[index]))
      this.#rowCache = { from, rows: this.#sorted(this.#shown(answer), columns) };
    return this.#rowCache.rows;
  }

  #shown(answer: ClustersAnswer): ClusterAnswer[] {
    const reading = this.#mode();
    // While a selector is invalid, the result of the last valid one stays.
    const picked = reading === "selector" ? (this.picked.value?.clusters ?? answer.clusters) : answer.clusters;
    const words = reading === "text" ? searchWords(this.filter) : [];
    const { set } = this;
    return picked.filter(
      (it) => (words.length === 0 || matchesText(it, words)) && (set === undefined || it.sets?.includes(set)),
    );
  }

  #sorted(clusters: ClusterAnswer[], columns: Column[]): ClusterAnswer[] {
    const column = columns.find((it) => it.id === this.sort.id) ?? columns[0]!;
    const keyed = clusters.map((it): [string, ClusterAnswer] => [column.text(it), it]);
    const way = this.sort.down ? -1 : 1;
    // Empty values come last in both directions.
    keyed.sort(([a], [b]) => Number(a === "") - Number(b === "") || way * ORDER.compare(a, b));
    return keyed.map(([, it]) => it);
  }

  /** The selected cluster: the one picked here, else the one of that name that the subject can select. */
  #opened(answer: ClustersAnswer, shown: ClusterAnswer[]): ClusterAnswer | undefined {
    const { cluster } = this.state.selection;
    const same = answer.clusters.filter((it) => it.name === cluster);
    return (
      same.find((it) => referenceOf(it) === this.opened) ??
      same.find((it) => this.#isCandidate(it)) ??
      same.find((it) => shown.includes(it)) ??
      same[0]
    );
  }

  #pick(it: ClusterAnswer): void {
    this.opened = referenceOf(it);
    this.state.select({ cluster: it.name });
  }

  /** Several systems may know the same cluster, each by its own document. */
  #nameCount(answer: ClustersAnswer) {
    const names = new Set(answer.clusters.map((it) => it.name)).size;
    return names === answer.clusters.length
      ? nothing
      : html`<span class="quiet">under ${pluralize(names, "name")}: several systems know the same</span>`;
  }

  #setMode(reading: FilterMode): void {
    this.meant = reading;
    this.picked.refresh();
  }

  #set(filter: string): void {
    [this.filter, this.meant] = [filter, undefined];
    this.picked.refresh();
  }

  readonly #filterTyped = (event: InputEvent): void => this.#set((event.target as HTMLInputElement).value);

  #empty() {
    return html`<div class="empty">
      <p>No clusters are loaded. A cluster takes three lines; subjects select it by its labels.</p>
      <pre>${CLUSTER}</pre>
    </div>`;
  }
}

const ORDER = new Intl.Collator("en", { numeric: true });

const CLUSTER = `apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: eu-1, namespace: acme, labels: {tier: gold}}`;

/** The approximate number of chips that fit on one line. */
function chipsThatFit(values: [string, number][], width: number): number {
  let room = width;
  const first = values.findIndex(
    ([value, number]) => (room -= 24 + 7 * Math.min(24, value.length + formatCount(number).length + 1)) < 0,
  );
  return first < 0 ? values.length : Math.max(2, first);
}

function widths(columns: Column[]): string {
  return columns.map((it) => it.width).join(" ");
}

customElements.define("ff-fleet", Fleet);
