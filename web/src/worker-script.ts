// The engine in a worker, controlled by `worker.ts`. Text is answered with text, plain data with an object.
import { Workspace as Engine } from "../engine/engine.js";
import type { FleetfoldError } from "./api-call.js";
import { startFrom } from "./api-start.js";
import type { FromWorker, ToWorker } from "./worker-messages.js";

const engines = new Map<number, Engine>();
let started: Promise<void> | undefined;

addEventListener("message", async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "start") {
    started = startFrom(data.source ?? new URL("./engine.wasm", import.meta.url));
    // Every call reports the failure.
    return void started.catch(() => undefined);
  }
  try {
    await started;
    if (data.kind === "free") free(data.on);
    else postMessage(handleCall(data));
  } catch (problem) {
    if (data.kind === "call") postMessage(failure(data.id, problem));
  }
});

function handleCall({ id, on, request }: Extract<ToWorker, { kind: "call" }>): FromWorker {
  // Calls without a workspace run in a temporary one.
  const engine = engines.get(on) ?? new Engine();
  if (on !== 0) engines.set(on, engine);
  const answer: FromWorker =
    "text" in request
      ? { id, text: engine.callText(request.text) }
      : { id, value: engine.callObject(request.data, request.bigint) };
  if (on === 0) engine.free();
  return answer;
}

function free(on: number): void {
  engines.get(on)?.free();
  engines.delete(on);
}

function failure(id: number, problem: unknown): FromWorker {
  const { code = "engine-failed", message, hint } = problem as Partial<FleetfoldError>;
  return { id, error: { code, message: message ?? String(problem), ...(hint === undefined ? {} : { hint }) } };
}
