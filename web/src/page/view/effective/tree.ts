// The values of a cluster as a tree grid with three columns: name, value, winning layer. Overridden values are struck
// out below.
import { html, LitElement, nothing, type TemplateResult } from "lit";
import { classMap } from "lit/directives/class-map.js";
import { repeat } from "lit/directives/repeat.js";
import type { LayerAnswer } from "../../../../contract.js";
import { layerMark, markStyles } from "../../../layers.js";
import { baseStyles } from "../../../theme.styles.js";
import { styleMap } from "../../../style-map.js";
import { placeName } from "../../../format.js";
import { pathTo, type Node, layerValueText, describeNode } from "./value-tree.js";
import { LINE, treeStyles } from "./tree.styles.js";

interface Row {
  node: Node;
  level: number;
  /** The overridden layers shown below the row. */
  losers: LayerAnswer[];
}

/** With more losers than this, they are shown only when the value is selected. */
const MAX_INLINE_LOSERS = 3;
/** Trees with more rows render only the visible ones. */
const VIRTUAL_FROM = 300;

/**
 * Dispatches `choose` (a node, or null), `decide` (a node: open the line that sets it) and `place` (a layer: open its
 * line). `panel` is shown below the selected value.
 */
export class Tree extends LitElement {
  static override properties = {
    nodes: { attribute: false },
    chosen: { attribute: false },
    panel: { attribute: false },
    label: { attribute: false },
    active: { state: true },
    toggled: { state: true },
    panelHeight: { state: true },
  };
  static override styles = [baseStyles, markStyles, treeStyles];
  declare nodes: Node[];
  declare chosen: string | undefined;
  declare panel: TemplateResult | typeof nothing;
  declare label: string;
  /** The row with keyboard focus. */
  declare active: string | undefined;
  /** Nodes that the user opened or closed against their initial state. */
  declare toggled: Set<string>;
  declare panelHeight: number;
  #rows: Row[] = [];
  #rowTops: number[] = [];
  #scroller: HTMLElement | undefined;
  #revealed: string | undefined;
  readonly #panelObserver = new ResizeObserver(([entry]) => (this.panelHeight = Math.ceil(entry!.contentRect.height)));

  constructor() {
    super();
    this.nodes = [];
    this.panel = nothing;
    this.label = "Values";
    this.toggled = new Set();
    this.panelHeight = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#scroller = scrollerOf(this);
    this.#scroller?.addEventListener("scroll", this.#scrolled, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#scroller?.removeEventListener("scroll", this.#scrolled);
    this.#panelObserver.disconnect();
  }

  /** Moves the keyboard focus to a value. */
  focusNode(id: string): void {
    this.#expandTo(id);
    this.active = id;
    void this.updateComplete.then(() => this.#focusActive());
  }

  override willUpdate(changed: Map<string, unknown>): void {
    // Expands to a value that was selected elsewhere.
    if (changed.has("chosen") && this.chosen !== undefined && this.chosen !== this.#revealed) {
      this.#revealed = this.chosen;
      this.#expandTo(this.chosen);
      this.active = this.chosen;
    }
    this.#rows = [];
    this.#flatten(this.nodes, 1);
    if (!this.#rows.some((it) => it.node.id === this.active)) this.active = this.#rows[0]?.node.id;
    let top = 4;
    this.#rowTops = this.#rows.map((it) => {
      const here = top;
      top += LINE * (1 + it.losers.length) + (it.node.id === this.chosen ? this.panelHeight : 0);
      return here;
    });
    this.#rowTops.push(top);
  }

  override updated(): void {
    const panel = this.renderRoot.querySelector(".panel");
    this.#panelObserver.disconnect();
    if (panel) this.#panelObserver.observe(panel);
  }

  override render() {
    const virtual = this.#rows.length > VIRTUAL_FROM;
    const shown = virtual ? this.#visible() : this.#rows.map((_, at) => at);
    return html`<div
      class="tree ${virtual ? "virtual" : ""}"
      role="treegrid"
      aria-label=${this.label}
      aria-colcount="3"
      aria-rowcount=${this.#rows.length}
      style=${styleMap(virtual ? { height: `${this.#rowTops.at(-1)!}px` } : {})}
      @keydown=${this.#key}
    >
      ${repeat(
        shown,
        (at) => this.#rows[at]!.node.id,
        (at) => this.#row(at, virtual),
      )}
    </div>`;
  }

  #row(at: number, virtual: boolean) {
    const { node, level, losers } = this.#rows[at]!;
    const isBranch = node.children.length > 0;
    const chosen = node.id === this.chosen;
    const place = styleMap({ "--level": String(level - 1), ...(virtual ? { top: `${this.#rowTops[at]}px` } : {}) });
    return html`
      <div
        role="row"
        class=${classMap({
          row: true,
          chosen,
          branch: isBranch,
          object: isBranch && node.path === "",
          [node.change ?? "same"]: true,
        })}
        style=${place}
        data-id=${node.id}
        aria-level=${level}
        aria-rowindex=${at + 1}
        aria-expanded=${isBranch ? String(this.#isOpen(node)) : nothing}
        aria-selected=${chosen}
        aria-label=${describeNode(node)}
        tabindex=${node.id === this.active ? 0 : -1}
        @click=${() => this.#click(node)}
        @focus=${() => (this.active = node.id)}
      >
        <span role="gridcell" class="name" title=${node.path || node.name}
          ><span class="twist" aria-hidden="true">${isBranch ? (this.#isOpen(node) ? "▾" : "▸") : ""}</span
          >${sign(node)}<span class="mono">${node.name}</span></span
        >
        <span role="gridcell" class="value" title=${node.text ?? ""}
          >${isBranch ? html`<span class="quiet">${node.summary}</span>` : node.text}${
            node.was !== undefined && !isBranch ? html` <span class="was">was <s>${node.was}</s></span>` : nothing
          }</span
        >
        <span role="gridcell" class="by"
          >${isBranch && node.object === undefined ? nothing : this.#winner(node, node.id === this.active)}</span
        >
        ${
          losers.length
            ? html`<div role="gridcell" class="losers">
                ${losers.map((it) => this.#loser(it, node.id === this.active))}
              </div>`
            : nothing
        }
      </div>
      ${
        chosen && this.panel !== nothing
          ? html`<div
              role="row"
              style=${virtual ? styleMap({ top: `${this.#rowTops[at]! + LINE * (1 + losers.length)}px` }) : nothing}
            >
              <div class="panel" role="gridcell" aria-colspan="3">${this.panel}</div>
            </div>`
          : nothing
      }
    `;
  }

  #winner(node: Node, active: boolean) {
    const [winner] = node.origins;
    if (!winner || (node.children.length && node.path !== "") || node.change === "removed") return nothing;
    if (node.retainedBy !== undefined)
      return html`${layerMark("live")}<span title=${`retained by ${node.retainedBy}`}
          >live <span class="quiet">(retained by ${node.retainedBy})</span></span
        >`;
    const go = (event: Event) => (event.stopPropagation(), this.#dispatch("decide", node));
    return html`${layerMark(winner.layer)}<button
        class="link"
        tabindex=${active ? 0 : -1}
        title=${placeName(winner)}
        @click=${go}
      >
        ${winner.layer}
      </button>`;
  }

  #loser(layer: LayerAnswer, active: boolean) {
    const go = (event: Event) => (event.stopPropagation(), this.#dispatch("place", layer));
    return html`<span class="loser">
      <span class="who">${layerMark(layer.layer)}<span>${layer.layer}</span></span>
      <s class="value" title=${layerValueText(layer)}>${layerValueText(layer)}</s>
      <span class="by"
        >${
          layer.file === undefined
            ? nothing
            : html`<button
                class="link"
                tabindex=${active ? 0 : -1}
                aria-label=${`Go to ${placeName(layer)}`}
                title=${placeName(layer)}
                @click=${go}
              >
                <span>${placeName({ file: layer.file })}</span
                >${layer.line === undefined ? nothing : html`<span>:${layer.line}</span>`}
              </button>`
        }</span
      >
    </span>`;
  }

  #flatten(nodes: Node[], level: number): void {
    for (const node of nodes) {
      const beaten = node.children.length || node.change === "removed" ? [] : node.origins.slice(1);
      // The panel below a selected value lists all losers.
      const losers = node.id === this.chosen || beaten.length > MAX_INLINE_LOSERS ? [] : beaten;
      this.#rows.push({ node, level, losers });
      if (node.children.length && this.#isOpen(node)) this.#flatten(node.children, level + 1);
    }
  }

  #isOpen(node: Node): boolean {
    return node.folded === this.toggled.has(node.id);
  }

  #toggle(node: Node): void {
    const toggled = new Set(this.toggled);
    if (!toggled.delete(node.id)) toggled.add(node.id);
    this.toggled = toggled;
  }

  /** Expands the ancestors of a value. */
  #expandTo(id: string): void {
    const around = pathTo(this.nodes, (it) => it.id === id).slice(0, -1);
    for (const it of around) if (!this.#isOpen(it)) this.#toggle(it);
  }

  #click(node: Node): void {
    this.active = node.id;
    if (node.children.length) this.#toggle(node);
    else this.#dispatch("choose", node.id === this.chosen ? null : node);
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target as HTMLElement).matches(".row")) return;
    const at = this.#rows.findIndex((it) => it.node.id === this.active);
    const row = this.#rows[at];
    if (!row) return;
    const { node, level } = row;
    const page = Math.max(1, Math.floor((this.#scroller?.clientHeight ?? 400) / LINE) - 2);
    switch (event.key) {
      case "ArrowDown":
        this.#move(at + 1);
        break;
      case "ArrowUp":
        this.#move(at - 1);
        break;
      case "PageDown":
        this.#move(Math.min(at + page, this.#rows.length - 1));
        break;
      case "PageUp":
        this.#move(Math.max(at - page, 0));
        break;
      case "Home":
        this.#move(0);
        break;
      case "End":
        this.#move(this.#rows.length - 1);
        break;
      case "ArrowRight":
        if (node.children.length && !this.#isOpen(node)) this.#toggle(node);
        else if (node.children.length) this.#move(at + 1);
        break;
      case "ArrowLeft":
        if (node.children.length && this.#isOpen(node)) this.#toggle(node);
        else
          this.#move(
            this.#rows
              .slice(0, at)
              .map((it) => it.level < level)
              .lastIndexOf(true),
          );
        break;
      case "Enter":
      case " ":
        this.#click(node);
        break;
      case "Escape":
        if (this.chosen === undefined) return;
        this.#dispatch("choose", null);
        break;
      case "e":
        if (node.children.length && node.path !== "") return;
        this.#dispatch("decide", node);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  #move(to: number): void {
    const row = this.#rows[to];
    if (!row) return;
    this.active = row.node.id;
    this.#scrollTo(to);
    void this.updateComplete.then(() => this.#focusActive());
  }

  #focusActive(): void {
    this.renderRoot
      .querySelector<HTMLElement>('.row[tabindex="0"]')
      ?.focus({ preventScroll: this.#rows.length > VIRTUAL_FROM });
  }

  /** The row may not be rendered yet, but its position is known. */
  #scrollTo(at: number): void {
    const scroller = this.#scroller;
    if (!scroller || this.#rows.length <= VIRTUAL_FROM) return;
    const offset = this.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
    const [top, bottom] = [offset + this.#rowTops[at]!, offset + this.#rowTops[at + 1]!];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
  }

  #visible(): number[] {
    const scroller = this.#scroller;
    if (!scroller) return this.#rows.slice(0, VIRTUAL_FROM).map((_, at) => at);
    const above = scroller.getBoundingClientRect().top - this.getBoundingClientRect().top;
    const [from, to] = [above - 400, above + scroller.clientHeight + 400];
    return this.#rows.flatMap((it, at) =>
      it.node.id === this.active || (this.#rowTops[at + 1]! >= from && this.#rowTops[at]! <= to) ? [at] : [],
    );
  }

  readonly #scrolled = (): void => {
    if (this.#rows.length > VIRTUAL_FROM) this.requestUpdate();
  };

  #dispatch(type: "choose" | "decide" | "place", detail: Node | LayerAnswer | null): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

function sign(node: Node) {
  const signs = { added: "+", changed: "~", removed: "−" };
  return node.change ? html`<span class="sign" aria-hidden="true">${signs[node.change]}</span>` : nothing;
}

/** The scrolling ancestor of an element, through shadow roots. */
function scrollerOf(element: HTMLElement): HTMLElement | undefined {
  let at: globalThis.Node | null = element;
  while (at) {
    at = at instanceof ShadowRoot ? at.host : ((at as Element).assignedSlot ?? at.parentNode);
    if (at instanceof HTMLElement && at.classList.contains("scroll")) return at;
  }
  return undefined;
}

customElements.define("ff-tree", Tree);
