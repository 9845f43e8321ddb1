// The digest of a plan, as `fleetfold approve` takes it. It must be that of the real Secrets: where the page has only digests of
// their values, the server that has them is asked.
import { css, html, LitElement, nothing } from "lit";
import { look } from "../../../look.js";
import { Watch } from "../../ask.js";
import { now } from "../../now.js";
import { behind } from "../../source.js";
import type { State } from "../../state.js";
import "../copy.js";
import { sheet } from "../sheet.js";

export class Digest extends LitElement {
  static override properties = { state: { attribute: false }, digest: {}, served: { state: true }, problem: { state: true } };
  static override styles = [
    look,
    sheet,
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
  /** What the engine of the page came to. */
  declare digest: string;
  declare served: string;
  declare problem: string;
  #asked = "";

  constructor() {
    super();
    [this.digest, this.served, this.problem] = ["", "", ""];
    new Watch(this);
  }

  override willUpdate(): void {
    if (!this.#isTheServers) return;
    const asked = `${this.state.generation} ${now()}`;
    if (asked === this.#asked) return;
    this.#asked = asked;
    void this.#ask(asked);
  }

  get #isTheServers(): boolean {
    return Boolean(this.state.source.masked) && behind() === "fleet" && this.state.edits.length === 0;
  }

  async #ask(asked: string): Promise<void> {
    try {
      const response = await fetch("v1/call", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ op: "plan", now: now() }) });
      const answer = (await response.json()) as { ok?: { digest: string }; error?: { message: string } };
      if (asked !== this.#asked) return;
      this.served = answer.ok?.digest ?? "";
      this.problem = answer.error?.message ?? (answer.ok ? "" : `the server answers ${response.status}`);
    } catch (problem) {
      if (asked === this.#asked) this.problem = String(problem);
    }
  }

  override render() {
    if (this.#isTheServers && !this.served) return html`<p class="card ${this.problem ? "loud" : ""}" role="status">${this.problem ? `The digest is not known: ${this.problem}` : "The digest comes from the server."}</p>`;
    const digest = this.#isTheServers ? this.served : this.digest;
    return html`<div class="card" role="group" aria-label="Digest">
      ${this.#command(digest, "the digest")}
      ${this.#command(`fleetfold approve ${digest}`, "the command that approves it", "for a runner that waits for approval")}
      ${this.#command("fleetfold plan --from-cluster -o plan.json && fleetfold apply plan.json", "the commands that apply it", "or by hand: it is done only while it is still this plan")}
      ${this.state.source.masked && this.state.edits.length
        ? html`<p class="warn">This digest holds for masked Secrets only. Apply the edits to the documents, and the server gives the one to approve.</p>`
        : nothing}
    </div>`;
  }

  #command(text: string, what: string, about = "") {
    return html`<div class="command"><div><code class=${about ? "" : "digest"} title=${text}>${text}</code>${about ? html`<div class="quiet">${about}</div>` : nothing}</div><ff-copy .text=${text} .what=${what}></ff-copy></div>`;
  }
}

customElements.define("ff-digest", Digest);
