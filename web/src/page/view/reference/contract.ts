// The contract from its schema: every op with its request and answer, every record with its fields.
import examples from "../../../../examples.json";
import schema from "../../../../../core/src/api/contract.schema.json";
import type { LoadRequest, Op } from "../../../../contract.js";

export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
}

export interface OpPage {
  op: Op;
  about: string;
  request: string;
  answer: string;
  example: { op: string } & Record<string, unknown>;
  /** Whether it works on loaded documents. */
  needsDocuments: boolean;
}

export const RECORDS = schema.$defs as unknown as Record<string, Schema>;

/** Answers that are not named after their op. */
const ANSWERS: Record<string, string> = { describe: "Description", configure: "SettingsAnswer" };
/** Ops that need no loaded documents. */
const STATELESS_OPS = new Set([
  "describe",
  "parse",
  "select",
  "fold",
  "retain",
  "patch",
  "match",
  "adopt",
  "release",
  "authorize",
  "refresh",
  "mold",
  "kinds",
]);

export const OPS: OpPage[] = (schema.oneOf as Schema[]).map((it) => {
  const request = nameOf(it.$ref!);
  const op = RECORDS[request]!.properties!.op!.const as Op;
  return {
    op,
    about: RECORDS[request]!.description ?? "",
    request,
    answer: ANSWERS[op] ?? `${op[0]!.toUpperCase()}${op.slice(1)}Answer`,
    example: (examples as unknown as Record<string, OpPage["example"]>)[op] ?? { op },
    needsDocuments: !STATELESS_OPS.has(op),
  };
});

/** The request that loads documents before the others. */
export const LOAD = (examples as unknown as { load: LoadRequest }).load;

/** A part of a type's description: text or a link to a record. */
export type Part = string | { record: string };

export function typeOf(it: Schema): Part[] {
  if (it.$ref) return [{ record: nameOf(it.$ref) }];
  if (it.const !== undefined) return [JSON.stringify(it.const)];
  if (it.enum) return [it.enum.map((one) => JSON.stringify(one)).join(" or ")];
  if (it.anyOf) return it.anyOf.flatMap((one, at): Part[] => [...(at ? [" or "] : []), ...typeOf(one)]);
  if (it.type === "array") return ["list of ", ...typeOf(it.items ?? {})];
  if (it.type === "object")
    return typeof it.additionalProperties === "object" ? ["map to ", ...typeOf(it.additionalProperties)] : ["object"];
  if (Array.isArray(it.type)) return [it.type.join(" or ")];
  return [it.type ?? "anything"];
}

/** The records that a record refers to, transitively, each once. */
export function recordsBelow(name: string, seen = new Set<string>()): string[] {
  for (const field of Object.values(RECORDS[name]?.properties ?? {})) {
    for (const part of typeOf(field)) {
      if (typeof part === "string" || seen.has(part.record)) continue;
      seen.add(part.record);
      recordsBelow(part.record, seen);
    }
  }
  return [...seen];
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
