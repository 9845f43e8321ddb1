// Seed 000 on a real hub: Plugins come, change and go as presets, overrides and labels do.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "./control-plane.mjs";
import { startPlane, Story } from "./stories.mjs";

const FIRST = "stories/000-1-plugin-override";
const MINE = "Plugin/my-org/my-preset-my-cluster";
const OTHER = "Plugin/my-org/my-preset-other-cluster";
const ARGS = ["--dialect", "greenhouse", "--max-deletes", "100", "--max-delete-percent", "100"];

describe("greenhouse", () => {
  let plane;
  before(async () => {
    plane = await startPlane({ members: [] });
  });
  after(() => plane?.stop());

  const onlyFleet = { args: ARGS, only: (file) => file === "fleet.yaml" };
  const plugin = (name, spec) => ({
    apiVersion: "greenhouse.sap/v1alpha1",
    kind: "Plugin",
    metadata: { name, namespace: "my-org" },
    spec,
  });
  const option = async (ref, name) => {
    const { spec } = await plane.hub.get(ref);
    const found = spec.optionValues.find((it) => it.name === name);
    return found?.value ?? found?.valueFrom;
  };

  test("a preset makes a plugin for each cluster, and an override reaches the cluster it selects", async () => {
    const story = await Story.begin(plane, FIRST, onlyFleet);
    assert.deepEqual((await story.settle()).sort(), [
      "create plugins my-org/my-preset-my-cluster",
      "create plugins my-org/my-preset-other-cluster",
    ]);
    const untouched = (await plane.hub.get(MINE)).spec;
    assert.equal(await option(MINE, "my-option"), "value-default");

    await story.add(FIRST, { only: (file) => file === "override.yaml" });
    assert.deepEqual(await story.settle(), ["patch plugins my-org/my-preset-my-cluster"]);
    assert.equal(await option(MINE, "my-option"), "value-override");
    assert.equal(await option(OTHER, "my-option"), "value-default");
    assert.equal(await option(MINE, "my-option-3"), "from-definition");
    assert.deepEqual((await plane.hub.get(MINE)).status.appliedOverrides, [
      { document: "PluginOverride/my-org/my-overrides", options: ["my-option"] },
    ]);

    await plane.hub.delete("PluginOverride/my-org/my-overrides");
    assert.deepEqual(await story.settle(), ["patch plugins my-org/my-preset-my-cluster"]);
    assert.deepEqual((await plane.hub.get(MINE)).spec, untouched, "as if it had never been overridden");
    await story.expectQuiet();
  });

  test("a cluster that loses its label loses its plugin, and gets it again", async () => {
    const story = await Story.begin(plane, FIRST, onlyFleet);
    await story.settle();
    const { spec } = await plane.hub.get(MINE);
    await plane.hub.patch("Cluster.greenhouse.sap/my-org/my-cluster", { metadata: { labels: { fleet: null } } });
    assert.deepEqual(await story.settle(), ["delete plugins my-org/my-preset-my-cluster"]);
    await plane.hub.patch("Cluster.greenhouse.sap/my-org/my-cluster", { metadata: { labels: { fleet: "all" } } });
    assert.deepEqual(await story.settle(), ["create plugins my-org/my-preset-my-cluster"]);
    assert.deepEqual((await plane.hub.get(MINE)).spec, spec);
    await story.expectQuiet();
  });

  test("a selector that picks nobody deletes nothing", async () => {
    const story = await Story.begin(plane, FIRST, onlyFleet);
    await story.settle();
    await plane.hub.patch("PluginPreset/my-org/my-preset", {
      spec: { clusterSelector: { matchLabels: { fleet: "al" } } },
    });
    assert.deepEqual(await story.settle(), []);
    assert.ok((await plane.hub.get(MINE)) && (await plane.hub.get(OTHER)));
    await story.expectQuiet();
  });

  test("a preset that goes takes its plugins along", async () => {
    const story = await Story.begin(plane, FIRST, onlyFleet);
    await plane.hub.patch("PluginPreset/my-org/my-preset", { spec: { deletionPolicy: "Delete" } });
    await story.settle();
    await plane.hub.delete("PluginPreset/my-org/my-preset");
    await eventually(async () => (await plane.hub.list("Plugin/my-org")).length === 0, {
      what: "the plugins being gone",
    });
    await eventually(async () => !(await plane.hub.find("PluginPreset/my-org/my-preset")), {
      what: "the preset being gone",
    });
    await story.expectQuiet();
  });

  test("a preset that retains leaves its plugins behind, with the garbage collector looking", async () => {
    const story = await Story.begin(plane, FIRST, onlyFleet);
    await plane.hub.patch("PluginPreset/my-org/my-preset", { spec: { deletionPolicy: "Retain" } });
    await story.settle();
    assert.equal((await plane.hub.get(MINE)).metadata.ownerReferences, undefined);
    await plane.hub.patch("Cluster.greenhouse.sap/my-org/my-cluster", { metadata: { labels: { fleet: null } } });
    await story.settle();
    await plane.hub.delete("PluginPreset/my-org/my-preset");
    await story.settle();
    await eventually(async () => !(await plane.hub.find("PluginPreset/my-org/my-preset")), {
      what: "the preset being gone",
    });
    await story.expectQuiet();
    assert.ok((await plane.hub.get(MINE)) && (await plane.hub.get(OTHER)));
  });

  test("a plugin that the preset did not make is left alone", async () => {
    const story = await Story.begin(plane, FIRST, { args: ARGS, only: () => false });
    const foreign = {
      pluginDefinitionRef: { kind: "PluginDefinition", name: "my-plugindefinition" },
      clusterName: "my-cluster",
    };
    await plane.hub.apply(plugin("my-preset-my-cluster", foreign));
    await story.add(FIRST, { only: (file) => file === "fleet.yaml" });
    await story.settle();
    assert.deepEqual((await plane.hub.get(MINE)).spec, foreign);
    assert.ok(await plane.hub.get(OTHER));
    await story.expectQuiet();
  });

  test("a plugin without a preset gets back what its user wrote", async () => {
    const story = await Story.begin(plane, FIRST, onlyFleet);
    const spec = {
      pluginDefinitionRef: { kind: "PluginDefinition", name: "my-plugindefinition" },
      clusterName: "my-cluster",
      optionValues: [
        { name: "my-option-3", value: "mine" },
        { name: "my-option", value: "also-mine" },
      ],
    };
    await plane.hub.apply(plugin("lone", spec));
    await story.settle();
    await story.add(FIRST, { only: (file) => file === "override.yaml" });
    await story.settle();
    assert.equal(await option("Plugin/my-org/lone", "my-option"), "value-override");
    assert.equal(await option("Plugin/my-org/lone", "my-option-3"), "mine");
    await plane.hub.delete("PluginOverride/my-org/my-overrides");
    await story.settle();
    const back = await plane.hub.get("Plugin/my-org/lone");
    assert.deepEqual(back.spec, spec);
    assert.equal(back.metadata.annotations, undefined);
    await story.expectQuiet();
  });

  test("a cluster overrides what its organization says", async () => {
    const story = await Story.begin(plane, "stories/000-2-organization-and-cluster", { args: ARGS });
    await story.settle();
    assert.equal(await option(OTHER, "my-option"), "value-of-the-organization");
    assert.equal(await option(MINE, "my-option"), "value-of-the-cluster");
    assert.deepEqual(await option(OTHER, "my-option-2"), { secret: { name: "my-secret", key: "my-key" } });
    assert.deepEqual(await option(MINE, "my-option-2"), { secret: { name: "my-cluster-secret", key: "my-key" } });
    await story.expectQuiet();
  });

  test("a preset overrides for a cluster by itself", async () => {
    const story = await Story.begin(plane, "stories/000-3-cluster-option-overrides", { args: ARGS });
    await story.settle();
    assert.equal(await option(MINE, "my-option"), "value-override");
    assert.equal(await option(OTHER, "my-option"), "value-default");
    await story.expectQuiet();
  });

  test("the example is brought about", async () => {
    const story = await Story.begin(plane, "greenhouse", { args: ARGS });
    const writes = await story.settle();
    assert.deepEqual(writes.sort(), [
      "create plugins acme/certs-eu-1",
      "create plugins acme/certs-eu-2",
      "create plugins acme/certs-us-1",
      "create plugins acme/metrics-eu-2",
      "create plugins acme/metrics-us-1",
      "patch plugins acme/certs-lab",
      "patch plugins acme/metrics-eu-1",
    ]);
    const { spec, status } = await plane.hub.get("Plugin/acme/metrics-eu-1");
    assert.equal(spec.releaseName, "metrics-eu-1", "once set, it stays");
    assert.deepEqual(
      status.appliedOverrides.map((it) => it.document),
      [
        "Organization/acme",
        "PluginOverride/acme/quiet",
        "PluginOverride/acme/europe",
        "PluginOverride/acme/metrics-patched",
        "PluginOverride/acme/metrics-eu-1",
        "PluginPreset/acme/metrics",
      ],
    );
    assert.equal(status.statusConditions.conditions[0].type, "Ready", "what others said stays");
    await story.expectQuiet();
  });
});
