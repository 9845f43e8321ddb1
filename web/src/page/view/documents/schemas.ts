// The schemas of kinds and settings, for completion. Loaded on first use.

export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  enum?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  $ref?: string;
}

interface Definition {
  spec: { group: string; names: { kind: string }; versions: { name: string; schema?: { openAPIV3Schema?: Schema } }[] };
}

interface Known {
  definitions: Definition[];
  contract: { $defs: Record<string, Schema> };
}

let known: Promise<Known> | undefined;

function load(): Promise<Known> {
  known ??= Promise.all([
    import("../../../../engine/crds.json"),
    import("../../../../../core/src/api/contract.schema.json"),
  ]).then(([definitions, contract]) => ({
    definitions: definitions.default as unknown as Definition[],
    contract: contract.default as unknown as Known["contract"],
  }));
  return known;
}

/** The metadata of every document. */
const METADATA: Schema = {
  description: "Who the document is",
  properties: {
    name: { type: "string", description: "Unique for the kind in its namespace" },
    namespace: { type: "string" },
    labels: { type: "object", description: "What selectors look at", additionalProperties: { type: "string" } },
    annotations: { type: "object", additionalProperties: { type: "string" } },
  },
};

const DOCUMENT: Schema = {
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: METADATA,
    spec: { type: "object" },
  },
};

/** The schemas at a path of a document, most specific first. */
export async function schemasAt(
  apiVersion: string | undefined,
  kind: string | undefined,
  path: string[],
  isSettings: boolean,
  item: string,
): Promise<Schema[]> {
  const { definitions, contract } = await load();
  const resolve = (it: Schema): Schema[] => {
    const pointed = it.$ref === undefined ? it : contract.$defs[it.$ref.replace("#/$defs/", "")];
    return pointed
      ? [pointed, ...(pointed.oneOf ?? []).flatMap(resolve), ...(pointed.anyOf ?? []).flatMap(resolve)]
      : [];
  };
  const settings: Schema = {
    properties: {
      apiVersion: { type: "string" },
      kind: { enum: ["Settings"] },
      metadata: METADATA,
      spec: { $ref: "#/$defs/Configure" },
    },
  };
  let at = isSettings ? [settings] : [schemaOf(definitions, apiVersion, kind), DOCUMENT].flatMap((it) => it ?? []);
  for (const step of path) {
    at = at.flatMap(resolve).flatMap((it) => {
      const below = step === item ? it.items : (it.properties?.[step] ?? it.additionalProperties);
      return typeof below === "object" ? [below] : [];
    });
  }
  return at.flatMap(resolve);
}

function schemaOf(
  definitions: Definition[],
  apiVersion: string | undefined,
  kind: string | undefined,
): Schema | undefined {
  const of = definitions.filter((it) => it.spec.names.kind === kind);
  const group = apiVersion?.split("/")[0];
  const definition = of.find((it) => it.spec.group === group) ?? of[0];
  const version = apiVersion?.split("/")[1];
  return (definition?.spec.versions.find((it) => it.name === version) ?? definition?.spec.versions[0])?.schema
    ?.openAPIV3Schema;
}
