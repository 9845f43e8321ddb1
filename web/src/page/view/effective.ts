// One cluster: its effective values as a tree or as YAML, the layers behind each, and its part of the plan.
import { html, LitElement, nothing } from "lit";
import type { EffectiveAnswer, ExplainAnswer, LayerAnswer, ResultAnswer } from "../../../contract.js";
import { markStyles } from "../../layers.js";
import { baseStyles } from "../../theme.styles.js";
import { clusterName, formatCount, pluralize, placeName } from "../../format.js";
import { EngineQuery } from "../engine-query.js";
import { LATER, SOON, URGENT } from "../engine.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { markChanges, pathTo, type Node, nodesOf } from "./effective/value-tree.js";
import type { ClusterPicker } from "./effective/cluster-picker.js";
import { inlineCode } from "./inline-code.js";
import { noSubjects, noClustersSelected } from "./effective/empty-states.js";
import { localChanges, localStyles } from "./effective/local-changes.js";
import type { Tree } from "./effective/tree.js";
import { effectiveStyles } from "./effective/effective.styles.js";
import { firstOf } from "./groups/result-groups.js";
import "./effective/cascade.js";
import "./effective/cluster-plan.js";
import "./effective/compare.js";
import "./effective/membership.js";
import "./effective/cluster-picker.js";
import "./effective/tree.js";
import "./effective/yaml-view.js";

export class Effective extends LitElement {
  static override properties = { state: { attribute: false }, as: { state: true }, comparing: { state: true } };
  static override styles = [baseStyles, markStyles, effectiveStyles, localStyles];
  declare state: State;
  declare as: "tree" | "yaml";
  /** Whether the user is picking a cluster to compare with. */
  declare comparing: boolean;
  /** For this cluster only: a small request that runs on every keystroke, ahead of the large ones. */
  readonly mine = new EngineQuery<"effective">(this, () => this.#request(), { urgency: URGENT - 1 });
  readonly earlier = new EngineQuery<"effective">(this, () => (this.state.edits.length ? this.#request() : undefined), {
    urgency: SOON,
    on: "baseline",
  });
  readonly why = new EngineQuery<"explain">(
    this,
    () => {
      const { subject, cluster, path, object } = this.state.selection;
      return subject !== undefined && cluster !== undefined && path !== undefined
        ? { op: "explain", subject, cluster, path, ...(object === undefined ? {} : { object }) }
        : undefined;
    },
    { urgency: URGENT },
  );
  /** For all clusters: the same request as in the groups, so both share one answer. */
  readonly all = new EngineQuery<"effective">(
    this,
    () => {
      const { subject } = this.state.selection;
      return subject === undefined ? undefined : { op: "effective", subject, origins: true };
    },
    { urgency: SOON },
  );
  readonly clusters = new EngineQuery<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });
  readonly subjects = new EngineQuery<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  #nodes: Node[] = [];
  #nodesKey: [EffectiveAnswer | undefined, EffectiveAnswer | undefined] = [undefined, undefined];
  /** The last explanation and its node, shown until the next one arrives. */
  #explained: { id: string; answer: ExplainAnswer } | undefined;
  #clusterSelectedFor: string | undefined;

  constructor() {
    super();
    this.as = "tree";
    this.comparing = false;
    new StateController(this);
    this.addEventListener("keydown", this.#key);
  }

  // Keyboard shortcuts of the page arrive as events of the state, wherever the focus is.
  override connectedCallback(): void {
    super.connectedCallback();
    this.state.addEventListener("line", this.#openSelectedLine);
    this.state.addEventListener("compare", this.#startCompare);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.state.removeEventListener("line", this.#openSelectedLine);
    this.state.removeEventListener("compare", this.#startCompare);
  }

  /** Opens the line that sets the selected value. */
  readonly #openSelectedLine = (): void => {
    const node = this.#selectedNode();
    if (node) void this.#openDecidingLine(node);
  };

  readonly #startCompare = (): void => {
    if (this.state.selection.cluster === undefined) return;
    this.comparing = true;
    void this.updateComplete.then(() => this.renderRoot.querySelector<ClusterPicker>("#with")?.focus());
  };

  #request() {
    const { subject, cluster } = this.state.selection;
    return subject === undefined || cluster === undefined
      ? undefined
      : { op: "effective" as const, subject, clusters: [cluster], origins: true };
  }

  get #result(): ResultAnswer | undefined {
    return this.mine.value?.results[0];
  }

  override willUpdate(): void {
    const { subject } = this.state.selection;
    const before = this.earlier.value?.subject === subject && !this.earlier.error ? this.earlier.value : undefined;
    if (this.#nodesKey[0] !== this.mine.value || this.#nodesKey[1] !== before) {
      this.#nodesKey = [this.mine.value, before];
      const nodes = nodesOf(this.#result);
      // A cluster that joins through the edits has no previous values.
      this.#nodes = before?.results[0] && this.#result ? markChanges(nodesOf(before.results[0]), nodes) : nodes;
    }
    const chosen = this.#selectedNode();
    if (!chosen || this.why.error) this.#explained = undefined;
    else if (!this.why.stale && this.why.value) this.#explained = { id: chosen.id, answer: this.why.value };
  }

  override updated(): void {
    this.#selectCluster();
  }

  /** Selects a cluster on start, and another one if the subject does not know the selected one. */
  #selectCluster(): void {
    const { subject, cluster } = this.state.selection;
    const all = this.all.value;
    if (subject === undefined || all?.subject !== subject || this.all.stale) return;
    const first = firstOf(all);
    if (this.#clusterSelectedFor === subject && cluster !== undefined) return;
    const known =
      all.results.some((it) => it.clusters.includes(cluster ?? "")) || this.mine.error?.code !== "unknown-cluster";
    if (cluster !== undefined && this.mine.stale) return;
    this.#clusterSelectedFor = subject;
    if (first !== undefined && (cluster === undefined || !known))
      queueMicrotask(() => this.state.select({ cluster: first }));
  }

  #selectedNode(): Node | undefined {
    const { path, object } = this.state.selection;
    if (path === undefined) return undefined;
    return pathTo(
      this.#nodes,
      (it) => it.path === path && (object === undefined || it.object === object) && it.change !== "removed",
    ).at(-1);
  }

  override render() {
    const { selection } = this.state;
    if (selection.subject === undefined)
      return this.subjects.value && !this.subjects.value.subjects.length ? noSubjects() : nothing;
    return html`
      ${this.#head()} ${this.#parseError()}
      <div class="scroll ${this.state.broken.length ? "stale" : ""}">
        ${selection.compare !== undefined ? html`<ff-compare .state=${this.state}></ff-compare>` : this.#body()}
      </div>
    `;
  }

  #head() {
    const { subject, cluster, compare } = this.state.selection;
    const picked = this.all.value?.subject === subject ? this.all.value!.results.flatMap((it) => it.clusters) : [];
    const isPicked = new Set(picked);
    const hub = isPicked.has("") && picked.length === 1;
    const others = hub
      ? []
      : [...new Set((this.clusters.value?.clusters ?? []).map((it) => it.name))].filter((it) => !isPicked.has(it));
    const subjects = this.subjects.value?.subjects ?? [];
    const asks = this.comparing || compare !== undefined;
    return html`<header>
      <h2 class="visually-hidden">${clusterName(cluster ?? "")}: what it gets and why</h2>
      <div class="bar">
        <ff-pick
          label="Cluster"
          .names=${picked}
          .others=${others}
          .value=${cluster}
          @pick=${(event: CustomEvent<string>) => this.state.select({ cluster: event.detail })}
        ></ff-pick>
        ${
          asks
            ? html`<span class="quiet">with</span>
                <ff-pick
                  id="with"
                  label="Compare with"
                  placeholder="another cluster"
                  .names=${picked.filter((it) => it !== cluster)}
                  .others=${others}
                  .value=${compare}
                  @pick=${this.#compareWith}
                  @leave=${this.#closeCompare}
                ></ff-pick>
                ${
                  compare === undefined
                    ? nothing
                    : html`<button
                        title="Swap"
                        aria-label="Swap the two clusters"
                        @click=${() => this.state.select({ cluster: compare, compare: cluster })}
                      >
                        ⇄
                      </button>`
                }
                <button title="Close" aria-label="Stop comparing" @click=${this.#closeCompare}>×</button>`
            : html`<button class="link" ?hidden=${hub} @click=${this.#startCompare}>compare with…</button>
                <span class="push" role="group" aria-label="Show as">
                  <button aria-pressed=${this.as === "tree"} @click=${() => (this.as = "tree")}>tree</button
                  ><button aria-pressed=${this.as === "yaml"} @click=${() => (this.as = "yaml")}>YAML</button>
                </span>`
        }
      </div>
      <div class="bar quiet">
        <select
          aria-label="Subject"
          .value=${subject ?? ""}
          @change=${(event: Event) =>
            this.state.select({
              subject: (event.target as HTMLSelectElement).value,
              path: undefined,
              object: undefined,
            })}
        >
          ${subjects.map(
            (it) => html`<option value=${it.subject} ?selected=${it.subject === subject}>${it.subject}</option>`,
          )}
        </select>
        <span role="status">${this.#counts()}</span>
      </div>
    </header>`;
  }

  #counts() {
    const leaves = (nodes: Node[]): Node[] => nodes.flatMap((it) => (it.children.length ? leaves(it.children) : [it]));
    const all = leaves(this.#nodes).filter((it) => it.change !== "removed");
    if (!all.length) return nothing;
    const overridden = all.filter((it) => it.origins.length > 1).length;
    const changed = leaves(this.#nodes).filter((it) => it.change).length;
    return [
      pluralize(all.length, "value"),
      overridden ? `${formatCount(overridden)} overridden` : "",
      changed ? `${formatCount(changed)} changed by your edits` : "",
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** Links to the parse error: the values shown are from before it. */
  #parseError() {
    const finding = this.state.broken.flatMap((name) =>
      this.state.findings
        .get(name)!
        .filter((it) => it.severity === "error")
        .map((it) => ({ name, ...it })),
    )[0];
    if (!finding) return nothing;
    const place = { file: finding.at?.file ?? finding.name, line: finding.at?.line, column: finding.at?.column };
    return html`<p class="broken">
      <button class="link" @click=${() => this.state.goTo(place)}>${placeName(place)}</button> cannot be read:
      ${inlineCode(finding.message)}. Showing the last valid version.
    </p>`;
  }

  #body() {
    const { subject, cluster } = this.state.selection;
    if (cluster === undefined)
      return this.all.value && !this.all.value.results.length
        ? noClustersSelected(subject!)
        : this.all.error
          ? this.#errorMessage(this.all.error)
          : nothing;
    const { error, value } = this.mine;
    if (error) return this.#errorMessage(error);
    if (!value) return nothing;
    const result = this.#result;
    return html`
      <ff-membership .state=${this.state} .subject=${subject} .cluster=${cluster}></ff-membership>
      ${result ? this.#values(result) : this.#notSelected()}
      <ff-cluster-plan .state=${this.state}></ff-cluster-plan>
    `;
  }

  #errorMessage(refusal: { message: string; hint?: string }) {
    return html`<div class="empty">
      <p>${inlineCode(refusal.message)}.</p>
      ${refusal.hint ? html`<p>${inlineCode(refusal.hint)}</p>` : nothing}
    </div>`;
  }

  #notSelected() {
    const had = this.earlier.value?.results[0] !== undefined && this.state.edits.length > 0;
    return html`<p class="empty">
      ${clusterName(this.state.selection.cluster ?? "")} gets nothing from
      ${this.state.selection.subject}${had ? ": your edits take it out" : ""}.
    </p>`;
  }

  #values(result: ResultAnswer) {
    if (result.error) return this.#errorMessage(result.error);
    const name = clusterName(this.state.selection.cluster ?? "");
    const joins = this.earlier.value !== undefined && !this.earlier.error && !this.earlier.value.results.length;
    if (!result.options && !result.objects) {
      const group = result.group ? `, in decision group ${result.group.name ?? result.group.index}` : "";
      return html`<p class="empty">
        ${name} belongs to ${this.state.selection.subject}${group}. It sets no values itself: the documents that refer
        to it do.
      </p>`;
    }
    if (!this.#nodes.length) return html`<p class="empty">${name} is selected, but no layer sets a value.</p>`;
    const chosen = this.#selectedNode();
    return html`
      ${joins ? html`<p class="note"><span aria-hidden="true">+</span> ${name} joins with your edits.</p>` : nothing}
      ${
        this.as === "yaml"
          ? html`<ff-yaml
              .state=${this.state}
              .result=${result}
              .nodes=${this.#nodes}
              @choose=${(event: CustomEvent<Node>) => ((this.as = "tree"), this.#selectNode(event.detail))}
            ></ff-yaml>`
          : html`<ff-tree
              .nodes=${this.#nodes}
              .label=${`Values of ${name}`}
              .chosen=${chosen?.id}
              .panel=${chosen ? this.#cascade(chosen) : nothing}
              @choose=${(event: CustomEvent<Node | null>) => this.#selectNode(event.detail)}
              @decide=${(event: CustomEvent<Node>) => this.#openDecidingLine(event.detail)}
              @place=${(event: CustomEvent<LayerAnswer>) => this.#goTo(event.detail)}
            ></ff-tree>`
      }
      ${localChanges(result.objects)}
    `;
  }

  #cascade(node: Node) {
    const explained = this.#explained?.id === node.id ? this.#explained.answer : undefined;
    const whole = explained?.value ?? undefined;
    const text = typeof whole === "string" ? whole : node.text;
    return html`<ff-cascade
      .state=${this.state}
      .name=${node.name}
      .text=${text}
      .rule=${node.retainedBy}
      .chain=${explained?.chain ?? node.origins}
      .error=${explained || node.origins.length ? undefined : this.why.error}
    ></ff-cascade>`;
  }

  #selectNode(node: Node | null): void {
    this.state.select(node ? { path: node.path, object: node.object } : { path: undefined, object: undefined });
  }

  /** The engine knows the line even where the tree only knows the document. */
  async #openDecidingLine(node: Node): Promise<void> {
    const { subject, cluster } = this.state.selection;
    if (subject === undefined || cluster === undefined || node.path === undefined) return;
    const winner = node.origins[0];
    if (winner?.line !== undefined) return this.#goTo(winner);
    const answer = await this.state.query(
      {
        op: "explain",
        subject,
        cluster,
        path: node.path,
        ...(node.object === undefined ? {} : { object: node.object }),
      },
      URGENT,
    );
    const link = answer && "ok" in answer ? answer.ok.chain?.find((it) => it.file !== undefined) : undefined;
    this.#goTo(link ?? winner);
  }

  #goTo(place: { file?: string; line?: number; column?: number } | undefined): void {
    if (place?.file !== undefined) this.state.goTo({ file: place.file, line: place.line, column: place.column });
  }

  readonly #compareWith = (event: CustomEvent<string>): void => {
    this.comparing = false;
    this.state.select({ compare: event.detail });
  };

  readonly #closeCompare = (): void => {
    this.comparing = false;
    this.state.select({ compare: undefined });
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<Tree>("ff-tree")?.focusNode(this.#selectedNode()?.id ?? this.#nodes[0]?.id ?? ""),
    );
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.composedPath().some((it) => it instanceof HTMLElement && it.matches("input, textarea, select"))
    )
      return;
    if (event.key === "c") this.#startCompare();
    else if (event.key === "e") this.#openSelectedLine();
    else if (event.key === "Escape" && this.state.selection.compare !== undefined) this.#closeCompare();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

customElements.define("ff-effective", Effective);
