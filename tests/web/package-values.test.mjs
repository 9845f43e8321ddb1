// Values on their way into the engine and back: exact integers, keys of every name, and what JSON cannot say.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { pack } from "./package-packed.mjs";

let node, api;
before(async () => {
  node = pathToFileURL(join(pack().folder, "dist", "node.js"));
  api = await import(node);
});

/** The object of a `patch` that changes nothing: what the engine read, as it was written again. */
const echo = (object, options) => api.patch({ object, patch: [] }, options).object;
const refusal = (object, options) => api.call({ op: "patch", object, patch: [] }, options).error;
const WAYS = [undefined, { bigint: false }, { bigint: true }];
/** With a BigInt beside it, a value goes to the engine in an object instead of text. */
const BESIDE = [{}, { beside: 1n }];

test("Large integers are exact as BigInts, in requests and in answers", () => {
  const large = [9007199254740993n, -9007199254740993n, 9223372036854775807n, -9223372036854775808n];
  const { object } = api.patch(
    { object: { n: 0 }, patch: [{ op: "replace", path: "/n", value: large }] },
    { bigint: true },
  );
  assert.deepEqual(object, { n: large });
  const nested = { a: [{ b: { c: [[9007199254740993n]] } }], d: { e: -9223372036854775808n } };
  assert.deepEqual(echo(nested, { bigint: true }), nested);
});

test("Integers that a number holds come back as numbers, also if they were BigInts", () => {
  const safe = [0, 1, -1, 2 ** 31, 9007199254740991, -9007199254740991];
  for (const options of WAYS) {
    assert.deepEqual(echo({ n: safe }, options), { n: safe });
    assert.deepEqual(echo({ n: safe.map(BigInt) }, options), { n: safe });
  }
  const [first, second] = echo({ n: [9007199254740991n, 9007199254740992n] }, { bigint: true }).n;
  assert.deepEqual([first, second], [9007199254740991, 9007199254740992n]);
});

test("Without asking, large integers are the nearest numbers", () => {
  assert.deepEqual(api.parse({ text: "count: 9007199254740993" }).documents, [{ count: 9007199254740992 }]);
  assert.deepEqual(echo({ n: [9007199254740993n, 9223372036854775807n] }), { n: [9007199254740992, 2 ** 63] });
});

test("Text in, text out loses nothing", () => {
  assert.equal(
    api.callText('{"op":"parse","text":"count: 9007199254740993"}'),
    '{"ok":{"documents":[{"count":9007199254740993}]}}',
  );
});

test("A BigInt beyond 64 bits is refused where it is", () => {
  for (const options of WAYS)
    for (const large of [9223372036854775808n, -9223372036854775809n, 10n ** 40n, 2 ** 63, Object(2n ** 64n)])
      assert.deepEqual(refusal({ "a/b": [0, { n: large }] }, options), {
        code: "integer-out-of-range",
        message: "the integer does not fit in 64 bits",
        at: "/object/a~1b/1/n",
      });
});

test("A number means the same in text and in an object", () => {
  const numbers = [0, -0, 0.5, -1.25, 1e-7, 1e20 / 3e3, 2 ** 53, 2 ** 60, -(2 ** 62), 1e21, 1.5e300, 5e-324];
  for (const n of numbers) {
    const text = JSON.stringify({ op: "patch", object: { beside: 1, n }, patch: [] });
    const { ok } = JSON.parse(api.callText(text));
    for (const beside of [1, 1n]) assert.deepEqual(echo({ beside, n }), ok.object, `${n}`);
  }
  // An integer of JavaScript is an integer of the engine, with the digits that JavaScript prints.
  assert.equal(echo({ n: 2 ** 60 }, { bigint: true }).n, 1152921504606847000n);
});

test("BigInts are exact whatever else the request holds", () => {
  const tricky = {
    n: 12345678901234567n,
    mark: "int12345678901234567",
    intt: "inttt1",
    list: [1n, "int1", Object(9007199254740993n)],
    day: new Date(0),
    gone: undefined,
    number: new Number(7),
    text: new String("7"),
    yes: new Boolean(true),
    made: { toJSON: (key) => ({ key, n: 9007199254740993n }) },
  };
  assert.deepEqual(echo(tricky, { bigint: true }), {
    n: 12345678901234567n,
    mark: "int12345678901234567",
    intt: "inttt1",
    list: [1, "int1", 9007199254740993n],
    day: "1970-01-01T00:00:00.000Z",
    number: 7,
    text: "7",
    yes: true,
    made: { key: "made", n: 9007199254740993n },
  });
});

test("BigInts are exact in programs that gave them a toJSON", () => {
  const program = `BigInt.prototype.toJSON = function () { return String(this); };
    import(${JSON.stringify(node)}).then(({ patch }) => {
      const given = { n: 9007199254740993n, boxed: Object(9007199254740993n) };
      const { object } = patch({ object: given, patch: [] }, { bigint: true });
      console.log(typeof object.n, typeof object.boxed);
    });`;
  assert.equal(execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }).trim(), "bigint bigint");
});

test("Keys with a meaning in JavaScript are keys like any other", () => {
  const text = '{"__proto__": {"polluted": true}, "constructor": 1, "toString": 9007199254740993}';
  for (const options of WAYS) {
    const [document] = api.parse({ text }, options).documents;
    assert.deepEqual(Object.keys(document).sort(), ["__proto__", "constructor", "toString"]);
    assert.equal(Object.getPrototypeOf(document), Object.prototype);
    assert.equal(document.polluted, undefined);
    assert.equal({}.polluted, undefined);
  }
});

test("`__proto__` is data in requests and answers, at every level", () => {
  const object = JSON.parse('{"A":1,"__proto__":{"__proto__":{"x":[{"__proto__":null}]},"y":2},"z":3}');
  for (const options of WAYS)
    for (const beside of BESIDE) {
      const got = echo(Object.assign(JSON.parse(JSON.stringify(object)), beside), options);
      const { beside: _, ...rest } = got;
      assert.equal(JSON.stringify(rest), JSON.stringify(object));
      assert.equal(Object.getPrototypeOf(got), Object.prototype);
    }
  // An inherited property is not data.
  assert.deepEqual(echo({ a: Object.create({ inherited: 1n }) }, { bigint: true }), { a: {} });
});

test("A property that is undefined is left out", () => {
  for (const options of WAYS)
    for (const beside of BESIDE) {
      const { beside: _, ...got } = echo(
        { a: undefined, b: { c: undefined, d: null }, e: { toJSON: () => undefined }, ...beside },
        options,
      );
      assert.deepEqual(got, { b: { d: null } });
    }
  assert.deepEqual(api.parse({ text: "a: 1", file: undefined }, { bigint: true }).documents, [{ a: 1 }]);
});

test("What JSON cannot say is refused where it is, instead of becoming null or nothing", () => {
  const cases = [
    [{ list: [1, undefined] }, "/object/list/1", /undefined/],
    [{ list: [, 1] }, "/object/list/0", /undefined/],
    [{ run: () => 1 }, "/object/run", /function/],
    [{ list: [Symbol("s")] }, "/object/list/0", /symbol/],
    [{ n: NaN }, "/object/n", /NaN/],
    [{ n: [-Infinity] }, "/object/n/0", /-Infinity/],
    [{ m: new Map([["a", 1]]) }, "/object/m", /Map/],
    [{ m: new Set([1]) }, "/object/m", /Set/],
    [{ m: new Uint8Array(2) }, "/object/m", /Uint8Array/],
  ];
  for (const [object, at, message] of cases)
    for (const options of WAYS)
      for (const beside of BESIDE) {
        const error = refusal({ ...object, ...beside }, options);
        assert.deepEqual([error?.code, error?.at], ["bad-json", at]);
        assert.match(error.message, message);
      }
  for (const request of [undefined, () => 1, Symbol("s")]) assert.equal(api.call(request).error.code, "bad-json");
});

test("A lone surrogate is refused where it stands, not turned into another character", () => {
  for (const text of ["a: \ud800", "\udc00", "a: \ude00\ud83d"]) {
    for (const options of WAYS)
      assert.deepEqual(api.call({ op: "parse", text }, options).error, {
        code: "lone-surrogate",
        message: "half of a surrogate pair is no character",
        at: "/text",
      });
    // In JSON text it is the character itself.
    const { error } = JSON.parse(api.callText(`{"op":"parse","text":"${text}"}`));
    assert.ok(["lone-surrogate", "bad-request"].includes(error.code), error.code);
  }
  assert.deepEqual(refusal({ n: 1n, a: { "\ud800": 1 } })?.at, "/object/a");
  for (const options of WAYS) {
    assert.deepEqual(api.parse({ text: "a: \ud83d\ude00" }, options).documents, [{ a: "😀" }]);
    assert.deepEqual(echo({ "😀": "é😀\u0000", n: 1n }, options), { "😀": "é😀\u0000", n: 1 });
  }
});

test("A lone surrogate is found in browsers without isWellFormed too", () => {
  const program = `delete String.prototype.isWellFormed;
    import(${JSON.stringify(node)}).then(({ call, callText, parse }) => {
      const answers = [call({ op: "parse", text: "\\ud800" }), JSON.parse(callText('{"op":"\\ud800"}'))];
      const codes = answers.map((it) => it.error.code);
      console.log(...codes, parse({ text: "a: \\ud83d\\ude00" }, { bigint: true }).documents[0].a);
    });`;
  assert.equal(
    execFileSync(process.execPath, ["-e", program], { encoding: "utf8" }).trim(),
    "lone-surrogate bad-request 😀",
  );
});

test("Values nest as deep as the engine allows, in every way, and a cycle ends there", () => {
  const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const cyclic = {};
  cyclic.self = [cyclic, cyclic];
  for (const options of WAYS)
    for (const beside of BESIDE) {
      const deepest = { a: nested(98), ...beside };
      assert.equal(JSON.stringify(echo(deepest, options).a), JSON.stringify(deepest.a));
      assert.equal(refusal({ a: nested(99), ...beside }, options).code, "too-deep");
      assert.equal(refusal({ a: cyclic, ...beside }, options).code, "too-deep");
    }
});

test("Code of the caller that throws is an error of the request, and the workspace goes on", () => {
  const workspace = new api.Workspace();
  const hostile = [
    new Proxy({}, { ownKeys: () => assert.fail("trap") }),
    { toJSON: () => assert.fail("toJSON") },
    Object.defineProperty({}, "a", { get: () => assert.fail("getter"), enumerable: true }),
  ];
  for (const object of hostile) {
    const { error } = workspace.call({ op: "patch", object, patch: [] }, { bigint: true });
    assert.equal(error.code, "bad-json");
    assert.match(error.message, /^the request is not JSON: (trap|toJSON|getter)$/);
  }
  assert.deepEqual(workspace.parse({ text: "a: 1" }, { bigint: true }).documents, [{ a: 1 }]);
  workspace.free();
});
