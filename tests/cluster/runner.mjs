// The `fleetfold` binary as a process: what it says, what it counts, and how it ends.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import { join } from "node:path";
import { Child, freePort } from "./child.mjs";
import { root } from "./documents.mjs";
import { eventually } from "./eventually.mjs";

/** What is tested is built for debugging, what is measured (`FLEETFOLD_PROFILE=release`) for speed. */
const profile = process.env.FLEETFOLD_PROFILE ?? "debug";
export const fleetfold = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), profile, "fleetfold");

let started = 0;

/**
 * A command that runs until it is told to stop.
 *
 *   logs                          its log lines, parsed; a line that is not JSON is `{ message }`
 *   waitForLog(predicate)         the first line, past or future, that it accepts
 *   metrics(), metric(name, labels)
 *   reconcile()                   one full resync; answers when it is done
 *   request(method, path, …)      `{ code, body }`; over TLS where `ca` is given, as for a webhook
 *   stop()                        SIGTERM, must end with 0;  kill()  SIGKILL;  start()  again
 */
export class Runner {
  constructor({
    command = "run",
    args = [],
    folder,
    user = "runner",
    env,
    ready = "/readyz",
    readyTimeout = 30_000,
    listen = true,
    ca,
  }) {
    Object.assign(this, { command, args, folder, user, env, ready, readyTimeout, listen, ca });
    this.logs = [];
    this.name = `${command}-${(started += 1)}`;
  }

  /** Starts it, on the port that it had before, and answers when it says that it is ready. */
  async start() {
    assert.ok(existsSync(fleetfold), `${fleetfold} is not built`);
    if (this.listen) this.port ??= await freePort();
    const args = [this.command, ...this.args, ...(this.listen ? ["--listen", `127.0.0.1:${this.port}`] : [])];
    let rest = "";
    const onStderr = (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      this.logs.push(...lines.filter(Boolean).map(parseLine));
    };
    this.child = new Child(fleetfold, args, { log: join(this.folder, `${this.name}.log`), env: this.env, onStderr });
    if (this.ready) {
      const isReady = async () => this.ended || (await this.request("GET", this.ready)).code === 200;
      await eventually(isReady, {
        timeout: this.readyTimeout,
        interval: 50,
        what: `\`fleetfold ${this.command}\` being ready`,
      }).catch((error) => {
        throw new Error(`${error.message}\n${this.lastWords()}`);
      });
    }
    if (this.ended)
      throw new Error(`\`fleetfold ${args.join(" ")}\` ends with ${JSON.stringify(this.ended)}\n${this.lastWords()}`);
    return this;
  }

  get ended() {
    return this.child?.ended;
  }

  get pid() {
    return this.child?.process.pid;
  }

  /** The first log line that `predicate` accepts; `from` skips what was said before. */
  async waitForLog(predicate, { from = 0, what = "a log line", ...options } = {}) {
    try {
      return await eventually(() => this.logs.slice(from).find(predicate), { interval: 50, what, ...options });
    } catch (error) {
      throw new Error(`${error.message}\n${this.lastWords()}`);
    }
  }

  /** The samples of `/metrics`: `[{ name, labels, value }]`. */
  async metrics() {
    const { code, body } = await this.request("GET", "/metrics");
    assert.equal(code, 200, `/metrics answers ${code}`);
    return body
      .split("\n")
      .filter((it) => it && !it.startsWith("#"))
      .map(parseSample);
  }

  /** The sum of the samples of a name that have these labels. */
  async metric(name, labels = {}) {
    const wanted = (it) => it.name === name && Object.entries(labels).every(([key, value]) => it.labels[key] === value);
    return (await this.metrics()).filter(wanted).reduce((sum, it) => sum + it.value, 0);
  }

  /** Makes it look at everything again; answers when it has. */
  async reconcile() {
    const { code, body } = await this.request("POST", "/reconcile", { timeout: 60_000 });
    assert.ok(code >= 200 && code < 300, `/reconcile answers ${code}: ${body}`);
    return body;
  }

  request(method, path, { timeout = 5000, body, headers } = {}) {
    const request = this.ca ? requestSecure : requestPlain;
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: this.port, method, path, timeout, headers, ca: this.ca },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
          response.on("error", reject);
          response.on("end", () => resolve({ code: response.statusCode, body: text }));
        },
      );
      sent.on("error", reject);
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${path}: no answer in ${timeout} ms`)));
      sent.end(body);
    });
  }

  /** Asks it to stop, and requires that it ends by itself and well. */
  async stop() {
    const exit = await this.child.end("SIGTERM");
    assert.equal(
      exit.code,
      0,
      `\`fleetfold ${this.command}\` ends with ${JSON.stringify(exit)} after SIGTERM\n${this.lastWords()}`,
    );
  }

  async kill() {
    await this.child?.end("SIGKILL");
  }

  /** The last log lines, for a message. */
  lastWords(lines = 20) {
    return this.logs
      .slice(-lines)
      .map((it) => JSON.stringify(it).slice(0, 400))
      .join("\n");
  }
}

/** How often a settled fleet is reconciled again; `npm run trust` asks for more. */
const QUIET_RECONCILES = Number(process.env.FLEETFOLD_QUIET_RECONCILES ?? 20);

/**
 * Requires that a settled fleet is left alone: further reconciles and a restart write nothing, to no server.
 *
 * Writes are counted by the servers, not by the runner: it cannot be mistaken about itself.
 */
export async function expectQuiet(plane, runner, { reconciles = QUIET_RECONCILES } = {}) {
  const since = new Date();
  for (let round = 0; round < reconciles; round += 1) await runner.reconcile();
  await expectNoWrites(plane, runner, since, `${reconciles} further reconciles`);
  await runner.stop();
  await runner.start();
  await runner.reconcile();
  await expectNoWrites(plane, runner, since, "a restart");
  console.log(`quiet: ${reconciles} reconciles and a restart, 0 writes`);
}

async function expectNoWrites(plane, runner, since, what) {
  for (const server of plane.servers) {
    if (server.child.ended) continue;
    const writes = await server.auditWrites({ user: runner.user, since });
    const lines = writes.map(
      (it) => `${it.verb} ${it.resource} ${[it.namespace, it.name].filter(Boolean).join("/")} ${it.code}`,
    );
    // What the runner logged says which condition, or which object, it wrote.
    const message = `${what} must not write to ${server.name}: ${lines.join(", ")}\n${runner.lastWords?.() ?? ""}`;
    assert.equal(lines.length, 0, message);
  }
}

function parseLine(line) {
  try {
    const parsed = JSON.parse(line);
    return parsed && typeof parsed === "object" ? parsed : { message: line };
  } catch {
    return { message: line };
  }
}

function parseSample(line) {
  const [, name, labels = "", value] = line.match(/^([^{\s]+)(?:\{(.*)\})?\s+(\S+)/);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}
