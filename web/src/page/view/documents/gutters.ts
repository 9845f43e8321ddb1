// Two columns beside the lines: what was changed against the baseline, and which layer a line speaks for.
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
import { type Decided, saying } from "./line-origins.js";

/** The text of the baseline; null for a file that it does not have. */
export const setBase = StateEffect.define<string | null>();
export const setDecided = StateEffect.define<Decided[]>();

/** Gives up on fine differences rather than let somebody wait. */
const QUICK = { scanLimit: 500, timeout: 20 };

class Sign extends GutterMarker {
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

const CHANGED = new Sign("~", "ff-changed", "changed");
const ADDED = new Sign("+", "ff-added", "added");
const REMOVED = new Sign("−", "ff-removed", "lines removed here");

interface Changes {
  base: Text | undefined;
  chunks: readonly Chunk[];
  signs: RangeSet<Sign>;
}

const changes = StateField.define<Changes>({
  create: () => ({ base: undefined, chunks: [], signs: RangeSet.empty }),
  update(before, transaction) {
    const told = transaction.effects.find((it) => it.is(setBase));
    const doc = transaction.newDoc;
    if (told) {
      const base = told.value === null ? undefined : Text.of((told.value as string).split(/\r\n?|\n/));
      if (base && before.base?.eq(base) && !transaction.docChanged) return before;
      const chunks = !base || base.eq(doc) ? [] : Chunk.build(base, doc, QUICK);
      return { base, chunks, signs: signsOf(chunks, doc) };
    }
    if (!transaction.docChanged || !before.base) return before;
    const chunks = Chunk.updateB(before.chunks, before.base, doc, transaction.changes, QUICK);
    return { base: before.base, chunks, signs: signsOf(chunks, doc) };
  },
});

function signsOf(chunks: readonly Chunk[], doc: Text): RangeSet<Sign> {
  const signs = new RangeSetBuilder<Sign>();
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

/** The layers that a line speaks for. The first is the one that is drawn. */
class Decides extends GutterMarker {
  constructor(readonly says: Decided[]) {
    super();
  }

  override eq(other: Decides): boolean {
    return this.says === other.says;
  }

  override toDOM(): Node {
    const dom = document.createElement("span");
    dom.className = this.says[0]!.wins ? "ff-decides" : "ff-decides hidden";
    dom.dataset.layer = this.says[0]!.layer;
    dom.title = this.says.slice(0, 12).map(saying).join("\n");
    render(layerMark(this.says[0]!.layer), dom);
    return dom;
  }
}

const layers = StateField.define<RangeSet<Decides>>({
  create: () => RangeSet.empty,
  update(before, transaction) {
    const told = transaction.effects.find((it) => it.is(setDecided));
    return told ? marksOf(told.value as Decided[], transaction.newDoc) : before.map(transaction.changes);
  },
});

function marksOf(all: Decided[], doc: Text): RangeSet<Decides> {
  const lines = new Map<number, Decided[]>();
  for (const it of all) if (it.line <= doc.lines) (lines.get(it.line) ?? lines.set(it.line, []).get(it.line)!).push(it);
  return RangeSet.of(
    [...lines].map(([line, says]) => new Decides(says).range(doc.line(line).from)),
    true,
  );
}

/** What the line at a position says. */
export function saidAt(state: EditorState, position: number): Decided[] {
  const line = state.doc.lineAt(position);
  let says: Decided[] = [];
  state.field(layers).between(line.from, line.to, (_from, _to, it) => void (says = it.says));
  return says;
}

/** `choose` is told what the clicked line says. */
export function layerGutter(choose: (says: Decided[]) => void): Extension {
  return [
    layers,
    gutter({
      class: "ff-layers",
      markers: (view) => view.state.field(layers),
      initialSpacer: () => new Decides([{ line: 1, layer: "base", path: "", value: "", wins: 1, of: 1 }]),
      domEventHandlers: {
        click(view: EditorView, block) {
          const says = saidAt(view.state, block.from);
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
