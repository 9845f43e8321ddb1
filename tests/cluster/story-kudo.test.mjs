// Seed 002 on a real hub: what versions make, share and borrow, under the eyes of the real garbage collector.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./control-plane.mjs";
import { startPlane, Story } from "./stories.mjs";

const ARGS = ["--dialect", "kudo", "--max-deletes", "100", "--max-delete-percent", "100"];
const ROLE = "ClusterRole/spark-users";
const SETTINGS = "ConfigMap/data/history-settings";
const SERVICE = "Service/data/history";
const FIRST = "OperatorVersion/data/spark-1.0.0";
const SECOND = "OperatorVersion/data/spark-1.1.0";

const PATCH = "patch operatorversions data/spark-1.0.0";

/** What was done to the objects of a plan. KUDO's own kinds keep their status in the object: a patch may be either. */
const made = (writes) => writes.filter((it) => !/^patch (operatorversions|instances) /.test(it));

describe("kudo", () => {
  let plane;
  before(async () => {
    plane = await startPlane({ members: [] });
  });
  after(() => plane?.stop());

  const aggregated = async (ref) => (await plane.hub.get(ref)).status?.aggregatedStatus?.status;
  const isMarked = async (ref) => (await plane.hub.get(ref)).metadata.annotations?.["kudo.dev/managed"] === "true";
  const owners = async (ref) => ((await plane.hub.get(ref)).metadata.ownerReferences ?? []).map((it) => it.name);
  const claims = async (ref) =>
    JSON.parse((await plane.hub.get(ref)).metadata.annotations?.["fleetfold.dev/claims"] ?? "[]");
  const uid = async (ref) => (await plane.hub.get(ref)).metadata.uid;

  test("installing makes what is absent, in the order of the plan, and once", async () => {
    const story = await Story.begin(plane, "stories/002-install", { args: ARGS });
    const writes = await story.settle();
    assert.equal(writes[0], PATCH, "the finalizer is there before anything needs it");
    assert.deepEqual(made(writes), [
      "create clusterroles spark-users",
      "create configmaps data/history-settings",
      "create services data/history",
    ]);
    assert.equal(await aggregated(FIRST), "COMPLETE");
    assert.equal(await aggregated("Instance/data/nightly"), "NEVER_RUN", "its own plans may run now");
    assert.deepEqual(await owners(SETTINGS), ["spark-1.0.0"]);
    // An owner in a namespace cannot own what has none.
    assert.deepEqual(await owners(ROLE), []);
    assert.deepEqual(await claims(ROLE), [`OperatorVersion/data/spark-1.0.0/${await uid(FIRST)}`]);
    assert.ok((await plane.hub.get(FIRST)).metadata.finalizers.includes("fleetfold.dev/release"));
    for (const object of [ROLE, SETTINGS, SERVICE]) assert.ok(await isMarked(object), object);
    await story.expectQuiet();
  });

  test("adopting appends the owner and marks nothing", async () => {
    const story = await Story.begin(plane, "stories/002-adopt", { args: ARGS });
    await story.settle();
    for (const object of [SETTINGS, SERVICE])
      assert.deepEqual(await owners(object), ["spark-1.0.0", "spark-1.1.0"], object);
    assert.deepEqual(await claims(ROLE), [
      `OperatorVersion/data/spark-1.0.0/${await uid(FIRST)}`,
      `OperatorVersion/data/spark-1.1.0/${await uid(SECOND)}`,
    ]);
    assert.deepEqual([await isMarked(SETTINGS), await isMarked(SERVICE)], [true, false]);
    assert.deepEqual([await aggregated(FIRST), await aggregated(SECOND)], ["COMPLETE", "COMPLETE"]);
    await story.expectQuiet();
  });

  test("what differs stops the plan, and it goes on when that is mended", async () => {
    const story = await Story.begin(plane, "stories/002-conflict", { args: ARGS });
    await story.settle();
    assert.equal(await aggregated(FIRST), "FatalError");
    assert.equal(await plane.hub.find(SERVICE), undefined, "nothing after the conflict is done");
    assert.deepEqual((await plane.hub.get(SETTINGS)).data, { retention: "7d", owner: "platform" });
    assert.deepEqual(await owners(SETTINGS), []);
    await plane.hub.patch(SETTINGS, { data: { retention: "30d" } });
    assert.deepEqual(made(await story.settle()), [
      "patch configmaps data/history-settings",
      "create services data/history",
    ]);
    assert.equal(await aggregated(FIRST), "COMPLETE");
    assert.deepEqual([await isMarked(SETTINGS), await isMarked(SERVICE)], [false, true]);
    await story.expectQuiet();
  });

  test("uninstalling releases first, and what was borrowed outlives its borrower", async () => {
    const story = await Story.begin(plane, "stories/002-uninstall", { args: ARGS });
    const writes = await story.settle();
    assert.equal(writes.at(-1), PATCH, `the finalizer goes last: ${writes.join(", ")}`);
    assert.deepEqual(made(writes), [
      "patch services data/history",
      "delete configmaps data/history-settings",
      "patch clusterroles spark-users",
    ]);
    await eventually(async () => !(await plane.hub.find(FIRST)), { what: "the version being gone" });
    // The garbage collector acts within a second of what it sees; give it three.
    await sleep(3000);
    assert.deepEqual(await owners(SERVICE), []);
    assert.deepEqual(await claims(ROLE), ["OperatorVersion/data/flink-2.0.0/uid-flink"]);
    assert.equal(await plane.hub.find(SETTINGS), undefined);
    await story.expectQuiet();
  });

  test("a version stays while something it made may not be deleted", async () => {
    const story = await Story.begin(plane, "stories/002-uninstall", {
      args: ["--dialect", "kudo", "--max-deletes", "0"],
    });
    assert.deepEqual(made(await story.settle()), ["patch services data/history", "patch clusterroles spark-users"]);
    assert.ok((await plane.hub.get(FIRST)).metadata.deletionTimestamp);
    assert.ok(await plane.hub.get(SETTINGS));
    await story.expectQuiet();
  });

  test("an upgrade hands over what both versions share, and deletes none of it", async () => {
    const story = await Story.begin(plane, "stories/002-install", { args: ARGS });
    await story.settle();
    const made = await Promise.all([ROLE, SETTINGS, SERVICE].map(uid));
    const { apiVersion, kind, spec } = await plane.hub.get(FIRST);
    await plane.hub.create({
      apiVersion,
      kind,
      metadata: { name: "spark-1.1.0", namespace: "data" },
      spec: { ...spec, version: "1.1.0" },
    });
    await plane.hub.delete(FIRST);
    const writes = await story.settle();
    assert.ok(!writes.some((it) => it.startsWith("delete")), writes.join(", "));
    await eventually(async () => !(await plane.hub.find(FIRST)), { what: "the old version being gone" });
    await sleep(3000);
    assert.deepEqual(await Promise.all([ROLE, SETTINGS, SERVICE].map(uid)), made, "they are the same objects");
    assert.deepEqual([await owners(SETTINGS), await owners(SERVICE)], [["spark-1.1.0"], ["spark-1.1.0"]]);
    assert.deepEqual(await claims(ROLE), [`OperatorVersion/data/spark-1.1.0/${await uid(SECOND)}`]);
    await story.expectQuiet();
  });

  test("two versions share what the first of them creates", async () => {
    const story = await Story.begin(plane, "kudo", { args: ARGS });
    const writes = await story.settle();
    assert.equal(writes.filter((it) => it === "create deployments db/backup-store").length, 1, writes.join(", "));
    for (const store of ["Deployment/db/backup-store", "Service/db/backup-store"]) {
      assert.deepEqual(await owners(store), ["mysql-8.0-1.0.0", "mysql-8.0-1.1.0"]);
    }
    await story.expectQuiet();
  });
});
