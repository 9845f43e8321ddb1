// The packed package: its files, the results of package linters, and its behaviour in Node.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { build } from "esbuild";
import { publint } from "publint";
import { compile, project, run, SAID, tool } from "./package-consume.mjs";
import { pack, root } from "./package-packed.mjs";

const NODE16 = ["--module", "node16", "--moduleResolution", "node16", "--target", "es2022"];
let packed;
before(() => (packed = pack()));

test("The tarball holds one WebAssembly file, and nothing that is not meant", () => {
  const scripts = [
    "element-worker.js",
    "element.js",
    "inline.js",
    "node.cjs",
    "node.js",
    "shared.js",
    "web.js",
    "worker-script.js",
    "worker.js",
    "workerd.js",
  ];
  const types = [
    "element-react.d.ts",
    "element.d.ts",
    "engine.wasm.d.ts",
    "index.d.cts",
    "index.d.ts",
    "worker-script.d.ts",
    "worker.d.ts",
  ];
  const others = ["LICENSE", "engine.wasm", "schema.json"];
  const dist = [...scripts, ...types, ...others].map((it) => `dist/${it}`);
  assert.deepEqual(packed.files, [...dist, "README.md", "package.json"].sort());
});

test("The package needs nothing else installed", () => {
  const { dependencies, peerDependencies, optionalDependencies, scripts } = JSON.parse(
    readFileSync(join(packed.folder, "package.json"), "utf8"),
  );
  assert.deepEqual(
    [dependencies, peerDependencies, optionalDependencies, scripts],
    [undefined, undefined, undefined, undefined],
  );
});

test("publint finds nothing", async () => {
  const bytes = readFileSync(packed.tarball);
  const { messages } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
  });
  assert.deepEqual(messages, []);
});

test("attw finds nothing", () => {
  // `node16` excludes Node 10, which does not support `exports`.
  run(tool("attw"), [packed.tarball, "--profile", "node16", "--entrypoints", "."], root);
  // The other entry points are for browsers and bundlers and have no CommonJS build.
  run(tool("attw"), [packed.tarball, "--profile", "esm-only", "--exclude-entrypoints", "."], root);
});

for (const [name, type] of [
  ["ES modules", "module"],
  ["CommonJS", "commonjs"],
]) {
  test(`A typed program runs in Node with ${name}`, () => {
    const main =
      'import { consume } from "./consumer.js";\nconsume().then((said) => console.log(JSON.stringify(said)));\n';
    const folder = project(
      packed,
      `node-${type}`,
      { type },
      { "main.ts": main, "globals.d.ts": "declare const console: { log(text: string): void };" },
    );
    // Without DOM and Node types: the package's types are self-contained.
    compile(folder, [...NODE16, "--lib", "es2022", "main.ts", "globals.d.ts"]);
    assert.deepEqual(JSON.parse(run("node", ["main.js"], folder)), SAID);
  });
}

test("A typed program compiles against the types of Node and of browsers", () => {
  const folder = project(
    packed,
    "libraries",
    { type: "module" },
    {
      "browser.ts": `import { init } from "fleetfold";
import wasm from "fleetfold/engine.wasm";
import { createEngine } from "fleetfold/worker";
export async function main() {
  await init(new URL("engine.wasm", location.href));
  await init(await fetch("engine.wasm"));
  await init(fetch("engine.wasm"));
  await init(new Uint8Array(8));
  await init(wasm);
  const engine = createEngine({ worker: new Worker("worker.js", { type: "module" }), source: "engine.wasm" });
  using fleet = engine.workspace();
  const { clusters } = await fleet.clusters();
  // @ts-expect-error Nothing is loaded outside of a workspace.
  engine.load;
  return clusters.map((it) => it.name);
}`,
      "node.ts":
        'import { Workspace } from "fleetfold";\nusing fleet = new Workspace();\nfleet.lint().warnings.toFixed();\n',
    },
  );
  compile(folder, [
    ...NODE16,
    "--noEmit",
    "--lib",
    "es2022,esnext.disposable,dom",
    "browser.ts",
    "consumer.ts",
    "node.ts",
  ]);
  const bundler = ["--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022", "--noEmit"];
  compile(folder, [...bundler, "--lib", "es2022,esnext.disposable,dom", "browser.ts", "consumer.ts"]);
  const types = [
    "--typeRoots",
    join(createRequire(join(root, "web", "package.json")).resolve("@types/node/package.json"), "..", ".."),
    "--types",
    "node",
  ];
  // Node's types of that version fail under this compiler; the package's types were checked above.
  compile(folder, [...NODE16, "--noEmit", "--lib", "es2022", "node.ts", "consumer.ts", "--skipLibCheck", ...types]);
});

test("The examples of the README say what the README says", () => {
  const folder = project(packed, "readme", { type: "module" });
  const text = readFileSync(join(packed.folder, "README.md"), "utf8");
  writeFileSync(join(folder, "fleet.yaml"), text.match(/^```yaml\n([^]*?)^```/m)[1]);
  const examples = [...text.matchAll(/^```js\n([^]*?)^```\n\n```text\n([^]*?)^```/gm)];
  assert.equal(examples.length, 2);
  for (const [, program, said] of examples) {
    writeFileSync(join(folder, "example.js"), program);
    assert.equal(run("node", ["example.js"], folder), said);
  }
  assert.ok(examples[0][1].split("\n").filter((it) => it !== "").length <= 8);
});

test("The entry point with the engine in it gives the same results", async () => {
  const folder = project(packed, "inline", { type: "module" });
  const options = {
    entryPoints: [join(folder, "consumer.ts")],
    bundle: true,
    format: "esm",
    outfile: join(folder, "out.mjs"),
    alias: { fleetfold: "fleetfold/inline" },
  };
  await build(options);
  const { consume } = await import(options.outfile);
  assert.deepEqual(await consume(), SAID);
});

test("The entry point of Cloudflare Workers takes their compiled module, with the same results", async () => {
  const folder = project(packed, "workerd", { type: "module" });
  // As in workerd: the import is a `WebAssembly.Module`.
  const compiled = {
    name: "compiled",
    setup({ onLoad }) {
      onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
        contents: `import { readFileSync } from "node:fs";\nexport default new WebAssembly.Module(readFileSync(${JSON.stringify(path)}));`,
      }));
    },
  };
  const options = {
    entryPoints: [join(folder, "consumer.ts")],
    bundle: true,
    format: "esm",
    outfile: join(folder, "out.mjs"),
    conditions: ["workerd"],
    external: ["node:fs"],
  };
  const { metafile } = await build({ ...options, metafile: true, plugins: [compiled] });
  assert.ok(Object.keys(metafile.inputs).some((it) => it.endsWith("dist/workerd.js")));
  const { consume } = await import(options.outfile);
  assert.deepEqual(await consume(), SAID);
});

test("The programs of examples/ print the same", () => {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  const print = (program, args) => execFileSync(program, args, { cwd: root, encoding: "utf8" });
  const printed = print("node", ["examples/node/explain.mjs"]);
  assert.match(printed, /^wins +cluster-option-override +5 +examples\/greenhouse\/presets\.yaml$/m);
  assert.equal(print(join(target, "debug", "fleetfold-example-rust"), []), printed);
});
