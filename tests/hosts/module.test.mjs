// `fleetfold module` over every build of the engine, against what the WebAssembly of this Node says about the same
// bytes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../cluster/documents.mjs";
import { fleetfold } from "../cluster/runner.mjs";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const policy = (name) => join(target, "policies", `fleetfold-${name}.wasm`);
const METADATA = "io.kubewarden.metadata";

/** What each build is made for, by where it lies. */
const BUILDS = {
  [join(target, "fleetfold.wasm")]: "raw",
  [join(root, "web", "engine", "engine_bg.wasm")]: "javascript",
  [policy("kubewarden")]: "kubewarden",
  [policy("kubewarden-mutating")]: "kubewarden",
  [policy("extism")]: "extism",
};

function run(...args) {
  const { status, stdout, stderr } = spawnSync(fleetfold, ["module", ...args], { maxBuffer: 1 << 26 });
  assert.equal(status, 0, String(stderr));
  assert.equal(String(stderr), "");
  return stdout;
}

/** Of a file, or of the module in the program. */
const inspect = (...files) => JSON.parse(run("inspect", ...files, "-o", "json"));

/** Imports or exports as V8 tells them. */
const told = (items) =>
  items.map(({ module, name, kind }) => ({
    ...(module && { module }),
    name,
    kind: kind === "func" ? "function" : kind,
  }));

for (const [file, purpose] of Object.entries(BUILDS)) {
  test(`${file.slice(file.lastIndexOf("/") + 1)} is told as what it is`, () => {
    const bytes = readFileSync(file);
    const module = new WebAssembly.Module(bytes);
    const found = inspect(file);
    assert.equal(found.for, purpose);
    assert.equal(found.runsHere, purpose === "raw");
    assert.equal(found.abi, purpose === "raw" ? 1 : undefined);
    assert.equal(found.size, bytes.length);
    assert.equal(found.digest, `sha256:${createHash("sha256").update(bytes).digest("hex")}`);
    assert.deepEqual(told(found.imports), WebAssembly.Module.imports(module));
    assert.deepEqual(told(found.exports), WebAssembly.Module.exports(module));
    assert.equal(
      found.sections.reduce((sum, it) => sum + it.size, 8),
      bytes.length,
    );
    const [metadata] = WebAssembly.Module.customSections(module, METADATA).map((it) =>
      JSON.parse(Buffer.from(it).toString()),
    );
    assert.deepEqual(found.metadata, metadata);
    assert.equal(metadata !== undefined, purpose === "kubewarden");
  });
}

test("the program embeds the fast form of the module, and `npm run module` writes the small one", () => {
  const small = readFileSync(join(target, "fleetfold.wasm"));
  const digest = createHash("sha256").update(small).digest("hex");
  const version = String(spawnSync(fleetfold, ["version"]).stdout);
  assert.match(version, /^module +sha256:[0-9a-f]{64}$/m);
  assert.ok(!version.includes(digest), "they are different modules");
  const embedded = inspect();
  assert.ok(small.length < embedded.size, "the one that travels is smaller");
  // One interface; that both give the same answers is what the vectors show.
  const shape = (it) => it.exports.map(({ kind, name }) => `${kind} ${name}`);
  assert.deepEqual(shape(inspect(join(target, "fleetfold.wasm"))), shape(embedded));
});

test("the component is told as what it is", () => {
  const found = inspect(policy("component"));
  assert.equal(found.for, "component");
  assert.equal(found.runsHere, false);
  assert.deepEqual(found.imports, []);
  assert.match(found.exports.map((it) => `${it.kind} ${it.name}`).join(), /^instance fleetfold:/);
});

for (const [name, metadata] of [
  ["kubewarden", "metadata.yml"],
  ["kubewarden-mutating", "metadata-mutating.yml"],
]) {
  test(`${name} is annotated to the byte as the build does it`, () => {
    const file = policy(name);
    const made = run("annotate", file, "--metadata", join(root, "wasm", "policies", "kubewarden", metadata));
    assert.ok(made.equals(readFileSync(file)));
    // Another section changes nothing for a host.
    const more = run("annotate", file, "--section", "note", "--data", join(root, "LICENSE"));
    const module = new WebAssembly.Module(more);
    assert.equal(
      Buffer.from(WebAssembly.Module.customSections(module, "note")[0]).toString(),
      readFileSync(join(root, "LICENSE"), "utf8"),
    );
    assert.deepEqual(WebAssembly.Module.exports(module), WebAssembly.Module.exports(new WebAssembly.Module(made)));
  });
}
