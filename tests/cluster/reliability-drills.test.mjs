// What is not told for a while: nothing is deleted because it was not seen.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "./control-plane.mjs";
import * as fault from "./fault-proxy.mjs";
import { listOf, read, watchOf } from "./fault-proxy.mjs";
import {
  SETTINGS,
  berlin,
  calm,
  current,
  deletes,
  empty,
  federated,
  fired,
  firstPageOf,
  found,
  has,
  hub,
  mark,
  masked,
  onDamagedPlane,
  plane,
  proxies,
  restart,
  run,
  runDrills,
  runner,
  settle,
  since,
  state,
  tokyo,
  told,
} from "./reliability.mjs";

describe("delete drills", () => {
  onDamagedPlane();

  test("what the hub does not tell for a while deletes nothing, and it is said what waits", async () => {
    const group = "greenhouse.sap";
    const names = Array.from({ length: 12 }, (_, index) => `c${String(index + 1).padStart(2, "0")}`);
    const object = (kind, name, spec, labels) => ({
      apiVersion: `${group}/v1alpha1`,
      kind,
      metadata: { name, labels, ...(kind === "Organization" ? {} : { namespace: "my-org" }) },
      spec,
    });
    const begin = async () => {
      await plane.clear();
      await hub.apply([
        object("Organization", "my-org", { displayName: "My organization" }),
        ...names.map((it) => object("Cluster", it, { accessMode: "direct" }, { fleet: "all" })),
        object("PluginDefinition", "my-definition", {
          version: "1.0.0",
          options: [{ name: "a", type: "string", required: false, default: "b" }],
        }),
        object("PluginPreset", "my-preset", {
          clusterSelector: { matchLabels: { fleet: "all" } },
          plugin: { pluginDefinitionName: "my-definition", releaseNamespace: "x", optionValues: [] },
        }),
      ]);
      // The limits that it has by itself.
      await run(["--dialect", "greenhouse"]);
      await settle();
      assert.equal((await hub.list("Plugin/my-org")).length, names.length);
    };
    await begin();
    const look = async () => {
      const lists = await Promise.all(
        ["Plugin/my-org", "PluginPreset/my-org", `Cluster.${group}/my-org`].map((it) => hub.list(it)),
      );
      return lists.flat().map(masked);
    };
    const clusters = listOf("clusters");
    const upperHalf = (it) => it.metadata.name > "c06";
    const flip = (fleet) =>
      Promise.all(
        names.slice(6).map((it) => hub.patch(`Cluster.${group}/my-org/${it}`, { metadata: { labels: { fleet } } })),
      );
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
        "clusters cannot be listed after a restart": (from) =>
          afterRestart(clusters, fault.answer(500), /Cluster.* cannot be watched/, from),
        "the list of clusters is empty": (from) =>
          during(
            clusters,
            fault.without(() => true),
            /have no document, so their Plugins stay/,
            from,
          ),
        "the list of clusters is empty after a restart": (from) =>
          afterRestart(
            clusters,
            fault.without(() => true),
            /have no document, so their Plugins stay/,
            from,
          ),
        "a list of clusters ends after its first page": (from) =>
          during(clusters, firstPageOf(clusters), undefined, from),
        "a list of clusters ends after its first page after a restart": (from) =>
          afterRestart(clusters, firstPageOf(clusters), /Cluster.* cannot be watched/, from),
        "half of the clusters are not listed": (from) =>
          during(clusters, fault.without(upperHalf), /have no document, so their Plugins stay/, from),
        "half of the clusters are not listed after a restart": (from) =>
          afterRestart(clusters, fault.without(upperHalf), /have no document, so their Plugins stay/, from),
        "half of the clusters lose their label, and get it again": async (from) => {
          await flip(null);
          await told(/deletes 6 of 12/, from);
          await runner.reconcile();
          await flip("all");
        },
        "presets are not listed": (from) =>
          during(
            listOf("pluginpresets"),
            fault.without(() => true),
            undefined,
            from,
          ),
        "presets are not listed after a restart": (from) =>
          afterRestart(
            listOf("pluginpresets"),
            fault.without(() => true),
            undefined,
            from,
          ),
        "plugins are not listed": (from) =>
          during(
            listOf("plugins"),
            fault.without(() => true),
            undefined,
            from,
          ),
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
          await eventually(() => looks() >= before + 3, {
            timeout: 40_000,
            what: "the kinds being looked for three times",
          });
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
          const rule = proxies.hub.always(
            listOf("kubefedclusters"),
            fault.without(() => true),
          );
          await runner.reconcile();
          await fired(rule);
          await runner.reconcile();
        },
        "no member is listed after a restart": async () => {
          const rule = proxies.hub.always(
            listOf("kubefedclusters"),
            fault.without(() => true),
          );
          await restart();
          await fired(rule);
          await runner.reconcile();
        },
        "no document is listed": async () => {
          const rule = proxies.hub.always(
            listOf("federatedconfigmaps"),
            fault.without(() => true),
          );
          await runner.reconcile();
          await fired(rule);
          await runner.reconcile();
        },
        "no type is listed": async () => {
          const rule = proxies.hub.always(
            listOf("federatedtypeconfigs"),
            fault.without(() => true),
          );
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
          else
            await hub
              .patch(going, { metadata: { finalizers: null } })
              .then(() => berlin.delete("ConfigMap/shop/going"));
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
    const place = (...names) =>
      hub.patch(SETTINGS, { spec: { placement: { clusters: names.map((name) => ({ name })) } } });
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
    assert.deepEqual(
      deletes(marked),
      [],
      "an older list of documents, read once after a restart, deletes a copy that is wanted",
    );
  });
});
