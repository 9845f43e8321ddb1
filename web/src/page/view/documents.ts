// The Documents column: the files, the editor and the findings.
import { css, html, LitElement, nothing } from "lit";
import type { EffectiveAnswer, Finding } from "../../../contract.js";
import { layerMark, markStyles } from "../../layers.js";
import { baseStyles } from "../../theme.styles.js";
import { EngineQuery } from "../engine-query.js";
import { LATER, SOON, URGENT } from "../engine.js";
import { StateController } from "../state-controller.js";
import type { Place, State } from "../state.js";
import type { ImportFiles } from "./documents/import-files.js";
import "./documents/import-files.js";
import { completionFor } from "./documents/completion.js";
import { type LineOrigin, lineOrigins, subjectFile, describeOrigin } from "./documents/line-origins.js";
import type { Editor } from "./documents/editor.js";
import "./documents/editor.js";
import type { ProblemCounts } from "./documents/file-list.js";
import "./documents/file-list.js";
import { sortFindings } from "./documents/problems.js";
import "./documents/problems.js";
import { SIGNS, signOf } from "./documents/folders.js";

const EXAMPLE_CLUSTER = `apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: eu-1, labels: {tier: gold}}
`;

export class Documents extends LitElement {
  static override properties = { state: { attribute: false }, over: { state: true }, line: { state: true } };
  static override styles = [
    baseStyles,
    markStyles,
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
  /** Whether files are dragged over the page. */
  declare over: boolean;
  /** The line of the cursor and the values it sets. */
  declare line: { line: number; says: LineOrigin[] } | undefined;
  readonly subjects = new EngineQuery<"subjects">(this, () => ({ op: "subjects" }), { urgency: SOON });
  readonly lint = new EngineQuery<"lint">(this, () => ({ op: "lint" }), { urgency: LATER });
  readonly effective = new EngineQuery<"effective">(
    this,
    () =>
      this.state.selection.subject === undefined
        ? undefined
        : { op: "effective", subject: this.state.selection.subject, origins: true },
    { urgency: URGENT },
  );
  readonly #complete = completionFor(() => ({ state: this.state, file: this.#file }));
  #file: string | undefined;
  #findings: Finding[] = [];
  #fileFindings: Finding[] = [];
  #problemCounts = new Map<string, ProblemCounts>();
  #origins = new Map<string, LineOrigin[]>();
  #originsKey: [EffectiveAnswer | undefined, string | undefined] = [undefined, undefined];
  #findingsKey = "";
  static readonly #noOrigins: LineOrigin[] = [];

  constructor() {
    super();
    this.over = false;
    new StateController(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.state.addEventListener("open", this.#open);
    // Listens on the window: the browser would navigate to a file that is dropped elsewhere.
    addEventListener("dragover", this.#dragOver);
    addEventListener("dragleave", this.#dragLeave);
    addEventListener("drop", this.#drop);
    // In the capture phase: the editor would insert the file's text into the open file.
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
    this.#file = this.#fileToShow();
    this.#collectFindings();
    const { subject, cluster } = this.state.selection;
    const { value, stale } = this.effective;
    // An answer for another subject is only useful until its successor arrives.
    const answer = value?.subject === subject || stale ? value : undefined;
    if (answer === this.#originsKey[0] && cluster === this.#originsKey[1]) return;
    this.#originsKey = [answer, cluster];
    this.#origins = answer ? lineOrigins(answer, cluster) : new Map();
  }

  override render() {
    const empty = ![...this.state.files.values()].length && this.state.generation > 0;
    return html`
      <ff-import .state=${this.state}></ff-import>
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
        .wrong=${this.#problemCounts}
        @choose=${(event: CustomEvent<string>) => this.#selectFile(event.detail)}
        @remove=${(event: CustomEvent<string>) => this.#remove(event.detail)}
      ></ff-files>
      ${
        file
          ? html`
              <div class="title">
                <span class="name" title=${file.name}>${file.name}</span>
                ${
                  sign
                    ? html`<span class="quiet"><span aria-hidden="true">${sign}</span> ${SIGNS[sign]}</span>`
                    : nothing
                }
                ${
                  file.text === null || (sign === "~" && file.base !== null)
                    ? html`<button @click=${() => this.state.setText(file.name, file.base ?? "")}>
                        ${file.text === null ? "Put back" : "Revert"}
                      </button>`
                    : nothing
                }
                ${
                  file.text === null
                    ? nothing
                    : html`<button aria-label="Remove ${file.name}" @click=${() => this.#remove(file.name)}>
                        Remove
                      </button>`
                }
              </div>
            `
          : nothing
      }
      ${
        file?.text === null
          ? html`<p class="empty">
              This file is removed: its documents count no more. It comes back with Put back, or when everything is
              reset.
            </p>`
          : nothing
      }
      <ff-editor
        ?hidden=${file?.text === null}
        .state=${this.state}
        .file=${this.#file}
        .findings=${this.#fileFindings}
        .decided=${this.#origins.get(this.#file ?? "") ?? Documents.#noOrigins}
        .complete=${this.#complete}
        @typed=${this.#textTyped}
        @line=${this.#lineChanged}
        @decided=${(event: CustomEvent<LineOrigin[]>) => this.#selectOrigin(event.detail)}
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

  /** The values that the cursor's line sets, for users without a mouse or without sight of the gutter. */
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
                        title=${describeOrigin(it)}
                        @click=${() => this.#selectOrigin([it])}
                      >
                        line ${this.line!.line}: ${describeOrigin(it)}
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
        <p>There are no documents. Drop files or a folder here, or start with a cluster:</p>
        <pre tabindex="0" role="region" aria-label="A cluster in three lines">${EXAMPLE_CLUSTER}</pre>
        <button
          class="primary"
          @click=${() => void this.#importFiles.add([{ name: "fleet.yaml", text: EXAMPLE_CLUSTER }])}
        >
          Insert these lines
        </button>
      </div>
    `;
  }

  /** In order of preference: the selected file, the file of the selected subject, the first file. */
  #fileToShow(): string | undefined {
    const { files, selection } = this.state;
    if (selection.file !== undefined && files.has(selection.file)) return selection.file;
    const { subject } = selection;
    // Show no file until the subject is known, rather than another one for a moment.
    if (!this.subjects.value || (this.subjects.value.subjects.length && !this.effective.value && !this.effective.error))
      return this.#file !== undefined && files.has(this.#file) ? this.#file : undefined;
    const holder =
      subject !== undefined && this.effective.value?.subject === subject
        ? subjectFile(this.effective.value)
        : undefined;
    if (holder !== undefined && files.has(holder)) return holder;
    const there = [...files.values()];
    return (
      there.find((it) => it.text !== null && it.live === undefined) ??
      there.find((it) => it.text !== null) ??
      there[0]
    )?.name;
  }

  /** Merges the findings of loading with those of lint. */
  #collectFindings(): void {
    const unique = new Map<string, Finding>();
    const put = (it: Finding) =>
      unique.set(`${it.code} ${it.at?.file} ${it.at?.line} ${it.at?.column} ${it.message}`, it);
    for (const [file, all] of this.state.findings)
      for (const it of all) put(it.at?.file === undefined ? { ...it, at: { ...it.at, file } } : it);
    this.lint.diagnostics.forEach(put);
    const key = [...unique.keys()].join("\n");
    const here = this.#findings.filter((it) => it.at?.file === this.#file);
    if (key === this.#findingsKey) {
      if (here.length !== this.#fileFindings.length || here.some((it, index) => it !== this.#fileFindings[index]))
        this.#fileFindings = here;
      return;
    }
    this.#findingsKey = key;
    this.#findings = sortFindings([...unique.values()]);
    this.#fileFindings = this.#findings.filter((it) => it.at?.file === this.#file);
    this.#problemCounts = new Map();
    for (const { at, severity } of this.#findings) {
      const wrong = this.#problemCounts.get(at?.file ?? "") ?? { errors: 0, warnings: 0 };
      if (severity === "error") wrong.errors++;
      if (severity === "warning") wrong.warnings++;
      this.#problemCounts.set(at?.file ?? "", wrong);
    }
  }

  get #editor(): Editor | null {
    return this.renderRoot.querySelector<Editor>("ff-editor");
  }

  get #importFiles(): ImportFiles {
    return this.renderRoot.querySelector<ImportFiles>("ff-import")!;
  }

  #selectFile(file: string): void {
    this.line = undefined;
    this.state.select({ file });
  }

  #remove(file: string): void {
    const removed = this.state.files.get(file);
    if (!removed || removed.text === null) return;
    this.state.remove(file);
    // A removed file stays selected, so that it can be restored.
    if (this.state.files.has(file)) this.state.select({ file });
  }

  #selectOrigin(says: LineOrigin[]): void {
    const it = says.find((it) => it.wins) ?? says[0];
    if (!it) return;
    this.state.select({ ...(it.path ? { path: it.path } : {}), object: it.object });
  }

  readonly #lineChanged = (event: CustomEvent<{ line: number; says: LineOrigin[] }>): void => {
    const { line, says } = event.detail;
    if (line !== this.line?.line || says !== this.line.says) this.line = event.detail;
  };

  /** Typing in a file selects it, so that a later selection does not replace it. */
  readonly #textTyped = (event: CustomEvent<string>): void => {
    if (this.state.selection.file === undefined) this.state.select({ file: event.detail });
  };

  readonly #code = (event: CustomEvent<string>): void => {
    this.state.select({ view: "reference", path: `code:${event.detail}` });
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
    await this.#importFiles.importTransfer(event.dataTransfer);
  };

  readonly #paste = async (event: ClipboardEvent): Promise<void> => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    event.stopPropagation();
    await this.#importFiles.importTransfer(event.clipboardData);
  };
}

customElements.define("ff-documents", Documents);
