// A button that copies a text to the clipboard and confirms it for a moment.
import { css, html, LitElement } from "lit";
import { baseStyles } from "../../theme.styles.js";

export class CopyButton extends LitElement {
  static override properties = { text: {}, what: {}, shown: {}, said: { state: true } };
  static override styles = [
    baseStyles,
    css`
      :host {
        display: inline-block;
      }
      @media print {
        :host {
          display: none;
        }
      }
    `,
  ];
  declare text: string;
  /** The name of the copied text, for screen readers. */
  declare what: string;
  declare shown: string;
  declare said: string;

  constructor() {
    super();
    [this.text, this.what, this.shown, this.said] = ["", "", "copy", ""];
  }

  override render() {
    return html`<button
      aria-label=${this.said || (this.shown === "copy" ? `copy ${this.what}` : this.shown)}
      @click=${this.#copy}
    >
      ${this.said || this.shown}
    </button>`;
  }

  readonly #copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(this.text);
      this.said = "copied";
    } catch {
      this.said = "the browser does not let it";
    }
    setTimeout(() => (this.said = ""), 1500);
  };
}

customElements.define("ff-copy", CopyButton);
