// What the page and the engine beside it say to each other.
import type { ConfigureRequest, LoadRequest } from "../../contract.js";

/** Something that makes a workspace what it is. */
export type SetupRequest = LoadRequest | ConfigureRequest;

/** What the documents were when they were loaded, what the edits make of them, or a place to try requests out. */
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
