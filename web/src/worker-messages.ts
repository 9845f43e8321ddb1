// What a page and the engine in its worker say to each other.
import type { Refusal } from "../contract.js";
import type { PlainSource } from "./api-start.js";

export type ToWorker =
  | { kind: "start"; source: PlainSource | undefined }
  /** `on` is a workspace, 0 for none. */
  | { kind: "call"; id: number; on: number; request: string; exact: boolean }
  | { kind: "free"; on: number };

export type FromWorker =
  | { id: number; text: string }
  | { id: number; value: unknown }
  /** There is no answer at all: the engine is not there. */
  | { id: number; error: Refusal };
