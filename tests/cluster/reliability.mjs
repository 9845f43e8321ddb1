// Everything that can come between the runner and its servers, and what must come out all the same: the state that a
// run without faults reaches, nothing made twice, nothing deleted that nobody asked to delete.
//
// The runner talks to real servers through proxies that do the damage (fault-proxy.mjs). What is compared was read from
// the servers themselves.
import assert from "node:assert/strict";
import { after, afterEach, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./control-plane.mjs";
import { randomOf, seedOf } from "../model/generate/random.mjs";
import { readExample } from "./documents.mjs";
import * as fault from "./fault-proxy.mjs";
import { FaultProxy } from "./fault-proxy.mjs";
import { registerKubeFedCluster } from "./members.mjs";
import { startPlane } from "./stories.mjs";

export const NO_LIMITS = ["--max-deletes", "100", "--max-delete-percent", "100"];
export const KUBEFED = ["--dialect", "kubefed", ...NO_LIMITS];
export const MANAGED = { "kubefed.io/managed": "true" };
export const CLUSTERS = { berlin: { region: "eu" }, tokyo: { region: "apac" } };
export const SETTINGS = "FederatedConfigMap/shop/settings";
export const COPY = "ConfigMap/shop/settings";
export const OWN = "FleetPlan/fleetfold";

export let plane, hub, berlin, tokyo, proxies, runner;

/** Starts servers and proxies for the tests of a file, and heals what a test damaged. */
export function onDamagedPlane() {
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
}

export const all = () => Object.values(proxies);

// What the runner wrote, as the proxies saw it arrive.

/** A moment, to ask later what was written since. */
export const mark = () => all().map((it) => it.journal.length);
export const since = (marked) =>
  all()
    .flatMap((it, index) => it.journal.slice(marked[index]))
    .filter((it) => it.isWrite);
export const happened = (it) => it.code >= 200 && it.code < 300;
export const keys = (writes) => writes.map((it) => it.key).sort();
export const deletes = (marked) => keys(since(marked).filter((it) => it.method === "DELETE" && happened(it)));
export const creates = (marked) => keys(since(marked).filter((it) => it.method === "POST" && happened(it)));

/** Starts `fleetfold run` through the proxies; without `ready` it may be dead before it is. */
export const run = async (args = KUBEFED, options = {}) => {
  runner = await plane.run({ args, kubeconfig: proxies.hub.kubeconfig("runner"), ...options });
  return runner;
};

/** Reconciles until a round writes nothing and the runner says that all is well; answers what it says otherwise. */
export const settle = async ({ ready = true, mayDie = false, timeout = 30_000 } = {}) => {
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
  if (runner.ended && !mayDie)
    throw new Error(`the runner ended: ${JSON.stringify(runner.ended)}\n${runner.lastWords()}`);
};

/** All that matters in all clusters, without what is another each time. `value` is what a test wrote last. */
export const state = async (value) => {
  const kinds = {
    hub: ["FederatedConfigMap", "FederatedNamespace", "KubeFedCluster", "FleetPlan"],
    berlin: ["ConfigMap/shop"],
    tokyo: ["ConfigMap/shop"],
  };
  const found = {};
  for (const server of plane.servers) {
    const lists = await Promise.all(kinds[server.name].map((it) => server.list(it)));
    for (const object of lists.flat()) found[`${server.name} ${object.kind}/${object.metadata.name}`] = masked(object);
    if (server !== hub) found[`${server.name} Namespace/shop`] = masked(await server.get("Namespace/shop"));
  }
  const text = JSON.stringify(found);
  return JSON.parse(value === undefined ? text : text.replaceAll(value, "the value"));
};

export const configMap = (name, data, extra = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop", labels: MANAGED },
  data,
  ...extra,
});
export const federated = (name, data, clusters, metadata = {}) => ({
  apiVersion: "types.kubefed.io/v1beta1",
  kind: "FederatedConfigMap",
  metadata: { name, namespace: "shop", ...metadata },
  spec: { template: { data }, placement: { clusters: clusters.map((name) => ({ name })) } },
});
export const federatedNamespace = {
  apiVersion: "types.kubefed.io/v1beta1",
  kind: "FederatedNamespace",
  metadata: { name: "shop", namespace: "shop" },
  spec: { placement: { clusters: [{ name: "berlin" }, { name: "tokyo" }] } },
};

/** The kinds, the clusters and the namespaces: what no run changes for good. */
export const found = async () => {
  await plane.clear();
  await hub.apply(readExample("kubefed", { only: (it) => it === "types.yaml" }).documents);
  await hub.apply(
    readExample("kubefed", { only: (it) => it === "control-plane.yaml" }).documents.filter(
      (it) => it.kind === "KubeFedConfig",
    ),
  );
  for (const [name, labels] of Object.entries(CLUSTERS)) await registerKubeFedCluster(hub, proxies[name], { labels });
  await Promise.all(plane.servers.map((it) => it.ensureNamespace("shop")));
};

/** Ends the runner and takes everything of the shop away, faster than `plane.clear`. */
export const empty = async () => {
  await Promise.all([...plane.runners].map((it) => it.kill()));
  plane.runners.clear();
  all().forEach((it) => it.heal());
  await Promise.all(all().map((it) => it.drained()));
  for (const object of (
    await Promise.all(["FederatedConfigMap", "FederatedNamespace", "FleetPlan"].map((it) => hub.list(it)))
  ).flat()) {
    if (object.metadata.finalizers) await hub.patch(object, { metadata: { finalizers: null } }).catch(() => {});
    await hub.delete(object);
  }
  for (const server of [berlin, tokyo]) {
    await server.delete("/api/v1/namespaces/shop/configmaps");
    await server.patch("Namespace/shop", { metadata: { labels: { "kubefed.io/managed": null }, annotations: null } });
  }
};

/**
 * One document in both members, another beside it, and a runner that has nothing to do. Values are never used twice.
 */
let turn = 0;
export let current;
export const fresh = () => `value-${(turn += 1)}-`;
export const calm = async () => {
  await found();
  await empty();
  const value = (current = fresh());
  await hub.apply([
    federated("settings", { currency: value }, ["berlin", "tokyo"]),
    federated("prices", { bread: "2" }, ["berlin", "tokyo"]),
    federatedNamespace,
  ]);
  await run();
  await settle();
  return state(value);
};
export const change = (value, ref = SETTINGS) => hub.patch(ref, { spec: { template: { data: { currency: value } } } });
export const has = (server, value) =>
  eventually(async () => (await server.find(COPY))?.data.currency === value, {
    timeout: 20_000,
    what: `${server.name} having ${value}`,
  }).catch((error) => {
    throw new Error(`${error.message}\n${runner.lastWords()}`);
  });
export const isEverywhere = (value) => Promise.all([berlin, tokyo].map((it) => has(it, value)));
/** Somebody else changes a copy; the event says so by its annotation, as watches of members show metadata alone. */
export const drift = (server, value) =>
  server.patch(COPY, { metadata: { annotations: { drill: value } }, data: { currency: `drift of ${value}` } });
export const driftOf = (value) => (it) => it.object?.metadata?.annotations?.drill === value;
export const fired = (rule) =>
  Promise.race([
    rule.fired,
    sleep(20_000, undefined, { ref: false }).then(() =>
      assert.fail(`the fault did not come about\n${runner.lastWords()}`),
    ),
  ]);
export const watching = (proxy, plural) =>
  eventually(() => proxy.isWatching(plural), {
    timeout: 8000,
    interval: 20,
    what: `${plural} being watched in ${proxy.name}`,
  }).catch((error) => {
    throw new Error(
      `${error.message}\n${proxy.journal
        .slice(-12)
        .map((it) => `${it.method} ${it.url} ${it.code}`)
        .join("\n")}\n${runner.lastWords()}`,
    );
  });
export const restart = async (between = async () => {}) => {
  await runner.kill();
  await between();
  await runner.start();
};
/** What must be watched, or a change would go unnoticed from then on. */
export const watchingAll = () =>
  Promise.all([
    watching(proxies.hub, "federatedconfigmaps"),
    watching(proxies.berlin, "configmaps"),
    watching(proxies.tokyo, "configmaps"),
  ]);
/** How often all plans and drills of a test run; `npm run trust` asks for more than one round. */
export const ROUNDS = Number(process.env.FLEETFOLD_ROUNDS ?? 1);

/**
 * Plans or drills as often as there are rounds: the first round in the order they are written, the others in an order
 * that `FLEETFOLD_SEED` decides, so that each comes after other ones.
 */
export function inRounds(plans) {
  const random = randomOf(seedOf(process.env.FLEETFOLD_SEED ?? "1", "rounds", 0));
  const written = Object.entries(plans);
  const rounds = Array.from({ length: ROUNDS }, (_, index) => (index === 0 ? written : random.shuffle(written)));
  return rounds.flatMap((round, index) =>
    round.map(([what, plan]) => [index === 0 ? what : `${what} (round ${index + 1})`, plan]),
  );
}

/**
 * Runs plans one after the other on one fleet, each with a value of its own; answers how many. One that fails stops no
 * other. Nothing is deleted but what `isMeant` says.
 */
export const runPlans = async (wanted, plans, isMeant = () => false) => {
  const failures = [];
  const planned = inRounds(plans);
  for (const [what, plan] of planned) {
    const [value, marked] = [fresh(), mark()];
    try {
      await watchingAll();
      await plan(value, marked);
      all().forEach((it) => it.heal());
      await settle();
      assert.deepEqual(await state(value), wanted, "the end is another one");
      const unmeant = deletes(marked).filter((it) => !isMeant(it));
      assert.deepEqual(unmeant, [], "something was deleted");
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
  assert.equal(failures.length, 0, `${failures.length} of ${planned.length} plans fail\n\n${failures.join("\n\n")}`);
  return planned.length;
};

/**
 * Kills the runner at every write that a workload leads to: before it is sent, before it is answered, and after it was
 * answered. However it dies, the end is that of a run without faults, everything is made once, and the same is deleted.
 *
 * `begin` puts the workload there, without a runner; `look` is what is compared. Answers what a run without faults
 * makes and deletes, and how many of the points came about.
 */
export const crashAtEveryWrite = async ({ begin, args = KUBEFED, look = () => state(), ready = true }) => {
  await begin();
  let marked = mark();
  await run(args);
  await settle({ ready });
  const wanted = await look();
  const learnt = since(marked);
  const [made, gone] = [creates(marked), deletes(marked)];
  // The same path may be written several times: its status before and after, say.
  const points = learnt.map((it, index) => ({
    key: it.key,
    nth: learnt.slice(0, index).filter((other) => other.key === it.key).length,
  }));

  const kills = [fault.killBefore, fault.killUnanswered, fault.killAfter];
  const unreached = [];
  let crashes = 0;
  for (const { key, nth } of points) {
    for (const kill of kills) {
      await begin();
      marked = mark();
      const dying = { kill: () => runner.kill() };
      const act = kill(dying);
      const what = `${act.label}: ${key}, the ${nth + 1}. time`;
      // One path on one server: the others never see it.
      for (const proxy of all()) proxy.once((it) => it.key === key, act, { skip: nth });
      await run(args, { ready: null });
      const fate = await eventually(
        async () =>
          runner.ended ?? ((await runner.request("GET", "/readyz").catch(() => ({}))).code === 200 && "alive"),
        { timeout: 30_000, interval: 20, what },
      );
      if (fate === "alive") await settle({ mayDie: true, ready });
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
        await settle({ ready });
      } catch (error) {
        assert.fail(`${what}: ${error.message}`);
      }
      assert.deepEqual(await look(), wanted, what);
      assert.deepEqual(creates(marked), made, `${what}: everything is made once`);
      assert.deepEqual(deletes(marked), gone, `${what}: the same is deleted, once`);
    }
  }
  assert.deepEqual(
    unreached.filter((it) => it.nth === 0),
    [],
    "every write is reached",
  );
  return { made, gone, crashes, unreached: unreached.length, points: points.length * kills.length };
};

/** The conditions of the runner that do not hold: `{ Unheld: "the plan deletes …" }`. */
export const problems = async () => {
  const conditions = (await hub.find(OWN))?.status?.conditions ?? [];
  return Object.fromEntries(conditions.filter((it) => it.status === "False").map((it) => [it.type, it.message]));
};
/** Waits until the runner says why something waits: in a condition, or in a warning of its log since `from`. */
export const told = (pattern, from = 0) =>
  eventually(
    async () =>
      Object.values(await problems()).some((it) => pattern.test(it)) ||
      runner.logs.slice(from).some((it) => it.level === "WARN" && pattern.test(it.message)),
    { timeout: 20_000, what: `the runner saying ${pattern}` },
  ).catch(async (error) => {
    throw new Error(`${error.message}\n${JSON.stringify(await problems())}\n${runner.lastWords()}`);
  });
/** Like `runPlans`, for drills after which everything must be there as if nothing had been. */
export const runDrills = async (drills, look, again) => {
  const failures = [];
  const wanted = await look();
  const planned = inRounds(drills);
  for (const [what, drill] of planned) {
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
  assert.equal(failures.length, 0, `${failures.length} of ${planned.length} drills fail\n\n${failures.join("\n\n")}`);
  return planned.length;
};

/** The first page of a list of a kind; the next ones are for the server to refuse. */
export function firstPageOf() {
  const first = fault.firstPage();
  return Object.assign(
    (request, exchange) => (request.query.get("continue") ? exchange.pass() : first(request, exchange)),
    { label: first.label },
  );
}

/** Without what servers give out, and without times. */
export function masked(object) {
  const given = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "managedFields",
    "generation",
    "observedGeneration",
    "selfLink",
  ];
  const keep = (key, value) => (given.includes(key) || /Time$/.test(key) || key === "drill" ? undefined : value);
  const copy = JSON.parse(JSON.stringify(object, keep));
  // When deletes happened, and whether a runner that was killed had recorded them, is another each time.
  if (copy.kind === "FleetPlan") delete copy.status?.recentDeletes;
  // What was applied to an object that somebody had annotated says so by an empty map.
  const applied = copy.metadata.annotations?.["fleetfold.dev/applied"];
  if (applied) copy.metadata.annotations["fleetfold.dev/applied"] = applied.replace('"annotations":{},', "");
  for (const key of ["annotations", "labels"])
    if (copy.metadata[key] && Object.keys(copy.metadata[key]).length === 0) delete copy.metadata[key];
  return copy;
}
