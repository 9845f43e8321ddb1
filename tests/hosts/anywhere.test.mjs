// The hosts of docs/load-anywhere.md: the page shows the very files, they refuse what is not the module, and nothing
// that a request holds, nor a fault that it leads to, reaches the program around them. Their vectors are run by
// tests/run.mjs.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { HOSTS, start } from "./anywhere.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const module = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "fleetfold.wasm");
const scratch = mkdtempSync(join(tmpdir(), "fleetfold-anywhere-"));
after(() => rmSync(scratch, { recursive: true }));

const HOST_FILES = { go: "host.go", python: "host.py", javascript: "host.mjs", java: "Host.java" };

test("the page shows the hosts as they are, each in at most 25 lines", () => {
  const shown = blocks();
  for (const [language, file] of Object.entries(HOST_FILES)) {
    const path = `tests/hosts/anywhere/${language}/${file}`;
    const text = readFileSync(join(root, path), "utf8");
    assert.equal(shown.get(path), text, path);
    assert.ok(text.split("\n").length - 1 <= 25, `${path} is longer`);
  }
});

test("whatever else the page shows of a program is a part of it", () => {
  const others = [...blocks()].filter(([path]) => !Object.values(HOST_FILES).includes(path.split("/").at(-1)));
  assert.equal(others.length, Object.keys(HOST_FILES).length);
  for (const [path, block] of others) {
    const text = readFileSync(join(root, path), "utf8");
    // Each part between blank lines, at whatever depth it stands there.
    for (const part of block.trimEnd().split("\n\n")) {
      const indents = new Set([...text.matchAll(/^[ \t]*/gm)].map(([it]) => it));
      const found = [...indents].some((indent) => text.includes(part.replace(/^(?=.)/gm, indent)));
      assert.ok(found, `${path} has no such part:\n${part}`);
    }
  }
});

/** The blocks of code of the page, by the file that the line above them links to. */
function blocks() {
  const page = readFileSync(join(root, "docs", "load-anywhere.md"), "utf8");
  const code = [...page.matchAll(/\(\.\.\/(tests\/hosts\/anywhere\/[^)]+)\)[^\n]*\n\n```\w+\n(.*?)^```$/gms)];
  assert.equal(code.length, page.match(/^```(go|python|js|java)$/gm).length, "a block of code belongs to no file");
  return new Map(code.map(([, path, text]) => [path, text]));
}

const bytes = (...parts) => Buffer.concat(parts.map((it) => Buffer.from(it)));
const HEADER = bytes("\0asm", [1, 0, 0, 0]);

const REFUSED = {
  "text in place of a module": bytes("this is no module"),
  "a module that says nothing of itself": HEADER,
  "a module of another version": bytes(
    HEADER,
    [1, 5, 1, 0x60, 0, 1, 0x7f], // a type: nothing in, an i32 out
    [3, 2, 1, 0],
    [5, 3, 1, 0, 1], // a memory of one page
    [7, 17, 1, 13, ..."fleetfold_abi"].map((it) => (typeof it === "string" ? it.charCodeAt(0) : it)),
    [0, 0],
    [10, 6, 1, 4, 0, 0x41, 2, 0x0b], // the number 2
  ),
  "a module that imports something": bytes(HEADER, [1, 4, 1, 0x60, 0, 0], [2, 7, 1, 1], "e", [1], "f", [0, 0]),
};

/** What each says of it: its own words where the module loads, those of the runtime where it does not. */
const SAID = {
  go: [/invalid magic number/, /another ABI than 1/, /another ABI than 1/, /module\[e\] not instantiated/],
  python: [
    /WasmtimeError: expected `\(`/,
    /ABI None, this host has 1/,
    /ABI 2, this host has 1/,
    /WasmtimeError: .*import/,
  ],
  javascript: [
    /CompileError: .*magic/,
    /ABI undefined, this host has 1/,
    /ABI 2, this host has 1/,
    /TypeError: .*[Ii]mport/,
  ],
  java: [/magic header not detected/, /[Uu]nknown export.* fleetfold_abi/, /ABI 2, this host has 1/, /e\.f/],
};

/** Answered by the contract: what comes in, and what the answer must say. */
const HOSTILE = [
  ["not JSON", "select all", /^\{"error":\{"at":"1:1","code":"bad-json",.*found `s`"\}\}$/],
  ["nothing", "", /"code":"bad-json",.*but the text ends"\}\}$/],
  ["five megabytes of nonsense", "x".repeat(5_000_000), /"code":"bad-json"/],
  ["half an object", '{"op":"describe"', /"code":"bad-json"/],
  ["a nul", "\0", /"code":"bad-json"/],
  ["another type", "null", /"code":"wrong-type"/],
  ["a million levels", "[".repeat(1_000_000), /^\{"error":\{.*"code":"too-deep"/],
  [
    "a hundred thousand levels of YAML",
    JSON.stringify({ op: "parse", text: "[".repeat(100_000) }),
    /"code":"too-deep"/,
  ],
  ["half a character", '{"op":"parse","text":"\\ud800"}', /"code":"lone-surrogate"/],
  ["no such op", '{"op":"slect"}', /"code":"unknown-op","hint":"did you mean `select`\?"/],
];

/** 64 MiB, and milliseconds. */
const TIGHT = ["1024", "6000"];
const many = (count, of) => Array.from({ length: count }, (_, at) => of(at));

/**
 * Beyond the limits: what is asked, and how each runtime ends it. Between them a workspace answers as if nothing had
 * been.
 */
const FAULTS = [
  {
    what: "no room for a request",
    request: "x".repeat(70_000_000),
    said: {
      go: /no room for the request/,
      python: /no room for 70000000 bytes/,
      javascript: /no room for 70000000 bytes/,
      java: /no room for 70000000 bytes/,
    },
  },
  {
    what: "more memory than allowed",
    request: JSON.stringify({ op: "parse", text: `[${"1,".repeat(3_000_000)}1]` }),
    said: {
      go: /unreachable/,
      python: /unreachable/,
      javascript: /RuntimeError: unreachable/,
      java: /TrapException: .*unreachable/,
    },
  },
  {
    what: "more time than allowed",
    request: JSON.stringify({
      op: "select",
      clusters: many(40_000, (at) => ({ name: `c${at}`, labels: { a: `b${at}` } })),
      selector: many(40_000, (at) => `a!=x${at}`).join(","),
    }),
    said: {
      go: /deadline exceeded/,
      python: /interrupt/,
      javascript: /no answer within 6000 ms/,
      java: /[Ii]nterrupted/,
    },
  },
];
/** Text in JavaScript and Java is Unicode once it is written as UTF-8; these two can send anything. */
const BYTES = { go: true, python: true };
const NO_TEXT = bytes('{"op":"', [0xff], '"}');

const SANE = ['{"op":"match","desired":{"a":1},"live":{"a":1}}', '{"ok":{"differences":[],"matches":true}}'];

for (const language of Object.keys(HOSTS)) {
  Object.entries(REFUSED).forEach(([what, wasm], at) => {
    test(`${language} refuses ${what}`, () => {
      const path = join(scratch, "refused.wasm");
      writeFileSync(path, wasm);
      const { status, stdout, stderr } = start(language, path, { input: '["{}"]\n', encoding: "utf8" });
      assert.equal(status, 1, stderr);
      assert.equal(stdout.trim(), "");
      assert.match(stderr, SAID[language][at]);
    });
  });

  test(`${language} answers what is hostile by the contract, and outlives faults`, () => {
    const vectors = [
      ...HOSTILE.map(([, request]) => [request]),
      ...FAULTS.flatMap(({ request }) => [[request], [SANE[0]]]),
    ];
    const input = vectors.map((it) => `${JSON.stringify(it)}\n`).join("");
    const file = join(scratch, "no-text");
    writeFileSync(file, NO_TEXT);
    const mode = BYTES[language] ? ["answers", file] : ["answers"];
    const { status, stdout, stderr } = start(language, module, { limits: TIGHT, mode, input, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const answers = stdout.trimEnd().split("\n");
    if (BYTES[language])
      assert.match(answers.pop(), /^\{"error":\{"code":"[\w-]+".*"the request is not UTF-8 from byte 7 on"\}\}$/);
    assert.equal(answers.length, vectors.length);
    HOSTILE.forEach(([what, , wanted], at) => assert.match(answers[at], wanted, what));
    FAULTS.forEach(({ what, said }, at) => {
      const [fault, next] = answers.slice(HOSTILE.length + 2 * at);
      assert.match(fault, /^failed: /, what);
      assert.match(fault, said[language], what);
      assert.equal(next, SANE[1], what);
    });
  });
}
