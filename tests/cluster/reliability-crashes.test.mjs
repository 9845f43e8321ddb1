// The runner is killed at every write it makes, gets errors, and its servers are killed: the end is that of a run
// without faults.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "./control-plane.mjs";
import * as fault from "./fault-proxy.mjs";
import { write } from "./fault-proxy.mjs";
import {
  COPY,
  OWN,
  berlin,
  calm,
  change,
  configMap,
  crashAtEveryWrite,
  deletes,
  empty,
  federated,
  federatedNamespace,
  fired,
  found,
  fresh,
  has,
  hub,
  isEverywhere,
  mark,
  onDamagedPlane,
  plane,
  proxies,
  run,
  runPlans,
  runner,
  settle,
  state,
  tokyo,
  told,
} from "./reliability.mjs";
import { condition } from "./stories.mjs";

describe("crashes", () => {
  onDamagedPlane();

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

    const { made, gone, crashes, unreached, points } = await crashAtEveryWrite({ begin });
    assert.equal(made.length, 3, made.join("\n"));
    assert.equal(gone.length, 2, gone.join("\n"));
    console.log(
      `${crashes} crash points, all converged; ${unreached} of ${points} did not come about, each a repeat of ` +
        "a write that did",
    );
  });

  test("a runner that is killed right after a delete has counted it", async () => {
    await found();
    await empty();
    const both = ["a", "b"].map((it) => federated(it, { key: it }, ["berlin", "tokyo"]));
    await hub.apply([...both, federatedNamespace]);
    await run(["--dialect", "kubefed", "--max-deletes", "1", "--max-delete-percent", "100"]);
    await settle();
    const copy = (name) => berlin.find(`ConfigMap/shop/${name}`);
    const leaveBerlin = (name) =>
      hub.patch(`FederatedConfigMap/shop/${name}`, { spec: { placement: { clusters: [{ name: "tokyo" }] } } });
    const recent = async () =>
      ((await hub.get(OWN)).status.recentDeletes ?? []).reduce((sum, it) => sum + it.objects, 0);

    const kill = fault.killUnanswered({ kill: () => runner.kill() });
    const rule = proxies.berlin.once(write("DELETE", "/configmaps/a"), kill);
    await leaveBerlin("a");
    await fired(rule);
    await eventually(() => runner.ended, { what: "the runner being killed" });
    assert.equal(await copy("a"), undefined);
    assert.equal(await recent(), 1, "the delete is not counted");

    await leaveBerlin("b");
    await runner.start();
    const isHeld = async () => condition(await hub.get(OWN), "Unheld") === "False ActionsHeld";
    await eventually(isHeld, { timeout: 30_000, what: "the next delete being held" });
    await runner.reconcile();
    assert.ok(await copy("b"), "a crash freed the budget");
    assert.equal(await recent(), 1);
  });

  test("errors and cut connections on a write delay it, and nothing is made twice", async () => {
    const wanted = await calm();
    const faults = {
      409: fault.answer(409),
      "429 with Retry-After": fault.answer(429, 1),
      500: fault.answer(500),
      503: fault.answer(503, 1),
      504: fault.answer(504),
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
    console.log(`${count} plans of errors, on ${count * 3} writes, all converged, 0 made twice`);
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
