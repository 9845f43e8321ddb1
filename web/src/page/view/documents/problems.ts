// The list of findings: severity, message, position and hint, each linked to its line.
import { css, html, LitElement, nothing } from "lit";
import { styleMap } from "../../../style-map.js";
import type { Finding } from "../../../../contract.js";
import { baseStyles } from "../../../theme.styles.js";
import { formatCount, placeName } from "../../../format.js";
import { fixTitle } from "./quick-fix.js";
import { visibleRows } from "./visible-rows.js";
import { inlineCode } from "../inline-code.js";

/** From this many rows on the list is virtual, with a fixed row height. */
const VIRTUAL_FROM = 200;
const ROW = 48;

const ICONS: Record<string, string> = { error: "✕", warning: "▲", info: "i" };
const RANK: Record<string, number> = { error: 0, warning: 1, info: 2 };

/** Most severe first, then by position. */
export function sortFindings(findings: Finding[]): Finding[] {
  const rank = (it: Finding) => RANK[it.severity] ?? 3;
  const order = (a: string | number = "", b: string | number = "") => (a < b ? -1 : Number(a > b));
  return [...findings].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      order(a.at?.file, b.at?.file) ||
      order(a.at?.line ?? 0, b.at?.line ?? 0) ||
      order(a.at?.column ?? 0, b.at?.column ?? 0),
  );
}

export class Problems extends LitElement {
  static override properties = {
    findings: { attribute: false },
    file: { attribute: false },
    all: { state: true },
    open: { state: true },
    top: { state: true },
    height: { state: true },
  };
  static override styles = [
    baseStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        border-top: 1px solid var(--ff-line);
      }
      header {
        display: flex;
        flex: none;
        align-items: center;
        gap: var(--ff-space);
        padding: calc(var(--ff-space) / 2) var(--ff-space);
        background: var(--ff-raised);
      }
      header .push {
        display: flex;
        gap: 4px;
        margin-left: auto;
      }
      h2 button {
        padding: 0;
        border: 0;
        background: none;
        font-weight: 600;
      }
      .list {
        min-height: 0;
        overflow: auto;
        outline-offset: -2px;
      }
      ul {
        position: relative;
        margin: 0;
        padding: 0;
        list-style: none;
      }
      li {
        display: grid;
        grid-template-columns: auto 1fr;
        gap: 0 var(--ff-space);
        padding: 4px var(--ff-space);
        border-top: 1px solid var(--ff-line);
        overflow-wrap: anywhere;
      }
      .long li {
        position: absolute;
        left: 0;
        right: 0;
        height: 48px;
        overflow: hidden;
      }
      .long .message,
      .long .more {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .message,
      .hint {
        unicode-bidi: isolate;
      }
      .severity {
        font-weight: 600;
        white-space: nowrap;
      }
      .error {
        color: var(--ff-error);
      }
      .warning {
        color: var(--ff-warning);
      }
      .info {
        color: var(--ff-quiet);
      }
      .more {
        grid-column: 1 / -1;
        color: var(--ff-quiet);
      }
      .more .mono {
        max-width: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        vertical-align: bottom;
        white-space: nowrap;
      }
      .more button:not(.link) {
        padding: 0 6px;
        color: var(--ff-ink);
      }
      .more > * {
        margin-right: var(--ff-space);
      }
      .none {
        padding: 4px var(--ff-space);
        color: var(--ff-quiet);
      }
    `,
  ];
  declare findings: Finding[];
  declare file: string | undefined;
  /** Whether to show the findings of all files or of the selected one. */
  declare all: boolean;
  declare open: boolean;
  declare top: number;
  declare height: number;

  constructor() {
    super();
    [this.findings, this.all, this.open, this.top, this.height] = [[], true, true, 0, 400];
  }

  override render() {
    const here = this.findings.filter((it) => it.at?.file === this.file);
    const shown = this.all ? this.findings : here;
    const number = (severity: string) => this.findings.filter((it) => it.severity === severity).length;
    const [errors, warnings] = [number("error"), number("warning")];
    return html`
      <header>
        <h2>
          <button aria-expanded=${this.open} @click=${() => (this.open = !this.open)}>
            <span aria-hidden="true">${this.open ? "▾" : "▸"}</span> Problems
          </button>
        </h2>
        <span aria-live="polite">
          <span class=${errors ? "error" : "quiet"}
            ><span aria-hidden="true">✕</span> ${formatCount(errors)}<span class="visually-hidden"> errors,</span></span
          >
          <span class=${warnings ? "warning" : "quiet"}
            ><span aria-hidden="true">▲</span> ${formatCount(warnings)}<span class="visually-hidden">
              warnings</span
            ></span
          >
        </span>
        <span class="push" role="group" aria-label="Which problems">
          <button aria-pressed=${this.all} @click=${() => (this.all = true)}>
            All ${formatCount(this.findings.length)}
          </button>
          <button aria-pressed=${!this.all} @click=${() => (this.all = false)}>
            This file ${formatCount(here.length)}
          </button>
        </span>
      </header>
      ${this.open ? this.#list(shown) : nothing}
    `;
  }

  #list(shown: Finding[]) {
    if (!shown.length) return html`<p class="none">Nothing was found${this.all ? "" : " in this file"}.</p>`;
    if (shown.length <= VIRTUAL_FROM)
      return html`<div class="list" tabindex="0" role="group" aria-label="Problems">
        <ul>
          ${shown.map((it) => this.#row(it))}
        </ul>
      </div>`;
    const { from, to } = visibleRows({ top: this.top, height: this.height }, ROW, shown.length);
    return html`
      <div class="list long" tabindex="0" role="group" aria-label="Problems" @scroll=${this.#scroll}>
        <ul style=${styleMap({ height: `${shown.length * ROW}px` })}>
          ${shown.slice(from, to).map((it, index) => this.#row(it, { at: from + index, of: shown.length }))}
        </ul>
      </div>
    `;
  }

  #row(finding: Finding, row?: { at: number; of: number }) {
    const title = fixTitle(finding);
    const severity = finding.severity in ICONS ? finding.severity : "info";
    const tell = (name: string, detail: unknown) => () => this.dispatchEvent(new CustomEvent(name, { detail }));
    return html`
      <li
        style=${styleMap(row ? { top: `${row.at * ROW}px` } : {})}
        aria-posinset=${row ? row.at + 1 : nothing}
        aria-setsize=${row ? row.of : nothing}
      >
        <span class="severity ${severity}"><span aria-hidden="true">${ICONS[severity]}</span> ${severity}</span>
        <span class="message" title=${row ? finding.message : nothing}>${inlineCode(finding.message)}</span>
        <span class="more">
          ${
            finding.at?.file
              ? html`<button class="link mono" title="${finding.at.file}" @click=${tell("place", finding.at)}>
                  ${placeName(finding.at)}
                </button>`
              : nothing
          }
          <button class="link" title="what ${finding.code} means" @click=${tell("code", finding.code)}>
            ${finding.code}
          </button>
          ${title ? html`<button @click=${tell("fix", finding)}>${title}</button>` : nothing}
          ${finding.hint ? html`<span class="hint">${inlineCode(finding.hint)}</span>` : nothing}
        </span>
      </li>
    `;
  }

  readonly #scroll = (event: Event): void => {
    const box = event.currentTarget as HTMLElement;
    [this.top, this.height] = [box.scrollTop, box.clientHeight];
  };
}

customElements.define("ff-problems", Problems);
