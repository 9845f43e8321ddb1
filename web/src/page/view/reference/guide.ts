// A short guide to the page.
import { html } from "lit";
import { layerMark, markOf } from "../../../layers.js";
import { KEYS } from "../../keys.js";

const LAYERS = [
  "definition-default",
  "organization-override",
  "preset",
  "plugin-override",
  "cluster-option-override",
  "decision-group",
  "live",
  "injected",
];

export function guide() {
  return html` <section aria-label="How to read this page">
      <h3>How to read this page</h3>
      <p>
        <strong>Left to right, as the data flows.</strong> On the left what people wrote. In the middle who gets what:
        subjects, groups of clusters that get the same, the fleet, what an edit changes, what would be done, who may. On
        the right one cluster, value by value: the winner on top, what it overrides struck out below it, and each a link
        to its line.
      </p>
      <p>
        <strong>What-if is always on.</strong> What was loaded is the baseline. Edit freely: the counts on top say how
        many clusters change, and how many of your words have no effect because something hides them. Nothing is sent
        anywhere.
      </p>
      <p>
        <strong>Unknown is not absent.</strong> A plan compares with what was seen. What was not seen is asked for, and
        nothing is done about it.
      </p>
      <p><strong>Approve what you saw.</strong> A plan has a digest. It is applied only while it is the same plan.</p>
    </section>
    <section aria-label="Marks">
      <h3>Marks</h3>
      <ul class="marks">
        ${LAYERS.map((it) => html`<li>${layerMark(it)} ${markOf(it).family}</li>`)}
      </ul>
      <p>
        A layer has one colour and one shape everywhere: beside a value, in the gutter of the editor, on the map.
        <code>+</code> is new, <code>~</code> changes, <code>−</code> goes, <code>⊘</code> is shadowed,
        <code>‖</code> is held, <code>?</code> must be seen first.
      </p>
    </section>
    <section aria-label="Keyboard">
      <h3>Keyboard</h3>
      <dl class="keys">
        ${KEYS.map(
          (it) =>
            html`<dt><kbd>${it.shown}</kbd></dt>
              <dd>${it.does}</dd>`,
        )}
        <dt><kbd>Tab</kbd></dt>
        <dd>everything can be reached by it</dd>
        <dt><kbd>← →</kbd></dt>
        <dd>from view to view, when their row is in focus</dd>
      </dl>
    </section>`;
}
