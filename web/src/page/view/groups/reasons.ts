// Why a subject selects a cluster or not, requirement by requirement, each linked to its label.
import { css, html, type TemplateResult } from "lit";
import type { ReasonAnswer } from "../../../../contract.js";
import type { State } from "../../state.js";
import { goToDocument } from "../../locate.js";
import { inlineCode } from "../inline-code.js";

/** The cluster kind of each dialect. */
const KINDS: Record<string, string> = { greenhouse: "Cluster", ocm: "ManagedCluster", kubefed: "KubeFedCluster" };

export function clusterKind(dialect: string | undefined): string | undefined {
  return dialect === undefined ? undefined : KINDS[dialect];
}

/** `document` is the target of the links: the cluster's document, or on the hub the subject's own. */
export function reasonList(state: State, reasons: ReasonAnswer[], document: string): TemplateResult {
  return html`<ul class="reasons" role="list">
    ${reasons.map((it) => {
      const key = labelOf(it);
      return html`<li class=${it.holds ? "holds" : "fails"}>
        <span aria-hidden="true" class="sign">${it.holds ? "✓" : "✗"}</span>
        <span class="visually-hidden">${it.holds ? "holds: " : "does not hold: "}</span>
        <button
          class="link reason"
          title="open the document that decides"
          @click=${() => void goToDocument(state, document, key && labelPointer(key))}
        >
          ${inlineCode(it.text)}
        </button>
      </li>`;
    })}
  </ul>`;
}

/** The label of a requirement. */
function labelOf(reason: ReasonAnswer): string | undefined {
  if (!reason.code.startsWith("requirement")) return undefined;
  return /^`!?([^`=!<>\s]+)/.exec(reason.text)?.[1];
}

/** The JSON pointer of a label in its document. */
export function labelPointer(label: string): string {
  return `/metadata/labels/${label.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export const reasonStyles = css`
  .reasons {
    display: flex;
    flex-wrap: wrap;
    gap: 2px calc(var(--ff-space) * 2);
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .reasons li {
    display: flex;
    gap: 6px;
    min-width: 0;
  }
  .reason {
    color: inherit;
    overflow-wrap: anywhere;
  }
  .holds .sign {
    color: var(--ff-added);
  }
  .fails .sign {
    color: var(--ff-error);
  }
`;
