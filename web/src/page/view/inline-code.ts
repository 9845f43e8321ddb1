// Renders messages of the engine: text in backticks is a name or a value and becomes code.
import { html, type TemplateResult } from "lit";

export function inlineCode(text: string): (string | TemplateResult)[] {
  return text.split("`").map((it, at) => (at % 2 ? html`<code>${it}</code>` : it));
}
