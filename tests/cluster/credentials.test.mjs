// Where credentials of members go: to no cluster of a foreign namespace, to no server without TLS, to no redirect, for
// a command that only reads to no new endpoint, and for a runner to no other endpoint than before without approval.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createPlain } from "node:http";
import { createServer, request } from "node:https";
import { after, afterEach, before, describe, test } from "node:test";
import { commandBeside } from "./command.mjs";
import { eventually } from "./control-plane.mjs";
import { registerKubeFedCluster } from "./members.mjs";
import { startPlane, Story } from "./stories.mjs";

const ARGS = ["--dialect", "kubefed", "--max-deletes", "100", "--max-delete-percent", "100"];
const HOME = "kube-federation-system";
const OWN = "FleetPlan/fleetfold";
const APPROVED = "fleetfold.dev/approved-endpoints";

describe("credentials", () => {
  let plane, berlin;
  const listeners = new Set();
  before(async () => {
    plane = await startPlane({ members: ["berlin"] });
    ({ berlin } = plane.members);
  });
  after(() => plane?.stop());
  afterEach(async () => {
    await Promise.all([...listeners].map((it) => it.close()));
    listeners.clear();
  });

  /**
   * A server with a certificate that the authority of berlin has signed, and the requests that it got. It passes them
   * on to berlin, or answers what `answer` says.
   */
  async function listen({ secure = true, answer } = {}) {
    const got = [];
    const { cert, key } = berlin.certificate;
    const onRequest = (incoming, response) => {
      got.push({ path: incoming.url, token: incoming.headers.authorization });
      if (answer) {
        const { code, headers } = answer(incoming);
        response.writeHead(code, headers).end();
        return;
      }
      const { method, url: path, headers } = incoming;
      const passed = request({ host: "127.0.0.1", port: berlin.port, ca: berlin.ca, method, path, headers }, (it) => {
        response.writeHead(it.statusCode, it.headers);
        it.pipe(response);
      });
      passed.on("error", () => response.destroy());
      response.on("close", () => passed.destroy());
      incoming.pipe(passed);
    };
    const server = secure
      ? createServer({ cert: readFileSync(cert), key: readFileSync(key) }, onRequest)
      : createPlain(onRequest);
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const listener = {
      got,
      url: `${secure ? "https" : "http"}://127.0.0.1:${server.address().port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    };
    listeners.add(listener);
    return listener;
  }

  const register = (options) => registerKubeFedCluster(plane.hub, berlin, options);

  /** A ConfigMap for every cluster of the fleet. */
  const federate = (namespace) =>
    plane.hub.apply([
      {
        apiVersion: "types.kubefed.io/v1beta1",
        kind: "FederatedNamespace",
        metadata: { name: namespace, namespace },
        spec: { placement: { clusterSelector: {} } },
      },
      {
        apiVersion: "types.kubefed.io/v1beta1",
        kind: "FederatedConfigMap",
        metadata: { name: "settings", namespace },
        spec: { template: { data: { a: "1" } }, placement: { clusterSelector: {} } },
      },
    ]);

  /** The type configurations of the example and no cluster. */
  const begin = (args = []) =>
    Story.begin(plane, "kubefed", {
      args: [...ARGS, ...args],
      only: (file) => file === "types.yaml",
      members: { tokyo: "berlin" },
    });

  const hub = () => ["--from-cluster", "--kubeconfig", plane.KUBECONFIG];

  const unreachable = (pattern) =>
    eventually(
      async () => {
        const conditions = (await plane.hub.find(OWN))?.status?.conditions ?? [];
        const found = conditions.find((it) => it.type === "ClustersReachable" && it.status === "False");
        return found && pattern.test(found.message) && found.message;
      },
      { timeout: 30_000, what: `an unreachable cluster with ${pattern}` },
    );

  test("the token of a namespace never goes to a cluster that is registered there", async () => {
    const story = await begin();
    await story.runner.stop();
    const [plain, secure] = [await listen({ secure: false }), await listen()];
    await register({ name: "berlin" });
    await register({ name: "plain", namespace: "payments", apiEndpoint: plain.url, token: "secret-of-payments" });
    await register({ name: "secure", namespace: "payments", apiEndpoint: secure.url, token: "secret-of-payments" });
    // Nor does it take the member of the same name away.
    await register({ name: "berlin", namespace: "payments", apiEndpoint: secure.url, token: "secret-of-payments" });
    await federate("payments");
    for (const args of [["plan"], ["preview"], ["lint"], ["plan", "--contact-members"]]) {
      const { code, err } = await commandBeside([...args, ...hub()]);
      assert.ok(code <= 1, `${args}: ${err}`);
    }
    const { out, err } = await commandBeside(["lint", ...hub()]);
    assert.match(out + err, /untrusted-namespace/);
    for (const args of [["--dry-run", "--contact-members"], []]) {
      const runner = await plane.run({ args: [...ARGS, ...args] });
      await runner.reconcile();
      await runner.reconcile();
      await runner.stop();
    }
    await eventually(() => berlin.find("ConfigMap/payments/settings"), { what: "the copy in the real member" });
    assert.deepEqual([plain.got, secure.got], [[], []]);
  });

  test("no token goes to a server without TLS, unless the flag allows it", async () => {
    const story = await begin();
    const plain = await listen({ secure: false });
    await register({ name: "plain", apiEndpoint: plain.url });
    await federate("shop");
    assert.match(await unreachable(/plain/), /https:/);
    await story.runner.reconcile();
    await story.runner.stop();
    assert.deepEqual(plain.got, []);
    const runner = await plane.run({ args: [...ARGS, "--insecure-endpoints"] });
    await eventually(() => plain.got.length > 0, { what: "the server without TLS being asked" });
    await runner.stop();
  });

  test("a redirect is not followed", async () => {
    const story = await begin();
    const target = await listen();
    const away = await listen({ answer: ({ url }) => ({ code: 307, headers: { location: target.url + url } }) });
    await register({ name: "berlin", apiEndpoint: away.url });
    await federate("shop");
    await eventually(() => away.got.length > 0, { what: "the member being asked" });
    await story.runner.reconcile();
    await unreachable(/berlin/);
    assert.ok(away.got.every((it) => it.token?.startsWith("Bearer ")));
    assert.deepEqual(target.got, []);
  });

  test("what only reads contacts no member before a runner did, unless told to", async () => {
    const story = await begin();
    await story.runner.stop();
    const member = await listen();
    await register({ name: "berlin", apiEndpoint: member.url });
    await federate("shop");
    const { err } = await commandBeside(["plan", ...hub()]);
    assert.match(err, /`berlin` was not contacted.*--contact-members/s);
    await commandBeside(["preview", ...hub()]);
    const dry = await plane.run({ args: [...ARGS, "--dry-run"] });
    await dry.reconcile();
    await dry.stop();
    assert.deepEqual(member.got, []);
    const toDo = async (...flags) => {
      const { code, out, err } = await commandBeside(["plan", ...hub(), "-o", "json", ...flags]);
      assert.ok(code <= 1, err);
      return JSON.parse(out).actions.filter((it) => it.cluster === "berlin").length;
    };
    assert.equal(await toDo("--contact-members"), 2);
    assert.ok(member.got.length > 0);
    await story.runner.start();
    await story.settle();
    const [contact] = (await plane.hub.get(OWN)).status.contacts;
    assert.deepEqual([contact.cluster, contact.secret], ["berlin", `${HOME}/berlin-credentials`]);
    assert.equal(contact.endpoint.replace(/\/$/, ""), member.url);
    await story.runner.stop();
    member.got.length = 0;
    assert.equal(await toDo(), 0);
    assert.ok(member.got.length > 0, "the plan has looked");
  });

  test("known credentials go to another endpoint only after approval", async () => {
    const story = await begin();
    await register({ name: "berlin" });
    await federate("shop");
    await story.settle();
    assert.ok(await berlin.find("ConfigMap/shop/settings"));
    const other = await listen();
    const move = (name) => plane.hub.patch(`KubeFedCluster/${HOME}/${name}`, { spec: { apiEndpoint: other.url } });
    await move("berlin");
    const message = await unreachable(/berlin.*were used for/);
    // A new cluster with known credentials is no way around it.
    await plane.hub.apply({
      apiVersion: "core.kubefed.io/v1beta1",
      kind: "KubeFedCluster",
      metadata: { name: "second", namespace: HOME },
      spec: {
        apiEndpoint: other.url,
        caBundle: Buffer.from(berlin.ca).toString("base64"),
        secretRef: { name: "berlin-credentials" },
      },
    });
    await unreachable(/second/);
    // Nor is a restart, nor a command that is told to contact members.
    await story.runner.stop();
    await story.runner.start();
    await story.runner.reconcile();
    await commandBeside(["plan", ...hub(), "--contact-members"]);
    await unreachable(/berlin/);
    assert.deepEqual(other.got, []);
    const [, digest] = message.match(/approved-endpoints=(sha256:\w+)/);
    await plane.hub.patch(OWN, { metadata: { annotations: { [APPROVED]: digest } } });
    await eventually(() => other.got.some((it) => it.token?.startsWith("Bearer ")), {
      timeout: 30_000,
      what: "the new endpoint being used",
    });
    await eventually(async () => (await plane.hub.get(OWN)).status.contacts?.some((it) => it.digest === digest), {
      timeout: 30_000,
      what: "the new endpoint being recorded",
    });
    await plane.hub.delete(`KubeFedCluster/${HOME}/second`);
    await story.expectQuiet();
  });
});
