// The entry point for single-file pages and tests: it embeds the engine and starts it on import.
import bytes from "../engine/engine_bg.wasm";
import { startSync } from "./api-start.js";

export * from "./api.js";

startSync(bytes);

/** Does nothing: the engine is already started. It exists so that the same program runs everywhere. */
export function init(): Promise<void> {
  return Promise.resolve();
}
