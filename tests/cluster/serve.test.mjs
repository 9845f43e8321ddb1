// `fleetfold serve --from-cluster`: a real hub and its members in a page, followed as they change, and never written
// to.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { command, planOf } from "./command.mjs";
import { eventually } from "./control-plane.mjs";
import { freePort } from "./child.mjs";
import { applyFederatedSecret } from "./federated-secret.mjs";
import { Runner } from "./runner.mjs";
import { startPlane, Story } from "./stories.mjs";

const CANARY = "canary-51d2c8e0";
const ENCODED = Buffer.from(CANARY).toString("base64");
const NOW = "2026-01-01T00:00:00Z";
const TOKEN = "a-token-for-the-tests-of-serve";
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };

describe("a hub in the page", () => {
  let plane, berlin, tokyo, since;
  const servers = [];
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
    ({ berlin, tokyo } = plane.members);
    await plane.clear();
    await new Story(plane, {}).add("kubefed");
    await applyFederatedSecret(plane, { password: CANARY, clusters: ["berlin", "tokyo"] });
    since = new Date();
  });
  after(async () => {
    for (const server of servers) await server.kill();
    await plane?.stop();
  });

  /** A server over the hub, when it answers. */
  const serve = async (args = []) => {
    const port = await freePort();
    const token = join(plane.folder, "serve-token");
    writeFileSync(token, TOKEN);
    const all = [
      "--from-cluster",
      "--contact-members",
      "--kubeconfig",
      plane.KUBECONFIG,
      "--port",
      `${port}`,
      "--token-file",
      token,
      ...args,
    ];
    const server = new Runner({
      command: "serve",
      args: all,
      folder: plane.folder,
      listen: false,
      ready: "/healthz",
      readyTimeout: 60_000,
    });
    server.port = port;
    servers.push(server);
    await server.start();
    return server;
  };
  const fleetOf = async (server) =>
    JSON.parse((await server.request("GET", "/v1/fleet", { headers: AUTHORIZATION })).body);
  const call = async (server, body) => {
    const headers = { "content-type": "application/json", ...AUTHORIZATION };
    return (await server.request("POST", "/v1/call", { body: JSON.stringify(body), headers, timeout: 30_000 })).body;
  };
  /** What a page does: everything into an empty engine, in order. Answers its plan. */
  const replay = (fleet) => {
    const requests = [
      ...fleet.loads.map((it) => ({ op: "load", ...it })),
      ...fleet.configure.map((it) => ({ op: "configure", ...it.configure })),
      { op: "plan", now: NOW },
    ];
    const { out } = command(["call", "--timeout", "1m"], {
      input: requests.map((it) => `${JSON.stringify(it)}\n`).join(""),
    });
    const answers = out.trim().split("\n");
    for (const answer of answers) assert.ok(!answer.startsWith('{"error"'), answer);
    return answers.at(-1);
  };
  const target = (it) => [it.verb, it.cluster, it.target.kind, it.target.namespace, it.target.name].join(" ");
  const shape = (plan) => plan.actions.map(target).sort();

  test("a page comes to the plan of the command line, and is told the digest to approve", async () => {
    const server = await serve();
    const fleet = await fleetOf(server);
    assert.deepEqual([fleet.source.kind, fleet.source.masked, fleet.editable], ["cluster", true, false]);
    assert.ok(fleet.source.name, "the hub has a name");
    const names = fleet.loads.map((it) => it.file).filter(Boolean);
    assert.ok(
      names.includes("hub/FederatedDeployment.yaml") && names.includes("hub/KubeFedCluster.yaml"),
      names.join(" "),
    );
    const replayed = replay(fleet);
    assert.equal(replayed, await call(server, { op: "plan", now: NOW }), "the page and the server, to the byte");
    const plan = planOf(plane);
    assert.ok(plan.actions.length >= 5);
    assert.deepEqual(shape(JSON.parse(replayed).ok), shape(plan));
    assert.equal(fleet.digest, plan.digest, "over the real contents");
    assert.equal(JSON.parse(await call(server, { op: "load", documents: [] })).error.code, "read-only");
    await server.stop();
  });

  test("what Secrets hold never leaves, equal stays equal, and changed stays changed", async () => {
    // As it should be in berlin, and something else in tokyo.
    for (const [member, password] of [
      [berlin, ENCODED],
      [tokyo, Buffer.from(`other ${CANARY}`).toString("base64")],
    ]) {
      await member.ensureNamespace("shop");
      const copy = JSON.stringify({ kind: "Secret", data: { password } });
      const annotations = { "kubectl.kubernetes.io/last-applied-configuration": copy };
      const labels = { "kubefed.io/managed": "true" };
      await member.apply({
        apiVersion: "v1",
        kind: "Secret",
        type: "Opaque",
        metadata: { name: "db", namespace: "shop", annotations, labels },
        data: { password },
      });
    }
    const server = await serve();
    const fleet = await eventually(
      async () => {
        const fleet = await fleetOf(server);
        return (
          ["berlin", "tokyo"].every((it) => fleet.loads.some(({ file }) => file === `live/${it}/Secret.yaml`)) && fleet
        );
      },
      { what: "the Secrets being seen" },
    );
    const plan = await call(server, { op: "plan", now: NOW });
    const text = JSON.stringify(fleet);
    assert.match(text, /password: /, "the keys are shown");
    const access = [berlin, tokyo].map((it) => it.token("runner"));
    const secrets = [CANARY, `other ${CANARY}`, ...access].flatMap((it) => [it, Buffer.from(it).toString("base64")]);
    const effective = await call(server, { op: "effective", subject: "FederatedSecret/shop/db", origins: true });
    assert.match(effective, /"password"/);
    for (const said of [text, plan, effective, await call(server, { op: "lint" }), JSON.stringify(server.logs)]) {
      for (const secret of secrets) assert.ok(!said.includes(secret), "a secret is told");
    }
    const wanted = planOf(plane);
    assert.deepEqual(shape(JSON.parse(plan).ok), shape(wanted));
    const paths = ({ actions }) =>
      actions
        .filter((it) => it.target.kind === "Secret")
        .map((it) => [it.cluster, it.verb, (it.patch ?? []).map(({ op, path }) => `${op} ${path}`)]);
    assert.deepEqual(paths(JSON.parse(plan).ok), paths(wanted), "what differs is what differs");
    const contents = Object.fromEntries(
      paths(wanted).map(([cluster, , patch]) => [cluster, patch.some((it) => it.endsWith("/data/password"))]),
    );
    assert.equal(contents.tokyo, true, JSON.stringify(paths(wanted)));
    assert.ok(!contents.berlin, JSON.stringify(paths(wanted)));
    assert.equal(replay(fleet), plan);
    assert.equal(fleet.digest, wanted.digest);
    await server.stop();
  });

  test("a change on the hub and one in a member are told and shown", async () => {
    const server = await serve();
    const revisions = listen(server.port);
    await eventually(() => revisions.length === 1, { what: "the first event" });
    assert.equal(revisions[0], (await fleetOf(server)).revision);

    await plane.hub.patch("FederatedConfigMap/shop/settings", { spec: { template: { data: { currency: "CHF" } } } });
    const shown = async (file, part) =>
      (await fleetOf(server)).loads.some((it) => it.file === file && it.text.includes(part));
    await eventually(() => shown("hub/FederatedConfigMap.yaml", "CHF"), { what: "the document" });
    await eventually(() => revisions.length > 1, { what: "an event" });

    const told = revisions.length;
    await berlin.ensureNamespace("shop");
    await berlin.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: "shop" },
      data: { currency: "XXX" },
    });
    await eventually(() => shown("live/berlin/ConfigMap.yaml", "XXX"), { what: "the object in the member" });
    await eventually(() => revisions.length > told, { what: "an event" });
    await berlin.delete("ConfigMap/shop/settings");
    await eventually(async () => !(await shown("live/berlin/ConfigMap.yaml", "XXX")), {
      what: "the object being gone",
    });

    await plane.hub.delete("FederatedConfigMap/shop/settings");
    await eventually(async () => !(await shown("hub/FederatedConfigMap.yaml", "name: settings")), {
      what: "the document being gone",
    });
    const fleet = await fleetOf(server);
    assert.equal(replay(fleet), await call(server, { op: "plan", now: NOW }));
    assert.deepEqual(shape(JSON.parse(replay(fleet)).ok), shape(planOf(plane)));
    await server.stop();
  });

  test("a member that is down is unknown, and said to be", async () => {
    await tokyo.stop();
    try {
      const server = await serve();
      const fleet = await fleetOf(server);
      const lost = fleet.loads.find((it) => it.live === "tokyo");
      assert.equal(lost.unreachable, true);
      assert.ok(lost.reason);
      assert.ok(
        fleet.diagnostics.some((it) => it.severity === "warning" && it.message.includes("tokyo")),
        JSON.stringify(fleet.diagnostics),
      );
      assert.equal(replay(fleet), await call(server, { op: "plan", now: NOW }));
      await server.stop();
    } finally {
      await tokyo.start();
    }
  });

  test("a hub that goes away is shown as it was, and followed again when it is back", async () => {
    const server = await serve();
    const whole = await fleetOf(server);
    const hubOf = (fleet) => fleet.loads.filter((it) => it.file?.startsWith("hub/")).map((it) => it.file);
    // A member that was away may be found again meanwhile, so that only what is new counts.
    const known = new Set(whole.diagnostics.map((it) => it.message));
    const news = (fleet) => fleet.diagnostics.map((it) => it.message).filter((it) => !known.has(it));
    await plane.hub.stop();
    try {
      const told = await eventually(
        async () => {
          const fleet = await fleetOf(server);
          return news(fleet).length > 0 && fleet;
        },
        { timeout: 60_000, what: "the outage being told" },
      );
      assert.deepEqual(hubOf(told), hubOf(whole));
      assert.ok(JSON.parse(await call(server, { op: "clusters" })).ok);
    } finally {
      await plane.hub.start();
    }
    await plane.hub.patch("FederatedDeployment/shop/web", { metadata: { labels: { seen: "again" } } });
    const isBack = async () => {
      const fleet = await fleetOf(server);
      assert.deepEqual(news(fleet), []);
      return fleet.loads.some((it) => it.file === "hub/FederatedDeployment.yaml" && it.text.includes("again"));
    };
    await eventually(isBack, { timeout: 60_000, what: "the hub being followed again" });
    await server.stop();
  });

  test("nothing was written anywhere", async () => {
    for (const server of plane.servers)
      assert.deepEqual(await server.auditWrites({ user: "runner", since }), [], server.name);
  });
});

/** The revisions that a page hears of. */
function listen(port) {
  const revisions = [];
  get({ host: "127.0.0.1", port, path: "/v1/updates", headers: AUTHORIZATION }, (response) => {
    response.setEncoding("utf8").on("data", (text) => {
      for (const [, data] of text.matchAll(/^data: (.*)$/gm)) revisions.push(JSON.parse(data).revision);
    });
    response.on("error", () => {});
  }).on("error", () => {});
  return revisions;
}
