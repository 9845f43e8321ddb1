// The policy for Kubewarden in real hosts: the engine of Kubewarden itself (wapc on wasmtime), and waPC's host for
// Node.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { HOSTILE, admissions, mutations } from "./kubewarden-cases.mjs";
import { stories } from "./kubewarden-context.mjs";
import { furtherStories } from "./kubewarden-limits.mjs";
import { ask, inBothHosts, mutatingPolicy, policy, root, yaml } from "./kubewarden-hosts.mjs";
import { questions, read, schema, settingsCases, shown } from "./kubewarden-settings.mjs";

/** What a test puts to the policy, and how it looks at each answer. */
const TESTS = {
  "every vector of admission has the webhook's verdict and words": [admissions(), sameAsWebhook],
  "every vector of defaults is stored as it says, and judged as it is stored": [mutations(), stored],
  "hostile reviews are rejected with a reason": [
    Object.entries(HOSTILE).map(([name, [sent, code]]) => ({ name, op: "validate", code, ...sent })),
    rejected,
  ],
  "the cluster is asked, and nothing passes that it does not say": [named(stories()), told],
  "limits, roles and defaults are what the settings say": [named(furtherStories()), told],
  "the protocol is version 1": [[{ op: "protocol_version", payload: "" }], ({ answer }) => assert.equal(answer, "v1")],
  "an operation that there is not is an error, not a trap": [
    ["", "mutate", "Validate", "validate\u0000"].map((op) => ({ op, payload: "{}" })),
    noHandler,
  ],
  ...Object.fromEntries(Object.entries(settingsCases()).map(([name, cases]) => [name, [cases, settingsAs]])),
};

const cases = Object.values(TESTS).flatMap(([list]) => list);
const hosts = await inBothHosts(cases.map(({ op, payload, hex, script }) => ({ op, payload, hex, script })));

for (const [host, answers] of Object.entries(hosts)) {
  describe(`the policy in ${host}`, () => {
    for (const [name, [list, check]] of Object.entries(TESTS)) {
      test(name, () => {
        assert.ok(list.length > 0);
        for (const it of list) check(parsed(answers[cases.indexOf(it)]), it);
      });
    }
  });
}

test("both hosts have the same answers to the byte, and are asked the same", () => {
  for (const [index, { name, op, payload }] of cases.entries()) {
    const [one, other] = [hosts.wasmtime[index], hosts.node[index]];
    assert.deepEqual([one.answer, one.calls], [other.answer, other.calls], name ?? `${op} ${payload}`);
  }
});

test("there are as many vectors and hostile reviews as there should be", () => {
  const count = (name) => Object.entries(TESTS).find(([it]) => it.startsWith(name))[1][0].length;
  assert.ok(count("every vector of admission") >= 280, `${count("every vector of admission")}`);
  assert.ok(count("every vector of defaults") >= 60, `${count("every vector of defaults")}`);
  assert.ok(count("hostile reviews") >= 40);
});

describe("what comes with the policy", () => {
  const metadata = {
    [policy]: yaml(read("metadata.yml"))[0],
    [mutatingPolicy]: yaml(read("metadata-mutating.yml"))[0],
  };
  const kinds = ask([{ op: "kinds" }])[0].ok.kinds;

  for (const [file, written] of Object.entries(metadata)) {
    test(`${file.split("/").at(-1)} carries its metadata`, () => {
      const [section, ...more] = WebAssembly.Module.customSections(
        new WebAssembly.Module(readFileSync(file)),
        "io.kubewarden.metadata",
      );
      assert.deepEqual(more, []);
      assert.deepEqual(JSON.parse(new TextDecoder().decode(section)), written);
    });
  }

  test("the mutating policy is the same code", () => {
    const [one, other] = [policy, mutatingPolicy].map((it) => readFileSync(it));
    // Before its name a section has its own length and that of the name.
    const end = one.lastIndexOf("io.kubewarden.metadata") - 6;
    assert.ok(end > 1 << 20 && one.subarray(0, end).equals(other.subarray(0, end)));
  });

  test("the policy wants nothing of a host but waPC", () => {
    const module = new WebAssembly.Module(readFileSync(policy));
    assert.deepEqual([...new Set(WebAssembly.Module.imports(module).map((it) => it.module))], ["wapc"]);
    const names = WebAssembly.Module.exports(module).map((it) => it.name);
    assert.ok(
      ["wapc_init", "__guest_call", "memory"].every((it) => names.includes(it)),
      names.join(),
    );
  });

  test("the metadata are what Kubewarden takes", () => {
    const version = readFileSync(join(root, "Cargo.toml"), "utf8").match(/^version = "(.*)"$/m)[1];
    for (const { annotations, ...rest } of Object.values(metadata)) {
      assert.equal(annotations["io.kubewarden.policy.version"], version);
      assert.ok(
        Object.entries(annotations).every(
          ([key, value]) => key.startsWith("io.kubewarden.policy.") && typeof value === "string",
        ),
      );
      assert.deepEqual(
        [rest.protocolVersion, rest.executionMode, rest.policyType],
        ["v1", "kubewarden-wapc", "kubernetes"],
      );
      for (const rule of rest.rules) {
        assert.deepEqual(Object.keys(rule).sort(), ["apiGroups", "apiVersions", "operations", "resources"]);
        for (const list of Object.values(rule))
          assert.ok(list.length === 1 || !list.includes("*"), JSON.stringify(rule));
      }
    }
    assert.deepEqual(
      Object.values(metadata).map((it) => it.mutating),
      [false, true],
    );
  });

  test("the rules have every kind of document, and deletes", () => {
    const { rules } = metadata[policy];
    const written = (kind, operation) =>
      rules.some(
        (it) =>
          it.apiGroups.includes(kind.group) &&
          it.resources.includes(kind.plural ?? "*") &&
          it.operations.includes(operation),
      );
    // Decisions are what is counted; namespaces, definitions and bundles in ConfigMaps are everybody's.
    const left = ["PlacementDecision", "Namespace", "CustomResourceDefinition", "ConfigMap"];
    const missing = kinds.filter((it) => !["CREATE", "UPDATE", "DELETE"].every((operation) => written(it, operation)));
    assert.deepEqual(missing.map((it) => it.kind).sort(), left.sort());
    assert.ok(missing.every((it) => !it.admits));
    assert.ok(
      written(
        kinds.find((it) => it.kind === "Namespace"),
        "DELETE",
      ),
    );
  });

  test("every kind that may be read is listed", () => {
    const wanted = (some) =>
      some
        .flatMap((it) => it.versions.map((version) => `${it.group ? `${it.group}/` : ""}${version} ${it.kind}`))
        .sort();
    const written = (it) => it.contextAwareResources.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).sort();
    const single = kinds.filter((it) => !it.kind.endsWith("*"));
    assert.deepEqual(written(metadata[policy]), wanted(single));
    assert.deepEqual(
      written(metadata[mutatingPolicy]),
      wanted(single.filter((it) => it.dialects.includes("greenhouse"))),
    );
  });

  test("the schema has just the settings that there are", () => {
    const at = cases.findIndex((it) => it.payload === '{"banana":1}');
    const [, names] = parsed(hosts.node[at]).answer.message.match(/the settings are: (.*)$/);
    assert.deepEqual(Object.keys(schema.properties).sort(), names.split(", ").sort());
  });

  test("questions are about settings", () => {
    for (const { variable, type, options, label, group } of questions()) {
      const property = variable.split(".").reduce((it, key) => it?.properties?.[key], schema);
      assert.ok(property && type && label && group, variable);
      if (options) assert.deepEqual(options, property.enum);
    }
  });

  test("the policies in the README name what is built, and mutate where they add defaults", () => {
    assert.equal(shown().length, 4);
    for (const { kind, spec } of shown()) {
      assert.equal(kind, "ClusterAdmissionPolicy");
      const file = spec.module.split("/").at(-1);
      const [, meant] = Object.entries(metadata).find(([path]) => path.endsWith(`/${file}`));
      assert.equal(spec.mutating, meant.mutating);
      assert.equal(spec.settings.defaults ?? false, meant.mutating);
      for (const rule of spec.rules) {
        const covers = (it) =>
          rule.apiGroups.every((group) => it.apiGroups.includes(group)) &&
          rule.resources.every((name) => it.resources.includes(name));
        assert.ok(meant.rules.some(covers), JSON.stringify(rule));
      }
      const readable = meant.contextAwareResources.map((it) => JSON.stringify(it));
      for (const it of spec.contextAwareResources ?? [])
        assert.ok(readable.includes(JSON.stringify(it)), JSON.stringify(it));
    }
  });
});

function named(stories) {
  return Object.entries(stories).map(([name, it]) => ({ name, ...it }));
}

function parsed({ answer, ...rest }) {
  return answer === undefined ? rest : { ...rest, answer: JSON.parse(answer) };
}

/** Message, code and warnings are the webhook's. What it cannot answer is rejected. */
function sameAsWebhook({ answer, error }, { name, want, payload }) {
  assert.equal(error, undefined, name);
  if (want.error) {
    assert.equal(answer.accepted, false, name);
    assert.ok([400, 500].includes(answer.code), `${name}: ${JSON.stringify(answer)}`);
    const words = JSON.parse(payload).request === undefined ? "the review has no request" : want.error.message;
    assert.ok(answer.message.includes(words), `${name}: ${answer.message}`);
    return;
  }
  const { allowed, message, warnings } = want.ok;
  const got = { accepted: answer.accepted, code: answer.code, message: answer.message, warnings: answer.warnings };
  assert.deepEqual(got, { accepted: allowed, code: allowed ? undefined : 403, message, warnings }, name);
}

function stored(result, it) {
  sameAsWebhook(result, it);
  assert.deepEqual(result.answer.mutated_object, result.answer.accepted ? it.stored : undefined, it.name);
}

function rejected({ answer, error }, { name, code }) {
  assert.equal(error, undefined, name);
  assert.deepEqual([answer.accepted, answer.code], [false, code], `${name}: ${JSON.stringify(answer)}`);
  assert.ok(answer.message.length > 10 && answer.message.length < 6_000, `${name}: ${answer.message.length}`);
}

function told(result, it) {
  if (it.want) sameAsWebhook(result, it);
  if (it.refused) {
    const [code, words] = it.refused;
    assert.deepEqual(
      [result.answer?.accepted, result.answer?.code],
      [false, code],
      `${it.name}: ${JSON.stringify(result)}`,
    );
    assert.match(result.answer.message, words, it.name);
  }
  it.holds?.(result, assert);
}

function noHandler({ answer, error }, { op }) {
  assert.equal(answer, undefined, op);
  assert.match(error, /No handler registered for function/, op);
}

function settingsAs({ answer, error }, { payload, wanted }) {
  assert.equal(error, undefined, payload);
  assert.equal(answer.valid, wanted.length === 0, `${payload}: ${answer.message}`);
  for (const words of wanted) assert.match(answer.message, words, payload);
}
