// The digest of a plan, as `fleetfold approve` takes it. It must cover the real Secrets: if the page only has digests
// of their values, the server provides the plan's digest.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../../../theme.styles.js";
import { StateController } from "../../state-controller.js";
import type { State } from "../../state.js";
import "../copy-button.js";
import { sheetStyles } from "../sheet.styles.js";

export class Digest extends LitElement {
  static override properties = { state: { attribute: false }, digest: {} };
  static override styles = [
    baseStyles,
    sheetStyles,
    css`
      :host {
        padding: 0;
      }
      .command {
        display: flex;
        align-items: center;
        gap: var(--ff-space);
        margin: 2px 0;
      }
      .command > div {
        min-width: 0;
      }
      .command code {
        display: block;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .command code.digest {
        white-space: normal;
        overflow-wrap: anywhere;
      }
      @media print {
        .command code {
          white-space: normal;
          overflow-wrap: anywhere;
        }
      }
      .command ff-copy {
        flex: none;
        margin-left: auto;
      }
    `,
  ];
  declare state: State;
  /** The digest computed by the page's engine. */
  declare digest: string;

  constructor() {
    super();
    this.digest = "";
    new StateController(this);
  }

  override render() {
    const { source, edits } = this.state;
    const digest = source.masked && !edits.length ? source.digest : this.digest;
    if (digest === undefined)
      return html`<p class="card loud" role="status">The server has no digest yet: its plan is not ready.</p>`;
    return html`<div class="card" role="group" aria-label="Digest">
      ${this.#command(digest, "the digest")}
      ${this.#command(
        `fleetfold approve ${digest}`,
        "the command that approves it",
        "for a runner that waits for approval",
      )}
      ${this.#command(
        "fleetfold plan --from-cluster -o plan.json && fleetfold apply plan.json",
        "the commands that apply it",
        "or by hand: fails if the plan has changed",
      )}
      ${
        source.masked && edits.length
          ? html`<p class="warn">
              This digest covers masked Secrets only. Apply the edits to the documents to get the digest to approve from
              the server.
            </p>`
          : nothing
      }
    </div>`;
  }

  #command(text: string, what: string, about = "") {
    return html`<div class="command">
      <div>
        <code class=${about ? "" : "digest"} title=${text}>${text}</code
        >${about ? html`<div class="quiet">${about}</div>` : nothing}
      </div>
      <ff-copy .text=${text} .what=${what}></ff-copy>
    </div>`;
  }
}

customElements.define("ff-digest", Digest);
