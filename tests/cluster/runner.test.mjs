// What the runner promises whatever the dialect: it does what the plan says, once, and only while it may.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { command, planOf } from "./command.mjs";
import { eventually } from "./control-plane.mjs";
import { root } from "./documents.mjs";
import { applyFederatedSecret } from "./federated-secret.mjs";
import { condition, startPlane, Story } from "./stories.mjs";

const LIMITS = ["--max-deletes", "100", "--max-delete-percent", "100"];
const ARGS = ["--dialect", "kubefed", ...LIMITS];
const OWN = "FleetPlan/fleetfold";
const CANARY = "canary-9f1c3b7a";
const DIGEST_KEY = "digest-key-5c0f7a91";

describe("the runner", () => {
  let plane, berlin, tokyo;
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
    ({ berlin, tokyo } = plane.members);
  });
  after(() => plane?.stop());

  /** The documents of an example on the hub, with no runner yet. */
  const prepare = async (example = "kubefed") => {
    await plane.clear();
    const story = new Story(plane, {});
    await story.add(example);
    return story;
  };
  const done = (runner, digest) =>
    runner.logs
      .filter((it) => it.message.startsWith("done:") && it.digest === digest)
      .map((it) => it.action)
      .sort();
  const creates = async (since) => {
    const of = async (server) =>
      (await server.auditWrites({ user: "runner", since })).map((it) => ({ ...it, server: server.name }));
    const all = await Promise.all(plane.servers.map(of));
    return all.flat().filter((it) => it.verb === "create" && it.code < 300);
  };

  test("the plan that the command line shows and what the runner does are one list, digest for digest", async () => {
    await prepare();
    const plan = planOf(plane, LIMITS);
    assert.equal(plan.code, 1);
    assert.deepEqual(plan.needs, []);
    assert.ok(plan.actions.length >= 5, `${plan.actions.length} actions`);
    const runner = await plane.run({ args: LIMITS });
    await runner.reconcile();
    const first = await runner.waitForLog((it) => it.message.startsWith("plan:"), { what: "a plan" });
    assert.equal(first.digest, plan.digest);
    assert.deepEqual(done(runner, plan.digest), plan.actions.map((it) => it.id).sort());
    const after = planOf(plane, LIMITS);
    assert.deepEqual([after.code, after.actions.length], [0, 0]);
    assert.match(
      command(["preview", "--from-cluster", "--contact-members", "--kubeconfig", plane.KUBECONFIG]).out,
      /FederatedDeployment\/shop\/web/,
    );
  });

  test("a plan is applied as it was seen, and refused when it is another one", async () => {
    await prepare();
    const file = join(plane.folder, "plan.json");
    const hub = ["--kubeconfig", plane.KUBECONFIG, "--contact-members"];
    assert.equal(command(["plan", "--from-cluster", ...hub, ...LIMITS, "-o", file]).code, 1);
    const seen = JSON.parse(readFileSync(file, "utf8"));

    const tried = command(["apply", file, ...hub, ...LIMITS, "--dry-run=server"]);
    assert.match(tried.out, /by the servers alone/);
    assert.equal(await berlin.find("Deployment/shop/web"), undefined, "a dry run created");
    assert.ok(await tokyo.find("ConfigMap/shop/settings"), "a dry run deleted");

    await plane.hub.patch("FederatedConfigMap/shop/settings", { spec: { template: { data: { currency: "CHF" } } } });
    const refused = command(["apply", file, ...hub, ...LIMITS]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /the plan has changed/);
    assert.match(refused.out, /settings/);
    assert.equal(await berlin.find("Deployment/shop/web"), undefined, "nothing is done of a plan that is another one");

    assert.equal(command(["plan", "--from-cluster", ...hub, ...LIMITS, "-o", file]).code, 1);
    const changed = JSON.parse(readFileSync(file, "utf8"));
    const applied = command(["apply", file, ...hub, ...LIMITS]);
    assert.equal(applied.code, 0, applied.out + applied.err);
    assert.match(applied.out, new RegExp(`${changed.actions.length} done, 0 not done`));
    // The edited template changes one more copy.
    assert.equal(changed.actions.length, seen.actions.length + 1);
    assert.notEqual(changed.digest, seen.digest);
    assert.equal(planOf(plane, LIMITS).code, 0);
  });

  test("small applies count as one large one, and nothing is applied while FleetPlans cannot be read", async () => {
    await prepare();
    const names = ["a", "b", "c", "d"];
    for (const name of names)
      await plane.hub.apply({
        apiVersion: "types.kubefed.io/v1beta1",
        kind: "FederatedConfigMap",
        metadata: { name, namespace: "shop" },
        spec: {
          template: { data: { key: name } },
          placement: { clusters: [{ name: "berlin" }, { name: "tokyo" }] },
        },
      });
    const file = join(plane.folder, "small.json");
    const hub = ["--kubeconfig", plane.KUBECONFIG, "--contact-members"];
    const apply = (...limits) => {
      assert.ok(command(["plan", "--from-cluster", ...hub, ...limits, "-o", file]).code < 2);
      return command(["apply", file, ...hub, ...limits]);
    };
    const recent = async () =>
      ((await plane.hub.find(OWN))?.status?.recentDeletes ?? []).reduce((sum, it) => sum + it.objects, 0);
    const copy = (name) => berlin.find(`ConfigMap/shop/${name}`);
    const leaveBerlin = (name) =>
      plane.hub.patch(`FederatedConfigMap/shop/${name}`, { spec: { placement: { clusters: [{ name: "tokyo" }] } } });
    const limits = ["--max-deletes", "3", "--max-delete-percent", "100"];

    // The example has a copy too many, which counts as well. There is no FleetPlan before.
    assert.equal(await plane.hub.find(OWN), undefined);
    const first = apply(...limits);
    assert.equal(first.code, 0, first.out + first.err);
    assert.equal(await recent(), 1);
    for (const name of ["a", "b"]) {
      await leaveBerlin(name);
      const applied = apply(...limits);
      assert.equal(applied.code, 0, applied.out + applied.err);
      assert.equal(await copy(name), undefined);
    }
    assert.equal(await recent(), 3);
    await leaveBerlin("c");
    assert.match(apply(...limits).out, /0 done, 0 not done, 1 held/);
    assert.ok(await copy("c"), "each apply counted by itself");
    assert.equal(await recent(), 3);

    // A user who may not read FleetPlans does not know how much of the budget is left.
    const elsewhere = ["", "apps", "batch", "core.kubefed.io", "types.kubefed.io"];
    await plane.hub.apply([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "no-fleet-plans" },
        rules: [{ apiGroups: elsewhere, resources: ["*"], verbs: ["*"] }],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "no-fleet-plans" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "qa" }],
        roleRef: { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name: "no-fleet-plans" },
      },
    ]);
    const refused = command(["apply", file, "--kubeconfig", plane.hub.kubeconfig("qa"), "--contact-members"]);
    assert.equal(refused.code, 2, refused.out + refused.err);
    assert.match(refused.err, /nothing is applied, because FleetPlans cannot be read: .*fleetplans/);

    // A server-side dry run takes nothing, and a window that is over frees the budget.
    const later = [...limits, "--delete-window", "1s"];
    assert.ok(command(["plan", "--from-cluster", ...hub, ...later, "-o", file]).code < 2);
    assert.match(command(["apply", file, ...hub, ...later, "--dry-run=server"]).out, /1 done by the servers alone/);
    assert.equal(await recent(), 3);
    assert.ok(await copy("c"), "a dry run deleted");
    assert.match(apply(...later).out, /1 done, 0 not done, 0 held/);
    assert.equal(await copy("c"), undefined);
  });

  test("a plan waits until its digest is approved, and for that plan alone", async () => {
    await prepare();
    const runner = await plane.run({ args: [...ARGS, "--require-approval"] });
    await runner.reconcile();
    const waiting = async () => {
      const own = await plane.hub.find(OWN);
      return own && condition(own, "Approved")?.startsWith("False") && own;
    };
    const own = await eventually(waiting, { what: "the plan waiting" });
    assert.equal(await berlin.find("Deployment/shop/web"), undefined);
    const approve = (digest) => command(["approve", digest, "--kubeconfig", plane.KUBECONFIG]);
    const wrong = approve("sha256:00");
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, new RegExp(own.status.digest));
    assert.equal(approve(own.status.digest).code, 0);
    await eventually(async () => condition(await plane.hub.get(OWN), "Ready")?.startsWith("True"), {
      what: "the approved plan being done",
    });
    assert.ok(await berlin.find("Deployment/shop/web"));
    await eventually(async () => !(await plane.hub.get(OWN)).metadata.annotations?.["fleetfold.dev/approved"], {
      what: "the approval being used up",
    });

    await berlin.delete("Deployment/shop/web");
    await eventually(waiting, { what: "the drift waiting for approval" });
    await runner.reconcile();
    assert.equal(await berlin.find("Deployment/shop/web"), undefined, "an approval is not for ever");
    assert.match(
      (await plane.hub.kubectl(["wait", "fleetplan/fleetfold", "--for=condition=Approved=false", "--timeout=5s"]))
        .stdout ?? "condition met",
      /condition met/,
    );
  });

  test("a dry run says what it would do, and writes nothing at all", async () => {
    await prepare();
    const since = new Date();
    const runner = await plane.run({ args: [...ARGS, "--dry-run", "--contact-members", "--log-level", "debug"] });
    await runner.reconcile();
    assert.ok(runner.logs.some((it) => it.message.startsWith("would create Deployment/shop/web")));
    for (const server of plane.servers) assert.deepEqual(await server.auditWrites({ user: "runner", since }), []);
    await runner.stop();
  });

  test("when the leader is killed the other takes over, and nothing is done twice", async () => {
    await prepare();
    await plane.hub.ensureNamespace("runners");
    const since = new Date();
    const args = [...ARGS, "--leader-elect", "--lease-namespace", "runners"];
    const leader = await plane.run({ args, env: { POD_NAME: "one" } });
    await leader.waitForLog((it) => it.leads === true, { what: "the first one leading" });
    await eventually(() => berlin.find("Deployment/shop/web"), { what: "the first one working" });
    const second = await plane.run({ args, env: { POD_NAME: "two" } });
    assert.equal((await plane.hub.get("Lease/runners/fleetfold")).spec.holderIdentity, "one");
    await leader.kill();
    await plane.hub.patch("FederatedConfigMap/shop/settings", { spec: { template: { data: { currency: "CHF" } } } });
    await second.waitForLog((it) => it.leads === true, {
      timeout: 40_000,
      what: "the second one leading",
    });
    await eventually(async () => (await berlin.find("ConfigMap/shop/settings"))?.data.currency === "CHF", {
      what: "the second one working",
    });
    const made = (await creates(since)).map((it) => `${it.server} ${it.resource} ${it.namespace}/${it.name}`);
    assert.equal(new Set(made).size, made.length, made.join("\n"));
    await second.stop();
    assert.equal(
      (await plane.hub.get("Lease/runners/fleetfold")).spec.holderIdentity,
      "",
      "a runner that stops lets go",
    );
  });

  test("a member that is down holds up no other, loses nothing, and catches up", async () => {
    await prepare();
    await tokyo.stop();
    const since = new Date();
    const runner = await plane.run({ args: ARGS });
    try {
      await eventually(() => berlin.find("Deployment/shop/web"), { timeout: 30_000, what: "berlin having everything" });
      await runner.reconcile();
      const own = await eventually(
        async () => {
          const own = await plane.hub.find(OWN);
          return own && condition(own, "ClustersReachable")?.startsWith("False") && own;
        },
        { what: "the condition" },
      );
      const told = own.status.conditions.find((it) => it.type === "ClustersReachable").message;
      assert.match(told, /tokyo/);
      assert.ok(runner.logs.some((it) => it.level === "WARN" && it.cluster === "tokyo" && it.hint));
      const federated = await plane.hub.get("FederatedDeployment/shop/web");
      assert.deepEqual(federated.status.clusters, [
        { name: "berlin" },
        { name: "lima", status: "ClusterNotReady" },
        { name: "tokyo", status: "ClusterNotReady" },
      ]);
      for (const server of [plane.hub, berlin]) {
        assert.deepEqual(
          (await server.auditWrites({ user: "runner", since })).filter((it) => it.verb === "delete"),
          [],
        );
      }
      // Off the list: with the member away this must not delete it there, now or later.
      await plane.hub.patch("FederatedConfigMap/shop/settings", { spec: { template: { data: { currency: "CHF" } } } });
      await eventually(async () => (await berlin.get("ConfigMap/shop/settings")).data.currency === "CHF", {
        what: "berlin following",
      });
    } finally {
      await tokyo.start();
    }
    await eventually(() => tokyo.find("Deployment/shop/web"), { timeout: 90_000, what: "tokyo catching up" });
    await eventually(async () => condition(await plane.hub.get(OWN), "ClustersReachable")?.startsWith("True"), {
      timeout: 30_000,
      what: "the condition being lifted",
    });
  });

  test("a record replays offline, byte for byte, and holds the digest key nowhere", async () => {
    await prepare();
    await applyFederatedSecret(plane, { password: CANARY, clusters: ["berlin"] });
    const file = join(plane.folder, "record.jsonl");
    const keyFile = join(plane.folder, "digest-key");
    writeFileSync(keyFile, `${DIGEST_KEY}\n`);
    const keyed = ["--digest-key-file", keyFile];

    // Whoever has the key sees the digest that waits for approval, and nobody else does.
    const asks = await plane.run({ args: [...ARGS, ...keyed, "--require-approval"] });
    const waits = await eventually(
      async () => {
        const own = await plane.hub.find(OWN);
        return own && condition(own, "Approved")?.startsWith("False") && own.status.digest;
      },
      { what: "the plan waiting" },
    );
    const shown = (args) => planOf(plane, [...LIMITS, ...args]);
    assert.equal(shown(keyed).digest, waits);
    assert.notEqual(shown([]).digest, waits);
    assert.equal(command(["approve", waits, "--kubeconfig", plane.KUBECONFIG]).code, 0);
    await eventually(() => berlin.find("Secret/shop/db"), { what: "the approved secret being there" });
    await asks.stop();
    await berlin.delete("Secret/shop/db");

    const runner = await plane.run({ args: [...ARGS, ...keyed, "--record", file, "--log-level", "debug"] });
    await eventually(() => berlin.find("Secret/shop/db"), { what: "the secret being there" });
    await runner.reconcile();
    const metrics = (await runner.request("GET", "/metrics")).body;
    await runner.stop();
    assert.equal(statSync(file).mode & 0o777, 0o600, "for the owner alone");
    const replayed = command(["run", "--replay", file, ...keyed]);
    assert.equal(replayed.code, 0, replayed.out + replayed.err);
    assert.ok(!readFileSync(file, "utf8").includes(DIGEST_KEY), "the key is recorded");
    const unkeyed = command(["run", "--replay", file]);
    assert.equal(unkeyed.code, 1);
    assert.match(unkeyed.out, /recorded with a digest key/);
    assert.match(replayed.out, /\d+ requests, 0 answers differ/);
    const encoded = Buffer.from(CANARY).toString("base64");
    const said = [
      JSON.stringify(runner.logs),
      metrics,
      replayed.out,
      JSON.stringify(await plane.hub.find(OWN)),
      JSON.stringify(planOf(plane, [...LIMITS, ...keyed])),
      JSON.stringify(await plane.hub.list("Event.events.k8s.io")),
    ];
    for (const text of said)
      for (const secret of [CANARY, encoded, DIGEST_KEY]) assert.ok(!text.includes(secret), "a secret is told");
    assert.equal(
      command(["run", "--record", file, "--kubeconfig", plane.KUBECONFIG]).code,
      2,
      "a record is never overwritten",
    );
  });

  test("two engines are compared, and the second one never acts", async () => {
    await prepare();
    const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
    const own = readFileSync(join(target, "fleetfold.wasm"));
    // Another engine: it records what it applied under another name.
    const other = join(plane.folder, "other.wasm");
    const changed = Buffer.from(
      own.toString("latin1").replaceAll("fleetfold.dev/applied", "fleetfold.dev/appiled"),
      "latin1",
    );
    assert.notDeepEqual(changed, own);
    writeFileSync(other, changed);
    const hub = ["--from-cluster", "--contact-members", "--kubeconfig", plane.KUBECONFIG];
    assert.equal(command(["compare", "builtin", "builtin", ...hub]).code, 0);
    const compared = command(["compare", "builtin", other, ...hub]);
    assert.equal(compared.code, 1, compared.err);
    assert.match(compared.out, /appiled/);
    assert.match(compared.out, /berlin/);

    const runner = await plane.run({ args: [...ARGS, "--shadow", other] });
    await eventually(async () => (await runner.metric("fleetfold_shadow_differing_plans_total")) > 0, {
      what: "the metric",
    });
    await eventually(() => berlin.find("Deployment/shop/web"), { what: "the work being done" });
    const { annotations } = (await berlin.get("Deployment/shop/web")).metadata;
    assert.ok(annotations["fleetfold.dev/applied"]);
    assert.equal(annotations["fleetfold.dev/appiled"], undefined, "the shadow does not act");
    const sha256 = (bytes) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const { module: builtin } = JSON.parse(command(["version", "-o", "json"]).out);
    const engine = async () => (await plane.hub.get(OWN)).status?.engineDigest;
    await eventually(async () => (await engine()) === builtin, { what: "the engine being pinned" });
    await runner.stop();

    const pinned = await plane.run({ args: [...ARGS, "--module", other] });
    await plane.hub.patch("FederatedConfigMap/shop/settings", { spec: { template: { data: { currency: "CHF" } } } });
    await eventually(
      async () => (await berlin.get("ConfigMap/shop/settings")).metadata.annotations["fleetfold.dev/appiled"],
      { what: "the pinned engine acting" },
    );
    await eventually(async () => (await engine()) === sha256(changed), { what: "the other engine being pinned" });
    const changes = async () =>
      (await plane.hub.list("Event.events.k8s.io")).filter((it) => it.reason === "EngineChanged");
    const [change] = await eventually(async () => (await changes()).length > 0 && changes(), { what: "the event" });
    assert.equal(change.regarding.kind, "FleetPlan");
    for (const it of [builtin, sha256(changed)]) assert.ok(change.note.includes(it), change.note);
    assert.ok(pinned.logs.some((it) => it.reason === "EngineChanged"));
    await pinned.reconcile();
    await pinned.stop();
    // The same engine again is no change.
    const same = await plane.run({ args: [...ARGS, "--module", other] });
    await same.reconcile();
    assert.equal((await changes()).length, 1);
    await same.stop();
  });

  test("kubectl finds it as a plugin", async () => {
    await prepare();
    const folder = join(plane.folder, "bin");
    const { mkdirSync, symlinkSync } = await import("node:fs");
    mkdirSync(folder, { recursive: true });
    const { fleetfold } = await import("./runner.mjs");
    if (!existsSync(join(folder, "kubectl-fleetfold"))) symlinkSync(fleetfold, join(folder, "kubectl-fleetfold"));
    const { spawnSync } = await import("node:child_process");
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}`, KUBECONFIG: plane.KUBECONFIG };
    const { status, stdout } = spawnSync(
      plane.shared.tools.kubectl,
      ["fleetfold", "plan", "--from-cluster", "--contact-members", "-o", "name"],
      { env, encoding: "utf8" },
    );
    assert.equal(status, 1);
    assert.match(stdout, /Deployment\/shop\/web/);
  });

  test("every transition is told by one event, and none by a reconcile", async () => {
    await prepare();
    const runner = await plane.run({ args: ARGS });
    await runner.reconcile();
    const about = async (kind) =>
      (await plane.hub.list("Event.events.k8s.io")).filter(
        (it) => it.regarding?.kind === kind && it.reportingController === "fleetfold.dev/runner",
      );
    const told = await eventually(
      async () => {
        const found = await about("FederatedDeployment");
        return found.length > 0 && found;
      },
      { what: "an event about the federated object" },
    );
    for (const event of told)
      assert.ok(event.reason && event.note && ["Normal", "Warning"].includes(event.type), JSON.stringify(event));
    await runner.reconcile();
    const count = (await plane.hub.list("Event.events.k8s.io")).length;
    for (let round = 0; round < 5; round += 1) await runner.reconcile();
    assert.equal((await plane.hub.list("Event.events.k8s.io")).length, count);
    await runner.stop();
  });

  test("a graceful stop ends what runs, and metrics and health are told meanwhile", async () => {
    await prepare();
    const runner = await plane.run({ args: ARGS });
    await runner.reconcile();
    for (const path of ["/healthz", "/readyz"]) assert.equal((await runner.request("GET", path)).code, 200);
    assert.ok((await runner.metric("fleetfold_actions_total")) > 0);
    assert.equal(await runner.metric("fleetfold_leads"), 1);
    await runner.stop();
    await sleep(0);
  });
});
