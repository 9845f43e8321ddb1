// The engine's sentences: what stands in backticks is a name or a value.
import { html, type TemplateResult } from "lit";

export function prose(text: string): (string | TemplateResult)[] {
  return text.split("`").map((it, at) => (at % 2 ? html`<code>${it}</code>` : it));
}
