// What people wrote: the files, the text of one, and what was found in all of them.
import { css, html, LitElement, nothing } from "lit";
import type { EffectiveAnswer, Finding } from "../../../contract.js";
import { layerMark, marks } from "../../layers.js";
import { look } from "../../theme.styles.js";
import { Ask, Watch } from "../engine-query.js";
import { LATER, SOON, URGENT } from "../engine.js";
import { fileOf } from "../files.js";
import type { Place, State } from "../state.js";
import type { Bring } from "./documents/import-files.js";
import "./documents/import-files.js";
import { completionFor } from "./documents/completion.js";
import { type Decided, decidedBy, fileOfSubject, saying } from "./documents/line-origins.js";
import type { Editor } from "./documents/editor.js";
import "./documents/editor.js";
import type { Wrong } from "./documents/file-list.js";
import "./documents/file-list.js";
import { sorted } from "./documents/problems.js";
import "./documents/problems.js";
import { SIGNS, signOf } from "./documents/folders.js";

/** The three lines that make a cluster. */
const FIRST = `apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: eu-1, labels: {tier: gold}}
`;

export class Documents extends LitElement {
  static override properties = { state: { attribute: false }, over: { state: true }, line: { state: true } };
  static override styles = [
    look,
    marks,
    css`
      :host {
        display: flex;
        flex-direction: column;
        position: relative;
        height: 100%;
        min-height: 0;
        overflow: hidden;
      }
      .title,
      .line {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px var(--ff-space);
        padding: calc(var(--ff-space) / 2) var(--ff-space);
        border-bottom: 1px solid var(--ff-line);
      }
      ff-files {
        flex: 0 1 auto;
        height: min(24%, 216px);
        min-height: 72px;
        border-bottom: 1px solid var(--ff-line);
      }
      ff-editor {
        flex: 1 1 0;
        min-height: 96px;
      }
      ff-problems {
        flex: 0 1 auto;
        max-height: 24%;
      }
      .name {
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        margin-right: auto;
        white-space: nowrap;
        font-family: var(--ff-mono);
      }
      .line {
        border-top: 1px solid var(--ff-line);
        border-bottom: 0;
        min-height: 29px;
        max-height: 54px;
        overflow: hidden;
        background: var(--ff-raised);
        color: var(--ff-quiet);
      }
      .title {
        flex-wrap: nowrap;
      }
      .title > :not(.name) {
        flex: none;
      }
      .title button {
        padding: 0 6px;
      }
      .line button {
        min-width: 0;
        max-width: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .line .hidden {
        text-decoration: line-through;
      }
      .over {
        position: absolute;
        inset: 4px;
        z-index: 10;
        display: grid;
        place-items: center;
        border: 2px dashed var(--ff-accent);
        border-radius: var(--ff-radius);
        background: color-mix(in srgb, var(--ff-page) 85%, transparent);
        pointer-events: none;
        font-weight: 600;
      }
      .empty {
        flex: 1 1 0;
        overflow: auto;
      }
    `,
  ];
  declare state: State;
  /** Something is dragged over it. */
  declare over: boolean;
  /** The line of the cursor, and what it says. */
  declare line: { line: number; says: Decided[] } | undefined;
  readonly subjects = new Ask<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  readonly lint = new Ask<"lint">(this, () => ({ op: "lint" }), { urgency: LATER });
  readonly effective = new Ask<"effective">(
    this,
    () =>
      this.state.choice.subject === undefined
        ? undefined
        : { op: "effective", subject: this.state.choice.subject, origins: true },
    { urgency: URGENT },
  );
  readonly #complete = completionFor(() => ({ state: this.state, file: this.#file }));
  #file: string | undefined;
  #findings: Finding[] = [];
  #here: Finding[] = [];
  #wrong = new Map<string, Wrong>();
  #decided = new Map<string, Decided[]>();
  #decidedOf: [EffectiveAnswer | undefined, string | undefined] = [undefined, undefined];
  #seen = "";
  static readonly #nothing: Decided[] = [];

  constructor() {
    super();
    this.over = false;
    new Watch(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.state.addEventListener("open", this.#open);
    // Anywhere on the page: what nobody takes, the browser would show instead of the page.
    addEventListener("dragover", this.#dragOver);
    addEventListener("dragleave", this.#dragLeave);
    addEventListener("drop", this.#drop);
    // Before the editor, which would take the text of a file into the one that is open.
    this.addEventListener("drop", this.#drop, true);
    this.addEventListener("paste", this.#paste, true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.state.removeEventListener("open", this.#open);
    removeEventListener("dragover", this.#dragOver);
    removeEventListener("dragleave", this.#dragLeave);
    removeEventListener("drop", this.#drop);
  }

  override willUpdate(): void {
    this.#file = this.#chosen();
    this.#gather();
    const { subject, cluster } = this.state.choice;
    const { value, stale } = this.effective;
    // Of something else: of no use, unless its own answer is about to come.
    const answer = value?.subject === subject || stale ? value : undefined;
    if (answer === this.#decidedOf[0] && cluster === this.#decidedOf[1]) return;
    this.#decidedOf = [answer, cluster];
    this.#decided = answer ? decidedBy(answer, cluster) : new Map();
  }

  override render() {
    const empty = ![...this.state.files.values()].length && this.state.generation > 0;
    return html`
      <ff-bring .state=${this.state}></ff-bring>
      ${empty ? this.#empty() : this.#documents()}
      ${this.over ? html`<div class="over">Drop YAML or JSON files, or a folder</div>` : nothing}
    `;
  }

  #documents() {
    const file = this.#file === undefined ? undefined : this.state.files.get(this.#file);
    const sign = file ? signOf(file) : "";
    return html`
      <ff-files
        .state=${this.state}
        .file=${this.#file}
        .wrong=${this.#wrong}
        @choose=${(event: CustomEvent<string>) => this.#choose(event.detail)}
        @remove=${(event: CustomEvent<string>) => this.#remove(event.detail)}
      ></ff-files>
      ${
        file
          ? html`
              <div class="title">
                <span class="name" title=${file.name}>${file.name}</span>
                ${sign ? html`<span class="quiet"><span aria-hidden="true">${sign}</span> ${SIGNS[sign]}</span>` : nothing}
                ${file.text === null || (sign === "~" && file.base !== null) ? html`<button @click=${() => this.state.setText(file.name, file.base ?? "")}>${file.text === null ? "Put back" : "Revert"}</button>` : nothing}
                ${file.text === null ? nothing : html`<button aria-label="Remove ${file.name}" @click=${() => this.#remove(file.name)}>Remove</button>`}
              </div>
            `
          : nothing
      }
      ${file?.text === null ? html`<p class="empty">This file is removed: its documents count no more. It comes back with Put back, or when everything is reset.</p>` : nothing}
      <ff-editor
        ?hidden=${file?.text === null}
        .state=${this.state}
        .file=${this.#file}
        .findings=${this.#here}
        .decided=${this.#decided.get(this.#file ?? "") ?? Documents.#nothing}
        .complete=${this.#complete}
        @typed=${this.#typed}
        @line=${this.#atLine}
        @decided=${(event: CustomEvent<Decided[]>) => this.#decide(event.detail)}
        @code=${this.#code}
      ></ff-editor>
      ${file && file.text !== null ? this.#line() : nothing}
      <ff-problems
        .findings=${this.#findings}
        .file=${this.#file}
        @place=${(event: CustomEvent<Place>) => this.state.goTo(event.detail)}
        @fix=${this.#fix}
        @code=${this.#code}
      ></ff-problems>
    `;
  }

  /** What the line of the cursor decides, for those who do not see the gutter, or have no mouse. */
  #line() {
    const says = this.line?.says ?? [];
    return html`
      <div class="line" role="group" aria-label="What this line decides">
        ${
          says.length
            ? says
                .slice(0, 3)
                .map(
                  (it) =>
                    html`${layerMark(it.layer)}<button
                        class="link ${it.wins ? "" : "hidden"}"
                        title=${saying(it)}
                        @click=${() => this.#decide([it])}
                      >
                        line ${this.line!.line}: ${saying(it)}
                      </button>`,
                )
            : html`<span>line ${this.line?.line ?? 1} decides no value of what is chosen</span>`
        }
      </div>
    `;
  }

  #empty() {
    return html`
      <div class="empty">
        <p>There are no documents. Drop files or a folder here, or begin with a cluster: these three lines make one.</p>
        <pre tabindex="0" role="region" aria-label="A cluster in three lines">${FIRST}</pre>
        <button class="primary" @click=${() => void this.#bring.add([fileOf("fleet.yaml", FIRST)])}>
          Insert these lines
        </button>
      </div>
    `;
  }

  /** The file that somebody chose, else the one that holds what is chosen, else the first. */
  #chosen(): string | undefined {
    const { files, choice } = this.state;
    if (choice.file !== undefined && files.has(choice.file)) return choice.file;
    const { subject } = choice;
    // Until it is known what is chosen, nothing is shown: better than another file for a moment.
    if (!this.subjects.value || (this.subjects.value.subjects.length && !this.effective.value && !this.effective.error))
      return this.#file !== undefined && files.has(this.#file) ? this.#file : undefined;
    const holder =
      subject !== undefined && this.effective.value?.subject === subject
        ? fileOfSubject(this.effective.value)
        : undefined;
    if (holder !== undefined && files.has(holder)) return holder;
    const there = [...files.values()];
    return (
      there.find((it) => it.text !== null && it.live === undefined) ??
      there.find((it) => it.text !== null) ??
      there[0]
    )?.name;
  }

  /** Puts together what was found while loading and what was found about all of it. */
  #gather(): void {
    const told = new Map<string, Finding>();
    const put = (it: Finding) =>
      told.set(`${it.code} ${it.at?.file} ${it.at?.line} ${it.at?.column} ${it.message}`, it);
    for (const [file, all] of this.state.findings)
      for (const it of all) put(it.at?.file === undefined ? { ...it, at: { ...it.at, file } } : it);
    this.lint.diagnostics.forEach(put);
    const seen = [...told.keys()].join("\n");
    const here = this.#findings.filter((it) => it.at?.file === this.#file);
    if (seen === this.#seen) {
      if (here.length !== this.#here.length || here.some((it, index) => it !== this.#here[index])) this.#here = here;
      return;
    }
    this.#seen = seen;
    this.#findings = sorted([...told.values()]);
    this.#here = this.#findings.filter((it) => it.at?.file === this.#file);
    this.#wrong = new Map();
    for (const { at, severity } of this.#findings) {
      const wrong = this.#wrong.get(at?.file ?? "") ?? { errors: 0, warnings: 0 };
      if (severity === "error") wrong.errors++;
      if (severity === "warning") wrong.warnings++;
      this.#wrong.set(at?.file ?? "", wrong);
    }
  }

  get #editor(): Editor | null {
    return this.renderRoot.querySelector<Editor>("ff-editor");
  }

  get #bring(): Bring {
    return this.renderRoot.querySelector<Bring>("ff-bring")!;
  }

  #choose(file: string): void {
    this.line = undefined;
    this.state.choose({ file });
  }

  #remove(file: string): void {
    const removed = this.state.files.get(file);
    if (!removed || removed.text === null) return;
    this.state.remove(file);
    // It stays in sight, so that it can be put back.
    if (this.state.files.has(file)) this.state.choose({ file });
  }

  #decide(says: Decided[]): void {
    const it = says.find((it) => it.wins) ?? says[0];
    if (!it) return;
    this.state.choose({ ...(it.path ? { path: it.path } : {}), object: it.object });
  }

  readonly #atLine = (event: CustomEvent<{ line: number; says: Decided[] }>): void => {
    const { line, says } = event.detail;
    if (line !== this.line?.line || says !== this.line.says) this.line = event.detail;
  };

  /** Who types in a file means that file, whatever else is chosen next. */
  readonly #typed = (event: CustomEvent<string>): void => {
    if (this.state.choice.file === undefined) this.state.choose({ file: event.detail });
  };

  readonly #code = (event: CustomEvent<string>): void => {
    this.state.choose({ view: "reference", path: `code:${event.detail}` });
  };

  readonly #fix = async (event: CustomEvent<Finding>): Promise<void> => {
    const finding = event.detail;
    if (finding.at?.file === undefined) return;
    this.state.goTo({ ...finding.at, file: finding.at.file });
    await this.updateComplete;
    this.#editor?.fix(finding);
  };

  readonly #open = async (event: Event): Promise<void> => {
    const place = (event as CustomEvent<Place>).detail;
    this.requestUpdate();
    await this.updateComplete;
    const editor = this.#editor;
    await editor?.updateComplete;
    editor?.show(place);
  };

  readonly #dragOver = (event: DragEvent): void => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    this.over = true;
  };

  readonly #dragLeave = (event: DragEvent): void => {
    if (!event.relatedTarget) this.over = false;
  };

  readonly #drop = async (event: DragEvent): Promise<void> => {
    this.over = false;
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    await this.#bring.take(event.dataTransfer);
  };

  readonly #paste = async (event: ClipboardEvent): Promise<void> => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    await this.#bring.take(event.clipboardData);
  };
}

customElements.define("ff-documents", Documents);
