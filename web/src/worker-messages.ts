// The messages between a page and the engine in its worker.
import type { Refusal } from "../contract.js";
import type { PlainSource } from "./api-start.js";

export type ToWorker =
  | { kind: "start"; source: PlainSource | undefined }
  /** `on` is the id of a workspace, 0 for none. */
  | { kind: "call"; id: number; on: number; request: WorkerRequest }
  | { kind: "free"; on: number };

/** A request as text, answered with text, or as plain data, answered with an object. */
export type WorkerRequest = { text: string } | { data: unknown; bigint: boolean };

export type FromWorker =
  | { id: number; text: string }
  | { id: number; value: unknown }
  /** No answer: the engine did not start or failed. */
  | { id: number; error: Refusal };
