// Values for a field: another one that it takes, and ones that are wrong.
import { clone, isMap, write } from "./engine.mjs";

/** Nobody writes this by accident: where it is in a result, the field's text was taken there as it is. */
export const MARK = "zz-drilled";
export const MARK_NUMBER = 987654321;

export function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isMap(value)) return "object";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  return typeof value;
}

const isType = (type, value) => type === undefined || typeOf(value) === (type === "integer" ? "number" : type);

/** Other values of a field, best first: those that documents have, then one that is made from the value. */
export function othersOf({ type, words, values }, value) {
  const other = (it) => write(it) !== write(value) && typeOf(it) === typeOf(value) && isType(type, it);
  const known = [...(words ?? []), ...values].filter(other);
  const made = MADE[typeOf(value)]?.(value);
  return made === undefined || words ? known : [...known, made];
}

/** Another version, number or time: the last digit is the next one. */
const nextOf = (text) => text.replace(/\d(?=\D*$)/, (digit) => (Number(digit) + 1) % 10);

const MADE = {
  string: (it) => (/^v?\d/.test(it) ? nextOf(it) : `${it}-${MARK}`.slice(0, 60)),
  boolean: (it) => !it,
  number: (it) => it + 1,
  array: (it) => (it.length > 0 ? it.slice(1) : undefined),
  object: (it) => (Object.keys(it).length > 0 ? Object.fromEntries(Object.entries(it).slice(1)) : undefined),
};

const EMPTY = { array: [], object: {}, string: "" };

const OF_TYPE = { array: [MARK], number: MARK_NUMBER, object: { [MARK]: MARK }, string: MARK };

/**
 * Wrong values for a field that holds `value`: `[{ name, value, isTyped }]`.
 *
 * `isTyped` says that a table or schema gives the type, so that no other type can be what somebody meant.
 */
export function wrongValuesOf({ type, words }, value) {
  const right = type ?? typeOf(value);
  const others = Object.keys(OF_TYPE).filter((it) => it !== (right === "integer" ? "number" : right));
  const empty = EMPTY[right] ?? "";
  return [
    { name: "null", value: null },
    ...(write(empty) === write(value) ? [] : [{ name: "empty", value: clone(empty) }]),
    ...(right === "string" ? [{ name: "unknown word", value: MARK, isTyped: words !== undefined }] : []),
    ...others.map((it) => ({ name: `${it} for ${right}`, value: clone(OF_TYPE[it]), isTyped: type !== undefined })),
  ];
}
