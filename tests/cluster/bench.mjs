// The runner against real API servers: how fast it writes beside `kubectl apply --server-side`, how long a changed
// label takes until everything is settled, and how much memory a thousand clusters take. Run by `npm run bench runner`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { eventually } from "./eventually.mjs";
import { registerKubeFedCluster } from "./members.mjs";
import { fleetfold } from "./runner.mjs";
import { startPlane } from "./stories.mjs";

const OBJECTS = 300;
const CLUSTERS = 1000;
const ARGS = ["--max-deletes", "100000", "--max-delete-percent", "100"];

/** What was measured. */
export async function measure() {
  const plane = await startPlane({ members: ["berlin"] });
  try {
    return { throughput: await throughput(plane), label: await label(plane), memory: await memory(plane) };
  } finally {
    await plane.stop();
  }
}

/** Objects a second: the same ConfigMaps into one member, by the runner and by kubectl. */
async function throughput(plane) {
  const { berlin } = plane.members;
  const data = { text: "x".repeat(1000) };
  const names = [...Array(OBJECTS).keys()].map((it) => `settings-${it}`);
  await plane.hub.ensureNamespace("load");
  await berlin.ensureNamespace("load");
  await berlin.ensureNamespace("kubectl");
  await registerKubeFedCluster(plane.hub, berlin);
  const federated = (kind, name, spec) => ({
    apiVersion: "types.kubefed.io/v1beta1",
    kind,
    metadata: { name, namespace: "load" },
    spec,
  });
  const placement = { clusters: [{ name: "berlin" }] };
  await plane.hub.apply([
    federated("FederatedNamespace", "load", { placement }),
    ...names.map((name) => federated("FederatedConfigMap", name, { template: { data }, placement })),
  ]);

  const begun = performance.now();
  const runner = await plane.run({ args: ["--dialect", "kubefed", ...ARGS], readyTimeout: 120_000 });
  await eventually(
    async () =>
      (await berlin.list("ConfigMap/load")).filter((it) => it.metadata.name.startsWith("settings-")).length === OBJECTS,
    { timeout: 120_000, interval: 20, what: "all of them being there" },
  );
  const whole = OBJECTS / ((performance.now() - begun) / 1000);
  // Without its start, and what it reads first: from the plan to the last of its actions.
  const at = (find) =>
    new Date(find((it) => it.message.startsWith("plan:") || it.message.startsWith("done:")).timestamp).getTime();
  const done = runner.logs.filter((it) => it.message.startsWith("done:"));
  const planned = at((is) => runner.logs.find((it) => is(it) && it.actions > 0));
  const ours = done.length / ((new Date(done.at(-1).timestamp) - planned) / 1000);
  await runner.stop();

  const all = {
    apiVersion: "v1",
    kind: "List",
    items: names.map((name) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "kubectl" },
      data,
    })),
  };
  const since = performance.now();
  await berlin.kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(all), user: "runner" });
  const kubectl = OBJECTS / ((performance.now() - since) / 1000);
  await plane.clear();
  return { ours, whole, kubectl };
}

/** Milliseconds from the change of a label to the last write that follows from it. */
async function label(plane) {
  const api = "greenhouse.sap/v1alpha1";
  const metadata = (name, labels) => ({ name, namespace: "acme", labels });
  await plane.hub.apply([
    {
      apiVersion: api,
      kind: "PluginDefinition",
      metadata: metadata("metrics"),
      spec: { version: "1.0.0", options: [{ name: "replicas", type: "int", default: 2 }] },
    },
    {
      apiVersion: api,
      kind: "PluginPreset",
      metadata: metadata("metrics"),
      spec: {
        clusterSelector: { matchLabels: { env: "prod" } },
        plugin: { pluginDefinition: "metrics", optionValues: [] },
      },
    },
    ...["a", "b"].map((name) => ({
      apiVersion: api,
      kind: "Cluster",
      metadata: metadata(name, { env: name === "a" ? "prod" : "dev" }),
      spec: { accessMode: "direct" },
    })),
  ]);
  const runner = await plane.run({ args: ["--dialect", "greenhouse", ...ARGS] });
  await runner.reconcile();
  const times = [];
  for (let round = 0; round < 10; round += 1) {
    const env = round % 2 ? "dev" : "prod";
    const begun = performance.now();
    await plane.hub.patch("Cluster.greenhouse.sap/acme/b", { metadata: { labels: { env } } });
    await eventually(async () => Boolean(await plane.hub.find("Plugin/acme/metrics-b")) === (env === "prod"), {
      interval: 5,
      what: "the plugin following the label",
    });
    await eventually(async () => (await plane.hub.get("FleetPlan/fleetfold")).status.plan.actions === 0, {
      interval: 5,
      what: "everything being settled",
    });
    times.push(performance.now() - begun);
  }
  await runner.stop();
  await plane.clear();
  times.sort((a, b) => a - b);
  return { median: times[times.length / 2], worst: times.at(-1) };
}

/** Resident bytes of a runner that has read a fleet of a thousand clusters and is settled. */
async function memory(plane) {
  const written = spawnSync(fleetfold, ["example", "--clusters", String(CLUSTERS)], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  await plane.hub.apply(written.stdout);
  const runner = await plane.run({ args: ARGS, readyTimeout: 300_000 });
  const isSettled = async () => {
    await runner.request("POST", "/reconcile", { timeout: 300_000 });
    return (await plane.hub.get("FleetPlan/fleetfold")).status.plan.actions === 0;
  };
  await eventually(isSettled, { timeout: 300_000, interval: 1000, what: "the fleet being settled" });
  const plugins = (await plane.hub.list("Plugin/acme")).length;
  const status = readFileSync(`/proc/${runner.pid}/status`, "utf8");
  await runner.kill();
  return { resident: Number(status.match(/^VmRSS:\s+(\d+) kB$/m)[1]) * 1024, plugins };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { throughput, label, memory } = await measure();
  console.log(
    `runner, ${OBJECTS} creates in a member   ${throughput.ours.toFixed(0)}/s, ` +
      `${throughput.whole.toFixed(0)}/s with its start; kubectl apply --server-side ` +
      `${throughput.kubectl.toFixed(0)}/s: ${(throughput.ours / throughput.kubectl).toFixed(1)}×`,
  );
  console.log(
    `a label until everything is settled    median ${label.median.toFixed(0)} ms, worst ${label.worst.toFixed(0)} ms`,
  );
  console.log(
    `resident memory, ${CLUSTERS} clusters          ${(memory.resident / (1 << 20)).toFixed(0)} MiB, with ` +
      `${memory.plugins} plugins that it made`,
  );
}
