// Tests the harness: servers, users, owners and writes must behave as the other suites assume.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ControlPlane, eventually, expectQuiet } from "./control-plane.mjs";
import { releaseOf } from "./tools.mjs";

let plane;
before(async () => {
  plane = await ControlPlane.start({ members: ["berlin", "tokyo"] });
});
after(() => plane?.stop());

const configMap = (name, { metadata, data = {} } = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default", ...metadata },
  data,
});

test("the servers are of the version that was chosen", async () => {
  for (const server of plane.servers) {
    assert.equal((await server.send("GET", "/version")).gitVersion, releaseOf(), server.name);
  }
  console.log(`the servers are Kubernetes ${releaseOf()}`);
});

test("three servers run, each with its own data", async () => {
  assert.deepEqual(
    plane.servers.map((it) => it.name),
    ["hub", "berlin", "tokyo"],
  );
  await Promise.all(plane.servers.map((it) => it.create(configMap("here", { data: { cluster: it.name } }))));
  for (const server of plane.servers) {
    assert.equal((await server.get("ConfigMap/default/here")).data.cluster, server.name);
    assert.equal((await server.list("ConfigMap/default")).filter((it) => it.metadata.name === "here").length, 1);
  }
  assert.match(await plane.hub.kubectl(["get", "configmap", "here", "-o", "name"]), /^configmap\/here$/m);
});

test("a user without rights is refused, and one with rights is not", async () => {
  await assert.rejects(plane.hub.get("ConfigMap/default/here", { user: "eve" }), { code: 403, reason: "Forbidden" });
  await assert.rejects(
    plane.hub.request("GET", "/api/v1/namespaces", { token: "wrong" }).then(({ code }) => assert.equal(code, 200)),
    /401/,
  );
  await plane.hub.grant("dev", "view");
  await eventually(() => plane.hub.get("ConfigMap/default/here", { user: "dev" }), {
    what: "dev being allowed to look",
  });
  await assert.rejects(plane.hub.create(configMap("of-dev"), { user: "dev" }), { code: 403 });
});

test("the garbage collector deletes an object whose owner went", async () => {
  await plane.hub.define(definition("example.test", "v1", "Owner", "owners"));
  await plane.restartControllers();
  const owners = [];
  for (const name of ["first", "second"]) {
    const [owner] = await plane.hub.apply({
      apiVersion: "example.test/v1",
      kind: "Owner",
      metadata: { name, namespace: "default" },
      status: { made: "yes" },
    });
    assert.equal(owner.status.made, "yes", "the status went through its subresource");
    owners.push({ apiVersion: "example.test/v1", kind: "Owner", name, uid: owner.metadata.uid });
  }
  await plane.hub.create(configMap("of-one", { metadata: { ownerReferences: owners.slice(0, 1) } }));
  await plane.hub.create(configMap("of-both", { metadata: { ownerReferences: owners } }));
  await plane.hub.delete("Owner/default/first");
  await eventually(async () => !(await plane.hub.find("ConfigMap/default/of-one")), {
    timeout: 60_000,
    what: "the owned object going",
  });
  const left = await eventually(
    async () => {
      const object = await plane.hub.get("ConfigMap/default/of-both");
      return object.metadata.ownerReferences.length === 1 && object;
    },
    { what: "the owner that went being taken off" },
  );
  assert.equal(left.metadata.ownerReferences[0].name, "second");
  const collected = (await plane.hub.auditWrites()).filter(
    (it) => it.userAgent.startsWith("kube-controller-manager/") && it.resource === "configmaps",
  );
  assert.deepEqual(collected.map((it) => `${it.verb} ${it.name}`).sort(), ["delete of-one", "patch of-both"]);
});

test("the audit log counts the writes that were made, and nothing else", async () => {
  const since = new Date();
  const mine = { user: "runner" };
  await plane.members.berlin.create(configMap("counted"), mine);
  await plane.members.berlin.get("ConfigMap/default/counted", mine);
  await plane.members.berlin.patch("ConfigMap/default/counted", { data: { a: "b" } }, mine);
  await assert.rejects(plane.members.berlin.create(configMap("counted"), mine), { code: 409 });
  await plane.members.berlin.send("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", {
    ...mine,
    body: configMap("tried"),
  });
  await plane.members.berlin.create(
    { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "mine", namespace: "default" } },
    mine,
  );
  await plane.members.berlin.delete("ConfigMap/default/counted", mine);
  await plane.members.berlin.create(configMap("of-somebody-else"));
  const writes = await plane.members.berlin.auditWrites({ ...mine, since });
  assert.deepEqual(
    writes.map((it) => `${it.verb} ${it.resource} ${it.namespace}/${it.name} ${it.code}`),
    [
      "create configmaps default/counted 201",
      "patch configmaps default/counted 200",
      "create configmaps default/counted 409",
      "delete configmaps default/counted 200",
    ],
  );
  assert.ok(writes.every((it) => it.userAgent === "fleetfold-test/runner" && it.time >= since));
  assert.deepEqual(await plane.members.tokyo.auditWrites({ ...mine, since }), []);
  assert.equal((await plane.members.berlin.auditWrites({ ...mine, since, dryRun: true })).length, 1);
});

test("who writes in a settled fleet is caught, in whichever cluster and however seldom", async () => {
  const runner = (write) => {
    let round = 0;
    return { user: "runner", stop() {}, start() {}, reconcile: () => write((round += 1)) };
  };
  await expectQuiet(
    plane,
    runner(() => plane.hub.list("ConfigMap/default", { user: "runner" })),
  );
  const seventh = runner(
    (round) => round === 7 && plane.members.tokyo.patch("ConfigMap/default/here", { data: {} }, { user: "runner" }),
  );
  await assert.rejects(
    expectQuiet(plane, seventh),
    /20 further reconciles must not write to tokyo[^]*patch configmaps default\/here 200/,
  );
  const restarted = runner(
    (round) => round === 21 && plane.hub.patch("ConfigMap/default/here", { data: {} }, { user: "runner" }),
  );
  await assert.rejects(expectQuiet(plane, restarted), /a restart must not write to hub/);
});

test("a member that was away comes back with its data", async () => {
  const { tokyo } = plane.members;
  const before = await tokyo.get("ConfigMap/default/here");
  const { port, ca } = tokyo;
  await tokyo.stop();
  await assert.rejects(tokyo.get("ConfigMap/default/here"), /ECONNREFUSED/);
  await plane.hub.get("ConfigMap/default/here");
  await tokyo.start();
  assert.deepEqual([tokyo.port, tokyo.ca], [port, ca]);
  assert.deepEqual(await tokyo.get("ConfigMap/default/here"), before);
});

test("what a story leaves behind can be cleared", async () => {
  await plane.hub.create(configMap("held", { metadata: { finalizers: ["example.test/for-ever"] } }));
  await plane.members.tokyo.ensureNamespace("of-a-story");
  await plane.members.tokyo.create(
    configMap("inside", { metadata: { namespace: "of-a-story", finalizers: ["example.test/for-ever"] } }),
  );
  await plane.clear();
  assert.equal(await plane.hub.find("ConfigMap/default/held"), undefined);
  assert.equal(await plane.hub.find("CustomResourceDefinition/owners.example.test"), undefined);
  assert.equal(await plane.members.tokyo.find("Namespace/of-a-story"), undefined);
  assert.ok(await plane.hub.get("ClusterRole/cluster-admin"), "what was there before stays");
});

function definition(group, version, kind, plural, scope = "Namespaced") {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: anything },
        },
      ],
    },
  };
}
