// The entry point for pages and tests of a single file: the engine is part of it, and there when the import is.
import bytes from "../engine/engine_bg.wasm";
import { startSync } from "./api-start.js";

export * from "./api.js";

startSync(bytes);

/** Nothing is left to do. It is here so that the same program runs everywhere. */
export function init(): Promise<void> {
  return Promise.resolve();
}
