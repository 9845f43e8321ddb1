// The entry point of browsers and everything else that can fetch: `await init()` once, then everything is synchronous.
import start, { type InitInput } from "../engine/engine.js";

export * from "./api.js";

let started: Promise<void> | undefined;

/**
 * Starts the engine: by itself from `engine.wasm` beside this file, or from an address, a response, bytes or a module. Only the
 * first call does something, unless it failed.
 */
export function init(source?: InitInput | Promise<InitInput>): Promise<void> {
  started ??= start({ module_or_path: source ?? new URL("./engine.wasm", import.meta.url) }).then(
    () => undefined,
    (problem: unknown) => {
      started = undefined;
      throw problem;
    },
  );
  return started;
}
