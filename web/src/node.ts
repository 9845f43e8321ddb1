// The entry point of Node: it starts the engine on import.
import { readFileSync } from "node:fs";
import { startSync } from "./api-start.js";

export * from "./api.js";

startSync(readFileSync(new URL("./engine.wasm", import.meta.url)));

/** Does nothing: the engine is already started. It exists so that the same program runs in browsers. */
export function init(): Promise<void> {
  return Promise.resolve();
}
