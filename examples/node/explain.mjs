// Loads a folder of manifests, explains one value, and plans: node examples/node/explain.mjs
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "fleetfold";

const folder = process.argv[2] ?? "examples/greenhouse";
const workspace = new Workspace();
for (const name of readdirSync(folder).filter((it) => it.endsWith(".yaml"))) {
  const file = join(folder, name);
  workspace.load({ file, text: readFileSync(file, "utf8") });
}

const { chain } = workspace.explain({ subject: "PluginPreset/acme/metrics", cluster: "eu-1", path: "replicas" });
for (const { state, layer, value, file } of chain) {
  console.log(`${state.padEnd(9)} ${layer.padEnd(24)} ${value}  ${file}`);
}

const plan = workspace.plan({ now: "2026-01-01T00:00:00Z" });
console.log(`${plan.actions.length} actions, ${plan.needs.length} objects to read first`);
