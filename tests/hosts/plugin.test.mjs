// The Extism plugin and the component beyond the vectors: their surface, what is hostile, and that their pages tell the
// truth. They are in target/policies, where `npm run policies` puts them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import createPlugin from "@extism/extism";
import { python } from "./python.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const policies = join(target, "policies");
const plugin = join(policies, "fleetfold-extism.wasm");
const component = join(policies, "fleetfold-component.wasm");

/** Texts that nobody should send. */
const HOSTILE = {
  empty: "",
  spaces: " \n\t",
  "not JSON": "op: plan",
  "half of it": '{"op":"plan"',
  "two of them": '{"op":"kinds"}{"op":"kinds"}',
  "no object": '["op","plan"]',
  "a number": "1e999",
  "a NUL": '{"op":"plan\u0000"}',
  "half a character": '{"op":"\\ud83d"}',
  "a key twice": '{"op":"kinds","op":"plan"}',
  "no op": "{}",
  "an unknown op": '{"op":"__proto__"}',
  "an op that is no text": '{"op":{"op":"plan"}}',
  "an unknown field": '{"op":"plan","plan":true}',
  "wrong types": '{"op":"select","labels":[[]],"selector":7}',
  deep: '{"op":"patch","object":'.padEnd(200_000, "["),
  "deep in text": JSON.stringify({ op: "parse", text: "[".repeat(200_000) }),
  "a bomb of aliases": JSON.stringify({
    op: "parse",
    text: `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join("\n")}`,
  }),
  huge: `{"op":"parse","text":"${"a".repeat(4 * 1024 * 1024)}`,
  "a huge list": `{"op":"adopt","owners":[${"0,".repeat(512 * 1024)}0]}`,
};

let compiled;
before(async () => {
  compiled = await WebAssembly.compile(readFileSync(plugin));
});

/** A fresh instance: bytes or text in, text out. */
async function instance() {
  const made = await createPlugin(compiled);
  return async (name, input) => (await made.call(name, input)).text();
}

async function ops() {
  return JSON.parse(await (await instance())("describe")).ok.ops;
}

function refusal(answer) {
  const { code, message } = JSON.parse(answer).error;
  assert.match(code, /^[a-z-]+$/);
  assert.ok(message, answer);
  return code;
}

/** What a Python host prints for requests, each for a workspace of its own. */
function runPython(args, options) {
  const { status, stdout, stderr, error } = spawnSync(python(), ["-B", ...args], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    ...options,
  });
  assert.equal(status, 0, `${error ?? ""}${stderr}`);
  return stdout;
}

test("the plugin exports every op of the contract by its name, and imports what every Extism host has", async () => {
  const functions = WebAssembly.Module.exports(compiled).filter((it) => it.kind === "function");
  assert.deepEqual(functions.map((it) => it.name).sort(), [...(await ops()), "call"].sort());
  const imported = WebAssembly.Module.imports(compiled);
  assert.deepEqual([...new Set(imported.map((it) => it.module))], ["extism:host/env"]);
  const names = imported.map((it) => it.name).sort();
  assert.deepEqual(names, [
    "alloc",
    "input_length",
    "input_load_u64",
    "input_load_u8",
    "output_set",
    "store_u64",
    "store_u8",
  ]);
});

test("an op by its name answers as `call` does, for every vector", async () => {
  const { stdout } = spawnSync(
    join(target, "debug", "fleetfold"),
    ["vectors", join("tests", "vectors"), "--requests"],
    { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  const lines = stdout.trimEnd().split("\n");
  const known = new Set(await ops());
  const asked = new Set();
  let whole = 0;
  for (const requests of lines.map((it) => JSON.parse(it))) {
    const named = requests.map(apart);
    // Where JavaScript would write a request otherwise than it was, there is nothing to take the op out of.
    if (!named.every((it) => known.has(it?.op))) continue;
    const [one, other] = [await instance(), await instance()];
    for (const [at, { op, fields }] of named.entries()) {
      assert.equal(await one(op, fields), await other("call", requests[at]), requests[at]);
      asked.add(op);
    }
    whole += 1;
  }
  assert.deepEqual([...asked].sort(), [...known].sort());
  assert.ok(whole > lines.length * 0.8, `${whole} of ${lines.length}`);
});

/** The op of a request and the text of its other fields. */
function apart(request) {
  try {
    const read = JSON.parse(request);
    const { op, ...fields } = read;
    return JSON.stringify(read) === request ? { op, fields: JSON.stringify(fields) } : undefined;
  } catch {
    return undefined;
  }
}

test("an op without input has no fields, and its name is none of them", async () => {
  const ask = await instance();
  assert.equal(await ask("kinds"), await ask("kinds", "{}"));
  assert.equal(await ask("kinds", ""), await ask("call", '{"op":"kinds"}'));
  assert.equal(refusal(await ask("kinds", '{"op":"kinds"}')), "unknown-field");
});

test("an instance keeps what it was given, and shares it with no other", async () => {
  const [one, other] = [await instance(), await instance()];
  const documents = [
    { apiVersion: "greenhouse.sap/v1alpha1", kind: "Cluster", metadata: { name: "eu-1", namespace: "acme" } },
  ];
  assert.equal(JSON.parse(await one("load", JSON.stringify({ documents }))).ok.clusters, 1);
  assert.equal(JSON.parse(await one("clusters")).ok.clusters.length, 1);
  assert.equal(JSON.parse(await other("clusters")).ok.clusters.length, 0);
});

test("hostile texts are refused with reasons, in Extism and in the component alike", async () => {
  const hash = createHash("sha256");
  const kept = await instance();
  for (const [name, request] of Object.entries(HOSTILE)) {
    const answer = await (await instance())("call", request);
    assert.ok(refusal(answer), name);
    assert.equal(await kept("call", request), answer, name);
    hash.update(`${answer}\n`);
  }
  assert.equal(await kept("call", '{"op":"parse","text":"a: 1"}'), '{"ok":{"documents":[{"a":1}]}}');
  const wanted = [`answers sha256:${hash.digest("hex")}`, `${Object.keys(HOSTILE).length} answered`];
  const input = Object.values(HOSTILE)
    .map((it) => `${JSON.stringify([it])}\n`)
    .join("");
  assert.deepEqual(runPython(["tests/hosts/extism-host.py", plugin], { input }).trimEnd().split("\n"), wanted);
  const [answers, answered, surface] = runPython(["tests/hosts/component.py", component], { input }).split("\n");
  assert.deepEqual([answers, answered], wanted);
  check(JSON.parse(surface));
});

/**
 * The component imports nothing and offers what its WIT says. Its texts are Unicode: a host cannot pass on half a
 * character.
 */
function check(surface) {
  assert.deepEqual(surface, {
    imports: {},
    exports: {
      "fleetfold:engine/contract@0.1.0": {
        workspace: "ResourceType",
        "[constructor]workspace": [[], "OwnType"],
        "[method]workspace.call": [["BorrowType", "String"], "String"],
        call: [["String"], "String"],
      },
    },
    "half a character": "UnicodeEncodeError",
    afterwards: '{"ok":{"documents":[{"a":1}]}}',
  });
}

test("every function of the plugin refuses what is hostile, be it no UTF-8", async () => {
  const ask = await instance();
  const latin = Buffer.from('{"text":"caf\u00e9"}', "latin1");
  const cut = Buffer.from('{"text":"\u{1f600}').subarray(0, -1);
  for (const name of [...(await ops()), "call"]) {
    for (const input of [latin, cut, new Uint8Array([0xff]), new Uint8Array([0xc0, 0x80])]) {
      const answer = await ask(name, new Uint8Array(input));
      assert.equal(refusal(answer), "bad-request", name);
      assert.match(answer, /not UTF-8 from byte \d+ on/, name);
    }
    for (const text of ["op: plan", "[]", '"', '{"no such field":1}', HOSTILE.deep]) refusal(await ask(name, text));
  }
});

for (const [page, languages] of Object.entries({ extism: ["js", "python"], component: ["python"] })) {
  test(`what wasm/policies/${page}/README.md shows prints what it says`, () => {
    const text = readFileSync(join(root, "wasm", "policies", page, "README.md"), "utf8");
    const blocks = Object.fromEntries(
      [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, block]) => [language, block]),
    );
    assert.deepEqual(Object.keys(blocks).sort(), [...languages, "text"].sort());
    for (const language of languages) {
      const program = blocks[language].replaceAll("target/policies", policies);
      const printed = language === "js" ? runNode(program) : runPython(["-"], { input: program });
      assert.equal(printed, blocks.text, language);
    }
  });
}

function runNode(program) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-"], {
    cwd: root,
    encoding: "utf8",
    input: program,
  });
  assert.equal(status, 0, stderr);
  return stdout;
}
