// Virtual lists: only the visible rows are in the DOM, each with its position and the total for screen readers.
import { css, html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";
import { repeat } from "lit/directives/repeat.js";
import { styleMap } from "../style-map.js";

export interface VirtualListOptions<T> {
  /** The identity of an item. */
  key: (item: T) => string;
  /** The height of every row. By default that of the first rendered row. */
  row?: number;
  /** Rows rendered beyond each edge. */
  overscan?: number;
  /** Called on Enter, space or a click on a row. */
  pick?: (item: T, index: number) => void;
}

export interface RenderOptions {
  /** The name of the list for screen readers. */
  label: string;
  role?: "listbox" | "grid";
  /** The header of a grid, one element with the role `row`. It is sticky. */
  header?: TemplateResult;
  /** The number of columns of a grid. */
  columns?: number;
  /** The index of the selected row. */
  chosen?: number;
}

/**
 * A controller, so that rows are in the view's own shadow root and use its styles. The view must include
 * `virtualListStyles`.
 */
export class VirtualList<T> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #options: VirtualListOptions<T>;
  readonly #resizeObserver = new ResizeObserver(() => this.#update());
  #items: readonly T[] = [];
  #scroller: HTMLElement | undefined;
  #row: number;
  #height = 0;
  #first = 0;
  #last = 0;
  /** The key of the row with keyboard focus: stable while the list is sorted or filtered. */
  #active: string | undefined;
  #focus = false;

  constructor(host: ReactiveControllerHost, options: VirtualListOptions<T>) {
    this.#host = host;
    this.#options = options;
    this.#row = options.row ?? 24;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#resizeObserver.disconnect();
    this.#scroller = undefined;
  }

  hostUpdated(): void {
    const row = this.#scroller?.querySelector<HTMLElement>("[data-row]");
    if (row && this.#options.row === undefined && row.offsetHeight && row.offsetHeight !== this.#row) {
      this.#row = row.offsetHeight;
      this.#host.requestUpdate();
    }
    if (!this.#focus) return;
    const active = this.#scroller?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
    if (!active) return;
    this.#focus = false;
    active.focus({ preventScroll: true });
  }

  /** Scrolls a row into view. */
  reveal(index: number): void {
    const scroller = this.#scroller;
    if (!scroller || index < 0) return;
    const [top, header] = [index * this.#row, this.#header()];
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + this.#row + header > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = top + this.#row + header - scroller.clientHeight;
    this.#update();
  }

  /** `row` renders the content of a row: the cells of a grid, or an option of a listbox. */
  render(items: readonly T[], row: (item: T, index: number) => unknown, options: RenderOptions): TemplateResult {
    this.#items = items;
    this.#updateRange();
    const { role = "listbox" } = options;
    const shown = items.slice(this.#first, this.#last).map((item, index): [T, number] => [item, this.#first + index]);
    const active = this.#activeIndex(options.chosen);
    const inside = html`<div
      class="v-all"
      role=${role === "grid" ? "rowgroup" : "presentation"}
      style=${styleMap({ height: `${items.length * this.#row}px` })}
    >
      <div
        class="v-window"
        role="presentation"
        style=${styleMap({ transform: `translateY(${this.#first * this.#row}px)` })}
      >
        ${repeat(
          shown,
          ([item]) => this.#options.key(item),
          ([item, index]) =>
            this.#line(
              role,
              options.header ? 1 : 0,
              row(item, index),
              index,
              index === active,
              index === options.chosen,
            ),
        )}
      </div>
    </div>`;
    return role === "grid"
      ? html`<div
          class="v-scroll"
          role="grid"
          aria-label=${options.label}
          aria-rowcount=${items.length + (options.header ? 1 : 0)}
          aria-colcount=${options.columns ?? 1}
          @scroll=${this.#update}
          @keydown=${this.#key}
          ${ref(this.#attach)}
        >
          ${options.header ? html`<div class="v-header" role="rowgroup">${options.header}</div>` : ""}${inside}
        </div>`
      : html`<div
          class="v-scroll"
          role="listbox"
          aria-label=${options.label}
          @scroll=${this.#update}
          @keydown=${this.#key}
          ${ref(this.#attach)}
        >
          ${inside}
        </div>`;
  }

  /** `before` is the number of header rows of a grid. */
  #line(
    role: "listbox" | "grid",
    before: number,
    content: unknown,
    index: number,
    active: boolean,
    chosen: boolean,
  ): TemplateResult {
    const pick = () => this.#pick(index);
    const style = styleMap(this.#options.row === undefined ? {} : { height: `${this.#row}px` });
    return role === "grid"
      ? html`<div
          class="v-row"
          data-row=${index}
          role="row"
          aria-rowindex=${index + before + 1}
          aria-selected=${chosen}
          tabindex=${active ? 0 : -1}
          style=${style}
          @click=${pick}
        >
          ${content}
        </div>`
      : html`<div
          class="v-row"
          data-row=${index}
          role="option"
          aria-posinset=${index + 1}
          aria-setsize=${this.#items.length}
          aria-selected=${chosen}
          tabindex=${active ? 0 : -1}
          style=${style}
          @click=${pick}
        >
          ${content}
        </div>`;
  }

  /** One row is always reachable by Tab: the last focused row, else the selected one, else the first. */
  #activeIndex(chosen = -1): number {
    const shown = (index: number) => index >= this.#first && index < this.#last;
    const kept =
      this.#active === undefined ? -1 : this.#items.findIndex((it) => this.#options.key(it) === this.#active);
    return [kept, chosen].find(shown) ?? this.#first;
  }

  #pick(index: number): void {
    const item = this.#items[index];
    if (item === undefined) return;
    this.#active = this.#options.key(item);
    this.#options.pick?.(item, index);
    this.#host.requestUpdate();
  }

  readonly #attach = (element: Element | undefined): void => {
    if (element === this.#scroller) return;
    this.#resizeObserver.disconnect();
    this.#scroller = element as HTMLElement | undefined;
    if (element) this.#resizeObserver.observe(element);
  };

  #header(): number {
    return this.#scroller?.querySelector<HTMLElement>(".v-header")?.offsetHeight ?? 0;
  }

  /** Computes the rows to render, in steps of four, so that not every scrolled pixel renders. */
  #updateRange(): void {
    const beyond = this.#options.overscan ?? 8;
    const top = Math.floor((this.#scroller?.scrollTop ?? 0) / this.#row);
    const fit = Math.ceil((this.#height || 240) / this.#row);
    const last = Math.max(0, this.#items.length - fit);
    this.#first = Math.max(0, Math.floor((Math.min(top, last) - beyond) / 4) * 4);
    this.#last = Math.min(this.#items.length, this.#first + fit + 2 * beyond + 4);
  }

  readonly #update = (): void => {
    if (!this.#scroller) return;
    const [first, last] = [this.#first, this.#last];
    this.#height = this.#scroller.clientHeight;
    this.#updateRange();
    if (first !== this.#first || last !== this.#last) this.#host.requestUpdate();
  };

  readonly #key = (event: KeyboardEvent): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    // A button in a row and the header handle their own keys.
    if (!row || event.target !== row || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Number(row.dataset["row"]);
    const page = Math.max(1, Math.floor(this.#height / this.#row) - 1);
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.#items.length - 1,
    };
    const to = steps[event.key];
    if (to === undefined) {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      return this.#pick(at);
    }
    event.preventDefault();
    const index = Math.min(Math.max(to, 0), this.#items.length - 1);
    this.#active = this.#options.key(this.#items[index]!);
    this.#focus = true;
    this.reveal(index);
    this.#host.requestUpdate();
  };
}

/** For views with virtual lists. The view sets the height of `.v-scroll`. */
export const virtualListStyles = css`
  .v-scroll {
    position: relative;
    overflow: auto;
    contain: strict;
  }
  .v-all {
    position: relative;
    overflow: hidden;
  }
  .v-window {
    position: absolute;
    inset: 0 0 auto;
    will-change: transform;
  }
  .v-header {
    position: sticky;
    top: 0;
    z-index: 1;
    background: var(--ff-raised);
  }
  .v-row {
    overflow: hidden;
    cursor: pointer;
  }
  .v-row:hover {
    background: var(--ff-hover);
  }
  .v-row[aria-selected="true"] {
    background: var(--ff-chosen);
  }
  .v-row:focus-visible {
    outline-offset: -2px;
  }
`;
