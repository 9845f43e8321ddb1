// The webhook in front of the real API server: who may set which label, and what the documents may not say.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { inBothHosts } from "../hosts/kubewarden-hosts.mjs";
import { eventually } from "./control-plane.mjs";
import { root } from "./documents.mjs";
import { startPlane } from "./stories.mjs";

const LABEL = "cluster.open-cluster-management.io/clusterset";
const GROUP = "cluster.open-cluster-management.io";
const RBAC = "rbac.authorization.k8s.io";

describe("the webhook", () => {
  let plane, webhook, folder;
  before(async () => {
    plane = await startPlane({ members: [] });
    folder = join(plane.folder, "webhook");
    mkdirSync(folder);
    certify("one");
    install("one");
    await plane.hub.apply(
      role("reviews", [
        { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
        { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] },
      ]),
    );
    await plane.hub.apply(bind("webhook-reviews", "webhook", "reviews"));
    const args = ["--cert", join(folder, "tls.crt"), "--key", join(folder, "tls.key")];
    webhook = await plane.run({ command: "webhook", user: "webhook", args, ca: readFileSync(join(folder, "one.crt")) });
    await guard();
    await plane.hub.apply([
      role("edits-clusters", [
        {
          apiGroups: [GROUP],
          resources: ["managedclusters", "managedclustersets", "managedclustersetbindings"],
          verbs: ["get", "create", "patch", "update"],
        },
      ]),
      ...["eve", "dev", "mallory"].map((user) => bind(`${user}-edits`, user, "edits-clusters")),
      {
        apiVersion: `${GROUP}/v1beta2`,
        kind: "ManagedClusterSet",
        metadata: { name: "dev" },
        spec: { clusterSelector: { selectorType: "ExclusiveClusterSetLabel" } },
      },
      {
        apiVersion: `${GROUP}/v1beta2`,
        kind: "ManagedClusterSet",
        metadata: { name: "eu" },
        spec: { clusterSelector: { selectorType: "LabelSelector", labelSelector: { matchLabels: { region: "eu" } } } },
      },
    ]);
    await isGuarded();
  });
  after(() => plane?.stop());

  /** A certificate for 127.0.0.1 that signs itself. */
  function certify(name) {
    const args = [
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-addext",
      "subjectAltName=IP:127.0.0.1",
    ];
    execFileSync("openssl", [...args, "-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)], {
      stdio: "ignore",
    });
  }
  function install(name) {
    copyFileSync(join(folder, `${name}.key`), join(folder, "tls.key"));
    copyFileSync(join(folder, `${name}.crt`), join(folder, "tls.crt"));
  }

  /** Both certificates, so that the server trusts the webhook before and after it gets another one. */
  async function guard() {
    certify("two");
    const caBundle = Buffer.from(
      ["one", "two"].map((it) => readFileSync(join(folder, `${it}.crt`), "utf8")).join(""),
    ).toString("base64");
    const asked = { apiVersions: ["*"], operations: ["CREATE", "UPDATE"] };
    await register("guard", webhook, caBundle, [
      {
        ...asked,
        apiGroups: [GROUP],
        resources: ["managedclusters", "managedclustersets", "managedclustersetbindings"],
      },
      { ...asked, apiGroups: ["greenhouse.sap"], resources: ["pluginoverrides", "pluginpresets"] },
      { ...asked, apiGroups: ["core.kubefed.io"], resources: ["federatedtypeconfigs"] },
      { ...asked, apiGroups: ["operators.opdev.io"], resources: ["certmanagerdeployments"] },
    ]);
  }

  /** Tells the server whom to ask about what. */
  async function register(name, { port }, caBundle, rules, more = {}) {
    const clientConfig = { url: `https://127.0.0.1:${port}/admit`, caBundle };
    const always = { admissionReviewVersions: ["v1"], sideEffects: "None", timeoutSeconds: 5, failurePolicy: "Fail" };
    await plane.hub.apply({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name },
      webhooks: [{ name: `${name}.fleetfold.dev`, ...always, clientConfig, rules, ...more }],
    });
  }

  /** The server takes a moment to ask. */
  const isGuarded = () =>
    eventually(async () => (await trySet("nobody", "dev", "mallory")).code === 403, {
      what: "the server asking the webhook",
    });

  const role = (name, rules) => ({ apiVersion: `${RBAC}/v1`, kind: "ClusterRole", metadata: { name }, rules });
  const bind = (name, user, to) => ({
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    subjects: [{ kind: "User", apiGroup: RBAC, name: user }],
    roleRef: { kind: "ClusterRole", apiGroup: RBAC, name: to },
  });
  const grant = async (user, resource, name) => {
    const id = `${user}-${Math.abs(hash(`${resource}${name}`))}`;
    await plane.hub.apply([
      role(id, [{ apiGroups: [GROUP], resources: [resource], resourceNames: [name], verbs: ["create"] }]),
      bind(id, user, id),
    ]);
    return async () => {
      await plane.hub.delete(`ClusterRoleBinding/${id}`);
      await plane.hub.delete(`ClusterRole/${id}`);
    };
  };
  const hash = (text) => [...text].reduce((sum, it) => (sum * 31 + it.charCodeAt(0)) | 0, 7);
  const cluster = (name, labels = {}) => ({
    apiVersion: `${GROUP}/v1`,
    kind: "ManagedCluster",
    metadata: { name, labels },
    spec: { hubAcceptsClient: true },
  });
  async function trySet(name, set, user) {
    if (!(await plane.hub.find(`ManagedCluster/${name}`))) await plane.hub.create(cluster(name));
    return plane.hub.request("PATCH", `/apis/${GROUP}/v1/managedclusters/${name}`, {
      user,
      type: "application/merge-patch+json",
      body: { metadata: { labels: { [LABEL]: set } } },
    });
  }

  test("without a grant the label is denied, with the missing permission and the set to join", async () => {
    const { code, body } = await trySet("c1", "dev", "eve");
    assert.equal(code, 403);
    assert.match(body.message, new RegExp(`${LABEL}:dev`));
    assert.match(body.message, /managedclusters\/label/);
    assert.match(body.message, /join/);
    assert.match(body.message, /eve/);
    assert.equal((await plane.hub.get("ManagedCluster/c1")).metadata.labels?.[LABEL], undefined);
  });

  for (const name of [`${LABEL}:dev`, `${LABEL}:*`, "*"]) {
    test(`the grant ${name} allows it`, async () => {
      const cluster = `granted-${Math.abs(hash(name))}`;
      assert.equal((await trySet(cluster, "dev", "eve")).code, 403);
      const revoke = await grant("eve", "managedclusters/label", name);
      await eventually(async () => (await trySet(cluster, "dev", "eve")).code === 200, { what: "the grant counting" });
      await revoke();
    });
  }

  test("the old grant to join counts, with a warning", async () => {
    const revoke = await grant("dev", "managedclustersets/join", "dev");
    const allowed = await eventually(
      async () => {
        const answer = await trySet("joins", "dev", "dev");
        return answer.code === 200 && answer;
      },
      { what: "the grant counting" },
    );
    assert.match(allowed.headers.warning ?? "", /deprecated/);
    await revoke();
  });

  test("another value needs both, and what does not change needs nothing", async () => {
    await plane.hub.create({
      apiVersion: `${GROUP}/v1beta2`,
      kind: "ManagedClusterSet",
      metadata: { name: "qa" },
      spec: { clusterSelector: { selectorType: "ExclusiveClusterSetLabel" } },
    });
    await plane.hub.create(cluster("moves", { [LABEL]: "dev" }));
    const revoke = await grant("mallory", "managedclusters/label", `${LABEL}:qa`);
    await eventually(async () => (await trySet("to-qa", "qa", "mallory")).code === 200, { what: "the grant counting" });
    const { code, body } = await trySet("moves", "qa", "mallory");
    assert.equal(code, 403);
    assert.match(body.message, /:dev/);
    const patch = { metadata: { labels: { region: "us" } } };
    const other = await plane.hub.request("PATCH", `/apis/${GROUP}/v1/managedclusters/moves`, {
      user: "mallory",
      type: "application/merge-patch+json",
      body: patch,
    });
    assert.equal(other.code, 200);
    await revoke();
  });

  test("a set that a label moves a cluster into without any guard is a warning", async () => {
    await plane.hub.create(cluster("free"));
    const body = { metadata: { labels: { region: "eu" } } };
    const { code, headers } = await plane.hub.request("PATCH", `/apis/${GROUP}/v1/managedclusters/free`, {
      user: "eve",
      type: "application/merge-patch+json",
      body,
    });
    assert.equal(code, 200);
    assert.match(headers.warning ?? "", /eu/);
  });

  test("a binding needs permission to bind, and the name of its set", async () => {
    await plane.hub.ensureNamespace("team");
    const binding = (name, clusterSet) => ({
      apiVersion: `${GROUP}/v1beta2`,
      kind: "ManagedClusterSetBinding",
      metadata: { name, namespace: "team" },
      spec: { clusterSet },
    });
    const tryBind = (object) =>
      plane.hub.request("POST", `/apis/${GROUP}/v1beta2/namespaces/team/managedclustersetbindings`, {
        user: "eve",
        body: object,
      });
    const denied = await tryBind(binding("dev", "dev"));
    assert.equal(denied.code, 403);
    assert.match(denied.body.message, /bind/);
    const revoke = await grant("eve", "managedclustersets/bind", "dev");
    await eventually(async () => (await tryBind(binding("dev", "dev"))).code === 201, { what: "the grant counting" });
    assert.equal((await tryBind(binding("other", "dev"))).code, 403);
    await revoke();
  });

  test("documents that contradict themselves are denied, and say where", async () => {
    const tries = [
      [
        {
          apiVersion: `${GROUP}/v1beta2`,
          kind: "ManagedClusterSet",
          metadata: { name: "dev2" },
          spec: { clusterSelector: { selectorType: "ExclusiveLabel", exclusiveLabel: { key: LABEL, value: "dev" } } },
        },
        /dev/,
      ],
      [
        {
          apiVersion: "greenhouse.sap/v1alpha1",
          kind: "PluginOverride",
          metadata: { name: "twice", namespace: "team" },
          spec: {
            overrides: [
              { path: "a", value: 1 },
              { path: "a", value: 2 },
            ],
          },
        },
        /a/,
      ],
      [
        {
          apiVersion: "core.kubefed.io/v1beta1",
          kind: "FederatedTypeConfig",
          metadata: { name: "deployments.apps", namespace: "team" },
          spec: {
            federatedType: {
              kind: "FederatedDeployment",
              pluralName: "federateddeployments",
              group: "types.kubefed.io",
              version: "v1beta1",
              scope: "Namespaced",
            },
            targetType: {
              kind: "Deployment",
              pluralName: "deployments",
              group: "apps",
              version: "v1",
              scope: "Namespaced",
            },
            propagation: "Enabled",
            retention: { fields: ["spec..x"] },
          },
        },
        /spec\.\.x/,
      ],
    ];
    await plane.hub.ensureNamespace("team");
    for (const [object, says] of tries) {
      await assert.rejects(
        plane.hub.create(object),
        (error) => error.code === 403 && says.test(error.message),
        object.kind,
      );
    }
  });

  test("a flag that no mold knows is denied with the flag that was meant", async () => {
    await plane.hub.apply(readFileSync(join(root, "examples/certmanager/bundles/cert-manager-v1.3.1.yaml"), "utf8"));
    const overridden = (flag) => ({
      apiVersion: "operators.opdev.io/v1alpha1",
      kind: "CertManagerDeployment",
      metadata: { name: "cluster" },
      spec: { dangerZone: { containerArgOverrides: { controller: { [flag]: "60" } } } },
    });
    const tries = async () => {
      const { code, body } = await plane.hub.request(
        "POST",
        "/apis/operators.opdev.io/v1alpha1/certmanagerdeployments?dryRun=All",
        { body: overridden("max-concurent-challenges") },
      );
      return code === 403 && body.message;
    };
    assert.match(
      await eventually(tries, { what: "the bundle being known" }),
      /did you mean `max-concurrent-challenges`/,
    );
    await plane.hub.create(overridden("max-concurrent-challenges"));
  });

  test("a change or a delete that takes too much from clusters is denied, and a small one passes", async () => {
    const [namespace, group] = ["limited", "greenhouse.sap"];
    const object = (kind, name, spec, labels = {}) => ({
      apiVersion: `${group}/v1alpha1`,
      kind,
      metadata: { name, namespace, labels },
      spec,
    });
    const files = [join(folder, "limits.crt"), join(folder, "limits.key")];
    certify("limits");
    const args = [
      "--cert",
      files[0],
      "--key",
      files[1],
      "--dialect",
      "greenhouse",
      "--max-deletes",
      "2",
      "--max-changes",
      "4",
    ];
    const limited = await plane.run({ command: "webhook", user: "webhook", args, ca: readFileSync(files[0]) });
    await plane.hub.ensureNamespace(namespace);
    await plane.hub.apply(object("PluginDefinition", "kube", { version: "1.0.0", options: [] }));
    for (const [at, name] of ["a", "b", "c", "d"].entries())
      await plane.hub.create(
        object("Cluster", name, { accessMode: "direct" }, { env: "prod", half: at < 2 ? "one" : "two" }),
      );
    await plane.hub.create(
      object("PluginPreset", "metrics", {
        clusterSelector: { matchLabels: { env: "prod" } },
        plugin: { pluginDefinitionRef: { kind: "PluginDefinition", name: "kube" } },
      }),
    );
    const rules = [
      {
        apiGroups: [group],
        apiVersions: ["*"],
        operations: ["CREATE", "UPDATE", "DELETE"],
        resources: ["clusters", "pluginpresets"],
      },
    ];
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
    await register("limits", limited, readFileSync(files[0]).toString("base64"), rules, { namespaceSelector });
    const at = (resource, name, query = "") =>
      `/apis/${group}/v1alpha1/namespaces/${namespace}/${resource}/${name}${query}`;
    const patch = (body, query) =>
      plane.hub.request("PATCH", at("pluginpresets", "metrics", query), { type: "application/merge-patch+json", body });
    const select = (matchLabels, query) => patch({ spec: { clusterSelector: { matchLabels } } }, query);
    const nobody = { env: "prod", half: "three" };
    const denied = await eventually(
      async () => {
        const answer = await select(nobody, "?dryRun=All");
        return answer.code === 403 && answer;
      },
      { what: "the server asking about limits" },
    );
    assert.match(denied.body.message, /takes 4 of 4 objects from clusters, more than the 2 that its limits allow/);
    assert.match(denied.body.message, /`limits\.deletes: 4`/);
    const kept = await plane.hub.request("DELETE", at("pluginpresets", "metrics"));
    assert.equal(kept.code, 403);
    assert.match(kept.body.message, /takes 4 of 4 objects from clusters/);
    const wide = object("PluginOverride", "all", { overrides: [{ path: "x", value: 1 }] });
    assert.equal(
      (await plane.hub.request("POST", at("pluginoverrides", ""), { body: wide })).code,
      201,
      "what the server does not ask about passes",
    );
    assert.equal(
      (await patch({ metadata: { finalizers: ["example.com/held"] } })).code,
      200,
      "a finalizer is never in the way",
    );
    assert.equal((await select({ env: "prod", half: "one" })).code, 200, "two of four may go");
    assert.equal((await plane.hub.request("DELETE", at("clusters", "a"))).code, 200, "and one cluster");
    assert.equal((await plane.hub.request("DELETE", at("pluginpresets", "metrics"))).code, 200, "and what is left");
    assert.equal((await patch({ metadata: { finalizers: null } })).code, 200, "what is being deleted can go");
    assert.equal(await plane.hub.find(`PluginPreset/${namespace}/metrics`), undefined);
    await plane.hub.delete("ValidatingWebhookConfiguration/limits");
  });

  test("a new certificate is taken up without a restart", async () => {
    const served = () =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port: webhook.port, rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().subject.CN);
          socket.end();
        });
        socket.on("error", reject);
      });
    assert.equal(await served(), "one");
    install("two");
    await eventually(async () => (await served()) === "two", { what: "the new certificate" });
    writeFileSync(join(folder, "tls.crt"), "garbage");
    await webhook.waitForLog((it) => it.level === "ERROR", { what: "an error about the certificate" });
    assert.equal(await served(), "two", "a broken one is not taken up");
    install("two");
    assert.equal((await trySet("c1", "dev", "eve")).code, 403, "it still guards");
    assert.ok(!webhook.ended);
  });

  test("reviews that are none are refused, and the next one is answered", async () => {
    webhook.ca = readFileSync(join(folder, "two.crt"));
    const post = (body) => webhook.request("POST", "/admit", { body, headers: { "content-type": "application/json" } });
    for (const body of [
      "",
      "{",
      "[]",
      "{}",
      "null",
      '{"request":7}',
      '{"request":{}}',
      '{"request":{"uid":"u","kind":{"group":"cluster.open-cluster-management.io","kind":"ManagedCluster"},"operation":"UPDATE","object":"x","userInfo":{}}}',
      "x".repeat(7 << 20),
    ]) {
      const { code, body: said } = await post(body).catch((error) => ({ code: 413, body: error.message }));
      const isDenial = code === 200 && JSON.parse(said).response.allowed === false;
      assert.ok(isDenial || (code >= 400 && code < 500), `${body.slice(0, 60)} → ${code} ${said}`);
    }
    assert.equal((await trySet("c1", "dev", "eve")).code, 403);
    assert.equal((await webhook.request("GET", "/healthz")).code, 200);
  });

  test("the Kubewarden policy says the same of the same reviews, word for word", async () => {
    webhook.ca = readFileSync(join(folder, "two.crt"));
    const revoke = await grant("eve", "managedclusters/label", `${LABEL}:dev`);
    await eventually(async () => (await trySet("granted", "dev", "eve")).code === 200, { what: "the grant counting" });
    // The server's own roles, so that both ask the same of the same user.
    const kinds = [
      "ManagedClusterSet",
      "ManagedCluster",
      "ClusterRole",
      "ClusterRoleBinding",
      "PluginOverride",
      "PluginPreset",
      // They show which namespaces belong to organizations.
      "Organization",
      "Cluster.greenhouse.sap",
      "FederatedTypeConfig",
    ];
    const documents = (await Promise.all(kinds.map((it) => plane.hub.list(it)))).flat();
    const request = (object, { user = "eve", operation = "CREATE", oldObject = null } = {}) => {
      const [group, version] = object.apiVersion.split("/");
      const { name, namespace } = object.metadata;
      return {
        uid: name,
        kind: { group, version, kind: object.kind },
        name,
        namespace,
        operation,
        userInfo: { username: user, groups: ["system:authenticated"] },
        object,
        oldObject,
      };
    };
    const metadata = { name: "said", namespace: "word-for-word" };
    const override = (...values) => ({
      apiVersion: "greenhouse.sap/v1alpha1",
      kind: "PluginOverride",
      metadata,
      spec: { overrides: values.map((value) => ({ path: "a.b", value })) },
    });
    const retaining = (path) => ({
      apiVersion: "core.kubefed.io/v1beta1",
      kind: "FederatedTypeConfig",
      metadata,
      spec: {
        federatedType: { group: "types.kubefed.io", kind: "FederatedConfigMap", version: "v1beta1" },
        targetType: { group: "", kind: "ConfigMap", version: "v1" },
        propagation: "Enabled",
        retention: { fields: [path] },
      },
    });
    const requests = {
      "a label that is granted": request(cluster("one", { [LABEL]: "dev" })),
      "a label that is not": request(cluster("two", { [LABEL]: "qa" })),
      "a label that joins a set by selector": request(cluster("three", { region: "eu" }), { user: "mallory" }),
      "a label that is taken off": request(cluster("four"), {
        operation: "UPDATE",
        oldObject: cluster("four", { [LABEL]: "qa" }),
      }),
      "a path with two values": request(override(1, 2)),
      "a path with one": request(override(1)),
      "a bad retention path": request(retaining("spec..x")),
      "a good one": request(retaining("data")),
      "an object of another kind than it says": request({ ...cluster("five"), kind: "ManagedClusterSet" }),
      "no object at all": { ...request(cluster("six")), object: null },
      "a kind that nobody guards": request({ apiVersion: "example.com/v1", kind: "Thing", metadata }),
    };
    requests["an object of another kind than it says"].kind.kind = "ManagedCluster";
    const payload = (request) =>
      JSON.stringify({ request, settings: { stage: "full", permissions: "roles", documents } });
    const answers = await inBothHosts(Object.values(requests).map((it) => ({ op: "validate", payload: payload(it) })));
    const verdicts = new Set();
    for (const [at, [what, request]] of Object.entries(requests).entries()) {
      const { body } = await webhook.request("POST", "/admit", {
        body: JSON.stringify({ request }),
        headers: { "content-type": "application/json" },
      });
      const { allowed, status, warnings = [] } = JSON.parse(body).response;
      for (const host of ["wasmtime", "node"]) {
        const said = JSON.parse(answers[host][at].answer);
        const policy = {
          allowed: said.accepted,
          message: said.message ?? undefined,
          code: said.code ?? undefined,
          warnings: said.warnings ?? [],
        };
        assert.deepEqual(
          policy,
          { allowed, message: status?.message, code: status?.code, warnings },
          `${what}, in ${host}`,
        );
      }
      verdicts.add(allowed);
    }
    assert.equal(verdicts.size, 2, "some are allowed, and some denied");
    await revoke();
  });
});
