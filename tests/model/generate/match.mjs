// Desired objects of a few kinds, and live ones that are the same after some edits, with more than was asked for.
import { clone, isMap } from "../json.mjs";
import { map, value } from "./values.mjs";

function container(random, name) {
  return {
    name,
    image: random.pick(["v1", "v2"]),
    ...(random.chance(40) && { args: random.list(0, 3, () => random.pick(["--a", "--b", "--c"])) }),
    ...(random.chance(40) && {
      env: random.some(["A", "B", "C"]).map((it) => ({ name: it, value: random.pick(["1", "2"]) })),
    }),
    ...(random.chance(30) && {
      ports: random
        .some([80, 443])
        .map((containerPort) => ({ containerPort, ...(random.chance(50) && { protocol: "TCP" }) })),
    }),
    ...(random.chance(15) && { tty: random.chance(50) }),
  };
}

const KINDS = {
  Deployment: (random) => ({
    apiVersion: "apps/v1",
    spec: {
      replicas: random.between(0, 3),
      ...(random.chance(30) && { paused: random.chance(50) }),
      ...(random.chance(40) && { selector: { matchLabels: { app: random.pick(["web", "api"]) } } }),
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: random.some(["app", "log", "proxy"], 60).map((name) => container(random, name)) },
      },
    },
  }),
  Service: (random) => ({
    apiVersion: "v1",
    spec: {
      ...(random.chance(70) && { selector: { app: random.pick(["web", "api"]) } }),
      ports: random.some([80, 443, 53]).map((port) => ({
        port,
        ...(random.chance(40) && { protocol: random.pick(["TCP", "UDP"]) }),
        ...(random.chance(40) && { targetPort: random.pick([80, 8080]) }),
      })),
    },
  }),
  Role: (random) => ({ apiVersion: "rbac.authorization.k8s.io/v1", rules: random.list(0, 2, () => rule(random)) }),
  RoleBinding: (random) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: random.pick(["r", "s"]) },
    subjects: random
      .some(["a", "b", "c"])
      .map((name) => ({ kind: "ServiceAccount", name, namespace: random.pick(["n", "m"]) })),
  }),
  ConfigMap: (random) => ({ apiVersion: "v1", data: texts(random) }),
  Namespace: () => ({ apiVersion: "v1" }),
  Widget: (random) => ({ apiVersion: "example.org/v1", spec: map(random, 3) }),
};

const texts = (random) =>
  Object.fromEntries(random.some(["a", "b", "c"]).map((key) => [key, random.pick(["1", "2", ""])]));

function rule(random) {
  return {
    apiGroups: random.some(["", "apps"], 70),
    resources: random.shuffle(random.some(["pods", "secrets"], 70)),
    verbs: random.shuffle(random.some(["get", "list", "watch"], 60)),
  };
}

export function objectOf(random, kind = random.pick(Object.keys(KINDS))) {
  const metadata = { name: "x", ...(kind !== "Namespace" && { namespace: "n" }) };
  if (random.chance(50)) metadata.labels = texts(random);
  if (random.chance(30)) metadata.annotations = texts(random);
  return { kind, metadata, ...KINDS[kind](random) };
}

/** The same with some edits: other values, further keys and elements, less of what is there. */
export function drift(random, object, edits) {
  const live = clone(object);
  for (let index = 0; index < edits; index += 1) edit(random, live);
  return live;
}

const FIXED = ["apiVersion", "kind", "name", "namespace", "metadata", "spec", "roleRef"];

function edit(random, root) {
  const places = [];
  const walk = (it) => {
    if (Array.isArray(it)) places.push(it);
    if (isMap(it)) places.push(it);
    for (const inner of Array.isArray(it) ? it : isMap(it) ? Object.values(it) : []) walk(inner);
  };
  walk(root);
  const place = random.pick(places);
  if (Array.isArray(place)) {
    random.oneOf(
      [3, () => place.reverse()],
      [2, () => place.pop()],
      [2, () => place.length > 0 && place.push(clone(random.pick(place)))],
      [2, () => isMap(place[0]) && place[0].name && place.push({ ...clone(place[0]), name: "sidecar" })],
      [1, () => typeof place[0] === "string" && place.push("extra")],
    );
    return;
  }
  const keys = Object.keys(place).filter((key) => !FIXED.includes(key));
  if (keys.length === 0 || random.chance(30)) {
    place[random.pick(["further", "status", "z"])] ??= random.pick(["1", "2"]);
    return;
  }
  const key = random.pick(keys);
  const old = place[key];
  if (random.chance(30)) delete place[key];
  else if (typeof old === "number") place[key] = old + 1;
  else if (typeof old === "string") place[key] = `${old}x`;
  else if (typeof old === "boolean") place[key] = !old;
}

export function generate(random) {
  if (random.chance(25)) {
    const desired = value(random, 3);
    return {
      request: {
        op: "match",
        desired,
        live:
          random.chance(50) && isMap(desired)
            ? drift(random, desired, 2)
            : random.chance(50)
              ? clone(desired)
              : value(random, 3),
      },
    };
  }
  const desired = objectOf(random);
  const live = drift(random, desired, random.between(0, 3));
  if (random.chance(20))
    Object.assign(live.metadata, { uid: "u", resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z" });
  const request = { op: "match", desired, live };
  if (random.chance(50)) request.policy = "byKind";
  else if (random.chance(30))
    Object.assign(request, { mode: "threeWay", lastApplied: drift(random, desired, random.between(0, 2)) });
  if (random.chance(2)) live.metadata.name = "other";
  return { request };
}
