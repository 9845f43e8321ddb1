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
  const settle = async ({ ready = true, mayDie = false, timeout = 30_000 } = {}) => {
    let told;
    const isSettled = async () => {
      if (runner.ended) return true;
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
    if (runner.ended && !mayDie) throw new Error(`the runner ended: ${JSON.stringify(runner.ended)}\n${runner.lastWords()}`);
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

  test("a crash at any write, before it, before its answer or after it, changes nothing about the end", async () => {
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
        // One path on one server: the others never see it.
        for (const proxy of all()) proxy.once((it) => it.key === key, act, { skip: nth });
        runner = await run(KUBEFED, { ready: null });
        const fate = await eventually(async () => runner.ended ?? ((await runner.request("GET", "/readyz").catch(() => ({}))).code === 200 && "alive"), { timeout: 30_000, interval: 20, what });
        if (fate === "alive") await settle({ mayDie: true });
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
    console.log(`${crashes} crash points, all converged; ${unreached.length} of ${points.length * kills.length} did not come about, each a repeat of a write that did`);
  });

  /** One document in both members, another beside it, and a runner that has nothing to do. Values are never used twice. */
  let [turn, current] = [0];
  const fresh = () => `value-${(turn += 1)}-`;
  const calm = async () => {
    await found();
    await empty();
    const value = (current = fresh());
    await hub.apply([federated("settings", { currency: value }, ["berlin", "tokyo"]), federated("prices", { bread: "2" }, ["berlin", "tokyo"]), federatedNamespace]);
    runner = await run();
    await settle();
    return state(value);
  };
  const change = (value, ref = SETTINGS) => hub.patch(ref, { spec: { template: { data: { currency: value } } } });
  const has = (server, value) => eventually(async () => (await server.find(COPY))?.data.currency === value, { timeout: 20_000, what: `${server.name} having ${value}` }).catch((error) => {
    throw new Error(`${error.message}\n${runner.lastWords()}`);
  });
  const isEverywhere = (value) => Promise.all([berlin, tokyo].map((it) => has(it, value)));
  /** Somebody else changes a copy; the event says so by its annotation, as watches of members show metadata alone. */
  const drift = (server, value) => server.patch(COPY, { metadata: { annotations: { drill: value } }, data: { currency: `drift of ${value}` } });
  const driftOf = (value) => (it) => it.object?.metadata?.annotations?.drill === value;
  const fired = (rule) => Promise.race([rule.fired, sleep(20_000, undefined, { ref: false }).then(() => assert.fail(`the fault did not come about\n${runner.lastWords()}`))]);
  const watching = (proxy, plural) => eventually(() => proxy.isWatching(plural), { timeout: 8000, interval: 20, what: `${plural} being watched in ${proxy.name}` }).catch((error) => {
    throw new Error(`${error.message}\n${proxy.journal.slice(-12).map((it) => `${it.method} ${it.url} ${it.code}`).join("\n")}\n${runner.lastWords()}`);
  });
  const restart = async (between = async () => {}) => {
    await runner.kill();
    await between();
    await runner.start();
  };
  /** What must be watched, or a change would go unnoticed from then on. */
  const watchingAll = () => Promise.all([watching(proxies.hub, "federatedconfigmaps"), watching(proxies.berlin, "configmaps"), watching(proxies.tokyo, "configmaps")]);
  /** Runs plans one after the other on one fleet, each with a value of its own; answers how many. One that fails stops no other. */
  const runPlans = async (wanted, plans) => {
    const failures = [];
    for (const [what, plan] of Object.entries(plans)) {
      const [value, marked] = [fresh(), mark()];
      try {
        await watchingAll();
        await plan(value, marked);
        all().forEach((it) => it.heal());
        await settle();
        assert.deepEqual(await state(value), wanted, "the end is another one");
        assert.deepEqual(deletes(marked), [], "something was deleted");
        const made = creates(marked);
        assert.equal(new Set(made).size, made.length, `made twice: ${made.join(", ")}`);
        await watchingAll();
      } catch (error) {
        failures.push(`${what}: ${error.message}`);
        all().forEach((it) => it.heal());
        await restart();
        await change(value);
        await settle();
      }
    }
    assert.equal(failures.length, 0, `${failures.length} of ${Object.keys(plans).length} plans fail\n\n${failures.join("\n\n")}`);
    return Object.keys(plans).length;
  };

  test("what watches do not tell, tell late, twice or in another order is made up for", async () => {
    const wanted = await calm();
    const list = "/apis/types.kubefed.io/v1beta1/federatedconfigmaps";
    const one = "/api/v1/namespaces/shop/configmaps/settings";
    const extra = federated("extra", { a: "b" }, ["berlin"]);
    const takeExtraAway = async () => {
      await eventually(() => berlin.find("ConfigMap/shop/extra"), { what: "the new document being in berlin" });
      await hub.delete(extra);
      await settle();
      await berlin.delete("ConfigMap/shop/extra");
    };
    const count = await runPlans(wanted, {
      // Documents of the hub.
      "a change is not told, and everything is looked at again": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.drop());
        await change(value);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      "a change is lost with its watch": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.dropAndClose());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "in place of a change the watch says that it is too old": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.tooOld());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "the first of two changes is not told": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.drop());
        await change(fresh());
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "three changes are told as one": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.drop(), { times: 2 });
        await change(fresh());
        await change(fresh());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "two changes are told the other way round": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.swap(), { times: 2 });
        await change(fresh());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "a change is told twice": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.twice());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "all watches are closed": async (value) => {
        for (const proxy of all()) assert.ok(proxy.closeWatches() > 0);
        await change(value);
        await isEverywhere(value);
      },
      "a watch that is asked for again is too old": async (value) => {
        const rule = proxies.hub.once(watchOf("federatedconfigmaps"), fault.answer(410));
        proxies.hub.closeWatches("federatedconfigmaps");
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "a watch that is asked for again is refused twice, and so is its list": async (value) => {
        const rules = [
          proxies.hub.once(watchOf("federatedconfigmaps"), fault.answer(410)),
          proxies.hub.once(watchOf("federatedconfigmaps"), fault.answer(503, 1)),
          proxies.hub.once(listOf("federatedconfigmaps"), fault.answer(500)),
        ];
        proxies.hub.closeWatches("federatedconfigmaps");
        await fired(rules[0]);
        await change(value);
        await isEverywhere(value);
      },
      "a watch that is asked for again is cut": async (value) => {
        const rule = proxies.hub.once(watchOf("federatedconfigmaps"), fault.cut());
        proxies.hub.closeWatches("federatedconfigmaps");
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "a new document is not told": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("extra", "ADDED"), fault.drop());
        await hub.apply(extra);
        await fired(rule);
        await runner.reconcile();
        await takeExtraAway();
        await change(value);
      },
      "a document that goes is not told": async (value) => {
        await hub.apply(extra);
        const rule = proxies.hub.onEvent(eventOf("extra", "DELETED"), fault.drop());
        await takeExtraAway();
        await fired(rule);
        await settle();
        await change(value);
      },
      // Copies in the members.
      "a copy is changed, which is not told": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.onEvent(driftOf(value), fault.drop());
        await drift(berlin, value);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      "a copy is changed, which is lost with its watch": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.onEvent(driftOf(value), fault.dropAndClose());
        await drift(berlin, value);
        await fired(rule);
        await isEverywhere(value);
      },
      "a copy is changed while its watch is too old": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.onEvent(driftOf(value), fault.tooOld());
        await drift(berlin, value);
        await fired(rule);
        await isEverywhere(value);
      },
      "a copy is deleted, which is not told": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.tokyo.onEvent(eventOf("settings", "DELETED"), fault.drop());
        await tokyo.delete(COPY);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      "a copy is deleted, which is lost with its watch": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.tokyo.onEvent(eventOf("settings", "DELETED"), fault.dropAndClose());
        await tokyo.delete(COPY);
        await fired(rule);
        await isEverywhere(value);
      },
      "a copy is deleted, which is told after it was made again": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.tokyo.onEvent(eventOf("settings"), fault.swap(), { times: 2 });
        await tokyo.delete(COPY);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      // Older answers.
      "a look at a copy is answered with what it was": async (value) => {
        const older = await proxies.berlin.snapshot(one);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.stale(older));
        await runner.reconcile();
        await fired(rule);
        await has(berlin, value);
      },
      "a look at a copy that is there says that it is not": async (value) => {
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.answer(404));
        await runner.reconcile();
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "after a restart a copy that is there seems not to be": async (value) => {
        const rule = proxies.tokyo.once(read("/configmaps/settings"), fault.answer(404));
        await restart(() => change(value));
        await fired(rule);
        await isEverywhere(value);
      },
      "after a restart a copy seems to be what it was": async (value) => {
        const older = await proxies.berlin.snapshot(one);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.stale(older));
        await restart();
        await fired(rule);
      },
      "documents are listed as they were": async (value) => {
        const older = await proxies.hub.snapshot(list);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
        const marked = mark();
        await runner.reconcile();
        await fired(rule);
        assert.deepEqual(keys(since(marked)), [], "what is older than what is known is no news");
      },
      "after a restart documents are listed as they were": async (value) => {
        const older = await proxies.hub.snapshot(list);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
        await restart();
        await fired(rule);
        await isEverywhere(value);
      },
      "after a restart a document is not listed yet": async (value) => {
        const older = await proxies.hub.snapshot(list);
        await hub.apply(extra);
        await eventually(() => berlin.find("ConfigMap/shop/extra"), { what: "the new document being in berlin" });
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
        await restart();
        await fired(rule);
        await takeExtraAway();
        await change(value);
      },
      "after a restart a cluster is not listed yet": async (value) => {
        const rule = proxies.hub.once(listOf("kubefedclusters"), fault.without((it) => it.metadata.name === "tokyo"));
        await restart();
        await fired(rule);
        await change(value);
        await has(berlin, value);
      },
      // Late answers.
      "a look at a copy arrives after a newer write": async (value) => {
        await change(fresh());
        await settle();
        let release;
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.late(new Promise((resolve) => (release = resolve))));
        const looked = runner.reconcile();
        await eventually(() => rule.count > 0, { what: "a look being held up" });
        await change(value);
        await has(tokyo, value);
        await has(berlin, value);
        release();
        await Promise.all([fired(rule), looked]);
        await has(berlin, value);
      },
      "a list of documents arrives after a newer change": async (value) => {
        let release;
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.late(new Promise((resolve) => (release = resolve))));
        const looked = runner.reconcile();
        await eventually(() => rule.count > 0, { what: "a list being held up" });
        // While a list is under way nothing is done; it arrives after the event.
        const told = proxies.hub.onEvent(eventOf("settings"), (line) => [line]);
        await change(value);
        await fired(told);
        release();
        await Promise.all([fired(rule), looked]);
        await isEverywhere(value);
      },
      "a write is answered after a newer change": async (value) => {
        let release;
        const rule = proxies.berlin.once(write("PATCH", "/configmaps/settings"), fault.late(new Promise((resolve) => (release = resolve))));
        await change(fresh());
        await eventually(() => rule.count > 0, { what: "a write being held up" });
        await change(value);
        await has(tokyo, value);
        release();
        await isEverywhere(value);
      },
    });
    console.log(`${count} plans of missed, merged, stale and late events, all converged, 0 deletes`);
  });

  test("errors and cut connections on a write delay it, and nothing is made twice", async () => {
    const wanted = await calm();
    const faults = {
      "409": fault.answer(409),
      "429 with Retry-After": fault.answer(429, 1),
      "500": fault.answer(500),
      "503": fault.answer(503, 1),
      "504": fault.answer(504),
      "504 after it was done": fault.doneButAnswer(504),
      "500 after it was done": fault.doneButAnswer(500),
      "half an answer": fault.truncated(),
      "cut before it was sent": fault.cut(),
      "cut after it was done": fault.doneButCut(),
      "garbage in place of TLS": fault.garbled(),
    };
    // Each at once on a patch in one member, a create in the other, and a status on the hub.
    const plans = Object.entries(faults).map(([what, act]) => [
      what,
      async (value) => {
        await runner.kill();
        await tokyo.delete(COPY);
        await change(value);
        const rules = [
          proxies.berlin.once(write("PATCH", "/configmaps/settings"), act),
          proxies.tokyo.once(write("POST", "/configmaps/settings"), act),
          proxies.hub.once(write("PATCH", "/federatedconfigmaps/settings/status"), act),
        ];
        await runner.start();
        await Promise.all(rules.map(fired));
        await isEverywhere(value);
      },
    ]);
    const count = await runPlans(wanted, Object.fromEntries(plans));
    console.log(`${count} kinds of errors, on ${count * 3} writes, all converged, 0 made twice`);
  });

  /** The conditions of the runner that do not hold: `{ Unheld: "the plan deletes …" }`. */
  const problems = async () => {
    const conditions = (await hub.find(OWN))?.status?.conditions ?? [];
    return Object.fromEntries(conditions.filter((it) => it.status === "False").map((it) => [it.type, it.message]));
  };
  /** Waits until the runner says why something waits: in a condition, or in a warning of its log since `from`. */
  const told = (pattern, from = 0) =>
    eventually(
      async () => Object.values(await problems()).some((it) => pattern.test(it)) || runner.logs.slice(from).some((it) => it.level === "WARN" && pattern.test(it.message)),
      { timeout: 20_000, what: `the runner saying ${pattern}` },
    ).catch(async (error) => {
      throw new Error(`${error.message}\n${JSON.stringify(await problems())}\n${runner.lastWords()}`);
    });
  /** Like `runPlans`, for drills after which everything must be there as if nothing had been. */
  const runDrills = async (drills, look, again) => {
    const failures = [];
    const wanted = await look();
    for (const [what, drill] of Object.entries(drills)) {
      const marked = mark();
      try {
        await drill(runner.logs.length);
        assert.deepEqual(deletes(marked), [], "something was deleted during the drill");
        all().forEach((it) => it.heal());
        await settle();
        assert.deepEqual(deletes(marked), [], "something was deleted after the drill");
        assert.deepEqual(await look(), wanted, "the end is another one");
      } catch (error) {
        failures.push(`${what}: ${error.message}`);
        all().forEach((it) => it.heal());
        await again();
      }
    }
    assert.equal(failures.length, 0, `${failures.length} of ${Object.keys(drills).length} drills fail\n\n${failures.join("\n\n")}`);
    return Object.keys(drills).length;
  };

  test("what the hub does not tell for a while deletes nothing, and it is said what waits", async () => {
    const group = "greenhouse.sap";
    const names = Array.from({ length: 12 }, (_, index) => `c${String(index + 1).padStart(2, "0")}`);
    const object = (kind, name, spec, labels) => ({ apiVersion: `${group}/v1alpha1`, kind, metadata: { name, labels, ...(kind === "Organization" ? {} : { namespace: "my-org" }) }, spec });
    const begin = async () => {
      await plane.clear();
      await hub.apply([
        object("Organization", "my-org", { displayName: "My organization" }),
        ...names.map((it) => object("Cluster", it, { accessMode: "direct" }, { fleet: "all" })),
        object("PluginDefinition", "my-definition", { version: "1.0.0", options: [{ name: "a", type: "string", required: false, default: "b" }] }),
        object("PluginPreset", "my-preset", { clusterSelector: { matchLabels: { fleet: "all" } }, plugin: { pluginDefinitionName: "my-definition", releaseNamespace: "x", optionValues: [] } }),
      ]);
      // The limits that it has by itself.
      runner = await run(["--dialect", "greenhouse"]);
      await settle();
      assert.equal((await hub.list("Plugin/my-org")).length, names.length);
    };
    await begin();
    const look = async () => {
      const lists = await Promise.all(["Plugin/my-org", "PluginPreset/my-org", `Cluster.${group}/my-org`].map((it) => hub.list(it)));
      return lists.flat().map(masked);
    };
    const clusters = listOf("clusters");
    const upperHalf = (it) => it.metadata.name > "c06";
    const flip = (fleet) => Promise.all(names.slice(6).map((it) => hub.patch(`Cluster.${group}/my-org/${it}`, { metadata: { labels: { fleet } } })));
    const during = async (match, act, pattern, from) => {
      const rule = proxies.hub.always(match, act);
      await runner.reconcile();
      await fired(rule);
      if (pattern) await told(pattern, from);
      await runner.reconcile();
    };
    const afterRestart = async (match, act, pattern, from) => {
      await runner.kill();
      const rule = proxies.hub.always(match, act);
      const ready = runner.start().catch((error) => assert.match(error.message, /being ready/));
      await fired(rule);
      if (pattern) await told(pattern, from);
      proxies.hub.heal();
      await ready;
    };
    const ofGroup = (it) => it.path.startsWith(`/apis/${group}`);
    const count = await runDrills(
      {
        "clusters cannot be listed": (from) => during(clusters, fault.answer(500), undefined, from),
        "clusters cannot be listed after a restart": (from) => afterRestart(clusters, fault.answer(500), /Cluster.* cannot be watched/, from),
        "the list of clusters is empty": (from) => during(clusters, fault.without(() => true), /picks no cluster/, from),
        "the list of clusters is empty after a restart": (from) => afterRestart(clusters, fault.without(() => true), /picks no cluster/, from),
        "a list of clusters ends after its first page": (from) => during(clusters, firstPageOf(clusters), undefined, from),
        "a list of clusters ends after its first page after a restart": (from) => afterRestart(clusters, firstPageOf(clusters), /Cluster.* cannot be watched/, from),
        "half of the clusters are not listed": (from) => during(clusters, fault.without(upperHalf), /deletes 6 of/, from),
        "half of the clusters are not listed after a restart": (from) => afterRestart(clusters, fault.without(upperHalf), /deletes 6 of/, from),
        "half of the clusters lose their label, and get it again": async (from) => {
          await flip(null);
          await told(/deletes 6 of 12/, from);
          await runner.reconcile();
          await flip("all");
        },
        "presets are not listed": (from) => during(listOf("pluginpresets"), fault.without(() => true), undefined, from),
        "presets are not listed after a restart": (from) => afterRestart(listOf("pluginpresets"), fault.without(() => true), undefined, from),
        "plugins are not listed": (from) => during(listOf("plugins"), fault.without(() => true), undefined, from),
        "the server does not find clusters, as when it has just started": async (from) => {
          const rule = proxies.hub.always((it) => it.path.endsWith("/clusters"), fault.noPage());
          proxies.hub.closeWatches("/clusters");
          await fired(rule);
          await told(/Cluster.* cannot be watched|clusters\.greenhouse/, from);
          await runner.reconcile();
        },
        "the server does not know the group, as when it has just started": async (from) => {
          const rule = proxies.hub.always(ofGroup, fault.noPage());
          proxies.hub.closeWatches(group);
          await fired(rule);
          await told(/cannot be watched/, from);
          // Several looks at what the server has.
          const looks = () => proxies.hub.journal.filter((it) => it.path === "/apis").length;
          const before = looks();
          await eventually(() => looks() >= before + 3, { timeout: 40_000, what: "the kinds being looked for three times" });
        },
      },
      look,
      begin,
    );
    console.log(`${count} delete drills on the hub, 0 deletes`);
  });

  test("what a member or the list of members does not tell deletes nothing", async () => {
    await calm();
    const look = () => state(current);
    const count = await runDrills(
      {
        "a member finds nothing": async (from) => {
          const rule = proxies.berlin.always(() => true, fault.noPage());
          proxies.berlin.closeWatches();
          await runner.reconcile();
          await fired(rule);
          await told(/berlin/, from);
          await runner.reconcile();
        },
        "a member finds nothing after a restart": async (from) => {
          await runner.kill();
          const rule = proxies.berlin.always(() => true, fault.noPage());
          await runner.start();
          await fired(rule);
          await told(/berlin/, from);
          await runner.reconcile();
        },
        "no member is listed": async () => {
          const rule = proxies.hub.always(listOf("kubefedclusters"), fault.without(() => true));
          await runner.reconcile();
          await fired(rule);
          await runner.reconcile();
        },
        "no member is listed after a restart": async () => {
          const rule = proxies.hub.always(listOf("kubefedclusters"), fault.without(() => true));
          await restart();
          await fired(rule);
          await runner.reconcile();
        },
        "no document is listed": async () => {
          const rule = proxies.hub.always(listOf("federatedconfigmaps"), fault.without(() => true));
          await runner.reconcile();
          await fired(rule);
          await runner.reconcile();
        },
        "no type is listed": async () => {
          const rule = proxies.hub.always(listOf("federatedtypeconfigs"), fault.without(() => true));
          await runner.reconcile();
          await fired(rule);
          await runner.reconcile();
        },
        "the access to a member is not found": async (from) => {
          const rule = proxies.hub.always(read("/secrets/berlin-credentials"), fault.answer(404));
          await restart();
          await fired(rule);
          await told(/berlin/, from);
        },
        "a document that goes keeps its finalizer while a member finds nothing": async () => {
          const going = federated("going", { a: "b" }, ["berlin"], { finalizers: ["kubefed.io/sync-controller"] });
          await hub.apply(going);
          await eventually(() => berlin.find("ConfigMap/shop/going"), { what: "the copy being there" });
          await settle();
          const rule = proxies.berlin.always(() => true, fault.noPage());
          proxies.berlin.closeWatches();
          await hub.delete(going);
          await runner.reconcile();
          await fired(rule);
          await runner.reconcile();
          const left = await hub.find(going);
          // The copy is to be deleted once the member finds it: that is asked for.
          proxies.berlin.heal();
          if (!left) await berlin.delete("ConfigMap/shop/going");
          else await hub.patch(going, { metadata: { finalizers: null } }).then(() => berlin.delete("ConfigMap/shop/going"));
          assert.ok(left, "the document was let go though its copy is there");
        },
      },
      look,
      calm,
    );
    console.log(`${count} delete drills on members, 0 deletes`);
  });

  test("a placement that is listed as it was, after a restart, deletes nothing", async () => {
    await calm();
    const place = (...names) => hub.patch(SETTINGS, { spec: { placement: { clusters: names.map((name) => ({ name })) } } });
    await place("berlin");
    await settle();
    const older = await proxies.hub.snapshot("/apis/types.kubefed.io/v1beta1/federatedconfigmaps");
    await place("berlin", "tokyo");
    await settle();
    const marked = mark();
    // The server is behind: its list is an older one, and what came since is told only once the runner has planned.
    let catchUp;
    const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
    proxies.hub.once(watchOf("federatedconfigmaps"), fault.hold(new Promise((resolve) => (catchUp = resolve))));
    await restart();
    await fired(rule);
    catchUp();
    await settle();
    await has(tokyo, current);
    assert.deepEqual(deletes(marked), [], "an older list of documents, read once after a restart, deletes a copy that is wanted");
  });

  test("a member that cannot be reached is said to be so until it can", async () => {
    await calm();
    const marked = mark();
    const isVersion = (it) => it.path === "/version";
    const attempts = () => proxies.tokyo.journal.filter(isVersion).length;
    const before = attempts();
    proxies.tokyo.always(() => true, fault.cut());
    proxies.tokyo.closeWatches();
    await runner.reconcile();
    await told(/tokyo/);
    await eventually(() => attempts() >= before + 3, { what: "three attempts to reach tokyo" });
    const written = since(marked).filter((it) => it.path.endsWith("/fleetplans/fleetfold/status")).map((it) => JSON.parse(it.text).find((it) => it.path === "/status").value);
    proxies.tokyo.heal();
    await settle();
    const said = written.map((it) => it.conditions.find((it) => it.type === "ClustersReachable").status);
    assert.deepEqual(said.slice(said.indexOf("False")).filter((it) => it === "True"), [], `ClustersReachable was said to be ${said.join(", ")} in turn while tokyo could not be reached`);
  });

  test("a server that goes on contradicting itself is asked with rests", async () => {
    await calm();
    // The object is there, and whoever looks is told that it is not.
    proxies.berlin.always(read("/configmaps/settings"), fault.answer(404));
    const marked = mark();
    const asked = runner.reconcile().catch(() => {});
    const tries = () => since(marked).filter((it) => it.method === "POST").length;
    const end = Date.now() + 5000;
    while (Date.now() < end && tries() < 30) await sleep(50);
    const seen = tries();
    proxies.berlin.heal();
    await asked;
    await settle();
    assert.ok(seen < 30, `${seen} creates, each refused with 409, in less than 5 s`);
  });

  test("after a watch was too old, what members do is still seen", async () => {
    await calm();
    await watchingAll();
    const rule = proxies.hub.onEvent(eventOf("settings"), fault.tooOld());
    const value = fresh();
    await change(value);
    await fired(rule);
    await isEverywhere(value);
    await settle();
    await drift(berlin, value);
    await runner.reconcile();
    await has(berlin, value);
    await tokyo.delete(COPY);
    await runner.reconcile();
    await has(tokyo, value);
  });

  test("servers and their store that are killed while it works are caught up with", async () => {
    const wanted = await calm();
    const marked = mark();
    // A member, at the moment of a write.
    let value = fresh();
    const down = proxies.tokyo.once(write("PATCH", "/configmaps/settings"), async (request, exchange) => {
      await tokyo.stop();
      await exchange.pass();
    });
    await change(value);
    await fired(down);
    await has(berlin, value);
    await told(/tokyo/);
    await tokyo.start();
    await isEverywhere(value);
    await settle();
    assert.deepEqual(await state(value), wanted, "after the member came back");
    // The store of everything, at the moment of a write.
    value = fresh();
    const lost = new Promise((resolve) => {
      proxies.berlin.once(write("PATCH", "/configmaps/settings"), async (request, exchange) => {
        await plane.etcd.stop();
        resolve();
        await exchange.pass();
      });
    });
    await change(value);
    await lost;
    await plane.etcd.start();
    await isEverywhere(value);
    await settle();
    assert.deepEqual(await state(value), wanted, "after the store came back");
    // The hub itself, while a change is under way.
    value = fresh();
    await change(value);
    await hub.stop();
    await hub.start();
    await isEverywhere(value);
    await settle();
    assert.deepEqual(await state(value), wanted, "after the hub came back");
    assert.deepEqual(deletes(marked), [], "nothing is deleted by all this");
    console.log("a member, etcd and the hub were killed, all converged");
  });
});

/** The first page of a list of a kind; the next ones are for the server to refuse. */
function firstPageOf() {
  const first = fault.firstPage();
  return Object.assign((request, exchange) => (request.query.get("continue") ? exchange.pass() : first(request, exchange)), { label: first.label });
}

/** Without what servers give out, and without times. */
function masked(object) {
  const given = ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "observedGeneration", "selfLink"];
  const keep = (key, value) => (given.includes(key) || /Time$/.test(key) || key === "drill" ? undefined : value);
  const copy = JSON.parse(JSON.stringify(object, keep));
  // What was applied to an object that somebody had annotated says so by an empty map.
  const applied = copy.metadata.annotations?.["fleetfold.dev/applied"];
  if (applied) copy.metadata.annotations["fleetfold.dev/applied"] = applied.replace('"annotations":{},', "");
  for (const key of ["annotations", "labels"]) if (copy.metadata[key] && Object.keys(copy.metadata[key]).length === 0) delete copy.metadata[key];
  return copy;
}
