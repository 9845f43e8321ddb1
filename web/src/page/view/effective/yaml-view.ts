// The effective values as YAML, to read, select and copy. The margin of each line shows the mark of its layer.
import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { guard } from "lit/directives/guard.js";
import type { Json, PrintLine, ResultAnswer } from "../../../../contract.js";
import { layerMark, markStyles } from "../../../layers.js";
import { baseStyles } from "../../../theme.styles.js";
import { pointerSegment, referenceText } from "../../../format.js";
import type { State } from "../../state.js";
import { type Node, objectName } from "./value-tree.js";

interface Part {
  /** The object; undefined for options. */
  name?: string;
  lines: PrintLine[];
  /** Comments for values that YAML cannot show, such as references. */
  notes: string[];
}

/** With more objects than this, they are initially folded. */
const FOLD_ABOVE = 3;

/** Dispatches `choose` with the node of the clicked line. */
export class YamlView extends LitElement {
  static override properties = {
    state: { attribute: false },
    result: { attribute: false },
    nodes: { attribute: false },
    parts: { state: true },
    copied: { state: true },
    opened: { state: true },
  };
  static override styles = [
    baseStyles,
    markStyles,
    css`
      :host {
        position: relative;
        padding: 4px 0;
      }
      .copy {
        position: absolute;
        z-index: 1;
        inset-block-start: 4px;
        inset-inline-end: var(--ff-space);
      }
      pre {
        margin: 0;
        padding-inline-end: var(--ff-space);
        overflow-x: auto;
        line-height: 20px;
        content-visibility: auto;
        contain-intrinsic-size: auto 400px;
      }
      .line {
        display: block;
        min-height: 20px;
        padding-inline-start: 28px;
        white-space: pre;
      }
      .line:hover {
        background: var(--ff-hover);
      }
      .margin {
        position: absolute;
        inset-inline-start: 6px;
        padding: 0 3px;
        border: 0;
        background: none;
        line-height: 20px;
        user-select: none;
      }
      summary {
        padding: 2px var(--ff-space);
        cursor: pointer;
      }
      .key {
        color: var(--ff-accent);
      }
      .string {
        color: var(--ff-added);
      }
      .number,
      .word {
        color: var(--ff-layer-2);
      }
      .mark-text {
        color: var(--ff-quiet);
      }
      .comment {
        color: var(--ff-quiet);
      }
    `,
  ];
  declare state: State;
  declare result: ResultAnswer | undefined;
  declare nodes: Node[];
  declare parts: Part[];
  declare copied: boolean;
  declare opened: Set<string>;
  #byPointer = new Map<string, Node>();

  constructor() {
    super();
    this.nodes = [];
    this.parts = [];
    this.copied = false;
    this.opened = new Set();
  }

  /** The complete text for the clipboard. */
  get text(): string {
    const text = (part: Part) => [...part.lines.map(lineText), ...part.notes.map((it) => `# ${it}`)].join("\n");
    return `${this.parts.map(text).join("\n---\n")}\n`;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("result")) void this.#print();
    this.#byPointer = new Map();
    const gather = (nodes: Node[]): void => {
      for (const it of nodes) {
        if (it.path !== undefined && it.change !== "removed")
          this.#byPointer.set(`${it.object ?? ""} ${it.object === undefined ? pointerOf(it.path) : it.path}`, it);
        gather(it.children);
      }
    };
    gather(this.nodes);
  }

  override render() {
    const { parts } = this;
    return html`
      <button class="copy" @click=${this.#copy}>${this.copied ? "copied" : "copy"}</button>
      ${parts.map((part) =>
        part.name === undefined || parts.length <= FOLD_ABOVE ? this.#part(part) : this.#folded(part),
      )}
    `;
  }

  #folded(part: Part) {
    const opened = this.opened.has(part.name!);
    const toggle = (event: Event) => {
      const isOpen = (event.target as HTMLDetailsElement).open;
      if (isOpen === this.opened.has(part.name!)) return;
      this.opened = new Set(isOpen ? [...this.opened, part.name!] : [...this.opened].filter((it) => it !== part.name));
    };
    return html`<details ?open=${opened} @toggle=${toggle}>
      <summary><code>${part.name}</code> <span class="quiet">${part.lines.length} lines</span></summary>
      ${opened ? this.#part(part) : nothing}
    </details>`;
  }

  #part(part: Part) {
    return html`<pre
      tabindex="0"
      role="region"
      aria-label=${`YAML${part.name === undefined ? "" : ` of ${part.name}`}`}
    >
${guard(
        [part, this.nodes],
        () =>
          html`${part.lines.map((it, at) =>
            this.#line(it, part.name, it.path !== part.lines[at - 1]?.path),
          )}${part.notes.map((it) => html`<span class="line comment"># ${it}</span>`)}`,
      )}</pre>`;
  }

  #line(line: PrintLine, object: string | undefined, begins: boolean) {
    const node = begins ? this.#nodeOf(line.path, object) : undefined;
    const layer = node && (node.retainedBy === undefined ? node.origins[0]?.layer : "live");
    const button = node && layer && !node.children.length ? this.#marginButton(node, layer) : nothing;
    const tokens = line.tokens.map(({ kind, text }) =>
      kind === "space" ? text : html`<span class=${kind === "mark" ? "mark-text" : kind}>${text}</span>`,
    );
    // The line break is for selecting and copying.
    return html`<span class="line">${button}${tokens}${"\n"}</span>`;
  }

  #marginButton(node: Node, layer: string) {
    const choose = () => this.dispatchEvent(new CustomEvent("choose", { detail: node }));
    const label = `${node.name}: set by ${layer}`;
    // Space inside the button would be visible and copied: it is part of a `pre`.
    // prettier-ignore
    return html`<button class="margin" tabindex="-1" aria-label=${label} title=${`set by ${layer}`} @click=${choose}>${
      layerMark(layer)
    }</button>`;
  }

  #nodeOf(pointer: string, object: string | undefined): Node | undefined {
    return this.#byPointer.get(`${object ?? ""} ${pointer}`);
  }

  /** The parts of the last result stay visible until those of the new one are printed. */
  async #print(): Promise<void> {
    const { result } = this;
    const objects = result?.objects?.map((it) => it.object);
    const documents = (objects ?? [result?.values ?? {}]) as Json[];
    const { lines } = await this.state.engine.ask({ op: "print", documents, lines: true });
    if (result !== this.result) return;
    const notes = (objects ? [] : (result?.options ?? []))
      .filter((it) => it.valueFrom !== undefined)
      .map((it) => `${it.path}: ${referenceText(it.valueFrom)}`.replaceAll(/\s+/g, " "));
    this.parts = (lines ?? []).map((of, at) => ({
      ...(objects ? { name: objectName(objects[at]!) } : {}),
      lines: of,
      notes,
    }));
  }

  readonly #copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(this.text);
    } catch {
      // Without clipboard access, select the text so that the user can copy it.
      getSelection()?.selectAllChildren(this.renderRoot.querySelector("pre")!);
      return;
    }
    this.copied = true;
    setTimeout(() => (this.copied = false), 1500);
  };
}

function lineText(line: PrintLine): string {
  return line.tokens.map((it) => it.text).join("");
}

/** The JSON pointer of an option in the merged values: `image.tag`, `hosts[0].name`, `a\.b`. */
function pointerOf(path: string): string {
  const steps = path.match(/\[\d+\]|(?:\\.|[^.[\\])+/gs) ?? [];
  return steps
    .map((it) => pointerSegment(it.startsWith("[") ? it.slice(1, -1) : it.replaceAll(/\\(.)/gs, "$1")))
    .join("");
}

customElements.define("ff-yaml", YamlView);
