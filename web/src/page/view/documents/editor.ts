// The editor of one file. It never waits: each change goes to the state at once, and findings come back asynchronously.
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  type CompletionSource,
  selectedCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import {
  Annotation,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
  type TransactionSpec,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { css, html, LitElement, nothing, type PropertyValues, render } from "lit";
import type { Finding } from "../../../../contract.js";
import { markStyles } from "../../../layers.js";
import { baseStyles } from "../../../theme.styles.js";
import type { Source } from "../../source.js";
import { StateController } from "../../state-controller.js";
import type { Place, State } from "../../state.js";
import type { LineOrigin } from "./line-origins.js";
import { fixOf, fixTitle } from "./quick-fix.js";
import { changeGutter, layerGutter, originsAt, setBase, setDecided } from "./gutters.js";
import { editorTheme } from "./editor.styles.js";
import { offsetOf, rangeOf } from "./position.js";
import { inlineCode } from "../inline-code.js";

/** Marks a change that came from the state and must not go back to it. */
const fromState = Annotation.define<boolean>();

const flash = StateEffect.define<number | null>();
const flashed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, transaction) {
    const it = transaction.effects.find((it) => it.is(flash));
    if (!it) return before.map(transaction.changes);
    return it.value === null ? Decoration.none : Decoration.set(Decoration.line({ class: "ff-flash" }).range(it.value));
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The editor state of a file: text, history, cursor and scroll position. */
interface FileEditor {
  editor: EditorState;
  /** The text in the page's state. */
  text: string;
  scroll?: StateEffect<unknown>;
}

export class Editor extends LitElement {
  static override properties = {
    state: { attribute: false },
    file: { attribute: false },
    findings: { attribute: false },
    decided: { attribute: false },
    complete: { attribute: false },
  };
  static override styles = [
    baseStyles,
    markStyles,
    css`
      :host {
        position: relative;
        min-height: 0;
      }
      .text {
        position: absolute;
        inset: 0;
      }
      .ff-flash {
        animation: flash 1.2s ease-out;
        background: var(--ff-chosen);
      }
      @keyframes flash {
        from {
          background: var(--ff-warning-soft);
          box-shadow: inset 0 0 0 1px var(--ff-warning);
        }
      }
      .about {
        margin: 0;
        color: var(--ff-quiet);
      }
    `,
  ];
  declare state: State;
  declare file: string | undefined;
  declare findings: Finding[];
  declare decided: LineOrigin[];
  declare complete: CompletionSource;
  #view: EditorView | undefined;
  #shown: string | undefined;
  #source: Source | undefined;
  #shownFindings: Finding[] | undefined;
  #shownOrigins: LineOrigin[] | undefined;
  /** The baseline shown in the change gutter, and its file. */
  #shownBase: string | null | undefined;
  #shownBaseFile: string | undefined;
  readonly #editors = new Map<string, FileEditor>();

  constructor() {
    super();
    new StateController(this);
  }

  override render() {
    return html`
      <div class="text"></div>
      <p id="leave" class="visually-hidden">
        Press Escape, then Tab to leave the editor. Control and Space completes. Alt and Enter goes to the value that
        this line decides.
      </p>
    `;
  }

  override firstUpdated(): void {
    const parent = this.renderRoot.querySelector(".text")!;
    this.#view = new EditorView({
      parent,
      root: this.renderRoot as ShadowRoot,
      dispatchTransactions: (all, view) => this.#dispatch(all, view),
    });
  }

  override updated(changed: PropertyValues<this>): void {
    this.#syncFile();
    if (changed.has("findings") || this.#shownFindings === undefined) this.#showDiagnostics();
    if (changed.has("decided") || this.#shownOrigins === undefined) this.#showOrigins();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#saveEditor();
  }

  /** Opens a position of the file. */
  show(place: Place): void {
    this.file = place.file;
    this.#syncFile();
    const view = this.#view;
    if (!view || this.#shown !== place.file) return;
    const at = offsetOf(view.state.doc, place);
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    if (place.aside) return;
    view.dispatch({ effects: flash.of(view.state.doc.lineAt(at).from) });
    setTimeout(() => view.dispatch({ effects: flash.of(null) }), 1500);
    view.focus();
  }

  /** Applies the quick fix of a finding as one undo step. */
  fix(finding: Finding, at?: number): void {
    const view = this.#view;
    const fix = view && fixOf(view.state.doc, finding, at);
    if (!view || !fix) return;
    view.dispatch({
      changes: fix,
      selection: { anchor: fix.from + fix.insert.length },
      annotations: isolateHistory.of("full"),
      userEvent: "input.fix",
    });
    view.focus();
  }

  /** Shows the selected file with the text of the state. */
  #syncFile(): void {
    const view = this.#view;
    if (!view) return;
    if (this.state.source !== this.#source) this.#dropStaleEditors();
    const name = this.file;
    if (name !== this.#shown) {
      this.#saveEditor();
      this.#shown = name;
      this.#shownFindings = this.#shownOrigins = undefined;
      const kept = name === undefined ? undefined : this.#editors.get(name);
      const text = (name === undefined ? undefined : this.state.files.get(name)?.text) ?? "";
      view.setState(kept?.editor ?? EditorState.create({ doc: text, extensions: this.#extensions(name, text) }));
      if (kept?.scroll) view.dispatch({ effects: kept.scroll });
      if (name !== undefined && !kept) this.#editors.set(name, { editor: view.state, text });
    }
    if (name === undefined) return;
    const file = this.state.files.get(name);
    const kept = this.#editors.get(name)!;
    const effects = [setBase.of(file?.base ?? null)];
    // A removed file is not visible: keep its text until it is restored.
    const text = file?.text ?? kept.text;
    if (text === kept.text) {
      if (this.#shownBase !== file?.base || this.#shownBaseFile !== name) view.dispatch({ effects });
    } else {
      kept.text = text;
      view.dispatch({
        ...smallestChange(view.state, text),
        effects,
        annotations: [fromState.of(true), isolateHistory.of("full")],
      });
    }
    [this.#shownBase, this.#shownBaseFile] = [file?.base, name];
  }

  /**
   * After a change of source, drops editors whose text differs. Documents of a server are newer versions of the same
   * files and keep their history.
   */
  #dropStaleEditors(): void {
    this.#source = this.state.source;
    if (this.#source.id === "served") return;
    for (const [name, it] of this.#editors) {
      if (this.state.files.get(name)?.text === it.text) continue;
      this.#editors.delete(name);
      if (name === this.#shown) this.#shown = undefined;
    }
  }

  #saveEditor(): void {
    const kept = this.#shown === undefined ? undefined : this.#editors.get(this.#shown);
    if (!kept || !this.#view) return;
    kept.editor = this.#view.state;
    kept.scroll = this.#view.scrollSnapshot();
  }

  #dispatch(all: readonly Parameters<EditorView["update"]>[0][number][], view: EditorView): void {
    view.update(all);
    const name = this.#shown;
    if (name === undefined) return;
    if (all.some((it) => it.docChanged && !it.annotation(fromState))) {
      const text = view.state.sliceDoc();
      this.#editors.get(name)!.text = text;
      this.state.setText(name, text);
      this.dispatchEvent(new CustomEvent("typed", { detail: name }));
    }
    if (all.some((it) => it.docChanged || it.selection || it.effects.some((effect) => effect.is(setDecided))))
      this.#dispatchLine(view.state);
  }

  #dispatchLine(state: EditorState): void {
    const line = state.doc.lineAt(state.selection.main.head);
    this.dispatchEvent(new CustomEvent("line", { detail: { line: line.number, says: originsAt(state, line.from) } }));
  }

  #showDiagnostics(): void {
    const view = this.#view;
    if (!view || this.#shown === undefined) return;
    this.#shownFindings = this.findings;
    view.dispatch(
      setDiagnostics(
        view.state,
        this.findings.map((it) => this.#diagnostic(view.state, it)).sort((a, b) => a.from - b.from),
      ),
    );
  }

  #diagnostic(state: EditorState, finding: Finding): Diagnostic {
    const title = fixTitle(finding);
    const actions =
      title === undefined ? [] : [{ name: title, apply: (_: EditorView, from: number) => this.fix(finding, from) }];
    const severity = finding.severity === "error" || finding.severity === "warning" ? finding.severity : "info";
    return {
      ...rangeOf(state.doc, finding),
      severity,
      message: finding.message,
      renderMessage: () => this.#message(finding),
      actions,
    };
  }

  #message(finding: Finding): Node {
    const dom = document.createElement("div");
    const code = () => this.dispatchEvent(new CustomEvent("code", { detail: finding.code }));
    render(
      html`
        <strong>${finding.severity}</strong> ${inlineCode(finding.message)}
        ${finding.hint ? html`<p class="about">${inlineCode(finding.hint)}</p>` : nothing}
        <button class="link" title="what ${finding.code} means" @click=${code}>${finding.code}</button>
      `,
      dom,
    );
    return dom;
  }

  #showOrigins(): void {
    const view = this.#view;
    if (!view || this.#shown === undefined) return;
    this.#shownOrigins = this.decided;
    view.dispatch({ effects: setDecided.of(this.decided) });
  }

  #extensions(name: string | undefined, text: string): Extension {
    const label = name === undefined ? "No file" : `${name}, text of the document`;
    const choose = (says: LineOrigin[]) => this.dispatchEvent(new CustomEvent("decided", { detail: says }));
    const toValue = (view: EditorView) => {
      const says = originsAt(view.state, view.state.selection.main.head);
      if (says.length) choose(says);
      return says.length > 0;
    };
    return [
      layerGutter(choose),
      lintGutter(),
      changeGutter,
      lineNumbers(),
      highlightActiveLineGutter(),
      // Shows invisible and bidirectional control characters.
      highlightSpecialChars(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      closeBrackets(),
      autocompletion({
        override: [(context) => this.complete(context)],
        icons: false,
        defaultKeymap: false,
        activateOnCompletion: (it) => it.type === "property",
      }),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      flashed,
      yaml(),
      indentUnit.of("  "),
      EditorState.tabSize.of(2),
      text.includes("\r\n") ? EditorState.lineSeparator.of("\r\n") : [],
      EditorState.readOnly.of(name === undefined),
      EditorView.contentAttributes.of({
        "aria-label": label,
        "aria-describedby": "leave",
        tabindex: "0",
        spellcheck: "false",
        autocorrect: "off",
        autocapitalize: "off",
      }),
      keymap.of([
        { key: "Alt-Enter", run: toValue },
        { key: "Enter", run: closeFinishedCompletion },
        ...completionKeymap,
        ...closeBracketsKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...lintKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      editorTheme,
    ];
  }
}

/** Enter after a completely typed word ends the line instead of accepting the completion. */
function closeFinishedCompletion(view: EditorView): boolean {
  const label = selectedCompletion(view.state)?.label;
  const { head } = view.state.selection.main;
  if (label !== undefined && view.state.sliceDoc(Math.max(0, head - label.length), head) === label)
    closeCompletion(view);
  return false;
}

/** The smallest change to another text, so that cursor, history and marks stay in place. */
function smallestChange(state: EditorState, text: string): TransactionSpec {
  const before = state.sliceDoc();
  const most = Math.min(before.length, text.length);
  let head = 0;
  while (head < most && before.charCodeAt(head) === text.charCodeAt(head)) head++;
  let tail = 0;
  while (tail < most - head && before.charCodeAt(before.length - 1 - tail) === text.charCodeAt(text.length - 1 - tail))
    tail++;
  // The editor counts every line break as one character.
  const at = (offset: number) =>
    state.lineBreak.length === 1 ? offset : before.slice(0, offset).replaceAll(state.lineBreak, "\n").length;
  return {
    changes: {
      from: at(head),
      to: at(before.length - tail),
      insert: state.toText(text.slice(head, text.length - tail)),
    },
  };
}

customElements.define("ff-editor", Editor);
