// The entry point of browsers and everything else that can fetch: `await init()` once, then everything is synchronous.
import { type EngineSource, startFrom } from "./api-start.js";

export * from "./api.js";
export type { EngineSource } from "./api-start.js";

/**
 * Starts the engine: by itself from `engine.wasm` beside this file, or from an address, a response, bytes or a module. Only the
 * first call does something, unless it failed. Where the engine is there from the start, as in Node, it does nothing.
 */
export function init(source?: EngineSource | Promise<EngineSource>): Promise<void> {
  return startFrom(source ?? new URL("./engine.wasm", import.meta.url));
}
