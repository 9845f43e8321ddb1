// The entry point of Node: the engine is there when the import is.
import { readFileSync } from "node:fs";
import { startSync } from "./api-start.js";

export * from "./api.js";

startSync(readFileSync(new URL("./engine.wasm", import.meta.url)));

/** Nothing is left to do. It is here so that the same program runs in browsers. */
export function init(): Promise<void> {
  return Promise.resolve();
}
