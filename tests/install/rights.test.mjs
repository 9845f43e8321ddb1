// What the roles and bindings of the chart and the kustomize base grant: for each dialect, to the webhook, and to
// Secrets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { argsOf, DIALECTS, GROUPS, helm, hooksOf, kustomize, named, ofKind, rulesOf } from "./render.mjs";
import { only, SETS } from "./values.mjs";

const helmDefault = helm(SETS["the defaults"]);
/** Every dialect, also the one that is off by default. */
const helmAll = helm({ dialects: only(...DIALECTS) });
const kustomizeBase = kustomize("base");

for (const [dialect, groups] of Object.entries(GROUPS)) {
  test(`nothing is left of ${dialect} when it is off`, () => {
    const objects = helm({ [`dialects.${dialect}`]: false, ...(dialect === "ocm" && { "dialects.kubefed": false }) });
    const rules = [...Object.values(rulesOf(objects)), ...hooksOf(objects).map((it) => it.rules)].flat();
    for (const rule of rules) assert.ok(!rule.apiGroups.some((it) => groups.includes(it)), JSON.stringify(rule));
    assert.ok(!argsOf(objects, "fleetfold-runner").includes(`--dialect=${dialect}`));
    assert.equal(ofKind(objects, "ClusterRole").filter((it) => it.metadata.name.includes(`-${dialect}-`)).length, 0);
  });

  test(`all of ${dialect} is there when it is alone`, () => {
    const objects = helm({ dialects: only(dialect) });
    const all = rulesOf(helmAll);
    for (const [role, rules] of Object.entries(rulesOf(objects))) assert.deepEqual(rules, all[role]);
    const granted = Object.values(rulesOf(objects))
      .flat()
      .flatMap((it) => it.apiGroups);
    for (const group of groups) assert.ok(granted.includes(group), group);
    assert.deepEqual(
      argsOf(objects, "fleetfold-runner").filter((it) => it.startsWith("--dialect")),
      [`--dialect=${dialect}`],
    );
  });
}

test("for KubeFed alone, what is ocm's may be read and no more", () => {
  const rules = Object.values(rulesOf(helm({ "dialects.ocm": false }))).flat();
  const its = rules.filter((it) => it.apiGroups.includes(GROUPS.ocm[0]));
  assert.deepEqual(
    its.map((it) => it.verbs),
    [["get", "list", "watch"]],
  );
});

test("the webhook only reads, and sees no secret", () => {
  const bound = ofKind(helmAll, "ClusterRoleBinding", "RoleBinding").filter((it) =>
    it.subjects.some(({ name }) => name === "fleetfold-webhook"),
  );
  const rules = bound.flatMap((it) => named(helmAll, it.roleRef.kind, it.roleRef.name).rules);
  assert.ok(rules.length > 5);
  for (const { resources, verbs } of rules) {
    assert.ok(!resources.includes("secrets"));
    if (resources.join() === "subjectaccessreviews") assert.deepEqual(verbs, ["create"]);
    else assert.deepEqual(verbs, ["get", "list", "watch"]);
  }
});

test("without clusters that are reached by a secret, none may be read", () => {
  const rules = rulesOf(helm({ dialects: only("ocm", "kudo", "certmanager") }));
  assert.ok(
    !Object.values(rules)
      .flat()
      .some((it) => it.resources.includes("secrets")),
  );
});

/** The roles that are bound, with the namespaces in which; `undefined` is everywhere. */
const boundRoles = (objects) =>
  ofKind(objects, "RoleBinding", "ClusterRoleBinding").map((it) => [
    named(objects, it.roleRef.kind, it.roleRef.name),
    it.metadata.namespace,
  ]);

test("by default no Secret may be read, and nothing that runs pods or intercepts requests may be written", () => {
  const writes = ["create", "update", "patch", "delete"];
  const strong = ["deployments", "pods", "roles", "clusterroles", "mutatingwebhookconfigurations"];
  for (const objects of [helmDefault, kustomizeBase]) {
    for (const [{ metadata, rules }] of boundRoles(objects)) {
      for (const { resources, verbs } of rules) {
        assert.ok(!resources.includes("secrets"), metadata.name);
        if (verbs.some((it) => writes.includes(it)))
          assert.ok(!resources.some((it) => strong.includes(it)), metadata.name);
      }
    }
  }
});

test("Secrets are granted by name, by namespace, or everywhere if that is asked for", () => {
  const secrets = (objects) =>
    boundRoles(objects)
      .filter(([{ rules }]) => rules.some((it) => it.resources.includes("secrets")))
      .map(([{ rules }, namespace]) => [namespace, ...rules.map((it) => [it.verbs.join(), it.resourceNames])]);
  assert.deepEqual(secrets(helm(SETS["narrow rights"])), [
    ["acme", ["get", undefined]],
    ["kube-federation-system", ["get", undefined]],
    ["shop", ["get", ["eu-1", "eu-2"]]],
  ]);
  assert.deepEqual(secrets(helm({ "rbac.secretsEverywhere": true })), [[undefined, ["get", undefined]]]);
});
test("rights can be narrowed to namespaces", () => {
  const objects = helm(SETS["narrow rights"]);
  const where = (role) =>
    ofKind(objects, "RoleBinding", "ClusterRoleBinding")
      .filter((it) => it.roleRef.name === role)
      .map((it) => it.metadata.namespace);
  assert.deepEqual(where("fleetfold-cluster-secrets"), ["acme", "kube-federation-system"]);
  assert.deepEqual(where("fleetfold-certmanager-installs-namespaced"), ["cert-manager"]);
});

test("a row of rbac.installs counts where it says", () => {
  const objects = helm(SETS["rights for what is installed"]);
  const roles = ofKind(objects, "Role").filter((it) => it.metadata.name === "fleetfold-installs-0");
  assert.deepEqual(
    roles.map((it) => it.metadata.namespace),
    ["databases", "queues"],
  );
  assert.deepEqual(roles[0].rules[0].resources, ["statefulsets"]);
  assert.deepEqual(named(objects, "ClusterRole", "fleetfold-installs-1").rules[0].verbs, ["get", "create"]);
});
