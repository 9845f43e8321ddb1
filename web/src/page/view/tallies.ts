// Parts that the document-like views share: the row of counts and the sign of a verb.
import { html, type TemplateResult } from "lit";
import { formatCount } from "../../format.js";

/** Numbers with their labels, in one row. The loud ones are easy to miss. */
export function tallies(label: string, all: [number: number, what: string, loud?: boolean][]): TemplateResult {
  return html`<dl class="tallies" aria-label=${label}>
    ${all.map(
      ([number, what, loud]) =>
        html`<div class=${loud && number ? "loud" : ""}>
          <dt>${what}</dt>
          <dd>${formatCount(number)}</dd>
        </div>`,
    )}
  </dl>`;
}

const VERBS: Record<string, [sign: string, tone: string]> = {
  create: ["+", "added"],
  patch: ["~", "patched"],
  delete: ["−", "removed"],
};

/** A sign for each verb: colour alone is not accessible. */
export function verbSign(verb: string): TemplateResult {
  const [text, tone] = VERBS[verb] ?? ["·", "quiet"];
  return html`<span class="sign ${tone}" aria-hidden="true">${text}</span>`;
}
