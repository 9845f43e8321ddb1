// The result of a permission query: every check with the permissions tried, the grant, and the effect of the change.
import { css, html, nothing, type TemplateResult } from "lit";
import type { AuthorizeCheck, ExplainAnswer, Finding } from "../../../../contract.js";
import type { State } from "../../state.js";
import { goToDocument } from "../../locate.js";
import { inlineCode } from "../inline-code.js";

const CHANGES: Record<string, string> = { add: "put on", remove: "take off", bind: "bind the set" };

export function verdictCard(
  answer: ExplainAnswer,
  findings: Finding[],
  who: string,
  what: string,
  state: State,
): TemplateResult {
  const checks = answer.checks ?? [];
  return html`<div class="card ${answer.allowed ? "" : "denied"}" data-allowed=${answer.allowed ? "yes" : "no"}>
      <p class="verdict">
        <span class="sign ${answer.allowed ? "added" : "removed"}" aria-hidden="true"
          >${answer.allowed ? "✓" : "✕"}</span
        ><strong>${answer.allowed ? "Allowed" : "Denied"}:</strong> ${who} ${answer.allowed ? "may" : "may not"}
        ${what}.
      </p>
      ${
        answer.object?.granted === false
          ? html`<p class="warn" data-object="no">⚠ ${inlineCode(answer.object.text)}.</p>`
          : nothing
      }
      ${
        checks.length
          ? html`<ol class="checks">
              ${checks.map((it) => checkItem(it, state))}
            </ol>`
          : html`<p class="quiet">
              No further permission is needed to update the cluster: no protected label changes.
            </p>`
      }
      ${setsLine("joins", answer.joins, state)} ${setsLine("leaves", answer.leaves, state)}
      ${
        answer.joins && !answer.joins.length && !answer.leaves?.length
          ? html`<p class="quiet">The cluster stays in the sets it is in.</p>`
          : nothing
      }
    </div>
    ${findings.map(
      (it) =>
        html`<div class="card loud">
          <p><span class="warn">⚠ ${inlineCode(it.message)}</span></p>
          ${it.hint ? html`<p>${inlineCode(it.hint)}</p>` : nothing}
          ${it.at?.document ? html`<p>${documentLink(state, it.at.document, it.at.path)}</p>` : nothing}
        </div>`,
    )}
    ${answer.allowed ? nothing : missingRules(checks.filter((it) => !it.granted))}`;
}

function checkItem(check: AuthorizeCheck, state: State): TemplateResult {
  const by = check.grantedBy;
  return html`<li>
    <span class="sign ${check.granted ? "added" : "removed"}" aria-hidden="true">${check.granted ? "✓" : "✕"}</span>
    ${CHANGES[check.change] ?? check.change} <code>${check.label}</code>:
    <strong>${check.granted ? "granted" : "not granted"}</strong>
    <ol class="asked" aria-label="Required permissions, in order">
      ${check.asked.map((it, at) => {
        const hit = check.granted && at === check.asked.length - 1;
        return html`<li class=${hit ? "" : "quiet"}>
          <span aria-hidden="true">${hit ? "✓" : "·"}</span> <code>create ${it}</code>
          <span>${hit ? "granted" : "not granted"}</span>
        </li>`;
      })}
    </ol>
    ${
      by
        ? html`<div>
            granted by
            ${
              by.group
                ? html`the group <code>${by.group}</code>, which may do everything`
                : html`${by.binding ? documentLink(state, by.binding) : nothing} →
                  ${
                    by.aggregatedBy ? html`${documentLink(state, by.aggregatedBy)} → ` : nothing
                  }${by.role ? documentLink(state, by.role) : nothing}${
                    by.rule === undefined || !by.role
                      ? nothing
                      : html` → ${documentLink(state, by.role, `/rules/${by.rule}`, `rule ${by.rule + 1}`)}`
                  }`
            }
          </div>`
        : nothing
    }
  </li>`;
}

function setsLine(word: "joins" | "leaves", sets: string[] | undefined, state: State) {
  if (!sets?.length) return nothing;
  return html`<p>
    <span class="sign ${word === "joins" ? "added" : "removed"}" aria-hidden="true"
      >${word === "joins" ? "+" : "−"}</span
    >The cluster
    <strong>${word}</strong>
    ${sets.map((it, at) => html`${at ? ", " : ""}${documentLink(state, `ManagedClusterSet/${it}`, undefined, it)}`)}.
  </p>`;
}

function documentLink(state: State, reference: string, pointer?: string, shown = reference): TemplateResult {
  return html`<button class="link" @click=${() => goToDocument(state, reference, pointer)}>${shown}</button>`;
}

/** The rules that would allow it. */
function missingRules(denied: AuthorizeCheck[]) {
  const first = denied[0]?.asked[0];
  if (!first) return nothing;
  const rule = (it: AuthorizeCheck) => {
    const [resource, ...name] = it.asked[0]!.split(" ");
    const names = JSON.stringify(name.join(" "));
    return [
      "  - apiGroups: [cluster.open-cluster-management.io]",
      `    resources: [${resource}]`,
      `    resourceNames: [${names}]`,
      "    verbs: [create]",
    ].join("\n");
  };
  return html`<details>
    <summary>the rules that would allow it</summary>
    <pre tabindex="0" aria-label="The rules that would allow it">
${`kind: ClusterRole\nrules:\n${denied
        .filter((it) => it.asked.length)
        .map(rule)
        .join("\n")}`}</pre>
  </details>`;
}

export const answerStyles = css`
  .denied {
    border-color: var(--ff-removed);
    background: var(--ff-removed-soft);
  }
  .denied .quiet {
    color: var(--ff-ink);
  }
  .checks {
    margin: 0 0 var(--ff-space);
    padding: 0;
    list-style: none;
  }
  .checks > li {
    padding: calc(var(--ff-space) / 2) 0;
    border-top: 1px solid var(--ff-line);
  }
  .asked {
    margin: 2px 0 2px 1.6em;
    padding: 0;
    list-style: none;
  }
  code {
    overflow-wrap: anywhere;
  }
`;
