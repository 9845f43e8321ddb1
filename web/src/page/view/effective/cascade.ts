// The layers behind a value: winner on top, losers struck out, layers that do not apply with their reason. Each links
// to its line.
import { css, html, LitElement, nothing } from "lit";
import type { LayerAnswer, LinkAnswer, Refusal, RuleAnswer } from "../../../../contract.js";
import { layerMark, markStyles } from "../../../layers.js";
import { baseStyles } from "../../../theme.styles.js";
import { placeName } from "../../../format.js";
import type { State } from "../../state.js";
import { inlineCode } from "../inline-code.js";
import { layerValueText } from "./value-tree.js";

const STATE_TEXT: Record<string, string> = {
  wins: "wins",
  merged: "gave part of the value",
  shadowed: "overridden",
  "not-applied": "does not apply",
  retained: "kept from the live object",
};

export class Cascade extends LitElement {
  static override properties = {
    state: { attribute: false },
    name: { attribute: false },
    text: { attribute: false },
    chain: { attribute: false },
    rule: { attribute: false },
    error: { attribute: false },
  };
  static override styles = [
    baseStyles,
    markStyles,
    css`
      :host {
        padding: 4px var(--ff-space) var(--ff-space) 24px;
        border-inline-start: 2px solid var(--ff-accent);
        border-block-end: 1px solid var(--ff-line);
        background: var(--ff-raised);
      }
      pre {
        max-height: 12em;
        margin: 0 0 4px;
        overflow: auto;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      ol {
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: 14px minmax(0, 1fr) auto;
        column-gap: 4px;
        align-items: baseline;
        padding-block: 2px;
      }
      .what {
        position: relative;
        display: flex;
        flex-wrap: wrap;
        column-gap: var(--ff-space);
        align-items: baseline;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .value {
        display: -webkit-box;
        overflow: hidden;
        -webkit-line-clamp: 3;
        -webkit-box-orient: vertical;
        font-family: var(--ff-mono);
        font-size: 0.95em;
        unicode-bidi: isolate;
      }
      .wins .value,
      .merged .value,
      .retained .value {
        font-weight: 600;
      }
      .shadowed .value,
      .not-applied .value {
        color: var(--ff-quiet);
        text-decoration: line-through;
      }
      .layer {
        color: var(--ff-quiet);
      }
    `,
  ];
  declare state: State;
  declare name: string;
  /** The full value, if one line is too short for it. */
  declare text: string | undefined;
  declare chain: (LinkAnswer | LayerAnswer)[];
  /** The rule that retained the value. */
  declare rule: string | undefined;
  declare error: Refusal | undefined;

  override render() {
    if (this.error)
      return html`<p class="quiet">
        ${inlineCode(this.error.message)}${this.error.hint ? html`: ${inlineCode(this.error.hint)}` : nothing}
      </p>`;
    return html`
      ${
        this.text !== undefined && (this.text.length > 60 || this.text.includes("\n"))
          ? html`<pre tabindex="0" role="group" aria-label="The complete value">${this.text}</pre>`
          : nothing
      }
      <ol aria-label=${`Who decides over ${this.name}`}>
        ${this.chain.map((it, at) => this.#link(it, "state" in it ? it.state : at ? "shadowed" : "wins"))}
      </ol>
    `;
  }

  #link(link: LinkAnswer | LayerAnswer, state: string) {
    const reason = "reason" in link ? link.reason : undefined;
    const beats = "beats" in link ? link.beats : undefined;
    // Layers are listed in their order; only what decides between two of the same layer needs a word.
    const tie = beats !== undefined && !beats.startsWith("above ") ? beats : undefined;
    const rule = "rule" in link ? link.rule : undefined;
    const ruleName = rule?.name ?? this.rule;
    const words =
      state === "retained" && ruleName !== undefined
        ? `${STATE_TEXT[state]} by the rule ${ruleName}`
        : (STATE_TEXT[state] ?? state);
    // Position and strike-through show winners and losers; only screen readers need the words.
    const plain = state === "wins" || state === "shadowed";
    return html`<li class=${state}>
      ${layerMark(link.layer)}
      <span class="what">
        <span class="value">${layerValueText(link)}</span>
        <span class="layer" title=${link.document ?? ""}
          >${link.layer}<span class=${plain ? "visually-hidden" : ""}
            >:
            ${words}${rule ? this.#rule(rule) : nothing}${reason ? html`, ${inlineCode(reason.text)}` : nothing}</span
          >${tie === undefined ? nothing : html` (${inlineCode(tie)})`}</span
        >
      </span>
      ${
        link.file === undefined
          ? nothing
          : html`<button
              class="link"
              title=${link.document ?? ""}
              aria-label=${`Go to ${placeName(link)}`}
              @click=${() => this.state.goTo({ file: link.file!, line: link.line, column: link.column })}
            >
              ${placeName(link)}
            </button>`
      }
    </li>`;
  }

  /** How a retention rule works, why it exists, and the line that declares it; built-in rules have no line. */
  #rule({ at, mode, note }: RuleAnswer) {
    return html`
      (${mode}${at?.file === undefined ? ", built in" : nothing}${note ? html`: ${inlineCode(note)}` : nothing})
      ${
        at?.file === undefined
          ? nothing
          : html`<button
              class="link"
              title=${at.document ?? ""}
              aria-label=${`Go to the rule at ${placeName(at)}`}
              @click=${() => this.state.goTo({ file: at.file!, line: at.line, column: at.column })}
            >
              ${placeName(at)}
            </button>`
      }
    `;
  }
}

customElements.define("ff-cascade", Cascade);
