// One cluster of the fleet: its labels, its sets, and why the selected subject selects it or not.
import { html, nothing } from "lit";
import type { ClusterAnswer, ExplainAnswer, Refusal } from "../../../../contract.js";
import type { State } from "../../state.js";
import { goToDocument } from "../../locate.js";
import { referenceOf } from "../groups/reference.js";
import { labelPointer, reasonList } from "../groups/reasons.js";
import { inlineCode } from "../inline-code.js";

/** `why` is the explanation for the selected subject and this cluster, or its error. */
export function detail(
  state: State,
  cluster: ClusterAnswer,
  why: { value: ExplainAnswer | undefined; error: Refusal | undefined } | undefined,
  pickSet: (set: string) => void,
) {
  const document = referenceOf(cluster);
  const { subject } = state.selection;
  return html`<section class="detail" aria-label=${cluster.name}>
    <h2>
      ${cluster.kind}
      <button class="link" title="open the document" @click=${() => void goToDocument(state, document)}>
        ${cluster.namespace === undefined ? "" : `${cluster.namespace}/`}${cluster.name}
      </button>
    </h2>
    ${
      cluster.unreachable === undefined
        ? nothing
        : html`<p class="no">It is unreachable${cluster.unreachable ? `: ${cluster.unreachable}` : ""}.</p>`
    }
    <dl>
      ${
        subject !== undefined && why
          ? html`<dt>${why.error ? "not in" : why.value?.selected ? "in" : "not in"}</dt>
              <dd>
                ${subject}${why.error ? html`: ${inlineCode(why.error.message)}` : nothing}${
                  why.value?.reasons?.length ? reasonList(state, why.value.reasons, document) : nothing
                }
              </dd>`
          : nothing
      }
      <dt>labels</dt>
      <dd class="labels">
        ${Object.keys(cluster.labels).length === 0 ? html`<span class="quiet">none</span>` : nothing}
        ${Object.entries(cluster.labels).map(
          ([key, value]) =>
            html`<button
              class="link"
              title="open the label"
              @click=${() => void goToDocument(state, document, labelPointer(key))}
            >
              ${key}=${value}
            </button>`,
        )}
      </dd>
      ${
        cluster.sets === undefined
          ? nothing
          : html`<dt>sets</dt>
              <dd class="labels">
                ${
                  cluster.sets.length
                    ? cluster.sets.map(
                        (it) =>
                          html`<button class="link" title="who else is in" @click=${() => pickSet(it)}>${it}</button>`,
                      )
                    : html`<span class="quiet">in no set</span>`
                }
              </dd>`
      }
    </dl>
  </section>`;
}
