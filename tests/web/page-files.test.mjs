// The rules about files that the page shares with the command line, without a browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { transformSync } from "esbuild";

const source = readFileSync(new URL("../../web/src/page/files.ts", import.meta.url), "utf8");
const { code } = transformSync(source, { loader: "ts" });
const { liveFile, settingsRequest, splitLive } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const settings = { apiVersion: "fleetfold.dev/v1", kind: "Settings", spec: { paused: true } };

test("settings are the only document of a file, of the kind Settings of fleetfold.dev", () => {
  assert.deepEqual(settingsRequest([settings]), { op: "configure", paused: true });
  assert.deepEqual(settingsRequest([{ ...settings, spec: undefined }]), { op: "configure" });
});

test("a file with another kind, another group or a second document holds manifests", () => {
  assert.equal(settingsRequest([]), undefined);
  assert.equal(settingsRequest([null]), undefined);
  assert.equal(settingsRequest([{ ...settings, kind: "ConfigMap" }]), undefined);
  assert.equal(settingsRequest([{ ...settings, apiVersion: "example.com/v1" }]), undefined);
  assert.equal(settingsRequest([{ ...settings, apiVersion: "v1" }]), undefined);
  assert.equal(settingsRequest([settings, { apiVersion: "v1", kind: "ConfigMap" }]), undefined);
});

test("a file of observed objects is named and titled by its cluster", () => {
  assert.equal(liveFile("eu-1", "web.yaml"), "live/eu-1/web.yaml");
  assert.equal(liveFile("", "web.yaml"), "live/_hub/web.yaml");
  assert.deepEqual(splitLive("fleet/live/eu-1/apps/web.yaml"), { above: "fleet", below: "eu-1/apps/web.yaml" });
  assert.deepEqual(splitLive(liveFile("", "web.yaml")), { above: "", below: "hub/web.yaml" });
  assert.equal(splitLive("fleet/live/web.yaml"), undefined);
});
