// The engine beside the page: the same calls, each a promise, and nothing that the page would wait for. For browsers.
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
  encodeRequest,
} from "./api-call.js";
import type { PlainSource } from "./api-start.js";
import type { FromWorker, ToWorker } from "./worker-messages.js";

export { FleetfoldError } from "./api-call.js";

export interface EngineOptions {
  /** Where `engine.wasm` is, its bytes, or the module, when it is not beside the worker's script. */
  source?: PlainSource;
  /** The worker, when a bundler or a policy wants it made in another way: a module that imports `fleetfold/worker-script`. */
  worker?: typeof globalThis extends { Worker: { prototype: infer It } } ? It : never;
}

/** One function for each op, as `Ops` has it, with a promise. */
export type AsyncOps = {
  [O in keyof Requests]: {} extends Arguments<O>
    ? (args?: Arguments<O>, options?: CallOptions) => Promise<Answer<O>>
    : (args: Arguments<O>, options?: CallOptions) => Promise<Answer<O>>;
};

interface AsyncCalls {
  /** JSON text in, JSON text out: nothing is lost, whatever the integers. Bad input is an `error` in the answer. */
  callText(request: string): Promise<string>;
  /** Answers a request as the contract has it. Bad input is an `error` in the answer. */
  call<O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions): Promise<Called<O>>;
}

/** Documents that are loaded in the worker, and what can be asked about them. Calls are answered in the order in which they are made. */
export interface AsyncWorkspace extends AsyncCalls, AsyncOps {
  /** Lets everything go that was loaded. A second time does nothing. */
  free(): void;
  [Symbol.dispose](): void;
}

/** An engine in a worker. */
export interface AsyncEngine extends AsyncCalls, Pick<AsyncOps, Primitive> {
  /** An empty workspace. */
  workspace(): AsyncWorkspace;
  /** Ends the worker and everything in it. Calls that are not answered yet are rejected, and so is every later one. */
  terminate(): void;
  [Symbol.dispose](): void;
}

/** Starts an engine in a worker of its own. Calls may be made at once; if it cannot start, they say why. */
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

/** The calls on one workspace, and those ops that make sense there. */
function callsFor(
  line: WorkerConnection,
  on: number,
  which: "primitive" | "loaded",
  refusal: () => FleetfoldError | undefined,
): AsyncCalls & AsyncOps {
  const send = async (request: string, exact: boolean) => {
    const problem = refusal();
    if (problem) throw problem;
    return line.call(on, request, exact);
  };
  const calls: AsyncCalls = {
    async callText(request) {
      if (typeof request !== "string")
        throw new FleetfoldError({ code: "bad-json", message: `the request is not a text: ${typeof request}` });
      return (await send(request, false)) as string;
    },
    async call<O extends Op>(request: Requests[O] & { op: O }, options?: CallOptions) {
      const encoded = encodeRequest(request);
      if ("error" in encoded) return encoded;
      const exact = options?.bigint === true;
      const answer = await send(encoded.text, exact);
      return (exact ? answer : JSON.parse(answer as string)) as Called<O>;
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

/** Browsers that do not know `using` have no such symbol. */
function disposedBy(end: () => void): { [Symbol.dispose](): void } {
  return (Symbol.dispose ? { [Symbol.dispose]: end } : {}) as { [Symbol.dispose](): void };
}

/** Questions to a worker and their answers. */
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

  call(on: number, request: string, exact: boolean): Promise<unknown> {
    if (this.#ended) return Promise.reject(new FleetfoldError(this.#ended));
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.post({ kind: "call", id, on, request, exact });
    });
  }

  /** For the first reason that there is. */
  end(why: Refusal): void {
    this.#ended ??= why;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new FleetfoldError(this.#ended));
    this.#waiting.clear();
  }
}
