// The engine, beside the page: two workspaces, what was loaded (`baseline`) and what the edits make of it (`current`), and a third for
// requests that people try out (`scratch`).
//
// Questions are taken one at a time, most urgent first, and those about a moment that has passed are dropped: the newest keystroke
// never waits for the answers to older ones.
import wasm from "../../engine/engine_bg.wasm?url";
import { Workspace } from "../api.js";
import { init } from "../web.js";
import { LATER } from "./urgency.js";
import type { FromEngine, ToEngine, WorkspaceName } from "./messages.js";

const workspaces: Partial<Record<WorkspaceName, Workspace>> = {};
const queue: Extract<ToEngine, { kind: "ask" }>[] = [];
let newestGeneration = 0;
let running = false;
let lastChange = 0;

/** What can wait does so until nobody has typed for as long. */
const IDLE_MS = 80;

/** Integers that a number would round. */
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

/** Loads and configures in order, on top of what is there or into a fresh workspace; the answers as one list. */
function setUp({ on, requests, fresh }: Extract<ToEngine, { kind: "put" }>): string {
  if (fresh) workspaces[on]?.free();
  const workspace = (workspaces[on] = (fresh ? undefined : workspaces[on]) ?? new Workspace());
  return `[${requests.map((it) => answer(workspace, JSON.stringify(it))).join(",")}]`;
}

/** Answers one question, then looks at what came in the meantime. */
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
  if (LARGE_INTEGER.test(text))
    post({ kind: "answer", id: first.id, value: workspace.call(JSON.parse(first.request), { bigint: true }), took });
  else post({ kind: "answer", id: first.id, text, took });
  if (queue.length) schedule();
};

/** What goes wrong in the engine itself, such as too little memory, is an answer too: nobody waits for ever. */
function answer(workspace: Workspace, request: string): string {
  try {
    return workspace.callText(request);
  } catch (problem) {
    return JSON.stringify({
      error: {
        code: "engine-failed",
        message: `the engine stopped: ${problem}`,
        hint: "reload the page; load fewer documents if it happens again",
      },
    });
  }
}

function post(message: FromEngine): void {
  postMessage(message);
}
