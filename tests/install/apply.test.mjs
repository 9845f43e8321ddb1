// What is installed, on a real API server: it is accepted to the letter, stays as it is, and grants what it says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { ControlPlane, eventually } from "../cluster/control-plane.mjs";
import { readDocuments, root } from "../cluster/documents.mjs";
import { chart, DIALECTS, helmText, kindsOf, kustomization, must, named, RELEASE, withValues } from "./render.mjs";

let plane;
let hub;
before(async () => {
  plane = await ControlPlane.start({ members: [] });
  ({ hub } = plane);
});
// A kind that was defined a moment ago answers 429 until the server has its storage.
afterEach(() => eventually(() => plane.clear().then(() => true), { what: "an empty hub" }));
after(() => plane?.stop());

/** A kind of somebody else, with whatever in it. */
function kindOf(group, version, kind, { scope = "Namespaced", plural = `${kind.toLowerCase()}s` } = {}) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations: { "api-approved.kubernetes.io": "unapproved, for a test" } },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  };
}

const FOREIGN = [
  kindOf("cert-manager.io", "v1", "Certificate"),
  kindOf("cert-manager.io", "v1", "Issuer"),
  kindOf("monitoring.coreos.com", "v1", "ServiceMonitor"),
];

const EVERYTHING = {
  "dialects.certmanager": true,
  "webhook.certificate.mode": "cert-manager",
  "runner.podRefresher": true,
  "rbac.installRoles": true,
  "rbac.secretNamespaces": ["default"],
  "rbac.certManagerNamespaces": ["default"],
  "rbac.installs": [{ apiGroups: ["batch"], resources: ["jobs"], verbs: ["get", "create"], namespaces: ["default"] }],
  "metrics.serviceMonitor.enabled": true,
  "networkPolicy.metricsFrom": [{ namespaceSelector: {} }],
};

const kustomizeText = (name) => must("kustomize", ["build", kustomization(name)]);
const withCrds = [...RELEASE, "--include-crds"];

/** Applies a text as a careful person would: on the server's side, refusing fields that it does not know. */
const apply = (text) => hub.kubectl(["apply", "--server-side", "--validate=strict", "--filename=-"], { input: text });

/** Name and version of everything that a text names. */
async function versions(text) {
  const { items } = JSON.parse(await hub.kubectl(["get", "--filename=-", "--output=json"], { input: text }));
  return items.map(
    (it) => `${it.kind}/${it.metadata.namespace ?? ""}/${it.metadata.name} ${it.metadata.resourceVersion}`,
  );
}

const INSTALLED = {
  "kustomize base": () => kustomizeText("base"),
  "kustomize require-approval": () => kustomizeText("require-approval"),
  "the chart": () => helmText({}, withCrds),
  "the chart with everything": () => helmText(EVERYTHING, withCrds),
};

for (const [name, render] of Object.entries(INSTALLED)) {
  test(`${name}: accepted to the letter, and the second time nothing changes`, async () => {
    await hub.define(FOREIGN);
    const text = render();
    if (!name.startsWith("kustomize")) await hub.ensureNamespace("fleetfold-system");
    await apply(text);
    await hub.kubectl(["wait", "--for=condition=Established", "customresourcedefinitions", "--all"]);
    const once = await versions(text);
    assert.ok(once.length > 40, `${once.length} objects`);
    await apply(text);
    assert.deepEqual(await versions(text), once);
  });
}

test("to the letter means that a field nobody knows is refused", async () => {
  const text = kustomizeText("base").replace(
    /^( *)automountServiceAccountToken: true$/m,
    "$&\n$1automountServiceAccountTokens: true",
  );
  await assert.rejects(apply(text), /automountServiceAccountTokens/);
});

test("the pods are let into a namespace that takes only restricted ones", async () => {
  await apply(kustomizeText("base"));
  const objects = readDocuments(kustomizeText("base"));
  for (const component of ["runner", "webhook"]) {
    const { metadata, spec } = named(objects, "Deployment", `fleetfold-${component}`).spec.template;
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, name: component, namespace: "fleetfold-system" },
      spec,
    };
    const { code, body } = await hub.request(
      "POST",
      "/api/v1/namespaces/fleetfold-system/pods?dryRun=All&fieldValidation=Strict",
      { body: pod },
    );
    assert.equal(code, 201, body.message);
    const root = structuredClone(pod);
    delete root.spec.securityContext.runAsNonRoot;
    const refused = await hub.request("POST", "/api/v1/namespaces/fleetfold-system/pods?dryRun=All", { body: root });
    assert.equal(refused.code, 403, "the namespace takes any pod");
  }
});

/**
 * Whether an account may: `may("runner", "patch", "greenhouse.sap/plugins/status", "acme")`; a name comes after the
 * subresource.
 */
async function may(account, verb, what, namespace) {
  const [group, resource, subresource, name] = what.split("/");
  const resourceAttributes = { verb, group, resource, subresource, namespace, name };
  const user = `system:serviceaccount:fleetfold-system:fleetfold-${account}`;
  const groups = ["system:serviceaccounts", "system:serviceaccounts:fleetfold-system", "system:authenticated"];
  const spec = { user, groups, resourceAttributes };
  const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  return (await hub.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { body })).status.allowed;
}

async function expectRights(account, rows) {
  const wrong = [];
  for (const [expected, verbs, ...whats] of rows) {
    for (const verb of verbs.split(" ")) {
      for (const [what, namespace] of whats.map((it) => it.split(" in "))) {
        if ((await may(account, verb, what, namespace)) !== (expected === "may"))
          wrong.push(`${account} ${expected} ${verb} ${what} in ${namespace}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
}

const ocm = "cluster.open-cluster-management.io";
const READ = [
  ..."organizations clusters plugindefinitions clusterplugindefinitions pluginpresets plugins pluginoverrides catalogs"
    .split(" ")
    .map((it) => `greenhouse.sap/${it}`),
  ..."managedclusters managedclustersets managedclustersetbindings placements placementdecisions addonplacementscores"
    .split(" ")
    .map((it) => `${ocm}/${it}`),
  ..."kubefedclusters kubefedconfigs federatedtypeconfigs".split(" ").map((it) => `core.kubefed.io/${it}`),
  ..."federateddeployments federatedwhatevers".split(" ").map((it) => `types.kubefed.io/${it}`),
  ..."operators operatorversions instances".split(" ").map((it) => `kudo.dev/${it}`),
  "fleetfold.dev/fleetplans",
  "apiextensions.k8s.io/customresourcedefinitions",
  "/namespaces",
];
/** What the dialect certmanager adds, which is off by default. */
const CERTMANAGER_READ = [
  ..."bundles installations".split(" ").map((it) => `fleetfold.dev/${it}`),
  "operators.opdev.io/certmanagerdeployments",
  "operators.redhat.io/certmanagerdeployments",
  "operator.openshift.io/certmanagers",
  "/configmaps",
];

const RUNNER = [
  ["may", "get list watch", ...READ],
  ["may", "create patch delete", "greenhouse.sap/plugins", `${ocm}/placementdecisions`],
  [
    "may",
    "patch update",
    "greenhouse.sap/plugins/status",
    "greenhouse.sap/pluginpresets/status",
    `${ocm}/placementdecisions/status`,
  ],
  [
    "may",
    "patch update",
    `${ocm}/placements/status`,
    `${ocm}/managedclustersets/status`,
    `${ocm}/managedclustersetbindings/status`,
  ],
  [
    "may",
    "patch update",
    "types.kubefed.io/federateddeployments/status",
    "kudo.dev/instances/status",
    "kudo.dev/operatorversions/status",
  ],
  ["may", "patch update", "fleetfold.dev/fleetplans/status"],
  [
    "may",
    "patch",
    "kudo.dev/operatorversions",
    "core.kubefed.io/kubefedclusters",
    "types.kubefed.io/federateddeployments",
  ],
  ["may", "patch", "fleetfold.dev/fleetplans"],
  ["may", "create patch", "events.k8s.io/events"],
  ["may", "create", "fleetfold.dev/fleetplans"],
  ["may", "create", "coordination.k8s.io/leases in fleetfold-system"],
  ["may", "get patch update", "coordination.k8s.io/leases//fleetfold in fleetfold-system"],
  [
    "may not",
    "get patch update",
    "coordination.k8s.io/leases in fleetfold-system",
    "coordination.k8s.io/leases//other in fleetfold-system",
  ],
  ["may not", "get list watch create update patch delete", "/secrets", "/secrets in fleetfold-system"],
  [
    "may not",
    "create update patch delete bind escalate",
    ...["clusterrolebindings", "clusterroles", "rolebindings", "roles"].map((it) => `rbac.authorization.k8s.io/${it}`),
  ],
  ["may not", "get create update", "coordination.k8s.io/leases in kube-system"],
  [
    "may not",
    "delete",
    "/namespaces",
    "apiextensions.k8s.io/customresourcedefinitions",
    "fleetfold.dev/fleetplans",
    "types.kubefed.io/federateddeployments",
  ],
  [
    "may not",
    "create update patch delete",
    "greenhouse.sap/clusters",
    "greenhouse.sap/pluginoverrides",
    `${ocm}/managedclusters`,
    `${ocm}/managedclustersets`,
  ],
  [
    "may not",
    "patch update",
    `${ocm}/managedclusters/status`,
    "greenhouse.sap/clusters/status",
    "core.kubefed.io/kubefedclusters/status",
  ],
  ["may not", "create update patch delete", "/configmaps", "/pods", "apps/daemonsets", "batch/jobs"],
  ["may not", "create", "/pods/exec", "/serviceaccounts/token", "authorization.k8s.io/subjectaccessreviews"],
  ["may not", "impersonate", "/users", "/groups", "/serviceaccounts"],
];

/** What is granted with the dialect certmanager, and not without. */
const CERTMANAGER = [
  ["get list watch", ...CERTMANAGER_READ],
  ["patch update", "operators.opdev.io/certmanagerdeployments/status", "fleetfold.dev/installations/status"],
  ["patch", "operators.opdev.io/certmanagerdeployments", "fleetfold.dev/installations"],
  ["create patch", "apiextensions.k8s.io/customresourcedefinitions", "/namespaces"],
  ["create patch delete", "admissionregistration.k8s.io/validatingwebhookconfigurations"],
  ["create patch delete", "apps/deployments in default", "/serviceaccounts in default", "/services in default"],
];
const certManager = (expected) => CERTMANAGER.map((row) => [expected, ...row]);

const WEBHOOK = [
  ["may", "get list watch", ...READ],
  ["may", "create", "authorization.k8s.io/subjectaccessreviews"],
  ["may not", "create update patch delete", ...READ],
  ["may not", "get list watch", "/secrets in fleetfold-system", "/secrets in acme"],
  ["may not", "get create update", "coordination.k8s.io/leases in fleetfold-system"],
];

for (const [name, render] of [Object.entries(INSTALLED)[0], Object.entries(INSTALLED)[2]]) {
  test(`${name}: runner and webhook may do what they need, and no more`, async () => {
    await hub.ensureNamespace("fleetfold-system");
    await apply(render());
    await eventually(() => may("runner", "get", "fleetfold.dev/fleetplans"), { what: "the rights being in force" });
    await expectRights("runner", [...RUNNER, ...certManager("may not")]);
    await expectRights("webhook", WEBHOOK);
  });
}

test("with the dialect certmanager, the runner may install it where it is allowed", async () => {
  await hub.ensureNamespace("fleetfold-system");
  await hub.define(FOREIGN);
  await apply(helmText(EVERYTHING, withCrds));
  await eventually(() => may("runner", "patch", "fleetfold.dev/installations"), { what: "the rights being in force" });
  await expectRights("runner", certManager("may"));
  await expectRights("runner", [
    ["may", "get", "/secrets in default"],
    // The pod refresher patches workloads everywhere.
    ["may not", "create delete", "apps/deployments in acme"],
    ["may not", "create patch delete", "/serviceaccounts in acme"],
  ]);
});

test("kubectl says the same of the runner", async () => {
  await apply(kustomizeText("base"));
  await eventually(() => may("runner", "get", "fleetfold.dev/fleetplans"), { what: "the rights being in force" });
  const as = "--as=system:serviceaccount:fleetfold-system:fleetfold-runner";
  const ask = (...args) =>
    hub.kubectl(["auth", "can-i", as, ...args]).then(
      (it) => it.trim(),
      () => "no",
    );
  assert.equal(await ask("patch", "fleetplans.fleetfold.dev"), "yes");
  assert.equal(await ask("get", "secrets", "--namespace=acme"), "no");
  assert.equal(await ask("delete", "secrets"), "no");
  assert.equal(await ask("create", "clusterrolebindings"), "no");
});

test("the runner, started as its Deployment says and as its account, misses no right", async () => {
  const dialects = DIALECTS.filter((it) => it !== "certmanager");
  const kinds = kindsOf(dialects).filter((it) => !["", "apiextensions.k8s.io"].includes(it.group));
  const isOwn = (it) =>
    it.group === "fleetfold.dev" || named(own, "CustomResourceDefinition", `${it.plural}.${it.group}`);
  const objects = readDocuments(kustomizeText("base"));
  const own = objects.filter((it) => it.kind === "CustomResourceDefinition");
  await hub.define(
    kinds
      .filter((it) => !isOwn(it))
      .map(({ group, versions: [version], kind, scope, plural }) =>
        kindOf(group, version, kind.replace("*", "Deployment"), { scope, plural }),
      ),
  );
  await hub.define(own);
  await apply(kustomizeText("base"));

  const token = (await hub.kubectl(["create", "token", "fleetfold-runner", "--namespace=fleetfold-system"])).trim();
  const [, ...given] = named(objects, "Deployment", "fleetfold-runner").spec.template.spec.containers[0].args;
  const args = given
    .filter((it) => !it.startsWith("--listen"))
    .map((it) => it.replace("$(POD_NAMESPACE)", "fleetfold-system"));
  const runner = await plane.run({ args, kubeconfig: hub.kubeconfig("installed", { token }) });
  const holds = (plan, type) => plan?.status?.conditions?.find((it) => it.type === type)?.status === "True";
  await eventually(
    async () => {
      const plan = await hub.find("FleetPlan/fleetfold");
      return (
        ["Permitted", "KindsServed", "Ready"].every((it) => holds(plan, it)) ||
        Promise.reject(new Error(JSON.stringify(plan?.status)))
      );
    },
    { what: "the plan saying that nothing is missing" },
  );
  assert.ok((await hub.get("Lease/fleetfold-system/fleetfold")).spec.holderIdentity);
  await runner.stop();

  // The webhook likewise: it is ready when it could read every kind that it guards.
  const webhookToken = (
    await hub.kubectl(["create", "token", "fleetfold-webhook", "--namespace=fleetfold-system"])
  ).trim();
  const [, ...asked] = named(objects, "Deployment", "fleetfold-webhook").spec.template.spec.containers[0].args;
  const { cert, key } = hub.certificate;
  const kept = asked.filter((it) => !/^--(listen|metrics|cert|key)=/.test(it));
  const webhook = await plane.run({
    command: "webhook",
    args: [...kept, "--cert", cert, "--key", key],
    kubeconfig: hub.kubeconfig("installed-webhook", { token: webhookToken }),
    ca: hub.ca,
  });
  assert.deepEqual(
    webhook.logs.filter((it) => it.level === "WARN" || it.level === "ERROR"),
    [],
  );
  await webhook.stop();
});

test("narrowed, the runner sees the secrets of one namespace", async () => {
  for (const it of ["fleetfold-system", "acme", "cert-manager"]) await hub.ensureNamespace(it);
  await apply(
    helmText(
      {
        "dialects.certmanager": true,
        "rbac.secretNamespaces": ["acme"],
        "rbac.secrets": [{ namespace: "default", names: ["eu-1"] }],
        "rbac.certManagerNamespaces": ["cert-manager"],
      },
      withCrds,
    ),
  );
  await eventually(() => may("runner", "get", "/secrets", "acme"), { what: "the rights being in force" });
  await expectRights("runner", [
    ["may", "create patch delete", "apps/deployments in cert-manager"],
    ["may", "get", "/secrets//eu-1 in default"],
    ["may not", "get", "/secrets", "/secrets in default", "/secrets//eu-2 in default"],
    ["may not", "create patch delete", "apps/deployments in default", "apps/deployments"],
  ]);
});

const SET_LABEL = { metadata: { labels: { env: "prod" } } };

test("while the webhook is away nobody slips a label in, and controllers still work", async () => {
  const cluster = {
    apiVersion: `${ocm}/v1`,
    kind: "ManagedCluster",
    metadata: { name: "eu-1", finalizers: ["example.com/agent"] },
    spec: { hubAcceptsClient: true },
  };
  const federated = {
    apiVersion: "types.kubefed.io/v1beta1",
    kind: "FederatedThing",
    metadata: { name: "a", namespace: "default" },
    spec: {},
  };
  await hub.define([
    kindOf(ocm, "v1", "ManagedCluster", { scope: "Cluster" }),
    kindOf("types.kubefed.io", "v1beta1", "FederatedThing"),
  ]);
  await hub.create(cluster);
  await apply(kustomizeText("base"));

  const refused = /failed calling webhook "ocm\.fleetfold\.dev"/;
  await eventually(
    () =>
      hub.patch(cluster, SET_LABEL).then(
        () => false,
        (error) => refused.test(error.message),
      ),
    { what: "the guard being up" },
  );
  await assert.rejects(hub.create({ ...cluster, metadata: { name: "eu-2" } }), refused);
  await assert.rejects(hub.patch(cluster, { metadata: { annotations: { a: "b" } } }), refused);
  await assert.rejects(hub.patch(cluster, { spec: { hubAcceptsClient: false } }), refused);

  await hub.patch(cluster, { status: { conditions: [] } }, { subresource: "status" });
  await hub.patch(cluster, { metadata: { finalizers: ["example.com/agent", "example.com/other"] } });
  await hub.create(federated);
  await hub.delete(cluster);
  await hub.patch(cluster, { metadata: { finalizers: null } });
  assert.equal(await hub.find(cluster), undefined);
});

test("installed, upgraded and removed by Helm", async () => {
  const helm = (verb, values = {}, rest = [...RELEASE]) =>
    must("helm", [verb, ...rest, "--kubeconfig", hub.kubeconfig("admin"), ...withValues(values)]);
  const certificate = () => hub.get("Secret/fleetfold-system/fleetfold-webhook-cert");
  const trusted = async () =>
    (await hub.get("ValidatingWebhookConfiguration/fleetfold")).webhooks.map((it) => it.clientConfig.caBundle);

  const notes = helm("install", {}, [...RELEASE, "--create-namespace"]);
  assert.match(notes, /kubectl get fleetplan fleetfold/);
  assert.match(notes, /rbac\.secretNamespaces/);
  assert.match(notes, /of 365 days/);
  const end = (text) => Date.parse(text.match(/expires on (\d{4}-\d\d-\d\d)/)[1]);
  const days = (time) => Math.round((time - Date.now()) / 86_400_000);
  assert.ok([364, 365].includes(days(end(notes))), notes);
  await hub.kubectl(["wait", "--for=condition=Established", "customresourcedefinitions", "--all"]);
  const first = await certificate();
  const digestKey = async () => (await hub.get("Secret/fleetfold-system/fleetfold-digest-key")).data;
  const firstKey = await digestKey();

  const upgraded = helm("upgrade", { "runner.requireApproval": true });
  assert.match(upgraded, /fleetfold\.dev\/approved/);
  assert.equal(end(upgraded), end(notes));
  const kept = await certificate();
  assert.deepEqual(kept.data, first.data, "an upgrade made a new certificate");
  assert.deepEqual(await digestKey(), firstKey, "an upgrade made a new digest key");
  assert.deepEqual(
    kept.metadata.annotations["fleetfold.dev/renew-after"],
    first.metadata.annotations["fleetfold.dev/renew-after"],
  );
  const { args } = (await hub.get("Deployment/fleetfold-system/fleetfold-runner")).spec.template.spec.containers[0];
  assert.ok(args.includes("--require-approval"));

  await hub.patch(first, { metadata: { annotations: { "fleetfold.dev/renew-after": "1" } } });
  helm("upgrade");
  const renewed = await certificate();
  assert.notEqual(renewed.data["tls.crt"], first.data["tls.crt"], "an old certificate was kept");
  // The pods serve the old one for a while.
  const both = Buffer.from(`${atob(renewed.data["ca.crt"])}${atob(first.data["ca.crt"])}`).toString("base64");
  for (const bundle of await trusted()) assert.equal(bundle, both);
  helm("upgrade");
  for (const bundle of await trusted()) assert.equal(bundle, renewed.data["ca.crt"]);

  const plan = { apiVersion: "fleetfold.dev/v1", kind: "FleetPlan", metadata: { name: "fleetfold" } };
  const path = "/apis/fleetfold.dev/v1/fleetplans";
  await hub.send("POST", path, { body: plan });
  helm("uninstall", {}, ["fleetfold", "--namespace", "fleetfold-system"]);
  assert.equal((await hub.send("GET", `${path}/fleetfold`)).metadata.name, "fleetfold", "the plan is gone");
  assert.equal(await hub.find("ValidatingWebhookConfiguration/fleetfold"), undefined);
  assert.equal(await hub.find("ClusterRole/fleetfold-base-write"), undefined);
});

/** The commands under a heading of the page for operators, those of one tool. */
function commands(heading, tool) {
  const page = readFileSync(join(root, "install", "README.md"), "utf8");
  const section = page.split(/^## /m).find((it) => it.startsWith(heading));
  return [...section.matchAll(/^\$ (\S+) (.*)$/gm)].filter((it) => it[1] === tool).map((it) => it[2].split(" "));
}

const inTree = (args) => args.map((it) => (it.startsWith("install/") ? join(root, it) : it));

test("the page's commands install with kustomize, and remove without losing anything", async () => {
  await hub.define(FOREIGN);
  for (const args of commands("With kustomize", "kubectl").filter((it) => it[0] === "apply"))
    await hub.kubectl(inTree(args));
  await hub.kubectl(["wait", "--for=condition=Established", "customresourcedefinitions", "--all"]);
  const defined = (await hub.list("CustomResourceDefinition")).map((it) => it.metadata.name);
  await hub.send("POST", "/apis/fleetfold.dev/v1/fleetplans", {
    body: { apiVersion: "fleetfold.dev/v1", kind: "FleetPlan", metadata: { name: "fleetfold" } },
  });

  const removal = commands("Removing", "kubectl");
  assert.equal(removal.length, 3);
  for (const args of removal) await hub.kubectl([...args, "--wait=false"]);
  assert.deepEqual(
    (await hub.list("CustomResourceDefinition")).map((it) => it.metadata.name),
    defined,
  );
  assert.equal((await hub.list("FleetPlan")).length, 1);
  for (const kind of ["ClusterRole", "ClusterRoleBinding", "ValidatingWebhookConfiguration"]) {
    assert.deepEqual(
      (await hub.list(kind)).filter((it) => it.metadata.name.startsWith("fleetfold")),
      [],
      kind,
    );
  }
  await eventually(async () => !(await hub.find("Deployment/fleetfold-system/fleetfold-runner")), {
    what: "the runner being gone",
  });
});

test("the page's commands install with Helm", async () => {
  const [definitions] = commands("With Helm", "kubectl");
  const [install] = commands("With Helm", "helm");
  await hub.kubectl(inTree(definitions));
  const notes = must("helm", [...inTree(install), "--kubeconfig", hub.kubeconfig("admin")]);
  assert.match(notes, /fleetfold\.dev\/approved/);
  assert.equal(await hub.find("ClusterRole/fleetfold-kudo-write"), undefined);
});

test("the packed chart is the chart", () => {
  const folder = join(plane.folder, "packed");
  must("helm", ["package", chart, "--destination", folder]);
  const packed = must("helm", [
    "template",
    "fleetfold",
    join(folder, "fleetfold-0.1.0.tgz"),
    "--namespace",
    "fleetfold-system",
    "--kube-version",
    "1.36",
    "--include-crds",
  ]);
  const stable = (text) =>
    text
      .replace(/^ *(caBundle|ca\.crt|tls\.crt|tls\.key|fleetfold\.dev\/renew-after):.*$/gm, "")
      // The key of digests.
      .replace(/^ {2}key: \S{64}$/m, "");
  assert.equal(stable(packed), stable(helmText({}, withCrds)));
});
