// The list of files: a tree of folders, with edits and problem counts.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { styleMap } from "../../../style-map.js";
import { baseStyles } from "../../../theme.styles.js";
import { formatCount, pluralize } from "../../../format.js";
import { StateController } from "../../state-controller.js";
import type { FileState, State } from "../../state.js";
import { type Folder, foldersOf, isInitiallyFolded, SIGNS, signOf } from "./folders.js";
import { visibleRows } from "./visible-rows.js";

const ROW = 24;

export interface ProblemCounts {
  errors: number;
  warnings: number;
}

interface Row {
  id: string;
  level: number;
  /** The position among its siblings, counted from one. */
  index: number;
  size: number;
  folder?: Folder;
  file?: FileState;
  title: string;
}

export class FileList extends LitElement {
  static override properties = {
    state: { attribute: false },
    file: { attribute: false },
    wrong: { attribute: false },
    active: { state: true },
    top: { state: true },
    height: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        overflow: hidden;
      }
      [role="tree"] {
        position: relative;
        max-height: 100%;
        height: 100%;
        overflow: auto;
        outline-offset: -2px;
      }
      .all {
        position: relative;
      }
      .row {
        position: absolute;
        left: 0;
        right: 0;
        display: flex;
        align-items: center;
        gap: 6px;
        height: 24px;
        padding: 0 var(--ff-space);
        cursor: pointer;
        white-space: nowrap;
      }
      .row:hover {
        background: var(--ff-hover);
      }
      .row[aria-selected="true"] {
        background: var(--ff-chosen);
      }
      [role="tree"]:focus-visible .active {
        box-shadow: inset 0 0 0 1px var(--ff-accent);
      }
      .folder {
        color: var(--ff-quiet);
      }
      .title {
        overflow: hidden;
        text-overflow: ellipsis;
        unicode-bidi: isolate;
      }
      .in {
        padding-left: 24px;
      }
      .sign {
        flex: none;
        width: 1ch;
        font-family: var(--ff-mono);
        font-weight: 700;
        color: var(--ff-accent);
      }
      .added {
        color: var(--ff-added);
      }
      .removed {
        color: var(--ff-removed);
      }
      .removed + .title {
        text-decoration: line-through;
      }
      .fold {
        flex: none;
        width: 1ch;
      }
      .wrong {
        display: flex;
        gap: var(--ff-space);
        margin-left: auto;
        font-variant-numeric: tabular-nums;
      }
      .error {
        color: var(--ff-error);
      }
      .warning {
        color: var(--ff-warning);
      }
    `,
  ];
  declare state: State;
  declare file: string | undefined;
  declare wrong: Map<string, ProblemCounts>;
  declare active: string | undefined;
  declare top: number;
  declare height: number;
  /** Folders that the user opened or closed; the others have their initial state. */
  readonly #folded = new Map<string, boolean>();
  #rows: Row[] = [];
  readonly #size = new ResizeObserver(([entry]) => (this.height = entry!.contentRect.height));

  constructor() {
    super();
    [this.top, this.height] = [0, 240];
    this.wrong = new Map();
    new StateController(this);
  }

  override firstUpdated(): void {
    this.#size.observe(this.#tree);
  }

  get #tree(): HTMLElement {
    return this.renderRoot.querySelector<HTMLElement>('[role="tree"]')!;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("file") && this.file !== undefined) {
      this.active = `file ${this.file}`;
      const folder = foldersOf(this.state.files.values()).find((it) => it.files.some((it) => it.name === this.file));
      if (folder && this.#isFolded(folder)) this.#folded.set(folder.id, false);
    }
    this.#rows = this.#flattenRows();
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has("active") || changed.has("file") || changed.has("height")) this.#reveal();
  }

  override render() {
    const { from, to } = visibleRows({ top: this.top, height: this.height }, ROW, this.#rows.length);
    const active = this.#rows.findIndex((it) => it.id === this.active);
    return html`
      <div
        role="tree"
        aria-label="Files"
        tabindex="0"
        aria-activedescendant=${active >= from && active < to ? `row-${active}` : nothing}
        @keydown=${this.#key}
        @scroll=${(event: Event) => (this.top = (event.currentTarget as HTMLElement).scrollTop)}
      >
        <div class="all" role="none" style=${styleMap({ height: `${this.#rows.length * ROW}px` })}>
          ${this.#rows.slice(from, to).map((row, index) => this.#row(row, from + index))}
        </div>
      </div>
    `;
  }

  #row(row: Row, index: number) {
    const style = styleMap({ top: `${index * ROW}px` });
    const active = row.id === this.active ? "active" : "";
    if (row.folder) {
      const open = !this.#isFolded(row.folder);
      return html`
        <div
          id="row-${index}"
          class="row folder ${active}"
          role="treeitem"
          style=${style}
          aria-level="1"
          aria-posinset=${row.index}
          aria-setsize=${row.size}
          aria-expanded=${open}
          title=${row.title}
          @click=${() => this.#choose(row)}
        >
          <span class="fold" aria-hidden="true">${open ? "▾" : "▸"}</span><span class="title">${row.title}</span
          ><span aria-hidden="true">${formatCount(row.folder.files.length)}</span
          ><span class="visually-hidden">, ${pluralize(row.folder.files.length, "file")}</span>
        </div>
      `;
    }
    const file = row.file!;
    const sign = signOf(file);
    const wrong = this.wrong.get(file.name);
    const words = [
      SIGNS[sign],
      wrong?.errors ? pluralize(wrong.errors, "error") : "",
      wrong?.warnings ? pluralize(wrong.warnings, "warning") : "",
    ].filter((it) => it);
    return html`
      <div
        id="row-${index}"
        class="row ${row.level > 1 ? "in" : ""} ${active}"
        role="treeitem"
        style=${style}
        aria-level=${row.level}
        aria-posinset=${row.index}
        aria-setsize=${row.size}
        aria-selected=${file.name === this.file}
        title=${file.name}
        data-file=${file.name}
        @click=${() => this.#choose(row)}
      >
        <span class="sign ${SIGNS[sign]}" aria-hidden="true">${sign}</span><span class="title">${row.title}</span
        ><span class="visually-hidden">${words.map((it) => `, ${it}`)}</span>
        <span class="wrong" aria-hidden="true">
          ${wrong?.errors ? html`<span class="error">✕ ${wrong.errors}</span>` : nothing}
          ${wrong?.warnings ? html`<span class="warning">▲ ${wrong.warnings}</span>` : nothing}
        </span>
      </div>
    `;
  }

  #flattenRows(): Row[] {
    const folders = foldersOf(this.state.files.values());
    const rows: Row[] = [];
    const own = folders.find((it) => it.id === "")?.files.length ?? 0;
    const size = own + folders.filter((it) => it.id !== "").length;
    let index = 0;
    for (const folder of folders) {
      const level = folder.id === "" ? 1 : 2;
      if (level === 2)
        rows.push({ id: `folder ${folder.id}`, level: 1, index: ++index, size, folder, title: folder.title });
      if (level === 2 && this.#isFolded(folder)) continue;
      folder.files.forEach((it, at) =>
        rows.push({
          id: `file ${it.name}`,
          level,
          index: level === 1 ? ++index : at + 1,
          size: level === 1 ? size : folder.files.length,
          file: it.file,
          title: it.title,
        }),
      );
    }
    return rows;
  }

  #isFolded(folder: Folder): boolean {
    return this.#folded.get(folder.id) ?? isInitiallyFolded(folder);
  }

  #fold(folder: Folder, folded: boolean): void {
    this.#folded.set(folder.id, folded);
    this.requestUpdate();
  }

  #choose(row: Row): void {
    this.active = row.id;
    if (row.folder) this.#fold(row.folder, !this.#isFolded(row.folder));
    else this.dispatchEvent(new CustomEvent("choose", { detail: row.file!.name }));
  }

  readonly #key = (event: KeyboardEvent): void => {
    const at = this.#rows.findIndex((it) => it.id === this.active);
    const row = this.#rows[at];
    const to = (index: number) => (this.active = this.#rows[Math.min(Math.max(index, 0), this.#rows.length - 1)]?.id);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    switch (event.key) {
      case "ArrowDown":
        to(at + 1);
        break;
      case "ArrowUp":
        to(at - 1);
        break;
      case "Home":
        to(0);
        break;
      case "End":
        to(this.#rows.length - 1);
        break;
      case "Enter":
      case " ":
        if (row) this.#choose(row);
        break;
      case "ArrowRight":
        if (row?.folder && this.#isFolded(row.folder)) this.#fold(row.folder, false);
        else if (row?.folder) to(at + 1);
        break;
      case "ArrowLeft":
        if (row?.folder) this.#fold(row.folder, true);
        else to(this.#rows.findLastIndex((it, index) => index < at && it.folder));
        break;
      case "Delete":
        if (row?.file) this.dispatchEvent(new CustomEvent("remove", { detail: row.file.name }));
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  /** Scrolls just enough to show the active row. */
  #reveal(): void {
    const at = this.#rows.findIndex((it) => it.id === this.active);
    if (at < 0) return;
    const tree = this.#tree;
    if (at * ROW < tree.scrollTop) tree.scrollTop = at * ROW;
    else if ((at + 1) * ROW > tree.scrollTop + tree.clientHeight) tree.scrollTop = (at + 1) * ROW - tree.clientHeight;
  }
}

customElements.define("ff-files", FileList);
