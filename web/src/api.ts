// What people call: the contract in JavaScript, over an engine that was started by the entry point they imported.
import type { Answers, Finding, Op, Refusal, Requests } from "../contract.js";
import { Workspace as Engine } from "../engine/engine.js";

export type * from "../contract.js";

/** The arguments of an op: its request without `op`. */
export type Arguments<O extends Op> = Omit<Requests[O], "op">;

/** What an op answers, with what was found on the way. */
export type Answer<O extends Op> = Answers[O] & { diagnostics: Finding[] };

/** What `call` returns: an answer, or why there is none. It never throws for bad input. */
export type Called<O extends Op> = { ok: Answers[O]; diagnostics?: Finding[] } | { error: Refusal; diagnostics?: Finding[] };

export interface CallOptions {
  /** Integers beyond 2^53 come as BigInt instead of the nearest number. BigInts in a request are exact always. */
  bigint?: boolean;
}

/** Why an op could not be answered. */
export class FleetfoldError extends Error {
  override readonly name = "FleetfoldError";
  /** The stable name of the error. */
  readonly code: string;
  /** Where: a JSON pointer into the request, or `line:column` of a text. */
  readonly at: string | undefined;
  /** What to do about it. */
  readonly hint: string | undefined;
  readonly diagnostics: Finding[];

  constructor(refusal: Refusal, diagnostics: Finding[] = []) {
    super(refusal.message);
    this.code = refusal.code;
    this.at = refusal.at;
    this.hint = refusal.hint;
    this.diagnostics = diagnostics;
  }
}

/** Documents that are loaded, and what can be asked about them. Give it back with `free`, or declare it with `using`. */
export class Workspace {
  readonly #engine = new Engine();

  /** JSON text in, JSON text out: nothing is lost, whatever the integers. */
  callText(request: string): string {
    return this.#engine.callText(request);
  }

  /** Answers a request as the contract has it; bad input is an `error` in the answer. */
  call<O extends Op>(request: Requests[O] & { op: O }, options: CallOptions = {}): Called<O> {
    const text = write(request);
    return options.bigint ? this.#engine.callExact(text) : JSON.parse(this.#engine.callText(text));
  }

  free(): void {
    this.#engine.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }

  #ask<O extends Op>(op: O, args: Arguments<O> | undefined, options: CallOptions | undefined): Answer<O> {
    const called = this.call<O>({ ...args, op } as unknown as Requests[O] & { op: O }, options);
    if ("error" in called) throw new FleetfoldError(called.error, called.diagnostics);
    return { ...called.ok, diagnostics: called.diagnostics ?? [] };
  }

  describe(options?: CallOptions) { return this.#ask("describe", undefined, options); }
  parse(args: Arguments<"parse">, options?: CallOptions) { return this.#ask("parse", args, options); }
  select(args: Arguments<"select">, options?: CallOptions) { return this.#ask("select", args, options); }
  fold(args: Arguments<"fold">, options?: CallOptions) { return this.#ask("fold", args, options); }
  retain(args: Arguments<"retain">, options?: CallOptions) { return this.#ask("retain", args, options); }
  patch(args: Arguments<"patch">, options?: CallOptions) { return this.#ask("patch", args, options); }
  match(args: Arguments<"match">, options?: CallOptions) { return this.#ask("match", args, options); }
  adopt(args: Arguments<"adopt">, options?: CallOptions) { return this.#ask("adopt", args, options); }
  release(args: Arguments<"release">, options?: CallOptions) { return this.#ask("release", args, options); }
  authorize(args: Arguments<"authorize">, options?: CallOptions) { return this.#ask("authorize", args, options); }
  refresh(args: Arguments<"refresh">, options?: CallOptions) { return this.#ask("refresh", args, options); }
  mold(args: Arguments<"mold">, options?: CallOptions) { return this.#ask("mold", args, options); }
  load(args: Arguments<"load">, options?: CallOptions) { return this.#ask("load", args, options); }
  unload(args: Arguments<"unload">, options?: CallOptions) { return this.#ask("unload", args, options); }
  configure(args: Arguments<"configure">, options?: CallOptions) { return this.#ask("configure", args, options); }
  clusters(args?: Arguments<"clusters">, options?: CallOptions) { return this.#ask("clusters", args, options); }
  kinds(args?: Arguments<"kinds">, options?: CallOptions) { return this.#ask("kinds", args, options); }
  reach(options?: CallOptions) { return this.#ask("reach", undefined, options); }
  subjects(options?: CallOptions) { return this.#ask("subjects", undefined, options); }
  effective(args: Arguments<"effective">, options?: CallOptions) { return this.#ask("effective", args, options); }
  explain(args: Arguments<"explain">, options?: CallOptions) { return this.#ask("explain", args, options); }
  diff(args: Arguments<"diff">, options?: CallOptions) { return this.#ask("diff", args, options); }
  lint(options?: CallOptions) { return this.#ask("lint", undefined, options); }
  plan(args?: Arguments<"plan">, options?: CallOptions) { return this.#ask("plan", args, options); }
  whatIf(args: Arguments<"whatIf">, options?: CallOptions) { return this.#ask("whatIf", args, options); }
  admit(args: Arguments<"admit">, options?: CallOptions) { return this.#ask("admit", args, options); }
}

/** Primitives need no workspace: each call has an empty one. */
function once<T>(ask: (workspace: Workspace) => T): T {
  const workspace = new Workspace();
  try {
    return ask(workspace);
  } finally {
    workspace.free();
  }
}

export const callText = (request: string) => once((it) => it.callText(request));
export const call = <O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions) => once((it) => it.call<O>(request, options));
export const describe = (options?: CallOptions) => once((it) => it.describe(options));
export const parse = (args: Arguments<"parse">, options?: CallOptions) => once((it) => it.parse(args, options));
export const select = (args: Arguments<"select">, options?: CallOptions) => once((it) => it.select(args, options));
export const fold = (args: Arguments<"fold">, options?: CallOptions) => once((it) => it.fold(args, options));
export const retain = (args: Arguments<"retain">, options?: CallOptions) => once((it) => it.retain(args, options));
export const patch = (args: Arguments<"patch">, options?: CallOptions) => once((it) => it.patch(args, options));
export const match = (args: Arguments<"match">, options?: CallOptions) => once((it) => it.match(args, options));
export const adopt = (args: Arguments<"adopt">, options?: CallOptions) => once((it) => it.adopt(args, options));
export const release = (args: Arguments<"release">, options?: CallOptions) => once((it) => it.release(args, options));
export const authorize = (args: Arguments<"authorize">, options?: CallOptions) => once((it) => it.authorize(args, options));
export const refresh = (args: Arguments<"refresh">, options?: CallOptions) => once((it) => it.refresh(args, options));
export const mold = (args: Arguments<"mold">, options?: CallOptions) => once((it) => it.mold(args, options));

/** As `JSON.stringify`, and BigInts as the integers that they are. */
function write(value: unknown): string {
  let exact = true;
  const text = JSON.stringify(value, (_, it) => (typeof it === "bigint" ? ((exact = false), 0) : it));
  return exact ? text : writeExact(value);
}

function writeExact(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((it) => writeExact(it ?? null)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, it]) => it !== undefined);
  return `{${entries.map(([key, it]) => `${JSON.stringify(key)}:${writeExact(it)}`).join(",")}}`;
}
