// Seed 001 on a real hub: sets say whether they are empty, placements say which clusters they chose.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { command } from "./command.mjs";
import { eventually } from "./control-plane.mjs";
import { condition, startPlane, Story } from "./stories.mjs";

const ARGS = ["--dialect", "ocm", "--max-deletes", "100", "--max-delete-percent", "100"];
const REGION = "info.open-cluster-management.io/region";
const MIDDLEWARE = "info.open-cluster-management.io/middlewareEnabled";
const SET = "cluster.open-cluster-management.io/clusterset";

describe("ocm", () => {
  let plane;
  before(async () => {
    plane = await startPlane({ members: [] });
  });
  after(() => plane?.stop());

  const label = (cluster, key, value) =>
    plane.hub.patch(`ManagedCluster/${cluster}`, { metadata: { labels: { [key]: value } } });
  const decided = async (decision) =>
    (await plane.hub.get(`PlacementDecision/${decision}`)).status.decisions.map((it) => it.clusterName);
  const isEmpty = async (set) => condition(await plane.hub.get(`ManagedClusterSet/${set}`), "ClusterSetEmpty");

  test("a set follows the region that agents report", async () => {
    const story = await Story.begin(plane, "stories/001-apac", { args: ARGS });
    assert.deepEqual(await story.settle(), [], "sets are a matter of statuses");
    assert.equal(await isEmpty("apacset"), "False ClustersSelected");
    await label("tokyo", REGION, null);
    await story.settle();
    assert.equal(await isEmpty("apacset"), "True NoClusterMatched");
    await label("osaka", REGION, "apac");
    await story.settle();
    assert.equal(await isEmpty("apacset"), "False ClustersSelected");
    await story.expectQuiet();
  });

  test("a placement goes where the middleware is on", async () => {
    const story = await Story.begin(plane, "stories/001-middleware", { args: ARGS });
    assert.deepEqual(await story.settle(), ["create placementdecisions dev/checkout-decision-1"]);
    assert.deepEqual(await decided("dev/checkout-decision-1"), ["shop-1"]);
    await label("shop-2", MIDDLEWARE, "true");
    assert.deepEqual(await story.settle(), [], "another cluster is a matter of statuses");
    assert.deepEqual(await decided("dev/checkout-decision-1"), ["shop-1", "shop-2"]);
    await label("shop-1", MIDDLEWARE, "false");
    await story.settle();
    assert.deepEqual(await decided("dev/checkout-decision-1"), ["shop-2"]);
    await story.expectQuiet();
  });

  test("an emptied placement keeps its decision until that is allowed and approved", async () => {
    const story = await Story.begin(plane, "stories/001-middleware", { args: ARGS });
    await label("shop-2", MIDDLEWARE, "true");
    await story.settle();
    assert.deepEqual(await decided("dev/checkout-decision-1"), ["shop-1", "shop-2"]);
    await story.runner.stop();

    const since = new Date();
    const writes = async () =>
      (await plane.hub.auditWrites({ user: "runner", since })).filter((it) =>
        it.resource.startsWith("placementdecisions"),
      );
    const own = async () => (await plane.hub.get("FleetPlan/fleetfold")).status;
    const approve = async () => {
      const { code, err } = command(["approve", (await own()).digest, "--kubeconfig", plane.KUBECONFIG]);
      assert.equal(code, 0, err);
    };
    for (const cluster of ["shop-1", "shop-2"]) await label(cluster, MIDDLEWARE, "false");
    const none = ["--require-approval", "--max-deletes", "0", "--max-delete-percent", "0", "--max-changes", "0"];
    const strict = await plane.run({ args: ["--dialect", "ocm", ...none] });
    await strict.reconcile();
    await eventually(
      async () => (await own()).held?.some((it) => it.target === "PlacementDecision/dev/checkout-decision-1"),
      { what: "the decision being held" },
    );
    await strict.reconcile();
    assert.deepEqual(await writes(), []);
    assert.deepEqual(await decided("dev/checkout-decision-1"), ["shop-1", "shop-2"]);
    await strict.stop();

    const allowed = await plane.run({ args: [...ARGS, "--require-approval", "--allow-empty-selection"] });
    await allowed.reconcile();
    await eventually(
      async () => condition(await plane.hub.get("FleetPlan/fleetfold"), "Approved")?.startsWith("False"),
      {
        what: "the plan waiting for approval",
      },
    );
    assert.deepEqual(await writes(), []);
    await approve();
    await eventually(async () => (await decided("dev/checkout-decision-1")).length === 0, {
      what: "the approved decision",
    });
    assert.ok((await writes()).length > 0);
    await allowed.stop();
  });

  test("a placement that goes takes its decisions along", async () => {
    const story = await Story.begin(plane, "stories/001-middleware", { args: ARGS });
    await story.settle();
    await plane.hub.delete("Placement/dev/checkout");
    await eventually(async () => !(await plane.hub.find("PlacementDecision/dev/checkout-decision-1")), {
      what: "the decision being gone",
    });
    await story.expectQuiet();
  });

  test("a cluster is in the set of one team or of the other", async () => {
    const story = await Story.begin(plane, "stories/001-dev-and-qa", { args: ARGS });
    await story.settle();
    assert.deepEqual([await decided("dev/app-decision-1"), await decided("qa/app-decision-1")], [["dev-1"], ["qa-1"]]);
    await label("dev-1", SET, "qa");
    await story.settle();
    // The selection of the team would become empty, which is held: its decision stays.
    assert.deepEqual(
      [await decided("dev/app-decision-1"), await decided("qa/app-decision-1")],
      [["dev-1"], ["dev-1", "qa-1"]],
    );
    assert.equal(await isEmpty("devset"), "True NoClusterMatched");
    await label("qa-1", SET, "dev");
    await story.settle();
    assert.deepEqual([await decided("dev/app-decision-1"), await decided("qa/app-decision-1")], [["qa-1"], ["dev-1"]]);
    await story.expectQuiet();
  });

  test("the example settles with decisions by group", async () => {
    const story = await Story.begin(plane, "ocm", { args: ARGS });
    assert.deepEqual((await story.settle()).sort(), [
      "create placementdecisions ops/agents-decision-1",
      "create placementdecisions team-a/web-decision-2",
    ]);
    assert.deepEqual(await decided("team-a/web-decision-1"), ["c2"]);
    assert.deepEqual(await decided("team-a/web-decision-2"), ["c3"]);
    assert.deepEqual(await decided("ops/agents-decision-1"), ["c1", "c2", "c3", "c4"]);
    await story.expectQuiet();
  });
});
