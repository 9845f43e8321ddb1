// What goes wrong in the field: each shows as a condition and as a log line that says what to do, and the rest goes on.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "./control-plane.mjs";
import { registerGreenhouseCluster, registerKubeFedCluster } from "./members.mjs";
import { condition, startPlane, Story } from "./stories.mjs";

const LIMITS = ["--max-deletes", "100", "--max-delete-percent", "100"];
const OWN = "FleetPlan/fleetfold";
const FIRST = "stories/000-1-plugin-override";
const MINE = "Plugin/my-org/my-preset-my-cluster";

describe("faults", () => {
  let plane, berlin, tokyo;
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
    ({ berlin, tokyo } = plane.members);
  });
  after(() => plane?.stop());

  /** The message of a condition of the runner, once it is False. */
  const problem = (type, pattern = /./) =>
    eventually(
      async () => {
        const own = await plane.hub.find(OWN);
        const found = own?.status?.conditions?.find((it) => it.type === type && it.status === "False");
        return found && pattern.test(found.message) && found.message;
      },
      { timeout: 30_000, what: `the condition ${type} being False and saying ${pattern}` },
    );
  const lifted = (type) =>
    eventually(async () => condition(await plane.hub.get(OWN), type)?.startsWith("True"), {
      timeout: 60_000,
      what: `${type} being True again`,
    });
  const told = (runner, pattern) =>
    runner.waitForLog((it) => it.level === "WARN" && pattern.test(it.message), {
      what: `a warning that says ${pattern}`,
    });

  test("a document that the engine rejects stops itself and nothing else", async () => {
    const story = await Story.begin(plane, FIRST, {
      args: ["--dialect", "greenhouse", ...LIMITS],
      only: (file) => file === "fleet.yaml",
    });
    await story.settle();
    await plane.hub.apply({
      apiVersion: "greenhouse.sap/v1alpha1",
      kind: "PluginPreset",
      metadata: { name: "broken", namespace: "my-org" },
      spec: {
        clusterSelector: { matchExpressions: [{ key: "a", operator: "Near", values: ["b"] }] },
        plugin: { pluginDefinition: "my-definition" },
      },
    });
    const message = await problem("DocumentsRead", /Near/);
    assert.match(message, /PluginPreset\/my-org\/broken/);
    await told(story.runner, /Near/);
    await plane.hub.delete(MINE);
    await eventually(() => plane.hub.find(MINE), { what: "the others going on" });
    await plane.hub.delete("PluginPreset/my-org/broken");
    await lifted("DocumentsRead");
    await lifted("Ready");
  });

  test("what may not be done in one namespace is told, and done in the others", async () => {
    await plane.clear();
    const rules = [
      { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
      { apiGroups: ["fleetfold.dev"], resources: ["*"], verbs: ["*"] },
      { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
    ];
    const role = (name, rules) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name },
      rules,
    });
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "dev" }];
    const roleRef = (name) => ({ kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name });
    await plane.hub.apply([
      role("reads", rules),
      role("writes", [{ apiGroups: ["greenhouse.sap"], resources: ["*"], verbs: ["create", "patch", "delete"] }]),
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "reads" },
        subjects,
        roleRef: roleRef("reads"),
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "writes", namespace: "my-org" },
        subjects,
        roleRef: roleRef("writes"),
      },
    ]);
    const story = new Story(plane, {});
    await story.add(FIRST, { only: (file) => file === "fleet.yaml" });
    const elsewhere = (
      await Promise.all(
        ["PluginDefinition", "Cluster.greenhouse.sap", "PluginPreset"].map((it) => plane.hub.list(`${it}/my-org`)),
      )
    ).flat();
    await plane.hub.apply(
      elsewhere.map(({ apiVersion, kind, metadata, spec }) => ({
        apiVersion,
        kind,
        spec,
        metadata: { name: metadata.name, labels: metadata.labels, namespace: "other-org" },
      })),
    );
    const runner = await plane.run({ user: "dev", args: ["--dialect", "greenhouse", ...LIMITS] });
    await eventually(() => plane.hub.find(MINE), { what: "my-org having its plugins" });
    const message = await problem("Permitted", /other-org/);
    assert.match(message, /cannot create resource "plugins"/);
    assert.match((await told(runner, /cannot create/)).hint, /grant/);
    assert.deepEqual(await plane.hub.list("Plugin/other-org"), []);
    await runner.stop();
  });

  test("a kind that may not be read is unknown, and its dialect waits while others go on", async () => {
    await plane.clear();
    await plane.hub.apply([
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "most" },
        rules: [
          {
            apiGroups: [
              "kudo.dev",
              "core.kubefed.io",
              "types.kubefed.io",
              "operators.opdev.io",
              "operators.redhat.io",
              "operator.openshift.io",
              "cluster.open-cluster-management.io",
              "apiextensions.k8s.io",
              "",
            ],
            resources: ["*"],
            verbs: ["*"],
          },
          {
            apiGroups: ["greenhouse.sap"],
            resources: [
              "organizations",
              "clusters",
              "plugindefinitions",
              "clusterplugindefinitions",
              "pluginpresets",
              "plugins",
              "catalogs",
            ],
            verbs: ["*"],
          },
          { apiGroups: ["fleetfold.dev"], resources: ["*"], verbs: ["*"] },
        ],
      },
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "most" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "qa" }],
        roleRef: { kind: "ClusterRole", apiGroup: "rbac.authorization.k8s.io", name: "most" },
      },
    ]);
    const story = new Story(plane, {});
    await story.add(FIRST, { only: (file) => file === "fleet.yaml" });
    const runner = await plane.run({ user: "qa", args: ["--dialect", "greenhouse", "--dialect", "ocm", ...LIMITS] });
    assert.match(await problem("Permitted", /pluginoverrides/), /grant/);
    await runner.reconcile();
    assert.equal(await plane.hub.find(MINE), undefined, "without its overrides a plugin would be a wrong one");
    await story.add("ocm");
    await eventually(
      async () => (await plane.hub.list("ManagedClusterSet")).some((it) => it.status?.conditions?.length),
      { what: "the other dialect going on" },
    );
    await plane.hub.patch("ClusterRole/most", [{ op: "add", path: "/rules/1/resources/-", value: "pluginoverrides" }], {
      kind: "json",
    });
    await eventually(() => plane.hub.find(MINE), { timeout: 60_000, what: "the dialect going on once it may read" });
    await runner.stop();
  });

  test("a member whose token has expired is unknown until it gets another one", async () => {
    await plane.clear();
    const story = new Story(plane, {});
    await story.add("kubefed");
    await registerKubeFedCluster(plane.hub, tokyo, { token: "expired", labels: { region: "apac", tier: "staging" } });
    const runner = await plane.run({ args: ["--dialect", "kubefed", ...LIMITS] });
    await eventually(() => berlin.find("Deployment/shop/web"), { what: "berlin having everything" });
    const message = await problem("ClustersReachable", /tokyo/);
    assert.match(message, /renew the token/);
    await told(runner, /tokyo/);
    assert.equal(await tokyo.find("Deployment/shop/web"), undefined);
    await registerKubeFedCluster(plane.hub, tokyo, { labels: { region: "apac", tier: "staging" } });
    await eventually(() => tokyo.find("Deployment/shop/web"), { timeout: 90_000, what: "tokyo catching up" });
    await lifted("ClustersReachable");
    await runner.stop();
  });

  test("a broken kubeconfig Secret is named, and a mended one is used", async () => {
    await plane.clear();
    const story = new Story(plane, {});
    await story.add("kubefed");
    // Known to KubeFed by name alone: Greenhouse holds the access.
    await plane.hub.patch("KubeFedCluster/kube-federation-system/tokyo", { spec: { secretRef: null } });
    await registerGreenhouseCluster(plane.hub, tokyo, { organization: "acme" });
    const good = (await plane.hub.get("Secret/acme/tokyo")).data;
    const broken = Buffer.from("clusters: [").toString("base64");
    await plane.hub.patch("Secret/acme/tokyo", { data: { kubeconfig: broken, greenhousekubeconfig: broken } });
    const runner = await plane.run({ args: ["--dialect", "kubefed", "--dialect", "greenhouse", ...LIMITS] });
    const message = await problem("ClustersReachable", /Secret\/acme\/tokyo/);
    assert.match(message, /cannot be read/);
    assert.match(message, /fix `Secret\/acme\/tokyo`/);
    await eventually(() => berlin.find("Deployment/shop/web"), { what: "berlin having everything" });
    await plane.hub.patch("Secret/acme/tokyo", { data: good });
    await eventually(() => tokyo.find("Deployment/shop/web"), { timeout: 90_000, what: "tokyo catching up" });
    await runner.stop();
  });

  test("somebody who changes it back again and again is named, and not fought for ever", async () => {
    const story = await Story.begin(plane, "kubefed", { args: ["--dialect", "kubefed", ...LIMITS] });
    await story.settle();
    const since = new Date();
    const rival = async () => {
      const { data } = await berlin.get("ConfigMap/shop/settings");
      if (data.currency !== "USD")
        await berlin.apply(
          {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "settings", namespace: "shop" },
            data: { currency: "USD" },
          },
          { manager: "rival" },
        );
    };
    let message;
    for (let turn = 0; turn < 100 && !message; turn += 1) {
      await rival();
      await sleep(200);
      const own = await plane.hub.find(OWN);
      message = own?.status?.conditions?.find(
        (it) => it.type === "Uncontested" && it.status === "False" && it.message.includes("rival"),
      )?.message;
    }
    assert.match(message ?? "", /ConfigMap\/shop\/settings in berlin is reverted by .*rival/);
    await told(story.runner, /rival/);
    const ours = (await berlin.auditWrites({ user: "runner", since })).filter((it) => it.resource === "configmaps");
    assert.ok(ours.length <= 4, `${ours.length} writes against the rival`);
  });

  test("what an admission policy refuses is told with its reason, and tried again", async () => {
    await plane.clear();
    await plane.hub.apply([
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicy",
        metadata: { name: "no-mine" },
        spec: {
          failurePolicy: "Fail",
          matchConstraints: {
            resourceRules: [
              { apiGroups: ["greenhouse.sap"], apiVersions: ["*"], operations: ["CREATE"], resources: ["plugins"] },
            ],
          },
          validations: [{ expression: "object.metadata.name != 'my-preset-my-cluster'", message: "not this one" }],
        },
      },
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name: "no-mine" },
        spec: { policyName: "no-mine", validationActions: ["Deny"] },
      },
    ]);
    await sleep(2000);
    const story = new Story(plane, {});
    await story.add(FIRST, { only: (file) => file === "fleet.yaml" });
    const runner = await plane.run({ args: ["--dialect", "greenhouse", ...LIMITS] });
    assert.match(await problem("Applied", /not this one/), /Plugin\/my-org\/my-preset-my-cluster/);
    await eventually(() => plane.hub.find("Plugin/my-org/my-preset-other-cluster"), {
      what: "the other one being there",
    });
    await plane.hub.delete("ValidatingAdmissionPolicyBinding/no-mine");
    await eventually(() => plane.hub.find(MINE), { timeout: 60_000, what: "it being there once it may" });
    await lifted("Applied");
    await runner.stop();
  });

  // Last: a definition that comes again is not one that `clear` leaves in place.
  test("a kind that is not installed is named, and picked up when it comes", async () => {
    const crd = await plane.hub.get("CustomResourceDefinition/pluginoverrides.greenhouse.sap");
    const story = await Story.begin(plane, FIRST, {
      args: ["--dialect", "greenhouse", ...LIMITS],
      only: (file) => file === "fleet.yaml",
    });
    await story.settle();
    await plane.hub.delete("CustomResourceDefinition/pluginoverrides.greenhouse.sap");
    const message = await problem("KindsServed", /PluginOverride/);
    assert.match(message, /fleetfold crds/);
    await plane.hub.delete(MINE);
    await eventually(() => plane.hub.find(MINE), { what: "the rest going on" });
    const { apiVersion, kind, spec } = crd;
    await plane.hub.define([{ apiVersion, kind, metadata: { name: crd.metadata.name }, spec }]);
    await lifted("KindsServed");
    await story.add(FIRST, { only: (file) => file === "override.yaml" });
    const option = async () =>
      (await plane.hub.get(MINE)).spec.optionValues.find((it) => it.name === "my-option").value;
    await eventually(async () => (await option()) === "value-override", {
      timeout: 30_000,
      what: "the override counting",
    });
  });
});
