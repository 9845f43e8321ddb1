// Fields of the live object that others set: which of them the next update keeps or removes, and why.
import { css, html, nothing, type TemplateResult } from "lit";
import type { LocalAnswer, ProductAnswer } from "../../../../contract.js";
import { pluralize } from "../../../format.js";
import { inlineCode } from "../inline-code.js";
import { objectName } from "./value-tree.js";

/** One list an object that has such fields; nothing where no object has any. */
export function localChanges(objects: ProductAnswer[] | undefined): TemplateResult | typeof nothing {
  const changed = (objects ?? []).filter((it) => it.local?.length);
  if (!changed.length) return nothing;
  const removed = changed.flatMap((it) => it.local!).filter((it) => !it.stays).length;
  return html`<section class="local" aria-label="Local changes">
    <h3>
      Local changes
      <span class=${removed ? "warn" : "quiet"}
        >${removed ? `the next update removes ${pluralize(removed, "field")}` : "the next update keeps them"}</span
      >
    </h3>
    ${changed.map(
      (it) =>
        html`${changed.length > 1 ? html`<p class="quiet">${objectName(it.object)}</p>` : nothing}
          <ul>
            ${it.local!.map(field)}
          </ul>`,
    )}
  </section>`;
}

function field({ managers, path, stays, why }: LocalAnswer): TemplateResult {
  return html`<li class=${stays ? "stays" : "goes"}>
    <span class="sign ${stays ? "added" : "removed"}" aria-hidden="true">${stays ? "✓" : "−"}</span
    ><span
      ><span class="visually-hidden">${stays ? "kept: " : "removed: "}</span><code>${path}</code>
      <span class="quiet"
        >${managers.length ? `set by ${managers.join(", ")}, ` : "set by an unknown manager, "}${inlineCode(why)}</span
      ></span
    >
  </li>`;
}

export const localStyles = css`
  .local {
    padding: var(--ff-space);
    border-top: 1px solid var(--ff-line);
  }
  .local h3 {
    margin: 0 0 4px;
  }
  .local p,
  .local ul {
    margin: 0;
    padding: 0;
    list-style: none;
    overflow-wrap: anywhere;
  }
  .local li {
    display: grid;
    grid-template-columns: 1.4em 1fr;
    padding-block: 2px;
  }
  .goes code {
    text-decoration: line-through;
  }
`;
