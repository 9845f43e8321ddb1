// A real control plane on this machine: one etcd, a kube-apiserver for the hub and one for each member, and a
// kube-controller-manager on the hub. No kubelet, no scheduler: what pods would do is for the test to say.
//
//   const plane = await ControlPlane.start({ members: ["berlin", "tokyo"] });
//   await plane.hub.define(definitions);              // CustomResourceDefinitions, as objects or as YAML
//   await plane.restartControllers();                 // else the garbage collector notices new kinds after 30 s
//   await plane.hub.apply(yaml);                      // server-side apply; namespaces and statuses too
//   await plane.hub.get("Plugin/my-org/my-preset");
//   const runner = await plane.run({ args: ["--dialect", "greenhouse"] });
//   await eventually(() => plane.hub.find("Plugin/my-org/made"), { what: "the plugin being there" });
//   await runner.stop();
//   await plane.stop();
//
// ControlPlane
//   hub, members.berlin …          an ApiServer each; `servers` lists them, the hub first
//   KUBECONFIG                     path of the hub's kubeconfig for the user `runner`
//   folder                         logs and data; removed by stop(), kept and printed when something fails
//   run({ args, user, command })   starts `fleetfold run` with --kubeconfig and --listen; returns a Runner when it is
//                                  ready; for another command:
//                                  run({ command: "webhook", ca: plane.hub.ca, ready: "/healthz", args })
//   remember(), clear()            clear deletes all objects that were created after remember, in all clusters
//   restartControllers()           a new kube-controller-manager
//   etcd.stop(), etcd.start()      an outage of everything
//   stop()                         ends everything
//
// ApiServer (api-server.mjs)
//   url, ca (PEM), name, port, token(user)
//   certificate                    `{ cert, key }`: paths of a certificate for 127.0.0.1 that `ca` has signed
//   kubeconfig(user, { token })    path of a kubeconfig file; kubeconfigText() is what it says
//   get find list create apply patch replace replaceStatus delete   all of them take `{ user }`, by default `admin`
//   define(definitions), grant(user, clusterRole), ensureNamespace(name), remember(), clear()
//   kubectl(args, { input, user })
//   request(method, path, …)       `{ code, body, headers }` whatever the code
//   send(method, path, …)          the body; throws ApiError { code, reason }
//   auditWrites({ user, since })   the writes that reached the server:
//                                  { verb, resource, name, namespace, code, time, user, userAgent }
//   stop(), start()                an outage: same port, same data, same certificate
//
// A reference is an object, `Kind/name`, `Kind/namespace/name`, `Kind.group/…` where a kind is in two groups, or a path
// that starts with `/`.
//
// Users, with a static token each: `admin` may do everything; the rest may do nothing without `grant` or a binding.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiServer } from "./api-server.mjs";
import { Child, freePort } from "./child.mjs";
import { eventually } from "./eventually.mjs";
import { Runner } from "./runner.mjs";
import { findTools } from "./tools.mjs";

export { ApiError, ApiServer } from "./api-server.mjs";
export { eventually } from "./eventually.mjs";
export { expectQuiet, Runner } from "./runner.mjs";

/** Who there is, and in which groups. */
const USERS = {
  admin: ["system:masters"],
  runner: [],
  webhook: [],
  agent: ["system:open-cluster-management:agents"],
  dev: ["dev"],
  qa: ["qa"],
  eve: [],
  mallory: [],
};

/** What objects and namespaces need to go away; the rest would only write. */
const CONTROLLERS = ["garbage-collector-controller", "namespace-controller", "clusterrole-aggregation-controller"];

export class ControlPlane {
  /** Starts everything and answers when it is ready. `users` adds to those there are: `{ name: [groups] }`. */
  static async start({ members = ["berlin", "tokyo"], users = {} } = {}) {
    const plane = new ControlPlane(members, users);
    try {
      await plane.etcd.start();
      await Promise.all(plane.servers.map((it) => it.start()));
      await plane.restartControllers();
      await Promise.all(plane.servers.map((it) => it.grant("runner")));
      await plane.remember();
      return plane;
    } catch (error) {
      await plane.stop({ keepFolder: true });
      throw error;
    }
  }

  constructor(members, users) {
    const tools = findTools();
    this.folder = mkdtempSync(join(tmpdir(), "fleetfold-plane-"));
    const shared = { tools, folder: this.folder, users: {} };
    for (const [name, groups] of Object.entries({ ...USERS, ...users })) {
      shared.users[name] = { groups, token: `${name}-${randomBytes(12).toString("hex")}` };
    }
    const lines = Object.entries(shared.users).map(([name, { token, groups }]) => {
      // Without groups the column must go: an empty one is the group without a name.
      const listed = groups.length ? [`"${groups.join(",")}"`] : [];
      return [token, name, name, ...listed].join(",");
    });
    shared.tokens = this.#file("tokens.csv", `${lines.join("\n")}\n`);
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    shared.serviceAccountKey = this.#file("service-account.pem", privateKey.export({ type: "sec1", format: "pem" }));
    this.shared = shared;
    this.etcd = new Etcd(shared);
    this.hub = new ApiServer("hub", shared);
    this.members = Object.fromEntries(members.map((it) => [it, new ApiServer(it, shared)]));
    this.servers = [this.hub, ...Object.values(this.members)];
    this.runners = new Set();
    // A failing test leaves its folder behind; this is how one finds it.
    process.once("exit", (code) => {
      if (code !== 0 && !this.isStopped) console.error(`the logs of the control plane are in ${this.folder}`);
    });
  }

  #file(name, text) {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  /** Takes what is there now, in all clusters, as what `clear` leaves in place. */
  async remember() {
    await Promise.all(this.servers.map((it) => it.remember()));
  }

  /** Ends every runner, starts every server that is stopped, and deletes what came after `remember`. */
  async clear() {
    await Promise.all([...this.runners].map((it) => it.kill()));
    this.runners.clear();
    // A story that failed may have left a server stopped.
    await Promise.all(this.servers.filter((it) => it.child.ended).map((it) => it.start()));
    await Promise.all(this.servers.map((it) => it.clear()));
  }

  /** For a `fleetfold` that is started by hand. */
  get KUBECONFIG() {
    return this.hub.kubeconfig("runner");
  }

  /** Starts the controllers of the hub, anew if they run: they look for kinds at once, and then every 30 seconds. */
  async restartControllers() {
    await this.controllers?.end();
    const flags = [
      `--kubeconfig=${this.hub.kubeconfig("admin")}`,
      `--controllers=${CONTROLLERS.join(",")}`,
      "--leader-elect=false",
      "--secure-port=0",
      "--profiling=false",
    ];
    const log = join(this.folder, "kube-controller-manager.log");
    this.controllers = new Child(this.shared.tools["kube-controller-manager"], flags, { log, env: { GOGC: "60" } });
  }

  /** Starts `fleetfold run`, or another command that listens, and answers when it is ready. */
  async run({ args = [], user = "runner", command = "run", kubeconfig = this.hub.kubeconfig(user), ...options } = {}) {
    const runner = new Runner({
      command,
      args: ["--kubeconfig", kubeconfig, ...args],
      folder: this.folder,
      user,
      ...options,
    });
    this.runners.add(runner);
    await runner.start();
    return runner;
  }

  /** Ends everything. The folder goes unless it is asked for. */
  async stop({ keepFolder = process.env.FLEETFOLD_KEEP !== undefined } = {}) {
    if (this.isStopped) return;
    this.isStopped = true;
    await Promise.all([...this.runners].map((it) => it.kill()));
    await Promise.all([this.controllers?.end(), ...this.servers.map((it) => it.stop())]);
    await this.etcd.stop();
    if (keepFolder) console.error(`the logs of the control plane are in ${this.folder}`);
    else rmSync(this.folder, { recursive: true, force: true });
  }
}

class Etcd {
  constructor(shared) {
    this.shared = shared;
  }

  async start() {
    for (let attempt = 1; ; attempt += 1) {
      this.client ??= await freePort();
      this.peer ??= await freePort();
      const [client, peer] = [this.client, this.peer].map((port) => `http://127.0.0.1:${port}`);
      this.shared.etcd = client;
      const flags = [
        `--data-dir=${join(this.shared.folder, "etcd")}`,
        `--listen-client-urls=${client}`,
        `--advertise-client-urls=${client}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
        // The data lives as long as the test: a crash of the machine may take it.
        "--unsafe-no-fsync",
        "--log-level=warn",
      ];
      this.child = new Child(this.shared.tools.etcd, flags, { log: join(this.shared.folder, "etcd.log") });
      try {
        await eventually(() => this.#isHealthy(), { timeout: 15_000, interval: 25, what: "etcd being healthy" });
        return;
      } catch (error) {
        const tail = this.child.tail();
        await this.child.end();
        if (attempt >= 3 || !tail.includes("address already in use")) throw new Error(`${error.message}\n${tail}`);
        this.client = this.peer = undefined;
      }
    }
  }

  async stop() {
    await this.child?.end();
  }

  #isHealthy() {
    if (this.child.ended) throw new Error("etcd has ended");
    return new Promise((resolve) => {
      const sent = get(`${this.shared.etcd}/health`, { timeout: 1000 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      });
      sent.on("error", () => resolve(false));
      sent.on("timeout", () => sent.destroy());
    });
  }
}
