// The engine, beside the page: two workspaces, what was loaded (`baseline`) and what the edits make of it (`current`), and a third for
// requests that people try out (`scratch`).
//
// Questions are taken one at a time, most urgent first, and those about a moment that has passed are dropped: the newest keystroke
// never waits for the answers to older ones.
import wasm from "../../engine/engine_bg.wasm?url";
import { Workspace } from "../api.js";
import { init } from "../web.js";
import { LATER } from "./urgency.js";
import type { FromEngine, ToEngine, Which } from "./messages.js";

const workspaces: Partial<Record<Which, Workspace>> = {};
const waiting: Extract<ToEngine, { kind: "ask" }>[] = [];
let newest = 0;
let running = false;
let changed = 0;

/** What can wait does so until nobody has typed for as long. */
const REST = 80;

/** Integers that a number would round. */
const LARGE = /[[:,]-?\d{16,}[\],}]/;

addEventListener("message", ({ data }: MessageEvent<ToEngine>) => {
  switch (data.kind) {
    case "put":
      newest = data.generation;
      changed = performance.now();
      return void ready.then(() => say({ kind: "answer", id: data.id, text: put(data) }));
    case "ask":
      waiting.push(data);
      return void ready.then(next);
  }
});

const ready = init(wasm);
ready.then(
  () => say({ kind: "ready" }),
  (problem: unknown) => say({ kind: "failed", message: String(problem) }),
);

/** Loads and configures in order, on top of what is there or into a fresh workspace; the answers as one list. */
function put({ on, puts, fresh }: Extract<ToEngine, { kind: "put" }>): string {
  if (fresh) workspaces[on]?.free();
  const workspace = (workspaces[on] = (fresh ? undefined : workspaces[on]) ?? new Workspace());
  return `[${puts.map((it) => answer(workspace, JSON.stringify(it))).join(",")}]`;
}

/** Answers one question, then looks at what came in the meantime. */
function next(): void {
  if (running) return;
  running = true;
  channel.port2.postMessage(null);
}

const channel = new MessageChannel();
channel.port1.onmessage = () => {
  running = false;
  for (const stale of waiting.filter((it) => it.generation < newest)) {
    waiting.splice(waiting.indexOf(stale), 1);
    say({ kind: "stale", id: stale.id });
  }
  let first = waiting[0];
  for (const it of waiting) if (first && it.urgency < first.urgency) first = it;
  if (!first) return;
  const rest = first.urgency < LATER ? 0 : changed + REST - performance.now();
  if (rest > 0) return void setTimeout(next, rest);
  waiting.splice(waiting.indexOf(first), 1);
  const workspace = (workspaces[first.on] ??= new Workspace());
  const started = performance.now();
  const text = answer(workspace, first.request);
  const took = performance.now() - started;
  if (LARGE.test(text))
    say({ kind: "answer", id: first.id, value: workspace.call(JSON.parse(first.request), { bigint: true }), took });
  else say({ kind: "answer", id: first.id, text, took });
  if (waiting.length) next();
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

function say(message: FromEngine): void {
  postMessage(message);
}
