// One kube-apiserver: its process, and everything a test asks of it.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Child, freePort } from "./child.mjs";
import { readDocuments } from "./documents.mjs";
import { eventually } from "./eventually.mjs";

const AUDITED = ["create", "update", "patch", "delete", "deletecollection"];

/** Writes are logged once, when they are answered. Reviews are questions, leases and events are noise. */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    {
      level: "None",
      resources: [
        { group: "", resources: ["events"] },
        { group: "events.k8s.io", resources: ["events"] },
        { group: "coordination.k8s.io", resources: ["leases"] },
        { group: "authentication.k8s.io" },
        { group: "authorization.k8s.io" },
      ],
    },
    { level: "Metadata", verbs: AUDITED },
    { level: "None" },
  ],
};

const PATCHES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** What the API server answered instead of what was asked for. */
export class ApiError extends Error {
  constructor(method, path, code, status) {
    super(`${method} ${path}: ${code} ${status?.message ?? JSON.stringify(status)}`);
    this.code = code;
    this.reason = status?.reason;
    this.status = status;
  }
}

/**
 * What is deleted after everything else. A server that finds objects of a deleted definition looks again only after
 * five seconds, and it creates the APIServices of definitions again. Objects with finalizers cannot be changed any more
 * once their namespace is deleted.
 */
const CLEAR_STAGES = [["customresourcedefinitions", "apiservices"], ["namespaces"]];

/** How long a server may take to become empty, in milliseconds. */
const CLEAR_TIMEOUT = 30_000;

/** What the server makes and takes by itself. */
const FLEETING = [
  "events",
  "leases",
  "endpoints",
  "endpointslices",
  "componentstatuses",
  "ipaddresses",
  "servicecidrs",
];

export class ApiServer {
  #kinds = new Map();
  #remembered = new Set();

  /** `shared` is what all servers of a plane have in common. */
  constructor(name, shared) {
    this.name = name;
    this.shared = shared;
    this.folder = join(shared.folder, name);
    this.auditLog = join(this.folder, "audit.jsonl");
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, "audit-policy.json"), JSON.stringify(AUDIT_POLICY));
  }

  get url() {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Starts it, on the port and with the data that it had before, and answers when it is ready. */
  async start() {
    // The port may be taken between being found free and being used.
    for (let attempt = 1; ; attempt += 1) {
      this.port ??= await freePort();
      const log = join(this.folder, "kube-apiserver.log");
      this.child = new Child(this.shared.tools["kube-apiserver"], this.#flags(), { log, env: { GOGC: "60" } });
      try {
        await eventually(() => this.#isReady(), { timeout: 60_000, interval: 50, what: `${this.name} being ready` });
        return this;
      } catch (error) {
        const tail = this.child.tail();
        await this.child.end();
        if (attempt < 3 && !this.agent && tail.includes("address already in use")) {
          this.port = undefined;
          continue;
        }
        throw new Error(`${error.message}\n${tail}\nmore in ${this.folder}`);
      }
    }
  }

  /** Takes it away at once, as an outage would. Its data stays in etcd. */
  async stop() {
    await this.child?.end("SIGKILL");
    this.agent?.destroy();
  }

  #flags() {
    const { folder, shared } = this;
    return [
      `--etcd-servers=${shared.etcd}`,
      `--etcd-prefix=/${this.name}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${this.port}`,
      `--cert-dir=${join(folder, "certificates")}`,
      `--token-auth-file=${shared.tokens}`,
      "--authorization-mode=RBAC",
      "--service-account-issuer=https://fleetfold.test",
      `--service-account-key-file=${shared.serviceAccountKey}`,
      `--service-account-signing-key-file=${shared.serviceAccountKey}`,
      // Nobody makes the default account of a namespace here, so pods could not be created with it.
      "--disable-admission-plugins=ServiceAccount",
      "--enable-admission-plugins=ValidatingAdmissionWebhook,MutatingAdmissionWebhook",
      "--service-cluster-ip-range=10.0.0.0/9",
      "--endpoint-reconciler-type=none",
      "--enable-priority-and-fairness=false",
      "--profiling=false",
      "--event-ttl=10m",
      `--audit-policy-file=${join(folder, "audit-policy.json")}`,
      `--audit-log-path=${this.auditLog}`,
      "--audit-log-mode=blocking",
    ];
  }

  async #isReady() {
    if (this.child.ended) throw new Error(`kube-apiserver has ended`);
    if (!this.agent) {
      const certificate = join(this.folder, "certificates", "apiserver.crt");
      if (!existsSync(certificate)) return false;
      // The file holds the server's certificate, then the authority that signed it.
      this.ca = readFileSync(certificate, "utf8")
        .match(/-----BEGIN[^]*?-----END CERTIFICATE-----\n/g)
        ?.at(-1);
      if (!this.ca) return false;
      this.agent = new Agent({ ca: this.ca, keepAlive: true, maxSockets: 32 });
    }
    const { code } = await this.request("GET", "/readyz", { timeout: 2000 });
    return code === 200;
  }

  /** Sends a request and answers `{ code, body, headers }`, whatever the code. A body that is JSON is parsed. */
  request(
    method,
    path,
    { body, type = "application/json", accept = "application/json", user = "admin", token, timeout = 30_000 } = {},
  ) {
    const headers = { accept, "user-agent": `fleetfold-test/${user}` };
    const bearer = token ?? this.shared.users[user]?.token;
    if (bearer) headers.authorization = `Bearer ${bearer}`;
    const data = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    if (data) Object.assign(headers, { "content-type": type, "content-length": data.length });
    return new Promise((resolve, reject) => {
      const options = { method, headers, agent: this.agent, timeout, host: "127.0.0.1", port: this.port, path };
      const sent = request(options, (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          const isJson = response.headers["content-type"]?.includes("json");
          resolve({ code: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(text) : text });
        });
      });
      sent.on("timeout", () => sent.destroy(new Error(`${method} ${this.url}${path}: no answer in ${timeout} ms`)));
      sent.on("error", reject);
      sent.end(data);
    });
  }

  /** The same, for a request that must succeed; answers the body. */
  async send(method, path, options) {
    let { code, body } = await this.request(method, path, options);
    // A server that has just learnt a kind says "not yet" for a moment; every client waits then.
    for (let attempt = 0; code === 429 && attempt < 50; attempt += 1) {
      await sleep(100);
      ({ code, body } = await this.request(method, path, options));
    }
    if (code >= 300) throw new ApiError(method, path, code, body);
    return body;
  }

  /** The object that a reference names; see the top of control-plane.mjs for what a reference is. */
  async get(ref, options) {
    return this.send("GET", await this.path(ref), options);
  }

  /** The same, or undefined when it is not there. */
  async find(ref, options) {
    return unlessGone(this.get(ref, options));
  }

  /** The objects of a kind: `list("Plugin/my-org")`, `list("ClusterRole", { selector: "a=b" })`. */
  async list(ref, { selector, ...options } = {}) {
    const path = await this.path(ref, { collection: true });
    const answer = await this.send(
      "GET",
      selector ? `${path}?labelSelector=${encodeURIComponent(selector)}` : path,
      options,
    );
    const one = { apiVersion: answer.apiVersion, kind: answer.kind.replace(/List$/, "") };
    return answer.items.map((it) => ({ ...one, ...it }));
  }

  async create(object, options) {
    return this.send("POST", await this.path(object, { collection: true }), { ...options, body: object });
  }

  /** Replaces an object; without a resourceVersion it takes the newest. */
  async replace(object, { subresource, ...options } = {}) {
    const path = await this.path(object, { subresource });
    const metadata = { ...object.metadata };
    metadata.resourceVersion ??= (await this.get(object, options)).metadata.resourceVersion;
    return this.send("PUT", path, { ...options, body: { ...object, metadata } });
  }

  /** Writes a status: `replaceStatus(object)`, or `replaceStatus(ref, status)`. */
  async replaceStatus(ref, status, options) {
    const object = await this.get(ref, options);
    return this.replace({ ...object, status: status ?? ref.status }, { ...options, subresource: "status" });
  }

  /** `kind` is `merge` unless told, else `json` or `strategic`. */
  async patch(ref, change, { kind = "merge", subresource, ...options } = {}) {
    const type = PATCHES[kind];
    return this.send("PATCH", await this.path(ref, { subresource }), { ...options, type, body: change });
  }

  /**
   * Applies objects or the text of a YAML file, on the server's side and with force; answers the objects.
   *
   * A status is written too, where the kind has one: examples say what other controllers would have said. Namespaces
   * are created as they are needed.
   */
  async apply(what, { manager = "fleetfold-test", ...options } = {}) {
    const applied = [];
    for (const object of typeof what === "string" ? readDocuments(what, this.shared.tools) : [what].flat()) {
      await this.ensureNamespace(object.metadata.namespace);
      const { status, ...rest } = structuredClone(object);
      for (const given of ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"])
        delete rest.metadata[given];
      const query = `?fieldManager=${encodeURIComponent(manager)}&force=true`;
      const put = (body, subresource) =>
        this.path(object, { subresource }).then((path) =>
          this.send("PATCH", path + query, { ...options, type: PATCHES.apply, body }),
        );
      let answer = await put(rest);
      if (status && !isDeepStrictEqual(answer.status, status)) {
        const { apiVersion, kind, metadata } = rest;
        const name = { name: metadata.name, namespace: metadata.namespace };
        answer = await put(
          { apiVersion, kind, metadata: name, status },
          (await this.#hasStatus(object)) ? "status" : undefined,
        );
      }
      applied.push(answer);
    }
    return applied;
  }

  /** Deletes an object and answers the last that was seen of it; undefined when it is not there. */
  async delete(ref, { propagation = "Background", ...options } = {}) {
    const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: propagation };
    return unlessGone(this.send("DELETE", await this.path(ref), { ...options, body }));
  }

  async ensureNamespace(name) {
    if (!name || (await this.find(`Namespace/${name}`))) return;
    await this.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }).catch((error) => {
      if (error.code !== 409) throw error;
    });
  }

  /** Lets a user do what a ClusterRole allows, everywhere in this cluster. */
  async grant(user, role = "cluster-admin") {
    const group = "rbac.authorization.k8s.io";
    return this.apply({
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: `test:${user}:${role}` },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: group, kind: "User", name: user }],
    });
  }

  /** Applies CustomResourceDefinitions and waits until the server serves them. */
  async define(definitions) {
    const applied = await this.apply(definitions);
    for (const { metadata } of applied) {
      const isEstablished = async () => {
        const { status } = await this.get(`CustomResourceDefinition/${metadata.name}`);
        return status?.conditions?.some((it) => it.type === "Established" && it.status === "True");
      };
      await eventually(isEstablished, { what: `${metadata.name} being established` });
    }
    await eventually(
      async () => {
        await this.#discover();
        return applied.every(({ spec }) => this.#kinds.has(`${spec.names.kind}.${spec.group}`));
      },
      { what: `${this.name} serving what was defined` },
    );
  }

  /** Takes what is there now as what `clear` leaves in place. */
  async remember() {
    await this.#discover();
    this.#remembered = new Set((await this.#everything()).map(({ object }) => object.metadata.uid));
  }

  /**
   * Deletes everything that came after `remember`, whatever its finalizers say. Faster than a new server, and what a
   * story needs to begin from nothing.
   */
  async clear() {
    const stageOf = ({ kind }) => CLEAR_STAGES.findIndex((it) => it.includes(kind.plural));
    const until = Date.now() + CLEAR_TIMEOUT;
    let left;
    for (let round = 0; round < 2 || Date.now() < until; round += 1) {
      await this.#discover();
      left = await this.#added();
      if (left.length === 0) return;
      const stage = Math.min(...left.map(stageOf));
      const first = left.filter((it) => stageOf(it) === stage);
      await Promise.all(first.map(({ kind, object }) => this.#remove(kind, object)));
      // Others clear away too, and need a moment for it.
      if (round > 1) await sleep(200);
    }
    const names = left.map(
      ({ kind, object }) => `${kind.plural} ${object.metadata.namespace ?? ""}/${object.metadata.name}`,
    );
    throw new Error(`${this.name} does not become empty: ${names.join(", ")}`);
  }

  /** Every object that came after `remember`. */
  async contents() {
    await this.#discover();
    return (await this.#added()).map(({ kind, object }) => ({ plural: kind.plural, object }));
  }

  async #added() {
    return (await this.#everything()).filter(({ object }) => !this.#remembered.has(object.metadata.uid));
  }

  async #everything() {
    const lasting = [...this.#kinds.values()].filter((it) => it.deletable && !FLEETING.includes(it.plural));
    // A kind is known under several names.
    const places = new Map(lasting.map((kind) => [`${kind.root}/${kind.plural}`, kind]));
    const list = async ([path, kind]) => {
      const answer = await unlessGone(this.send("GET", path));
      return (answer?.items ?? []).map((object) => ({ kind, object }));
    };
    return (await Promise.all([...places].map(list))).flat();
  }

  async #remove(kind, { metadata }) {
    const { name, namespace } = metadata;
    const path = [
      kind.root,
      ...(kind.namespaced ? ["namespaces", namespace] : []),
      kind.plural,
      encodeURIComponent(name),
    ].join("/");
    const body = { propagationPolicy: "Background", gracePeriodSeconds: 0 };
    await unlessGone(this.send("DELETE", path, { body }));
    if (kind.plural === "namespaces") {
      // Members have no controller that would let it go, and it is empty by now.
      const finalize = { apiVersion: "v1", kind: "Namespace", metadata: { name }, spec: { finalizers: [] } };
      await unlessGone(this.send("PUT", `${path}/finalize`, { body: finalize }));
    } else if (metadata.finalizers?.length && kind.plural !== "customresourcedefinitions") {
      await unlessGone(this.send("PATCH", path, { type: PATCHES.merge, body: { metadata: { finalizers: null } } }));
    }
  }

  /** Runs kubectl and answers its output. */
  kubectl(args, { input, user = "admin" } = {}) {
    return new Promise((resolve, reject) => {
      const command = ["--kubeconfig", this.kubeconfig(user), "--cache-dir", join(this.folder, "kubectl"), ...args];
      const child = execFile(this.shared.tools.kubectl, command, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`kubectl ${args.join(" ")}: ${stderr || error.message}`));
        else resolve(stdout);
      });
      child.stdin.end(input ?? "");
    });
  }

  /** A certificate for 127.0.0.1 that `ca` has signed, for whoever else must serve: a webhook, say. */
  get certificate() {
    return {
      cert: join(this.folder, "certificates", "apiserver.crt"),
      key: join(this.folder, "certificates", "apiserver.key"),
    };
  }

  token(user) {
    return this.shared.users[user].token;
  }

  /** The path of a kubeconfig file for a user, or for any token. */
  kubeconfig(user = "admin", { token } = {}) {
    const path = join(this.folder, `${user}.kubeconfig`);
    writeFileSync(path, this.kubeconfigText(user, { token }), { mode: 0o600 });
    return path;
  }

  /** What that file says. JSON is YAML too. */
  kubeconfigText(user = "admin", { token = this.token(user) } = {}) {
    const cluster = { server: this.url, "certificate-authority-data": Buffer.from(this.ca).toString("base64") };
    const config = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: this.name, cluster }],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: this.name, context: { cluster: this.name, user } }],
      "current-context": this.name,
    };
    return `${JSON.stringify(config, null, 2)}\n`;
  }

  /**
   * The writes that reached the server, oldest first: `{ verb, resource, name, namespace, code, time, user,
   * userAgent }`.
   *
   * A subresource is part of `resource`, as in `plugins/status`. Trials with `dryRun` are no writes; ask for them by
   * `dryRun: true`. `since` is a Date.
   */
  async auditWrites({ user, since, dryRun = false } = {}) {
    // A line is written when its request is answered, which may be a moment after the client has its answer.
    for (let before = -1, now = this.#auditSize(); before !== now; before = now, now = this.#auditSize())
      await sleep(150);
    const lines = existsSync(this.auditLog) ? readFileSync(this.auditLog, "utf8").split("\n").filter(Boolean) : [];
    return lines
      .map((line) => JSON.parse(line))
      .filter((it) => !user || it.user.username === user)
      .filter((it) => !since || new Date(it.requestReceivedTimestamp) >= since)
      .filter((it) => /[?&]dryRun=/.test(it.requestURI) === dryRun)
      .map(({ verb, objectRef = {}, responseStatus, requestReceivedTimestamp, user: { username }, userAgent }) => ({
        verb,
        resource: [objectRef.resource, objectRef.subresource].filter(Boolean).join("/"),
        // A namespace is said to be in itself.
        namespace: objectRef.resource === "namespaces" ? undefined : objectRef.namespace,
        name: objectRef.name,
        code: responseStatus?.code,
        time: new Date(requestReceivedTimestamp),
        user: username,
        userAgent,
      }));
  }

  #auditSize() {
    return statSync(this.auditLog, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The path of what a reference names. */
  async path(ref, { collection = false, subresource } = {}) {
    if (typeof ref === "string" && ref.startsWith("/")) return subresource ? `${ref}/${subresource}` : ref;
    const { key, namespace, name } = parse(ref, collection);
    const kind = await this.#kind(key);
    const parts = [kind.root];
    if (kind.namespaced && (namespace || !collection))
      parts.push("namespaces", encodeURIComponent(namespace || "default"));
    parts.push(kind.plural);
    if (!collection) parts.push(encodeURIComponent(name));
    if (subresource) parts.push(subresource);
    return parts.join("/");
  }

  async #hasStatus({ apiVersion, kind }) {
    return (await this.#kind(`${apiVersion}:${kind}`)).hasStatus;
  }

  async #kind(key) {
    if (!this.#kinds.has(key)) await this.#discover();
    const kind = this.#kinds.get(key);
    if (!kind) throw new Error(`${this.name} serves no kind ${key}`);
    return kind;
  }

  /** Learns every kind under three names: `Kind`, `Kind.group`, and `group/version:Kind`. */
  async #discover() {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const kinds = new Map();
    for (const place of ["/api", "/apis"]) {
      for (const { metadata, versions } of (await this.send("GET", place, { accept })).items) {
        const group = metadata.name ?? "";
        for (const { version, resources = [] } of versions) {
          const apiVersion = group ? `${group}/${version}` : version;
          for (const { resource, responseKind, scope, verbs, subresources = [] } of resources) {
            const found = {
              root: `${place}/${apiVersion}`,
              plural: resource,
              namespaced: scope === "Namespaced",
              deletable: verbs.includes("list") && verbs.includes("delete"),
              hasStatus: subresources.some((it) => it.subresource === "status"),
            };
            // The first group and version that has the kind is the one a bare name means.
            for (const key of [
              `${apiVersion}:${responseKind.kind}`,
              `${responseKind.kind}.${group}`,
              responseKind.kind,
            ]) {
              if (!kinds.has(key)) kinds.set(key, found);
            }
          }
        }
      }
    }
    this.#kinds = kinds;
  }
}

function parse(ref, collection) {
  if (typeof ref !== "string") {
    const { apiVersion, kind, metadata = ref } = ref;
    return { key: apiVersion ? `${apiVersion}:${kind}` : kind, namespace: metadata.namespace, name: metadata.name };
  }
  const [key, ...rest] = ref.split("/");
  if (collection) return { key, namespace: rest[0] };
  return rest.length > 1 ? { key, namespace: rest[0], name: rest.slice(1).join("/") } : { key, name: rest[0] };
}

/** The answer, or undefined when what was asked for is not there. */
async function unlessGone(answer) {
  try {
    return await answer;
  } catch (error) {
    if (error.code === 404) return undefined;
    throw error;
  }
}
