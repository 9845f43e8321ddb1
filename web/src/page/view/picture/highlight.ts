// The nodes and bands connected to a node of the map.
import type { Band, Layout, Node } from "./layout.js";

export function connectedTo(node: Node, { nodes, bands }: Layout): Set<string> {
  const highlighted = new Set([node.id]);
  const add = (band: Band) => highlighted.add(band.id).add(band.from).add(band.to);
  const isFed = (band: Band, clusters: Set<string> | undefined) =>
    (band.groups ?? []).some((it) => it.clusters.some((name) => clusters?.has(name)));
  switch (node.is) {
    case "source":
      for (const band of bands.filter((it) => it.from === node.id)) {
        add(band);
        const fed = node.source.feeds.get(band.to)?.clusters;
        bands.filter((it) => it.from === band.to && isFed(it, fed)).forEach(add);
      }
      break;
    case "target":
      bands.filter((it) => it.from === node.id || it.to === node.id).forEach(add);
      break;
    case "group": {
      const clusters = new Set(node.groups.flatMap((it) => it.clusters));
      bands.filter((it) => it.to === node.id).forEach(add);
      for (const source of nodes) {
        if (source.is !== "source") continue;
        const fed = source.source.feeds.get(node.target.id)?.clusters;
        if ([...clusters].some((it) => fed?.has(it)))
          bands.filter((it) => it.from === source.id && it.to === node.target.id).forEach(add);
      }
    }
  }
  return highlighted;
}
