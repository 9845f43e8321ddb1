// Seed 004 on a real hub: installed in waves, mended, upgraded, taken back, refreshed, and collected in the end.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "./control-plane.mjs";
import { condition, startPlane, Story } from "./stories.mjs";

const ARGS = ["--dialect", "certmanager", "--max-deletes", "100", "--max-delete-percent", "100"];
const BUNDLES = "certmanager/bundles";
const SUBJECT = "CertManagerDeployment/cluster";
const DEPLOYMENTS = ["cert-manager", "cert-manager-cainjector", "cert-manager-webhook"];
const RECORD = "certmanagerdeployment.opdev.io/secret-resource-versions";

/** The order that the seed asks for. */
const WAVES = [
  ["customresourcedefinitions"],
  ["namespaces"],
  ["serviceaccounts"],
  ["roles"],
  ["rolebindings"],
  ["clusterroles"],
  ["clusterrolebindings"],
  ["deployments"],
  ["services"],
  ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
];

describe("certmanager", () => {
  let plane;
  before(async () => {
    plane = await startPlane({ members: [] });
  });
  after(() => plane?.stop());

  const container = async (deployment, name = "cert-manager") =>
    (await plane.hub.get(`Deployment/cert-manager/${deployment}`)).spec.template.spec.containers.find(
      (it) => it.name === name,
    );
  const owners = async (ref) =>
    ((await plane.hub.get(ref)).metadata.ownerReferences ?? []).map((it) => `${it.kind}/${it.name}`);

  /** What kubelets and controllers would say if there were any. */
  async function runEverything() {
    for (const name of DEPLOYMENTS) {
      const { generation } = (await plane.hub.get(`Deployment/cert-manager/${name}`)).metadata;
      const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
      await plane.hub.replaceStatus(`Deployment/cert-manager/${name}`, { observedGeneration: generation, ...counts });
    }
  }

  test("everything is installed in the order of the seed, and is ready when it runs", async () => {
    const story = await Story.begin(plane, [BUNDLES, "stories/004-install"], { args: ARGS });
    const writes = await story.settle();
    const waves = writes.map((it) => {
      const [verb, resource] = it.split(" ");
      assert.equal(verb, "create", it);
      return WAVES.findIndex((wave) => wave.includes(resource));
    });
    assert.deepEqual(
      waves,
      waves.toSorted((a, b) => a - b),
      writes.join(", "),
    );
    assert.deepEqual(
      [...new Set(waves)],
      WAVES.map((_, wave) => wave),
      writes.join(", "),
    );
    assert.deepEqual(await owners("CustomResourceDefinition/certificates.cert-manager.io"), []);
    for (const object of [
      "Namespace/cert-manager",
      "Deployment/cert-manager/cert-manager",
      "ClusterRole/cert-manager-view",
    ]) {
      assert.deepEqual(await owners(object), [SUBJECT], object);
    }

    const controller = await container("cert-manager");
    assert.equal(controller.image, "example.test/controller:dev");
    assert.deepEqual(controller.args, [
      "--cluster-resource-namespace=$(POD_NAMESPACE)",
      "--leader-election-namespace=kube-system",
      "--v=4",
    ]);
    assert.equal((await container("cert-manager-webhook")).image, "example.test/jetstack/cert-manager-webhook:v1.2.0");

    assert.equal(condition(await plane.hub.get(SUBJECT), "Ready"), "False NotRunning");
    await runEverything();
    assert.deepEqual(await story.settle(), []);
    const subject = await plane.hub.get(SUBJECT);
    assert.equal(condition(subject, "Ready"), "True Running");
    assert.equal(condition(subject, "CRDsAreReady"), "True AllCRDsHealthy");
    assert.deepEqual([subject.status.phase, subject.status.version], ["Running", "v1.2.0"]);
    await story.expectQuiet();
  });

  test("what was there is mended by the policy of its kind", async () => {
    const story = await Story.begin(plane, [BUNDLES, "stories/004-difference"], { args: ARGS });
    const patches = (await story.settle()).filter((it) => it.startsWith("patch"));
    assert.deepEqual(patches, [
      "patch clusterroles cert-manager-controller-approve:cert-manager-io",
      "patch clusterrolebindings cert-manager-controller-orders",
      "patch deployments cert-manager/cert-manager-cainjector",
    ]);
    const { spec } = await plane.hub.get("Deployment/cert-manager/cert-manager-cainjector");
    assert.equal(spec.replicas, 1);
    assert.equal((await container("cert-manager-cainjector", "sidecar")).image, "example.test/sidecar:1");
    const account = await plane.hub.get("ServiceAccount/cert-manager/cert-manager");
    assert.equal(account.metadata.labels.app, "other", "service accounts are not updated");
    const found = [
      "Namespace/cert-manager",
      "ServiceAccount/cert-manager/cert-manager",
      "ClusterRole/cert-manager-controller-approve:cert-manager-io",
      "Deployment/cert-manager/cert-manager-cainjector",
    ];
    for (const ref of found) assert.deepEqual(await owners(ref), [], `${ref} existed before`);
    assert.equal(
      (await plane.hub.get("ClusterRoleBinding/cert-manager-controller-orders")).roleRef.name,
      "cluster-admin",
    );
    assert.ok(await plane.hub.get("ClusterRole/cert-manager-handmade"));
    await runEverything();
    await story.settle();
    assert.equal(condition(await plane.hub.get(SUBJECT), "Ready"), "False Blocked");
    await story.expectQuiet();
    await plane.hub.delete(SUBJECT);
    const isCollected = async () => !(await plane.hub.find("Deployment/cert-manager/cert-manager"));
    await eventually(isCollected, { what: "what was created being collected" });
    for (const ref of found) assert.ok(await plane.hub.find(ref), `${ref} stays`);
  });

  test("drift is mended", async () => {
    const story = await Story.begin(plane, [BUNDLES, "stories/004-install"], { args: ARGS });
    await story.settle();
    const role = await plane.hub.get("ClusterRole/cert-manager-edit");
    await plane.hub.patch("ClusterRole/cert-manager-edit", { rules: [] });
    await plane.hub.delete("Service/cert-manager/cert-manager");
    await plane.hub.patch("Deployment/cert-manager/cert-manager", { spec: { replicas: 7 } });
    // It may begin before the last of the three: they are in no order.
    assert.deepEqual((await story.settle()).sort(), [
      "create services cert-manager/cert-manager",
      "patch clusterroles cert-manager-edit",
      "patch deployments cert-manager/cert-manager",
    ]);
    assert.deepEqual((await plane.hub.get("ClusterRole/cert-manager-edit")).rules, role.rules);
    await story.expectQuiet();
  });

  test("an upgrade changes what the next version changes, and going back takes it away", async () => {
    const story = await Story.begin(plane, [BUNDLES, "stories/004-install"], { args: ARGS });
    await story.settle();
    await story.add("stories/004-upgrade");
    const up = (await story.settle()).filter((it) => !it.startsWith("patch deployments"));
    assert.deepEqual(up, [
      "patch customresourcedefinitions certificaterequests.cert-manager.io",
      "create clusterroles cert-manager-controller-approve:cert-manager-io",
      "create clusterroles cert-manager-webhook:subjectaccessreviews",
      "create clusterrolebindings cert-manager-controller-approve:cert-manager-io",
      "create clusterrolebindings cert-manager-webhook:subjectaccessreviews",
    ]);
    assert.equal((await container("cert-manager")).image, "example.test/controller:dev", "the override stays");
    assert.equal((await container("cert-manager-webhook")).image, "example.test/jetstack/cert-manager-webhook:v1.3.1");
    assert.equal((await plane.hub.get(SUBJECT)).status.version, "v1.3.1");

    await story.add("stories/004-install");
    const down = (await story.settle()).filter((it) => it.startsWith("delete"));
    assert.deepEqual(down, [
      "delete clusterrolebindings cert-manager-controller-approve:cert-manager-io",
      "delete clusterrolebindings cert-manager-webhook:subjectaccessreviews",
      "delete clusterroles cert-manager-controller-approve:cert-manager-io",
      "delete clusterroles cert-manager-webhook:subjectaccessreviews",
    ]);
    await story.expectQuiet();
  });

  test("a bundle that goes does not take the cluster back", async () => {
    const story = await Story.begin(plane, [BUNDLES, "certmanager"], { args: ARGS });
    await story.settle();
    assert.equal((await plane.hub.get(SUBJECT)).status.version, "v1.3.1");
    const [bundle] = (await plane.hub.list("Bundle")).filter((it) => it.metadata.name === "cert-manager-v1.3.1");
    await plane.hub.delete(bundle);
    assert.deepEqual(await story.settle(), []);
    await story.expectQuiet();
  });

  test("a renewed certificate restarts who asked for it, once", async () => {
    const story = await Story.begin(plane, [BUNDLES, "stories/004-refresh"], { args: [...ARGS, "--pod-refresher"] });
    const restarts = (writes) => writes.filter((it) => / shop\//.test(it));
    assert.deepEqual(restarts(await story.settle()), ["patch deployments shop/shop"]);
    const recorded = async () =>
      JSON.parse((await plane.hub.get("Deployment/shop/shop")).spec.template.metadata.annotations[RECORD]);
    assert.deepEqual(Object.keys(await recorded()).sort(), ["api-tls", "shop-tls"]);
    await plane.hub.patch("Secret/shop/shop-tls", { data: { "tls.crt": Buffer.from("renewed").toString("base64") } });
    assert.deepEqual(restarts(await story.settle()), ["patch deployments shop/shop"]);
    await plane.hub.patch("Secret/shop/password", { data: { password: Buffer.from("other").toString("base64") } });
    assert.deepEqual(restarts(await story.settle()), []);
    await story.expectQuiet();
  });

  test("without the setting nobody is restarted", async () => {
    const story = await Story.begin(plane, [BUNDLES, "stories/004-refresh"], { args: ARGS });
    assert.deepEqual(
      (await story.settle()).filter((it) => / shop\//.test(it)),
      [],
    );
    await story.expectQuiet();
  });

  test("a deployment that goes leaves its definitions, and the garbage collector takes the rest", async () => {
    const story = await Story.begin(plane, [BUNDLES, "certmanager"], { args: ARGS });
    await story.settle();
    await plane.hub.delete(SUBJECT);
    const gone = [
      "Namespace/cert-manager",
      "ClusterRole/cert-manager-edit",
      "Deployment/cert-manager/cert-manager",
      "ValidatingWebhookConfiguration/cert-manager-webhook",
    ];
    for (const object of gone)
      await eventually(async () => !(await plane.hub.find(object)), { timeout: 60_000, what: `${object} being gone` });
    assert.ok(await plane.hub.get("CustomResourceDefinition/certificates.cert-manager.io"));
    await story.expectQuiet();
  });
});
