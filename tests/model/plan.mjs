// The plan for one preset of Greenhouse or one federated object of KubeFed: what is created, patched, deleted and held.
import { fold } from "./fold.mjs";
import { at, clone, has, isMap, Refusal, same } from "./json.mjs";
import { byKind } from "./match.mjs";
import { patch } from "./patch.mjs";
import { retain } from "./retain.mjs";
import { select, selectorOf } from "./select.mjs";

const PRESET = "greenhouse.sap/pluginpreset";
export const APPLIED = "fleetfold.dev/applied";

/** `undefined` instead of what cannot be read. */
function attempt(act) {
  try {
    return act();
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Actions as `{ verb, cluster, name, object, held }`; the object is what the cluster has afterwards. */
export function planPreset(documents, live) {
  const named = (kind) => documents.filter((it) => it.kind === kind);
  const [preset] = named("PluginPreset");
  const clusters = named("Cluster");
  const picks = attempt(() => selectorOf(preset.spec.clusterSelector));
  // A bad selector keeps what is there.
  if (!picks) return [];
  const picked = clusters
    .map((it) => it.metadata)
    .filter(picks)
    .map((it) => it.name);
  const isOurs = ({ metadata }) => metadata.labels?.[PRESET] === preset.metadata.name;
  const actions = picked.flatMap((cluster) => planPlugin(preset, cluster, named, live, isOurs));
  // The Plugin of a cluster without a document stays: the cluster may only be unknown.
  const isKnown = (name) => clusters.some((it) => it.metadata.name === name);
  const ours = live.filter(isOurs);
  const left = ours.filter(({ spec }) => !picked.includes(spec.clusterName) && isKnown(spec.clusterName));
  const isRetained = preset.spec.deletionPolicy === "Retain";
  // A selector that names a cluster which does not exist deletes no Plugin.
  const isTypo = preset.spec.clusterSelector.clusterNames?.some((name) => !isKnown(name));
  const deletes =
    isRetained || isTypo
      ? []
      : left.map((it) => ({
          verb: "delete",
          cluster: "",
          name: it.metadata.name,
          held: picked.length === 0 || losesAll(left.length, ours.length) || undefined,
        }));
  return [...actions, ...deletes];
}

/** A subject with two objects or more does not lose all of them in one plan. */
function losesAll(lost, of) {
  return of > 1 && lost === of;
}

function planPlugin(preset, cluster, named, live, isOurs) {
  const { namespace, name: presetName } = preset.metadata;
  const name = `${presetName}-${cluster}`;
  const options = optionsOf(preset, cluster, named);
  if (!options) return [];
  const { pluginDefinitionRef } = preset.spec.plugin;
  const found = live.find((it) => it.metadata.name === name);
  if (!found) {
    const metadata = { name, namespace, labels: { [PRESET]: presetName } };
    const spec = { clusterName: cluster, pluginDefinitionRef, optionValues: options.length > 0 ? options : undefined };
    return [
      { verb: "create", cluster: "", name, object: { apiVersion: preset.apiVersion, kind: "Plugin", metadata, spec } },
    ];
  }
  if (!isOurs(found)) return [];
  const isInjected = (it) => it.name.startsWith("global.greenhouse.");
  const before = found.spec.optionValues ?? [];
  const byName = (list) => [...list].sort((one, other) => (one.name < other.name ? -1 : 1));
  if (same(byName(before.filter((it) => !isInjected(it))), byName(options))) return [];
  const object = clone(found);
  object.spec.optionValues = [...options, ...before.filter(isInjected)];
  if (object.spec.optionValues.length === 0) delete object.spec.optionValues;
  return [{ verb: "patch", cluster: "", name, object }];
}

/** The options of a Plugin, sorted by name; undefined where an override that applies is refused. */
function optionsOf(preset, cluster, named) {
  const [definition] = named("PluginDefinition");
  const document = named("Cluster").find((it) => it.metadata.name === cluster);
  const target = { name: cluster, labels: document.metadata.labels };
  const overrides = named("PluginOverride").filter(({ spec }) => {
    const isDefinition = !spec.pluginDefinitionNames || spec.pluginDefinitionNames.includes(definition.metadata.name);
    return isDefinition && (!has(spec, "clusterSelector") || selectorOf(spec.clusterSelector)(target));
  });
  if (overrides.some(contradicts)) return undefined;
  const own = preset.spec.clusterOptionOverrides?.find((it) => it.clusterName === cluster);
  const layers = [
    definition.spec.options.filter((it) => has(it, "default")).map((it) => ({ path: it.name, value: it.default })),
    preset.spec.plugin.optionValues ?? [],
    named("Organization")[0]?.spec.pluginOverrides ?? [],
    document.spec.pluginOverrides ?? [],
    ...overrides.sort(byRank).map(({ spec }) => spec.overrides),
    own?.overrides ?? [],
  ];
  const set = (entries) => entries.map(({ name, path = name, value, merge }) => ({ path, value, merge }));
  const { options } = fold(layers.map((entries, index) => ({ name: `${index}`, set: set(entries) })));
  return options.map(({ path, value }) => ({ name: path, value }));
}

/** One option with two values, or a parent and its child: such an override is refused. */
function contradicts({ spec }) {
  return spec.overrides.some((one, index) =>
    spec.overrides.some(
      (other, place) =>
        (place < index && other.path === one.path && !same(other, one)) || one.path.startsWith(`${other.path}.`),
    ),
  );
}

/** Lowest first: none, cluster, definition, both; then the older one, then the name. */
function byRank(one, other) {
  const keyOf = ({ metadata, spec }) => [
    Number(has(spec, "clusterSelector")) + 2 * Number(has(spec, "pluginDefinitionNames")),
    metadata.creationTimestamp ?? "9",
    metadata.name,
  ];
  const [mine, theirs] = [keyOf(one), keyOf(other)];
  const place = mine.findIndex((it, index) => it !== theirs[index]);
  return mine[place] < theirs[place] ? -1 : 1;
}

/** KubeFed: template → retention → overrides → compare, cluster by cluster. `live` has the objects by cluster. */
export function planFederated(documents, live) {
  const named = (kind) => documents.filter((it) => it.kind === kind);
  const [federated] = named("FederatedConfigMap");
  const clusters = named("KubeFedCluster").map(({ metadata: { name, labels } }) => ({ name, labels }));
  const [namespace] = named("FederatedNamespace");
  const placed = attempt(() => select(federated.spec.placement ?? {}, clusters));
  const home = namespace && attempt(() => select(namespace.spec.placement, clusters));
  if (!placed) return [];
  const wanted = home ? placed.filter((it) => home.includes(it)) : [];
  const isManaged = ({ name }) => live[name]?.metadata.labels?.["kubefed.io/managed"] === "true";
  const copies = Object.fromEntries(
    wanted.map((name) => [name, attempt(() => planCopy(federated, name, live[name], named))]),
  );
  // A copy that cannot be worked out stays as it is, and does not count.
  const managed = clusters.filter((it) =>
    wanted.includes(it.name) ? live[it.name] && copies[it.name] : isManaged(it),
  );
  const lost = managed.filter(({ name }) => !wanted.includes(name));
  const isHeld = wanted.length === 0 || losesAll(lost.length, managed.length);
  // A placement that names a cluster which does not exist deletes no copy.
  const names = [federated, namespace].flatMap((it) => it?.spec.placement?.clusters ?? []).map((it) => it.name);
  const isTypo = names.some((name) => !clusters.some((it) => it.name === name));
  return clusters.flatMap(({ name }) => {
    if (!wanted.includes(name)) {
      const isDeleted = isManaged({ name }) && !isTypo;
      return isDeleted ? [{ verb: "delete", cluster: name, name: "x", held: isHeld || undefined }] : [];
    }
    return copies[name] ?? [];
  });
}

function planCopy({ metadata, spec }, cluster, found, named) {
  const config = named("FederatedTypeConfig").find((it) => it.spec.targetType.kind === "ConfigMap");
  const { name, namespace } = metadata;
  const desired = { apiVersion: "v1", kind: "ConfigMap", ...clone(spec.template) };
  desired.metadata = { ...desired.metadata, name, namespace };
  const retained = found ? retain({ desired, live: found, rules: config.spec.retention }) : desired;
  const operations = (spec.overrides ?? [])
    .filter((it) => it.clusterName === cluster)
    .flatMap((it) => it.clusterOverrides);
  const overridden = patch(retained, operations, true);
  overridden.metadata.labels = { ...overridden.metadata.labels, "kubefed.io/managed": "true" };
  if (!found) return [{ verb: "create", cluster, name, object: overridden }];
  const applied = at(found, "metadata", "annotations", APPLIED);
  const { update } = byKind(overridden, found);
  const object = without(update ?? clone(found), overridden, applied ? JSON.parse(applied) : {});
  return same(object, found) ? [] : [{ verb: "patch", cluster, name, object }];
}

/** Without what was applied last and is desired no more. */
function without(object, desired, applied) {
  for (const key of Object.keys(applied)) {
    if (has(desired, key)) {
      if (isMap(applied[key]) && isMap(object[key]) && isMap(desired[key]))
        without(object[key], desired[key], applied[key]);
    } else delete object[key];
  }
  return object;
}
