// Stories in which the policy asks its host: for the documents of the cluster, and who may do what.
import { CAN_I, LIST, ask, webhook } from "./kubewarden-hosts.mjs";
import { review } from "./kubewarden-cases.mjs";

const GROUP = "cluster.open-cluster-management.io";
const LABEL = `${GROUP}/clusterset`;
const set = (name, spec = {}) => ({
  apiVersion: `${GROUP}/v1beta2`,
  kind: "ManagedClusterSet",
  metadata: { name },
  spec,
});
const FLEET = [
  { apiVersion: `${GROUP}/v1`, kind: "ManagedCluster", metadata: { name: "c1", labels: {} } },
  set("dev"),
  set("qa"),
];

const granted = { operation: CAN_I, answer: { allowed: true } };
const denied = { operation: CAN_I, answer: { allowed: false, reason: "no role" } };

const named = ({ group, kind }, version) => ({ api_version: group ? `${group}/${version}` : version, kind });
const kindsOf = (dialects) => ask([{ op: "kinds", dialects }])[0].ok.kinds.filter((it) => !it.kind.endsWith("*"));

/** A host that lists the documents, each kind in the best version, without saying of what kind the items are. */
function lists(dialects, documents) {
  return kindsOf(dialects).map((kind) => {
    const when = named(kind, kind.versions[0]);
    const items = documents
      .filter((it) => it.kind === kind.kind && it.apiVersion === when.api_version)
      .map(({ apiVersion, kind, ...rest }) => rest);
    return {
      operation: LIST,
      when,
      answer: { apiVersion: when.api_version, kind: `${kind.kind}List`, metadata: {}, items },
    };
  });
}

const judged = (settings, script, request = review()) => ({
  op: "validate",
  payload: JSON.stringify({ request, settings }),
  script,
});
const listed = (calls) => calls.filter((it) => it.operation === LIST).map((it) => it.request.kind);

/** A story: what is asked, what the webhook says where it knows the same documents, and what else must hold. */
export function stories() {
  const ocm = { dialects: ["ocm"], context: true };
  const known = (settings, documents, script, request = review()) =>
    webhook({ ...settings, documents }, request, script);
  const all = lists(["ocm"], FLEET);
  const broken = (line, settings = ocm) => judged(settings, [line, ...all, granted]);
  const sets = { kind: "ManagedClusterSet" };

  return {
    "what is not granted is denied, with the fleet of the cluster": {
      ...judged(ocm, [...all, denied]),
      want: known(ocm, FLEET, [denied]),
      holds: ({ calls, answer }, assert) => {
        assert.deepEqual(
          listed(calls).sort(),
          kindsOf(["ocm"])
            .map((it) => it.kind)
            .sort(),
        );
        assert.match(answer.message, /by which the cluster would join the cluster set dev/);
        assert.deepEqual(answer.audit_annotations, { code: "not-granted", joins: "dev" });
        const [first] = calls.filter((it) => it.operation === CAN_I);
        const attributes = {
          group: GROUP,
          resource: "managedclusters",
          subresource: "label",
          name: `${LABEL}:dev`,
          verb: "create",
        };
        const { username: user, groups, uid, extra } = review().userInfo;
        assert.deepEqual(first.request, {
          disable_cache: true,
          subject_access_review: { user, groups, uid, extra, resource_attributes: attributes },
        });
        const { request } = calls.find((it) => it.request.kind === "ManagedClusterSet");
        assert.deepEqual(request, {
          api_version: `${GROUP}/v1beta2`,
          kind: "ManagedClusterSet",
          label_selector: null,
          field_selector: null,
          field_masks: null,
        });
      },
    },
    "what is granted is accepted": { ...judged(ocm, [...all, granted]), want: known(ocm, FLEET, [granted]) },
    "only the kinds that are named are read": {
      ...judged({ ...ocm, context: ["ManagedClusterSet", `ManagedCluster.${GROUP}`] }, [...all, denied]),
      want: known(ocm, FLEET, [denied]),
      holds: ({ calls }, assert) => assert.deepEqual(listed(calls).sort(), ["ManagedCluster", "ManagedClusterSet"]),
    },
    "without context nothing is read": {
      ...judged({ dialects: ["ocm"], documents: FLEET }, [denied]),
      want: known(ocm, FLEET, [denied]),
      holds: ({ calls }, assert) => assert.deepEqual(listed(calls), []),
    },
    "an older version is read where the better one is not served": {
      ...broken({ operation: LIST, when: { ...sets, api_version: `${GROUP}/v1beta2` }, error: "not served" }),
      script: [
        { operation: LIST, when: { ...sets, api_version: `${GROUP}/v1beta2` }, error: "not served" },
        {
          operation: LIST,
          when: { ...sets, api_version: `${GROUP}/v1beta1` },
          answer: { items: [set("dev", { clusterSelector: { selectorType: "LegacyClusterSetLabel" } })] },
        },
        ...all,
        denied,
      ],
      refused: [403, /by which the cluster would join the cluster set dev/],
    },
    "what the cluster has counts before what the settings have": {
      ...judged(
        {
          ...ocm,
          documents: [
            set("dev", {
              clusterSelector: { selectorType: "LabelSelector", labelSelector: { matchLabels: { a: "b" } } },
            }),
          ],
        },
        [...all, denied],
      ),
      want: known(ocm, FLEET, [denied]),
    },
    "documents tell of further kinds to read": {
      ...judged(
        { dialects: ["kubefed"], context: true },
        [
          ...lists(["kubefed"], [typeConfig]),
          {
            operation: LIST,
            when: { api_version: "types.example.org/v1", kind: "SpreadService" },
            answer: { items: [] },
          },
        ],
        spread,
      ),
      want: known({ dialects: ["kubefed"] }, [typeConfig], [], spread),
      holds: ({ calls }, assert) => assert.ok(listed(calls).includes("SpreadService"), listed(calls).join()),
    },
    "a kind that cannot be listed is a rejection": {
      ...broken({ operation: LIST, when: sets, error: "the connection was lost" }),
      refused: [
        503,
        /does not list ManagedClusterSet of .*v1beta2: .*the connection was lost; let `context` name the kinds/,
      ],
    },
    "a list that is no JSON is a rejection": {
      ...broken({ operation: LIST, when: sets, answer: "<html>" }),
      refused: [503, /its answer cannot be read/],
    },
    "a list that is empty bytes is a rejection": {
      ...broken({ operation: LIST, when: sets, answer: "" }),
      refused: [503, /its answer cannot be read/],
    },
    "a list without items is a rejection": {
      ...broken({ operation: LIST, when: sets, answer: { kind: "Status", status: "Failure" } }),
      refused: [503, /its list has no `items`/],
    },
    "a list that goes on is a rejection": {
      ...broken({ operation: LIST, when: sets, answer: { metadata: { continue: "next" }, items: [] } }),
      refused: [503, /its list is incomplete/],
    },
    "a failure is told on one line, and not at any length": {
      ...broken({ operation: LIST, when: sets, error: `first\nsecond ${"x".repeat(5_000)}` }),
      refused: [503, /^[^\n]*first second x{100}[^\n]*$/],
      holds: ({ answer }, assert) => assert.ok(answer.message.length < 1_500, `${answer.message.length}`),
    },
    "a host that lists nothing is a rejection": { ...judged(ocm, []), refused: [503, /unknown operation/] },
    "a kind that the cluster does not serve is a rejection": {
      ...judged({ context: true }, [...all, granted]),
      refused: [503, /`dialects` the systems that it has/],
    },
    "a review that fails is a rejection": {
      ...judged(ocm, [...all, { operation: CAN_I, error: "forbidden" }]),
      refused: [503, /an access review failed: .*forbidden; where the host has no `can_i`, set `permissions: roles`/],
    },
    "a host without reviews is a rejection": { ...judged(ocm, all), refused: [503, /unknown operation/] },
    "a review that is no JSON is a rejection": {
      ...judged(ocm, [...all, { operation: CAN_I, answer: "yes" }]),
      refused: [503, /its answer cannot be read/],
    },
    "a review that says nothing is a rejection": {
      ...judged(ocm, [...all, { operation: CAN_I, answer: {} }]),
      refused: [503, /its answer has no `allowed`/],
    },
    "a review that does not say it as it should is a rejection": {
      ...judged(ocm, [...all, { operation: CAN_I, answer: { allowed: "true" } }]),
      refused: [503, /its answer has no `allowed`/],
    },
  };
}

const typeConfig = {
  apiVersion: "core.kubefed.io/v1beta1",
  kind: "FederatedTypeConfig",
  metadata: { name: "services", namespace: "kube-federation-system" },
  spec: {
    federatedType: {
      group: "types.example.org",
      version: "v1",
      kind: "SpreadService",
      pluralName: "spreadservices",
      scope: "Namespaced",
    },
    targetType: { version: "v1", kind: "Service", pluralName: "services", scope: "Namespaced" },
    propagation: "Enabled",
  },
};

/** A federated object of a kind that only the type config tells of, with a retention path that means nothing. */
const spread = {
  ...review(),
  kind: { group: "types.example.org", version: "v1", kind: "SpreadService" },
  name: "web",
  namespace: "shop",
  operation: "CREATE",
  oldObject: null,
  object: {
    apiVersion: "types.example.org/v1",
    kind: "SpreadService",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      template: { spec: {} },
      placement: {},
      overrides: [{ clusterName: "a", clusterOverrides: [{ path: "/metadata/name", value: "b" }] }],
    },
  },
};
