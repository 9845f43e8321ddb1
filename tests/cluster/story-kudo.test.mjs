// Seed 002 on a real hub: what versions make, share and borrow, under the eyes of the real garbage collector.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./control-plane.mjs";
import { readExample } from "./documents.mjs";
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
    assert.equal(await aggregated(FIRST), "FATAL_ERROR");
    assert.equal(await plane.hub.find(ROLE), undefined, "nothing is done while a step is known to be fatal");
    assert.equal(await plane.hub.find(SERVICE), undefined);
    assert.deepEqual((await plane.hub.get(SETTINGS)).data, { retention: "7d", owner: "platform" });
    assert.deepEqual(await owners(SETTINGS), []);
    await plane.hub.patch(SETTINGS, { data: { retention: "30d" } });
    assert.deepEqual(made(await story.settle()), [
      "create clusterroles spark-users",
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

  test("deleting a version is consent, but not for its namespace, and the status names the command", async () => {
    const story = await Story.begin(plane, "stories/002-install", {
      args: ["--dialect", "kudo", "--max-deletes", "0"],
    });
    const { spec } = await plane.hub.get(FIRST);
    await story.settle();
    const templates = { "jobs.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: spark-jobs}\n" };
    const [first, ...tasks] = spec.tasks;
    const resources = [...first.spec.resources, "jobs.yaml"];
    await plane.hub.patch(FIRST, { spec: { templates, tasks: [{ ...first, spec: { resources } }, ...tasks] } });
    await story.settle();
    assert.ok(await plane.hub.get("Namespace/spark-jobs"));

    await plane.hub.delete(FIRST);
    await story.settle();
    assert.ok((await plane.hub.get(FIRST)).metadata.deletionTimestamp, "it waits for the namespace");
    assert.equal(await plane.hub.find(SETTINGS), undefined, "the delete budget does not hold what was asked for");
    const held = (await plane.hub.get(FIRST)).status.conditions.find((it) => it.type === "Held");
    assert.equal(held.reason, "ProtectedKind");
    assert.match(held.message, /kubectl annotate namespace\/spark-jobs fleetfold\.dev\/allow-delete=true/);
    await story.expectQuiet();

    const annotations = { "fleetfold.dev/allow-delete": "true" };
    await plane.hub.patch("Namespace/spark-jobs", { metadata: { annotations } });
    await eventually(async () => !(await plane.hub.find(FIRST)), { what: "the version being deleted" });
  });

  test("what was borrowed survives a lost status and the garbage collector", async () => {
    const story = await Story.begin(plane, "stories/002-conflict", { args: ARGS });
    await plane.hub.patch(SETTINGS, { data: { retention: "30d" } });
    await story.settle();
    assert.deepEqual(await owners(SETTINGS), ["spark-1.0.0"]);
    const adopted = (await plane.hub.get(SETTINGS)).metadata.annotations["fleetfold.dev/adopted-by"];
    assert.deepEqual(JSON.parse(adopted), [`OperatorVersion/data/spark-1.0.0/${await uid(FIRST)}`]);

    // A template drops it, the status is lost as in a restore, and then the version is deleted.
    await story.runner.stop();
    const { spec } = await plane.hub.get(FIRST);
    const [access, history] = spec.plans.install.phases;
    const steps = history.steps.filter((it) => it.name !== "settings");
    const plans = { ...spec.plans, install: { ...spec.plans.install, phases: [access, { ...history, steps }] } };
    await plane.hub.patch(FIRST, { spec: { plans }, status: null });
    assert.equal((await plane.hub.get(FIRST)).status, undefined);
    await plane.hub.delete(FIRST);
    story.runner = await plane.run({ args: ARGS });
    await eventually(async () => !(await plane.hub.find(FIRST)), { what: "the version being deleted" });
    await sleep(3000);
    assert.deepEqual(await owners(SETTINGS), [], "the garbage collector did not take it");
    assert.equal((await plane.hub.get(SETTINGS)).metadata.annotations?.["fleetfold.dev/adopted-by"], undefined);
    assert.equal(await plane.hub.find(SERVICE), undefined, "what was created is deleted");
  });

  test("a step waits until the Job of the one before is complete", async () => {
    const story = await Story.begin(plane, "stories/002-install", { args: ARGS, only: () => false });
    const { documents } = readExample("stories/002-install");
    const version = documents.find((it) => it.kind === "OperatorVersion");
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "prepare" },
      spec: {
        suspend: true,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "example.test/prepare:1" }] } },
      },
    };
    version.spec.templates["job.yaml"] = JSON.stringify(job);
    version.spec.tasks[0].spec.resources.push("job.yaml");
    delete version.metadata.uid;
    await plane.hub.apply(version);
    const step = async () => (await plane.hub.get(FIRST)).status.planStatus.install.phases[0].steps[0];
    await eventually(async () => (await plane.hub.find("Job/data/prepare")) && (await step()).message, {
      what: "the step waiting for its Job",
    });
    assert.equal((await step()).status, "IN_PROGRESS");
    assert.match((await step()).message, /`Job\/data\/prepare`: it is suspended/);
    assert.equal(await plane.hub.find(SETTINGS), undefined, "the next step has not begun");
    await plane.hub.delete("Job/data/prepare");
    await story.runner.stop();
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
