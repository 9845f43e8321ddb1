// The engine in a worker, for browsers: the same calls, each returning a promise, so that the page never blocks.
import type { Op, Refusal, Requests } from "../contract.js";
import {
  answerOf,
  type Answer,
  type Arguments,
  type Called,
  type CallOptions,
  FleetfoldError,
  OPS,
  type Primitive,
  requestOf,
} from "./api-call.js";
import type { PlainSource } from "./api-start.js";
import { plainRequest } from "./plain.js";
import type { FromWorker, ToWorker, WorkerRequest } from "./worker-messages.js";

export { FleetfoldError } from "./api-call.js";

export interface EngineOptions {
  /** The URL, the bytes or the module of `engine.wasm`, if it is not beside the worker's script. */
  source?: PlainSource;
  /**
   * The worker, if a bundler or a policy needs another way to create it: a module that imports
   * `fleetfold/worker-script`.
   */
  worker?: typeof globalThis extends { Worker: { prototype: infer It } } ? It : never;
}

/** One function for each op, as in `Ops`, returning a promise. */
export type AsyncOps = {
  [O in keyof Requests]: {} extends Arguments<O>
    ? (args?: Arguments<O>, options?: CallOptions) => Promise<Answer<O>>
    : (args: Arguments<O>, options?: CallOptions) => Promise<Answer<O>>;
};

interface AsyncCalls {
  /** JSON text in, JSON text out, integers exact. Bad input is an `error` in the answer. */
  callText(request: string): Promise<string>;
  /** Calls an op. Bad input is an `error` in the answer. */
  call<O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions): Promise<Called<O>>;
}

/** Documents loaded in the worker and the ops on them. Calls are answered in order. */
export interface AsyncWorkspace extends AsyncCalls, AsyncOps {
  /** Releases all loaded documents. Idempotent. */
  free(): void;
  [Symbol.dispose](): void;
}

/** An engine in a worker. */
export interface AsyncEngine extends AsyncCalls, Pick<AsyncOps, Primitive> {
  /** Creates an empty workspace. */
  workspace(): AsyncWorkspace;
  /** Ends the worker and all its workspaces. Pending and later calls are rejected. */
  terminate(): void;
  [Symbol.dispose](): void;
}

/** Starts an engine in its own worker. Calls may follow at once; they are rejected if it cannot start. */
export function createEngine(options: EngineOptions = {}): AsyncEngine {
  if (!options.worker && typeof Worker === "undefined") {
    throw new FleetfoldError({
      code: "not-started",
      message: "there are no Web Workers here",
      hint: "in Node, import the package itself: it needs no worker",
    });
  }
  const connection = new WorkerConnection(
    options.worker ?? new Worker(new URL("./worker-script.js", import.meta.url), { type: "module", name: "fleetfold" }),
    options.source,
  );
  const terminate = () => connection.end({ code: "terminated", message: "the engine was terminated" });
  let count = 0;
  return {
    ...callsFor(connection, 0, "primitive", () => undefined),
    workspace() {
      const on = ++count;
      let freed: FleetfoldError | undefined;
      const free = () => {
        if (!freed) connection.post({ kind: "free", on });
        freed = new FleetfoldError({
          code: "freed",
          message: "this workspace was freed",
          hint: "make another one: engine.workspace()",
        });
      };
      return { ...callsFor(connection, on, "loaded", () => freed), free, ...disposedBy(free) };
    },
    terminate,
    ...disposedBy(terminate),
  };
}

/** The calls on one workspace, with the ops available there. */
function callsFor(
  line: WorkerConnection,
  on: number,
  which: "primitive" | "loaded",
  refusal: () => FleetfoldError | undefined,
): AsyncCalls & AsyncOps {
  const send = async (request: WorkerRequest) => {
    const problem = refusal();
    if (problem) throw problem;
    return line.call(on, request);
  };
  const calls: AsyncCalls = {
    async callText(request) {
      if (typeof request !== "string")
        throw new FleetfoldError({ code: "bad-json", message: `the request is not a text: ${typeof request}` });
      return (await send({ text: request })) as string;
    },
    async call<O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions) {
      const plain = plainRequest(request);
      if ("error" in plain) return plain;
      const bigint = Boolean(options?.bigint);
      const answer =
        bigint || plain.hasBigInt
          ? await send({ data: plain.data, bigint })
          : JSON.parse((await send({ text: JSON.stringify(plain.data) })) as string);
      return answer as Called<O>;
    },
  };
  const names = (Object.keys(OPS) as Op[]).filter((op) => which === "loaded" || OPS[op] === which);
  const ops = names.map((op) => [
    op,
    async (args: unknown, options?: CallOptions) =>
      answerOf(await calls.call(requestOf(op, args) as Requests[Op], options)),
  ]);
  return { ...calls, ...(Object.fromEntries(ops) as AsyncOps) };
}

/** Browsers without `using` do not have this symbol. */
function disposedBy(end: () => void): { [Symbol.dispose](): void } {
  return (Symbol.dispose ? { [Symbol.dispose]: end } : {}) as { [Symbol.dispose](): void };
}

/** Sends requests to a worker and resolves their answers. */
class WorkerConnection {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { resolve: (answer: unknown) => void; reject: (problem: FleetfoldError) => void }
  >();
  #ended: Refusal | undefined;
  #count = 0;

  constructor(worker: Worker, source: PlainSource | undefined) {
    this.#worker = worker;
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("error" in data) waiting?.reject(new FleetfoldError(data.error));
      else waiting?.resolve("text" in data ? data.text : data.value);
    });
    const failed = (event: Event) => {
      const message = (event as ErrorEvent).message || "its script does not load";
      this.end({
        code: "engine-failed",
        message: `the worker failed: ${message}`,
        hint: "is worker-script.js served, and does the page's policy allow it in worker-src?",
      });
    };
    worker.addEventListener("error", failed);
    worker.addEventListener("messageerror", failed);
    this.post({ kind: "start", source: typeof URL === "function" && source instanceof URL ? source.href : source });
  }

  post(message: ToWorker): void {
    if (!this.#ended) this.#worker.postMessage(message);
  }

  call(on: number, request: WorkerRequest): Promise<unknown> {
    if (this.#ended) return Promise.reject(new FleetfoldError(this.#ended));
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.post({ kind: "call", id, on, request });
    });
  }

  /** Keeps the first reason. */
  end(why: Refusal): void {
    this.#ended ??= why;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new FleetfoldError(this.#ended));
    this.#waiting.clear();
  }
}
