// Child processes that never outlive the test, however it ends.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";

const running = new Set();

/** Starts a program whose output goes to `log`, and answers when it is under way. */
export class Child {
  /** `onStderr` also gets what it says on standard error. */
  constructor(program, args, { log, env, cwd, onStderr } = {}) {
    this.program = program;
    this.log = log;
    const file = openSync(log, "a");
    // Its own process group: an interrupt from the keyboard reaches us alone, and we end it.
    const stdio = ["ignore", file, onStderr ? "pipe" : file];
    this.process = spawn(program, args, { env: { ...process.env, ...env }, cwd, detached: true, stdio });
    closeSync(file);
    this.exit = new Promise((resolve) => {
      this.process.once("error", (error) => resolve({ code: 127, signal: null, error }));
      this.process.once("close", (code, signal) => resolve({ code, signal }));
    }).then((exit) => {
      this.ended = exit;
      running.delete(this);
      this.watchdog?.stdin.end("done\n");
      return exit;
    });
    if (this.process.pid === undefined) return;
    running.add(this);
    this.watchdog = watch(this.process.pid);
    this.process.stderr?.setEncoding("utf8").on("data", (text) => {
      // The folder may be gone before the last words are heard.
      if (existsSync(dirname(log))) appendFileSync(log, text);
      onStderr(text);
    });
    // A test that forgets its children ends all the same, and they with it.
    this.process.unref();
    this.process.stderr?.unref();
  }

  /** Ends it and answers how it ended; what does not listen is killed after `grace` milliseconds. */
  async end(signal = "SIGKILL", grace = 15_000) {
    if (this.ended) return this.ended;
    this.process.ref();
    this.process.kill(signal);
    const impatient = setTimeout(() => this.process.kill("SIGKILL"), grace);
    const exit = await this.exit;
    clearTimeout(impatient);
    return exit;
  }

  /** The last lines of its log. */
  tail(lines = 20) {
    return readFileSync(this.log, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  }
}

/** Kills `pid` when this process is gone without having said `done`, as after a `kill -9`. */
function watch(pid) {
  const script = 'read -r line || kill -9 "$0"';
  const watchdog = spawn("sh", ["-c", script, String(pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  watchdog.stdin.on("error", () => {});
  watchdog.unref();
  watchdog.stdin.unref();
  return watchdog;
}

function killAll() {
  for (const child of running) child.process.kill("SIGKILL");
}

process.on("exit", killAll);
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
]) {
  process.once(signal, () => process.exit(128 + number));
}

const taken = new Set();

/**
 * A port of 127.0.0.1 that nobody listens on. Below the range that the kernel gives to clients, so that it stays free.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!taken.has(port) && (await isFree(port))) {
      taken.add(port);
      return port;
    }
  }
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
