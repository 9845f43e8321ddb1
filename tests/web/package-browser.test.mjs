// The package in Chromium under a strict policy: bundled by Vite and by esbuild, and in its worker.
import assert from "node:assert/strict";
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, check, open, site } from "./harness.mjs";
import { compile, project, run, SAID, tool } from "./package-consume.mjs";
import { pack } from "./package-packed.mjs";

const BUNDLER = [
  "--module",
  "esnext",
  "--moduleResolution",
  "bundler",
  "--target",
  "es2022",
  "--lib",
  "es2022,dom",
  "--noEmit",
];

/** In the page and in its worker. */
const MAIN = `
import { createEngine } from "fleetfold/worker";
import { consume } from "./consumer.js";

async function inWorker(): Promise<unknown[]> {
  const engine = createEngine();
  const fleet = engine.workspace();
  const metadata = { name: "eu-1", namespace: "acme" };
  await fleet.load({ documents: [{ apiVersion: "greenhouse.sap/v1alpha1", kind: "Cluster", metadata }] });
  const [{ clusters }, { documents }] = await Promise.all([
    fleet.clusters(),
    engine.parse({ text: "large: 9007199254740993" }, { bigint: true }),
  ]);
  engine.terminate();
  return [clusters.map((it) => it.name), documents];
}

Object.assign(globalThis, { said: Promise.all([consume(), inWorker()]) });
`;
const ELEMENT = `
import "fleetfold/element";
import type { FleetfoldPreview } from "fleetfold/element";

const preview: FleetfoldPreview = document.createElement("fleetfold-preview");
preview.documents = [
  {
    apiVersion: "greenhouse.sap/v1alpha1",
    kind: "Cluster",
    metadata: { name: "eu-1", namespace: "acme", labels: { tier: "gold" } },
  },
  {
    apiVersion: "greenhouse.sap/v1alpha1",
    kind: "PluginPreset",
    metadata: { name: "metrics", namespace: "acme" },
    spec: {
      clusterSelector: { matchLabels: { tier: "gold" } },
      plugin: {
        pluginDefinitionRef: { kind: "PluginDefinition", name: "metrics" },
        optionValues: [{ name: "replicas", value: 3 }],
      },
      clusterOptionOverrides: [{ clusterName: "eu-1", overrides: [{ name: "replicas", value: 5 }] }],
    },
  },
];
preview.cluster = "eu-1";
document.body.append(preview);
`;
const HTML = (script) =>
  '<!doctype html><html lang="en"><title>Package</title><body><script type="module" ' +
  `src="${script}"></script></body></html>`;

let packed, chromium;
before(async () => {
  packed = pack();
  chromium = await browser();
});
after(() => chromium?.close());

/** The result of the page in a folder, served with a strict policy. */
async function shown(folder) {
  const server = await site(folder);
  const page = await open(chromium, server, { settle: false });
  try {
    const said = await page.evaluate(() => globalThis.said);
    check(page);
    return said;
  } finally {
    await page.context().close();
    await server.close();
  }
}

const EXPECTED = [SAID, [["eu-1"], [{ large: 9007199254740993n }]]];

test("Vite bundles a typed program, and it runs in the page and in the worker", async () => {
  const folder = project(packed, "vite", { type: "module" }, { "main.ts": MAIN, "index.html": HTML("./main.ts") });
  compile(folder, [...BUNDLER, "main.ts"]);
  run(tool("vite"), ["build", "--logLevel", "warn"], folder);
  const assets = readdirSync(join(folder, "dist", "assets"));
  assert.equal(assets.filter((it) => it.endsWith(".wasm")).length, 1, assets.join());
  assert.deepEqual(await shown(join(folder, "dist")), EXPECTED);
});

test("esbuild bundles a typed program, and it runs in the page and in the worker", async () => {
  const folder = project(packed, "esbuild", { type: "module" }, { "main.ts": MAIN });
  compile(folder, [...BUNDLER, "main.ts"]);
  run(tool("esbuild"), ["main.ts", "--bundle", "--format=esm", "--outdir=out", "--log-level=warning"], folder);
  for (const it of ["engine.wasm", "worker-script.js"])
    copyFileSync(join(folder, "node_modules", "fleetfold", "dist", it), join(folder, "out", it));
  writeFileSync(join(folder, "out", "index.html"), HTML("./main.js"));
  assert.deepEqual(await shown(join(folder, "out")), EXPECTED);
});

test("esbuild gives the engine's address by its file loader", async () => {
  const main =
    'import { init, parse } from "fleetfold";\nimport wasm from "fleetfold/engine.wasm";\n' +
    'Object.assign(globalThis, { said: init(wasm).then(() => parse({ text: "a: 1" }).documents) });\n';
  const folder = project(packed, "esbuild-loader", { type: "module" }, { "main.ts": main });
  compile(folder, [...BUNDLER, "main.ts"]);
  run(
    tool("esbuild"),
    ["main.ts", "--bundle", "--format=esm", "--outdir=out", "--loader:.wasm=file", "--log-level=warning"],
    folder,
  );
  writeFileSync(join(folder, "out", "index.html"), HTML("./main.js"));
  assert.deepEqual(await shown(join(folder, "out")), [{ a: 1 }]);
});

test("A single file with the engine in it runs without asking for another", async () => {
  const folder = project(
    packed,
    "single",
    { type: "module" },
    {
      "main.ts":
        'import { parse } from "fleetfold/inline";\n' +
        'Object.assign(globalThis, { said: parse({ text: "a: 1" }).documents });\n',
    },
  );
  compile(folder, [...BUNDLER, "main.ts"]);
  run(tool("esbuild"), ["main.ts", "--bundle", "--format=iife", "--outdir=out", "--log-level=warning"], folder);
  writeFileSync(join(folder, "out", "index.html"), HTML("./main.js"));
  const server = await site(join(folder, "out"));
  const page = await open(chromium, server, { settle: false });
  assert.deepEqual(await page.evaluate(() => globalThis.said), [{ a: 1 }]);
  check(page);
  assert.deepEqual(
    server.requests.filter((it) => !it.includes("favicon")),
    ["GET / 200", "GET /main.js 200"],
  );
  await page.context().close();
  await server.close();
});

for (const [name, make] of Object.entries({
  Vite: (folder) => {
    run(tool("vite"), ["build", "--logLevel", "warn"], folder);
    return join(folder, "dist");
  },
  esbuild: (folder) => {
    run(tool("esbuild"), ["main.ts", "--bundle", "--format=esm", "--outdir=out", "--log-level=warning"], folder);
    for (const it of ["engine.wasm", "element-worker.js"])
      copyFileSync(join(folder, "node_modules", "fleetfold", "dist", it), join(folder, "out", it));
    writeFileSync(join(folder, "out", "index.html"), HTML("./main.js"));
    return join(folder, "out");
  },
})) {
  test(`${name} bundles the element, and it shows what a cluster gets`, async () => {
    const folder = project(
      packed,
      `element-${name}`,
      { type: "module" },
      { "main.ts": ELEMENT, "index.html": HTML("./main.ts") },
    );
    compile(folder, [...BUNDLER, "main.ts"]);
    const server = await site(make(folder));
    const page = await open(chromium, server, { settle: false });
    await page.getByText("cluster-option-override").first().waitFor();
    check(page);
    await page.context().close();
    await server.close();
  });
}

/** A page that uses the package's files unbundled, and its script. */
async function onPage(run, { csp, edit } = {}) {
  const folder = join(packed.scratch, `plain-${counted++}`);
  mkdirSync(folder);
  cpSync(join(packed.folder, "dist"), join(folder, "dist"), { recursive: true });
  writeFileSync(
    join(folder, "page.js"),
    'import * as api from "./dist/web.js";\nimport * as worker from "./dist/worker.js";\n' +
      "globalThis.fleetfold = { ...api, ...worker };\n",
  );
  writeFileSync(join(folder, "index.html"), HTML("./page.js"));
  edit?.(folder);
  const server = await site(folder, csp ? { csp } : {});
  const page = await open(chromium, server, { settle: false });
  try {
    await page.waitForFunction(() => globalThis.fleetfold);
    return [await page.evaluate(run), page];
  } finally {
    await page.context().close();
    await server.close();
  }
}
let counted = 0;

test("The worker answers in order, keeps workspaces apart, and throws the same errors", async () => {
  const [said, page] = await onPage(async () => {
    const { createEngine, FleetfoldError } = globalThis.fleetfold;
    const engine = createEngine();
    const [one, two] = [engine.workspace(), engine.workspace()];
    const cluster = (name) => ({
      apiVersion: "greenhouse.sap/v1alpha1",
      kind: "Cluster",
      metadata: { name, namespace: "acme" },
    });
    const names = async (it) => (await it.clusters()).clusters.map((it) => it.name);
    const order = [];
    const note = (name) => (it) => (order.push(name), it);
    const [, , ones, twos] = await Promise.all([
      one.load({ documents: [cluster("eu-1")] }).then(note("load")),
      two.load({ documents: [cluster("us-1"), cluster("us-2")] }).then(note("load")),
      names(one).then(note("ask")),
      names(two).then(note("ask")),
    ]);
    const error = await engine.parse({ text: "a: x: y" }).catch((it) => it);
    const hostile = [];
    const cyclic = {};
    cyclic.self = cyclic;
    for (const it of [cyclic, undefined, "\ud800", 5n, Symbol("s"), () => 1]) {
      const called = await engine.call(it);
      const thrown = await one.load(it).then(
        () => "answered",
        (problem) => problem instanceof FleetfoldError,
      );
      hostile.push(typeof called.error?.code, thrown === true);
    }
    one.free();
    one.free();
    const freed = await one.clusters().catch((it) => it.code);
    const still = await names(two);
    engine.terminate();
    return {
      order,
      ones,
      twos,
      error: [error instanceof FleetfoldError, error.code, error.at, error.hint],
      hostile,
      freed,
      still,
      ops: ["load" in engine, "parse" in engine, "parse" in two],
      disposable: Symbol.dispose ? Symbol.dispose in two : true,
    };
  });
  check(page);
  assert.deepEqual(said.order, ["load", "load", "ask", "ask"]);
  assert.deepEqual([said.ones, said.twos, said.still], [["eu-1"], ["us-1", "us-2"], ["us-1", "us-2"]]);
  assert.deepEqual(said.error.slice(0, 3), [true, "bad-yaml", "1:5"]);
  assert.match(said.error[3], /quotes/);
  assert.deepEqual(new Set(said.hostile), new Set(["string", true]));
  assert.equal(said.freed, "freed");
  assert.deepEqual(said.ops, [false, true, true]);
  assert.ok(said.disposable);
});

test("Terminating rejects what is not answered yet, and everything after", async () => {
  const [said, page] = await onPage(async () => {
    const { createEngine, FleetfoldError } = globalThis.fleetfold;
    const engine = createEngine();
    const fleet = engine.workspace();
    await engine.describe();
    const waiting = [engine.parse({ text: "a: 1" }), fleet.lint(), fleet.callText("{}")];
    engine.terminate();
    engine.terminate();
    const codes = [];
    for (const it of [...waiting, engine.parse({ text: "a: 1" }), fleet.lint()])
      codes.push(
        await it.then(
          () => "answered",
          (problem) => problem instanceof FleetfoldError && problem.code,
        ),
      );
    fleet.free();
    return codes;
  });
  check(page);
  assert.deepEqual(said, Array(5).fill("terminated"));
});

test("A worker that crashes, and one whose script is not there, reject every call and say why", async () => {
  const [crashed] = await onPage(
    async () => {
      const { createEngine } = globalThis.fleetfold;
      const engine = createEngine({ worker: new Worker(new URL("./crash.js", location.href), { type: "module" }) });
      const first = await engine.describe().catch((it) => [it.code, it.message]);
      return [first, await engine.describe().catch((it) => [it.code, it.message])];
    },
    {
      edit: (folder) =>
        writeFileSync(
          join(folder, "crash.js"),
          'addEventListener("message", () => { throw new Error("out of luck"); });',
        ),
    },
  );
  for (const [code, message] of crashed) {
    assert.equal(code, "engine-failed");
    assert.match(message, /out of luck/);
  }
  const [missing] = await onPage(async () => {
    const { createEngine } = globalThis.fleetfold;
    return createEngine({ worker: new Worker(new URL("./nothing.js", location.href), { type: "module" }) })
      .describe()
      .catch((it) => [it.code, it.hint]);
  });
  assert.equal(missing[0], "engine-failed");
  assert.match(missing[1], /worker-script/);
});

test("Where the policy forbids WebAssembly, the page and the worker say what it must allow", async () => {
  const [said] = await onPage(
    async () => {
      const { createEngine, init } = globalThis.fleetfold;
      return Promise.all(
        [init(), createEngine().describe()].map((it) => it.catch((problem) => [problem.code, problem.hint])),
      );
    },
    { csp: "default-src 'none'; script-src 'self'; connect-src 'self'; worker-src 'self'" },
  );
  for (const [code, hint] of said) {
    assert.equal(code, "not-started");
    assert.match(hint, /wasm-unsafe-eval/);
  }
});

test("The worker starts from an address, bytes or a module that it is given", async () => {
  const [said, page] = await onPage(
    async () => {
      const { createEngine } = globalThis.fleetfold;
      const address = new URL("./moved.wasm", location.href);
      const bytes = await (await fetch(address)).arrayBuffer();
      const documents = [];
      for (const source of [address, address.href, bytes, new Uint8Array(bytes), await WebAssembly.compile(bytes)]) {
        const engine = createEngine({ source });
        documents.push((await engine.parse({ text: "a: 1" })).documents);
        engine.terminate();
      }
      return documents;
    },
    { edit: (folder) => cpSync(join(folder, "dist", "engine.wasm"), join(folder, "moved.wasm")) },
  );
  check(page);
  assert.deepEqual(said, Array(5).fill([{ a: 1 }]));
});
