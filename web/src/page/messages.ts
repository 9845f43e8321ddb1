// The messages between the page and the engine in its worker.
import type { ConfigureRequest, LoadRequest } from "../../contract.js";

/** A request that changes a workspace. */
export type SetupRequest = LoadRequest | ConfigureRequest;

/** The loaded documents, the documents with the edits, or the workspace for trying out requests. */
export type WorkspaceName = "baseline" | "current" | "scratch";

export type ToEngine =
  | { kind: "put"; id: number; on: WorkspaceName; generation: number; requests: SetupRequest[]; fresh: boolean }
  | { kind: "ask"; id: number; on: WorkspaceName; generation: number; urgency: number; request: string };

export type FromEngine =
  | { kind: "ready" }
  | { kind: "failed"; message: string }
  | { kind: "stale"; id: number }
  | { kind: "answer"; id: number; text: string; took?: number }
  | { kind: "answer"; id: number; value: unknown; took?: number };
