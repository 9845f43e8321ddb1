// The page's client of the engine in the worker.
import type { Answers, Finding, Op, Refusal, Requests } from "../../contract.js";
import { toJson } from "../format.js";
import type { FromEngine, SetupRequest, ToEngine, WorkspaceName } from "./messages.js";
import { SOON, URGENT } from "./urgency.js";

export type Answered<O extends Op = Op> =
  { ok: Answers[O]; diagnostics?: Finding[] } | { error: Refusal; diagnostics?: Finding[] };

export { LATER, SOON, URGENT } from "./urgency.js";

type Distribute<T extends ToEngine> = T extends ToEngine ? Omit<T, "id"> : never;

export class Engine {
  /** Rejects if the browser cannot run the engine. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #count = 0;

  /** `worker` runs `engine.worker.ts`; the caller creates it because it knows the script's URL. */
  constructor(worker: Worker) {
    this.#worker = worker;
    this.ready = new Promise((resolve, reject) => {
      this.#worker.addEventListener("message", ({ data }: MessageEvent<FromEngine>) => {
        if (data.kind === "ready") return resolve();
        if (data.kind === "failed") return reject(new Error(data.message));
        const answer = data.kind === "stale" ? undefined : "text" in data ? JSON.parse(data.text) : data.value;
        this.#waiting.get(data.id)?.(answer);
        this.#waiting.delete(data.id);
      });
      this.#worker.addEventListener("error", (event) =>
        reject(new Error(event.message || "the engine does not start")),
      );
    });
  }

  /** Changes one workspace, or replaces it if `fresh`. Requests of older generations are dropped. */
  setUp(on: WorkspaceName, generation: number, requests: SetupRequest[], fresh: boolean): Promise<Answered<"load">[]> {
    return this.#send({ kind: "put", on, generation, requests, fresh }) as Promise<Answered<"load">[]>;
  }

  /** Returns nothing if a newer generation arrived first. */
  query<O extends Op>(
    on: WorkspaceName,
    generation: number,
    urgency: number,
    request: Requests[O] & { op: O },
  ): Promise<Answered<O> | undefined> {
    return this.#send({ kind: "ask", on, generation, urgency, request: toJson(request) }) as Promise<
      Answered<O> | undefined
    >;
  }

  /** Answers a request that does not depend on documents. Throws if the engine refuses it. */
  async ask<O extends Op>(request: Requests[O] & { op: O }): Promise<Answers[O]> {
    const answer = await this.query<O>("current", Number.MAX_SAFE_INTEGER, URGENT, request);
    if (!answer || "error" in answer) throw new Error(answer?.error.message ?? "the engine does not answer");
    return answer.ok;
  }

  /** Answers a request as typed, valid or not, in the scratch workspace after `requests`. */
  try(generation: number, puts: SetupRequest[], request: string): Promise<Answered> {
    void this.setUp("scratch", generation, puts, true);
    return this.#send({
      kind: "ask",
      on: "scratch",
      generation: Number.MAX_SAFE_INTEGER,
      urgency: SOON,
      request,
    }) as Promise<Answered>;
  }

  stop(): void {
    this.#worker.terminate();
  }

  #send(message: Distribute<ToEngine>): Promise<unknown> {
    const id = ++this.#count;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ ...message, id });
    });
  }
}
