// The page: pick an op, edit its request, read the answer. Whatever comes from a request or an answer is put in as text,
// never as markup.

import { laidOut, pretty } from "./pretty.js";

/** Long enough to let a word be typed, short enough to feel at once. */
const PAUSE = 80;

const at = (id) => document.getElementById(id);
const request = at("request");

/** What was typed for each op, so that going back and forth loses nothing. */
const drafts = new Map();
/** A request for each op that shows something at once. */
let examples = {};
let first = "";
let current = "";
let canonical = "";
let timer = 0;
let asking = new AbortController();

request.addEventListener("input", () => {
  drafts.set(current, request.value);
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
});
at("reset").addEventListener("click", () => {
  drafts.delete(current);
  show(current);
});
at("copy").addEventListener("click", () => navigator.clipboard.writeText(canonical));
addEventListener("hashchange", () => show(location.hash.slice(1) || first));

start();

async function start() {
  try {
    const text = await call('{"op":"describe"}', asking.signal);
    const { ok } = JSON.parse(text);
    if (!ok) return render(text, 0);
    examples = await (await fetch("examples.json")).json();
    at("engine").textContent = `engine ${ok.version} · ${ok.digest.slice(0, 19)}`;
    at("engine").title = ok.digest;
    at("ops").replaceChildren(...ok.ops.map(opButton));
    first = ok.ops.find((op) => op !== "describe") ?? ok.ops[0];
    show(location.hash.slice(1) || first);
  } catch {
    noServer();
  }
}

function opButton(op) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = op;
  button.addEventListener("click", () => {
    location.hash = op;
  });
  return button;
}

/** Puts the request of an op into the editor. */
function show(op) {
  current = op;
  for (const button of at("ops").children) {
    button.setAttribute("aria-current", String(button.textContent === op));
  }
  request.value = drafts.get(op) ?? laidOut(JSON.stringify(examples[op] ?? { op }));
  request.scrollTop = 0;
  clearTimeout(timer);
  ask();
}

/** Asks the engine; an answer that was overtaken by typing is dropped. */
async function ask() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const started = performance.now();
  try {
    render(await call(request.value, signal), performance.now() - started);
  } catch {
    if (!signal.aborted) noServer();
  }
}

async function call(body, signal) {
  const response = await fetch("v1/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    signal,
  });
  return response.text();
}

function render(text, took) {
  // For reading codes and places only: what is shown is the text itself, since numbers here lose digits above 2^53.
  const { error, diagnostics = [] } = JSON.parse(text);
  canonical = text;
  at("problem").hidden = !error;
  at("answer").classList.toggle("stale", Boolean(error));
  if (error) {
    at("summary").textContent = "not answered";
    problem(error);
    return;
  }
  const findings = diagnostics.length ? [count(diagnostics.length, "finding")] : [];
  const size = count(new TextEncoder().encode(text).length, "byte");
  at("summary").textContent = [...findings, size, `${took.toFixed(1)} ms`].join(" · ");
  at("answer").replaceChildren(...pretty(text));
}

function problem({ code, message, hint = "", at: place = "" }) {
  at("problem-code").textContent = code;
  at("problem-message").textContent = message;
  at("problem-hint").textContent = hint;
  const button = at("problem-place");
  const position = /^(\d+):(\d+)$/.exec(place);
  button.hidden = !place;
  button.textContent = position ? `line ${position[1]}, column ${position[2]}` : place;
  button.disabled = !position;
  button.onclick = position && (() => moveTo(Number(position[1]), Number(position[2])));
}

/** Puts the caret where the engine stumbled. Columns count characters, the editor counts UTF-16 units. */
function moveTo(line, column) {
  const lines = request.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0);
  const within = [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  request.focus();
  request.setSelectionRange(before + within, before + within);
}

function noServer() {
  at("problem").hidden = false;
  at("answer").classList.add("stale");
  at("summary").textContent = "no connection";
  problem({
    code: "no-connection",
    message: "the server does not answer",
    hint: "start it again with `fleetfold serve`; the page goes on by itself",
  });
  clearTimeout(timer);
  timer = setTimeout(current ? ask : start, 1000);
}

const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
