// What one cluster has and why: its values as a tree or as YAML, who decides over each, and its part of the plan.
import { html, LitElement, nothing } from "lit";
import type { EffectiveAnswer, ExplainAnswer, LayerAnswer, ResultAnswer } from "../../../contract.js";
import { marks } from "../../layers.js";
import { look } from "../../theme.styles.js";
import { clusterName, count, counted, placeName } from "../../format.js";
import { Ask, Watch } from "../engine-query.js";
import { LATER, SOON, URGENT } from "../engine.js";
import type { State } from "../state.js";
import { against, lineage, type Node, nodesOf } from "./effective/value-tree.js";
import type { Pick } from "./effective/cluster-picker.js";
import { prose } from "./inline-code.js";
import { nothingLoaded, nothingPicked } from "./effective/empty-states.js";
import type { Tree } from "./effective/tree.js";
import { effectiveStyle } from "./effective/effective.styles.js";
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
  static override styles = [look, marks, effectiveStyle];
  declare state: State;
  declare as: "tree" | "yaml";
  /** Whether somebody is about to say what to compare with. */
  declare comparing: boolean;
  /** Of this cluster alone: a small question, which follows every key and waits for none of the large ones. */
  readonly mine = new Ask<"effective">(this, () => this.#question(), { urgency: URGENT - 1 });
  readonly earlier = new Ask<"effective">(this, () => (this.state.edits.length ? this.#question() : undefined), {
    urgency: SOON,
    on: "baseline",
  });
  readonly why = new Ask<"explain">(
    this,
    () => {
      const { subject, cluster, path, object } = this.state.choice;
      return subject !== undefined && cluster !== undefined && path !== undefined
        ? { op: "explain", subject, cluster, path, ...(object === undefined ? {} : { object }) }
        : undefined;
    },
    { urgency: URGENT },
  );
  /** What all clusters get: the same question that the groups ask. */
  readonly all = new Ask<"effective">(
    this,
    () => {
      const { subject } = this.state.choice;
      return subject === undefined ? undefined : { op: "effective", subject, origins: true };
    },
    { urgency: SOON },
  );
  readonly clusters = new Ask<"clusters">(this, () => ({ op: "clusters" }), { urgency: LATER });
  readonly subjects = new Ask<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  #nodes: Node[] = [];
  #of: [EffectiveAnswer | undefined, EffectiveAnswer | undefined] = [undefined, undefined];
  /** What the answer about a value is about, while the next one is on its way. */
  #explained: { id: string; answer: ExplainAnswer } | undefined;
  #settled: string | undefined;

  constructor() {
    super();
    this.as = "tree";
    this.comparing = false;
    new Watch(this);
    this.addEventListener("keydown", this.#key);
  }

  // The page has keys of its own and tells them through the state, wherever the keyboard is.
  override connectedCallback(): void {
    super.connectedCallback();
    this.state.addEventListener("line", this.#line);
    this.state.addEventListener("compare", this.#startCompare);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.state.removeEventListener("line", this.#line);
    this.state.removeEventListener("compare", this.#startCompare);
  }

  /** Goes to the line that decides over the chosen value. */
  readonly #line = (): void => {
    const node = this.#chosen();
    if (node) void this.#decide(node);
  };

  readonly #startCompare = (): void => {
    if (this.state.choice.cluster === undefined) return;
    this.comparing = true;
    void this.updateComplete.then(() => this.renderRoot.querySelector<Pick>("#with")?.focus());
  };

  #question() {
    const { subject, cluster } = this.state.choice;
    return subject === undefined || cluster === undefined
      ? undefined
      : { op: "effective" as const, subject, clusters: [cluster], origins: true };
  }

  get #result(): ResultAnswer | undefined {
    return this.mine.value?.results[0];
  }

  override willUpdate(): void {
    const { subject } = this.state.choice;
    const before = this.earlier.value?.subject === subject && !this.earlier.error ? this.earlier.value : undefined;
    if (this.#of[0] !== this.mine.value || this.#of[1] !== before) {
      this.#of = [this.mine.value, before];
      const nodes = nodesOf(this.#result);
      // A cluster that the edits let join has nothing to be compared with.
      this.#nodes = before?.results[0] && this.#result ? against(nodesOf(before.results[0]), nodes) : nodes;
    }
    const chosen = this.#chosen();
    if (!chosen || this.why.error) this.#explained = undefined;
    else if (!this.why.stale && this.why.value) this.#explained = { id: chosen.id, answer: this.why.value };
  }

  override updated(): void {
    this.#settle();
  }

  /** A cluster is chosen from the start, and another one where the subject does not know the chosen one. */
  #settle(): void {
    const { subject, cluster } = this.state.choice;
    const all = this.all.value;
    if (subject === undefined || all?.subject !== subject || this.all.stale) return;
    const first = firstOf(all);
    if (this.#settled === subject && cluster !== undefined) return;
    const known =
      all.results.some((it) => it.clusters.includes(cluster ?? "")) || this.mine.error?.code !== "unknown-cluster";
    if (cluster !== undefined && this.mine.stale) return;
    this.#settled = subject;
    if (first !== undefined && (cluster === undefined || !known))
      queueMicrotask(() => this.state.choose({ cluster: first }));
  }

  #chosen(): Node | undefined {
    const { path, object } = this.state.choice;
    if (path === undefined) return undefined;
    return lineage(
      this.#nodes,
      (it) => it.path === path && (object === undefined || it.object === object) && it.change !== "removed",
    ).at(-1);
  }

  override render() {
    const { choice } = this.state;
    if (choice.subject === undefined)
      return this.subjects.value && !this.subjects.value.subjects.length ? nothingLoaded() : nothing;
    return html`
      ${this.#head()} ${this.#broken()}
      <div class="scroll ${this.state.broken.length ? "stale" : ""}">
        ${choice.compare !== undefined ? html`<ff-compare .state=${this.state}></ff-compare>` : this.#body()}
      </div>
    `;
  }

  #head() {
    const { subject, cluster, compare } = this.state.choice;
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
          @pick=${(event: CustomEvent<string>) => this.state.choose({ cluster: event.detail })}
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
                ${compare === undefined ? nothing : html`<button title="Swap" aria-label="Swap the two clusters" @click=${() => this.state.choose({ cluster: compare, compare: cluster })}>⇄</button>`}
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
          @change=${(event: Event) => this.state.choose({ subject: (event.target as HTMLSelectElement).value, path: undefined, object: undefined })}
        >
          ${subjects.map((it) => html`<option value=${it.subject} ?selected=${it.subject === subject}>${it.subject}</option>`)}
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
      counted(all.length, "value"),
      overridden ? `${count(overridden)} overridden` : "",
      changed ? `${count(changed)} changed by your edits` : "",
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** Points at what cannot be read: what is shown was worked out before. */
  #broken() {
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
      ${prose(finding.message)}. This is what was there before.
    </p>`;
  }

  #body() {
    const { subject, cluster } = this.state.choice;
    if (cluster === undefined)
      return this.all.value && !this.all.value.results.length
        ? nothingPicked(subject!)
        : this.all.error
          ? this.#refused(this.all.error)
          : nothing;
    const { error, value } = this.mine;
    if (error) return this.#refused(error);
    if (!value) return nothing;
    const result = this.#result;
    return html`
      <ff-membership .state=${this.state} .subject=${subject} .cluster=${cluster}></ff-membership>
      ${result ? this.#values(result) : this.#out()}
      <ff-cluster-plan .state=${this.state}></ff-cluster-plan>
    `;
  }

  #refused(refusal: { message: string; hint?: string }) {
    return html`<div class="empty">
      <p>${prose(refusal.message)}.</p>
      ${refusal.hint ? html`<p>${prose(refusal.hint)}</p>` : nothing}
    </div>`;
  }

  #out() {
    const had = this.earlier.value?.results[0] !== undefined && this.state.edits.length > 0;
    return html`<p class="empty">
      ${clusterName(this.state.choice.cluster ?? "")} gets nothing from
      ${this.state.choice.subject}${had ? ": your edits take it out" : ""}.
    </p>`;
  }

  #values(result: ResultAnswer) {
    if (result.error) return this.#refused(result.error);
    const name = clusterName(this.state.choice.cluster ?? "");
    const joins = this.earlier.value !== undefined && !this.earlier.error && !this.earlier.value.results.length;
    if (!result.options && !result.objects) {
      const group = result.group ? `, in decision group ${result.group.name ?? result.group.index}` : "";
      return html`<p class="empty">
        ${name} belongs to ${this.state.choice.subject}${group}. It brings along no values of its own: who refers to it
        does.
      </p>`;
    }
    if (!this.#nodes.length) return html`<p class="empty">${name} is picked, and nothing sets a value.</p>`;
    const chosen = this.#chosen();
    return html`
      ${joins ? html`<p class="note"><span aria-hidden="true">+</span> ${name} joins with your edits.</p>` : nothing}
      ${
        this.as === "yaml"
          ? html`<ff-yaml
              .result=${result}
              .nodes=${this.#nodes}
              @choose=${(event: CustomEvent<Node>) => ((this.as = "tree"), this.#choose(event.detail))}
            ></ff-yaml>`
          : html`<ff-tree
              .nodes=${this.#nodes}
              .label=${`Values of ${name}`}
              .chosen=${chosen?.id}
              .panel=${chosen ? this.#cascade(chosen) : nothing}
              @choose=${(event: CustomEvent<Node | null>) => this.#choose(event.detail)}
              @decide=${(event: CustomEvent<Node>) => this.#decide(event.detail)}
              @place=${(event: CustomEvent<LayerAnswer>) => this.#goTo(event.detail)}
            ></ff-tree>`
      }
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

  #choose(node: Node | null): void {
    this.state.choose(node ? { path: node.path, object: node.object } : { path: undefined, object: undefined });
  }

  /** The engine knows the line, also of what the tree has only the document of. */
  async #decide(node: Node): Promise<void> {
    const { subject, cluster } = this.state.choice;
    if (subject === undefined || cluster === undefined || node.path === undefined) return;
    const winner = node.origins[0];
    if (winner?.line !== undefined) return this.#goTo(winner);
    const answer = await this.state.ask(
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
    this.state.choose({ compare: event.detail });
  };

  readonly #closeCompare = (): void => {
    this.comparing = false;
    this.state.choose({ compare: undefined });
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<Tree>("ff-tree")?.focusNode(this.#chosen()?.id ?? this.#nodes[0]?.id ?? ""),
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
    else if (event.key === "e") this.#line();
    else if (event.key === "Escape" && this.state.choice.compare !== undefined) this.#closeCompare();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
}

customElements.define("ff-effective", Effective);
