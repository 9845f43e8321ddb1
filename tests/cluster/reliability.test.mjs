// Everything that can come between the runner and its servers, and what must come out all the same: the state that a run
// without faults reaches, nothing made twice, nothing deleted that nobody asked to delete.
//
// The runner talks to real servers through proxies that do the damage (fault-proxy.mjs). What is compared was read from
// the servers themselves.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./control-plane.mjs";
import { readExample } from "./documents.mjs";
import * as fault from "./fault-proxy.mjs";
import { FaultProxy, eventOf, listOf, read, watchOf, write } from "./fault-proxy.mjs";
import { registerKubeFedCluster } from "./members.mjs";
import { startPlane } from "./stories.mjs";

const NO_LIMITS = ["--max-deletes", "100", "--max-delete-percent", "100"];
const KUBEFED = ["--dialect", "kubefed", ...NO_LIMITS];
const MANAGED = { "kubefed.io/managed": "true" };
const CLUSTERS = { berlin: { region: "eu" }, tokyo: { region: "apac" } };
const SETTINGS = "FederatedConfigMap/shop/settings";
const COPY = "ConfigMap/shop/settings";
const OWN = "FleetPlan/fleetfold";

describe("reliability", () => {
  let plane, hub, berlin, tokyo, proxies, runner;
  before(async () => {
    plane = await startPlane({ members: Object.keys(CLUSTERS) });
    ({ hub } = plane);
    ({ berlin, tokyo } = plane.members);
    const started = await Promise.all(plane.servers.map((it) => FaultProxy.start(it)));
    proxies = Object.fromEntries(started.map((it) => [it.name, it]));
  });
  after(async () => {
    await plane?.stop();
    await Promise.all(Object.values(proxies ?? {}).map((it) => it.stop()));
  });
  afterEach(() => Object.values(proxies).forEach((it) => it.heal()));

  const all = () => Object.values(proxies);

  // What the runner wrote, as the proxies saw it arrive.

  /** A moment, to ask later what was written since. */
  const mark = () => all().map((it) => it.journal.length);
  const since = (marked) => all().flatMap((it, index) => it.journal.slice(marked[index])).filter((it) => it.isWrite);
  const happened = (it) => it.code >= 200 && it.code < 300;
  const keys = (writes) => writes.map((it) => it.key).sort();
  const deletes = (marked) => keys(since(marked).filter((it) => it.method === "DELETE" && happened(it)));
  const creates = (marked) => keys(since(marked).filter((it) => it.method === "POST" && happened(it)));

  /** Starts `fleetfold run` through the proxies; without `ready` it may be dead before it is. */
  const run = (args = KUBEFED, options = {}) => plane.run({ args, kubeconfig: proxies.hub.kubeconfig("runner"), ...options });

  /** Reconciles until a round writes nothing and the runner says that all is well; answers what it says otherwise. */
  const settle = async ({ ready = true, timeout = 40_000 } = {}) => {
    let told;
    const isSettled = async () => {
      const marked = mark();
      await runner.reconcile();
      told = (await hub.find(OWN))?.status?.conditions ?? [];
      const writes = since(marked);
      if (writes.length > 0) return (told = keys(writes)) && false;
      return !ready || told.some((it) => it.type === "Ready" && it.status === "True");
    };
    await eventually(isSettled, { timeout, interval: 50, what: "the fleet being settled" }).catch((error) => {
      const wrong = told?.filter((it) => typeof it === "string" || it.status === "False");
      throw new Error(`${error.message}\n${JSON.stringify(wrong, null, 1)}\n${runner.lastWords()}`);
    });
  };

  /** All that matters in all clusters, without what is another each time. `value` is what a test wrote last. */
  const state = async (value) => {
    const kinds = { hub: ["FederatedConfigMap", "FederatedNamespace", "KubeFedCluster", "FleetPlan"], berlin: ["ConfigMap/shop"], tokyo: ["ConfigMap/shop"] };
    const found = {};
    for (const server of plane.servers) {
      const lists = await Promise.all(kinds[server.name].map((it) => server.list(it)));
      for (const object of lists.flat()) found[`${server.name} ${object.kind}/${object.metadata.name}`] = masked(object);
      if (server !== hub) found[`${server.name} Namespace/shop`] = masked(await server.get("Namespace/shop"));
    }
    const text = JSON.stringify(found);
    return JSON.parse(value === undefined ? text : text.replaceAll(value, "the value"));
  };

  const configMap = (name, data, extra = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "shop", labels: MANAGED }, data, ...extra });
  const federated = (name, data, clusters, metadata = {}) => ({
    apiVersion: "types.kubefed.io/v1beta1",
    kind: "FederatedConfigMap",
    metadata: { name, namespace: "shop", ...metadata },
    spec: { template: { data }, placement: { clusters: clusters.map((name) => ({ name })) } },
  });
  const federatedNamespace = { apiVersion: "types.kubefed.io/v1beta1", kind: "FederatedNamespace", metadata: { name: "shop", namespace: "shop" }, spec: { placement: { clusters: [{ name: "berlin" }, { name: "tokyo" }] } } };

  /** The kinds, the clusters and the namespaces: what no run changes for good. */
  const found = async () => {
    await plane.clear();
    await hub.apply(readExample("kubefed", { only: (it) => it === "types.yaml" }).documents);
    await hub.apply(readExample("kubefed", { only: (it) => it === "control-plane.yaml" }).documents.filter((it) => it.kind === "KubeFedConfig"));
    for (const [name, labels] of Object.entries(CLUSTERS)) await registerKubeFedCluster(hub, proxies[name], { labels });
    await Promise.all(plane.servers.map((it) => it.ensureNamespace("shop")));
  };

  /** Ends the runner and takes everything of the shop away, faster than `plane.clear`. */
  const empty = async () => {
    await Promise.all([...plane.runners].map((it) => it.kill()));
    plane.runners.clear();
    all().forEach((it) => it.heal());
    await Promise.all(all().map((it) => it.drained()));
    for (const object of (await Promise.all(["FederatedConfigMap", "FederatedNamespace", "FleetPlan"].map((it) => hub.list(it)))).flat()) {
      if (object.metadata.finalizers) await hub.patch(object, { metadata: { finalizers: null } }).catch(() => {});
      await hub.delete(object);
    }
    for (const server of [berlin, tokyo]) {
      await server.delete("/api/v1/namespaces/shop/configmaps");
      await server.patch("Namespace/shop", { metadata: { labels: { "kubefed.io/managed": null }, annotations: null } });
    }
  };

  test("a crash at any write, before it, before its answer or after it, changes nothing about the end", async (t) => {
    /** Creates, patches, deletes, a finalizer that goes last, and statuses: on the hub and in both members. */
    const begin = async () => {
      await empty();
      await tokyo.apply(configMap("settings", { currency: "JPY" }));
      await berlin.apply([configMap("settings", { currency: "USD" }), configMap("old", { a: "b" })]);
      await hub.apply([
        federated("settings", { currency: "EUR" }, ["berlin"]),
        federated("prices", { bread: "2" }, ["berlin", "tokyo"]),
        federated("old", { a: "b" }, ["berlin"], { finalizers: ["kubefed.io/sync-controller"] }),
        federatedNamespace,
      ]);
      await hub.delete("FederatedConfigMap/shop/old");
    };
    await found();

    await begin();
    let marked = mark();
    runner = await run();
    await settle();
    const wanted = await state();
    const learnt = since(marked);
    const [made, gone] = [creates(marked), deletes(marked)];
    assert.equal(made.length, 3, made.join("\n"));
    assert.equal(gone.length, 2, gone.join("\n"));
    // The same path may be written several times: its status before and after, say.
    const points = learnt.map((it, index) => ({ key: it.key, nth: learnt.slice(0, index).filter((other) => other.key === it.key).length }));

    const kills = [fault.killBefore, fault.killUnanswered, fault.killAfter];
    let [crashes, unreached] = [0, []];
    for (const { key, nth } of points) {
      for (const kill of kills) {
        await begin();
        marked = mark();
        const dying = { kill: () => runner.kill() };
        const act = kill(dying);
        const what = `${act.label}: ${key}, the ${nth + 1}. time`;
        for (const proxy of all()) proxy.once((it) => it.key === key, act, { skip: nth });
        runner = await run(KUBEFED, { ready: null });
        const fate = await eventually(async () => runner.ended ?? ((await runner.request("GET", "/readyz").catch(() => ({}))).code === 200 && "alive"), { timeout: 30_000, interval: 20, what });
        if (fate === "alive") await settle().catch((error) => runner.ended ?? Promise.reject(error));
        // How often a status passes through its stages is a matter of time; the last of them may not come.
        if (!runner.ended) unreached.push({ what, nth });
        else crashes += 1;
        await Promise.all(all().map((it) => it.drained()));
        all().forEach((it) => it.heal());
        if (runner.ended) {
          runner.ready = "/readyz";
          await runner.start();
        }
        try {
          await settle();
        } catch (error) {
          assert.fail(`${what}: ${error.message}`);
        }
        assert.deepEqual(await state(), wanted, what);
        assert.deepEqual(creates(marked), made, `${what}: everything is made once`);
        assert.deepEqual(deletes(marked), gone, `${what}: the same is deleted, once`);
      }
    }
    assert.deepEqual(unreached.filter((it) => it.nth === 0), [], "every write is reached");
    t.diagnostic(`${crashes} crash points, all converged (${points.length} writes, 3 kills each, ${unreached.length} not reached)`);
    console.log(`${crashes} crash points, all converged`);
  });
});

/** Without what servers give out, and without times. */
function masked(object) {
  const given = ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "observedGeneration", "selfLink"];
  const keep = (key, value) => (given.includes(key) || /Time$/.test(key) || key === "drill" ? undefined : value);
  const copy = JSON.parse(JSON.stringify(object, keep));
  for (const key of ["annotations", "labels"]) if (copy.metadata[key] && Object.keys(copy.metadata[key]).length === 0) delete copy.metadata[key];
  return copy;
}
