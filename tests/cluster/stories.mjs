// Tells the stories of `examples` to real servers: what the documents say is applied to the hub, what `live` says was
// there is put into the clusters, and `fleetfold run` does the rest.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { readExample, root } from "./documents.mjs";
import { ControlPlane, expectQuiet } from "./control-plane.mjs";
import { kubeFedCondition, registerKubeFedCluster } from "./members.mjs";
import { fleetfold } from "./runner.mjs";

/** Nobody listens there: a cluster that the example has and we do not. */
const NOWHERE = "https://127.0.0.1:1";

/** Kinds of the examples that no dialect reads, so that `fleetfold crds --all` does not define them. */
const UNREAD = ["ClusterKubeconfig", "Team"];

/** A plane whose hub serves the kinds of every dialect, and that `Story.begin` may clear. */
export async function startPlane(options) {
  const defined = definitions();
  const plane = await ControlPlane.start(options);
  try {
    await plane.hub.define(defined);
    await plane.restartControllers();
    await plane.remember();
    return plane;
  } catch (error) {
    await plane.stop({ keepFolder: true });
    throw error;
  }
}

/** The CustomResourceDefinitions of every kind that a dialect reads, and of the federated kinds of the examples. */
function definitions() {
  const folders = ["kubefed", "stories/003-ca-bundle/corrected"].map((it) => join(root, "examples", it));
  return execFileSync(fleetfold, ["crds", "--all", ...folders.flatMap((it) => ["-f", it])], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
}

/** One example, or several over each other, in a plane that has nothing else in it. */
export class Story {
  #members;
  #uids = new Map();
  #settled;

  /**
   * Clears the plane, brings about what the examples show, and starts a runner on it.
   *
   * - `members` says which of our members stands for a cluster of the example: `{ cluster1: "berlin" }`. A cluster with
   *   the name of a member is that member; the rest cannot be reached.
   * - `only` picks the files of the examples: `(name) => …`.
   * - `args` go to `fleetfold run`.
   */
  static async begin(plane, examples, { args = [], members = {}, only } = {}) {
    await plane.clear();
    const story = new Story(plane, members);
    for (const name of [examples].flat()) await story.add(name, { only });
    story.#settled = new Date();
    story.runner = await plane.run({ args });
    return story;
  }

  /** `endpoint` says how a runner reaches a member: through a proxy, say. */
  constructor(plane, members = {}, { endpoint = (server) => server } = {}) {
    this.plane = plane;
    this.hub = plane.hub;
    this.endpoint = endpoint;
    this.#members = { ...Object.fromEntries(Object.keys(plane.members).map((it) => [it, it])), ...members };
  }

  /** The server that stands for a cluster of the examples. */
  cluster(name) {
    return name === "_hub" ? this.hub : this.plane.members[this.#members[name]];
  }

  /**
   * Adds the files of an example: `add("stories/000-1-plugin-override", { only: (file) => file === "override.yaml" })`.
   */
  async add(example, { only = (file) => file !== "fleetfold.yaml" } = {}) {
    const { documents, live } = readExample(example, { only });
    const going = [];
    for (const document of documents) {
      await this.#put(document);
      if (document.metadata.deletionTimestamp) going.push(document);
    }
    // After the documents: the garbage collector would take what names an owner that is not there yet.
    for (const [cluster, objects] of Object.entries(live))
      await this.cluster(cluster).apply(objects.map((it) => this.#asTaken(it)));
    for (const document of going) await this.hub.delete(document);
  }

  async #put(document) {
    const { kind, metadata, status } = document;
    if (UNREAD.includes(kind)) return;
    if (kind === "KubeFedCluster") return this.#join(metadata, status);
    const [applied] = await this.hub.apply(this.#asTaken(document));
    if (metadata.uid) this.#uids.set(metadata.uid, applied.metadata.uid);
  }

  /** A cluster of KubeFed at the address of the member that stands for it. */
  async #join({ name, namespace, labels }, status) {
    const server = this.cluster(name);
    if (server) return registerKubeFedCluster(this.hub, this.endpoint(server), { name, namespace, labels });
    return this.hub.apply({
      apiVersion: "core.kubefed.io/v1beta1",
      kind: "KubeFedCluster",
      metadata: { name, namespace, labels },
      spec: { apiEndpoint: NOWHERE, secretRef: { name: `${name}-credentials` } },
      status: status ?? { conditions: [kubeFedCondition(false)] },
    });
  }

  /**
   * An object as a server takes it: uids are given by servers, a certificate has both its keys, a webhook has a domain.
   */
  #asTaken(object) {
    let text = JSON.stringify(object).replaceAll('"validating-foo"', '"validating-foo.bar.io"');
    for (const [written, given] of this.#uids) text = text.replaceAll(written, given);
    const taken = JSON.parse(text);
    delete taken.metadata.deletionTimestamp;
    if (taken.kind === "Secret" && taken.type === "kubernetes.io/tls")
      taken.data = { "tls.crt": "", "tls.key": "", ...taken.data };
    return taken;
  }

  /** The uid that a document of the examples has got. */
  uid(written) {
    return this.#uids.get(written);
  }

  /**
   * Reconciles until a round writes nothing, and answers what was written since it was settled last, oldest first:
   * `create plugins my-org/a`, in a member `berlin: create …`. What was done to several objects of one kind in a row
   * is in the order of their names, as a wave has no order in itself. Statuses are left out unless asked for.
   */
  async settle({ rounds = 10, statuses = false } = {}) {
    // The runner sees changes by itself, so it may have begun before anybody asked.
    const since = this.#settled;
    for (let round = 0; round < rounds; round += 1) {
      const begun = new Date();
      await this.runner.reconcile();
      if ((await this.#writes(begun)).length === 0) {
        this.#settled = begun;
        // The FleetPlan says how the runner itself stands.
        const told = (it) => it.resource.endsWith("/status") || it.resource === "fleetplans";
        // A conflict is a write that did not happen because somebody was faster.
        const happened = (await this.#writes(since)).filter((it) => it.code !== 409);
        return inWaves(happened.filter((it) => statuses || !told(it)));
      }
    }
    throw new Error(
      `the fleet does not settle: ${(await this.#writes(since)).map((it) => it.line).join("\n")}\n` +
        `${this.runner.lastWords()}`,
    );
  }

  /** Every write of the runner since then, by time over all clusters. */
  async #writes(since) {
    const all = await Promise.all(
      this.plane.servers
        .filter((it) => !it.child.ended)
        .map(async (server) =>
          (await server.auditWrites({ user: this.runner.user, since })).map((it) => ({
            ...it,
            line: line(server, it),
          })),
        ),
    );
    return all.flat().sort((a, b) => a.time - b.time);
  }

  /** The end of every story. */
  async expectQuiet(options) {
    await this.settle();
    await expectQuiet(this.plane, this.runner, options);
  }
}

function line(server, { verb, resource, namespace, name, code }) {
  const place = server.name === "hub" ? "" : `${server.name}: `;
  const failed = code >= 400 ? ` ${code}` : "";
  return `${place}${verb} ${resource} ${[namespace, name].filter(Boolean).join("/")}${failed}`;
}

function inWaves(writes) {
  const runs = [];
  for (const { verb, resource, line } of writes) {
    const key = `${verb} ${resource}`;
    if (runs.at(-1)?.key === key) runs.at(-1).lines.push(line);
    else runs.push({ key, lines: [line] });
  }
  return runs.flatMap(({ lines }) => lines.sort());
}

/** A condition of an object as `status reason`, wherever its kind keeps conditions. */
export function condition(object, type) {
  const conditions = object.status?.conditions ?? object.status?.statusConditions?.conditions ?? [];
  const found = conditions.find((it) => it.type === type);
  return found && [found.status, found.reason].filter(Boolean).join(" ");
}
