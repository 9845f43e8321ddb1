// The engine in a worker: the workspaces `baseline` (the loaded documents), `current` (with the edits) and `scratch`
// (requests that people try out).
//
// Requests run one at a time, most urgent first. Requests of older generations are dropped, so the newest keystroke
// never waits for older answers.
import wasm from "../../engine/engine_bg.wasm?url";
import { readAnswer } from "../../engine/engine.js";
import { Workspace } from "../api.js";
import { toJson } from "../format.js";
import { init } from "../web.js";
import { LATER } from "./urgency.js";
import type { FromEngine, ToEngine, WorkspaceName } from "./messages.js";

const workspaces: Partial<Record<WorkspaceName, Workspace>> = {};
const queue: Extract<ToEngine, { kind: "ask" }>[] = [];
let newestGeneration = 0;
let running = false;
let lastChange = 0;

/** Requests that can wait run after this pause in typing, in milliseconds. */
const IDLE_MS = 80;

/** Integers that `JSON.parse` may round. */
const LARGE_INTEGER = /[[:,]-?\d{16,}[\],}]/;

addEventListener("message", ({ data }: MessageEvent<ToEngine>) => {
  switch (data.kind) {
    case "put":
      newestGeneration = data.generation;
      lastChange = performance.now();
      return void ready.then(() => post({ kind: "answer", id: data.id, text: setUp(data) }));
    case "ask":
      queue.push(data);
      return void ready.then(schedule);
  }
});

const ready = init(wasm);
ready.then(
  () => post({ kind: "ready" }),
  (problem: unknown) => post({ kind: "failed", message: String(problem) }),
);

/**
 * Runs `load` and `configure` requests in order, on the existing or a fresh workspace; returns the answers as one list.
 */
function setUp({ on, requests, fresh }: Extract<ToEngine, { kind: "put" }>): string {
  if (fresh) workspaces[on]?.free();
  const workspace = (workspaces[on] = (fresh ? undefined : workspaces[on]) ?? new Workspace());
  return `[${requests.map((it) => answer(workspace, toJson(it))).join(",")}]`;
}

/** Runs one request in its own task, so that messages which arrived meanwhile are seen first. */
function schedule(): void {
  if (running) return;
  running = true;
  channel.port2.postMessage(null);
}

const channel = new MessageChannel();
channel.port1.onmessage = () => {
  running = false;
  for (const stale of queue.filter((it) => it.generation < newestGeneration)) {
    queue.splice(queue.indexOf(stale), 1);
    post({ kind: "stale", id: stale.id });
  }
  let first = queue[0];
  for (const it of queue) if (first && it.urgency < first.urgency) first = it;
  if (!first) return;
  const delay = first.urgency < LATER ? 0 : lastChange + IDLE_MS - performance.now();
  if (delay > 0) return void setTimeout(schedule, delay);
  queue.splice(queue.indexOf(first), 1);
  const workspace = (workspaces[first.on] ??= new Workspace());
  const started = performance.now();
  const text = answer(workspace, first.request);
  const took = performance.now() - started;
  post({ kind: "answer", id: first.id, ...readable(text), took });
  if (queue.length) schedule();
};

/** Requests stay text until the engine has them: JavaScript would round their integers. */
function answer(workspace: Workspace, request: string): string {
  try {
    return workspace.callText(request);
  } catch (problem) {
    return failure(problem);
  }
}

/** An answer as the page can read it. Objects take longer than text, so they are for integers that need them. */
function readable(text: string): { text: string } | { value: unknown } {
  try {
    return LARGE_INTEGER.test(text) ? { value: readAnswer(text, true) } : { text };
  } catch (problem) {
    return { text: failure(problem) };
  }
}

/** A failure of the engine, such as running out of memory, becomes an answer: no caller waits forever. */
function failure(problem: unknown): string {
  return JSON.stringify({
    error: {
      code: "engine-failed",
      message: `the engine stopped: ${problem}`,
      hint: "reload the page; load fewer documents if it happens again",
    },
  });
}

function post(message: FromEngine): void {
  postMessage(message);
}
