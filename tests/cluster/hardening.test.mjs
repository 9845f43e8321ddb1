// What an attack on the runner and the webhook found, drilled on real servers: documents on which the engine exceeds a
// limit, statuses that do not stick, and budgets of deletes that a restart must not refill.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./child.mjs";
import { eventually } from "./control-plane.mjs";
import { condition, startPlane, Story } from "./stories.mjs";

const OWN = "FleetPlan/fleetfold";
const CANARY = "canary-2b84e6d9";
const GREENHOUSE = "greenhouse.sap/v1alpha1";

/** Every cluster gets a copy of the heavy option, and all of them are more than the engine may have. */
const CLUSTERS = 90;
const OPTION = 1 << 20;
const MEMORY = ["--memory", "64MiB", "--timeout", "60s"];
const LIMITS = ["--max-deletes", "1000", "--max-delete-percent", "100"];

const cluster = (index) => ({
  apiVersion: GREENHOUSE,
  kind: "Cluster",
  metadata: { name: `c${String(index).padStart(3, "0")}`, namespace: "acme", labels: { tier: "gold" } },
  spec: { accessMode: "direct" },
});
const definition = {
  apiVersion: GREENHOUSE,
  kind: "PluginDefinition",
  metadata: { name: "d", namespace: "acme" },
  spec: {
    options: [
      { name: "o", type: "string" },
      { name: "l", type: "list" },
      { name: "s", type: "secret" },
    ],
    version: "1.0.0",
  },
};
const preset = (name, value, clusterSelector = { matchLabels: { tier: "gold" } }, option = "o") => ({
  apiVersion: GREENHOUSE,
  kind: "PluginPreset",
  metadata: { name, namespace: "acme" },
  spec: {
    clusterSelector,
    plugin: { optionValues: [{ name: option, value }], pluginDefinitionRef: { kind: "PluginDefinition", name: "d" } },
  },
});
const HEAVY = preset("heavy", "x".repeat(OPTION));
/** The engine needs some 25 MB to read it. */
const LONG = preset("heavy", Array(400_000).fill(0), { matchLabels: { tier: "gold" } }, "l");
const one = (index) => ({ matchLabels: { "kubernetes.io/metadata.name": `none-${index}` } });

describe("what an attack found", () => {
  let plane, berlin;
  before(async () => {
    plane = await startPlane({ members: ["berlin", "tokyo"] });
    ({ berlin } = plane.members);
  });
  after(() => plane?.stop());

  const fleet = async () => {
    await plane.clear();
    await plane.hub.ensureNamespace("acme");
    await plane.hub.apply([definition, ...Array.from({ length: CLUSTERS }, (_, index) => cluster(index))]);
  };
  const pluginsOf = async (name) =>
    (await plane.hub.list("Plugin.greenhouse.sap")).filter((it) => it.metadata.name.startsWith(`${name}-`)).length;

  test("the runner quarantines a document that exceeds a limit, and reconciles everything else", async () => {
    await fleet();
    await plane.hub.create(HEAVY);
    const runner = await plane.run({ args: ["--dialect", "greenhouse", ...MEMORY, ...LIMITS], readyTimeout: 120_000 });
    await plane.hub.apply(preset("good", "small"));
    await eventually(async () => (await pluginsOf("good")) === CLUSTERS, {
      timeout: 120_000,
      what: "the other preset's Plugins",
    });
    const own = await eventually(
      async () => {
        const own = await plane.hub.get(OWN);
        return condition(own, "DocumentsRead") === "False DocumentsQuarantined" && own;
      },
      { what: "the condition" },
    );
    const { message } = own.status.conditions.find((it) => it.type === "DocumentsRead");
    assert.match(message, /PluginPreset\/acme\/heavy is quarantined since/);
    assert.equal(await runner.metric("fleetfold_documents_quarantined"), 1);
    assert.equal(await pluginsOf("heavy"), 0);
    assert.ok(!runner.logs.some((it) => /lost its workspace/.test(it.message)), "the workspace was lost");
    // A later change of anybody else is followed while it is put aside.
    await plane.hub.apply(cluster(CLUSTERS));
    await eventually(async () => (await pluginsOf("good")) === CLUSTERS + 1, {
      timeout: 60_000,
      what: "a new cluster",
    });

    await plane.hub.patch("PluginPreset/acme/heavy", preset("heavy", "small"));
    await eventually(async () => (await pluginsOf("heavy")) === CLUSTERS + 1, {
      timeout: 60_000,
      what: "the mended preset's Plugins",
    });
    await eventually(async () => condition(await plane.hub.get(OWN), "DocumentsRead")?.startsWith("True"), {
      what: "the condition being lifted",
    });
    assert.equal(await runner.metric("fleetfold_documents_quarantined"), 0);
    await runner.stop();
  });

  test("the webhook answers everybody else while one review, and then one document, exceeds a limit", async () => {
    await fleet();
    await plane.hub.grant("webhook");
    const [cert, key] = ["crt", "key"].map((it) => join(plane.folder, `hardening.${it}`));
    const flags =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=hardening -addext".split(" ");
    execFileSync("openssl", [...flags, "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], {
      stdio: "ignore",
    });
    const metricsPort = await freePort();
    const metric = async (name) => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(text.match(new RegExp(`^${name}(?:{})? (\\S+)$`, "m"))?.[1]);
    };
    const webhook = await plane.run({
      command: "webhook",
      user: "webhook",
      args: [
        "--cert",
        cert,
        "--key",
        key,
        "--dialect",
        "greenhouse",
        "--memory",
        "16MiB",
        "--max-deletes",
        "1000",
        "--metrics",
        `127.0.0.1:${metricsPort}`,
      ],
      ca: readFileSync(cert),
      readyTimeout: 120_000,
    });
    const guard = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "hardening" },
      webhooks: [
        {
          name: "hardening.fleetfold.dev",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          timeoutSeconds: 10,
          failurePolicy: "Fail",
          clientConfig: {
            url: `https://127.0.0.1:${webhook.port}/admit`,
            caBundle: readFileSync(cert).toString("base64"),
          },
          rules: [
            {
              apiGroups: ["greenhouse.sap"],
              apiVersions: ["*"],
              operations: ["CREATE", "UPDATE"],
              resources: ["pluginpresets"],
            },
          ],
        },
      ],
    };
    await plane.hub.apply(guard);
    const days = ((await metric("fleetfold_certificate_expiry_timestamp_seconds")) - Date.now() / 1000) / 86_400;
    assert.ok(days > 1.9 && days <= 2, `the certificate is said to be valid for ${days} days`);
    // An object that the engine refuses: once it is refused, the server asks the webhook.
    const wrong = preset("wrong", "small");
    wrong.spec.clusterSelector = { matchExpressions: [{ key: "a", operator: "Near" }] };
    const path = await plane.hub.path(wrong, { collection: true });
    const tryOut = (object) =>
      plane.hub.send("POST", `${path}?dryRun=All`, { body: object }).then(
        () => "allowed",
        (error) => error.message,
      );
    await eventually(async () => /denied the request/.test(await tryOut(wrong)), { what: "the guard being up" });

    // What a reply says, as a denial and as a warning, has no value of an option that is a secret.
    for (const selector of [one(0), wrong.spec.clusterSelector]) {
      const body = preset("leak", CANARY, selector, "s");
      const reply = await plane.hub.request("POST", `${path}?dryRun=All`, { body });
      const said = [reply.headers.warning, reply.body.message, JSON.stringify(webhook.logs)].join("\n");
      assert.match(said, /secret|Near/);
      for (const it of [CANARY, Buffer.from(CANARY).toString("base64")]) assert.ok(!said.includes(it), said);
    }

    let [number, isOver] = [0, false];
    const verdicts = [];
    const others = async () => {
      while (!isOver) verdicts.push(await tryOut(preset(`p${(number += 1)}`, "small", one(number))));
    };
    const during = async (work) => {
      [isOver, verdicts.length] = [false, 0];
      const asked = others();
      try {
        return await work();
      } finally {
        isOver = true;
        await asked;
      }
    };
    const bad = await during(async () => {
      const answers = [];
      for (let round = 0; round < 3; round += 1) answers.push(await tryOut(LONG));
      return answers;
    });
    for (const it of bad) assert.match(it, /webhook/, "the review that exceeds a limit is an error for itself");
    assert.ok(verdicts.length >= 3, `${verdicts.length} other reviews`);
    assert.deepEqual([...new Set(verdicts)], ["allowed"]);

    // Stored while nobody guards, as it could be with `failurePolicy: Ignore`.
    await plane.hub.delete(guard);
    await eventually(() => plane.hub.create(LONG).then(Boolean, () => false), {
      what: "the heavy preset being stored",
    });
    const isQuarantined = (it) => /^quarantined PluginPreset\S*\/acme\/heavy/.test(it.message);
    await webhook.waitForLog(isQuarantined, { what: "the heavy preset being put aside" });
    await eventually(async () => (await metric("fleetfold_documents_quarantined")) === 1, { what: "the metric" });
    await plane.hub.apply(guard);
    await eventually(async () => /denied the request/.test(await tryOut(wrong)), { what: "the guard being up again" });
    await during(() => sleep(5000));
    assert.ok(verdicts.length >= 3, `${verdicts.length} other reviews`);
    assert.deepEqual([...new Set(verdicts)], ["allowed"]);
    await webhook.stop();
    await plane.hub.delete(guard);
  });

  /**
   * Takes a part of the schema of a kind away, so that the server drops what is written there; answers how to undo it.
   */
  const prune = async (name, change) => {
    const before = await plane.hub.get(`CustomResourceDefinition/${name}`);
    const spec = structuredClone(before.spec);
    change(spec.versions[0].schema.openAPIV3Schema.properties);
    const put = async (spec) => {
      await plane.hub.patch(`CustomResourceDefinition/${name}`, [{ op: "replace", path: "/spec", value: spec }], {
        kind: "json",
      });
      // The server takes a moment to use it.
      await sleep(2000);
    };
    await put(spec);
    return () => put(before.spec);
  };
  const statusWrites = async (resource, since) =>
    (await plane.hub.auditWrites({ user: "runner", since })).filter((it) => it.resource === `${resource}/status`);

  test("a status that the server drops or refuses is written with growing delays", async () => {
    await fleet();
    await plane.hub.apply(preset("good", "small", { matchLabels: { tier: "none" } }));
    const undo = [
      await prune("fleetplans.fleetfold.dev", (it) => delete it.status.properties.engineDigest),
      await prune("pluginpresets.greenhouse.sap", (it) => (it.status = { type: "object" })),
    ];
    try {
      const runner = await plane.run({ args: ["--dialect", "greenhouse", ...LIMITS] });
      // The rest of it is kept, so that a plan can be approved before the definition is upgraded.
      await runner.waitForLog((it) => it.code === "not-kept" && /status of the FleetPlan/.test(it.message), {
        what: "the plan's status",
      });
      const { status } = await plane.hub.get(OWN);
      assert.match(status.digest, /^sha256:/);
      assert.equal(status.engineDigest, undefined);
      // That of somebody else's kind is refused as a whole.
      await runner.waitForLog((it) => it.code === "invalid" && /status of PluginPreset/.test(it.message), {
        what: "the preset's status",
      });
      const since = new Date();
      await sleep(15_000);
      for (const resource of ["fleetplans", "pluginpresets"]) {
        const { length } = await statusWrites(resource, since);
        assert.ok(length <= 10, `${length} writes of ${resource}/status in 15 s`);
      }
      // What can be done is done meanwhile.
      await plane.hub.patch("PluginPreset/acme/good", preset("good", "small"));
      await eventually(async () => (await pluginsOf("good")) === CLUSTERS, { timeout: 60_000, what: "the Plugins" });
      await runner.stop();
    } finally {
      for (const it of undo) await it();
    }
  });

  /** Copies of four ConfigMaps in both members. */
  const copies = async () => {
    await plane.clear();
    const story = new Story(plane, {});
    await story.add("kubefed");
    for (const name of ["a", "b", "c", "d"])
      await plane.hub.apply({
        apiVersion: "types.kubefed.io/v1beta1",
        kind: "FederatedConfigMap",
        metadata: { name, namespace: "shop" },
        spec: {
          template: { data: { key: name } },
          placement: { clusters: [{ name: "berlin" }, { name: "tokyo" }] },
        },
      });
  };
  const copy = (name) => berlin.find(`ConfigMap/shop/${name}`);
  const leaveBerlin = (name) =>
    plane.hub.patch(`FederatedConfigMap/shop/${name}`, { spec: { placement: { clusters: [{ name: "tokyo" }] } } });
  const recent = async () => {
    const { recentDeletes = [] } = (await plane.hub.get(OWN)).status ?? {};
    return recentDeletes.reduce((sum, it) => sum + it.objects, 0);
  };
  const isHeld = async () => condition(await plane.hub.get(OWN), "Unheld") === "False ActionsHeld";

  test("what was deleted recently counts after a restart and for the next leader", async () => {
    await copies();
    await plane.hub.ensureNamespace("runners");
    const election = ["--leader-elect", "--lease-namespace", "runners"];
    const args = ["--dialect", "kubefed", "--max-deletes", "3", "--max-delete-percent", "100", ...election];
    const first = await plane.run({ args, env: { POD_NAME: "one" } });
    await eventually(() => copy("d"), { what: "the copies" });
    // The example has a copy too many, which counts as well.
    await eventually(async () => (await recent()) === 1, { what: "the first delete being recorded" });
    for (const name of ["a", "b"]) {
      await leaveBerlin(name);
      await eventually(async () => !(await copy(name)), { what: `the copy of ${name} being deleted` });
    }
    await eventually(async () => (await recent()) === 3, { what: "all deletes being recorded" });

    // A restart: the budget is used up, so nothing more is deleted.
    await first.kill();
    await first.start();
    await first.waitForLog((it) => it.leads === true, { timeout: 40_000, what: "it leading again" });
    await leaveBerlin("c");
    await eventually(isHeld, { what: "the next delete being held" });
    await first.reconcile();
    assert.ok(await copy("c"), "a restart freed the budget");
    assert.equal(await recent(), 3);

    // Another leader.
    const second = await plane.run({ args, env: { POD_NAME: "two" } });
    await first.kill();
    await second.waitForLog((it) => it.leads === true, { timeout: 40_000, what: "the second one leading" });
    await leaveBerlin("d");
    await second.reconcile();
    await eventually(async () => (await isHeld()) && (await plane.hub.get(OWN)).status.held.length === 2, {
      what: "both being held",
    });
    assert.ok((await copy("c")) && (await copy("d")), "another leader freed the budget");
    assert.equal(await recent(), 3);
    await second.stop();

    // With a window that is over they are deleted.
    const later = await plane.run({ args: [...args, "--delete-window", "1s"], env: { POD_NAME: "three" } });
    await eventually(async () => !(await copy("c")) && !(await copy("d")), { timeout: 40_000, what: "the rest" });
    await later.stop();
  });
});
