// The results: the subjects, and for the selected one the groups of clusters with equal results.
import { html, LitElement, nothing } from "lit";
import { classMap } from "lit/directives/class-map.js";
import { styleMap } from "../../style-map.js";
import type { Refusal, SubjectAnswer } from "../../../contract.js";
import { baseStyles } from "../../theme.styles.js";
import { clusterName, formatCount, pluralize } from "../../format.js";
import { EngineQuery } from "../engine-query.js";
import { LATER, URGENT } from "../engine.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { goToDocument } from "../locate.js";
import { signsOf, signText, countSigns } from "./groups/change-signs.js";
import "./groups/cluster-list.js";
import { differenceText, firstOf, type Group, groupsOf, groupWith } from "./groups/result-groups.js";
import { groupStyles } from "./groups/groups.styles.js";
import { parseReference, referenceOf, shortName } from "./groups/reference.js";
import { clusterKind, reasonList, reasonStyles } from "./groups/reasons.js";
import { setFacts, setStyles } from "./groups/set-facts.js";
import "./groups/subject-list.js";
import { inlineCode } from "./inline-code.js";

/** Groups that are shown initially. */
const INITIAL_GROUPS = 60;
const MAX_SHADOWED = 3;

export class Groups extends LitElement {
  static override properties = { state: { attribute: false }, unfolded: { state: true }, shown: { state: true } };
  static override styles = [baseStyles, reasonStyles, groupStyles, setStyles];
  declare state: State;
  /** By the first cluster of the group: group letters change with the edits. */
  declare unfolded: Set<string>;
  declare shown: number;
  readonly subjects = new EngineQuery<"subjects">(this, () => ({ op: "subjects" }));
  readonly clusters = new EngineQuery<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });
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
  readonly whatIf = new EngineQuery<"whatIf">(
    this,
    async () => {
      const change = await this.state.editsAsChange();
      return change && { op: "whatIf", ...change };
    },
    { on: "baseline" },
  );
  /** A subject picked here: if it gives nothing to the selected cluster, another one is selected. */
  #picked: string | undefined;

  constructor() {
    super();
    this.unfolded = new Set();
    this.shown = INITIAL_GROUPS;
    new StateController(this);
  }

  override willUpdate(): void {
    const { subject, cluster } = this.state.selection;
    const answer = this.effective.value;
    if (!answer || answer.subject !== subject || this.effective.stale) return;
    const groups = groupsOf(answer);
    if (cluster !== undefined && (this.#picked !== subject || groupWith(groups, cluster))) return;
    this.#picked = undefined;
    const first = firstOf(answer);
    if (first !== undefined && first !== cluster) queueMicrotask(() => this.state.select({ cluster: first }));
  }

  override render() {
    const subjects = this.subjects.value?.subjects;
    if (!subjects) return nothing;
    if (subjects.length === 0) return this.#empty();
    const { subject } = this.state.selection;
    const chosen = subjects.find((it) => it.subject === subject);
    const changed = new Set(this.whatIf.value?.groups.map((it) => it.subject));
    return html`
      <ff-subject-list
        .subjects=${subjects}
        .chosen=${subject}
        .changed=${changed}
        @pick=${this.#pick}
      ></ff-subject-list>
      ${chosen ? this.#subject(chosen) : nothing}
    `;
  }

  #subject(subject: SubjectAnswer) {
    const name = parseReference(subject.subject);
    const answer = this.effective.value?.subject === subject.subject ? this.effective.value : undefined;
    return html`<section aria-label=${subject.subject} class=${classMap({ stale: this.state.broken.length > 0 })}>
      <h2>
        <span class="quiet">${name.kind}</span>
        <button class="link" title="open the document" @click=${() => void goToDocument(this.state, subject.subject)}>
          ${shortName(name)}
        </button>
      </h2>
      ${subject.error ? this.#refused(subject) : nothing} ${this.#selected(subject)}
      ${answer?.set ? setFacts(answer.set) : nothing} ${this.#why(subject)}
      ${
        answer
          ? html`<div class=${classMap({ stale: !!this.effective.error })}>${this.#groups(groupsOf(answer))}</div>`
          : nothing
      }
      ${
        this.effective.error && !subject.error
          ? html`<p class="problem">${inlineCode(this.effective.error.message)}</p>`
          : nothing
      }
    </section>`;
  }

  #refused({ subject, error }: SubjectAnswer) {
    return this.#problem("It produces nothing", subject, error!);
  }

  /** Why there is no result, with a link to the position in the subject's document. */
  #problem(title: string, subject: string, { message, hint, at }: Refusal) {
    return html`<p class="problem">
      <span aria-hidden="true">✗</span> ${title}: ${inlineCode(message)}${hint ? html`; ${inlineCode(hint)}` : nothing}.
      <button class="link" @click=${() => void goToDocument(this.state, subject, at)}>Open the place</button>
    </p>`;
  }

  /** `412 of 1,000 selected`. */
  #selected({ clusters: number, dialect, error }: SubjectAnswer) {
    if (number === undefined)
      return error ? nothing : html`<p class="selected quiet">Of the hub alone: it selects no clusters.</p>`;
    const kind = clusterKind(dialect);
    const all = this.clusters.value?.clusters.filter((it) => it.kind === kind).length ?? 0;
    const share = all ? Math.min(1, number / all) : 0;
    return html`<p class="selected">
      <span class="share" aria-hidden="true"><span style=${styleMap({ width: `${share * 100}%` })}></span></span>
      <span
        >${
          all
            ? html`<b>${formatCount(number)}</b> of ${formatCount(all)} selected`
            : html`<b>${formatCount(number)}</b> selected`
        }</span
      >
    </p>`;
  }

  #why({ subject, dialect }: SubjectAnswer) {
    const { cluster } = this.state.selection;
    if (cluster === undefined) return nothing;
    if (this.why.error) return html`<p class="why quiet">${inlineCode(this.why.error.message)}</p>`;
    const answer = this.why.value;
    if (!answer?.reasons?.length) return nothing;
    const kind = clusterKind(dialect);
    const row = this.clusters.value?.clusters.find((it) => it.name === cluster && it.kind === kind);
    return html`<div class="why">
      <span class="quiet">${clusterName(cluster)} ${answer.selected ? "is in" : "is not in"}:</span>
      ${reasonList(this.state, answer.reasons, row ? referenceOf(row) : subject)}
    </div>`;
  }

  #groups(groups: Group[]) {
    const signs = signsOf(this.whatIf.value, this.state.selection.subject);
    const most = Math.max(1, ...groups.map((it) => it.clusters.length));
    const leaving = [...signs].filter(([, sign]) => sign === "−").map(([cluster]) => cluster);
    const hub = groups.length === 1 && groups[0]!.clusters[0] === "";
    return html`
      <h3 id="groups">${hub ? "Objects on the hub" : html`${pluralize(groups.length, "group")} of equal result`}</h3>
      <ul class="groups" role="list" aria-labelledby="groups">
        ${groups.slice(0, this.shown).map((it) => this.#group(it, most, signs, groups.length === 1))}
        ${leaving.length ? this.#leaving(leaving, signs) : nothing}
      </ul>
      ${this.#shadowed()}
      ${
        groups.length > this.shown
          ? html`<p class="more">
              <button @click=${() => (this.shown += 200)}>
                Show more: ${pluralize(groups.length - this.shown, "group")}
              </button>
            </p>`
          : nothing
      }
      ${
        groups.length === 0 && leaving.length === 0
          ? html`<p class="quiet more">It produces nothing for any cluster.</p>`
          : nothing
      }
    `;
  }

  /** Shadowed edits are as prominent as changes. */
  #shadowed() {
    const all = (this.whatIf.value?.shadowed ?? []).filter((it) => it.subject === this.state.selection.subject);
    if (all.length === 0) return nothing;
    return html`<ul class="shadowed" role="list" aria-label="Shadowed">
      ${all.slice(0, MAX_SHADOWED).map(
        ({ path, clusters, by }) =>
          html`<li>
            <span class="hidden"><span aria-hidden="true">┄ </span>${pluralize(clusters.length, "cluster")}</span>
            ${clusters.length === 1 ? "is" : "are"} shadowed: your <code>${path}</code> is hidden by
            <button
              class="link"
              @click=${() =>
                by.file !== undefined && this.state.goTo({ file: by.file, line: by.line, column: by.column })}
            >
              ${by.layer} ${by.document ?? ""}
            </button>
          </li>`,
      )}
      ${
        all.length > MAX_SHADOWED
          ? html`<li>
              <button class="link" @click=${() => this.state.select({ view: "whatif" })}>
                ${formatCount(all.length - MAX_SHADOWED)} more in what-if
              </button>
            </li>`
          : nothing
      }
    </ul>`;
  }

  #group(group: Group, most: number, signs: Map<string, string>, alone: boolean) {
    const { cluster } = this.state.selection;
    const { error } = group.results[0]!;
    const id = group.clusters[0] ?? "";
    const isOpen = this.unfolded.has(id);
    const isChosen = cluster !== undefined && group.clusters.includes(cluster);
    return html`<li class=${classMap({ group: true, chosen: isChosen, failed: !!error })}>
      <button class="head" aria-expanded=${isOpen} @click=${() => this.#unfold(id, group)}>
        <span class="twist" aria-hidden="true">${isOpen ? "▾" : "▸"}</span>
        <span class="letter">${group.letter}</span>
        <span class="size">${this.#size(group)}</span>
        <span class="bar" aria-hidden="true"
          ><span style=${styleMap({ width: `${Math.max(2, (100 * group.clusters.length) / most)}%` })}></span
        ></span>
        <span class="what">${this.#summary(group, alone)}</span>
        ${[...countSigns(signs, group.clusters)].map(([sign, number]) => this.#sign(sign, number))}
      </button>
      ${isOpen && error ? this.#problem("No result for these clusters", this.state.selection.subject!, error) : nothing}
      ${isOpen ? this.#list(group.clusters, `Clusters of group ${group.letter}`, signs) : nothing}
    </li>`;
  }

  #leaving(clusters: string[], signs: Map<string, string>) {
    const isOpen = this.unfolded.has("−");
    return html`<li class="group gone">
      <button class="head" aria-expanded=${isOpen} @click=${() => this.#toggle("−")}>
        <span class="twist" aria-hidden="true">${isOpen ? "▾" : "▸"}</span>
        <span class="letter" aria-hidden="true">−</span>
        <span class="size">${pluralize(clusters.length, "cluster")}</span>
        <span></span>
        <span class="what">${clusters.length === 1 ? "leaves" : "leave"} with your edits</span>
      </button>
      ${isOpen ? this.#list(clusters, "Clusters that leave", signs) : nothing}
    </li>`;
  }

  #list(clusters: string[], label: string, signs: Map<string, string>) {
    return html`<ff-cluster-list
      .clusters=${clusters}
      .signs=${signs}
      .chosen=${this.state.selection.cluster}
      .label=${label}
      @pick=${(event: CustomEvent<string>) => this.state.select({ cluster: event.detail })}
    ></ff-cluster-list>`;
  }

  #size({ clusters }: Group) {
    return clusters.length === 1 && clusters[0] === "" ? "the hub" : pluralize(clusters.length, "cluster");
  }

  #sign(sign: string, number: number) {
    return html`<span class="sign"
      ><span aria-hidden="true">${sign} ${formatCount(number)}</span
      ><span class="visually-hidden">, ${formatCount(number)} ${signText(sign, number)} with your edits</span></span
    >`;
  }

  /** A short summary of what distinguishes the group. */
  #summary(group: Group, alone: boolean) {
    const { error, group: decision, objects } = group.results[0]!;
    if (error) return html`<span title=${error.message}>✗ ${inlineCode(error.message)}</span>`;
    if (decision)
      return html`decision group ${decision.index}${decision.name ? html` <code>${decision.name}</code>` : nothing}`;
    const [first, second, ...rest] = group.differences;
    if (first) {
      const full = group.differences.slice(0, 12).map(differenceText).join("\n");
      return html`<code title=${full}>${differenceText(first)}</code
        >${second ? html` <code title=${full}>${differenceText(second)}</code>` : nothing}${
          rest.length ? html` <span class="quiet">+${formatCount(rest.length)} more</span>` : nothing
        }`;
    }
    if (objects && objects.length > 1) return html`<span class="quiet">${pluralize(objects.length, "object")}</span>`;
    return html`<span class="quiet">${alone ? "equal on all clusters" : "the most common result"}</span>`;
  }

  #empty() {
    return html`<div class="empty">
      <p>No document produces results for clusters yet. A preset does: it selects clusters and sets values for them.</p>
      <pre>${PRESET}</pre>
    </div>`;
  }

  /** Unfolding a group also selects one of its clusters, so that the right column shows it. */
  #unfold(id: string, group: Group): void {
    this.#toggle(id);
    const { cluster } = this.state.selection;
    const isIn = cluster !== undefined && group.clusters.includes(cluster);
    if (this.unfolded.has(id) && !isIn && group.clusters[0] !== undefined)
      this.state.select({ cluster: group.clusters[0] });
  }

  #toggle(id: string): void {
    const unfolded = new Set(this.unfolded);
    if (!unfolded.delete(id)) unfolded.add(id);
    this.unfolded = unfolded;
  }

  readonly #pick = (event: CustomEvent<string>): void => {
    this.#picked = event.detail;
    [this.unfolded, this.shown] = [new Set(), INITIAL_GROUPS];
    this.state.select({ subject: event.detail, path: undefined, object: undefined });
  };
}

const PRESET = `apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {name: metrics, namespace: acme}
spec:
  clusterSelector: {matchLabels: {tier: gold}}
  plugin:
    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}
    optionValues:
      - {name: replicas, value: 3}`;

customElements.define("ff-groups", Groups);
