// What cannot be read does not take away what was there: it is dimmed, and the line is one click away.
import { html, nothing } from "lit";
import { placeName } from "../../../words.js";
import type { State } from "../../state.js";

export function brokenNote(state: State) {
  const [file] = state.broken;
  if (file === undefined) return nothing;
  const finding = state.findings.get(file)?.find((it) => it.severity === "error");
  const place = { file, line: finding?.at?.line, column: finding?.at?.column };
  return html`<p class="broken">
    <button class="link" @click=${() => state.goTo(place)}>${placeName(place)}</button> cannot be read${finding ? html`: ${finding.message}` : nothing}.
    What you see is what it was before.
  </p>`;
}
