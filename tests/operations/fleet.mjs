// A fleet in memory: it gives a plan what it needs, does what the plan says, and does what an API server and the
// controllers of a cluster would do, as far as plans see it. `core/tests/fleet` is the same for the stories in Rust.
import { patch } from "../model/patch.mjs";
import { Broken, clone, startEngine, write } from "./engine.mjs";

/** The time that plans are given. */
const NOW = "2026-01-01T00:00:00Z";

/** How many plans may have something to do before the fleet must be settled. */
export const ROUNDS = 12;

/** Large enough for what the drills delete: what is held all the same is held by another rule. */
const LIMITS = { deletes: 1000, deletePercent: 100 };

const APPLIED = "fleetfold.dev/applied";

const groupOf = (apiVersion) => (String(apiVersion ?? "").includes("/") ? apiVersion.split("/")[0] : "");

/** What names an object among all of its cluster. */
export const keyOf = ({ apiVersion, kind, metadata = {} }) =>
  `${groupOf(apiVersion)}/${kind}/${metadata.namespace ?? ""}/${metadata.name}`;

const keyOfTarget = ({ apiVersion, kind, namespace, name }) =>
  keyOf({ apiVersion, kind, metadata: { namespace, name } });

/** A document as requests name it. */
export const referenceOf = ({ apiVersion, kind, metadata }) =>
  [[kind, groupOf(apiVersion)].filter(Boolean).join("."), metadata.namespace, metadata.name].filter(Boolean).join("/");

const finalizersOf = (object) => object.metadata?.finalizers ?? [];
const isGone = (object) => object.metadata?.deletionTimestamp !== undefined && finalizersOf(object).length === 0;

export class Fleet {
  #engine = startEngine();
  #unsent = new Set();
  #counter;

  /** A fleet of these documents, with objects that are in clusters already: `{ "": […], berlin: […] }`. */
  static of({ documents, live = {}, settings = {} }) {
    const fleet = new Fleet(settings, 0);
    for (const document of documents) fleet.documents.set(keyOf(document), fleet.#stamped(document, "document"));
    for (const [cluster, objects] of Object.entries(live)) for (const object of objects) fleet.put(cluster, object);
    fleet.#send([...fleet.documents.values()]);
    return fleet;
  }

  constructor(settings, counter) {
    this.settings = settings;
    this.#counter = counter;
    /** By key. */
    this.documents = new Map();
    /** By cluster and key; the hub has no name. */
    this.live = new Map();
    this.#engine.call({ op: "configure", limits: LIMITS, ...settings });
  }

  /** The same fleet in an engine of its own. */
  copy() {
    const fleet = new Fleet(this.settings, this.#counter);
    fleet.documents = new Map(this.documents);
    fleet.live = new Map([...this.live].map(([cluster, objects]) => [cluster, new Map(objects)]));
    for (const cluster of fleet.live.keys()) fleet.#unsent.add(cluster);
    fleet.#send([...fleet.documents.values()]);
    return fleet;
  }

  /** Puts an object into a cluster. */
  put(cluster, object) {
    if (!this.live.has(cluster)) this.live.set(cluster, new Map());
    this.live.get(cluster).set(keyOf(object), running(this.#stamped(object, cluster)));
    this.#unsent.add(cluster);
  }

  /** Replaces a document. Returns the answer to the load, which may be refused. */
  edit(document) {
    const answer = this.#engine.ask({ op: "load", documents: [document] });
    this.documents.set(keyOf(document), document);
    return answer;
  }

  #send(documents) {
    if (documents.length > 0) this.#engine.call({ op: "load", documents });
  }

  #sendLive() {
    for (const cluster of this.#unsent) {
      const documents = [...(this.live.get(cluster)?.values() ?? [])];
      this.#engine.call({ op: "load", live: cluster, documents, complete: true });
    }
    this.#unsent.clear();
  }

  /** A plan whose needs are met; `request` adds to it. */
  plan(request) {
    for (let round = 0; round < 8; round += 1) {
      this.#sendLive();
      const answer = this.#engine.ask({ op: "plan", now: NOW, reveal: true, ...request });
      if (answer.error || answer.ok.needs.length === 0) return answer;
      for (const { cluster } of answer.ok.needs) this.#unsent.add(cluster);
    }
    throw new Broken("settles", "the needs of the plan are never met");
  }

  /** What every subject gives every cluster: the answers by subject. Refusals are answers too. */
  effective() {
    this.#sendLive();
    const { subjects } = this.#engine.call({ op: "subjects" }).ok;
    const answerOf = ({ subject }) => [subject, this.#engine.ask({ op: "effective", subject })];
    return Object.fromEntries(subjects.map(answerOf));
  }

  /** Does what a plan says: its actions by wave, then its statuses. */
  apply(plan) {
    for (const action of plan.actions) this.#act(action);
    for (const { target, status } of plan.status) this.#change("", target, (object) => ({ ...object, status }));
    this.#collectGarbage();
  }

  #act({ verb, cluster, target, body, patch: operations, subresource }) {
    const key = keyOfTarget(target);
    const isDocument = cluster === "" && this.documents.has(key);
    const there = this.live.get(cluster)?.get(key) ?? (isDocument ? this.documents.get(key) : undefined);
    switch (verb) {
      case "create":
        if (there) throw new Broken("applies", `${key} is created in \`${cluster}\` and is there`);
        return this.put(cluster, body);
      case "patch":
        return this.#change(cluster, target, (object) => {
          const patched = patch(object, operations);
          // A server takes from a subresource its own part only.
          return subresource ? { ...object, [subresource]: patched[subresource] } : patched;
        });
      case "delete":
        if (!there) throw new Broken("applies", `${key} is deleted in \`${cluster}\` and is not there`);
        return this.#delete(cluster, key);
      default:
        throw new Broken("applies", `there is no verb ${verb}`);
    }
  }

  /** Changes a live object, or the document that it is. */
  #change(cluster, target, edit) {
    const key = keyOfTarget(target);
    const objects = this.live.get(cluster);
    const found = objects?.get(key);
    const document = cluster === "" ? this.documents.get(key) : undefined;
    if (!found && !document) throw new Broken("applies", `${key} is changed in \`${cluster}\` and is not there`);
    let changed;
    try {
      changed = this.#stamped(edit(clone(found ?? document)), cluster);
    } catch (error) {
      throw new Broken("applies", `the patch of ${key} in \`${cluster}\` fails: ${error.message}`);
    }
    if (found) {
      if (isGone(changed)) objects.delete(key);
      else objects.set(key, running(changed));
      this.#unsent.add(cluster);
    } else if (isGone(changed)) {
      this.documents.delete(key);
      this.#engine.call({ op: "unload", refs: [referenceOf(changed)] });
    } else {
      this.documents.set(key, changed);
      this.#send([changed]);
    }
  }

  #delete(cluster, key) {
    const objects = this.live.get(cluster);
    if (!objects?.has(key)) {
      const { apiVersion, kind, metadata } = this.documents.get(key);
      const { name, namespace } = metadata;
      const target = { apiVersion, kind, name, namespace };
      return this.#change(cluster, target, (it) => ({ ...it, metadata: { ...it.metadata, deletionTimestamp: NOW } }));
    }
    const object = objects.get(key);
    if (finalizersOf(object).length > 0) {
      objects.set(key, { ...object, metadata: { ...object.metadata, deletionTimestamp: NOW } });
    } else objects.delete(key);
    this.#unsent.add(cluster);
    return undefined;
  }

  /** Objects of the hub whose owners are all absent are deleted. */
  #collectGarbage() {
    const objects = this.live.get("");
    const uids = new Set([...this.documents.values(), ...(objects?.values() ?? [])].map((it) => it.metadata?.uid));
    for (const [key, { metadata }] of [...(objects ?? [])]) {
      const owners = metadata.ownerReferences ?? [];
      if (owners.length > 0 && !owners.some(({ uid }) => uids.has(uid))) this.#delete("", key);
    }
  }

  /** An object with what a server adds. The uid follows from the name, so that two histories can be compared. */
  #stamped(object, place) {
    const metadata = object.metadata ?? {};
    const uid = metadata.uid ?? `${place || "hub"}:${keyOf(object)}`;
    this.#counter += 1;
    return { ...object, metadata: { ...metadata, uid, resourceVersion: `${this.#counter}` } };
  }

  /** Plans and applies until nothing is left to do; returns the answer to the last plan. */
  settle(what = "the fleet") {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const answer = this.plan({ lint: true });
      if (answer.error) throw new Broken("settles", `${what}: the plan is refused: ${answer.text}`);
      if (answer.ok.actions.length === 0 && answer.ok.status.length === 0) return answer;
      if (round === ROUNDS) {
        const left = [...answer.ok.actions, ...answer.ok.status].map(
          (it) => `${it.verb ?? "status"} ${it.target.name}`,
        );
        throw new Broken("settles", `${what} does not settle in ${ROUNDS} rounds: ${left.join(", ")}`);
      }
      this.apply(answer.ok);
    }
  }

  /**
   * All objects of the clusters, as `{ "cluster key": text }`, without what every write changes: the version, and the
   * record of what was applied last, which an object has from the first write on.
   */
  objects() {
    const all = {};
    for (const [cluster, objects] of this.live)
      for (const [key, object] of objects) {
        const { resourceVersion, annotations, ...metadata } = object.metadata;
        const { [APPLIED]: _, ...others } = annotations ?? {};
        if (Object.keys(others).length > 0) metadata.annotations = others;
        all[`${cluster || "hub"} ${key}`] = write({ ...object, metadata });
      }
    return all;
  }
}

/** An object as its controller leaves it: pods run, definitions are established. */
function running(object) {
  const status = RUNNING[`${groupOf(object.apiVersion)}/${object.kind}`]?.(object);
  return status ? { ...object, status } : object;
}

const condition = (type) => ({ type, status: "True" });

const replicas = ({ spec }) => {
  const count = Number.isInteger(spec?.replicas) ? spec.replicas : 1;
  return { replicas: count, readyReplicas: count, updatedReplicas: count, availableReplicas: count };
};

const RUNNING = {
  "/Namespace": () => ({ phase: "Active" }),
  "/PersistentVolumeClaim": () => ({ phase: "Bound" }),
  "apiextensions.k8s.io/CustomResourceDefinition": () => ({
    conditions: [condition("NamesAccepted"), condition("Established")],
  }),
  "apps/DaemonSet": () => ({ desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 }),
  "apps/Deployment": replicas,
  "apps/StatefulSet": replicas,
  "batch/Job": () => ({ succeeded: 1, conditions: [condition("Complete")] }),
};
