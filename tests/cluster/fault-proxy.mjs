// Stands between the runner and one real API server, and does to a request what networks, crashes and tired servers do.
//
//   const proxy = await FaultProxy.start(plane.hub);
//   const runner = await plane.run({ kubeconfig: proxy.kubeconfig("runner") });           // the hub, seen through it
//   await registerKubeFedCluster(plane.hub, proxy);                                       // a member, seen through it
//   const rule = proxy.once(write("PATCH", "/configmaps/settings"), answer(503));         // the next such request
//   const rule = proxy.onEvent(eventOf("settings"), drop());                              // the next watch event
//   await rule.fired;                                                                     // it happened
//   proxy.heal();                                                                         // no more of it
//   proxy.journal                                                                         // requests and results
//   await proxy.stop();
//
// Everything ends at the real server: nothing is answered that it did not say, unless a rule says so. It serves with
// the certificate of the server itself, so its `ca` is the server's.
//
// A rule is `(request, exchange) => …`. `request` is `{ method, path, query, name, isWrite, isList, isWatch, text }`;
// `exchange` has `forward()`, which asks the server and answers `{ code, headers, text }`, `reply(answer)`, `cut()`,
// and `pass()`, which is what happens without a rule.
import { once as event } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, createServer, request as send } from "node:https";
import { join } from "node:path";
import { freePort } from "./child.mjs";

const WRITES = ["POST", "PUT", "PATCH", "DELETE"];

/** Writes that say nothing about the fleet. */
const NOISE = /\/(leases|events|subjectaccessreviews|selfsubjectaccessreviews)(\/|$)/;

export class FaultProxy {
  #rules = [];
  #eventRules = [];
  #watches = new Set();
  #pending = new Set();

  static async start(server) {
    const proxy = new FaultProxy(server);
    proxy.port = await freePort();
    const { cert, key } = server.certificate;
    const handle = (request, response) => proxy.#handle(request, response).catch(() => response.destroy());
    proxy.listener = createServer(
      { cert: readFileSync(cert), key: readFileSync(key), keepAliveTimeout: 60_000 },
      handle,
    );
    // A client that is killed is no error here.
    proxy.listener.on("tlsClientError", () => {});
    proxy.listener.listen(proxy.port, "127.0.0.1");
    await event(proxy.listener, "listening");
    proxy.listener.unref();
    return proxy;
  }

  constructor(server) {
    this.server = server;
    this.name = server.name;
    this.ca = server.ca;
    this.journal = [];
    this.agent = new Agent({ ca: server.ca, keepAlive: true });
  }

  get url() {
    return `https://127.0.0.1:${this.port}`;
  }

  token(user) {
    return this.server.token(user);
  }

  /** The path of a kubeconfig that leads through here. */
  kubeconfig(user) {
    const path = join(this.server.folder, `${user}.proxy.kubeconfig`);
    writeFileSync(path, this.server.kubeconfigText(user).replaceAll(this.server.url, this.url), { mode: 0o600 });
    return path;
  }

  /** Does `act` to the first `times` requests (default: one) that `match` accepts, after `skip` of them passed. */
  once(match, act, { times = 1, skip = 0 } = {}) {
    const rule = new Rule(match, act, { times, skip });
    this.#rules.push(rule);
    return rule;
  }

  /** Does it until healed. */
  always(match, act) {
    return this.once(match, act, { times: Infinity });
  }

  /** Does `act` to events of watches: `(line, parsed, stream) => lines to send in its place`. */
  onEvent(match, act, { times = 1, skip = 0 } = {}) {
    const rule = new Rule(match, act, { times, skip });
    this.#eventRules.push(rule);
    return rule;
  }

  heal() {
    this.#rules = [];
    this.#eventRules = [];
  }

  /** Ends watches whose path has `part` in it, and answers how many: each is asked for again. `last` is said before. */
  closeWatches(part = "", last) {
    const those = [...this.#watches].filter((it) => it.path.includes(part));
    for (const { response, close } of those) {
      if (last) response.write(`${JSON.stringify(last)}\n`);
      close();
    }
    return those.length;
  }

  /** Whether a kind is being watched through here. */
  isWatching(plural) {
    return [...this.#watches].some((it) => it.path.endsWith(`/${plural}`));
  }

  /** What the server says now, to be said again later by `stale`. */
  async snapshot(path) {
    const { code, body, headers } = await this.server.request("GET", path);
    return { code, headers, text: JSON.stringify(body) };
  }

  /** Answers when the server has answered all that was sent to it. */
  async drained() {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async stop() {
    this.listener.close();
    this.listener.closeAllConnections();
    this.agent.destroy();
  }

  async #handle(raw, response) {
    const request = describe(this.name, raw);
    response.on("error", () => {});
    if (WRITES.includes(request.method)) {
      const chunks = [];
      for await (const chunk of raw) chunks.push(chunk);
      request.text = Buffer.concat(chunks).toString("utf8");
      if (request.method === "POST") request.name = JSON.parse(request.text).metadata?.name ?? "";
      const created = request.method === "POST" ? `/${request.name}` : "";
      request.key = `${this.name} ${request.method} ${request.path}${created}`;
    }
    if (!request.isWatch) this.journal.push(request);
    const rule = this.#rules.find((it) => it.takes(request));
    const exchange = this.#exchange(request, response);
    if (rule) {
      request.fault = rule.act.label ?? "fault";
      await rule.act(request, exchange);
      rule.done();
    } else {
      await exchange.pass();
    }
  }

  #exchange(request, response) {
    const forward = () => {
      const whole = this.#ask(request).then(async (answer) => {
        const chunks = [];
        for await (const chunk of answer) chunks.push(chunk);
        request.code = answer.statusCode;
        return { code: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString("utf8") };
      });
      const settled = whole.catch(() => {}).finally(() => this.#pending.delete(settled));
      this.#pending.add(settled);
      return whole;
    };
    const reply = ({ code, headers = {}, text }, { only } = {}) => {
      const data = Buffer.from(text);
      response.writeHead(code, {
        "content-type": headers["content-type"] ?? "application/json",
        ...kept(headers),
        "content-length": data.length,
      });
      if (only === undefined) response.end(data);
      else response.write(data.subarray(0, only), () => response.socket?.destroy());
      return new Promise((resolve) => response.once("close", resolve));
    };
    const cut = () => response.socket?.destroy();
    const pass = async () => {
      if (request.isWatch) return this.#stream(request, response);
      const answer = await forward().catch(() => undefined);
      if (!answer) return cut();
      reply(answer);
    };
    return { forward, reply, cut, pass, response };
  }

  #ask(request) {
    return new Promise((resolve, reject) => {
      const headers = { ...request.headers, host: `127.0.0.1:${this.server.port}` };
      // What is read here must be readable here.
      delete headers["accept-encoding"];
      const options = {
        host: "127.0.0.1",
        port: this.server.port,
        agent: this.agent,
        method: request.method,
        path: request.url,
        headers,
      };
      request.sent = send(options, resolve);
      request.sent.on("error", reject);
      request.sent.end(request.text);
    });
  }

  /** A watch, event by event as it comes. */
  async #stream(request, response) {
    const answer = await this.#ask(request);
    response.writeHead(answer.statusCode, { "content-type": answer.headers["content-type"] });
    response.flushHeaders();
    const close = () => {
      answer.destroy();
      response.end();
    };
    const watch = { path: request.path, response, close };
    this.#watches.add(watch);
    response.on("close", () => {
      this.#watches.delete(watch);
      answer.destroy();
    });
    let rest = "";
    answer.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines)
        for (const told of this.#filter(request, line, watch)) if (!response.writableEnded) response.write(`${told}\n`);
    });
    answer.on("error", close);
    answer.on("end", close);
    answer.on("close", close);
  }

  #filter(request, line, watch) {
    if (this.#eventRules.length === 0 || !line) return [line];
    const parsed = { ...JSON.parse(line), path: request.path };
    const rule = this.#eventRules.find((it) => it.takes(parsed));
    if (!rule) return [line];
    const told = rule.act(line, parsed, watch);
    rule.done();
    return told;
  }
}

class Rule {
  #left;
  #skip;
  #tell;

  constructor(match, act, { times, skip }) {
    Object.assign(this, { match, act, count: 0 });
    [this.#left, this.#skip] = [times, skip];
    this.fired = new Promise((resolve) => (this.#tell = resolve));
  }

  takes(it) {
    if (this.#left <= 0 || !this.match(it)) return false;
    if (this.#skip > 0) return void (this.#skip -= 1);
    this.#left -= 1;
    this.count += 1;
    return true;
  }

  done() {
    this.#tell();
  }
}

function describe(server, { method, url, headers }) {
  const [path, search = ""] = url.split("?");
  const query = new URLSearchParams(search);
  const isWatch = method === "GET" && ["true", "1"].includes(query.get("watch"));
  const isWrite = WRITES.includes(method) && !NOISE.test(path) && !query.has("dryRun");
  // `/api/v1/…` or `/apis/group/v1/…`, then perhaps a namespace, then a kind, then perhaps a name.
  const below = path.split("/").slice(path.startsWith("/api/") ? 3 : 4);
  if (below[0] === "namespaces" && below.length > 2) below.splice(0, 2);
  const isList = method === "GET" && !isWatch && below.length === 1;
  return { server, method, url, path, query, headers, isWatch, isWrite, isList, name: below[1] ?? "", at: new Date() };
}

/** What of the server's headers says something to the runner, apart from the type. */
function kept(headers) {
  const retry = headers["retry-after"];
  return retry ? { "retry-after": retry } : {};
}

// What to match.

/** Writes of a method to a path that ends so. */
export const write =
  (method, end = "") =>
  (it) =>
    it.isWrite && it.method === method && `${it.path}${method === "POST" ? `/${it.name}` : ""}`.endsWith(end);
/** Reads of one object. */
export const read = (end) => (it) => it.method === "GET" && !it.isWatch && it.path.endsWith(end);
/** Lists of a kind: all of them, be they for a watch or not. */
export const listOf = (plural) => (it) => it.isList && it.path.endsWith(`/${plural}`);
/** Watches of a kind being asked for. */
export const watchOf = (plural) => (it) => it.isWatch && it.path.endsWith(`/${plural}`);
/** Events of an object, of one type or any. */
export const eventOf = (name, type) => (it) =>
  it.object?.metadata?.name === name && it.type !== "BOOKMARK" && (!type || it.type === type);

// What to do to a request.

const label = (name, act) => Object.assign(act, { label: name });

const status = (code, retryAfter) => ({
  code,
  headers: retryAfter ? { "retry-after": String(retryAfter) } : {},
  text: JSON.stringify({
    apiVersion: "v1",
    kind: "Status",
    status: "Failure",
    code,
    reason: {
      403: "Forbidden",
      404: "NotFound",
      409: "Conflict",
      410: "Expired",
      429: "TooManyRequests",
      500: "InternalError",
      503: "ServiceUnavailable",
      504: "Timeout",
    }[code],
    message: `the test answers ${code}`,
    details: retryAfter ? { retryAfterSeconds: retryAfter } : {},
  }),
});

/** An error in place of what was asked for, which never reaches the server. */
export const answer = (code, retryAfter) =>
  label(`answered ${code}`, (request, { reply }) => void reply(status(code, retryAfter)));
/** What a server says of a path that it does not serve, or not yet, be it that of an object or of a kind. */
export const noPage = () =>
  label(
    "404 page not found",
    (request, { reply }) =>
      void reply({ code: 404, headers: { "content-type": "text/plain; charset=utf-8" }, text: "404 page not found\n" }),
  );
/** It is done, and whoever asked is told that it was not. */
export const doneButAnswer = (code) =>
  label(`done, but answered ${code}`, async (request, { forward, reply }) => {
    await forward();
    reply(status(code));
  });
/** It is done, and the connection is cut before the answer. */
export const doneButCut = () =>
  label("done, but cut", async (request, { forward, cut }) => {
    await forward();
    cut();
  });
/** It is done, and half of the answer arrives. */
export const truncated = () =>
  label("done, but half an answer", async (request, { forward, reply }) => {
    const whole = await forward();
    await reply(whole, { only: whole.text.length >> 1 });
  });
/** The connection is cut; nothing reaches the server. */
export const cut = () => label("cut", (request, exchange) => exchange.cut());
/** The connection is not cut by anybody polite: garbage in place of TLS records. */
export const garbled = () =>
  label("garbled", (request, { response }) => {
    const socket = response.socket?._parent ?? response.socket;
    socket.write("\x15\x03\x01\xff\xff not what was agreed on");
    socket.destroySoon?.();
    setTimeout(() => response.socket?.destroy(), 50);
  });
/** The server is asked once `until` is there, and only then. */
export const hold = (until) =>
  label("held", async (request, { pass }) => {
    await until;
    await pass();
  });
/** The server is asked at once, and its answer arrives once `until` is there. */
export const late = (until) =>
  label("answered late", async (request, { forward, reply }) => {
    const whole = await forward();
    await until;
    reply(whole);
  });
/** What the server says, changed. */
export const edited = (change) =>
  label("edited", async (request, { forward, reply }) => {
    const whole = await forward();
    reply({ ...whole, text: JSON.stringify(change(JSON.parse(whole.text))) });
  });
/** A list without those that `gone` accepts. */
export const without = (gone) => edited((list) => ({ ...list, items: list.items.filter((it) => !gone(it)) }));
/** What was answered at another time: see `snapshot`. */
export const stale = (older) =>
  label(
    "stale",
    (request, { reply }) =>
      void reply({
        code: older.code,
        headers: older.headers,
        text: typeof older.text === "string" ? older.text : JSON.stringify(older.text),
      }),
  );
/** The first half of a list, and a token for the rest that is good for nothing. */
export const firstPage = () =>
  edited((list) => ({
    ...list,
    metadata: { ...list.metadata, continue: "nowhere", remainingItemCount: list.items.length },
    items: list.items.slice(0, list.items.length >> 1),
  }));

/** kill -9 of the runner: the request never leaves. */
export const killBefore = (runner) =>
  label("kill before sending", async (request, exchange) => {
    await runner.kill();
    exchange.cut();
  });
/** kill -9 once the server has done it, and before the answer. */
export const killUnanswered = (runner) =>
  label("kill before the reply", async (request, exchange) => {
    await exchange.forward();
    await runner.kill();
    exchange.cut();
  });
/** kill -9 as soon as the answer is sent. */
export const killAfter = (runner) =>
  label("kill after the reply", async (request, { forward, reply, response }) => {
    const sent = new Promise((resolve) => response.once("finish", resolve));
    reply(await forward());
    await sent;
    await runner.kill();
  });

// What to do to an event.

export const drop = () => () => [];
export const twice = () => (line) => [line, line];
/** Keeps an event back until the next one of the rule, and tells them the other way round. */
export const swap = () => {
  let kept;
  return (line) => {
    if (kept === undefined) return ((kept = line), []);
    return [line, kept];
  };
};
/** Drops it, and ends the watch there. */
export const dropAndClose =
  () =>
  (line, parsed, { close }) => (setImmediate(close), []);
/** In place of the event, the server says that the watch is too far behind. */
export const tooOld =
  () =>
  (line, parsed, { close }) => {
    setImmediate(close);
    return [JSON.stringify({ type: "ERROR", object: JSON.parse(status(410).text) })];
  };
