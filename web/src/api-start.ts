// Starts the engine, for every entry point.
import start, { initSync } from "../engine/engine.js";
import { FleetfoldError } from "./api-call.js";

// Without the global DOM types: programs for Node may compile without them.
type Global<Name extends string> = typeof globalThis extends { [N in Name]: { prototype: infer It } } ? It : never;
type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer It } } } ? It : never;

/** What an engine can start from in every runtime: a URL, the bytes, or a compiled module. */
export type PlainSource = string | Global<"URL"> | ArrayBuffer | ArrayBufferView | WasmModule;

/** What an engine can start from: also a request, or the response to one. */
export type EngineSource = PlainSource | Global<"Request"> | Global<"Response">;

/** @internal */
export const engine = { started: false };

/** @internal */
export function startSync(module: ArrayBufferView | WebAssembly.Module): void {
  initSync({ module: module as BufferSource });
  engine.started = true;
}

/** Idempotent: only a failed start is repeated. @internal */
export async function startFrom(source: EngineSource | Promise<EngineSource>): Promise<void> {
  try {
    await start({ module_or_path: source as RequestInfo });
  } catch (cause) {
    const message = `the engine does not start: ${cause instanceof Error ? cause.message : cause}`;
    throw new FleetfoldError(
      {
        code: "not-started",
        message,
        hint: "is engine.wasm served, and does the page's policy allow 'wasm-unsafe-eval'?",
      },
      [],
      { cause },
    );
  }
  engine.started = true;
}
