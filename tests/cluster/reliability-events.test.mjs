// What watches and lists do not tell, tell late or twice: the end is that of a run without faults.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./control-plane.mjs";
import * as fault from "./fault-proxy.mjs";
import { eventOf, listOf, read, watchOf, write } from "./fault-proxy.mjs";
import {
  COPY,
  ROUNDS,
  all,
  berlin,
  calm,
  change,
  creates,
  deletes,
  drift,
  driftOf,
  federated,
  fired,
  fresh,
  has,
  hub,
  isEverywhere,
  keys,
  mark,
  onDamagedPlane,
  proxies,
  restart,
  runPlans,
  runner,
  settle,
  since,
  tokyo,
  told,
  watchingAll,
} from "./reliability.mjs";
import { condition } from "./stories.mjs";

/** Only the plans with events of this kind, as `npm run trust` repeats them. */
const EVENTS = process.env.FLEETFOLD_EVENTS;

describe("events", () => {
  onDamagedPlane();

  test("what watches do not tell, tell late, twice or in another order is made up for", async () => {
    const wanted = await calm();
    const list = "/apis/types.kubefed.io/v1beta1/federatedconfigmaps";
    const one = "/api/v1/namespaces/shop/configmaps/settings";
    const extra = federated("extra", { a: "b" }, ["berlin"]);
    const takeExtraAway = async () => {
      await eventually(() => berlin.find("ConfigMap/shop/extra"), { what: "the new document being in berlin" });
      await hub.delete(extra);
      await settle();
      // A federated object that is deleted takes its copies along.
      await eventually(async () => !(await berlin.find("ConfigMap/shop/extra")), { what: "the copy being deleted" });
    };
    // Each begins with the kind of its events.
    const plans = {
      // Documents of the hub.
      "missed: a change is not reported, and everything is looked at again": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.drop());
        await change(value);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      "missed: a change is lost with its watch": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.dropAndClose());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "missed: in place of a change the watch says that it is too old": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.tooOld());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "merged: the first of two changes is not reported": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.drop());
        await change(fresh());
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "merged: three changes are reported as one": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.drop(), { times: 2 });
        await change(fresh());
        await change(fresh());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "reordered: two changes are reported the other way round": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.swap(), { times: 2 });
        await change(fresh());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "repeated: a change is reported twice": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("settings"), fault.twice());
        await change(value);
        await fired(rule);
        await isEverywhere(value);
      },
      "missed: all watches are closed": async (value) => {
        for (const proxy of all()) assert.ok(proxy.closeWatches() > 0);
        await change(value);
        await isEverywhere(value);
      },
      "missed: a watch that is asked for again is too old": async (value) => {
        const rule = proxies.hub.once(watchOf("federatedconfigmaps"), fault.answer(410));
        proxies.hub.closeWatches("federatedconfigmaps");
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "missed: a watch that is asked for again is refused twice, and so is its list": async (value) => {
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
      "missed: a watch that is asked for again is cut": async (value) => {
        const rule = proxies.hub.once(watchOf("federatedconfigmaps"), fault.cut());
        proxies.hub.closeWatches("federatedconfigmaps");
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "missed: a new document is not reported": async (value) => {
        const rule = proxies.hub.onEvent(eventOf("extra", "ADDED"), fault.drop());
        await hub.apply(extra);
        await fired(rule);
        await runner.reconcile();
        await takeExtraAway();
        await change(value);
      },
      "missed: a document that goes is not reported": async (value) => {
        await hub.apply(extra);
        const rule = proxies.hub.onEvent(eventOf("extra", "DELETED"), fault.drop());
        await takeExtraAway();
        await fired(rule);
        await settle();
        await change(value);
      },
      // Copies in the members.
      "missed: a copy is changed, which is not reported": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.onEvent(driftOf(value), fault.drop());
        await drift(berlin, value);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      "missed: a copy is changed, which is lost with its watch": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.onEvent(driftOf(value), fault.dropAndClose());
        await drift(berlin, value);
        await fired(rule);
        await isEverywhere(value);
      },
      "missed: a copy is changed while its watch is too old": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.onEvent(driftOf(value), fault.tooOld());
        await drift(berlin, value);
        await fired(rule);
        await isEverywhere(value);
      },
      "missed: a copy is deleted, which is not reported": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.tokyo.onEvent(eventOf("settings", "DELETED"), fault.drop());
        await tokyo.delete(COPY);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      "missed: a copy is deleted, which is lost with its watch": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.tokyo.onEvent(eventOf("settings", "DELETED"), fault.dropAndClose());
        await tokyo.delete(COPY);
        await fired(rule);
        await isEverywhere(value);
      },
      "reordered: a copy is deleted, which is reported after it was made again": async (value) => {
        await change(value);
        await isEverywhere(value);
        const rule = proxies.tokyo.onEvent(eventOf("settings"), fault.swap(), { times: 2 });
        await tokyo.delete(COPY);
        await fired(rule);
        await runner.reconcile();
        await isEverywhere(value);
      },
      // Older answers.
      "stale: a look at a copy is answered with what it was": async (value) => {
        const older = await proxies.berlin.snapshot(one);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.stale(older));
        await runner.reconcile();
        await fired(rule);
        await has(berlin, value);
      },
      "stale: a look at a copy that is there says that it is not": async (value) => {
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.answer(404));
        await runner.reconcile();
        await fired(rule);
        await change(value);
        await isEverywhere(value);
      },
      "stale: after a restart a copy that is there seems not to be": async (value) => {
        const rule = proxies.tokyo.once(read("/configmaps/settings"), fault.answer(404));
        await restart(() => change(value));
        await fired(rule);
        await isEverywhere(value);
      },
      "stale: after a restart a copy seems to be what it was": async (value) => {
        const older = await proxies.berlin.snapshot(one);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.berlin.once(read("/configmaps/settings"), fault.stale(older));
        await restart();
        await fired(rule);
      },
      "stale: documents are listed as they were": async (value) => {
        const older = await proxies.hub.snapshot(list);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
        const marked = mark();
        await runner.reconcile();
        await fired(rule);
        assert.deepEqual(keys(since(marked)), [], "what is older than what is known is no news");
      },
      "stale: after a restart documents are listed as they were": async (value) => {
        const older = await proxies.hub.snapshot(list);
        await change(value);
        await isEverywhere(value);
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
        await restart();
        await fired(rule);
        await isEverywhere(value);
      },
      "stale: after a restart a document is not listed yet": async (value) => {
        const older = await proxies.hub.snapshot(list);
        await hub.apply(extra);
        await eventually(() => berlin.find("ConfigMap/shop/extra"), { what: "the new document being in berlin" });
        const rule = proxies.hub.once(listOf("federatedconfigmaps"), fault.stale(older));
        await restart();
        await fired(rule);
        await takeExtraAway();
        await change(value);
      },
      "stale: after a restart a cluster is not listed yet": async (value) => {
        const rule = proxies.hub.once(
          listOf("kubefedclusters"),
          fault.without((it) => it.metadata.name === "tokyo"),
        );
        await restart();
        await fired(rule);
        await change(value);
        await has(berlin, value);
      },
      // Late answers.
      "reordered: a look at a copy arrives after a newer write": async (value) => {
        await change(fresh());
        await settle();
        let release;
        const rule = proxies.berlin.once(
          read("/configmaps/settings"),
          fault.late(new Promise((resolve) => (release = resolve))),
        );
        const looked = runner.reconcile();
        await eventually(() => rule.count > 0, { what: "a look being held up" });
        await change(value);
        await has(tokyo, value);
        await has(berlin, value);
        release();
        await Promise.all([fired(rule), looked]);
        await has(berlin, value);
      },
      "reordered: a list of documents arrives after a newer change": async (value) => {
        let release;
        const rule = proxies.hub.once(
          listOf("federatedconfigmaps"),
          fault.late(new Promise((resolve) => (release = resolve))),
        );
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
      "reordered: a write is answered after a newer change": async (value) => {
        let release;
        const rule = proxies.berlin.once(
          write("PATCH", "/configmaps/settings"),
          fault.late(new Promise((resolve) => (release = resolve))),
        );
        await change(fresh());
        await eventually(() => rule.count > 0, { what: "a write being held up" });
        await change(value);
        await has(tokyo, value);
        release();
        await isEverywhere(value);
      },
    };
    const kindOf = (what) => what.slice(0, what.indexOf(":"));
    const chosen = Object.entries(plans).filter(([what]) => EVENTS === undefined || EVENTS === kindOf(what));
    assert.ok(chosen.length > 0, `no plan has ${EVENTS} events`);
    await runPlans(wanted, Object.fromEntries(chosen), (it) => it.endsWith("/configmaps/extra"));
    for (const kind of new Set(chosen.map(([what]) => kindOf(what)))) {
      const count = ROUNDS * chosen.filter(([what]) => kindOf(what) === kind).length;
      console.log(`${count} plans of ${kind} events, all converged, 0 deletes`);
    }
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
    const written = since(marked)
      .filter((it) => it.path.endsWith("/fleetplans/fleetfold/status"))
      .map((it) => JSON.parse(it.text).find((it) => it.path === "/status").value);
    proxies.tokyo.heal();
    await settle();
    const said = written.map((it) => it.conditions.find((it) => it.type === "ClustersReachable").status);
    assert.deepEqual(
      said.slice(said.indexOf("False")).filter((it) => it === "True"),
      [],
      `ClustersReachable was said to be ${said.join(", ")} in turn while tokyo could not be reached`,
    );
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

  test("a hub that refuses its watches for a moment is listed again, even without changes", async () => {
    await calm();
    await watchingAll();
    // A server that was just started says so of everything, as it has not read its roles yet.
    const refused = ["federatedconfigmaps", "federatedtypeconfigs", "kubefedclusters"].map((it) =>
      proxies.hub.once(watchOf(it), fault.answer(403)),
    );
    proxies.hub.closeWatches();
    for (const rule of refused) await fired(rule);
    await runner.waitForLog(
      (it) => it.level === "WARN" && /FederatedTypeConfig.*the test answers 403/.test(it.message),
      { what: "the refusal being told" },
    );
    const isReady = async () => condition(await hub.get("FleetPlan/fleetfold"), "Ready") === "True Settled";
    await eventually(isReady, { timeout: 60_000, what: "everything being read again" });
    const value = fresh();
    await change(value);
    await isEverywhere(value);
  });
});
