// The layout of the map: three columns, and bands between them whose width is the number of clusters.
import type { Group } from "../groups/result-groups.js";
import type { Source, Target } from "./feeds.js";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A node of the map. A `family` is the heading of its sources. */
export type Node = Box & { id: string } & (
    | { is: "family"; title: string; colour: number }
    | { is: "source"; source: Source }
    | { is: "target"; target: Target }
    | { is: "group"; target: Target; groups: Group[]; clusters: number }
  );

export interface Band {
  id: string;
  from: string;
  to: string;
  /** The source, unless the band starts at a subject. */
  source?: Source;
  /** The groups, unless the band ends at a subject. */
  groups?: Group[];
  clusters: number;
  thickness: number;
  path: string;
}

export interface Layout {
  nodes: Node[];
  bands: Band[];
  height: number;
  most: number;
}

const ROW = 22;
const GAP = 3;
/** The number of groups drawn for a subject, and for the selected one. */
const GROUPS_PER_SUBJECT = 3;
const GROUPS_OF_SELECTED = 8;

export function layout(sources: Source[], targets: Target[], width: number, chosen: string | undefined): Layout {
  const most = Math.max(1, ...targets.map((it) => it.clusters));
  const thicknessOf = (clusters: number) => Math.max(1.5, clusters * Math.min(3, 14 / most));
  const [left, middle, right] = [Math.round(width * 0.33), Math.round(width * 0.26), Math.round(width * 0.17)];
  const gap = (width - left - middle - right) / 2;
  const nodes: Node[] = [];
  const boxes = new Map<string, Box>();
  const put = (node: Node) => (nodes.push(node), boxes.set(node.id, node));

  // Each subject is beside its groups.
  const feeds = (target: Target) =>
    sources
      .flatMap((it) => target.subjects.flatMap(({ subject }) => it.feeds.get(subject)?.clusters.size ?? 0))
      .filter(Boolean);
  let y = ROW;
  for (const target of targets) {
    const stacks = groupStacks(target, target.id === chosen ? GROUPS_OF_SELECTED : GROUPS_PER_SUBJECT);
    const inner = Math.max(
      ROW,
      feeds(target).reduce((sum, it) => sum + thicknessOf(it), 0) + 4,
      stacks.reduce((sum, it) => sum + thicknessOf(it.clusters), 0) + 4,
    );
    const outer = stacks.reduce((sum, it) => sum + Math.max(ROW, thicknessOf(it.clusters)) + 1, 0);
    const height = Math.max(inner, outer);
    put({
      is: "target",
      id: target.id,
      target,
      x: left + gap,
      y: y + (height - inner) / 2,
      width: middle,
      height: inner,
    });
    let at = y + (height - outer) / 2;
    for (const it of stacks) {
      const tall = Math.max(ROW, thicknessOf(it.clusters));
      put({
        is: "group",
        id: `${target.id} ${it.groups[0]?.letter ?? ""}`,
        target,
        ...it,
        x: width - right,
        y: at,
        width: right,
        height: tall,
      });
      at += tall + 1;
    }
    y += height + GAP * 2;
  }
  const bottom = y;

  y = ROW;
  let family = -1;
  for (const source of sources) {
    if (source.colour !== family) {
      family = source.colour;
      put({
        is: "family",
        id: `family ${family}`,
        title: source.family,
        colour: family,
        x: 0,
        y: y + (y > ROW ? GAP : 0),
        width: left,
        height: ROW - 2,
      });
      y += ROW + (y > ROW ? GAP : 0) - 2;
    }
    const height = Math.max(
      ROW,
      [...source.feeds.values()].reduce((sum, it) => sum + (it.clusters.size ? thicknessOf(it.clusters.size) : 0), 0) +
        4,
    );
    put({ is: "source", id: source.id, source, x: 0, y, width: left, height });
    y += height + 1;
  }
  return {
    nodes: readingOrder(nodes),
    bands: bandsOf(nodes, boxes, thicknessOf),
    height: Math.max(y, bottom) + GAP,
    most,
  };
}

/** The largest groups, and the rest as one. */
function groupStacks(target: Target, few: number): { groups: Group[]; clusters: number }[] {
  const size = (groups: Group[]) => groups.reduce((sum, it) => sum + it.clusters.length, 0);
  if (target.subjects.length > 1) return [{ groups: [], clusters: target.clusters }];
  const shown = target.groups.length > few + 1 ? target.groups.slice(0, few) : target.groups;
  const rest = target.groups.slice(shown.length);
  return [
    ...shown.map((it) => ({ groups: [it], clusters: it.clusters.length })),
    ...(rest.length ? [{ groups: rest, clusters: size(rest) }] : []),
  ];
}

/** In reading order: sources, subjects, groups. */
function readingOrder(nodes: Node[]): Node[] {
  const column = { family: 0, source: 0, target: 1, group: 2 };
  return [...nodes].sort((a, b) => column[a.is] - column[b.is] || a.y - b.y);
}

function bandsOf(nodes: Node[], boxes: Map<string, Box>, thick: (clusters: number) => number): Band[] {
  const bands: Band[] = [];
  // The used height of each edge.
  const usedHeight = new Map<string, number>();
  const totals = new Map<string, number>();
  const links: Omit<Band, "path" | "thickness">[] = [];
  for (const target of nodes.filter((it) => it.is === "target")) {
    for (const node of nodes) {
      if (node.is === "source") {
        const clusters = node.source.feeds.get(target.id)?.clusters.size ?? 0;
        const hidden = node.source.feeds.get(target.id)?.hidden.size ?? 0;
        if (clusters || hidden)
          links.push({ id: `${node.id} ${target.id}`, from: node.id, to: target.id, source: node.source, clusters });
      } else if (node.is === "group" && node.target === target.target) {
        links.push({
          id: `${target.id} > ${node.id}`,
          from: target.id,
          to: node.id,
          groups: node.groups,
          clusters: node.clusters,
        });
      }
    }
  }
  const size = (it: { clusters: number }) => (it.clusters ? thick(it.clusters) : 1.5);
  for (const it of links)
    for (const end of [`${it.from} out`, `${it.to} in`]) totals.set(end, (totals.get(end) ?? 0) + size(it));
  for (const it of links) {
    const thickness = size(it);
    const at = (end: string, box: Box) => {
      const before = usedHeight.get(end) ?? 0;
      usedHeight.set(end, before + thickness);
      return box.y + (box.height - totals.get(end)!) / 2 + before + thickness / 2;
    };
    const [from, to] = [boxes.get(it.from)!, boxes.get(it.to)!];
    const [x1, y1, x2, y2] = [from.x + from.width, at(`${it.from} out`, from), to.x, at(`${it.to} in`, to)];
    const bend = (x2 - x1) / 2;
    bands.push({
      ...it,
      thickness,
      path:
        `M${x1} ${y1.toFixed(1)}C${(x1 + bend).toFixed(1)} ${y1.toFixed(1)} ${(x2 - bend).toFixed(1)} ` +
        `${y2.toFixed(1)} ${x2} ${y2.toFixed(1)}`,
    });
  }
  return bands;
}
