// `fleetfold lint --from-cluster` against a real hub: what its CustomResourceDefinitions would not store.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { command } from "./command.mjs";
import { startPlane } from "./stories.mjs";

describe("lint --from-cluster", () => {
  let plane, folder;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "fleetfold-lint-"));
    plane = await startPlane({ members: [] });
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await plane?.stop();
  });

  test("a field that the definition of the hub lacks is a finding, and the hub drops it", async () => {
    const name = "organizations.greenhouse.sap";
    const definition = await plane.hub.get(`CustomResourceDefinition/${name}`);
    // Greenhouse's own definition has no `pluginOverrides`.
    const [version] = definition.spec.versions;
    version.schema.openAPIV3Schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { displayName: { type: "string" } } } },
    };
    await plane.hub.replace(definition);
    const organization = {
      apiVersion: "greenhouse.sap/v1alpha1",
      kind: "Organization",
      metadata: { name: "orchid" },
      spec: { displayName: "Orchid", pluginOverrides: [{ overrides: [{ path: "mode", value: "x" }] }] },
    };
    const file = join(folder, "organization.json");
    writeFileSync(file, JSON.stringify(organization, null, 2));
    const lint = () => {
      const { code, out, err } = command([
        "lint",
        "--from-cluster",
        "--kubeconfig",
        plane.KUBECONFIG,
        "-f",
        file,
        "-o",
        "json",
      ]);
      assert.ok(code <= 1, err);
      const found = JSON.parse(out).diagnostics.filter((it) => it.code === "dropped-field");
      return found.map((it) => [it.at.document, it.at.path]);
    };
    assert.deepEqual(lint(), [["Organization/orchid", "/spec/pluginOverrides"]]);

    const stored = await plane.hub.create(organization);
    assert.deepEqual(stored.spec, { displayName: "Orchid" }, "the server does what lint said");

    version.schema.openAPIV3Schema.properties.spec["x-kubernetes-preserve-unknown-fields"] = true;
    await plane.hub.replace({ ...definition, metadata: { name } });
    assert.deepEqual(lint(), [], "a definition that stores it");
  });
});
