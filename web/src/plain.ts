// Requests as plain data: what JSON can say, and BigInts.
import type { Refusal } from "../contract.js";
import { FleetfoldError, notJson } from "./api-call.js";

/** How deep lists and objects may nest: the engine's limit, which also ends the walk through a cycle. */
const MAX_DEPTH = 100;

/** A request as plain data. The engine takes BigInts in an object only, everything else faster as text. */
export interface PlainRequest {
  data: unknown;
  hasBigInt: boolean;
}

/**
 * Copies a request as plain data; input that is not JSON becomes an `error` answer with its place.
 *
 * 1. `toJSON` and boxed values are read as `JSON.stringify` reads them: a `Date` is a string.
 * 2. A property that is `undefined` is left out. An `undefined` elsewhere, a function and a symbol are refused.
 * 3. Only own enumerable keys count; `__proto__` is a key like any other.
 * 4. A Map, a Set and other iterable objects are refused: `JSON.stringify` would lose what they hold.
 * 5. An integer beyond 2^53 becomes the BigInt of the digits that JavaScript prints. BigInts must fit in 64 bits.
 *
 * Every `call` starts here, so a request has one meaning, whether it goes to the engine as text or as an object.
 */
export function plainRequest(request: unknown): PlainRequest | { error: Refusal } {
  const copier = new Copier();
  try {
    const data = copier.copy(unwrap("", request));
    return { data, hasBigInt: copier.hasBigInt };
  } catch (cause) {
    // The code of the caller may throw anything: in getters, proxies and `toJSON`.
    const { code, message, at, hint } = cause instanceof FleetfoldError ? cause : notJson(cause);
    return { error: { code, message, ...(at === undefined ? {} : { at }), ...(hint === undefined ? {} : { hint }) } };
  }
}

class Copier {
  hasBigInt = false;
  readonly #path: (string | number)[] = [];

  copy(it: unknown): unknown {
    switch (typeof it) {
      case "string":
        return this.#text(it);
      case "bigint":
        return this.#integer(it);
      case "number":
        if (!Number.isFinite(it)) this.#refuse("bad-json", `the request is not JSON: it has the number ${it}`);
        // From 1e21 on, JavaScript prints an exponent: such a number is a double in JSON text too.
        if (Number.isInteger(it) && !Number.isSafeInteger(it) && Math.abs(it) < 1e21)
          return this.#integer(BigInt(String(it)));
        return it;
      case "boolean":
        return it;
      case "object":
        return it === null ? null : this.#nested(it);
      default:
        return this.#refuse("bad-json", `the request is not JSON: a value is of the type ${typeof it}`);
    }
  }

  #integer(it: bigint): bigint {
    if (BigInt.asIntN(64, it) !== it) this.#refuse("integer-out-of-range", "the integer does not fit in 64 bits");
    this.hasBigInt = true;
    return it;
  }

  #text(it: string): string {
    // Half a surrogate pair has no UTF-8: on its way into the engine's memory it would become another character.
    if (!isWellFormed(it)) this.#refuse("lone-surrogate", "half of a surrogate pair is no character");
    return it;
  }

  #nested(it: object): unknown {
    if (this.#path.length >= MAX_DEPTH) this.#refuse("too-deep", `nested deeper than ${MAX_DEPTH} levels`);
    if (Array.isArray(it)) return this.#list(it);
    if (Symbol.iterator in it) {
      const type = Object.prototype.toString.call(it).slice("[object ".length, -1);
      this.#refuse("bad-json", `the request is not JSON: a value is of the type ${type}`, "use an object or an array");
    }
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(it)) {
      const value = unwrap(key, (it as Record<string, unknown>)[key]);
      if (value === undefined) continue;
      const copied = this.#below(this.#text(key), value);
      // Assigning it would replace the prototype.
      if (key === "__proto__") Object.defineProperty(copy, key, { value: copied, enumerable: true });
      else copy[key] = copied;
    }
    return copy;
  }

  #list(items: unknown[]): unknown[] {
    const copy: unknown[] = [];
    for (let at = 0; at < items.length; at++) copy.push(this.#below(at, unwrap(at, items[at])));
    return copy;
  }

  #below(key: string | number, it: unknown): unknown {
    this.#path.push(key);
    const copied = this.copy(it);
    this.#path.pop();
    return copied;
  }

  #refuse(code: string, message: string, hint?: string): never {
    const at = this.#path.map((it) => `/${String(it).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    throw new FleetfoldError({ code, message, ...(at ? { at } : {}), ...(hint ? { hint } : {}) });
  }
}

/** The value that `JSON.stringify` would write. A `toJSON` of BigInts, which some programs define, is ignored. */
function unwrap(key: string | number, it: unknown): unknown {
  if (typeof it !== "object" || it === null) return it;
  const { toJSON } = it as { toJSON?: unknown };
  const value: unknown = typeof toJSON === "function" && !(it instanceof BigInt) ? toJSON.call(it, String(key)) : it;
  return value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt
    ? value.valueOf()
    : value;
}

/** `isWellFormed` is newer than the browsers that the package supports. */
function isWellFormed(text: string & { isWellFormed?: () => boolean }): boolean {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text);
}
