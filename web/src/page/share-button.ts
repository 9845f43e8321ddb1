// The share button and its panel: the link and what it leaves out.
import { css, html, LitElement, nothing } from "lit";
import { baseStyles } from "../theme.styles.js";
import { pluralize } from "../format.js";
import { type Link, linkTo } from "./share-link.js";
import type { State } from "./state.js";

export class ShareButton extends LitElement {
  static override properties = { state: { attribute: false }, link: { state: true }, message: { state: true } };
  static override styles = [
    baseStyles,
    css`
      :host {
        position: relative;
      }
      .panel {
        position: absolute;
        right: 0;
        top: calc(100% + 6px);
        z-index: 10;
        width: min(420px, 90vw);
        padding: var(--ff-space);
        border: 1px solid var(--ff-accent);
        border-radius: var(--ff-radius);
        background: var(--ff-page);
      }
      input {
        width: 100%;
        font-family: var(--ff-mono);
      }
      p {
        margin: var(--ff-space) 0 0;
      }
    `,
  ];
  declare state: State;
  declare link: Link | undefined;
  declare message: string | undefined;

  override render() {
    return html`
      <button aria-expanded=${this.message !== undefined} @click=${this.#share}>Share</button>
      ${
        this.message === undefined
          ? nothing
          : html`<div class="panel" role="region" aria-label="Share" @keydown=${this.#key}>
              ${
                this.link
                  ? html`<input
                      readonly
                      aria-label="Link to this page as it is now"
                      .value=${this.link.url}
                      @focus=${(event: Event) => (event.target as HTMLInputElement).select()}
                    />`
                  : nothing
              }
              <p role="status">${this.message}</p>
              ${
                this.link
                  ? html`<p class="quiet">
                      The link itself holds the documents, after the #: no server receives them.
                      ${
                        this.link.leftOut
                          ? `Secret data is left out (${pluralize(this.link.leftOut, "document")}).`
                          : ""
                      }
                    </p>`
                  : nothing
              }
              <p><button @click=${this.#close}>Close</button></p>
            </div>`
      }
    `;
  }

  readonly #share = async (): Promise<void> => {
    if (this.message !== undefined) return this.#close();
    try {
      this.link = await linkTo(this.state);
      this.message = "Copy this link.";
      await navigator.clipboard.writeText(this.link.url).then(
        () => (this.message = "The link is copied."),
        () => undefined,
      );
    } catch (problem) {
      [this.link, this.message] = [undefined, problem instanceof Error ? problem.message : String(problem)];
    }
    await this.updateComplete;
    this.renderRoot.querySelector("input")?.focus();
  };

  readonly #close = (): void => {
    [this.link, this.message] = [undefined, undefined];
    void this.updateComplete.then(() => this.renderRoot.querySelector("button")?.focus());
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key === "Escape") this.#close();
  };
}

customElements.define("ff-sharing", ShareButton);
