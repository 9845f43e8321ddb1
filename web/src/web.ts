// The entry point of browsers and other runtimes with `fetch`: `await init()` once, then every call is synchronous.
import { type EngineSource, startFrom } from "./api-start.js";

export * from "./api.js";
export type { EngineSource } from "./api-start.js";

/**
 * Starts the engine: by default from `engine.wasm` beside this file, or from a URL, a response, bytes or a module. Only
 * the first call has an effect, unless it failed. In runtimes that start the engine on import, such as Node, it does
 * nothing.
 */
export function init(source?: EngineSource | Promise<EngineSource>): Promise<void> {
  return startFrom(source ?? new URL("./engine.wasm", import.meta.url));
}
