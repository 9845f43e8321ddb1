// The result of one cluster as a tree of values with their origins and their state before the edits.
import type { Json, LayerAnswer, OptionAnswer, ProductAnswer, ResultAnswer } from "../../../../contract.js";
import { inlineValue, toJson, referenceText, pointerSegment } from "../../../format.js";

/** A value or a group of values. */
export interface Node {
  /** Stable for a path, whatever its value. */
  id: string;
  name: string;
  /** As `explain` takes it: an option path, or a JSON pointer into `object`. A group of options has none. */
  path?: string;
  object?: string;
  /** The value on one line; undefined for a branch. */
  text?: string;
  /** Whether the text is a reference to a Secret. */
  isReference?: boolean;
  /** The type and size of a branch. */
  summary?: string;
  children: Node[];
  /** The layers that set it, winner first. */
  origins: LayerAnswer[];
  /** The rule that retained it from the live object. */
  retainedBy?: string;
  /** The change against the baseline. Removed values are still shown, struck out. */
  change?: "added" | "changed" | "removed";
  was?: string;
  /** Whether it is initially folded. */
  folded: boolean;
}

/** The reference of an object within its subject. */
export function objectName(object: unknown): string {
  const { kind, metadata } = object as { kind?: string; metadata?: { namespace?: string; name?: string } };
  return [kind, metadata?.namespace, metadata?.name].filter((it) => it !== undefined && it !== "").join("/");
}

export function nodesOf(result: ResultAnswer | undefined): Node[] {
  if (result?.objects) return result.objects.map((it) => objectNode(it, result.objects!.length));
  return optionNodes(result?.options ?? [], result?.origins ?? {});
}

/** The entries in the usual order of manifests: identity first. */
export function sortedEntries(value: object): [string, unknown][] {
  const rank = (key: string) => KEY_ORDER.get(key) ?? 9;
  return Object.entries(value).sort(([a], [b]) => rank(a) - rank(b));
}

const KEY_ORDER = new Map([
  ["apiVersion", 0],
  ["kind", 1],
  ["metadata", 2],
  ["name", 3],
  ["namespace", 4],
]);

/** From this many options with a common prefix on they form a group. */
const GROUP_FROM = 4;
/** A branch with more descendants is initially folded. */
const FOLD_ABOVE = 40;
/** With more objects than this, they are initially folded. */
const FOLD_OBJECTS_ABOVE = 3;

function optionNodes(options: OptionAnswer[], origins: Record<string, LayerAnswer[]>): Node[] {
  const byPrefix = new Map<string, OptionAnswer[]>();
  for (const it of options) {
    const first = it.path.split(/[.[]/, 1)[0]!;
    byPrefix.set(first, [...(byPrefix.get(first) ?? []), it]);
  }
  const nodes = [...byPrefix].flatMap(([, family]) => {
    const leaves = family.map((it) => optionNode(it, ownValue(origins, it.path) ?? [{ ...it, layer: it.from }]));
    if (family.length < GROUP_FROM) return leaves;
    const prefix = commonPrefix(family.map((it) => it.path));
    const injected = family.every((it) => it.from === "injected");
    for (const it of leaves) it.name = it.name.slice(prefix.length + 1) || it.name;
    return [branch(`group ${prefix}`, prefix, leaves, `${family.length} options`, injected)];
  });
  // Options from documents first, options injected by the engine last.
  const added = (it: Node): number => Number((it.children[0] ?? it).origins[0]?.layer === "injected");
  return nodes.sort((a, b) => added(a) - added(b));
}

function commonPrefix(paths: string[]): string {
  const parts = paths.map((it) => it.split("."));
  const shared: string[] = [];
  for (const [valueAt, part] of parts[0]!.slice(0, -1).entries()) {
    if (!parts.every((it) => it[valueAt] === part && it.length > valueAt + 1)) break;
    shared.push(part);
  }
  return shared.join(".");
}

function optionNode(option: OptionAnswer, origins: LayerAnswer[]): Node {
  const base = { path: option.path, id: `option ${option.path}`, name: option.path, origins };
  if (option.valueFrom !== undefined)
    return { ...base, text: referenceText(option.valueFrom), isReference: true, children: [], folded: false };
  // Several layers may merge a map: each value below belongs to the first layer that contains it.
  const below = (pointer: string) => originsInside(origins, pointer);
  const path = (outer: string, key: string | number) =>
    typeof key === "number" ? `${outer}[${key}]` : `${outer}.${key.replace(/[.[\\]/g, "\\$&")}`;
  return valueNode(base, option.value, {
    pointer: "",
    path,
    origins: (pointer) => (pointer === "" ? origins : below(pointer)),
  });
}

/** The values of layers at a pointer below their own. */
function originsInside(origins: LayerAnswer[], pointer: string): LayerAnswer[] {
  return origins.flatMap((it) => {
    const value = at(it.value, pointer);
    return value === undefined ? [] : [{ ...it, value: value as Json }];
  });
}

/** Documents may contain keys such as `constructor`. */
function ownValue<T>(of: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}

function at(value: unknown, pointer: string): unknown {
  let here = value;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof here !== "object" || here === null) return undefined;
    here = ownValue(here as Record<string, unknown>, part.replaceAll("~1", "/").replaceAll("~0", "~"));
  }
  return here;
}

function objectNode(product: ProductAnswer, of: number): Node {
  const object = objectName(product.object);
  const [kind, ...rest] = object.split("/");
  const origins = product.origins ?? {};
  const retained = new Map((product.retained ?? []).map((it) => [it.path, it.rule]));
  // The base has one position; only `explain` knows the line of a value in it.
  const { line: _line, column: _column, ...place } = product.base ?? {};
  const base: LayerAnswer = { layer: "base", ...place };
  // A value belongs to its nearest layer; without one, to the base.
  const nearestOrigins = (pointer: string): LayerAnswer[] => {
    for (let it = pointer; it; it = it.slice(0, it.lastIndexOf("/"))) {
      const found = ownValue(origins, it);
      if (found) return it === pointer ? found : originsInside(found, pointer.slice(it.length));
    }
    return [base];
  };
  const rule = (pointer: string): string | undefined => {
    for (let it = pointer; it; it = it.slice(0, it.lastIndexOf("/"))) if (retained.has(it)) return retained.get(it);
    return undefined;
  };
  const node = valueNode(
    {
      path: "",
      object,
      id: `object ${object}`,
      name: `${kind} ${rest.join("/")}`,
      origins: [{ layer: "base", ...product.base }],
    },
    product.object,
    {
      pointer: "",
      path: (outer, key) => outer + pointerSegment(key),
      origins: nearestOrigins,
      retained: rule,
    },
  );
  return { ...node, folded: of > FOLD_OBJECTS_ABOVE };
}

interface TreeContext {
  pointer: string;
  path: (outer: string, key: string | number) => string;
  origins: (pointer: string) => LayerAnswer[];
  retained?: (pointer: string) => string | undefined;
}

function valueNode(
  base: Pick<Node, "id" | "name" | "path" | "object" | "origins">,
  value: unknown,
  context: TreeContext,
): Node {
  const rule = context.retained?.(context.pointer);
  const retained = rule === undefined ? {} : { retainedBy: rule };
  const isList = Array.isArray(value);
  const entries: [string | number, unknown][] = isList
    ? [...value.entries()]
    : typeof value === "object" && value !== null
      ? sortedEntries(value)
      : [];
  if (!entries.length) return { ...base, ...retained, text: inlineValue(value), children: [], folded: false };
  const children = entries.map(([key, it]) => {
    const pointer = context.pointer + pointerSegment(key);
    const path = context.path(base.path ?? "", key);
    const named = typeof key === "number" ? `${key}${nameIn(it)}` : key;
    const id = `${base.object === undefined ? "option" : `object ${base.object}`} ${path}`;
    return valueNode({ ...base, id, name: named, path, origins: context.origins(pointer) }, it, {
      ...context,
      pointer,
    });
  });
  const summary = isList ? `[${entries.length}]` : `{${entries.length}}`;
  return {
    ...branch(base.id, base.name, children, summary, context.pointer !== "" && size(children) > FOLD_ABOVE),
    ...base,
    ...retained,
  };
}

/** Appends the name of a list element. */
function nameIn(value: unknown): string {
  const name = (value as { name?: unknown } | null)?.name;
  return typeof name === "string" ? ` ${name}` : "";
}

function branch(id: string, name: string, children: Node[], summary: string, folded: boolean): Node {
  return { id, name, children, summary, origins: [], folded };
}

function size(nodes: Node[]): number {
  return nodes.reduce((sum, it) => sum + 1 + size(it.children), 0);
}

/** Marks the changes between two trees. */
export function markChanges(before: Node[], after: Node[]): Node[] {
  const then = new Map(before.map((it) => [it.id, it]));
  const marked = after.map((it): Node => {
    const old = then.get(it.id);
    if (!old) return { ...it, change: "added" };
    const children = markChanges(old.children, it.children);
    if (it.text !== old.text) return { ...it, children, change: "changed", was: old.text ?? old.summary ?? "" };
    return { ...it, children, ...(children.some((it) => it.change) ? { change: "changed" as const } : {}) };
  });
  const now = new Set(after.map((it) => it.id));
  const gone = before.filter((it) => !now.has(it.id)).map((it): Node => ({ ...it, change: "removed", folded: true }));
  return [...marked, ...gone];
}

/** The value of a layer on one line. */
export function layerValueText(layer: { value?: unknown; valueFrom?: unknown }): string {
  if (layer.valueFrom !== undefined) return referenceText(layer.valueFrom);
  return layer.value === undefined
    ? ""
    : typeof layer.value === "object"
      ? toJson(layer.value)
      : inlineValue(layer.value);
}

/** `replicas, 5, set by cluster-option-override in presets.yaml line 29, overrides 3 from preset`. */
export function describeNode(node: Node): string {
  const [winner, ...losers] = node.origins;
  const parts = [node.name, node.text ?? node.summary ?? ""];
  if (node.change === "removed") return [...parts, "removed by your edits"].join(", ");
  if (node.children.length === 0 && node.retainedBy !== undefined) parts.push(`live, retained by ${node.retainedBy}`);
  else if (node.children.length === 0 && winner)
    parts.push(
      `set by ${winner.layer}${
        winner.file === undefined
          ? ""
          : ` in ${fileName(winner.file)}${winner.line === undefined ? "" : ` line ${winner.line}`}`
      }`,
    );
  if (node.children.length === 0)
    for (const it of losers) parts.push(`overrides ${layerValueText(it)} from ${it.layer}`);
  if (node.change === "added") parts.push("added by your edits");
  if (node.change === "changed")
    parts.push(node.was === undefined ? "changed inside by your edits" : `was ${node.was} before your edits`);
  return parts.join(", ");
}

function fileName(path: string): string {
  return path.split("/").at(-1)!;
}

/** The first matching node with its ancestors, outermost first. */
export function pathTo(nodes: Node[], is: (node: Node) => boolean): Node[] {
  for (const it of nodes) {
    if (is(it)) return [it];
    const below = pathTo(it.children, is);
    if (below.length) return [it, ...below];
  }
  return [];
}
