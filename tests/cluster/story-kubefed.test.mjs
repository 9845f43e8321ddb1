// Seed 003 on a hub and two real members: copies everywhere they belong, and what the members keep for themselves.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { command, planOf } from "./command.mjs";
import { eventually } from "./control-plane.mjs";
import { registerKubeFedCluster } from "./members.mjs";
import { startPlane, Story } from "./stories.mjs";

const ARGS = ["--dialect", "kubefed", "--max-deletes", "100", "--max-delete-percent", "100"];
const WEBHOOK = "ValidatingWebhookConfiguration/foo";
const CLUSTERS = { cluster1: "berlin", cluster2: "tokyo" };
const SERVICE = "FederatedService/shop/web";
const DEPLOYMENT = "FederatedDeployment/shop/web";
const TYPE_CONFIG = "FederatedTypeConfig/kube-federation-system";
const CA_BUNDLE = "stories/003-ca-bundle/corrected";

describe("kubefed", () => {
  let plane, berlin, tokyo;
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
    ({ berlin, tokyo } = plane.members);
  });
  after(() => plane?.stop());

  const statuses = async (ref) =>
    ((await plane.hub.get(ref)).status?.clusters ?? []).map((it) => [it.name, it.status].filter(Boolean).join(" "));

  const replaceAt = (ref, path, value) => plane.hub.patch(ref, [{ op: "replace", path, value }], { kind: "json" });

  test("the shop is in both members, and they keep what they gave out", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    const writes = await story.settle();
    assert.deepEqual(writes.filter((it) => /^(berlin|tokyo)/.test(it)).sort(), [
      "berlin: create deployments shop/web",
      "tokyo: create deployments shop/web",
      "tokyo: create services shop/web",
      "tokyo: delete configmaps shop/settings",
      "tokyo: patch namespaces shop",
    ]);
    const [ours, theirs] = await Promise.all([berlin, tokyo].map((it) => it.get("Deployment/shop/web")));
    assert.deepEqual([ours.spec.replicas, theirs.spec.replicas], [5, 2]);
    assert.deepEqual(ours.spec.template.spec.containers[0].args, ["--listen=:8080", "--cache=1Gi"]);
    assert.equal(theirs.spec.template.spec.containers[0].image, "registry.example.com/shop/web:2.5.0-rc1");
    const service = await berlin.get("Service/shop/web");
    assert.deepEqual([service.spec.clusterIP, service.spec.ports[0].nodePort], ["10.96.14.7", 31080]);
    assert.equal((await berlin.get("ConfigMap/shop/settings")).data.motd, "closed on Monday");
    assert.equal((await tokyo.get("Namespace/shop")).metadata.labels["kubefed.io/managed"], "true");
    assert.deepEqual(await statuses(SERVICE), ["berlin", "tokyo"]);
    assert.deepEqual(await statuses("FederatedConfigMap/shop/settings"), ["berlin", "lima ClusterNotReady"]);
    await story.expectQuiet();
  });

  test("drift is mended, and what is retained is nobody's drift", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    await berlin.patch("ConfigMap/shop/settings", { data: { motd: "closed on Tuesday", currency: "USD" } });
    assert.deepEqual(await story.settle(), ["berlin: patch configmaps shop/settings"]);
    assert.deepEqual((await berlin.get("ConfigMap/shop/settings")).data, {
      motd: "closed on Tuesday",
      currency: "EUR",
    });
    await berlin.patch("ConfigMap/shop/settings", { data: { motd: "open" } });
    assert.deepEqual(await story.settle(), []);
    await story.expectQuiet();
  });

  test("a port that gets another number stays one port, and keeps its node port", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    const { nodePort } = (await tokyo.get("Service/shop/web")).spec.ports[0];
    await plane.hub.patch(SERVICE, {
      spec: { template: { spec: { ports: [{ name: "http", port: 81, targetPort: 8080 }] } } },
    });
    await story.settle();
    // In berlin it was there before us, in tokyo we made it.
    for (const [member, given] of [
      [berlin, 31080],
      [tokyo, nodePort],
    ]) {
      const { ports } = (await member.get("Service/shop/web")).spec;
      assert.deepEqual(
        ports,
        [{ name: "http", protocol: "TCP", port: 81, targetPort: 8080, nodePort: given }],
        member.name,
      );
    }
    await story.expectQuiet();
  });

  test("an autoscaler that goes on writing keeps its replicas", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await plane.hub.patch(DEPLOYMENT, { spec: { retainReplicas: true, overrides: [] } });
    await story.settle();
    const autoscaler = keepWriting((turn) =>
      berlin.patch("Deployment/shop/web", { spec: { replicas: 6 + (turn % 3) } }, { user: "admin" }),
    );
    for (const image of ["2.4.2", "2.4.3", "2.4.4"]) {
      await replaceAt(
        DEPLOYMENT,
        "/spec/template/spec/template/spec/containers/0/image",
        `registry.example.com/shop/web:${image}`,
      );
      const isThere = async () =>
        (await berlin.get("Deployment/shop/web")).spec.template.spec.containers[0].image.endsWith(image);
      await eventually(isThere, { what: `${image} being in berlin` });
    }
    await autoscaler.reaches(5);
    const turns = await autoscaler.stop();
    assert.ok(turns > 3, `it had ${turns} turns`);
    await story.settle();
    assert.equal(
      (await berlin.get("Deployment/shop/web")).spec.replicas,
      6 + ((turns - 1) % 3),
      "the last word is the autoscaler's",
    );
    await story.expectQuiet();
  });

  test("an object that leaves a cluster goes there, and stays where it is not ours", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    await plane.hub.patch(SERVICE, { spec: { placement: { clusters: [{ name: "berlin" }] } } });
    assert.deepEqual(await story.settle(), ["tokyo: delete services shop/web"]);
    await plane.hub.patch(SERVICE, { spec: { placement: { clusters: [{ name: "berlin" }, { name: "tokyo" }] } } });
    await story.settle();
    // Both at once, or the label would be mended in between.
    await story.runner.stop();
    await tokyo.patch("Service/shop/web", { metadata: { labels: { "kubefed.io/managed": null } } });
    await plane.hub.patch(SERVICE, { spec: { placement: { clusters: [{ name: "berlin" }] } } });
    await story.runner.start();
    await story.settle();
    assert.ok(await tokyo.get("Service/shop/web"));
    await story.expectQuiet();
  });

  test("an empty placement deletes nothing", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    await plane.hub.patch(SERVICE, { spec: { placement: { clusters: [] } } });
    await story.settle();
    assert.ok((await berlin.get("Service/shop/web")) && (await tokyo.get("Service/shop/web")));
    await story.expectQuiet();
  });

  test("a federated object that goes takes its copies along, and then goes", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await plane.hub.delete("KubeFedCluster/kube-federation-system/lima");
    await plane.hub.patch(SERVICE, { metadata: { finalizers: ["kubefed.io/sync-controller"] } });
    await story.settle();
    await plane.hub.delete(SERVICE);
    const writes = await story.settle();
    const release = writes.findLastIndex((it) => it === "patch federatedservices shop/web");
    for (const member of ["berlin", "tokyo"]) {
      const deleted = writes.indexOf(`${member}: delete services shop/web`);
      assert.ok(deleted >= 0 && deleted < release, `${member} comes before the finalizer: ${writes.join(", ")}`);
    }
    assert.equal(await plane.hub.find(SERVICE), undefined);
    await story.expectQuiet();
  });

  test("a member that is away is caught up with, and nothing is deleted meanwhile", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    await tokyo.stop();
    const placement = { clusters: [{ name: "berlin" }, { name: "tokyo" }] };
    await plane.hub.patch("FederatedConfigMap/shop/settings", {
      spec: { template: { data: { currency: "CHF" } }, placement },
    });
    await eventually(async () => (await berlin.get("ConfigMap/shop/settings")).data.currency === "CHF", {
      what: "the change being in berlin",
    });
    await tokyo.start();
    const isThere = async () => (await tokyo.find("ConfigMap/shop/settings"))?.data.currency === "CHF";
    await eventually(isThere, { timeout: 60_000, what: "the change being in tokyo" });
    assert.ok((await tokyo.get("Deployment/shop/web")) && (await tokyo.get("Service/shop/web")));
    await story.expectQuiet();
  });

  test("a cluster that leaves keeps what it has, or takes its copies along where it is told to", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    const cluster = (name) => `KubeFedCluster/kube-federation-system/${name}`;
    await plane.hub.delete(cluster("berlin"));
    assert.deepEqual(
      (await story.settle()).filter((it) => it.startsWith("berlin")),
      [],
      "orphaned",
    );
    assert.ok(await berlin.find("Deployment/shop/web"));

    await plane.hub.patch(cluster("tokyo"), { metadata: { annotations: { "fleetfold.dev/leaving": "delete" } } });
    await story.settle();
    assert.deepEqual((await plane.hub.get(cluster("tokyo"))).metadata.finalizers, ["fleetfold.dev/leaving"]);
    // A namespace is protected, and holds up the rest until somebody says so.
    await tokyo.patch("Namespace/shop", { metadata: { annotations: { "fleetfold.dev/allow-delete": "true" } } });
    await plane.hub.delete(cluster("tokyo"));
    const left = (await story.settle()).filter((it) => it.startsWith("tokyo"));
    assert.deepEqual(left.sort(), [
      "tokyo: delete deployments shop/web",
      "tokyo: delete namespaces shop",
      "tokyo: delete services shop/web",
    ]);
    assert.equal(await tokyo.find("Deployment/shop/web"), undefined);
    const isGone = async () => {
      // Nobody finishes a namespace in a member that has no controllers.
      await tokyo.request("PUT", "/api/v1/namespaces/shop/finalize", {
        body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" }, spec: { finalizers: [] } },
      });
      return !(await plane.hub.find(cluster("tokyo")));
    };
    await eventually(isGone, {
      timeout: 60_000,
      interval: 500,
      what: "the cluster being gone once nothing is left there",
    });
  });

  test("a token that is refused stops one member, not the others", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    const labels = { region: "apac", tier: "staging" };
    await registerKubeFedCluster(plane.hub, tokyo, { labels, token: "expired" });
    // A Secret that changes is noticed when everything is looked at again; one that stops working, at once.
    await story.runner.reconcile();
    const since = new Date();
    await plane.hub.patch(SERVICE, { spec: { template: { spec: { selector: { app: "shop" } } } } });
    await eventually(async () => (await berlin.get("Service/shop/web")).spec.selector.app === "shop", {
      what: "the change being in berlin",
    });
    assert.deepEqual(
      (await tokyo.auditWrites({ since })).filter((it) => it.code < 400),
      [],
    );
    await registerKubeFedCluster(plane.hub, tokyo, { labels });
    const isThere = async () => (await tokyo.get("Service/shop/web")).spec.selector.app === "shop";
    await eventually(isThere, { timeout: 60_000, what: "the change being in tokyo" });
    await story.expectQuiet();
  });

  test("the bundle that a controller in the member fills in outlives every update", async () => {
    const story = await Story.begin(plane, CA_BUNDLE, { args: ARGS, members: CLUSTERS });
    assert.deepEqual((await story.settle()).filter((it) => /^(berlin|tokyo)/.test(it)).sort(), [
      "berlin: patch validatingwebhookconfigurations foo",
      "tokyo: patch validatingwebhookconfigurations foo",
    ]);
    const client = async (member) => (await member.get(WEBHOOK)).webhooks[0].clientConfig;
    for (const [member, bundle] of [
      [berlin, "Q0EgMQ=="],
      [tokyo, "Q0EgMg=="],
    ]) {
      assert.deepEqual(
        [(await client(member)).caBundle, (await client(member)).service.path],
        [bundle, "/validate-foo"],
      );
    }
    const injector = keepWriting((turn) => {
      const value = Buffer.from(`CA of turn ${turn}`).toString("base64");
      return berlin.patch(WEBHOOK, [{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value }], { kind: "json" });
    });
    for (const path of ["/one", "/two", "/three"]) {
      await replaceAt(
        "FederatedValidatingWebhookConfiguration/foo",
        "/spec/template/webhooks/0/clientConfig/service/path",
        path,
      );
      const isThere = async (member) => (await client(member)).service.path === path;
      await eventually(async () => (await isThere(berlin)) && (await isThere(tokyo)), {
        what: `${path} being everywhere`,
      });
    }
    const turns = await injector.stop();
    await story.settle();
    assert.equal(Buffer.from((await client(berlin)).caBundle, "base64").toString(), `CA of turn ${turns - 1}`);
    assert.equal((await client(tokyo)).caBundle, "Q0EgMg==");
    await story.expectQuiet();
  });

  test("without the rule a bundle that another manager wrote is removed, and with it it stays", async () => {
    const story = await Story.begin(plane, CA_BUNDLE, { args: ARGS, members: CLUSTERS });
    await story.settle();
    await story.runner.stop();
    const path = "/webhooks/0/clientConfig/caBundle";
    const config = `${TYPE_CONFIG}/validatingwebhookconfigurations.admissionregistration.k8s.io`;
    const bundle = async (member) => (await member.get(WEBHOOK)).webhooks[0].clientConfig.caBundle;
    const inject = (member, value) => member.patch(WEBHOOK, [{ op: "add", path, value }], { kind: "json" });
    const hub = ["--from-cluster", "--kubeconfig", plane.KUBECONFIG];
    const look = () => ({
      plan: planOf(plane, [], { contact: false }),
      preview: command(["preview", "FederatedValidatingWebhookConfiguration/foo", ...hub]).out,
    });
    for (const member of [berlin, tokyo]) await inject(member, "Q0EgMw==");

    const kept = look();
    assert.deepEqual(kept.plan.actions, [], "the rule keeps the value");
    const folder = mkdtempSync(join(tmpdir(), "fleetfold-rule-"));
    const written = await plane.hub.get(config);
    const rule = written.spec.retention;
    delete written.spec.retention;
    const file = join(folder, "type-config.json");
    writeFileSync(file, JSON.stringify(written));
    const whatIf = command(["what-if", ...hub, "--change", file]);
    rmSync(folder, { recursive: true });
    assert.equal(whatIf.code, 1, whatIf.err);
    assert.match(whatIf.out, /2 of \d+ clusters change/);

    await plane.hub.patch(config, { spec: { retention: null } });
    const removed = look();
    assert.deepEqual(
      removed.plan.actions.map((it) => [it.cluster, it.verb, it.patch.filter((it) => it.path === path)]),
      ["cluster1", "cluster2"].map((it) => [it, "patch", [{ op: "remove", path }]]),
    );
    assert.notEqual(removed.plan.digest, kept.plan.digest);
    assert.notEqual(removed.preview, kept.preview);
    await story.runner.start();
    assert.deepEqual((await story.settle()).sort(), [
      "berlin: patch validatingwebhookconfigurations foo",
      "tokyo: patch validatingwebhookconfigurations foo",
    ]);
    assert.deepEqual([await bundle(berlin), await bundle(tokyo)], [undefined, undefined]);

    await plane.hub.patch(config, { spec: { retention: rule } });
    await story.settle();
    await inject(berlin, "Q0EgNA==");
    assert.deepEqual(await story.settle(), []);
    assert.equal(await bundle(berlin), "Q0EgNA==");
    await story.expectQuiet();
  });

  test("the statuses of copies are collected in the federated object, or in an object of their own", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ARGS });
    await story.settle();
    const config = `${TYPE_CONFIG}/deployments.apps`;
    const report = async (member, status) => member.replaceStatus("Deployment/shop/web", status);
    await report(berlin, { observedGeneration: 1, replicas: 5, readyReplicas: 4 });
    await report(tokyo, { observedGeneration: 1, replicas: 2, readyReplicas: 2 });
    await plane.hub.patch(config, { spec: { statusCollection: "Enabled" } });
    await story.settle();
    // A cluster that cannot be reached has none.
    const ready = (clusters, field, name) =>
      clusters
        ?.filter((it) => it[field])
        .map((it) => `${it[name]} ${it[field].readyReplicas}`)
        .sort();
    const inField = async () => ready((await plane.hub.get(DEPLOYMENT)).status.clusters, "remoteStatus", "name");
    assert.deepEqual(await inField(), ["berlin 4", "tokyo 2"]);
    await report(berlin, { observedGeneration: 1, replicas: 5, readyReplicas: 5 });
    await eventually(async () => (await inField()).includes("berlin 5"), { what: "the new status being collected" });
    await story.expectQuiet();

    const names = { kind: "FederatedDeploymentStatus", plural: "federateddeploymentstatuses" };
    await plane.hub.define({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${names.plural}.types.kubefed.io` },
      spec: {
        group: "types.kubefed.io",
        names,
        scope: "Namespaced",
        versions: [
          {
            name: "v1beta1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    });
    const statusType = { group: "types.kubefed.io", version: "v1beta1", scope: "Namespaced" };
    await plane.hub.patch(config, {
      spec: { statusType: { ...statusType, kind: names.kind, pluralName: names.plural } },
    });
    const inObject = async () =>
      ready((await plane.hub.find(`${names.kind}/shop/web`))?.clusterStatus, "status", "clusterName");
    const isCollected = async () => (await inObject())?.join() === "berlin 5,tokyo 2";
    await eventually(isCollected, { timeout: 60_000, what: "the object with both statuses" });
    await report(tokyo, { observedGeneration: 1, replicas: 2, readyReplicas: 1 });
    await eventually(async () => (await inObject()).includes("tokyo 1"), { what: "the new status in the object" });
    await story.expectQuiet();
    // It waits for a cluster that cannot be reached, and the garbage collector must learn the kind.
    await plane.hub.delete("KubeFedCluster/kube-federation-system/lima");
    await plane.restartControllers();
    await plane.hub.delete(DEPLOYMENT);
    await eventually(async () => !(await plane.hub.find(`${names.kind}/shop/web`)), {
      timeout: 60_000,
      what: "the object going with the federated one",
    });
  });
});

/** Somebody else who writes five times a second until told to stop, which answers how often that was. */
function keepWriting(write) {
  let stopped = false;
  let turn = 0;
  const done = (async () => {
    while (!stopped) {
      await write(turn);
      turn += 1;
      await sleep(200);
    }
    return turn;
  })();
  return {
    /** Comes back when it has written so often. */
    async reaches(turns) {
      while (turn < turns) await sleep(50);
    },
    stop() {
      stopped = true;
      return done;
    },
  };
}
