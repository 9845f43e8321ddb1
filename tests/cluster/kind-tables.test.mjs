// The tables about built-in kinds against a real API server: the fields of core/src/object/kinds/fields.rs against its
// schemas, and the defaults of defaults.rs against what it fills in.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { ControlPlane } from "./control-plane.mjs";
import { readDocuments } from "./documents.mjs";
import { defaultTables, fieldTables } from "./kind-tables.mjs";
import { KUBERNETES, releaseOf } from "./tools.mjs";

/**
 * The tables are those of the newest version. An older server lacks fields and defaults, and nothing else may differ:
 * what it has must be in the tables, and what it lacks is printed.
 */
const IS_NEWEST = KUBERNETES === "newest";
const lacks = (what, lines) => {
  console.log(`Kubernetes ${releaseOf()} lacks ${lines.length} of the ${what}, which only the newest has:`);
  for (const line of lines) console.log(`  ${line}`);
};

/** Rows that this server cannot show, and who fills them in instead. */
const FILLED_BY_OTHERS = {
  "ClusterRole rules": "the controller that aggregates roles",
  "VOLUME projected sources serviceAccountToken expirationSeconds 3607": "admission of ServiceAccounts, which is off",
};

/** What a server fills in that is not a default: what becomes of it. */
const NO_DEFAULTS = [
  // It copies the labels of the template where an object has none, and ours has one.
  /^ReplicationController metadata labels /,
  // Built-in rules retain what it allocates.
  /^Service spec (clusterIPs?|ports nodePort) /,
  /^Job spec template metadata labels /,
];

/** Where the pods of a kind are, as core/src/object/kinds/lists.rs has it. */
const PODS = {
  Pod: ["spec"],
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
  ...Object.fromEntries(
    ["DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"].map((kind) => [
      kind,
      ["spec", "template", "spec"],
    ]),
  ),
};

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"];

describe("tables about built-in kinds", () => {
  let plane;
  before(async () => {
    plane = await ControlPlane.start({ members: [] });
    const apply = (kind, extra) =>
      plane.hub.apply({
        metadata: { name: "usual", annotations: { [`${extra.annotation}`]: "true" } },
        kind,
        apiVersion: extra.apiVersion,
        ...extra.body,
      });
    await apply("StorageClass", {
      apiVersion: "storage.k8s.io/v1",
      annotation: "storageclass.kubernetes.io/is-default-class",
      body: { provisioner: "example.com/none" },
    });
    await apply("IngressClass", {
      apiVersion: "networking.k8s.io/v1",
      annotation: "ingressclass.kubernetes.io/is-default-class",
      body: { spec: { controller: "example.com/none" } },
    });
  });
  after(() => plane?.stop());

  test("every field of a kind is in the schemas of the server, and the other way round", async () => {
    const { kinds, types } = fieldTables();
    assert.ok(kinds.length >= 24 && types.size >= 60, "the tables were read");
    const read = async (path) => {
      const body = await plane.hub.send("GET", path);
      return typeof body === "string" ? JSON.parse(body) : body;
    };
    const schemas = await Promise.all(
      Object.entries((await read("/openapi/v3")).paths)
        .filter(([path]) => /^(api\/v1|apis\/[^/]+\/v\d+)$/.test(path))
        .map(async ([, { serverRelativeURL }]) => (await read(serverRelativeURL)).components.schemas),
    );
    const [wrong, newer] = [new Set(), []];
    for (const { group, kind, fields } of kinds) {
      const isKind = (schema) =>
        schema["x-kubernetes-group-version-kind"]?.some((it) => it.group === group && it.kind === kind);
      // A row holds for all versions of a group.
      const roots = schemas.flatMap((all) =>
        Object.values(all)
          .filter(isKind)
          .map((schema) => ({ all, schema })),
      );
      if (roots.length === 0 && !IS_NEWEST) {
        newer.push(kind);
        continue;
      }
      assert.ok(roots.length > 0, `the server has no schema of ${kind}`);
      compare(kind, fields, roots);
    }
    assert.deepEqual([...wrong], []);
    if (!IS_NEWEST) lacks("fields", newer);

    function compare(place, fields, schemas) {
      const known = new Map();
      for (const { all, schema } of schemas.map(resolve)) {
        for (const [name, it] of Object.entries(schema.properties ?? {})) {
          known.set(name, [...(known.get(name) ?? []), resolve({ all, schema: it })]);
        }
      }
      for (const { name, shape, of } of fields) {
        const found = known.get(name);
        known.delete(name);
        if (!found) {
          if (IS_NEWEST) wrong.add(`${place}.${name}: the server has no such field`);
          else newer.push(`${place}.${name}`);
          continue;
        }
        const shapes = found.map(({ schema }) => shapeOf(schema));
        if (shape !== "any" && !shapes.includes(shape)) wrong.add(`${place}.${name}: ${shape}, and not ${shapes}`);
        const items = found.map(({ all, schema }) => ({ all, schema: schema.items ?? schema }));
        if (of) compare(`${place}.${name}`, types.get(of), items);
      }
      for (const name of known.keys()) wrong.add(`${place}.${name}: the table has no such field`);
    }
  });

  test("every default is what the server fills in, and the other way round", async () => {
    const { kinds, parts } = defaultTables();
    const sent = readDocuments(readFileSync(new URL("defaulted.yaml", import.meta.url), "utf8"));
    const rows = [...Object.entries(parts).filter(([name]) => name !== "WEBHOOKS")].flatMap(([name, rows]) =>
      rows.map((row) => ({ ...row, place: name })),
    );
    rows.push(...kinds.flatMap(({ kind, rows }) => rows.map((row) => ({ ...row, place: kind }))));
    assert.ok(rows.length > 100, `${rows.length} rows were read`);
    const seen = new Set();
    const unknown = [];
    for (const object of sent) {
      const path = await plane.hub.path(object, { collection: true });
      // The documents may have fields that an older server drops.
      const validation = IS_NEWEST ? "Strict" : "Ignore";
      const stored = await plane.hub.send("POST", `${path}?dryRun=All&fieldValidation=${validation}`, { body: object });
      for (const added of additions(object, stored)) {
        const matching = tablesFor(object, added.path).flatMap(({ place, path }) =>
          rows.filter((row) => row.place === place && isDeepStrictEqual(row.path, path) && accepts(row, added.value)),
        );
        matching.forEach((row) => seen.add(row));
        const line = `${object.kind} ${added.path.join(" ")} ${JSON.stringify(added.value)}`;
        if (matching.length === 0 && !NO_DEFAULTS.some((it) => it.test(line))) unknown.push(line);
      }
    }
    assert.deepEqual(unknown, [], "the server fills in what no row has");
    const name = ({ place, path, value }) => [place, ...path].join(" ") + (value === 3607 ? " 3607" : "");
    const unseen = rows.filter((row) => !seen.has(row)).map(name);
    if (IS_NEWEST) assert.deepEqual(unseen.sort(), Object.keys(FILLED_BY_OTHERS).sort());
    else
      lacks(
        "defaults",
        unseen.filter((it) => !(it in FILLED_BY_OTHERS)),
      );

    /** What a server added to an object: the smallest parts that a row may be about. */
    function additions(object, stored) {
      const found = [];
      walk(object, stored, [], []);
      return found;

      function walk(sent, stored, path) {
        if (path.length === 1 && path[0] === "status") return;
        if (path[0] === "metadata" && path.length === 2 && path[1] !== "labels") return;
        if (sent === undefined && path.length > 0 && (hasRow(object, path, stored) || isLeaf(stored))) {
          found.push({ path, value: stored });
        } else if (Array.isArray(stored)) {
          stored.forEach((it, index) => walk(sent?.[index], it, path));
        } else if (!isLeaf(stored)) {
          for (const [key, value] of Object.entries(stored)) walk(sent?.[key], value, [...path, key]);
        }
      }
    }

    function hasRow(object, path, value) {
      return tablesFor(object, path).some(({ place, path }) =>
        rows.some((row) => row.place === place && isDeepStrictEqual(row.path, path) && accepts(row, value)),
      );
    }
  });
});

/** The tables that hold for a place, with the path in each. */
function tablesFor({ kind }, path) {
  const tables = [{ place: kind, path }];
  const pod = PODS[kind];
  if (!pod || !isDeepStrictEqual(path.slice(0, pod.length), pod)) return tables;
  const [first, ...rest] = path.slice(pod.length);
  tables.push({ place: "POD_SPEC", path: path.slice(pod.length) });
  if (["containers", "initContainers"].includes(first)) {
    tables.push({ place: "CONTAINER", path: rest });
    if (PROBES.includes(rest[0])) tables.push({ place: "PROBE", path: rest.slice(1) });
  }
  if (first === "volumes") tables.push({ place: "VOLUME", path: rest });
  return tables;
}

function accepts(row, value) {
  return !("value" in row) || isDeepStrictEqual(row.value, value);
}

function isLeaf(value) {
  return value === null || typeof value !== "object" || Object.keys(value).length === 0;
}

function resolve({ all, schema }) {
  let found = schema;
  while (found.$ref || found.allOf) found = found.$ref ? all[found.$ref.split("/").at(-1)] : found.allOf[0];
  return { all, schema: found };
}

function shapeOf(schema) {
  if (schema.type === "array") return "list";
  if (schema.additionalProperties) return "free";
  return schema.properties ? "map" : "plain";
}
