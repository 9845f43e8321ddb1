// The entry point of Cloudflare Workers, which compile modules before the program runs and let nobody do it later.
import module from "./engine.wasm";
import { startSync } from "./api-start.js";

export * from "./api.js";

startSync(module);

/** Nothing is left to do. It is here so that the same program runs in browsers. */
export function init(): Promise<void> {
  return Promise.resolve();
}
