// Objects and patches on them: most operations name a place that is there.
import { isMap, pointer } from "../json.mjs";
import { map, value } from "./values.mjs";

function objectOf(random) {
  if (random.chance(15)) return value(random, 3);
  const metadata = { name: "w" };
  if (random.chance(50)) metadata.namespace = "n";
  if (random.chance(40)) metadata.labels = random.chance(10) ? null : { app: "w", "a/b": "1" };
  if (random.chance(30)) metadata.annotations = { "x~y": "2" };
  const spec = { replicas: 1, ...map(random, 3), list: random.list(0, 3, () => value(random, 1)) };
  if (random.chance(30)) spec.template = { metadata: random.chance(70) ? { name: "p" } : {}, spec: {} };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec };
}

/** Every place in a value, as keys. */
function places(value, keys = []) {
  const inner = Array.isArray(value)
    ? value.map((it, index) => [index, it])
    : isMap(value)
      ? Object.entries(value)
      : [];
  return [keys, ...inner.flatMap(([key, it]) => places(it, [...keys, key]))];
}

function pathOf(random, all) {
  // The identity is left alone, mostly: an operation on it is refused.
  const inside = all.filter(
    ([first, second]) =>
      !["kind"].includes(first) && !(first === "metadata" && ["name", "namespace", undefined].includes(second)),
  );
  const keys = random.pick(inside.length > 1 && random.chance(95) ? inside : all);
  return random.oneOf(
    [30, () => pointer(keys)],
    [3, () => pointer([...keys, random.pick(["a", "b", "new", "0", "1", "-", "-1", "01", "a/b", "x~y"])])],
    [
      2,
      () =>
        pointer(
          random.pick([
            ["metadata", "labels", "x"],
            ["metadata", "annotations", "x.io/y"],
            ["spec", "template", "metadata", "labels", "a"],
          ]),
        ),
    ],
    [
      1,
      () =>
        random.pick([
          "",
          "/",
          "a",
          "spec.replicas",
          "/a~2",
          "/metadata/name",
          "/metadata",
          "/kind",
          "/apiVersion",
          "/metadata/generateName",
        ]),
    ],
  );
}

export function operation(random, object) {
  const all = places(object);
  const op = random.pick([
    "add",
    "add",
    "add",
    "replace",
    "replace",
    "remove",
    undefined,
    "test",
    "test",
    "move",
    "copy",
  ]);
  const made = { ...(op && { op }), path: pathOf(random, all) };
  if (["move", "copy"].includes(op)) {
    if (!random.chance(2)) made.from = pathOf(random, all);
  } else if (op === "test" && random.chance(60)) {
    const keys = random.pick(all);
    made.path = pointer(keys);
    made.value = keys.reduce((it, key) => it[key], object);
  } else if (op !== "remove" && !random.chance(2)) made.value = value(random, 2);
  if (random.chance(1)) made.op = random.pick(["repalce", "Add", ""]);
  return made;
}

export function generate(random) {
  const object = objectOf(random);
  return {
    request: { op: "patch", object, patch: random.list(0, random.pick([1, 1, 2, 3]), () => operation(random, object)) },
  };
}
