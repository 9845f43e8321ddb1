// The picture: documents feed subjects, subjects feed groups of clusters, and edits show their impact.
import { html, LitElement, nothing, svg } from "lit";
import { classMap } from "lit/directives/class-map.js";
import type { SubjectAnswer } from "../../../contract.js";
import { layerMark, markStyles } from "../../layers.js";
import { baseStyles } from "../../theme.styles.js";
import { styleMap } from "../../style-map.js";
import { formatCount, pluralize } from "../../format.js";
import { EngineQuery } from "../engine-query.js";
import { StateController } from "../state-controller.js";
import type { State } from "../state.js";
import { countSigns } from "./groups/change-signs.js";
import { parseReference, shortName } from "./groups/reference.js";
import { type EditImpact, editImpact } from "./picture/edit-impact.js";
import { AllResults, type Source, sourceName, sourcesOf, type Target, targetsOf } from "./picture/feeds.js";
import { type Band, layout, type Layout, type Node } from "./picture/layout.js";
import { pictureStyles } from "./picture/picture.styles.js";
import { connectedTo } from "./picture/highlight.js";
import { describeGroup, describeSource, describeTarget } from "./picture/descriptions.js";
import { feedTable } from "./picture/feed-table.js";

/** With more documents of a kind and family, or more subjects, they are folded. */
const FOLD_DOCUMENTS_ABOVE = 5;
const FOLD_SUBJECTS_ABOVE = 20;

type Button = Exclude<Node, { is: "family" }>;

export class Picture extends LitElement {
  static override properties = {
    state: { attribute: false },
    width: { state: true },
    pointed: { state: true },
    unfolded: { state: true },
  };
  static override styles = [baseStyles, markStyles, pictureStyles];
  declare state: State;
  declare width: number;
  /** The node under the pointer, or with the focus. */
  declare pointed: string | undefined;
  /** Kinds of subjects that the user unfolded. */
  declare unfolded: Set<string>;
  readonly results = new AllResults(this);
  readonly whatIf = new EngineQuery<"whatIf">(
    this,
    async () => {
      const change = await this.state.editsAsChange();
      return change && { op: "whatIf", ...change };
    },
    { on: "baseline" },
  );
  #drawingCache: { from: unknown[]; drawn: Layout; blast: EditImpact } | undefined;
  readonly #resizeObserver = new ResizeObserver(
    ([entry]) => (this.width = Math.max(320, Math.round(entry!.contentRect.width) - 16)),
  );

  constructor() {
    super();
    [this.width, this.unfolded] = [480, new Set()];
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
    const { subjects, answers } = this.results;
    if (!subjects) return nothing;
    if (subjects.length === 0)
      return html`<p class="empty">
        Nothing to draw yet: no document produces results for clusters. With a preset and a cluster, this view shows
        which documents feed which clusters.
      </p>`;
    const { drawn, blast } = this.#drawing(subjects, answers);
    const pointed = drawn.nodes.find((it): it is Button => it.is !== "family" && it.id === this.pointed);
    const lit = pointed ? connectedTo(pointed, drawn) : new Set<string>();
    const column = (at: number) => styleMap({ left: `${at}px` });
    const middle = drawn.nodes.find((it) => it.is === "target")!;
    return html`
      <p class="said">
        <span role="status" class=${pointed ? "visually-hidden" : ""}>${this.#counts()}</span>
        ${pointed ? html`<span aria-hidden="true">${this.#description(pointed, blast)}</span>` : nothing}
      </p>
      <div
        class=${classMap({ map: true, pointing: !!pointed, stale: this.state.broken.length > 0 })}
        role="group"
        aria-label="Who feeds whom"
        style=${styleMap({ height: `${drawn.height}px` })}
        @keydown=${this.#key}
      >
        <svg class="bands" width=${this.width} height=${drawn.height} aria-hidden="true">
          ${drawn.bands.map((it) => this.#band(it, lit, blast))}
        </svg>
        <span class="head" style=${column(0)}>documents</span>
        <span class="head" style=${column(middle.x)}>subjects</span>
        <span class="head" style=${column(this.width * 0.83)}>clusters</span>
        ${drawn.nodes.map((it) => this.#node(it, lit, blast, drawn.most))}
      </div>
      ${feedTable(drawn, blast)}
    `;
  }

  /** Pointing at nodes renders often, so the drawing is cached until an input changes. */
  #drawing(subjects: SubjectAnswer[], answers: AllResults["answers"]): { drawn: Layout; blast: EditImpact } {
    const from = [answers, this.whatIf.value, this.width, this.state.selection.subject, this.unfolded];
    if (this.#drawingCache && this.#drawingCache.from.every((it, index) => it === from[index]))
      return this.#drawingCache;
    const sources = sourcesOf(answers.values(), FOLD_DOCUMENTS_ABOVE);
    const targets = targetsOf(subjects, answers, sources, FOLD_SUBJECTS_ABOVE, this.unfolded);
    const blast = editImpact(this.whatIf.value, sources, new Set(this.state.edits.map((it) => it.name)));
    this.#drawingCache = { from, drawn: layout(sources, targets, this.width, this.state.selection.subject), blast };
    return this.#drawingCache;
  }

  #counts() {
    if (this.state.edits.length === 0)
      return html`<span class="quiet"
        >Point at a document, a subject or a group of clusters to see what it feeds. The impact of edits appears
        here.</span
      >`;
    const counts = this.whatIf.value?.counts;
    if (!counts) return nothing;
    const shadowed = counts.shadowed
      ? html` <span class="hidden">┄ ${pluralize(counts.shadowed, "cluster")}</span>
          ${counts.shadowed === 1 ? "is" : "are"} shadowed: another layer hides what the edits say there.`
      : nothing;
    if (counts.changed === 0) return html`Your edits change no cluster.${shadowed}`;
    return html`Your edits change <span class="sign">~ ${formatCount(counts.changed)}</span> of
      ${pluralize(counts.clusters, "cluster")} through ${pluralize(counts.subjects, "subject")}.${shadowed}`;
  }

  #band(band: Band, lit: Set<string>, blast: EditImpact) {
    const meets = (names: { has(name: string): boolean } | undefined) =>
      !!names && (band.groups ?? []).some((it) => it.clusters.some((name) => names.has(name)));
    const changed = band.source ? blast.decides.has(band.id) : meets(blast.signs.get(band.from));
    const shadowed = band.source ? blast.shadowed.has(band.id) : meets(blast.hidden.get(band.from));
    const isLit = lit.has(band.id);
    const names = {
      plain: !band.source,
      [`layer-${band.source?.colour ?? 0}`]: !!band.source,
      none: band.clusters === 0,
      changed,
      lit: isLit,
    };
    return svg`<path class=${classMap(names)} d=${band.path} stroke-width=${band.thickness}></path>
      ${
        shadowed
          ? svg`<path class=${classMap({
              shadowed: true,
              lit: isLit,
            })} d=${band.path} stroke-width=${Math.max(3, band.thickness)}></path>`
          : nothing
      }`;
  }

  #node(node: Node, lit: Set<string>, blast: EditImpact, most: number) {
    const style = styleMap({
      left: `${node.x}px`,
      top: `${node.y}px`,
      width: `${node.width}px`,
      height: `${node.height}px`,
    });
    if (node.is === "family") return html`<span class="family" style=${style}>${node.title}</span>`;
    const point = () => (this.pointed = node.id);
    const away = () => {
      if (this.pointed === node.id) this.pointed = undefined;
    };
    const names = { node: true, [node.is]: true, lit: lit.has(node.id), ...this.#classes(node, blast) };
    return html`<button
      class=${classMap(names)}
      style=${style}
      data-node=${node.id}
      @click=${() => this.#selectNode(node)}
      @pointerenter=${point}
      @pointerleave=${away}
      @focus=${point}
      @blur=${away}
    >
      <span class="visually-hidden">${this.#description(node, blast)}</span>
      <span class="shown" aria-hidden="true"
        >${
          node.is === "source"
            ? this.#source(node.source, blast)
            : node.is === "target"
              ? this.#target(node.target, blast)
              : this.#group(node, blast, most)
        }</span
      >
    </button>`;
  }

  #classes(node: Button, blast: EditImpact): Record<string, boolean> {
    const { subject, cluster } = this.state.selection;
    if (node.is === "source") {
      const ids = [...node.source.feeds.keys()].map((it) => `${node.source.id} ${it}`);
      return {
        changed: ids.some((it) => blast.decides.has(it)),
        unheard: ![...node.source.feeds.values()].some((it) => it.clusters.size),
      };
    }
    if (node.is === "target")
      return {
        chosen: node.target.id === subject,
        changed: node.target.subjects.some((it) => blast.signs.has(it.subject)),
        failed: node.target.subjects.some((it) => !!it.error),
      };
    const signs = blast.signs.get(node.target.id);
    return {
      chosen:
        node.target.id === subject && cluster !== undefined && node.groups.some((it) => it.clusters.includes(cluster)),
      changed: node.groups.some((it) => it.clusters.some((name) => signs?.has(name))),
      failed: node.groups.length > 0 && node.groups.every((it) => !!it.results[0]!.error),
    };
  }

  #source(source: Source, blast: EditImpact) {
    const ids = [...source.feeds.keys()].map((it) => `${source.id} ${it}`);
    return html`${layerMark([...source.layers][0]!)}<span class="text"
        >${sourceName(source)}${
          source.documents.size === 1
            ? html` <span class="quiet">${parseReference([...source.documents][0]!).kind}</span>`
            : nothing
        }</span
      >
      ${ids.some((it) => blast.decides.has(it)) ? html`<span class="sign">~</span>` : nothing}
      ${ids.some((it) => blast.shadowed.has(it)) ? html`<span class="hidden">┄</span>` : nothing}`;
  }

  #target({ subjects, clusters }: Target, blast: EditImpact) {
    const [first] = subjects;
    const name = parseReference(first!.subject);
    const isHub = subjects.every((it) => it.clusters === undefined);
    return html`<span class="text"
        >${
          subjects.length > 1
            ? `${subjects.length} × ${name.kind}`
            : html`${shortName(name)} <span class="quiet">${name.kind}</span>`
        }</span
      >
      ${subjects.some((it) => blast.signs.has(it.subject)) ? html`<span class="sign">~</span>` : nothing}
      <span class="end">${first!.error ? "✗" : isHub ? "hub" : formatCount(clusters)}</span>`;
  }

  #group({ target, groups, clusters }: Extract<Node, { is: "group" }>, blast: EditImpact, most: number) {
    const side = `${Math.max(3, Math.sqrt(clusters / most) * 16).toFixed(1)}px`;
    const signs = [
      ...countSigns(
        blast.signs.get(target.id) ?? new Map(),
        groups.flatMap((it) => it.clusters),
      ),
    ];
    const title = groups.length === 1 ? groups[0]!.letter : groups.length ? `${groups.length} more` : "";
    return html`<span class="block" style=${styleMap({ width: side, height: side })}></span>
      <span class="text">${title}</span>
      ${signs.map(([sign, number]) => html`<span class="sign">${sign}${formatCount(number)}</span>`)}
      ${
        signs.length
          ? nothing
          : html`<span class="end">${groups[0]?.clusters[0] === "" ? "hub" : formatCount(clusters)}</span>`
      }`;
  }

  #description(node: Button, blast: EditImpact): string {
    if (node.is === "source") return describeSource(node.source, blast);
    if (node.is === "target") return describeTarget(node.target, this.results.answers, blast);
    return describeGroup(node.target, node.groups, node.clusters, blast);
  }

  #selectNode(node: Button): void {
    if (node.is === "source") {
      if (node.source.place) this.state.goTo(node.source.place);
    } else if (node.target.subjects.length > 1) {
      this.unfolded = new Set([...this.unfolded, parseReference(node.target.subjects[0]!.subject).kind]);
    } else {
      const { groups } = node.is === "group" ? node : node.target;
      const from = node.is === "group" ? groups[0] : (groups.find((it) => it.largest) ?? groups[0]);
      this.state.select({ subject: node.target.id, cluster: from?.clusters[0], path: undefined, object: undefined });
    }
  }

  /** Arrow keys move through the map: up and down a column, left and right along the bands. */
  readonly #key = (event: KeyboardEvent): void => {
    const arrows = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
    if (!arrows.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    const buttons = [...this.renderRoot.querySelectorAll<HTMLButtonElement>(".node")];
    const from = (event.target as HTMLElement).closest<HTMLButtonElement>(".node");
    if (!from) return;
    event.preventDefault();
    const box = (it: HTMLElement) => it.getBoundingClientRect();
    const here = box(from);
    const vertical = event.key === "ArrowUp" || event.key === "ArrowDown";
    const way = event.key === "ArrowUp" || event.key === "ArrowLeft" ? -1 : 1;
    const near = buttons
      .filter(
        (it) =>
          it !== from &&
          (vertical
            ? box(it).left === here.left && way * (box(it).top - here.top) > 0
            : way * (box(it).left - here.left) > 8 && it.classList.contains("lit")),
      )
      .sort(
        (a, b) =>
          (vertical ? 0 : way * (box(a).left - box(b).left)) ||
          Math.abs(box(a).top - here.top) - Math.abs(box(b).top - here.top),
      );
    near[0]?.focus();
  };
}

customElements.define("ff-picture", Picture);
