// Small JSON values, with the numbers and texts at which implementations differ.

const TEXTS = ["", "a", "b", "x y", "1", "true", "ü", "~", "/"];
const NUMBERS = [0, 1, 2, 3, -1, 10, 0.5, 65536, 9007199254740991];
const BIG = [9007199254740993n, 9223372036854775807n, -9223372036854775808n];

export function scalar(random) {
  return random.oneOf(
    [4, () => random.pick(TEXTS)],
    [4, () => random.pick(NUMBERS)],
    [2, () => random.chance(50)],
    [1, () => null],
    [random.chance(5) ? 4 : 0, () => random.pick(BIG)],
  );
}

export function value(random, depth = 2, keys = ["a", "b", "c"]) {
  if (depth === 0 || random.chance(45)) return scalar(random);
  if (random.chance(65)) return map(random, depth, keys);
  return random.list(0, 3, () => value(random, depth - 1, keys));
}

export function map(random, depth = 2, keys = ["a", "b", "c"]) {
  return Object.fromEntries(random.some(keys, 55).map((key) => [key, value(random, depth - 1, keys)]));
}
