// The public API: the contract in JavaScript, over the engine that the imported entry point started.
import type { Op, Requests } from "../contract.js";
import { Workspace as Engine } from "../engine/engine.js";
import {
  answerOf,
  type Called,
  type CallOptions,
  FleetfoldError,
  type Ops,
  OPS,
  type Primitive,
  requestOf,
} from "./api-call.js";
import { engine } from "./api-start.js";
import { plainRequest } from "./plain.js";

export type * from "../contract.js";
export {
  FleetfoldError,
  offsetOf,
  type Answer,
  type Arguments,
  type Called,
  type CallOptions,
  type Ops,
  type Primitive,
} from "./api-call.js";

/**
 * Loaded documents and the ops on them. Release it with `free`, or declare it with `using`: JavaScript's garbage
 * collector does not see the engine's memory.
 */
export class Workspace {
  #engine: Engine | undefined = newEngine();
  #failure: FleetfoldError | undefined;

  /** JSON text in, JSON text out, integers exact. Bad input is an `error` in the answer. */
  callText(request: string): string {
    if (typeof request !== "string")
      throw new FleetfoldError({ code: "bad-json", message: `the request is not a text: ${typeof request}` });
    return this.#run((it) => it.callText(request));
  }

  /** Calls an op. Bad input is an `error` in the answer; nothing is thrown. */
  call<O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions): Called<O> {
    const plain = plainRequest(request);
    if ("error" in plain) return plain;
    const bigint = Boolean(options?.bigint);
    return (
      bigint || plain.hasBigInt
        ? this.#run((it) => it.callObject(plain.data, bigint))
        : JSON.parse(this.callText(JSON.stringify(plain.data)))
    ) as Called<O>;
  }

  /** Releases all loaded documents. Idempotent. */
  free(): void {
    this.#engine?.free();
    this.#engine = undefined;
  }

  #run<T>(call: (engine: Engine) => T): T {
    const engine = this.#engine;
    if (!engine)
      throw (
        this.#failure ??
        new FleetfoldError({
          code: "freed",
          message: "this workspace was freed",
          hint: "make another one: new Workspace()",
        })
      );
    try {
      return call(engine);
    } catch (cause) {
      // The engine ran out of memory, for example. Its state may be inconsistent, so it is never called again.
      this.#engine = undefined;
      this.#failure = new FleetfoldError(
        {
          code: "engine-failed",
          message: `the engine failed: ${cause instanceof Error ? cause.message : cause}`,
          hint: "make another workspace, of less",
        },
        [],
        { cause },
      );
      throw this.#failure;
    }
  }
}

export interface Workspace extends Ops {
  [Symbol.dispose](): void;
}

for (const op of Object.keys(OPS) as Op[]) {
  define(op, function (this: Workspace, args, options) {
    return answerOf(this.call(requestOf(op, args) as Requests[Op], options as CallOptions));
  });
}
// The engine's class has the same name, so a bundler renames this one.
Object.defineProperty(Workspace, "name", { value: "Workspace", configurable: true });
// Browsers without `using` do not have this symbol.
if (Symbol.dispose) define(Symbol.dispose, Workspace.prototype.free);

function define(name: PropertyKey, value: (this: Workspace, ...args: unknown[]) => unknown): void {
  Object.defineProperty(Workspace.prototype, name, { value, configurable: true, writable: true });
}

function newEngine(): Engine {
  if (!engine.started)
    throw new FleetfoldError({ code: "not-started", message: "the engine is not started", hint: "await init() first" });
  return new Engine();
}

/** Runs a stateless op in a temporary workspace. */
function withTemporaryWorkspace<T>(use: (workspace: Workspace) => T): T {
  const workspace = new Workspace();
  try {
    return use(workspace);
  } finally {
    workspace.free();
  }
}

/** JSON text in, JSON text out, with nothing loaded. */
export function callText(request: string): string {
  return withTemporaryWorkspace((it) => it.callText(request));
}

/** Calls an op with nothing loaded. Bad input is an `error` in the answer; nothing is thrown. */
export function call<O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions): Called<O> {
  return withTemporaryWorkspace((it) => it.call<O>(request, options));
}

function statelessOp<O extends Primitive>(op: O): Ops[O] {
  return ((args: never, options?: CallOptions) => withTemporaryWorkspace((it) => it[op](args, options))) as Ops[O];
}

export const describe: Ops["describe"] = statelessOp("describe");
export const parse: Ops["parse"] = statelessOp("parse");
export const print: Ops["print"] = statelessOp("print");
export const redact: Ops["redact"] = statelessOp("redact");
export const sources: Ops["sources"] = statelessOp("sources");
export const select: Ops["select"] = statelessOp("select");
export const fold: Ops["fold"] = statelessOp("fold");
export const retain: Ops["retain"] = statelessOp("retain");
export const patch: Ops["patch"] = statelessOp("patch");
export const match: Ops["match"] = statelessOp("match");
export const adopt: Ops["adopt"] = statelessOp("adopt");
export const release: Ops["release"] = statelessOp("release");
export const authorize: Ops["authorize"] = statelessOp("authorize");
export const refresh: Ops["refresh"] = statelessOp("refresh");
export const mold: Ops["mold"] = statelessOp("mold");
