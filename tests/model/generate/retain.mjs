// Templates and what clusters made of them, with built-in rules and custom paths.
import { clone } from "../json.mjs";
import { map } from "./values.mjs";

const PATHS = [
  "spec.a",
  "spec.a.b",
  "spec.b.c",
  "spec.list[].v",
  "spec.list[].in[].v",
  "spec.list[]",
  "spec.list",
  "spec.a[].b",
  'metadata.annotations["x.io/y"]',
  "metadata.labels.team",
  "data.k",
];
const BAD = ["", ".a", "spec..a", "spec.a[", "/spec/a", "spec.a[0]", "spec.a[]b", "[].a", "spec.a[][].b", "spec."];

const named = (random) =>
  random.shuffle(random.some(["x", "y", "z"], 70)).map((name) => ({
    name,
    ...(random.chance(60) && { v: random.between(0, 3) }),
    ...(random.chance(30) && { in: inner(random) }),
  }));
const inner = (random) =>
  random.list(0, 2, () => ({
    ...(random.chance(70) && { name: random.pick(["p", "q"]) }),
    ...(random.chance(50) && { v: random.between(0, 3) }),
  }));
const unnamed = (random) =>
  random.list(0, 3, () =>
    random.chance(90)
      ? { ...(random.chance(50) && { v: random.between(0, 3) }), ...(random.chance(10) && { name: "x" }) }
      : random.pick([1, null]),
  );

const port = (random, isLive) => ({
  port: random.pick([80, 443, 53]),
  ...(random.chance(50) && { name: random.pick(["http", "web", "dns"]) }),
  ...((isLive || random.chance(30)) && { protocol: random.chance(80) ? "TCP" : "UDP" }),
  ...(random.chance(isLive ? 80 : 20) && { nodePort: random.pick([30080, 30443, 0]) }),
});

function addresses(random, isLive) {
  if (!random.chance(isLive ? 85 : 40)) return {};
  const clusterIP = random.pick(["10.0.0.1", "10.0.0.1", "10.0.0.2", "None", ""]);
  const clusterIPs =
    clusterIP === "" ? [] : clusterIP === "None" || random.chance(60) ? [clusterIP] : [clusterIP, "fd00::1"];
  return random.chance(isLive ? 90 : 40) ? { clusterIP, clusterIPs } : { clusterIP };
}

const KINDS = {
  Widget: (random) => ({
    apiVersion: "x.io/v1",
    spec: {
      ...map(random, 3),
      ...(random.chance(60) && { list: random.chance(60) ? named(random) : unnamed(random) }),
    },
  }),
  ConfigMap: (random) => ({ apiVersion: "v1", ...(random.chance(80) && { data: map(random, 1, ["k", "l"]) }) }),
  Deployment: (random) => ({
    apiVersion: "apps/v1",
    spec: random.chance(70) ? { replicas: random.between(0, 5) } : {},
  }),
  ServiceAccount: (random) => ({
    apiVersion: "v1",
    ...(random.chance(60) && {
      secrets: random.list(0, 3, () => (random.chance(95) ? { name: random.pick(["s", "t", "u"]) } : {})),
    }),
    ...(random.chance(40) && { imagePullSecrets: random.list(0, 2, () => ({ name: random.pick(["s", "t"]) })) }),
  }),
  PersistentVolumeClaim: (random) => ({
    apiVersion: "v1",
    spec: random.chance(60) ? { volumeName: random.pick(["pv-1", "pv-2", ""]) } : {},
  }),
  Service: (random, isLive) => ({
    apiVersion: "v1",
    spec: {
      ...addresses(random, isLive),
      ...(random.chance(30) && { healthCheckNodePort: random.pick([31000, 0]) }),
      ...(random.chance(80) && { ports: random.list(0, 3, () => port(random, isLive)) }),
    },
  }),
};

function objectOf(random, kind, isLive) {
  const metadata = { name: "x" };
  const texts = () =>
    Object.fromEntries(random.some(["a", "x.io/y", "team", "tier"]).map((key) => [key, random.pick(["1", "2", ""])]));
  if (random.chance(50)) metadata.annotations = texts();
  if (random.chance(50)) metadata.labels = texts();
  if (random.chance(30)) metadata.finalizers = random.list(0, 3, () => random.pick(["t/x", "t/y", "c/z"]));
  if (random.chance(isLive ? 90 : 10)) metadata.resourceVersion = isLive ? "9" : "1";
  if (random.chance(20))
    metadata.ownerReferences = random.chance(80)
      ? [{ apiVersion: "v1", kind: "X", name: "o", uid: isLive ? "u-1" : "u-2" }]
      : [];
  return {
    kind,
    metadata,
    ...KINDS[kind](random, isLive),
    ...(random.chance(isLive ? 50 : 10) && { status: { ready: isLive } }),
  };
}

export function generate(random) {
  const kind = random.pick(Object.keys(KINDS));
  const desired = objectOf(random, kind, false);
  const live = random.chance(5) ? null : random.chance(10) ? clone(desired) : objectOf(random, kind, true);
  const request = { op: "retain", desired, live };
  if (random.chance(60)) {
    request.rules = {
      fields: random.list(0, 3, () => (random.chance(2) ? random.pick(BAD) : random.pick(PATHS))),
      ...(random.chance(40) && {
        labels: random.list(0, 2, () => (random.chance(3) ? "-x" : random.pick(["team", "tier", "x.io/z"]))),
      }),
    };
  }
  if (random.chance(10)) request.builtin = random.chance(30);
  if (random.chance(25)) request.retainReplicas = random.chance(80);
  if (live && random.chance(2)) live.metadata.name = "other";
  return { request };
}
