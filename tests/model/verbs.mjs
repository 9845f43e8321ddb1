// The verbs: how a case is made, what the model answers, and what of the engine's answer is compared with it.
import { authorize, order } from "./authorize.mjs";
import { fold } from "./fold.mjs";
import * as authorizeCases from "./generate/authorize.mjs";
import * as foldCases from "./generate/fold.mjs";
import * as ownershipCases from "./generate/ownership.mjs";
import * as patchCases from "./generate/patch.mjs";
import * as placementCases from "./generate/placement.mjs";
import * as planCases from "./generate/plan.mjs";
import * as retainCases from "./generate/retain.mjs";
import * as selectCases from "./generate/select.mjs";
import * as matchCases from "./generate/match.mjs";
import { byKind, differences } from "./match.mjs";
import { adopt, release } from "./ownership.mjs";
import { same } from "./json.mjs";
import { patch } from "./patch.mjs";
import { decide } from "./placement.mjs";
import { APPLIED, planFederated, planPreset } from "./plan.mjs";
import { retain } from "./retain.mjs";
import { select } from "./select.mjs";

/** Whether a layer sets a path and another one inside it. */
const contradicts = ({ set }) =>
  set.some(({ path }) => set.some((it) => /^[.[]/.test(it.path.slice(path.length)) && it.path.startsWith(path)));

const placeOf = ({ path, kind }) => `${kind} ${path}`;
const matched = ({ differences: found, update }) => ({
  matches: found.length === 0,
  differences: found.map(placeOf).sort(),
  update,
});

export const VERBS = {
  select: {
    share: 20,
    generate: selectCases.generate,
    answer: ({ request }) => select(request.selector, request.clusters),
    view: ({ clusters }) => clusters,
  },
  fold: {
    share: 20,
    generate: foldCases.generate,
    answer: ({ request }) => fold(request.layers, request.cluster),
    view: ({ options, origins, values }) => ({ options, origins, values }),
    explained: ({ request }, model, engine) =>
      request.layers.some(contradicts) && same([model.options, model.values], [engine.options, engine.values])
        ? "a layer that sets a path and one inside it contradicts itself: its origins are not promised"
        : undefined,
  },
  patch: {
    share: 15,
    generate: patchCases.generate,
    answer: ({ request }) => ({ object: patch(request.object, request.patch) }),
    view: ({ object }) => ({ object }),
  },
  match: {
    share: 15,
    generate: matchCases.generate,
    answer: ({ request }) => {
      if (request.policy === "byKind") return matched(byKind(request.desired, request.live));
      return matched({
        differences: differences(
          request.desired,
          request.live,
          request.mode === "threeWay" ? request.lastApplied : undefined,
        ),
      });
    },
    view: ({ matches, ...answer }) => ({ ...matched(answer), matches }),
  },
  retain: {
    share: 10,
    generate: retainCases.generate,
    answer: ({ request }) => ({ object: retain(request) }),
    view: ({ object }) => ({ object }),
  },
  authorize: {
    share: 10,
    generate: authorizeCases.generate,
    answer: ({ request }) => authorize(request),
    view: ({ allowed, checks, joins, leaves }) => ({
      allowed,
      checks: checks
        .map(({ label, change, granted }) => ({ label, change, granted }))
        .sort((one, other) => (order(one) < order(other) ? -1 : 1)),
      joins,
      leaves,
    }),
  },
  own: {
    share: 10,
    generate: ownershipCases.generate,
    answer: ({ request }) =>
      request.op === "adopt"
        ? adopt(request.owner, request.desired, request.live)
        : release(request.owner, request.live),
    view: ({ action, object, patch: operations }, { request }) => ({
      action,
      object: request.op === "adopt" ? object : action === "delete" ? undefined : patch(request.live, operations),
    }),
  },
  placement: {
    share: 6,
    generate: placementCases.generate,
    after: ({ given }) => [unload(given[0].documents)],
    answer: ({ given, request }) => decide(given[0].documents, "p", request.now),
    view: ({ results }) => results.map(({ group, clusters }) => ({ group, clusters })),
  },
  plan: {
    share: 6,
    generate: planCases.generate,
    isFine: ({ given }) =>
      ["PluginDefinition", "FederatedTypeConfig"].some((kind) => given[1].documents.some((it) => it.kind === kind)),
    after: ({ given }) => [
      unload(given[1].documents),
      ...given.slice(2).map(({ live }) => ({ op: "load", live, complete: true, documents: [] })),
    ],
    answer: ({ dialect, given }) => {
      const { documents } = given[1];
      const live = given.slice(2);
      if (dialect === "greenhouse") return actionsOf(planPreset(documents, live[0].documents));
      return actionsOf(planFederated(documents, Object.fromEntries(live.map((it) => [it.live, it.documents[0]]))));
    },
    view: ({ actions, held }, { given }) => {
      const liveOf = (action) =>
        given.find((it) => it.live === action.cluster)?.documents.find((it) => it.metadata.name === action.target.name);
      const objectOf = (action) => (action.verb === "patch" ? patch(liveOf(action), action.patch) : action.body);
      const read = (action) => ({
        verb: action.verb,
        cluster: action.cluster,
        name: action.target.name,
        object: objectOf(action),
        held: action.held ? true : undefined,
      });
      return actionsOf([...actions, ...held].map(read));
    },
  },
};

/** Takes documents out of the workspace again. */
function unload(documents) {
  return {
    op: "unload",
    refs: documents.map(({ kind, metadata: { namespace, name } }) => [kind, namespace, name].filter(Boolean).join("/")),
  };
}

/** Actions in one order, without the record of what was applied. */
function actionsOf(actions) {
  const plain = actions.map((action) => {
    const annotations = { ...action.object?.metadata.annotations };
    if (!Object.hasOwn(annotations, APPLIED)) return action;
    delete annotations[APPLIED];
    const metadata = {
      ...action.object.metadata,
      annotations: Object.keys(annotations).length > 0 ? annotations : undefined,
    };
    return { ...action, object: { ...action.object, metadata } };
  });
  return plain.sort((one, other) => (`${one.cluster} ${one.name}` < `${other.cluster} ${other.name}` ? -1 : 1));
}
