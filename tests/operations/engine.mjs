// The raw module in Node, and the form that each of its answers must have.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workspace } from "../hosts/anywhere/javascript/host.mjs";
import { clone, has, isMap, read, write } from "../model/json.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

const contract = JSON.parse(readFileSync(join(root, "core", "src", "api", "contract.schema.json"), "utf8"));
const module = new WebAssembly.Module(readFileSync(join(target, "fleetfold.wasm")));

/** A property that does not hold. */
export class Broken extends Error {
  constructor(property, message) {
    super(message);
    this.property = property;
  }
}

/**
 * One workspace. `ask` takes a request and returns `{ ok, diagnostics, text }` or `{ error, text }`.
 *
 * Every answer is held against the contract: canonical JSON, and of the form that its schema gives the op. A trap, or
 * an answer of another form, breaks the property `answers`.
 */
export function startEngine() {
  const call = workspace(module);
  let isBroken = false;
  return {
    get isBroken() {
      return isBroken;
    },
    ask(request) {
      let text;
      try {
        text = call(write(request));
      } catch (error) {
        isBroken = true;
        throw new Broken("answers", `the module traps at \`${request.op}\`: ${error.message}`);
      }
      const answer = read(text);
      const mismatch = mismatchOf(request.op, answer, text);
      if (mismatch) throw new Broken("answers", `the answer to \`${request.op}\` ${mismatch}: ${text.slice(0, 500)}`);
      return { ...answer, text };
    },
    /** The answer to a request that must not be refused. */
    call(request) {
      const answer = this.ask(request);
      if (answer.error) throw new Error(`\`${request.op}\` is refused: ${JSON.stringify(answer.error)}`);
      return answer;
    },
  };
}

function mismatchOf(op, answer, text) {
  if (write(answer) !== text) return "is not canonical JSON";
  if (has(answer, "error")) return mismatchIn(answer.error, { $ref: "#/$defs/Refusal" }, "/error");
  for (const [index, finding] of (answer.diagnostics ?? []).entries()) {
    const mismatch = mismatchIn(finding, { $ref: "#/$defs/Finding" }, `/diagnostics/${index}`);
    if (mismatch) return mismatch;
  }
  return mismatchIn(answer.ok, { $ref: `#/$defs/${contract["x-ops"][op].answer}` }, "/ok");
}

const TYPES = {
  array: Array.isArray,
  boolean: (it) => typeof it === "boolean",
  integer: (it) => Number.isInteger(it) || typeof it === "bigint",
  null: (it) => it === null,
  number: (it) => typeof it === "number" || typeof it === "bigint",
  object: isMap,
  string: (it) => typeof it === "string",
};

/** Where a value has not the form of a schema, in the keywords that the contract uses; undefined where it has. */
export function mismatchIn(value, schema, at) {
  if (schema === true) return undefined;
  if (schema.$ref) return mismatchIn(value, contract.$defs[schema.$ref.slice("#/$defs/".length)], at);
  for (const several of ["anyOf", "oneOf"]) {
    if (schema[several] && !schema[several].some((it) => !mismatchIn(value, it, at))) return `fits no form at ${at}`;
  }
  if (schema.type && ![schema.type].flat().some((it) => TYPES[it](value)))
    return `is not of type ${schema.type} at ${at}`;
  if (schema.enum && !schema.enum.includes(value)) return `has an unknown word at ${at}`;
  if (has(schema, "const") && schema.const !== value) return `is not ${schema.const} at ${at}`;
  if (Array.isArray(value) && schema.items) {
    for (const [index, item] of value.entries()) {
      const mismatch = mismatchIn(item, schema.items, `${at}/${index}`);
      if (mismatch) return mismatch;
    }
  }
  if (!isMap(value)) return undefined;
  const missing = (schema.required ?? []).find((key) => !has(value, key));
  if (missing) return `lacks \`${missing}\` at ${at}`;
  for (const [key, item] of Object.entries(value)) {
    const known = has(schema.properties, key) ? schema.properties[key] : (schema.additionalProperties ?? true);
    if (known === false) return `has an unknown field \`${key}\` at ${at}`;
    const mismatch = mismatchIn(item, known, `${at}/${key}`);
    if (mismatch) return mismatch;
  }
  return undefined;
}

export { clone, has, isMap, write };
