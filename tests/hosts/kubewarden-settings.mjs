// Settings that are put to the policy, and what it says of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root, yaml } from "./kubewarden-hosts.mjs";

const folder = join(root, "wasm", "policies", "kubewarden");
export const read = (name) => readFileSync(join(folder, name), "utf8");
export const schema = JSON.parse(read("settings.schema.json"));
export const questions = () => yaml(read("questions-ui.yml"))[0].questions;

/** The policies that the README shows. */
export const shown = () => [...read("README.md").matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text]) => yaml(text));

const SET = {
  apiVersion: "cluster.open-cluster-management.io/v1beta2",
  kind: "ManagedClusterSet",
  metadata: { name: "dev" },
  spec: {},
};

/** Settings as JSON text or as a value, and what the message must have; nothing where they are good. */
const TABLE = [
  ["null", []],
  [{}, []],
  [{ stage: null, documents: null }, []],
  [{ dialects: ["ocm"], stage: "transitional", mode: "compat", precedence: "cluster-over-definition" }, []],
  [{ expressions: false, podRefresher: true, paused: false, leaving: "delete" }, []],
  [{ documents: [SET] }, []],
  [{ documents: "" }, []],
  [
    {
      documents:
        `apiVersion: ${SET.apiVersion}\nkind: ManagedClusterSet\nmetadata:\n  name: dev\n---\n` +
        "kind: Namespace\napiVersion: v1\nmetadata: {name: a}\n",
    },
    [],
  ],
  [{ context: true, defaults: false }, []],
  [{ context: [] }, []],
  [{ context: ["ManagedCluster", "Cluster.greenhouse.sap"] }, []],
  [{ permissions: "roles" }, []],
  [{ limits: { deletes: 0, deletePercent: 100, changes: 5 } }, []],
  ["", [/the settings cannot be read/]],
  ["{", [/the settings cannot be read/]],
  ["[]", [/must be a map, not a list/]],
  ['"full"', [/must be a map, not a string/]],
  ['{"stage":"full","stage":"full"}', [/the settings cannot be read/, /stage/]],
  [{ stge: "full" }, [/^there is no setting `stge` \(at \/stge\); did you mean `stage`\?$/]],
  [{ docments: [] }, [/did you mean `documents`\?/]],
  [{ contxt: true }, [/did you mean `context`\?/]],
  [{ banana: 1 }, [/there is no setting `banana`/, /the settings are: context, defaults, dialects, documents/]],
  [{ stage: "ful" }, [/`ful` is not known here \(at \/stage\); did you mean `full`\?/]],
  [{ stage: 3 }, [/\/stage/]],
  [{ dialects: "ocm" }, [/`dialects` must be a list, not a string \(at \/dialects\)/]],
  [{ dialects: ["ocm", "ocn"] }, [/there is no dialect `ocn` \(at \/dialects\/1\); did you mean `ocm`\?/]],
  [{ paused: "yes" }, [/\/paused/]],
  [{ documents: 5 }, [/`documents` must be a list of objects or a text in YAML, not an integer \(at \/documents\)/]],
  [{ documents: {} }, [/`documents` must be a list of objects or a text in YAML, not a map/]],
  [{ documents: [SET, {}] }, [/the document has no `kind` \(at \/documents\/1\)/]],
  [{ documents: [{ ...SET, metadata: { name: 3 } }] }, [/\(at \/documents\/0\/metadata\/name\)/]],
  [{ documents: "kind: [\n" }, [/\(at documents:\d+:\d+\)/]],
  [
    { documents: "a: 1\n---\nkind: X\napiVersion: v1\nmetadata: {name: 3}\n" },
    [/at documents:1:1/, /at documents:5:18/],
  ],
  [{ defaults: "yes" }, [/`defaults` must be true or false, not a string \(at \/defaults\)/]],
  [{ context: "all" }, [/`context` must be true, false or a list of kinds, not a string \(at \/context\)/]],
  [
    { context: ["ManagedClusterSett", 7] },
    [
      /unknown kind `ManagedClusterSett` \(at \/context\/0\); did you mean `ManagedClusterSet`\?/,
      /a kind must be a string, not an integer \(at \/context\/1\)/,
    ],
  ],
  [{ context: ["Cluster.example.org"] }, [/\/context\/0/]],
  [{ dialects: ["ocm"], context: ["PluginPreset"] }, [/\/context\/0/]],
  [{ permissions: "role" }, [/\/permissions/, /did you mean `roles`\?/]],
  [{ permissions: true }, [/\/permissions/]],
  [{ limits: { deletes: -1 } }, [/\/limits\/deletes/]],
  [{ limits: { delets: 1 } }, [/\/limits\/delets/, /did you mean `deletes`\?/]],
  [{ limits: 5 }, [/\/limits/]],
  [
    { stge: 1, mode: "x", documents: [{}], limits: { deletes: "1" }, context: 1, defaults: 1 },
    [/stge/, /\/mode/, /\/documents\/0/, /\/limits\/deletes/, /\/context/, /\/defaults/],
  ],
  [{ documents: Array.from({ length: 30 }, () => ({})) }, [/\/documents\/19/, /and 10 more$/]],
];

/** Samples of what the schema allows under a property, and of what it does not. */
function samples(property) {
  const shapes = property.anyOf ?? [property];
  const allowed = shapes.flatMap((shape) => {
    if (shape.enum) return shape.enum;
    if (shape.type === "array") return [[], ...(shape.items.enum ? [shape.items.enum] : [])];
    return { boolean: [true, false], integer: [0, 7], string: [""], object: [{}] }[shape.type];
  });
  const types = new Set(allowed.map((it) => (Array.isArray(it) ? "list" : typeof it)));
  const others = { boolean: true, number: 1.5, string: "no such value", list: [[]], object: { nothing: 1 } };
  const refused = Object.entries(others).filter(
    ([type]) => !types.has(type) || (type === "string" && shapes.some((it) => it.enum)),
  );
  return { allowed, refused: refused.map(([, value]) => value) };
}

function fromSchema() {
  const nested = (name, property) =>
    Object.entries(property.properties ?? {}).map(([inner, it]) => [
      `${name}/${inner}`,
      it,
      (value) => ({ [name]: { [inner]: value } }),
    ]);
  const all = Object.entries(schema.properties).flatMap(([name, it]) => [
    [name, it, (value) => ({ [name]: value })],
    ...nested(name, it),
  ]);
  return all.flatMap(([name, property, put]) => {
    const { allowed, refused } = samples(property);
    const wrong = new RegExp(`/${name}`);
    return [...allowed.map((value) => [put(value), []]), ...refused.map((value) => [put(value), [wrong]])];
  });
}

const asked = ([settings, wanted]) => ({
  op: "validate_settings",
  payload: typeof settings === "string" ? settings : JSON.stringify(settings),
  wanted,
});

export const settingsCases = () => ({
  "settings are told all that is wrong with them": TABLE.map(asked),
  "settings are what their schema says": fromSchema().map(asked),
  "settings that the README shows are good": shown().map((it) => asked([it.spec.settings, []])),
  "settings that the questions begin with are good": questions()
    .filter((it) => it.default !== undefined)
    .map((it) => asked([{ [it.variable]: it.default }, []])),
});
