// The map as a table, for screen readers and for printing.
import { html } from "lit";
import { layerMark } from "../../../layers.js";
import { formatCount } from "../../../format.js";
import type { EditImpact } from "./edit-impact.js";
import { sourceName } from "./feeds.js";
import type { Layout } from "./layout.js";

export function feedTable({ bands }: Layout, blast: EditImpact) {
  const rows = bands.flatMap((it) => (it.source ? [{ ...it, source: it.source }] : []));
  return html`<table>
    <caption>
      The same as a table: which document feeds how many clusters, through what
    </caption>
    <thead>
      <tr>
        <th scope="col">document</th>
        <th scope="col">layer</th>
        <th scope="col">subject</th>
        <th scope="col" class="number">clusters</th>
        <th scope="col">your edits</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ source, to, id, clusters }) =>
          html`<tr>
            <td>${sourceName(source)}</td>
            <td>${layerMark([...source.layers][0]!)} ${[...source.layers].join(", ")}</td>
            <td>${to}</td>
            <td class="number">${formatCount(clusters)}</td>
            <td>${blast.decides.has(id) ? "~ changes" : ""} ${blast.shadowed.has(id) ? "┄ shadowed" : ""}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
