// Operations on real servers, for one kind of each dialect: set, change, wrong value, roll back, remove. Each dialect
// has a field that its document sets and one that it does not set, so that removed is compared with never set. The
// drills in memory (`tests/operations`) do this for every field; here the server validates, defaults and stores what is
// written.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startPlane, Story } from "./stories.mjs";

const configMap = (name, schedule) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { schedule } });
const replicas = (clusterName, value) => ({ clusterName, overrides: [{ name: "replicas", value }] });
const tolerated = (key, operator) => [{ key, operator }];
const image = (path, value) => ({ clusterName: "tokyo", clusterOverrides: [{ path, value }] });

const PRESET = "PluginPreset/acme/metrics";
const PLACEMENT = "Placement/ops/agents";
const DEPLOYMENT = "FederatedDeployment/shop/web";
const VERSION = "OperatorVersion/db/mysql-8.0-1.1.0";
const INSTALLATION = "CertManagerDeployment/cluster";
const IMAGE = "/spec/template/spec/containers/0/image";

/**
 * By dialect: its examples, what its documents become in the clusters, and the fields.
 *
 * - `set` is the first value of a field that the document does not have; without it, the document has the field.
 * - `wrong` is stored by the server of the hub, and the runner reports it (`told`). `refused` is not stored.
 * - `given` is a patch that comes before.
 * - `kept`: the dialect never changes or deletes what it made. If this is a pattern, the runner reports a change.
 */
const DIALECTS = {
  greenhouse: {
    examples: "greenhouse",
    made: { hub: ["Plugin"] },
    fields: [
      {
        document: PRESET,
        path: "/spec/plugin/optionValues/0",
        change: { name: "replicas", value: 4 },
        wrong: { name: "replicas", value: "many" },
        told: /`replicas` takes an integer/,
      },
      {
        document: PRESET,
        path: "/spec/clusterOptionOverrides/1",
        set: replicas("us-1", 4),
        change: replicas("us-1", 6),
        wrong: { clusterName: "us-1", overrides: "x" },
        told: /`overrides` must be a list/,
      },
    ],
  },
  ocm: {
    examples: "ocm",
    made: { hub: ["PlacementDecision"] },
    fields: [
      {
        document: PLACEMENT,
        path: "/spec/tolerations",
        change: tolerated("nothing", "Exists"),
        wrong: tolerated("maintenance", "Sometimes"),
        told: /`Sometimes` is not an operator/,
      },
      {
        document: PLACEMENT,
        path: "/spec/numberOfClusters",
        set: 3,
        change: 2,
        wrong: "two",
        told: /`numberOfClusters` must be an integer/,
      },
    ],
  },
  kubefed: {
    examples: "kubefed",
    made: { berlin: ["Deployment"], tokyo: ["Deployment"] },
    fields: [
      {
        document: DEPLOYMENT,
        path: "/spec/overrides/1",
        change: image(IMAGE, "registry.example.com/shop/web:2.5.0"),
        wrong: image("/spec/template/spec/containers/7/image", "x"),
        told: /there is nothing at `\/spec\/template\/spec\/containers\/7`/,
      },
      {
        document: DEPLOYMENT,
        path: "/spec/template/spec/minReadySeconds",
        set: 5,
        change: 10,
        // The server of the member refuses it.
        wrong: "soon",
        told: /minReadySeconds/,
      },
    ],
  },
  kudo: {
    examples: "kudo",
    made: { hub: ["Deployment", "Service", "ConfigMap/db", "ClusterRole"] },
    fields: [
      {
        document: VERSION,
        path: "/spec/templates/defaults.yaml",
        change: configMap("backup-defaults", "0 4 * * *"),
        kept: /differs at `\/data\/schedule`/,
        wrong: "kind: [",
        told: /the template `defaults.yaml`: not YAML/,
      },
      {
        document: VERSION,
        given: [{ op: "add", path: "/spec/templates/notes.yaml", value: configMap("notes", "0 5 * * *") }],
        path: "/spec/tasks/3/spec/resources/1",
        set: "notes.yaml",
        change: "editors.yaml",
        kept: true,
        wrong: "note.yaml",
        told: /there is no template `note.yaml`/,
      },
    ],
  },
  certmanager: {
    examples: ["certmanager/bundles", "stories/004-install"],
    made: { hub: ["Deployment", "Service", "ServiceAccount", "ClusterRole", "CustomResourceDefinition"] },
    fields: [
      {
        document: INSTALLATION,
        path: "/spec/dangerZone/containerArgOverrides/controller/v",
        change: "5",
        wrong: "loud",
        told: /loud/,
      },
      {
        document: INSTALLATION,
        path: "/spec/dangerZone/containerArgOverrides/webhook",
        set: { v: "4" },
        change: { v: "5" },
        refused: "--v=4",
        wrong: { vv: "4" },
        told: /vv/,
      },
    ],
  },
};

describe("operations", () => {
  let plane;
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
  });
  after(() => plane?.stop());

  /** The objects that the documents became, without what every write changes. */
  async function objectsOf(made) {
    const all = {};
    for (const [cluster, kinds] of Object.entries(made))
      for (const kind of kinds) {
        const server = cluster === "hub" ? plane.hub : plane.members[cluster];
        for (const { metadata, status, ...rest } of await server.list(kind)) {
          const { namespace, name, labels } = metadata;
          // Other kinds have the status of controllers, which do not run here.
          const decided = kind === "PlacementDecision" ? { status } : {};
          all[`${cluster} ${rest.kind} ${namespace ?? ""}/${name}`] = { ...rest, ...decided, labels };
        }
      }
    return all;
  }

  /** Everything that the runner says: its log since then, and its conditions. */
  async function saidSince(runner, from) {
    const { conditions = [] } = (await plane.hub.find("FleetPlan/fleetfold"))?.status ?? {};
    return JSON.stringify([...runner.logs.slice(from), ...conditions.filter((it) => it.status === "False")]);
  }

  for (const [dialect, { examples, made, fields }] of Object.entries(DIALECTS)) {
    test(dialect, async (context) => {
      const args = ["--dialect", dialect, "--max-deletes", "100", "--max-delete-percent", "100"];
      const story = await Story.begin(plane, examples, { args });
      await story.settle();
      const { runner } = story;
      for (const { document, given = [], path, set, change, kept, refused, wrong, told } of fields) {
        const write = (operations) => plane.hub.patch(document, operations, { kind: "json" });
        const look = async () => {
          const writes = await story.settle();
          return { writes, objects: await objectsOf(made) };
        };
        const add = (value) => write([{ op: "add", path, value }]).then(look);
        const replace = (value) => write([{ op: "replace", path, value }]).then(look);

        const before = given.length > 0 ? (await write(given).then(look)).objects : await objectsOf(made);
        const value = set ?? valueAt(await plane.hub.get(document), path);
        const right = set === undefined ? before : (await add(set)).objects;
        if (set !== undefined) assert.notDeepEqual(right, before, `${path}: set, it reaches the clusters`);

        let from = runner.logs.length;
        const { objects: changed } = await replace(change);
        if (!kept) assert.notDeepEqual(changed, right, `${path}: changed, it reaches the clusters`);
        else assert.deepEqual(changed, right, `${path}: changed, it leaves what is there`);
        if (kept instanceof RegExp) assert.match(await saidSince(runner, from), kept, `${path}: a change is reported`);
        assert.deepEqual((await replace(value)).objects, right, `${path}: rolled back after a change`);

        if (refused) await assert.rejects(replace(refused), { code: 422 }, `${path}: the server refuses a wrong type`);
        from = runner.logs.length;
        const deletes = (await replace(wrong)).writes.filter((it) => /\bdelete\b/.test(it));
        assert.deepEqual(deletes, [], `${path}: a wrong value deletes nothing`);
        assert.match(await saidSince(runner, from), told, `${path}: a wrong value is reported`);
        assert.deepEqual((await replace(value)).objects, right, `${path}: rolled back after a wrong value`);

        const { objects: removed } = await write([{ op: "remove", path }]).then(look);
        if (kept) assert.deepEqual(removed, right, `${path}: removed, it leaves what is there`);
        else if (set !== undefined) assert.deepEqual(removed, before, `${path}: removed is the same as never set`);
        else assert.notDeepEqual(removed, right, `${path}: removed, it leaves the clusters`);
        if (set === undefined) assert.deepEqual((await add(value)).objects, right, `${path}: set again`);
        context.diagnostic(`${document} ${path}: set, change, wrong value, roll back, remove`);
      }
      await story.expectQuiet({ reconciles: 1 });
    });
  }
});

/** The value at a JSON pointer. */
const valueAt = (object, pointer) =>
  pointer
    .slice(1)
    .split("/")
    .reduce((it, key) => it?.[key], object);
