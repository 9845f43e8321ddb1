// What the chart and the kustomize base render, by the real tools.
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../cluster/documents.mjs";
import {
  argsOf,
  call,
  chart,
  complaintAbout,
  DIALECTS,
  fleetfold,
  GROUPS,
  helm,
  helmText,
  hooksOf,
  kindsOf,
  kustomize,
  named,
  ofKind,
  overlay,
  RELEASE,
  rulesOf,
  withValues,
} from "./render.mjs";
import { releaseOf } from "../cluster/tools.mjs";
import { only, SETS } from "./values.mjs";

/** Everything that is rendered, with a name for it. */
const rendered = [
  ...Object.entries(SETS).map(([name, values]) => [`helm, ${name}`, helm(values)]),
  ...["base", "require-approval"].map((it) => [`kustomize ${it}`, kustomize(it)]),
];
const [[, helmDefault]] = rendered;
/** Every dialect, also the one that is off by default. */
const helmAll = helm({ dialects: only(...DIALECTS) });
const kustomizeBase = rendered.find(([name]) => name === "kustomize base")[1];

const podsOf = (objects) => ofKind(objects, "Deployment").map((it) => [it.metadata.name, it.spec.template]);
/** What kustomize has no component for: nothing there makes up a key. */
const helmBase = helm(SETS["no digest key"]);
const covers = (selector, labels) => Object.entries(selector).every(([key, value]) => labels[key] === value);

for (const [name, values] of Object.entries(SETS)) {
  test(`lint finds nothing: ${name}`, () => {
    const { code, text, complaint } = call("helm", ["lint", "--strict", chart, ...withValues(values)]);
    assert.equal(code, 0, `${text}${complaint}`);
    assert.doesNotMatch(text, /\[(WARNING|ERROR)\]/);
  });
}

test("the versions of Kubernetes are those that the suite is built for", () => {
  const minor = (version) => releaseOf(version).match(/^v(\d+\.\d+)\./)[1];
  const page = readFileSync(join(root, "install", "README.md"), "utf8");
  for (const version of ["newest", "oldest"]) {
    assert.match(page, new RegExp(`^\\| ${version} \\| ${minor(version)} \\|`, "m"));
  }
  assert.match(page, new RegExp(`on Kubernetes ${minor("oldest")} or later`));
  const said = readFileSync(join(chart, "Chart.yaml"), "utf8");
  assert.match(said, new RegExp(`^kubeVersion: ">=${minor("oldest")}\\.0-0"$`, "m"));
});

test("what install/chart/crds holds is what the program prints", () => {
  const kept = readFileSync(join(chart, "crds", "fleetfold.yaml"), "utf8");
  assert.equal(kept, fleetfold(["crds"]), "write it anew: fleetfold crds > install/chart/crds/fleetfold.yaml");
});

for (const dialects of [DIALECTS, ...DIALECTS.map((it) => [it])]) {
  test(`what the engine reads is what may be read: ${dialects.join(", ")}`, () => {
    const objects = helm({ dialects: only(...dialects) });
    const asked = new Set(kindsOf(dialects).map((it) => `${it.group}/${it.resource}`));
    const roles = Object.entries(rulesOf(objects)).filter(([name]) => name.endsWith("-read"));
    const granted = new Set(
      roles
        .flatMap(([, rules]) => rules)
        .flatMap((it) => it.apiGroups.flatMap((group) => it.resources.map((resource) => `${group}/${resource}`))),
    );
    assert.deepEqual(
      [...asked].filter((it) => !granted.has(it)),
      [],
      "read, and not granted",
    );
    // Every runner has its own object, and looks for pauses.
    const own = ["fleetfold.dev/fleetplans", "/namespaces"];
    assert.deepEqual(
      [...granted].filter((it) => !asked.has(it) && !own.includes(it)),
      [],
      "granted, and not read",
    );
  });
}

test("what the engine judges is what the webhook is asked about", () => {
  const rows = (rules) =>
    rules.flatMap((it) =>
      it.apiGroups.flatMap((group) => it.resources.map((resource) => `${group}/${resource} ${it.operations}`)),
    );
  const asked = rows(hooksOf(helmAll).flatMap((it) => it.rules));
  const judged = kindsOf(DIALECTS)
    .filter((it) => it.admits)
    .map((it) => `${it.group}/${it.resource} ${it.admits}`);
  assert.deepEqual(asked.sort(), judged.sort());
});

test("Helm and kustomize define the same kinds", () => {
  const names = (objects) =>
    ofKind(objects, "CustomResourceDefinition")
      .map((it) => it.metadata.name)
      .sort();
  assert.deepEqual(names(helm({}, [...RELEASE, "--include-crds"])), names(kustomizeBase));
  assert.notEqual(names(kustomizeBase).length, 0);
});

test("Helm and kustomize grant the same", () => {
  assert.deepEqual(rulesOf(helmDefault), rulesOf(kustomizeBase));
  assert.deepEqual(bindingsOf(helmDefault), bindingsOf(kustomizeBase));
});

function bindingsOf(objects) {
  const all = ofKind(objects, "ClusterRoleBinding", "RoleBinding").map(({ kind, metadata, roleRef, subjects }) => ({
    kind,
    name: metadata.name,
    namespace: metadata.namespace,
    roleRef,
    subjects,
  }));
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** An overlay with every component that grants something. */
const ALL_COMPONENTS = `resources: ['{base}']
components:
  - '{components/certmanager}'
  - '{components/install-roles}'
  - '{components/pod-refresher}'
  - '{components/secrets-everywhere}'
`;

test("Helm and kustomize ask the webhook the same", () =>
  assert.deepEqual(hooksOf(helmDefault), hooksOf(kustomizeBase)));

for (const kind of ["Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service"]) {
  test(`Helm and kustomize have the same ${kind}s`, () => {
    const specs = (objects) => Object.fromEntries(ofKind(objects, kind).map((it) => [it.metadata.name, it.spec]));
    assert.deepEqual(specs(helmBase), specs(kustomizeBase));
  });
}

test("the values of Secrets enter digests under a key, which is mounted and kept from everybody else", () => {
  const keyed = (objects) => {
    const { spec } = named(objects, "Deployment", "fleetfold-runner").spec.template;
    const [{ args, volumeMounts }] = spec.containers;
    const file = args.find((it) => it.startsWith("--digest-key-file="))?.slice("--digest-key-file=".length);
    const { name } = volumeMounts.find((it) => file === `${it.mountPath}/key` && it.readOnly) ?? {};
    return spec.volumes.find((it) => it.name === name)?.secret.secretName;
  };
  assert.equal(keyed(helmDefault), "fleetfold-digest-key");
  const { data } = named(helmDefault, "Secret", "fleetfold-digest-key");
  assert.match(atob(data.key), /^[A-Za-z0-9]{48}$/);
  assert.notEqual(data.key, named(helm({}), "Secret", "fleetfold-digest-key").data.key);
  // The kubelet mounts it: no role is wider than without it.
  assert.deepEqual(rulesOf(helmDefault), rulesOf(helmBase));
  assert.deepEqual(bindingsOf(helmDefault), bindingsOf(helmBase));

  const mine = helm(SETS["a digest key in a secret"]);
  assert.deepEqual([keyed(mine), named(mine, "Secret", "fleetfold-digest-key")], ["mine", undefined]);
  assert.equal(named(helmBase, "Secret", "fleetfold-digest-key"), undefined);
  assert.ok(!argsOf(helmBase, "fleetfold-runner").some((it) => it.startsWith("--digest-key")));

  const component = overlay({
    "kustomization.yaml": "resources: ['{base}']\ncomponents: ['{components/digest-key}']\n",
  });
  assert.equal(keyed(component), "fleetfold-digest-key");
});

test("the components of kustomize grant what the values of Helm grant", () => {
  const objects = overlay({ "kustomization.yaml": ALL_COMPONENTS });
  const values = helm({
    "dialects.certmanager": true,
    "runner.podRefresher": true,
    "rbac.installRoles": true,
    "rbac.secretsEverywhere": true,
    ...SETS["no digest key"],
  });
  assert.deepEqual(rulesOf(objects), rulesOf(values));
  assert.deepEqual(bindingsOf(objects), bindingsOf(values));
  const byName = (a, b) => (a.name < b.name ? -1 : 1);
  assert.deepEqual(hooksOf(objects).sort(byName), hooksOf(values).sort(byName));
  for (const name of ["fleetfold-runner", "fleetfold-webhook"])
    assert.deepEqual(argsOf(objects, name).toSorted(), argsOf(values, name).toSorted());
});

test("the certificate of an overlay is what the API server trusts", () => {
  const objects = overlay({
    "kustomization.yaml":
      "resources: ['{base}']\ncomponents: ['{components/own-certificate}']\n" +
      "secretGenerator: [{name: fleetfold-webhook-cert, namespace: fleetfold-system, type: kubernetes.io/tls, " +
      "files: [tls.crt, tls.key, ca.crt]}]\n",
    "tls.crt": "certificate",
    "tls.key": "key",
    "ca.crt": "authority",
  });
  const [configuration] = ofKind(objects, "ValidatingWebhookConfiguration");
  for (const { clientConfig } of configuration.webhooks) assert.equal(atob(clientConfig.caBundle), "authority");
  const [{ metadata }] = ofKind(objects, "Secret");
  const volumes = named(objects, "Deployment", "fleetfold-webhook").spec.template.spec.volumes;
  assert.equal(volumes.find((it) => it.name === "certificate").secret.secretName, metadata.name);
});

test("the example overlay asks for approval and for a certificate", () => {
  const objects = kustomize("require-approval");
  assert.ok(argsOf(objects, "fleetfold-runner").includes("--require-approval"));
  const [{ metadata }] = ofKind(objects, "ValidatingWebhookConfiguration");
  const certificate = named(objects, "Certificate", "fleetfold-webhook-cert");
  assert.equal(metadata.annotations["cert-manager.io/inject-ca-from"], `fleetfold-system/${certificate.metadata.name}`);
  const specs = (objects) =>
    ofKind(objects, "Certificate", "Issuer")
      .map((it) => [`${it.kind}/${it.metadata.name}`, it.spec])
      .sort();
  assert.deepEqual(specs(objects), specs(helm(SETS["a certificate of cert-manager"])));
});

for (const [name, objects] of rendered) {
  test(`${name}: no verb is a star, and no resource but those of types.kubefed.io`, () => {
    for (const [role, rules] of Object.entries(rulesOf(objects))) {
      for (const rule of rules) {
        assert.ok(!rule.verbs.includes("*"), role);
        assert.ok(!rule.apiGroups.includes("*"), role);
        const isFederated = rule.apiGroups.join() === "types.kubefed.io";
        assert.ok(isFederated || !rule.resources.some((it) => it.includes("*")), role);
      }
    }
  });

  test(`${name}: every container is hardened`, () => {
    for (const [pod, { spec }] of podsOf(objects)) {
      assert.equal(spec.securityContext.runAsNonRoot, true, pod);
      assert.equal(spec.securityContext.seccompProfile.type, "RuntimeDefault", pod);
      assert.ok(spec.topologySpreadConstraints.length > 0, pod);
      for (const container of [...spec.containers, ...(spec.initContainers ?? [])]) {
        const { securityContext, resources } = container;
        assert.deepEqual(
          securityContext,
          { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
          pod,
        );
        assert.ok(resources.requests.cpu && resources.requests.memory && resources.limits.memory, pod);
        assert.ok(container.livenessProbe && container.readinessProbe && container.startupProbe, pod);
        const cache = container.env.find((it) => it.name === "XDG_CACHE_HOME").value;
        const mount = container.volumeMounts.find((it) => it.mountPath === cache);
        assert.ok(spec.volumes.find((it) => it.name === mount.name).emptyDir, pod);
        for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) {
          assert.ok(
            container.ports.some((it) => it.name === container[probe].httpGet.port),
            `${pod} ${probe}`,
          );
        }
      }
    }
  });

  test(`${name}: what selects, finds; what is referred to, is there`, () => {
    const pods = podsOf(objects);
    const finds = (selector, who) =>
      assert.equal(pods.filter(([, { metadata }]) => covers(selector, metadata.labels)).length, 1, who);
    for (const it of ofKind(objects, "Deployment", "PodDisruptionBudget"))
      finds(it.spec.selector.matchLabels, it.metadata.name);
    for (const it of ofKind(objects, "NetworkPolicy")) finds(it.spec.podSelector.matchLabels, it.metadata.name);
    for (const it of ofKind(objects, "ServiceMonitor")) {
      const services = ofKind(objects, "Service").filter(({ metadata }) =>
        covers(it.spec.selector.matchLabels, metadata.labels),
      );
      assert.equal(services.length, 1);
      for (const { port } of it.spec.endpoints) assert.ok(services[0].spec.ports.some(({ name }) => name === port));
    }
    for (const { metadata, spec } of ofKind(objects, "Service")) {
      finds(spec.selector, metadata.name);
      const [, pod] = pods.find(([, it]) => covers(spec.selector, it.metadata.labels));
      const open = pod.spec.containers.flatMap((it) => it.ports.map(({ name }) => name));
      for (const { targetPort } of spec.ports) assert.ok(open.includes(targetPort), metadata.name);
    }
    for (const [, { spec }] of pods) {
      assert.ok(named(objects, "ServiceAccount", spec.serviceAccountName));
      for (const { topologyKey, labelSelector } of spec.topologySpreadConstraints)
        finds(labelSelector.matchLabels, topologyKey);
    }
    for (const { metadata, roleRef, subjects } of ofKind(objects, "ClusterRoleBinding", "RoleBinding")) {
      assert.ok(named(objects, roleRef.kind, roleRef.name) || roleRef.name === "cluster-admin", metadata.name);
      assert.ok(subjects.length > 0, metadata.name);
      for (const it of subjects)
        assert.equal(named(objects, "ServiceAccount", it.name)?.metadata.namespace, it.namespace, metadata.name);
    }
    for (const { webhooks } of ofKind(objects, "ValidatingWebhookConfiguration")) {
      for (const { clientConfig, namespaceSelector } of webhooks) {
        const service = named(objects, "Service", clientConfig.service.name);
        assert.equal(service.metadata.namespace, clientConfig.service.namespace);
        assert.ok(service.spec.ports.some((it) => it.port === clientConfig.service.port));
        assert.deepEqual(namespaceSelector.matchExpressions[0].values, [service.metadata.namespace]);
      }
    }
  });

  test(`${name}: the webhook is asked in time, and never about a subresource`, () => {
    for (const { webhooks } of ofKind(objects, "ValidatingWebhookConfiguration")) {
      for (const it of webhooks) {
        assert.deepEqual([it.sideEffects, it.matchPolicy, it.admissionReviewVersions], ["None", "Equivalent", ["v1"]]);
        assert.ok(it.timeoutSeconds <= 5);
        for (const { resources, operations } of it.rules) {
          assert.ok(!resources.some((resource) => resource.includes("/")));
          const limited = argsOf(objects, "fleetfold-webhook").some((arg) => arg.startsWith("--max-"));
          assert.equal(operations.includes("DELETE"), limited);
        }
      }
    }
  });
}

for (const [name, objects] of rendered) {
  test(`${name}: all engines together have less memory than their pod`, () => {
    for (const [pod, { spec }] of podsOf(objects)) {
      const [{ args, resources }] = spec.containers;
      const [engine] = args.flatMap((it) => /^--memory=(\d+)MiB$/.exec(it)?.[1] ?? []);
      const [, limit] = /^(\d+)Mi$/.exec(resources.limits.memory);
      // The webhook has two workspaces, and a second engine in shadow mode has the limit of the first.
      const engines = args[0] === "webhook" || args.some((it) => it.startsWith("--shadow")) ? 2 : 1;
      assert.equal(Number(limit), engines * Number(engine) * 1.5 + 256, pod);
    }
  });

  test(`${name}: who is let in`, () => {
    const policies = ofKind(objects, "NetworkPolicy");
    if (name.includes("no network policies")) return assert.equal(policies.length, 0);
    assert.equal(policies.length, ofKind(objects, "Deployment").length);
    for (const { spec } of policies) {
      assert.deepEqual(spec.policyTypes, ["Ingress"]);
      for (const { ports, from } of spec.ingress) {
        const [{ port }] = ports;
        // The API server can be named by no selector.
        assert.equal(from === undefined, port === "https", port);
        assert.ok(port === "https" || from.length > 0);
      }
    }
  });
}

test("with certificates of clients, the kubelet asks the other port", () => {
  const { spec } = named(helm(SETS["certificates of clients"]), "Deployment", "fleetfold-webhook").spec.template;
  const [{ args, readinessProbe, volumeMounts }] = spec.containers;
  const file = args.find((it) => it.startsWith("--client-ca=")).slice("--client-ca=".length);
  const { name } = volumeMounts.find((it) => file === `${it.mountPath}/ca.crt`);
  assert.equal(spec.volumes.find((it) => it.name === name).configMap.name, "api-server-ca");
  assert.equal(readinessProbe.httpGet.port, "http");
});

test("POST /reconcile is off, unless there is a token for it", () => {
  assert.ok(!argsOf(helmDefault, "fleetfold-runner").some((it) => it.startsWith("--reconcile")));
  const { spec } = named(helm(SETS.everything), "Deployment", "fleetfold-runner").spec.template;
  const [{ args, volumeMounts }] = spec.containers;
  const file = args.find((it) => it.startsWith("--reconcile-token-file=")).slice("--reconcile-token-file=".length);
  const { name } = volumeMounts.find((it) => file === `${it.mountPath}/token`);
  assert.equal(spec.volumes.find((it) => it.name === name).secret.secretName, "reconcile");
});

test("a label guard and limits fail closed, the rest lets pass", () => {
  const policies = (objects) =>
    Object.fromEntries(hooksOf(objects).map((it) => [it.name.split(".")[0], it.failurePolicy]));
  const all = { dialects: only(...DIALECTS) };
  assert.deepEqual(policies(helmAll), { greenhouse: "Fail", ocm: "Fail", kubefed: "Ignore", certmanager: "Ignore" });
  const limited = policies(helm({ ...all, "webhook.limits.maxDeletes": 5 }));
  assert.deepEqual(
    limited,
    Object.fromEntries([...DIALECTS, "namespaces"].map((it) => [it, "Fail"])),
    "a limit that an outage lifts is none",
  );
  assert.equal(policies(helm({ "webhook.failurePolicy.kubefed": "Fail" })).kubefed, "Fail");
  const chosen = { "webhook.limits.maxDeletes": 5, "webhook.failurePolicy.namespaces": "Ignore" };
  assert.equal(policies(helm(chosen)).namespaces, "Ignore");
});

test("the page for operators justifies the failure policy of every webhook", () => {
  const page = readFileSync(join(root, "install", "README.md"), "utf8");
  const hooks = hooksOf(helm({ dialects: only(...DIALECTS), "webhook.limits.maxDeletes": 5 }));
  const without = Object.fromEntries(hooksOf(helmAll).map((it) => [it.name, it.failurePolicy]));
  for (const { name, failurePolicy } of hooks) {
    const row = page.split("\n").find((it) => it.startsWith(`| \`${name}\` |`));
    assert.ok(row, name);
    const [, , alone, limited, why] = row.split("|").map((it) => it.trim());
    assert.deepEqual([alone, limited], [without[name] ?? "not asked", failurePolicy], name);
    assert.ok(why.length > 40, name);
  }
});

test("with limits the webhook is asked about every kind that has a say, and about deletes", () => {
  const objects = helm({ ...SETS["limits on changes"], dialects: only(...DIALECTS) });
  for (const it of ["--max-deletes=0", "--max-delete-percent=5", "--max-changes=1000000"])
    assert.ok(argsOf(objects, "fleetfold-webhook").includes(it), it);
  const asked = new Set(
    hooksOf(objects)
      .flatMap((it) => it.rules)
      .flatMap((it) => it.apiGroups.flatMap((group) => it.resources.map((resource) => `${group}/${resource}`))),
  );
  const silent = [
    "/configmaps",
    "apiextensions.k8s.io/customresourcedefinitions",
    `${GROUPS.ocm[0]}/placementdecisions`,
  ];
  const read = kindsOf(DIALECTS).map((it) => `${it.group}/${it.resource}`);
  assert.deepEqual([...asked].sort(), read.filter((it) => !silent.includes(it)).sort());
  assert.deepEqual(
    hooksOf(helm({ "webhook.limits.maxDeletes": 1, dialects: only("greenhouse") })).map((it) => it.name),
    ["greenhouse.fleetfold.dev", "namespaces.fleetfold.dev"],
  );
});

test("every value of the runner reaches it", () => {
  const args = argsOf(helm(SETS.everything), "fleetfold-runner");
  const wanted = [
    "--name=fleet",
    "--require-approval",
    "--dry-run",
    "--pod-refresher",
    "--max-deletes=0",
    "--max-delete-percent=5",
    "--max-changes=1000000",
    "--memory=2048MiB",
  ];
  wanted.push("--protect=Service", "--protect=Ingress", "--unprotect=Secret", "--delete-window=30m");
  for (const it of [...wanted, "--resync=90m", "--log-level=debug"]) assert.ok(args.includes(it), it);
  assert.equal(args.at(-1), "--module=/module/engine.wasm");
});

test("the generated certificate is for the service, signed by the authority that is trusted", () => {
  const secret = named(helmDefault, "Secret", "fleetfold-webhook-cert");
  const read = (name) => new X509Certificate(Buffer.from(secret.data[name], "base64"));
  const [certificate, authority] = [read("tls.crt"), read("ca.crt")];
  assert.ok(certificate.checkHost("fleetfold-webhook.fleetfold-system.svc"));
  assert.ok(certificate.verify(authority.publicKey));
  const days = (new Date(certificate.validTo) - new Date(certificate.validFrom)) / 86_400_000;
  assert.ok(days > 364 && days < 367, `${days} days`);
  const [configuration] = ofKind(helmDefault, "ValidatingWebhookConfiguration");
  for (const { clientConfig } of configuration.webhooks) assert.equal(clientConfig.caBundle, secret.data["ca.crt"]);
});

test("a certificate of one's own is mounted and trusted", () => {
  const objects = helm(SETS["a certificate in a secret"]);
  assert.equal(ofKind(objects, "Certificate", "Issuer").length, 0);
  assert.equal(named(objects, "Secret", "fleetfold-webhook-cert"), undefined);
  assert.match(JSON.stringify(named(objects, "Deployment", "fleetfold-webhook")), /"secretName":"mine"/);
  const [configuration] = ofKind(objects, "ValidatingWebhookConfiguration");
  for (const { clientConfig } of configuration.webhooks) assert.equal(clientConfig.caBundle, "QUJD");
});

test("where the cluster picks the user, none is named", () => {
  for (const [, { spec }] of podsOf(helm(SETS["a user that the cluster picks"]))) {
    assert.deepEqual(spec.securityContext, { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  }
});

test("a release of another name, in another namespace, has nothing of the first", () => {
  const text = helmText({}, ["hub", chart, "--namespace", "platform"]);
  assert.doesNotMatch(text, /fleetfold-system|name: fleetfold-/);
  assert.match(text, /name: hub-fleetfold-runner/);
});

const REFUSED = [
  ["an unknown value", { "runner.replica": 1 }, /runner.*replica/],
  ["a word for a number", { "runner.replicas": "two" }, /runner.replicas|\/runner\/replicas/],
  ["an unknown dialect", { "dialects.karmada": true }, /dialects.*karmada/],
  ["a timeout that a person would not wait for", { "webhook.timeoutSeconds": 30 }, /timeoutSeconds/],
  ["a mode that there is not", { "webhook.certificate.mode": "self" }, /certificate.*mode/],
  ["a digest key in no secret", { "runner.digestKey.mode": "secret" }, /secretName/],
  ["the mode secret without a secret", { "webhook.certificate.mode": "secret" }, /secretName/],
  [
    "a star for a verb",
    { "rbac.installs": [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] }] },
    /installs.*verbs/,
  ],
  ["the user root", { podUser: 0 }, /podUser/],
  ["a limit below zero", { "webhook.limits.maxDeletes": -1 }, /maxDeletes/],
  ["a share above 100", { "runner.limits.maxDeletePercent": 101 }, /maxDeletePercent/],
  ["a limit of its own for the pod", { "runner.resources.limits": { memory: "1Gi" } }, /runner.engineMemoryMiB/],
  ["an engine above 4 GiB", { "webhook.engineMemoryMiB": 5000 }, /engineMemoryMiB/],
  ["Secrets without names", { "rbac.secrets": [{ namespace: "acme", names: [] }] }, /secrets.*names/],
  ["no dialect at all", { dialects: only() }, /dialects: at least one must be on/],
];
for (const [what, values, names] of REFUSED) {
  test(`refused, naming the field: ${what}`, () => assert.match(complaintAbout(values), names));
}

test("every value is described", () => {
  const check = (schema, path) => {
    assert.ok(schema.description, path);
    if (schema.properties) assert.equal(schema.additionalProperties, false, path);
    for (const [name, it] of Object.entries(schema.properties ?? {})) check(it, `${path}.${name}`);
    if (schema.items?.properties) check(schema.items, `${path}[]`);
  };
  check(JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8")), "");
});

test("the page for operators names every role", () => {
  const page = readFileSync(join(root, "install", "README.md"), "utf8");
  const all = overlay({ "kustomization.yaml": ALL_COMPONENTS });
  for (const { metadata } of ofKind(all, "ClusterRole", "Role"))
    assert.ok(page.includes(`\`${metadata.name}\``), metadata.name);
});
