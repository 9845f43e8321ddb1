// How the editor looks: the tokens of the page, light and dark alike.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--ff-page)", color: "var(--ff-ink)", fontSize: "0.95em" },
  "&.cm-focused": { outline: "2px solid var(--ff-accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--ff-mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { padding: "4px 0", caretColor: "var(--ff-ink)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ff-ink)" },
  ".cm-line": { padding: "0 8px 0 4px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--ff-hover)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--ff-accent) 28%, transparent)" },
  // The selection lies below the text: an opaque line would hide it.
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--ff-hover) 60%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--ff-raised)", color: "var(--ff-quiet)", borderRight: "1px solid var(--ff-line)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "28px", padding: "0 4px" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--ff-chosen)", outline: "1px solid var(--ff-line)" },
  ".cm-searchMatch": { backgroundColor: "var(--ff-warning-soft)", outline: "1px solid var(--ff-warning)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--ff-chosen)", outline: "2px solid var(--ff-accent)" },
  ".cm-selectionMatch": { backgroundColor: "var(--ff-chosen)" },
  ".cm-panels": { backgroundColor: "var(--ff-raised)", color: "var(--ff-ink)", fontFamily: "var(--ff-font)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--ff-line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--ff-line)" },
  ".cm-panel.cm-search": { padding: "4px 24px 4px 8px" },
  ".cm-panel.cm-search label": { fontSize: "inherit" },
  ".cm-panel.cm-search [name=close], .cm-dialog-close": { color: "var(--ff-ink)", fontSize: "inherit", padding: "0 6px" },
  ".cm-textfield": { backgroundColor: "var(--ff-page)", color: "var(--ff-ink)", border: "1px solid var(--ff-line)", borderRadius: "var(--ff-radius)", fontSize: "inherit" },
  ".cm-button": { background: "var(--ff-page)", color: "var(--ff-ink)", border: "1px solid var(--ff-line)", borderRadius: "var(--ff-radius)", fontSize: "inherit", padding: "1px 6px" },
  ".cm-tooltip": { backgroundColor: "var(--ff-page)", color: "var(--ff-ink)", border: "1px solid var(--ff-line)", borderRadius: "var(--ff-radius)", fontFamily: "var(--ff-font)", maxWidth: "min(480px, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--ff-mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "1px 8px", lineHeight: "1.5" },
  ".cm-tooltip-autocomplete ul li[aria-selected], .cm-tooltip-autocomplete-disabled ul li[aria-selected]": { background: "var(--ff-chosen)", color: "var(--ff-ink)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700", color: "var(--ff-accent)" },
  ".cm-completionDetail": { color: "var(--ff-quiet)", fontStyle: "normal", fontFamily: "var(--ff-font)" },
  ".cm-completionInfo": { padding: "4px 8px", maxWidth: "320px" },
  ".cm-tooltip-lint": { padding: "0" },
  ".cm-diagnostic": { padding: "4px 8px", marginLeft: "0", borderLeftWidth: "3px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--ff-error)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--ff-warning)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--ff-quiet)" },
  ".cm-diagnosticAction": { backgroundColor: "var(--ff-page)", color: "var(--ff-accent)", border: "1px solid var(--ff-line)", borderRadius: "var(--ff-radius)", fontSize: "inherit", marginLeft: "0", marginTop: "4px", padding: "1px 8px" },
  // Lines instead of pictures: they need no `data:` address, and follow the tokens.
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "0", textDecoration: "underline wavy 1px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecorationColor: "var(--ff-error)" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecorationColor: "var(--ff-warning)" },
  ".cm-lintRange-info": { backgroundImage: "none", textDecoration: "underline dotted 1px", textDecorationColor: "var(--ff-quiet)" },
  ".cm-lintRange-active": { backgroundColor: "var(--ff-warning-soft)" },
  ".cm-lintPoint::after": { borderBottomColor: "var(--ff-error)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": { width: "14px", height: "auto", textAlign: "center", fontWeight: "700", cursor: "default" },
  ".cm-lint-marker-error, .cm-lint-marker-warning, .cm-lint-marker-info": { content: "normal" },
  ".cm-lint-marker-error::before": { content: "'✕'", color: "var(--ff-error)" },
  ".cm-lint-marker-warning::before": { content: "'▲'", color: "var(--ff-warning)" },
  ".cm-lint-marker-info::before": { content: "'i'", color: "var(--ff-quiet)" },
  ".ff-changes": { width: "11px", textAlign: "center", fontWeight: "700" },
  ".ff-changes .cm-gutterElement": { padding: "0" },
  ".ff-changed": { color: "var(--ff-accent)" },
  ".ff-added": { color: "var(--ff-added)" },
  ".ff-removed": { color: "var(--ff-removed)", boxShadow: "inset 0 2px var(--ff-removed)" },
  ".ff-layers": { width: "14px" },
  ".ff-layers .cm-gutterElement": { padding: "0", display: "flex", justifyContent: "center" },
  ".ff-decides": { display: "flex", alignItems: "center", height: "1.5em", cursor: "pointer", position: "relative" },
  ".ff-decides.hidden": { opacity: "0.6" },
  ".ff-decides.hidden::after": { content: "''", position: "absolute", left: "-2px", right: "-2px", top: "50%", borderTop: "1.5px solid var(--ff-ink)" },
});

const words = HighlightStyle.define([
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--ff-accent)" },
  { tag: tags.string, color: "var(--ff-added)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--ff-quiet)", fontStyle: "italic" },
  { tag: [tags.meta, tags.labelName, tags.typeName, tags.keyword], color: "var(--ff-layer-2)" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--ff-quiet)" },
]);

export const editorLook: Extension = [theme, syntaxHighlighting(words)];
