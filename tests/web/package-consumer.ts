// A program that uses the package, the same in every runtime. It is compiled with `--strict`, run, and its result
// compared.
import { type Answer, type CallOptions, FleetfoldError, init, offsetOf, parse, select, Workspace } from "fleetfold";

const FLEET = `
apiVersion: greenhouse.sap/v1alpha1
kind: Cluster
metadata: {name: eu-1, namespace: acme, labels: {tier: gold}}
---
apiVersion: greenhouse.sap/v1alpha1
kind: PluginPreset
metadata: {name: metrics, namespace: acme}
spec:
  clusterSelector: {matchLabels: {tier: gold}}
  plugin:
    pluginDefinitionRef: {kind: PluginDefinition, name: metrics}
    optionValues: [{name: replicas, value: 3}, {name: large, value: 9007199254740993}]
  clusterOptionOverrides: [{clusterName: eu-1, overrides: [{name: replicas, value: 5}]}]
`;

export async function consume(): Promise<string[]> {
  await init();
  const said: string[] = [];

  const fleet: Workspace & { [Symbol.dispose](): void } = new Workspace();
  const loaded: Answer<"load"> = fleet.load({ file: "fleet.yaml", text: FLEET });
  said.push(`${loaded.diagnostics.length} diagnostics`);
  const why = fleet.explain({ subject: "PluginPreset/acme/metrics", cluster: "eu-1", path: "replicas" });
  for (const it of why.chain ?? []) said.push(`${it.state} ${it.layer} ${it.value} ${it.file}:${it.line}`);
  const exact: CallOptions = { bigint: true };
  const large = fleet.explain({ subject: "PluginPreset/acme/metrics", cluster: "eu-1", path: "large" }, exact).value;
  said.push(typeof large === "bigint" ? `${large + 1n}` : `not a BigInt: ${large}`);
  const raw = fleet.call({ op: "subjects" });
  said.push("ok" in raw ? raw.ok.subjects.map((it) => it.subject).join() : raw.error.code);
  fleet.free();

  const documents: unknown[] = parse({ text: "mode: 0644\nday: no" }).documents;
  said.push(JSON.stringify(documents));
  said.push(
    select({
      selector: "tier in (gold)",
      clusters: [{ name: "eu-1", labels: { tier: "gold" } }, { name: "lab" }],
    }).clusters.join(),
  );
  try {
    // @ts-expect-error A field that the contract does not have.
    parse({ texts: "" });
  } catch (error) {
    said.push(error instanceof FleetfoldError ? `${error.code} ${error.at}` : String(error));
  }
  // @ts-expect-error An op that there is not.
  said.push("error" in new Workspace().call({ op: "nothing" }) ? "refused" : "answered");
  const text = "é😀: 😀 x: [";
  try {
    parse({ text });
  } catch (error) {
    if (error instanceof FleetfoldError && error.at !== undefined)
      said.push(`${error.code} ${error.at} ${offsetOf(text, error.at)}`);
  }
  return said;
}
