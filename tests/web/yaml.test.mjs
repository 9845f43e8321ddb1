// The YAML writer of the page: the engine parses its output to the same value.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { initSync, readAnswer, Workspace } from "../../web/engine/engine.js";

const web = fileURLToPath(new URL("../../web/", import.meta.url));
let folder, toYaml, yamlLines, workspace;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "fleetfold-yaml-"));
  await build({
    entryPoints: [join(web, "src/yaml.ts")],
    outfile: join(folder, "yaml.mjs"),
    format: "esm",
    bundle: true,
    logLevel: "warning",
  });
  ({ toYaml, yamlLines } = await import(pathToFileURL(join(folder, "yaml.mjs"))));
  initSync({ module: readFileSync(join(web, "engine/engine_bg.wasm")) });
  workspace = new Workspace();
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The JSON text of a value as the engine writes it: exact integers, sorted keys. */
function json(value) {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map(json).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, it]) => `${JSON.stringify(key)}:${json(it)}`)
    .join(",")}}`;
}

/** Parses YAML as kubectl does and asserts that there are no findings. */
function check(value) {
  const text = toYaml(value);
  const answer = readAnswer(workspace.callText(JSON.stringify({ op: "parse", text })), true);
  assert.ok(answer.ok, `${text}\n${JSON.stringify(answer.error)}`);
  assert.equal(answer.ok.documents.length, 1, text);
  assert.equal(json(answer.ok.documents[0]), json(value), text);
  assert.deepEqual(answer.diagnostics ?? [], [], text);
}

const STRINGS = [
  "",
  " ",
  "yes",
  "no",
  "y",
  "N",
  "on",
  "Off",
  "true",
  "True",
  "FALSE",
  "null",
  "Null",
  "~",
  "012",
  "0o7",
  "0x1f",
  "0X1F",
  "0b11",
  "1e3",
  "1_000",
  "1.5",
  "+1",
  "-1",
  ".5",
  "5.",
  ".inf",
  "-.INF",
  ".nan",
  "NaN",
  "inf",
  "Infinity",
  "-0",
  "00",
  "1__0",
  "1_",
  "_1",
  "2026-01-05",
  "2026-01-05T08:00:00Z",
  "190:20:30",
  "1:30",
  "<<",
  "=",
  "- a",
  "-",
  "--",
  "---",
  "...",
  "--x=1",
  "-x",
  "a: b",
  "a:",
  "a:b",
  ":a",
  "# c",
  "a #c",
  "a#b",
  "'q'",
  '"q"',
  "it's",
  "*a",
  "&a",
  "!a",
  "%a",
  "@a",
  "`a`",
  "{a}",
  "[a]",
  "a, b",
  "|",
  ">",
  "? a",
  "?",
  " lead",
  "trail ",
  "\t",
  "a\tb",
  "a\nb",
  "a\nb\n",
  "a\nb\n\n",
  "\n",
  "\na",
  " a\nb",
  "a\n b\n  c\n",
  "a\n\n\nb",
  "a \nb",
  "a\n \nb",
  "a\r\nb",
  "a\rb",
  "a\u2028b",
  "\u202eabc",
  "\ufeffx",
  "\u0000",
  "\u0007",
  "\u007f",
  "\u0085",
  "é",
  "日本",
  "😀",
  "a😀\nb",
  "a\u00a0b",
  "30d",
  "60s",
  "2Gi",
  "100m",
  "1.4",
  "1.4.2",
  "1.4.2-rc1",
  "10.96.14.7",
  "1b",
  "3x",
  "1o",
  "1p4",
  "0x1p3",
  "9".repeat(40),
  "x".repeat(10_000),
  "x  y",
  "http://a.b:80/c?d=e",
  "a=b",
  "C:\\d",
  "\\",
  "_",
  "key: |\n x",
  "---\na",
  "a\n---\nb",
  "...\n",
  "# x\ny",
  "%YAML\nx",
  "a\n\tb",
  "\ta\nb",
  "1,000",
  "a\u0001\nb",
  "<img src=x onerror=alert(1)>",
  "${x}",
  "{{ .Values.x }}",
  "__proto__x",
  "constructor",
];

test(`${STRINGS.length} odd strings come back: alone, in lists and maps, as keys`, () => {
  for (const it of STRINGS) {
    check({ value: it });
    check([it, [it, [it]], { deep: [{ it }, it] }]);
    check({ [it]: { [it]: [it] } });
  }
});

test("numbers, words and empty things come back", () => {
  for (const it of [
    0,
    1,
    -1,
    1.5,
    -0.1,
    1e21,
    1e-7,
    1.5e300,
    5e-324,
    123456789012,
    true,
    false,
    null,
    [],
    {},
    [[]],
    [{}],
    [[[]], {}],
    { a: [] },
    { a: {} },
    [[1, 2], [3]],
  ]) {
    check({ it });
    check([it]);
  }
});

test("large integers are exact", () => {
  check({
    largest: 9223372036854775807n,
    smallest: -9223372036854775808n,
    beyond: 9007199254740993n,
    list: [9007199254740993n],
  });
  assert.equal(toYaml({ a: 9007199254740993n }), "a: 9007199254740993\n");
});

test("long keys are announced, as readers of YAML want it", () => {
  for (const key of ["k".repeat(200), "k".repeat(3000), "k \n".repeat(300)])
    for (const value of [1, "a\nb\n", { a: [1, { b: 2 }] }, [[1], 2], {}]) check([{ [key]: value, z: 1 }]);
});

test("what everybody takes for a string stays without quotes", () => {
  const plain = [
    "warn",
    "1.4.2",
    "30d",
    "60s",
    "2Gi",
    "10.96.14.7",
    "--listen=:8080",
    "registry.example.com/shop/web:2.4.1",
    "http://proxy.acme.example.test:3128",
    "closed on Monday",
  ];
  for (const it of plain) assert.equal(toYaml(it), `${it}\n`);
  assert.equal(toYaml({ args: ["--a=b"], script: "a\nb\n" }), "args:\n- --a=b\nscript: |\n  a\n  b\n");
});

test("every line knows the place of its value", () => {
  const pointers = yamlLines({ a: { "b/c": [1, { d: "x\ny" }] } }).map((it) => it.pointer);
  assert.deepEqual(pointers, ["/a", "/a/b~1c", "/a/b~1c/0", "/a/b~1c/1/d", "/a/b~1c/1/d", "/a/b~1c/1/d"]);
});
