// The test harness of the page: a file server with a strict policy, a real Chromium, a page that records its
// violations, and the common user actions.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import axeCore from "axe-core";
import { chromium as driver } from "playwright-core";
import { chromium } from "./chromium.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The strictest content security policy under which the page must work. */
export const CSP = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".yaml": "application/yaml",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/**
 * Serves a folder (by default the built page) on a free local port. `requests` lists the requests in order (`GET
 * /index.html 200`); `close` stops the server.
 */
export async function site(folder = process.env.FLEETFOLD_SITE ?? join(root, "web", "site"), { csp = CSP } = {}) {
  const top = resolve(folder);
  if (!existsSync(join(top, "index.html"))) throw new Error(`no page in ${top}: node web/build.mjs makes it`);
  const requests = [];
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://site");
    let path = join(top, decodeURIComponent(pathname));
    if (existsSync(path) && statSync(path).isDirectory()) path = join(path, "index.html");
    const found = (path + sep).startsWith(top + sep) && existsSync(path);
    // Browsers request it if a page names no icon.
    const status = !found
      ? pathname === "/favicon.ico"
        ? 204
        : 404
      : request.method === "GET" || request.method === "HEAD"
        ? 200
        : 405;
    requests.push(`${request.method} ${request.url} ${status}`);
    response.writeHead(status, {
      "content-type": status === 200 ? (TYPES[extname(path)] ?? "application/octet-stream") : "text/plain",
      "content-security-policy": csp,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    response.end(status === 200 && request.method === "GET" ? readFileSync(path) : undefined);
  });
  await new Promise((listening, failed) => server.once("error", failed).listen(0, "127.0.0.1", listening));
  const close = () => new Promise((closed) => (server.close(closed), server.closeAllConnections()));
  return { origin: `http://127.0.0.1:${server.address().port}`, folder: top, requests, close };
}

/** Starts a Chromium that resolves only local addresses. The caller closes it. */
export function browser({ args = [] } = {}) {
  const quiet = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  const alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";
  return driver.launch({ executablePath: chromium(), args: ["--no-sandbox", ...quiet, alone, ...args] });
}

/**
 * Opens a page of the site in its own context (`page.context().close()` ends it) and waits until all answers are there.
 *
 * - `example`: the example to select in its picker
 * - `hash`: the fragment of the address
 * - `path`: another page of the site; `settle: false` if it is not the Fleetfold page
 * - `viewport`, `colorScheme`, `reducedMotion`, `permissions` and other context options
 */
export async function open(
  browser,
  site,
  { example, hash, path = "/", settle = true, viewport = { width: 1440, height: 900 }, ...context } = {},
) {
  const page = await (await browser.newContext({ viewport, ...context })).newPage();
  page.setDefaultTimeout(30_000);
  await watch(page, site.origin);
  await page.goto(`${site.origin}${path}${hash === undefined ? "" : `#${hash}`}`);
  if (settle) await settled(page);
  if (example !== undefined) await selectExample(page, example);
  return page;
}

/** Records violations on a page; `page.problems()` lists them. */
async function watch(page, origin) {
  const problems = [];
  page.problems = () => [...problems];
  page.on(
    "console",
    (message) => message.type() === "error" && problems.push(`console: ${message.text()} (${message.location().url})`),
  );
  page.on("pageerror", (error) => problems.push(`error: ${error.stack ?? error}`));
  page.on("crash", () => problems.push("the page crashed"));
  page.on("request", (request) => {
    const url = new URL(request.url());
    const inside =
      url.origin === origin ||
      url.protocol === "data:" ||
      (url.protocol === "blob:" && url.pathname.startsWith(origin));
    if (!inside) problems.push(`request: ${request.url()}`);
  });
  page.on("websocket", (socket) => problems.push(`websocket: ${socket.url()}`));
  await page.exposeBinding("ffViolation", (_, text) => problems.push(`policy: ${text}`));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (it) =>
      globalThis.ffViolation(
        `${it.violatedDirective} ${it.blockedURI} ${it.sourceFile ?? ""}:${it.lineNumber} ${it.sample}`,
      ),
    );
    // Requests to the engine without a response yet: a response has the id of its request.
    const pending = new Set();
    const heard = new WeakSet();
    globalThis.ffPending = { pending, last: performance.now() };
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (message?.id !== undefined) {
        if (!heard.has(this))
          this.addEventListener(
            "message",
            ({ data }) => ((globalThis.ffPending.last = performance.now()), pending.delete(data?.id)),
          );
        heard.add(this);
        pending.add(message.id);
        globalThis.ffPending.last = performance.now();
      }
      return post.call(this, message, ...rest);
    };
  });
}

/** Fails if the page logged an error, threw one, violated its policy or sent a request outside its site. */
export function check(page) {
  assert.deepEqual(page.problems(), []);
}

/**
 * Violations that axe-core finds, shadow roots included, one text for each rule and element. `within` is a selector;
 * the default is the page.
 */
export async function axe(page, { within, rules = {} } = {}) {
  // Through the debugger: the policy of the page does not allow injected scripts.
  const debug = await page.context().newCDPSession(page);
  const { result } = await debug.send("Runtime.evaluate", { expression: "typeof axe", returnByValue: true });
  if (result.value === "undefined") {
    const { exceptionDetails } = await debug.send("Runtime.evaluate", {
      expression: `{const module = undefined, define = undefined; ${axeCore.source}}; 0`,
    });
    if (exceptionDetails) throw new Error(`axe-core does not start: ${exceptionDetails.exception?.description}`);
  }
  await debug.detach();
  return page.evaluate(
    async ([within, rules]) => {
      const { violations } = await globalThis.axe.run(within ? { include: [within] } : document, {
        resultTypes: ["violations"],
        rules,
      });
      return violations.flatMap((it) =>
        it.nodes.map(
          (node) =>
            `${it.id} (${it.impact}): ${it.help}: ${node.target.flat().join(" ")} ${node.html.slice(0, 160)} ` +
            `${node.any.map((why) => why.message).join(" ")}`,
        ),
      );
    },
    [within, rules],
  );
}

/** Waits until the documents are loaded and every engine request of the page is answered and rendered. */
export async function settled(page, { quiet = 80, timeout = 60_000 } = {}) {
  await page.waitForFunction(
    (quiet) => {
      const app = document.querySelector("ff-app");
      const { pending, last } = globalThis.ffPending;
      return app?.state?.generation > 0 && pending.size === 0 && performance.now() - last > quiet;
    },
    quiet,
    { timeout, polling: 20 },
  );
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

/** The current text of a file on the page. */
export function text(page, name) {
  return page.evaluate((name) => document.querySelector("ff-app").state.files.get(name)?.text ?? undefined, name);
}

/** The names of the files on the page. */
export function files(page) {
  return page.evaluate(() => [...document.querySelector("ff-app").state.files.keys()]);
}

/** Replaces the text of a file, as the editor does. */
export async function setText(page, name, text) {
  await page.evaluate(([name, text]) => document.querySelector("ff-app").state.setText(name, text), [name, text]);
  await settled(page);
}

export async function replace(page, name, old, fresh) {
  const before = await text(page, name);
  assert.ok(before?.includes(old), `${name} has no ${JSON.stringify(old)}`);
  await setText(
    page,
    name,
    before.replace(old, () => fresh),
  );
}

/** Selects the first `old` in a file and types over it, key by key. */
export async function typeOver(page, name, old, fresh) {
  const before = await text(page, name);
  const start = before?.indexOf(old) ?? -1;
  assert.ok(start >= 0, `${name} has no ${JSON.stringify(old)}`);
  const lines = before.slice(0, start).split("\n");
  await goTo(page, { file: name, line: lines.length, column: [...lines.at(-1)].length + 1 });
  await page.locator("ff-documents .cm-content").focus();
  for (const _ of old) await page.keyboard.press("Shift+ArrowRight");
  if (fresh === "") await page.keyboard.press("Delete");
  else await page.keyboard.type(fresh);
  await settled(page);
}

/** Opens a position in the editor. */
export async function goTo(page, place) {
  await page.evaluate((place) => document.querySelector("ff-app").state.goTo(place), place);
  await settled(page);
}

/** Sets a text with a cursor mark (`|`) in a file, opens completion and returns the labels. */
export async function offers(page, name, marked) {
  const at = marked.indexOf("|");
  await setText(page, name, marked.replace("|", ""));
  const lines = marked.slice(0, at).split("\n");
  await goTo(page, { file: name, line: lines.length, column: [...lines.at(-1)].length + 1 });
  await page.keyboard.press("Control+Space");
  const list = page.locator("ff-editor .cm-tooltip-autocomplete");
  await list.waitFor();
  const labels = await list.locator(".cm-completionLabel").allTextContents();
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  return labels;
}

/** Selects an example in the picker, by its name (`mixed`, `thousand` …). */
export async function selectExample(page, name) {
  await page.getByRole("combobox", { name: "Example" }).selectOption(name);
  await page.waitForFunction((id) => document.querySelector("ff-app").state.source.id === id, `example:${name}`);
  await settled(page);
}

/** Clicks the tab of a view, by its title (`What-if`, `Plan` …). */
export async function selectView(page, title) {
  await page.getByRole("tab", { name: title, exact: true }).click();
  await settled(page);
}

/** Changes the selection (subject, cluster, path, object, compare, view, file), as any view may. */
export async function select(page, changes) {
  await page.evaluate((changes) => document.querySelector("ff-app").state.select(changes), changes);
  await settled(page);
}

/** The current selection. */
export function selection(page) {
  return page.evaluate(() => document.querySelector("ff-app").state.selection);
}

/** Queries the engine of the page, to compare the answer with what the page shows. */
export function query(page, request, on = "current") {
  return page.evaluate(([request, on]) => document.querySelector("ff-app").state.query(request, 0, on), [request, on]);
}
