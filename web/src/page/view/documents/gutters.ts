// Two gutters: changes against the baseline, and the layer of each line.
import { Chunk } from "@codemirror/merge";
import {
  type EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Text,
} from "@codemirror/state";
import { type EditorView, gutter, GutterMarker } from "@codemirror/view";
import { render } from "lit";
import { layerMark } from "../../../layers.js";
import { type LineOrigin, describeOrigin } from "./line-origins.js";

/** The text of the baseline; null for a file that it does not contain. */
export const setBase = StateEffect.define<string | null>();
export const setDecided = StateEffect.define<LineOrigin[]>();

/** Limits the precision of the diff to keep typing fast. */
const DIFF_LIMITS = { scanLimit: 500, timeout: 20 };

class ChangeMarker extends GutterMarker {
  constructor(
    readonly sign: string,
    override readonly elementClass: string,
    readonly title: string,
  ) {
    super();
  }

  override toDOM(): Node {
    const dom = document.createElement("span");
    dom.textContent = this.sign;
    dom.title = this.title;
    return dom;
  }
}

const CHANGED = new ChangeMarker("~", "ff-changed", "changed");
const ADDED = new ChangeMarker("+", "ff-added", "added");
const REMOVED = new ChangeMarker("−", "ff-removed", "lines removed here");

interface Changes {
  base: Text | undefined;
  chunks: readonly Chunk[];
  signs: RangeSet<ChangeMarker>;
}

const changes = StateField.define<Changes>({
  create: () => ({ base: undefined, chunks: [], signs: RangeSet.empty }),
  update(before, transaction) {
    const effect = transaction.effects.find((it) => it.is(setBase));
    const doc = transaction.newDoc;
    if (effect) {
      const base = effect.value === null ? undefined : Text.of((effect.value as string).split(/\r\n?|\n/));
      if (base && before.base?.eq(base) && !transaction.docChanged) return before;
      const chunks = !base || base.eq(doc) ? [] : Chunk.build(base, doc, DIFF_LIMITS);
      return { base, chunks, signs: changeMarkers(chunks, doc) };
    }
    if (!transaction.docChanged || !before.base) return before;
    const chunks = Chunk.updateB(before.chunks, before.base, doc, transaction.changes, DIFF_LIMITS);
    return { base: before.base, chunks, signs: changeMarkers(chunks, doc) };
  },
});

function changeMarkers(chunks: readonly Chunk[], doc: Text): RangeSet<ChangeMarker> {
  const signs = new RangeSetBuilder<ChangeMarker>();
  for (const it of chunks) {
    if (it.fromB === it.toB) {
      const line = doc.lineAt(Math.min(it.fromB, doc.length));
      signs.add(line.from, line.from, REMOVED);
      continue;
    }
    const sign = it.fromA === it.toA ? ADDED : CHANGED;
    for (let at = it.fromB; at <= Math.min(it.endB, doc.length);) {
      const line = doc.lineAt(at);
      signs.add(line.from, line.from, sign);
      at = line.to + 1;
    }
  }
  return signs.finish();
}

/** The layers of a line; only the first is drawn. */
class LayerMarker extends GutterMarker {
  constructor(readonly origins: LineOrigin[]) {
    super();
  }

  override eq(other: LayerMarker): boolean {
    return this.origins === other.origins;
  }

  override toDOM(): Node {
    const dom = document.createElement("span");
    dom.className = this.origins[0]!.wins ? "ff-decides" : "ff-decides hidden";
    dom.dataset.layer = this.origins[0]!.layer;
    dom.title = this.origins.slice(0, 12).map(describeOrigin).join("\n");
    render(layerMark(this.origins[0]!.layer), dom);
    return dom;
  }
}

const layers = StateField.define<RangeSet<LayerMarker>>({
  create: () => RangeSet.empty,
  update(before, transaction) {
    const effect = transaction.effects.find((it) => it.is(setDecided));
    return effect ? layerMarkers(effect.value as LineOrigin[], transaction.newDoc) : before.map(transaction.changes);
  },
});

function layerMarkers(all: LineOrigin[], doc: Text): RangeSet<LayerMarker> {
  const lines = new Map<number, LineOrigin[]>();
  for (const it of all) if (it.line <= doc.lines) (lines.get(it.line) ?? lines.set(it.line, []).get(it.line)!).push(it);
  return RangeSet.of(
    [...lines].map(([line, says]) => new LayerMarker(says).range(doc.line(line).from)),
    true,
  );
}

/** The values that the line at a position sets. */
export function originsAt(state: EditorState, position: number): LineOrigin[] {
  const line = state.doc.lineAt(position);
  let says: LineOrigin[] = [];
  state.field(layers).between(line.from, line.to, (_from, _to, it) => void (says = it.origins));
  return says;
}

/** `choose` receives the origins of the clicked line. */
export function layerGutter(choose: (says: LineOrigin[]) => void): Extension {
  return [
    layers,
    gutter({
      class: "ff-layers",
      markers: (view) => view.state.field(layers),
      initialSpacer: () => new LayerMarker([{ line: 1, layer: "base", path: "", value: "", wins: 1, of: 1 }]),
      domEventHandlers: {
        click(view: EditorView, block) {
          const says = originsAt(view.state, block.from);
          if (says.length) choose(says);
          return says.length > 0;
        },
      },
    }),
  ];
}

export const changeGutter: Extension = [
  changes,
  gutter({ class: "ff-changes", markers: (view) => view.state.field(changes).signs, initialSpacer: () => CHANGED }),
];
