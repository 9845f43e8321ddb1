// Operations on real servers: one kind of each dialect, some of its fields; change, wrong value, remove, roll back. The
// fields and values are those of the drills in memory (`tests/operations`), which drill all of them.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { drillsOf, someOf } from "../operations/drill.mjs";
import { placesOf, valueAt } from "../operations/fields.mjs";
import { exceptionFor } from "../operations/tables.mjs";
import { othersOf, wrongValuesOf } from "../operations/values.mjs";
import { pointer, write } from "../model/json.mjs";
import { startPlane, Story } from "./stories.mjs";

const SEED = Number(process.env.FLEETFOLD_SEED ?? 1);

/** How many fields of each kind. */
const FIELDS = 4;

/**
 * By dialect: the kind that says most, the examples that have it, and what its documents become in the clusters. With
 * `fleet`, its document is that of a fleet of `tests/operations`, applied on top of the examples.
 */
const KINDS = {
  greenhouse: { kind: "greenhouse.sap/PluginPreset", examples: "greenhouse", made: { hub: ["Plugin"] } },
  ocm: { kind: "cluster.open-cluster-management.io/Placement", examples: "ocm", made: { hub: ["PlacementDecision"] } },
  kubefed: {
    kind: "types.kubefed.io/FederatedDeployment",
    examples: "kubefed",
    made: { berlin: ["Deployment", "Service", "ConfigMap"], tokyo: ["Deployment", "Service", "ConfigMap"] },
  },
  kudo: {
    kind: "kudo.dev/OperatorVersion",
    examples: "kudo",
    made: { hub: ["Deployment", "Service", "ConfigMap", "ClusterRole"] },
  },
  certmanager: {
    kind: "operators.opdev.io/CertManagerDeployment",
    fleet: "certmanager-overrides",
    examples: "certmanager/bundles",
    made: { hub: ["Deployment", "Service", "ServiceAccount", "ClusterRole", "CustomResourceDefinition"] },
  },
};

describe("operations", () => {
  let plane;
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
  });
  after(() => plane?.stop());

  /** The objects that the documents became, as texts, without what every write changes. */
  async function objectsOf(made) {
    const all = {};
    for (const [cluster, kinds] of Object.entries(made))
      for (const kind of kinds) {
        const server = cluster === "hub" ? plane.hub : plane.members[cluster];
        for (const object of await server.list(kind)) {
          const { metadata, status, ...rest } = object;
          const { namespace, name, labels } = metadata;
          all[`${cluster} ${kind} ${namespace ?? ""}/${name}`] = write({ ...rest, labels });
        }
      }
    return all;
  }

  for (const [dialect, { kind, fleet, examples, made }] of Object.entries(KINDS)) {
    test(`${dialect}: ${kind}`, async (context) => {
      const args = ["--dialect", dialect, "--max-deletes", "100", "--max-delete-percent", "100"];
      const story = await Story.begin(plane, examples, { args });
      const isMeant = (it) => it.kind === kind && (!fleet || it.fleet.name === fleet);
      const { document, fields } = drillsOf(dialect).find(isMeant);
      if (fleet) await plane.hub.apply(document);
      await story.settle();
      const reference = [document.kind, document.metadata.namespace, document.metadata.name].filter(Boolean).join("/");
      const isWorthIt = (field) => {
        const [place] = placesOf(document, field.path);
        // A template is judged by the server of the member, which may refuse what is drilled.
        const isOwn = field.name.startsWith("spec.") && !field.name.startsWith("spec.template.");
        const isExact = !["roll back", "removed"].some((law) =>
          exceptionFor({ id: kind, field: field.name, operation: "", law }),
        );
        return place && isOwn && isExact && othersOf(field, valueAt(document, place)).length > 0;
      };
      const operations = [];
      for (const [index, field] of someOf(fields.filter(isWorthIt), FIELDS, SEED).entries()) {
        const before = await objectsOf(made);
        const [place] = placesOf(document, field.path);
        const value = valueAt(document, place);
        const [other] = othersOf(field, value);
        const wrong = someOf(wrongValuesOf(field, value), 1, SEED + index)[0];
        const replace = (it) =>
          plane.hub.patch(reference, [{ op: "replace", path: pointer(place), value: it }], JSON_PATCH);
        for (const [operation, written] of [
          ["change", other],
          [`wrong value: ${wrong.name}`, wrong.value],
        ]) {
          const name = `${field.name}, ${operation}`;
          operations.push(name);
          try {
            await replace(written);
          } catch (error) {
            // The server refuses what the schema does not have: nothing changes.
            assert.ok([400, 422].includes(error.code), `${name}: ${error.message}`);
            continue;
          }
          const writes = await story.settle();
          if (operation !== "change")
            assert.deepEqual(
              writes.filter((it) => /\bdelete\b/.test(it)),
              [],
              `${name} deletes nothing`,
            );
          await replace(value);
          await story.settle();
          assert.deepEqual(await objectsOf(made), before, `${name}, rolled back, leaves what was there`);
        }
        // Removed, and set again.
        operations.push(`${field.name}, remove and set`);
        await plane.hub.patch(reference, [{ op: "remove", path: pointer(place) }], JSON_PATCH);
        await story.settle();
        await plane.hub.patch(reference, [{ op: "add", path: pointer(place), value }], JSON_PATCH);
        await story.settle();
        assert.deepEqual(await objectsOf(made), before, `${field.name}, set again, leaves what was there`);
      }
      context.diagnostic(`${operations.length} operations on ${FIELDS} fields: ${operations.join("; ")}`);
      assert.equal(operations.length, 3 * FIELDS, "every field has been drilled");
      await story.expectQuiet({ reconciles: 3 });
    });
  }
});

const JSON_PATCH = { kind: "json" };
