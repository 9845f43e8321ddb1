// The entry point of Cloudflare Workers, which compile modules at deployment and forbid it at run time.
import module from "./engine.wasm";
import { startSync } from "./api-start.js";

export * from "./api.js";

startSync(module);

/** Does nothing: the engine is already started. It exists so that the same program runs in browsers. */
export function init(): Promise<void> {
  return Promise.resolve();
}
