// The cards of the What-if view: changes and shadowed edits.
import { css, html, nothing, type TemplateResult } from "lit";
import type { CauseAnswer, ChangeAnswer, ChangeGroup, Collected, Finding, ShadowAnswer } from "../../../../contract.js";
import { layerMark } from "../../../layers.js";
import { pluralize, inlineValue, placeName, referenceText } from "../../../format.js";
import type { Place, State } from "../../state.js";
import { goToDocument } from "../../locate.js";

const CHANGE_TEXT: Record<string, [sign: string, tone: string, word: string]> = {
  changed: ["~", "patched", "changes for"],
  joins: ["+", "added", "new for"],
  leaves: ["−", "removed", "removed from"],
  fails: ["✕", "error", "fails for"],
  heals: ["✓", "added", "works again for"],
};

const INITIAL_CHANGES = 40;
const SCROLL_FROM = 120;

export interface CardOptions {
  state: State;
  /** Whether everything is shown. */
  all: boolean;
  unfold: () => void;
}

export function groupCard(group: ChangeGroup, { state, all, unfold }: CardOptions): TemplateResult {
  const [sign, tone, word] = CHANGE_TEXT[group.change] ?? ["~", "patched", `${group.change}:`];
  // A result that fails is not applied, so none of its values changes.
  const changes = group.change === "fails" ? [] : group.changes;
  const shown = all ? changes : changes.slice(0, INITIAL_CHANGES);
  const of =
    state.selection.subject === group.subject && group.clusters.includes(state.selection.cluster ?? group.clusters[0]!);
  const isCurrent =
    of &&
    (group.changes.length === 0 ||
      group.changes.some((it) => it.path === state.selection.path && it.object === state.selection.object));
  return html`<article
    class="card"
    data-change=${group.change}
    aria-current=${isCurrent ? "true" : "false"}
    aria-label="${group.subject} ${word} ${pluralize(group.clusters.length, "cluster")}"
  >
    <div class="line">
      <span class="sign ${tone}" aria-hidden="true">${sign}</span>
      ${subjectLink(state, group.subject, group.clusters[0])}
      <span>${word} <strong>${pluralize(group.clusters.length, "cluster")}</strong></span>
    </div>
    <ff-cluster-names .state=${state} .names=${group.clusters} .subject=${group.subject}></ff-cluster-names>
    ${
      changes.length
        ? html`<table class="changes">
            <caption class="visually-hidden">
              Values that change
            </caption>
            <thead class="visually-hidden">
              <tr>
                <th scope="col">value</th>
                <th scope="col">before and after</th>
                <th scope="col">decided by</th>
              </tr>
            </thead>
            <tbody>
              ${shown.map((it) => changeRow(it, group, state))}
            </tbody>
          </table>`
        : nothing
    }
    ${
      shown.length < changes.length
        ? html`<button class="no-print" @click=${unfold}>show all ${pluralize(changes.length, "value")}</button>`
        : nothing
    }
  </article>`;
}

function changeRow(change: ChangeAnswer, group: ChangeGroup, state: State): TemplateResult {
  const { selection } = state;
  const isCurrent =
    selection.subject === group.subject &&
    selection.path === change.path &&
    selection.object === change.object &&
    group.clusters.includes(selection.cluster ?? "");
  const look = () =>
    state.select({
      subject: group.subject,
      cluster: isCurrent ? selection.cluster : group.clusters[0],
      path: change.path,
      object: change.object,
    });
  return html`<tr aria-current=${isCurrent ? "true" : "false"}>
    <th scope="row">
      <button class="link mono" @click=${look}>${change.path || "the complete object"}</button
      >${change.object ? html`<div class="quiet">${change.object}</div>` : nothing}
    </th>
    <td>
      ${side("−", "was", "before", change.before, change.beforeFrom)}
      ${
        change.released
          ? html`<div class="side">
              <span class="sign quiet" aria-hidden="true">↷</span
              ><span>released: the object stays, without this owner</span>
            </div>`
          : side("+", "is", "after", change.after, change.afterFrom)
      }
    </td>
    <td>${change.cause ? causeLink(change.cause, state) : nothing}</td>
  </tr>`;
}

/** One side of a difference, with its sign. */
export function side(
  sign: "−" | "+",
  tone: "was" | "is",
  spoken: string,
  value: unknown,
  from?: unknown,
): TemplateResult {
  const text = from === undefined ? inlineValue(value) : referenceText(from);
  const isNothing = value === undefined && from === undefined;
  // Scrollable content must be reachable by keyboard.
  const scrolls = text.length > SCROLL_FROM;
  return html`<div
    class="side"
    tabindex=${scrolls ? 0 : nothing}
    role=${scrolls ? "group" : nothing}
    aria-label=${scrolls ? spoken : nothing}
  >
    <span class="sign ${tone === "was" ? "removed" : "added"}" aria-hidden="true">${sign}</span
    ><span class="visually-hidden">${spoken} </span
    >${isNothing ? html`<span class="quiet">not set</span>` : html`<span class=${tone} dir="auto">${text}</span>`}
  </div>`;
}

/** The deciding layer, linked to its line. */
export function causeLink(cause: CauseAnswer, state: State): TemplateResult {
  const name = html`${layerMark(cause.layer)} ${cause.layer}`;
  if (cause.file !== undefined) {
    const place = { file: cause.file, line: cause.line, column: cause.column };
    return html`<span class="cause">${name} ${placeLink(place, state, cause.document)}</span>`;
  }
  return html`<span class="cause"
    >${name}${
      cause.document
        ? html` <button class="link" @click=${() => goToDocument(state, cause.document!, cause.path)}>
            ${cause.document}
          </button>`
        : nothing
    }</span
  >`;
}

/** A link to a line. Long file names are truncated, the line number never is. */
function placeLink(place: Place, state: State, document = ""): TemplateResult {
  const [file, line] = [placeName({ file: place.file }), place.line === undefined ? "" : `:${place.line}`];
  return html`<button
    class="link place"
    aria-label=${file + line}
    title="${document} ${place.file}${line}"
    @click=${() => state.goTo(place)}
  >
    <span class="file">${file}</span>${line}
  </button>`;
}

export function subjectLink(state: State, subject: string, cluster?: string): TemplateResult {
  return html`<button
    class="link"
    @click=${() => state.select({ subject, ...(cluster === undefined ? {} : { cluster }) })}
  >
    ${subject}
  </button>`;
}

export function shadowCard(shadow: ShadowAnswer, { state }: CardOptions): TemplateResult {
  const look = () =>
    state.select({ subject: shadow.subject, cluster: shadow.clusters[0], path: shadow.path, object: shadow.object });
  return html`<article
    class="card loud"
    data-shadowed
    aria-label="${shadow.path} is shadowed for ${pluralize(shadow.clusters.length, "cluster")}"
  >
    <div class="line whole">
      <span class="sign warn" aria-hidden="true">⊘</span>
      <span class="main"
        ><button class="link mono" @click=${look}>${shadow.path || "the complete object"}</button> of
        ${subjectLink(state, shadow.subject, shadow.clusters[0])}${shadow.object ? html`, ${shadow.object},` : nothing}
        has no effect on <strong>${pluralize(shadow.clusters.length, "cluster")}</strong></span
      >
    </div>
    <ff-cluster-names .state=${state} .names=${shadow.clusters} .subject=${shadow.subject}></ff-cluster-names>
    <p>shadowed by ${causeLink(shadow.by, state)}</p>
  </article>`;
}

const SEVERITY_TONES: Record<string, string> = { error: "error", warning: "warn" };

/** The findings that an edit brings or fixes, each with its place; nothing if there are none. */
export function findingList(
  title: string,
  tone: "warn" | "quiet",
  findings: Finding[],
  state: State,
): TemplateResult | typeof nothing {
  if (!findings.length) return nothing;
  return html`<section aria-label="${title} findings">
    <h3>${title} <span class=${tone}>${pluralize(findings.length, "finding")}</span></h3>
    <ul class="collected">
      ${findings.map(
        ({ at, code, hint, message, severity }) =>
          html`<li>
            <span class=${SEVERITY_TONES[severity] ?? "quiet"}>${severity}</span> <code>${code}</code> ${message}
            ${
              at?.file === undefined
                ? (at?.document ?? nothing)
                : placeLink({ file: at.file, line: at.line, column: at.column }, state, at.document)
            }
            ${hint ? html`<div class="quiet">${hint}</div>` : nothing}
          </li>`,
      )}
    </ul>
  </section>`;
}

/** Objects that Kubernetes' garbage collector deletes because their owner goes. */
export function collectedList(collected: Collected[]): TemplateResult {
  return html`<section aria-label="Garbage collected">
    <h3>
      Garbage collected <span class="warn">${pluralize(collected.length, "object")} deleted with their owners</span>
    </h3>
    <ul class="collected">
      ${collected.map(
        ({ object, owner }) =>
          html`<li>
            <span class="sign removed" aria-hidden="true">−</span> ${object}
            <span class="quiet">owned by ${owner}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}

export const changeStyles = css`
  .changes {
    width: 100%;
    margin-top: calc(var(--ff-space) / 2);
    border-collapse: collapse;
    table-layout: fixed;
  }
  .changes th {
    width: 34%;
    font-weight: 400;
    text-align: left;
  }
  .changes th,
  .changes td {
    padding: 3px 4px;
    border-top: 1px solid var(--ff-line);
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  .changes td:last-child {
    width: 32%;
  }
  .changes tr[aria-current="true"] {
    background: var(--ff-chosen);
  }
  .side {
    display: flex;
    max-height: 12em;
    overflow: auto;
  }
  .cause {
    overflow-wrap: anywhere;
  }
  .place {
    display: inline-flex;
    max-width: 100%;
    vertical-align: bottom;
  }
  .file {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .collected {
    margin: 0;
    padding: 0;
    list-style: none;
    overflow-wrap: anywhere;
  }
  @media print {
    .side {
      max-height: none;
      overflow: visible;
    }
  }
`;
