// What a real API server stores is no difference from what was sent to it: not for the manifests of the examples and of
// their bundles, and not for objects full of empty values. The rows of core/src/object/kinds/stored come from here.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { command } from "./command.mjs";
import { ControlPlane, eventually } from "./control-plane.mjs";
import { readDocuments, root } from "./documents.mjs";

const OWNER = { apiVersion: "kudo.dev/v1beta1", kind: "OperatorVersion", name: "shop", uid: "u-1" };

/** The kinds of federated templates, which do not say it themselves. */
const FEDERATED = {
  FederatedConfigMap: "v1",
  FederatedDeployment: "apps/v1",
  FederatedNamespace: "v1",
  FederatedService: "v1",
  FederatedValidatingWebhookConfiguration: "admissionregistration.k8s.io/v1",
};

/** Objects of the examples that no API server takes: webhooks under `spec`, Secrets of a type without its keys. */
const REFUSED = [
  "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration foo",
  "v1 Secret shop shop-tls",
  "v1 Secret shop api-tls",
];

/** Values that the API server always writes, so that a live object cannot lack them. */
const ALWAYS_WRITTEN = ["finalizers", "podSelector", "resources", "rules", "serviceName", "start", "type", "value"];

describe("stored", () => {
  let plane;
  let served;
  before(async () => {
    plane = await ControlPlane.start({ members: [] });
    served = new Set((await plane.hub.send("GET", "/apis")).groups.map((it) => it.name).concat(""));
  });
  after(() => plane?.stop());

  const groupOf = (object) => (object.apiVersion.includes("/") ? object.apiVersion.split("/")[0] : "");
  const nameOf = ({ apiVersion, kind, metadata }) =>
    [apiVersion, kind, metadata.namespace, metadata.name].filter(Boolean).join(" ");

  /** Creates an object, and returns what the server has then. */
  async function stored(object) {
    await plane.hub.ensureNamespace(object.metadata.namespace);
    if (await plane.hub.find(object)) await gone(object);
    const path = await plane.hub.path(object, { collection: true });
    await plane.hub.send("POST", `${path}?fieldValidation=Strict`, { body: object });
    if (object.aggregationRule) {
      const isFilled = async () => (await plane.hub.get(object)).rules?.length > 0;
      await eventually(isFilled, { what: `the rules of ${nameOf(object)}` });
    }
    return plane.hub.get(object);
  }

  async function gone(object) {
    await plane.hub.delete(object);
    await eventually(async () => !(await plane.hub.find(object)), { what: `${nameOf(object)} being deleted` });
  }

  function ask(requests) {
    const input = requests.map((it) => JSON.stringify(it)).join("\n");
    const { code, out, err } = command(["call", "--native"], { input: `${input}\n` });
    assert.equal(code, 0, err);
    return out
      .trim()
      .split("\n")
      .map((it) => JSON.parse(it));
  }

  /** Compares pairs in the ways that dialects do, and answers what differs. */
  function differences(pairs) {
    const answers = ask(
      pairs.flatMap(({ desired, live }) => [
        { op: "match", desired, live },
        { op: "match", policy: "byKind", desired, live },
        { op: "adopt", owner: OWNER, desired, live },
      ]),
    );
    return answers.flatMap(({ ok, error }, index) => {
      const name = nameOf(pairs[Math.floor(index / 3)].desired);
      const way = ["match", "by kind", "adopt"][index % 3];
      if (error) return [`${name}, ${way}: ${error.message}`];
      return ok.differences.map((it) => `${name}, ${way}: ${JSON.stringify(it)}`);
    });
  }

  /** Every object of a built-in kind in a document, and in the texts that it holds. */
  function objectsIn(value) {
    if (Array.isArray(value)) return value.flatMap(objectsIn);
    if (typeof value === "string") {
      return /^apiVersion:/m.test(value) && !value.includes("{{") ? readDocuments(value).flatMap(objectsIn) : [];
    }
    if (value === null || typeof value !== "object") return [];
    if (value.kind in FEDERATED && value.spec?.template) {
      const { metadata, spec } = value;
      const { name, namespace } = metadata;
      const template = structuredClone(spec.template);
      const kind = value.kind.replace("Federated", "");
      const scope = ["Namespace", "ValidatingWebhookConfiguration"].includes(kind) ? {} : { namespace };
      return [
        { ...template, apiVersion: FEDERATED[value.kind], kind, metadata: { ...template.metadata, name, ...scope } },
      ];
    }
    if (value.apiVersion && value.kind && value.metadata?.name && served.has(groupOf(value))) return [value];
    return Object.values(value).flatMap(objectsIn);
  }

  function yamlFiles(folder) {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((it) => it.name.endsWith(".yaml")).map((it) => join(it.parentPath, it.name));
  }

  test("the manifests of every example are stored without a difference", async () => {
    const files = yamlFiles(join(root, "examples"));
    const objects = files.flatMap((it) => objectsIn(readDocuments(readFileSync(it, "utf8"))));
    assert.ok(objects.length > 100, `${objects.length} objects`);
    const pairs = [];
    const refused = new Set();
    for (const object of objects.filter((it) => !it.metadata.deletionTimestamp)) {
      const desired = structuredClone(object);
      if (isNamespaced(object)) desired.metadata.namespace ??= "examples";
      // A server refuses a version that it did not give.
      delete desired.metadata.resourceVersion;
      const live = await stored(desired).catch((error) => {
        if (![400, 422].includes(error.code)) throw error;
        refused.add(nameOf(desired));
      });
      if (live) pairs.push({ desired, live });
      if (live && desired.kind !== "Namespace") await gone(desired);
    }
    assert.deepEqual(differences(pairs), []);
    assert.deepEqual([...refused], REFUSED);
    const kinds = new Set(pairs.map(({ desired }) => desired.kind));
    for (const kind of ["CustomResourceDefinition", "MutatingWebhookConfiguration", "Role", "StatefulSet"]) {
      assert.ok(kinds.has(kind), `no ${kind} was compared`);
    }
  });

  test("empty values, zeros and quantities are stored without a difference", async () => {
    const pairs = [];
    for (const desired of readDocuments(readFileSync(new URL("zero-values.yaml", import.meta.url), "utf8"))) {
      pairs.push({ desired, live: await stored(desired) });
    }
    assert.deepEqual(differences(pairs), []);
    // A zero that the server stores may mean something else than none: its absence is a difference.
    const missing = pairs.flatMap(({ desired, live }) =>
      zeros(desired)
        .filter((path) => !ALWAYS_WRITTEN.includes(path.at(-1)) && at(live, path) !== undefined)
        .map((path) => ({ desired, live: without(live, path), path })),
    );
    assert.ok(missing.length > 60, `${missing.length} zeros`);
    const answers = ask(missing.map(({ desired, live }) => ({ op: "match", desired, live })));
    const unseen = missing.filter((_, index) => answers[index].ok?.matches !== false);
    assert.deepEqual(
      unseen.map(({ desired, path }) => `${nameOf(desired)}: ${path.join(".")}`),
      [],
    );
  });

  function isNamespaced(object) {
    return (
      !["Namespace", "CustomResourceDefinition", "PriorityClass", "StorageClass"].includes(object.kind) &&
      !/^Cluster|WebhookConfiguration$/.test(object.kind)
    );
  }
});

/** The paths of the empty values, zeros and `false` of an object. */
function zeros(value, path = []) {
  if (value === null) return [];
  const isZero = value === false || value === 0 || value === "" || isEmpty(value);
  if (isZero) return path[0] === "status" ? [] : [path];
  if (typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, it]) => zeros(it, [...path, key]));
}

function isEmpty(value) {
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Only a zero that is stored as one: a default in its place is another value. */
function at(object, path) {
  const found = path.reduce((it, key) => it?.[key], object);
  return found === false || found === 0 || found === "" || (found && isEmpty(found)) ? found : undefined;
}

function without(object, path) {
  const copy = structuredClone(object);
  delete path.slice(0, -1).reduce((it, key) => it[key], copy)[path.at(-1)];
  return copy;
}
