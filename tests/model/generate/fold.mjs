// Layers over few paths, so that they meet: parents over children, references over values, deep merges over all.
import { labels, selector } from "./select.mjs";
import { map, value } from "./values.mjs";

const PATHS = [
  "a",
  "b",
  "a.b",
  "a.c",
  "a.b.c",
  "b.a",
  "l",
  "l[0]",
  "l[1]",
  "l[1].a",
  "l[0].b",
  "x\\.y",
  "x\\.y.a",
  "c",
];
const BAD_PATHS = ["", ".", "a.", ".a", "a..b", "[0]", "a[0", "a[x]", "a[0]b", "a[65537]", "a]"];

function setting(random, isPlain) {
  const path = random.chance(1)
    ? random.pick(BAD_PATHS)
    : random.pick(isPlain ? PATHS.filter((it) => !/[.[]/.test(it)) : PATHS);
  const entry = { path };
  const isReference = random.chance(8);
  if (isReference) entry.valueFrom = { secret: { name: "s", key: random.pick(["k", "l"]) } };
  else entry.value = random.chance(35) ? map(random, 3) : value(random, 2);
  if (random.chance(25)) entry.merge = random.chance(90) ? "deep" : "replace";
  if (random.chance(1)) entry.valueFrom = { secret: { name: "t", key: "k" } };
  if (random.chance(1)) delete entry.value;
  if (random.chance(2)) entry.valueFrom ??= null;
  return entry;
}

export function generate(random) {
  const isPlain = random.chance(40);
  const layers = random.list(0, 4, (index) => {
    const layer = {
      name: random.chance(3) ? "l0" : `l${index}`,
      set: random.list(0, 4, () => setting(random, isPlain)),
    };
    if (random.chance(30))
      layer.when = random.chance(70)
        ? random.pick([{}, { matchLabels: { env: "prod" } }, "env", "!env", { clusterNames: ["a"] }])
        : selector(random);
    return layer;
  });
  const request = { op: "fold", layers };
  if (!random.chance(3)) request.cluster = { name: random.pick(["a", "b"]), labels: labels(random) };
  return { request };
}
