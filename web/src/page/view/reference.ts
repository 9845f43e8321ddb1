// The reference. The contract and its examples are large, so they load when the view opens.
import { html, LitElement, nothing } from "lit";
import { baseStyles } from "../../theme.styles.js";
import type { State } from "../state.js";
import { sheetStyles } from "./sheet.styles.js";

export class Reference extends LitElement {
  static override properties = { state: { attribute: false }, isHere: { state: true }, problem: { state: true } };
  static override styles = [baseStyles, sheetStyles];
  declare state: State;
  declare isHere: boolean;
  declare problem: string;

  constructor() {
    super();
    [this.isHere, this.problem] = [false, ""];
    import("./reference/pages.js").then(
      () => (this.isHere = true),
      (problem: unknown) => (this.problem = String(problem)),
    );
  }

  override render() {
    if (this.problem) return html`<p class="error" role="alert">The reference does not load: ${this.problem}</p>`;
    return !this.isHere ? nothing : html`<ff-reference-pages .state=${this.state}></ff-reference-pages>`;
  }
}

customElements.define("ff-reference", Reference);
