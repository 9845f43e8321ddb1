import { css, html, LitElement } from "lit";
import { look } from "../../look.js";
import { Watch } from "../ask.js";
import type { State } from "../state.js";

export class Reference extends LitElement {
  static override properties = { state: { attribute: false } };
  static override styles = [look, css``];
  declare state: State;

  constructor() {
    super();
    new Watch(this);
  }

  override render() {
    return html`<p class="empty">reference</p>`;
  }
}

customElements.define("ff-reference", Reference);
