// The real kustomize runs `fleetfold fn`: as a transformer over the documents of an example, and as a generator beside
// them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readDocuments, root } from "../cluster/documents.mjs";
import { fleetfold } from "../cluster/runner.mjs";
import { findTools } from "../cluster/tools.mjs";

const tools = findTools();
const example = join(root, "examples", "kubefed");
const FILES = ["control-plane.yaml", "shop.yaml", "types.yaml"];
const ROLES = {
  generator: { generators: ["fn.yaml"] },
  transformer: { resources: FILES, transformers: ["fn.yaml"] },
  // Only so does kustomize say which file an item came from.
  check: { resources: FILES, transformers: ["fn.yaml"], buildMetadata: ["originAnnotations"] },
  none: { resources: FILES },
};
const CLUSTER = "fleetfold.dev/cluster";
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "fleetfold-kustomize-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Builds the documents of the example with the function as `role`, after `edit` of a file's text. */
function build(role, spec, edit = (text) => text) {
  for (const file of FILES) writeFileSync(join(folder, file), edit(readFileSync(join(example, file), "utf8"), file));
  const exec = JSON.stringify({ exec: { path: fleetfold, args: ["fn"] } });
  const metadata = { name: "fleet", annotations: { "config.kubernetes.io/function": exec } };
  writeFileSync(
    join(folder, "fn.yaml"),
    JSON.stringify({ apiVersion: "fleetfold.dev/v1alpha1", kind: "Fleetfold", metadata, spec }),
  );
  writeFileSync(join(folder, "kustomization.yaml"), JSON.stringify(ROLES[role]));
  const { status, stdout, stderr } = spawnSync(
    tools.kustomize,
    ["build", "--enable-alpha-plugins", "--enable-exec", folder],
    { encoding: "utf8", maxBuffer: 1 << 26 },
  );
  return { code: status, text: stdout, complaint: stderr };
}

function must(...args) {
  const { code, text, complaint } = build(...args);
  assert.equal(code, 0, complaint);
  return readDocuments(text, tools);
}

/** What `fleetfold preview` says that a cluster gets. */
function preview(cluster, files) {
  const args = ["preview", "-o", "json", "--cluster", cluster, ...files.flatMap((it) => ["-f", it])];
  const { status, stdout, stderr } = spawnSync(fleetfold, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout)
    .subjects.flatMap((it) => it.results)
    .flatMap((it) => it.objects ?? [])
    .map((it) => it.object);
}

const nameOf = ({ kind, metadata: { namespace = "", name } }) => `${kind}/${namespace}/${name}`;
const sorted = (objects) => objects.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));

/** The objects without what says whose they are, after a look at it. */
function of(cluster, objects) {
  return objects.map((it) => {
    const { [CLUSTER]: whose, ...annotations } = it.metadata.annotations;
    assert.equal(whose, cluster);
    const { annotations: _, ...metadata } = it.metadata;
    return { ...it, metadata: Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata };
  });
}

test("a transformer renders what one cluster should have", () => {
  const made = must("transformer", { run: "render", clusters: ["berlin"] });
  const want = preview(
    "berlin",
    FILES.map((it) => join(folder, it)),
  );
  assert.ok(want.length > 3);
  assert.deepEqual(sorted(of("berlin", made)), sorted(want));
});

test("a generator renders documents that lie elsewhere, with what was seen in the cluster", () => {
  const made = must("generator", { run: "render", clusters: ["tokyo"], files: [example] });
  assert.deepEqual(sorted(of("tokyo", made)), sorted(preview("tokyo", [example])));
  cpSync(example, join(folder, "fleet"), { recursive: true });
  assert.deepEqual(must("generator", { run: "render", selector: "region=apac", files: ["fleet"] }), made);
});

test("what is in order passes the check as it is", () => {
  assert.deepEqual(must("transformer", { run: "lint" }), must("none", {}));
});

test("what is wrong fails the build, and says what and where", () => {
  const wrong = (text, file) => (file === "shop.yaml" ? text.replace("tier: production", "tier: [production]") : text);
  const { code, text, complaint } = build("check", { run: "lint" }, wrong);
  assert.notEqual(code, 0);
  assert.equal(text, "");
  assert.match(
    complaint,
    /error\[bad-label-value\]: the value of the label `tier` is a list, not a string\n --> shop\.yaml\n/,
  );
  assert.match(complaint, /FederatedDeployment\/shop\/web \/spec\/overrides\/0\/clusterSelector\/matchLabels\/tier/);
  assert.equal(build("check", { run: "lint", failOn: "never" }, wrong).code, 0);
});

test("a configuration that is wrong fails the build with what was meant", () => {
  const { code, complaint } = build("transformer", { run: "rendr" });
  assert.notEqual(code, 0);
  assert.match(complaint, /there is no `run: rendr`[^]*hint: did you mean `render`\?/);
  assert.match(
    build("generator", { run: "render", clusters: ["tokio"], files: [example] }).complaint,
    /did you mean `tokyo`\?/,
  );
});
