// Random choices that a seed repeats.

/** A generator of 32-bit numbers (mulberry32), with choices on top of it. */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (count) => next() % count;
  const chance = (percent) => below(100) < percent;
  const pick = (list) => list[below(list.length)];
  return {
    below,
    chance,
    pick,
    between: (least, most) => least + below(most - least + 1),
    /** So many of a list, without repetition, in its order. */
    some: (list, percent = 50) => list.filter(() => chance(percent)),
    /** A list of `least` to `most` things. */
    list: (least, most, make) => Array.from({ length: least + below(most - least + 1) }, (_, index) => make(index)),
    /** Calls one of a list of functions; `[weight, function]` pairs. */
    oneOf(...ways) {
      let left = below(ways.reduce((sum, [weight]) => sum + weight, 0));
      for (const [weight, make] of ways) {
        if (left < weight) return make();
        left -= weight;
      }
      throw new Error("unreachable");
    },
    shuffle(list) {
      const rest = [...list];
      return list.map(() => rest.splice(below(rest.length), 1)[0]);
    },
  };
}

/** A seed for case `number` of a run: cases do not depend on each other, so each can be run alone. */
export const seedOf = (seed, verb, number) =>
  [...`${seed}/${verb}/${number}`].reduce(
    (hash, char) => Math.imul(hash ^ char.charCodeAt(0), 16777619),
    2166136261,
  ) >>> 0;
