// The behaviour of the package's API.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync, cpSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { site } from "./harness.mjs";
import { pack } from "./package-packed.mjs";

const PRIMITIVES = [
  "adopt",
  "authorize",
  "describe",
  "fold",
  "match",
  "mold",
  "parse",
  "patch",
  "print",
  "redact",
  "refresh",
  "release",
  "retain",
  "select",
  "sources",
];
const configMap = (name, data) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "shop" },
  data,
});
let dist, api, wasm, packed;
before(async () => {
  packed = pack();
  dist = join(packed.folder, "dist");
  wasm = readFileSync(join(dist, "engine.wasm"));
  api = await import(pathToFileURL(join(dist, "node.js")));
});

/** Imports the browser entry point as a new module instance, each with its own engine. */
let copies = 0;
const fresh = () => import(`${pathToFileURL(join(dist, "web.js"))}?${copies++}`);

function thrown(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  assert.fail("nothing was thrown");
}

test("Every op is a method, and every one that needs nothing loaded a function", () => {
  const { ops } = api.describe();
  const names = ops.map((it) => it.name ?? it);
  for (const op of names) assert.equal(typeof api.Workspace.prototype[op], "function", op);
  const exported = Object.keys(api).filter((it) => names.includes(it));
  assert.deepEqual(exported.sort(), PRIMITIVES);
  assert.deepEqual(
    Object.keys(api).sort(),
    ["FleetfoldError", "Workspace", "call", "callText", "init", "offsetOf", ...PRIMITIVES].sort(),
  );
});

test("Every entry point has the same names", async () => {
  const names = Object.keys(api).sort();
  assert.deepEqual(Object.keys(await fresh()).sort(), names);
  assert.deepEqual(Object.keys(await import(pathToFileURL(join(dist, "inline.js")))).sort(), names);
  assert.deepEqual(Object.keys(createRequire(import.meta.url)(join(dist, "node.cjs"))).sort(), names);
});

test("Nothing is listed twice: a workspace has no properties that spread or print", () => {
  const workspace = new api.Workspace();
  assert.deepEqual(Object.keys(workspace), []);
  assert.equal(api.Workspace.name, "Workspace");
  workspace.free();
});

test("Errors say what, where and what to do", () => {
  const error = thrown(() => api.parse({ text: "a: 1\nb: x: y" }));
  assert.ok(error instanceof api.FleetfoldError && error instanceof Error);
  assert.equal(error.name, "FleetfoldError");
  assert.equal(error.code, "bad-yaml");
  assert.match(error.message, /mapping values/);
  assert.equal(error.at, "2:5");
  assert.match(error.hint, /quotes/);
  assert.deepEqual(error.diagnostics, []);
});

test("What a method throws is what `call` returns", () => {
  const request = { op: "select", selector: "a in (" };
  const { error } = api.call(request);
  const { code, message, at, hint } = thrown(() => api.select(request));
  assert.deepEqual(
    { code, message, at, hint },
    { code: error.code, message: error.message, at: error.at, hint: error.hint },
  );
});

test("Diagnostics come with the answer, and an answer without any has an empty list", () => {
  const workspace = new api.Workspace();
  const { diagnostics } = workspace.load({ file: "a.yaml", text: "kind: Broken\n---\na: [\n" });
  assert.ok(diagnostics.length > 0);
  assert.equal(diagnostics[0].at.file, "a.yaml");
  assert.deepEqual(workspace.subjects().diagnostics, []);
  workspace.free();
});

test("A workspace can be freed any number of times, and says so when it is called afterwards", () => {
  const workspace = new api.Workspace();
  workspace.free();
  workspace.free();
  for (const use of [
    () => workspace.lint(),
    () => workspace.call({ op: "lint" }),
    () => workspace.call({ op: "lint" }, { bigint: true }),
    () => workspace.callText("{}"),
  ]) {
    const error = thrown(use);
    assert.ok(error instanceof api.FleetfoldError);
    assert.equal(error.code, "freed");
    assert.match(error.message, /freed/);
  }
});

test("`using` frees a workspace, and nothing breaks where there is no such symbol", () => {
  const workspace = new api.Workspace();
  workspace[Symbol.dispose]();
  assert.equal(thrown(() => workspace.lint()).code, "freed");
  const program = `const others = ["dispose", "asyncDispose", "prototype", "name", "length"];
    const known = Object.getOwnPropertyNames(Symbol).filter((it) => !others.includes(it));
    globalThis.Symbol = Object.assign((text) => Object(text), Object.fromEntries(known.map((it) => [it, Symbol[it]])));
    import(${JSON.stringify(pathToFileURL(join(dist, "node.js")))}).then(({ Workspace, parse }) => {
      const names = Object.getOwnPropertyNames(Workspace.prototype);
      console.log(Symbol.dispose, names.includes("undefined"), parse({ text: "a: 1" }).documents.length);
    });`;
  assert.equal(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }).trim(), "undefined false 1");
});

test("Two workspaces know nothing of each other", () => {
  const [one, two] = [new api.Workspace(), new api.Workspace()];
  one.load({
    documents: [
      { apiVersion: "greenhouse.sap/v1alpha1", kind: "Cluster", metadata: { name: "eu-1", namespace: "acme" } },
    ],
  });
  assert.deepEqual(
    [one, two].map((it) => it.clusters().clusters.length),
    [1, 0],
  );
  two.free();
  assert.equal(one.clusters().clusters.length, 1);
  one.free();
});

test("Workspaces that are freed leave no memory behind", () => {
  const fill = (count) => {
    for (let at = 0; at < count; at++) {
      const workspace = new api.Workspace();
      workspace.load({ documents: [configMap("settings", { text: "x".repeat(100_000) })] });
      workspace.free();
    }
  };
  fill(10);
  const { external } = process.memoryUsage();
  fill(300);
  assert.ok(process.memoryUsage().external - external < 15_000_000);
});

test("In Node, init has nothing to do and may be called", async () => {
  assert.equal(await api.init(), undefined);
  assert.equal(await api.init("https://nowhere.invalid/engine.wasm"), undefined);
});

test("An engine starts from bytes, a module, a response or a promise of one", async () => {
  const response = () => new Response(wasm, { headers: { "content-type": "application/wasm" } });
  const sources = [
    wasm,
    wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length),
    new WebAssembly.Module(wasm),
    response(),
    Promise.resolve(response()),
  ];
  for (const source of sources) {
    const web = await fresh();
    await web.init(source);
    assert.deepEqual(web.parse({ text: "a: 1" }).documents, [{ a: 1 }]);
  }
});

test("An engine starts from an address, as text or URL or request", async () => {
  const folder = join(packed.scratch, "address");
  mkdirSync(folder);
  cpSync(join(dist, "engine.wasm"), join(folder, "engine.wasm"));
  writeFileSync(join(folder, "index.html"), "");
  const server = await site(folder);
  const address = `${server.origin}/engine.wasm`;
  for (const source of [address, new URL(address), new Request(address)]) {
    const web = await fresh();
    await web.init(source);
    assert.deepEqual(web.parse({ text: "a: 1" }).documents, [{ a: 1 }]);
  }
  await server.close();
});

test("Only the first init does something, also when several come at once", async () => {
  const web = await fresh();
  let asked = 0;
  const source = () => (asked++, new Response(wasm, { headers: { "content-type": "application/wasm" } }));
  const realFetch = globalThis.fetch;
  globalThis.fetch = async () => source();
  try {
    await Promise.all([web.init("engine.wasm"), web.init("engine.wasm"), web.init()]);
    const workspace = new web.Workspace();
    workspace.load({ documents: [configMap("a", {})] });
    await web.init("engine.wasm");
    assert.equal(asked, 1);
    // The loaded documents are still there.
    assert.ok(workspace.lint());
  } finally {
    globalThis.fetch = realFetch;
  }
});

test("Before init, calls say what is missing; an init that failed says why and may be tried again", async () => {
  const web = await fresh();
  for (const use of [
    () => new web.Workspace(),
    () => web.parse({ text: "" }),
    () => web.callText("{}"),
    () => web.call({ op: "describe" }),
  ]) {
    const error = thrown(use);
    assert.ok(error instanceof web.FleetfoldError);
    assert.equal(error.code, "not-started");
    assert.match(error.hint, /init/);
  }
  for (const source of [
    () => new Response("", { status: 404 }),
    () => new Uint8Array([1, 2, 3]),
    () => Promise.reject(new Error("offline")),
  ]) {
    await assert.rejects(
      web.init(source()),
      (error) => error instanceof web.FleetfoldError && error.code === "not-started" && error.cause !== undefined,
    );
  }
  await web.init(wasm);
  assert.deepEqual(web.parse({ text: "a: 1" }).documents, [{ a: 1 }]);
});

test("Places become offsets as editors count, whatever the line breaks and characters", () => {
  const text = "a: 1\r\nb: 😀 c\rd: é\n\n😀";
  const at = (line, column) => api.offsetOf(text, { line, column });
  assert.equal(text.slice(at(1, 1), at(1, 2)), "a");
  assert.equal(text[at(2, 1)], "b");
  assert.equal(text.slice(at(2, 4), at(2, 5)), "😀");
  assert.equal(text[at(2, 6)], "c");
  assert.equal(text[at(3, 1)], "d");
  assert.equal(text[at(3, 4)], "é");
  assert.equal(at(4, 1), text.indexOf("\n\n") + 1);
  assert.equal(text.slice(at(5, 1)), "😀");
  // The offset never exceeds the line or the text.
  assert.equal(text[at(1, 99)], "\r");
  assert.equal(at(5, 99), text.length);
  assert.equal(at(99, 1), text.length);
  assert.equal(api.offsetOf(text, { line: 2 }), at(2, 1));
  assert.equal(api.offsetOf(text, {}), 0);
  assert.equal(api.offsetOf(text, "2:6"), at(2, 6));
});

test("The places that answers give are where the thing stands", () => {
  for (const lines of ["\n", "\r\n", "\r"]) {
    const text = ["😀: 1", "é: 😀😀 x: y"].join(lines);
    const { at } = thrown(() => api.parse({ text }));
    assert.equal(text.slice(api.offsetOf(text, at)), ": y", JSON.stringify(lines));
  }
});

test("Hostile input gives an error of the contract, or a FleetfoldError, and nothing else", () => {
  const cyclic = {};
  cyclic.self = cyclic;
  let deep = [];
  for (let at = 0; at < 100_000; at++) deep = [deep];
  const values = [
    undefined,
    null,
    0,
    NaN,
    "",
    "text",
    true,
    1n,
    Symbol("s"),
    () => 1,
    [],
    {},
    cyclic,
    deep,
    new Map(),
    new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("trap");
        },
      },
    ),
    {
      toJSON: () => {
        throw new TypeError("no");
      },
    },
    { toJSON: () => undefined },
    { op: "nothing" },
    { op: "__proto__" },
    { op: "constructor" },
    { op: 5 },
    {
      get op() {
        throw "a text";
      },
    },
    "\ud800",
    "[".repeat(100_000),
    "a: &a [*a, *a]",
    "\u0000",
    "a".repeat(1_000_000),
    Object.create(null),
    new Date(NaN),
    new Uint8Array(3),
  ];
  const ops = Object.getOwnPropertyNames(api.Workspace.prototype).filter(
    (it) => !["constructor", "free", "call", "callText"].includes(it),
  );
  const workspace = new api.Workspace();
  const fine = (run) => {
    try {
      return run();
    } catch (error) {
      assert.ok(error instanceof api.FleetfoldError, `${error?.stack ?? String(error)}`);
      assert.equal(typeof error.code, "string");
      return undefined;
    }
  };
  for (const value of values) {
    for (const options of [undefined, { bigint: true }, null, 5]) {
      const called = workspace.call(value, options);
      assert.ok("ok" in called || typeof called.error.code === "string");
      const given = workspace.call({ op: "parse", text: value }, options);
      assert.ok("ok" in given || typeof given.error.code === "string");
    }
    fine(() => workspace.callText(value));
    for (const op of ops) fine(() => workspace[op](value));
    for (const op of ["load", "fold", "patch"])
      fine(() => workspace[op]({ documents: value, text: value, layers: value, object: value, patch: value }));
  }
  // The workspace still answers.
  assert.deepEqual(workspace.parse({ text: "a: 1" }).documents, [{ a: 1 }]);
  workspace.free();
});
