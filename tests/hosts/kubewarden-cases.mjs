// What is put to the policy: the vectors of admission, and reviews that no API server would send.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CAN_I, ask, root, webhook } from "./kubewarden-hosts.mjs";

/**
 * Every question of every vector of an op, with the documents and the settings before it, and what the webhook answers.
 */
export function vectors(asked, questions) {
  const folder = join(root, "tests", "vectors", asked);
  return readdirSync(folder).flatMap((file) => {
    const { name, given = [], steps, request } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const settings = { documents: [] };
    const found = [];
    for (const step of [...given, ...(steps?.map((it) => it.request) ?? [request])]) {
      const { op, ...fields } = step;
      if (op === "load") settings.documents = [...settings.documents, ...fields.documents];
      if (op === "configure") Object.assign(settings, fields);
      if (op === asked) found.push(...questions(`${name} ${found.length}`, { ...settings }, fields));
    }
    return found;
  });
}

export const admissions = () => vectors("admit", admission);
export const mutations = () => vectors("defaults", mutation);

/** One question; where not all its reviews are given, two: the rest is granted, and denied. */
function admission(name, settings, { request, reviews = [], permissions, limits }) {
  const own = Object.fromEntries(
    Object.entries({ ...settings, permissions, limits }).filter(([, value]) => value !== undefined),
  );
  const denialsFirst = [...reviews].sort((a, b) => Number(a.allowed) - Number(b.allowed));
  const known = denialsFirst.map(({ allowed, ...attributes }) => ({
    operation: CAN_I,
    when: { subject_access_review: { resource_attributes: attributes } },
    answer: { allowed },
  }));
  const complete = (rest) => {
    const script = [...known, { operation: CAN_I, answer: { allowed: rest } }];
    return {
      name: `${name} ${rest}`,
      want: webhook(own, request, script),
      op: "validate",
      payload: JSON.stringify({ request, settings: own }),
      script,
    };
  };
  const denied = complete(false);
  return denied.want.reviews?.length > reviews.length ? [denied, complete(true)] : [denied];
}

/** One object that gets its defaults: what the webhook says of it then, and what is stored. */
function mutation(name, settings, { request }) {
  const script = [{ operation: CAN_I, answer: { allowed: true } }];
  const { documents, ...configure } = settings;
  const { ok, error } = ask([
    { op: "configure", ...configure },
    { op: "load", documents },
    { op: "defaults", request },
  ]).at(-1);
  const want = error ? { error } : webhook(settings, ok.added ? { ...request, object: ok.object } : request, script);
  return [
    {
      name,
      want,
      stored: ok?.added && ok.object,
      op: "validate",
      payload: JSON.stringify({ request, settings: { ...settings, defaults: true } }),
      script,
    },
  ];
}

const GROUP = "cluster.open-cluster-management.io";
const cluster = (labels) => ({ apiVersion: `${GROUP}/v1`, kind: "ManagedCluster", metadata: { name: "c1", labels } });

/** A good review, which the hostile ones are made of: eve puts a cluster into the set `dev`. */
export const review = () => ({
  uid: "705ab4f5-6393-11e8-b7cc-42010a800002",
  kind: { group: GROUP, version: "v1", kind: "ManagedCluster" },
  resource: { group: GROUP, version: "v1", resource: "managedclusters" },
  name: "c1",
  operation: "UPDATE",
  userInfo: {
    username: "eve",
    uid: "42",
    groups: ["dev", "system:authenticated"],
    extra: { "example.org/scopes": ["read"] },
  },
  object: cluster({ [`${GROUP}/clusterset`]: "dev" }),
  oldObject: cluster({}),
  dryRun: false,
  options: { apiVersion: "meta.k8s.io/v1", kind: "UpdateOptions" },
});

/** The review without a field, or with another value there. */
const without = (path) => changed(path, undefined);
function changed(path, value) {
  const request = review();
  const keys = path.split("/");
  let holder = request;
  for (const key of keys.slice(0, -1)) holder = holder[key];
  holder[keys.at(-1)] = value;
  return { payload: JSON.stringify({ request, settings: {} }) };
}

const text = (payload) => ({ payload });
const good = JSON.stringify({ request: review(), settings: {} });
const nested = (depth) => "[".repeat(depth) + "]".repeat(depth);
const spec = (json) => text(good.replace('"metadata":{', `"spec":${json},"metadata":{`));

/**
 * What is sent, and the code of the rejection: 400 where it cannot be read, 403 where the engine denies, 500 where
 * settings are wrong, 503 where the host, which answers nothing here, would have to be asked.
 */
export const HOSTILE = {
  "nothing at all": [text(""), 400],
  "white space": [text(" \n\t"), 400],
  null: [text("null"), 400],
  "a number": [text("42"), 400],
  "a text": [text('"validate"'), 400],
  "a list": [text("[]"), 400],
  "an empty map": [text("{}"), 400],
  "no JSON": [text("apiVersion: v1\nkind: Pod\n"), 400],
  markup: [text("<review/>"), 400],
  "single quotes": [text("{'request':{}}"), 400],
  "a comma too many": [text('{"request":{},}'), 400],
  "cut in the middle": [text(good.slice(0, good.length / 2)), 400],
  "cut at the end": [text(good.slice(0, -1)), 400],
  "two reviews": [text(good + good), 400],
  "a byte order mark": [text(`\ufeff${good}`), 400],
  "a zero byte": [text(`\u0000${good}`), 400],
  "a control character in a text": [text(good.replace("eve", "e\u0001e")), 400],
  "half a character": [text(good.replace("eve", "\\ud800")), 400],
  "bytes that are no text": [{ hex: "fffe7b7d" }, 400],
  "a text that breaks off in a character": [
    { hex: Buffer.from(good).toString("hex").replace(Buffer.from("eve").toString("hex"), "65e282") },
    400,
  ],
  "a key twice": [text(good.replace('"name":"c1"', '"name":"c1","name":"c2"')), 400],
  "an integer without end": [spec(`{"n":${"9".repeat(400)}}`), 400],
  "a double without end": [spec('{"n":1e999}'), 400],
  "no number": [spec('{"n":NaN}'), 400],
  "nested a little too deep": [spec(nested(101)), 400],
  "nested a hundred thousand times": [text(nested(100_000)), 400],
  "opened a million times": [text('{"request":'.repeat(100_000)), 400],
  "nine megabytes": [text(good.replace("eve", "e".repeat(9 << 20))), 400],
  "no request": [text('{"settings":{}}'), 400],
  "a request that is null": [text('{"request":null,"settings":{}}'), 403],
  "a request that is a text": [text('{"request":"UPDATE","settings":{}}'), 403],
  "a request that is a list": [text('{"request":[],"settings":{}}'), 403],
  "a request that is a number": [text('{"request":1,"settings":{}}'), 403],
  "an empty request": [text('{"request":{},"settings":{}}'), 403],
  "no kind": [without("kind"), 403],
  "a kind that is a text": [changed("kind", "ManagedCluster"), 403],
  "a kind without a name": [without("kind/kind"), 403],
  "a kind with a number for a name": [changed("kind/kind", 7), 403],
  "a group that is a list": [changed("kind/group", []), 403],
  "no operation": [without("operation"), 403],
  "an operation that is a number": [changed("operation", 1), 403],
  "an operation that there is not": [changed("operation", "PATCH"), 403],
  "an operation in small letters": [changed("operation", "update"), 403],
  "no object": [without("object"), 403],
  "an object that is null": [changed("object", null), 403],
  "an object that is a list": [changed("object", [1]), 403],
  "an object of another kind": [changed("object/kind", "Pod"), 403],
  "an object without a version": [without("object/apiVersion"), 403],
  "an object of another name": [changed("object/metadata/name", "c2"), 403],
  "metadata that are a text": [changed("object/metadata", "c1"), 403],
  "labels that are a list": [changed("object/metadata/labels", ["a"]), 403],
  "a label that is a number": [changed("object/metadata/labels", { a: 1 }), 403],
  "a label of a megabyte": [changed("object/metadata/labels", { a: "x".repeat(1 << 20) }), 403],
  "no old object": [without("oldObject"), 403],
  "an old object that is a text": [changed("oldObject", "c1"), 403],
  "an old object of another name": [changed("oldObject/metadata/name", "c2"), 403],
  "a name that is a number": [changed("name", 1), 403],
  "a namespace that is a list": [changed("namespace", []), 403],
  "no user": [without("userInfo"), 403],
  "a user that is a text": [changed("userInfo", "eve"), 403],
  "a user without a name": [without("userInfo/username"), 403],
  "a user with an empty name": [changed("userInfo/username", ""), 403],
  "a user with a number for a name": [changed("userInfo/username", 0), 403],
  "groups that are a text": [changed("userInfo/groups", "admins"), 403],
  "groups with a number": [changed("userInfo/groups", [1]), 403],
  "extra that is a list": [changed("userInfo/extra", []), 403],
  "extra with a text": [changed("userInfo/extra", { a: "b" }), 403],
  "a user with a name of a megabyte": [changed("userInfo/username", "e".repeat(1 << 20)), 503],
  "a setting with a name of a megabyte": [
    text(good.replace('"settings":{}', `"settings":{"${"s".repeat(1 << 20)}":1}`)),
    500,
  ],
  "settings that are a text": [text(good.replace('"settings":{}', '"settings":"none"')), 500],
  "settings that are a list": [text(good.replace('"settings":{}', '"settings":[]')), 500],
  "a setting that there is not": [text(good.replace('"settings":{}', '"settings":{"stge":"full"}')), 500],
  "documents that are a number": [text(good.replace('"settings":{}', '"settings":{"documents":5}')), 500],
  "a document that is none": [text(good.replace('"settings":{}', '"settings":{"documents":[{}]}')), 500],
};
