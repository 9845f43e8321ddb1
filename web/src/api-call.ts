// The types of a call in every runtime: ops, options, answers and errors.
import type { Answers, Finding, Op, Refusal, Requests } from "../contract.js";

export type * from "../contract.js";

/** The arguments of an op: its request without `op`. */
export type Arguments<O extends Op> = Omit<Requests[O], "op">;

/** The answer of an op, with its diagnostics. */
export type Answer<O extends Op> = Answers[O] & { diagnostics: Finding[] };

/** The result of `call`: an answer or an error. */
export type Called<O extends Op> =
  { ok: Answers[O]; diagnostics?: Finding[] } | { error: Refusal; diagnostics?: Finding[] };

export interface CallOptions {
  /** Return integers beyond 2^53 as BigInt instead of the nearest number. BigInts in a request are always exact. */
  bigint?: boolean;
}

/**
 * One function for each op. It takes the request without `op` and throws a `FleetfoldError` where `call` returns an
 * `error`.
 */
export type Ops = {
  [O in keyof Requests]: {} extends Arguments<O>
    ? (args?: Arguments<O>, options?: CallOptions) => Answer<O>
    : (args: Arguments<O>, options?: CallOptions) => Answer<O>;
};

/** The stateless ops: they need no workspace. */
export type Primitive =
  | "describe"
  | "parse"
  | "print"
  | "redact"
  | "sources"
  | "select"
  | "fold"
  | "retain"
  | "patch"
  | "match"
  | "adopt"
  | "release"
  | "authorize"
  | "refresh"
  | "mold";

/** Every op, and whether it is stateless. @internal */
export const OPS: { [O in Op]: O extends Primitive ? "primitive" : "loaded" } = {
  describe: "primitive",
  parse: "primitive",
  print: "primitive",
  redact: "primitive",
  sources: "primitive",
  select: "primitive",
  fold: "primitive",
  retain: "primitive",
  patch: "primitive",
  match: "primitive",
  adopt: "primitive",
  release: "primitive",
  authorize: "primitive",
  refresh: "primitive",
  mold: "primitive",
  load: "loaded",
  unload: "loaded",
  configure: "loaded",
  clusters: "loaded",
  kinds: "loaded",
  reach: "loaded",
  subjects: "loaded",
  effective: "loaded",
  explain: "loaded",
  diff: "loaded",
  lint: "loaded",
  plan: "loaded",
  whatIf: "loaded",
  admit: "loaded",
  defaults: "loaded",
};

/** The error of an op. */
export class FleetfoldError extends Error {
  override readonly name = "FleetfoldError";
  /** The stable code of the error. */
  readonly code: string;
  /** A JSON pointer into the request, or `line:column` of a text. */
  readonly at: string | undefined;
  /** How to fix it. */
  readonly hint: string | undefined;
  /** The diagnostics up to the error. */
  readonly diagnostics: Finding[];

  constructor(refusal: Refusal, diagnostics: Finding[] = [], options?: { cause?: unknown }) {
    super(refusal.message, options);
    this.code = refusal.code;
    this.at = refusal.at;
    this.hint = refusal.hint;
    this.diagnostics = diagnostics;
  }
}

/** Returns the answer of a call or throws its error. @internal */
export function answerOf<O extends Op>(called: Called<O>): Answer<O> {
  if ("error" in called) throw new FleetfoldError(called.error, called.diagnostics);
  return { ...called.ok, diagnostics: called.diagnostics ?? [] };
}

/** Builds the request of an op from its arguments. @internal */
export function requestOf(op: Op, args: unknown): unknown {
  if (args !== undefined && (typeof args !== "object" || args === null))
    throw new FleetfoldError({ code: "wrong-type", message: `the arguments of ${op} must be an object` });
  try {
    return { ...args, op };
  } catch (cause) {
    throw notJson(cause);
  }
}

/** The error for a request that JSON cannot hold. @internal */
export function notJson(cause: unknown): FleetfoldError {
  const [first] = String(cause instanceof Error ? cause.message : cause).split("\n");
  return new FleetfoldError({ code: "bad-json", message: `the request is not JSON: ${first}` }, [], { cause });
}

/**
 * Converts a position of an answer (`{ line, column }`, or the `"line:column"` of an error) to an offset as JavaScript
 * and editors count: in UTF-16 units from 0. Answers count lines and characters from 1, and a character may be two
 * units.
 */
export function offsetOf(text: string, place: { line?: number; column?: number } | string): number {
  const [line = 1, column = 1] = typeof place === "string" ? place.split(":").map(Number) : [place.line, place.column];
  let offset = 0;
  const breaks = /\r\n|\r|\n/g;
  for (let at = 1; at < line; at++) {
    if (!breaks.exec(text)) return text.length;
    offset = breaks.lastIndex;
  }
  for (let at = 1; at < column && offset < text.length && !/[\r\n]/.test(text[offset]!); at++) {
    offset += text.codePointAt(offset)! > 0xffff ? 2 : 1;
  }
  return offset;
}
