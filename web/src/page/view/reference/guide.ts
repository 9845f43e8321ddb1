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
        <strong>The page follows the data from left to right.</strong> On the left are the documents. In the middle are
        the results: subjects, groups of clusters with equal results, the fleet, the impact of an edit, the plan, and
        permissions. On the right is one cluster, value by value: the winning layer on top, the overridden ones struck
        out below it, each with a link to its line.
      </p>
      <p>
        <strong>What-if is always on.</strong> The loaded documents are the baseline. Edit freely: the counts on top
        show how many clusters change, and how many edited values have no effect because another layer shadows them. The
        page sends nothing to any server.
      </p>
      <p>
        <strong>Unknown is not absent.</strong> A plan compares the desired objects with the observed ones. It lists the
        objects that must be read first, and plans no action for them.
      </p>
      <p><strong>Approve a plan by its digest.</strong> The plan is applied only while its digest is unchanged.</p>
    </section>
    <section aria-label="Marks">
      <h3>Marks</h3>
      <ul class="marks">
        ${LAYERS.map((it) => html`<li>${layerMark(it)} ${markOf(it).family}</li>`)}
      </ul>
      <p>
        A layer has one colour and one shape everywhere: beside a value, in the gutter of the editor, on the map.
        <code>+</code> is new, <code>~</code> changes, <code>−</code> is removed, <code>⊘</code> is shadowed,
        <code>‖</code> is held, <code>?</code> must be read first.
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
        <dd>moves through all controls</dd>
        <dt><kbd>← →</kbd></dt>
        <dd>move between views while their row has the focus</dd>
      </dl>
    </section>`;
}
