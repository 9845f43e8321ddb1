// Shared ownership as in seed 002: who may adopt an object, who created it, and when it goes.
import { clone, has, isMap, refuse } from "./json.mjs";
import { differences } from "./match.mjs";

const MARK = "kudo.dev/managed";
const CLAIMS = "fleetfold.dev/claims";
const ADOPTERS = "fleetfold.dev/adopted-by";

/** Kinds without a namespace that the generator uses. */
const isClusterScoped = (object) => ["CustomResourceDefinition", "ClusterRole", "Namespace"].includes(object.kind);

const claimOf = ({ kind, namespace = "", name, uid }) => `${kind}/${namespace}/${name}/${uid}`;

/** A namespaced owner may own objects of its namespace only; the others list it as a claim. */
const mayOwn = (owner, object) =>
  !owner.namespace || (!isClusterScoped(object) && object.metadata.namespace === owner.namespace);

function claims(object, annotation) {
  const text = object.metadata.annotations?.[annotation];
  if (text === undefined || text === null) return [];
  let list;
  try {
    list = JSON.parse(text);
  } catch {
    refuse("claims that cannot be read");
  }
  if (typeof text !== "string" || !Array.isArray(list)) refuse("claims that cannot be read");
  return list.every((it) => typeof it === "string") ? list : refuse("claims that cannot be read");
}

function setClaims(object, annotation, list) {
  if (list.length === 0 && !has(object.metadata.annotations, annotation)) return;
  const annotations = { ...object.metadata.annotations };
  if (list.length > 0) annotations[annotation] = JSON.stringify([...new Set(list)].sort());
  else delete annotations[annotation];
  setOrDrop(object.metadata, "annotations", annotations, Object.keys(annotations).length > 0);
}

function setOrDrop(map, key, value, isKept) {
  if (isKept) map[key] = value;
  else delete map[key];
}

const references = (object) => object.metadata.ownerReferences ?? [];
const isMarked = (object) => object.metadata.annotations?.[MARK] === "true";
const isOwner = (object, { uid }) => references(object).some((it) => it.uid === uid);

function own(object, owner) {
  if (!mayOwn(owner, object)) return setClaims(object, CLAIMS, [...claims(object, CLAIMS), claimOf(owner)]);
  const { apiVersion, kind, name, uid } = owner;
  const isController = owner.controller === true;
  const reference = { apiVersion, kind, name, uid, ...(isController && { controller: true }) };
  object.metadata.ownerReferences = [...references(object), reference];
}

export function adopt(owner, desired, live) {
  if (live === null) {
    const object = clone(desired);
    object.metadata.annotations = { ...object.metadata.annotations, [MARK]: "true" };
    own(object, owner);
    return { action: "create", object };
  }
  for (const key of ["name", "namespace"]) if (desired.metadata[key] !== live.metadata[key]) refuse("another object");
  if (has(live.metadata, "deletionTimestamp")) refuse("it is being deleted");
  const isTaken = references(live).some((it) => it.controller === true && it.uid !== owner.uid);
  if (owner.controller === true && isTaken) refuse("a second controller");
  const wanted = clone(desired);
  delete wanted.metadata.ownerReferences;
  if (isMap(wanted.metadata.annotations)) {
    for (const key of [MARK, CLAIMS, ADOPTERS]) delete wanted.metadata.annotations[key];
  }
  if (differences(wanted, live).length > 0) return { action: "fatal" };
  if (isOwner(live, owner) || claims(live, CLAIMS).includes(claimOf(owner))) return { action: "none", object: live };
  const object = clone(live);
  own(object, owner);
  if (!isMarked(live)) setClaims(object, ADOPTERS, [...claims(live, ADOPTERS), claimOf(owner)]);
  return { action: "append-owner", object };
}

export function release(owner, live) {
  const object = clone(live);
  const held = claims(live, CLAIMS);
  const adopters = claims(live, ADOPTERS);
  const others = {
    claims: held.filter((it) => it !== claimOf(owner)),
    adopters: adopters.filter((it) => it !== claimOf(owner)),
    references: references(live).filter((it) => it.uid !== owner.uid),
  };
  const wasOwner = others.claims.length < held.length || others.references.length < references(live).length;
  if (!wasOwner && others.adopters.length === adopters.length) return { action: "none", object };
  const isLast = others.claims.length + others.references.length === 0;
  if (wasOwner && isLast && isMarked(live)) return { action: "delete" };
  if (others.claims.length < held.length || held.length === 0) setClaims(object, CLAIMS, others.claims);
  if (others.adopters.length < adopters.length || adopters.length === 0) setClaims(object, ADOPTERS, others.adopters);
  setOrDrop(object.metadata, "ownerReferences", others.references, others.references.length > 0);
  return { action: "remove-owner", object };
}
