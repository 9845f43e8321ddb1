// Generated from the JSON Schema of the contract by `npm run types`. Do not edit.

/** A value. Integers beyond 2^53 are BigInts if requested. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** One action. Actions of one wave may run in parallel. */
export interface ActionAnswer {
  body?: Redacted;
  cluster: string;
  /** Why it is held. */
  held?: HeldReason;
  /** Stable as long as the action does not change. */
  id: string;
  /** Operations on the live object. */
  patch?: OperationAnswer[];
  precondition?: Precondition;
  reason: ActionReason;
  subject: string;
  /** The subresource that the patch is sent to, such as `status`; left out for the object itself. */
  subresource?: string;
  /** What it deletes, which counts against the limits; left out if it deletes nothing, or the request has no `recentDeletes`. */
  takes?: TakesAnswer;
  target: TargetAnswer;
  /** `create`, `patch` or `delete`. */
  verb: string;
  wave: number;
}

/** How many actions of each kind. */
export interface ActionCounts {
  create: number;
  delete: number;
  held: number;
  /** How many objects must be read before the plan is complete. */
  needs: number;
  patch: number;
}

/** The reason for an action. */
export interface ActionReason {
  code: string;
  differences?: DifferenceAnswer[];
  text: string;
}

/** One value that was added. */
export interface AddedAnswer {
  /** A JSON pointer into the object. */
  path: string;
  value: Redacted;
}

/** The verdict. While there are `needs` it is not final: send the request again with the answers to all of them. */
export interface AdmitAnswer {
  allowed: boolean;
  /** The stable code of the first reason for a denial. */
  code?: string;
  /** The sets that the cluster would join, by name. */
  joins?: string[];
  /** The sets that the cluster would leave, by name. */
  leaves?: string[];
  /** Why it is denied and what to do, in one line. */
  message?: string;
  /** The SubjectAccessReviews that must be answered first. */
  needs?: Redacted[];
  /** Warnings for the user, whether allowed or not: at most 20, each of at most 120 characters. */
  warnings?: string[];
}

/** Limits of one change or deletion: what it may do to clusters before it is denied. An absent limit does not apply. */
export interface AdmitLimits {
  /** Objects that it may change or add. */
  changes?: number;
  /** The same as a share of all objects that clusters get. */
  deletePercent?: number;
  /** Objects that it may delete from clusters; the smaller of number and share counts. */
  deletes?: number;
}

/** Reviews a change of an object against the loaded documents. The workspace itself is not changed. */
export interface AdmitRequest {
  limits?: AdmitLimits;
  /** The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come. */
  now?: string;
  op: "admit";
  /** What decides on permissions that no review covers: `reviews`, the default, requests more reviews; `roles` uses the loaded ClusterRoles and ClusterRoleBindings, and needs none. */
  permissions?: Permissions;
  /** The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it. */
  request: Json;
  /** Answers to the access reviews that were needed, all of them. */
  reviews?: AuthorizeReview[];
}

/** The result of adopting. */
export interface AdoptAnswer {
  /** `create`, `append-owner`, `none` (it is an owner already) or `fatal` (the live object differs). */
  action: string;
  /** Why adopting is refused. */
  differences: DifferenceAnswer[];
  /** The desired object; left out if adopting is refused. */
  object?: Redacted;
  /** The operations on the live object. */
  patch: OperationAnswer[];
}

/** Makes an owner one of the owners of an object. */
export interface AdoptRequest {
  /** The object that the owner needs. */
  desired: Json;
  /** The live object, or null if it was read and not found. */
  live: Json;
  /** `compat`: refuses an owner that Kubernetes does not allow, instead of recording a claim. */
  mode?: Mode;
  op: "adopt";
  owner: OwnerInput;
}

/** Whether the change is allowed, and what it does. */
export interface AuthorizeAnswer {
  /** Whether every check is granted. */
  allowed: boolean;
  /** By label key; for one key, the removed label first. */
  checks: AuthorizeCheck[];
  /** The sets that the cluster joins, by name. */
  joins: string[];
  /** The sets that the cluster leaves, by name. */
  leaves: string[];
  /** The SubjectAccessReviews that are missing; left out when there are none. */
  needs?: Redacted[];
  /** Whether the user may write the ManagedCluster at all, where roles or bindings are given. `allowed` is about labels alone. */
  object?: AuthorizeObject;
}

/** One label that is added or removed, or a set that is bound. */
export interface AuthorizeCheck {
  /** The permissions that were checked, up to the one that grants: `resource/subresource name`. */
  asked: string[];
  /** `add`, `remove` or `bind`. */
  change: string;
  granted: boolean;
  /** The rule that granted it, if documents decided. */
  grantedBy?: AuthorizeGrant;
  /** `key:value`, or the name of the set. */
  label: string;
}

/** The rule that granted, or the group that may do everything. */
export interface AuthorizeGrant {
  /** The bound role, if it aggregates the one with the rule. */
  aggregatedBy?: string;
  binding?: string;
  group?: string;
  /** The role with the rule. */
  role?: string;
  /** The index of the rule in its role. */
  rule?: number;
}

/** Whether the user may create, update or delete the ManagedCluster, whatever its labels. */
export interface AuthorizeObject {
  granted: boolean;
  grantedBy?: AuthorizeGrant;
  /** What the user may do, and whether the change needs a permission on labels. */
  text: string;
  /** `create`, `update` or `delete`. */
  verb: string;
}

/** Checks whether a user may make a label change, and which sets the cluster joins and leaves. */
export interface AuthorizeRequest {
  /** ManagedClusterSets, and the ClusterRoles and ClusterRoleBindings that decide if there are no reviews. */
  documents?: Json[];
  /** `compat`: the answer of Open Cluster Management. */
  mode?: Mode;
  /** The ManagedCluster after the change; null when it is deleted. */
  new?: Json;
  /** The ManagedCluster before the change; null when it is created. */
  old?: Json;
  op: "authorize";
  /** Answers to access reviews, which decide instead of roles and bindings. Without reviews and documents, all of them are returned under `needs`. */
  reviews?: AuthorizeReview[];
  /** `full` when left out. */
  stage?: Stage;
  user: AuthorizeUser;
}

/** The answer to an access review. */
export interface AuthorizeReview {
  allowed: boolean;
  name: string;
  resource: string;
  subresource: string;
  verb: string;
}

/** The user who makes the change. */
export interface AuthorizeUser {
  /** All groups of the user. Left out: those that the name implies, as with `kubectl --as`. */
  groups?: string[];
  name: string;
}

/** The layer that decides a value, and its place. */
export interface CauseAnswer {
  column?: number;
  document?: string;
  file?: string;
  layer: string;
  line?: number;
  path?: string;
}

/** One value that would change. */
export interface ChangeAnswer {
  after?: Redacted;
  afterFrom?: Redacted;
  before?: Redacted;
  beforeFrom?: Redacted;
  /** The layer that decides it. */
  cause?: CauseAnswer;
  object?: string;
  /** An option path, or a JSON pointer into the object. */
  path: string;
  /** True for an object that stays, without its owner; left out otherwise. */
  released?: boolean;
}

/** Clusters with the same changes. */
export interface ChangeGroup {
  change: ChangeKind;
  changes: ChangeAnswer[];
  clusters: string[];
  subject: string;
}

/** How the results of clusters change. */
export type ChangeKind = "changed" | "fails" | "heals" | "joins" | "leaves";

/** One cluster. */
export interface ClusterAnswer {
  kind: string;
  labels: { [key: string]: string };
  name: string;
  /** If the kind has one. */
  namespace?: string;
  /** The sets it belongs to, by name. */
  sets?: string[];
  /** The cluster is unreachable: the reason that the host gave, which may be empty. */
  unreachable?: string;
}

/** A place where they differ. */
export interface ClusterDifference {
  /** The layer that makes the difference. */
  cause?: CauseAnswer;
  left?: Redacted;
  leftFrom?: Redacted;
  object?: string;
  /** An option path, or a JSON pointer into the object. */
  path: string;
  right?: Redacted;
  rightFrom?: Redacted;
}

/** A cluster to pick from. */
export interface ClusterInput {
  labels?: { [key: string]: string };
  name: string;
  /** The fields that Karmada's field selector reads. */
  provider?: string;
  region?: string;
  zones?: string[];
}

/** By name, then namespace, then kind. */
export interface ClustersAnswer {
  clusters: ClusterAnswer[];
  /** The loaded sets that can be read, by name; left out if there are none. */
  sets?: SetAnswer[];
}

/** The loaded clusters. */
export interface ClustersRequest {
  op: "clusters";
  /** Only the clusters that this selector picks, in any form that `select` takes. */
  selector?: Json;
}

/** An object that the garbage collector would delete. It counts as one of the deletes. */
export interface Collected {
  object: string;
  owner: string;
}

/** Changes settings; those left out stay as they are. */
export interface Configure {
  /** The dialects whose documents count: `greenhouse`, `ocm`, `kubefed`, `kudo`, `certmanager`. */
  dialects?: string[];
  /** The key for the values of Secrets in the digest and the action ids of a plan: without the key, a value cannot be guessed from them. Without a key the plain values are hashed; an empty key removes it. */
  digestKey?: string;
  /** Whether Greenhouse evaluates expressions. */
  expressions?: boolean;
  /** Whether credentials are sent to members without TLS or with a certificate that is not checked. */
  insecureEndpoints?: boolean;
  /** Settings of KubeFed. */
  kubefed?: KubeFedInput;
  /** What happens to objects when a cluster leaves the fleet: to the copies in a KubeFed cluster, unless its annotation `fleetfold.dev/leaving` overrides this, and to the Plugins of a Greenhouse cluster whose document is absent. */
  leaving?: Leaving;
  limits?: LimitsInput;
  /** `strict` (upstream bugs fixed) or `compat` (bug for bug). */
  mode?: Mode;
  /** Whether the whole fleet is paused. */
  paused?: boolean;
  /** Whether workloads restart for renewed secrets. */
  podRefresher?: boolean;
  /** Which of two PluginOverrides takes precedence. */
  precedence?: Precedence;
  /** The documents to quarantine, as `Kind/namespace/name`, or `*` for every subject. They stay loaded, nothing is computed or planned for them, and what they govern keeps its last state. The list replaces the previous one. */
  quarantined?: string[];
  /** Which rules cluster sets follow. */
  stage?: Stage;
}

/** Changes settings; those left out stay as they are. */
export interface ConfigureRequest {
  /** The dialects whose documents count: `greenhouse`, `ocm`, `kubefed`, `kudo`, `certmanager`. */
  dialects?: string[];
  /** The key for the values of Secrets in the digest and the action ids of a plan: without the key, a value cannot be guessed from them. Without a key the plain values are hashed; an empty key removes it. */
  digestKey?: string;
  /** Whether Greenhouse evaluates expressions. */
  expressions?: boolean;
  /** Whether credentials are sent to members without TLS or with a certificate that is not checked. */
  insecureEndpoints?: boolean;
  /** Settings of KubeFed. */
  kubefed?: KubeFedInput;
  /** What happens to objects when a cluster leaves the fleet: to the copies in a KubeFed cluster, unless its annotation `fleetfold.dev/leaving` overrides this, and to the Plugins of a Greenhouse cluster whose document is absent. */
  leaving?: Leaving;
  limits?: LimitsInput;
  /** `strict` (upstream bugs fixed) or `compat` (bug for bug). */
  mode?: Mode;
  op: "configure";
  /** Whether the whole fleet is paused. */
  paused?: boolean;
  /** Whether workloads restart for renewed secrets. */
  podRefresher?: boolean;
  /** Which of two PluginOverrides takes precedence. */
  precedence?: Precedence;
  /** The documents to quarantine, as `Kind/namespace/name`, or `*` for every subject. They stay loaded, nothing is computed or planned for them, and what they govern keeps its last state. The list replaces the previous one. */
  quarantined?: string[];
  /** Which rules cluster sets follow. */
  stage?: Stage;
}

/** The extent of the change. */
export interface Counts {
  changed: number;
  /** All clusters of the fleet, before or after the change. */
  clusters: number;
  /** How many of the changed clusters only keep their last state, because nothing can be computed for them any more; left out if there are none. */
  kept?: number;
  /** Clusters for which the change has no effect because something hides it. */
  shadowed: number;
  /** Subjects whose results would change. */
  subjects: number;
}

/** The object with its defaults. */
export interface DefaultsAnswer {
  /** The added values; left out if there are none. As `add` operations of a JSON patch, in this order, they turn the given object into the answer's. */
  added?: AddedAnswer[];
  /** The object to store. If nothing was added, it is the given object with Secrets redacted, and there is nothing to store. */
  object?: Redacted;
}

/** Adds what Greenhouse's defaulting webhook would add to an object: labels, names, and for a Plugin the options with a default in its definition. Only missing fields are added, so repeating the request adds nothing. */
export interface DefaultsRequest {
  op: "defaults";
  /** The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it. */
  request: Json;
}

/** The engine's version, ops and schema. */
export interface DescribeRequest {
  op: "describe";
}

/** This engine. */
export interface Description {
  /** The version of the contract. */
  contract: number;
  /** A digest over the engine's source, which identifies the engine: a module cannot contain its own hash. It is the same in every build from the same source. */
  digest: string;
  /** The names of all ops. */
  ops: string[];
  /** The JSON Schema of every request and answer. */
  schema: Redacted;
  /** The version of the engine. */
  version: string;
}

/** By path. */
export interface DiffAnswer {
  differences: ClusterDifference[];
}

/** Compares the results of two clusters for a subject. */
export interface DiffRequest {
  left: string;
  /** The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come. */
  now?: string;
  op: "diff";
  right: string;
  subject: string;
}

/** A place where live does not contain desired. */
export interface DifferenceAnswer {
  desired?: Redacted;
  /** `changed`, `missing`, `order`, `extra` or `immutable`. */
  kind: string;
  live?: Redacted;
  /** The place in the desired object; for `extra`, in the live one. */
  path: string;
}

/** By first cluster. */
export interface EffectiveAnswer {
  results: ResultAnswer[];
  /** Of a ManagedClusterSet: how it selects clusters, and who may use it. */
  set?: SetAnswer;
  subject: string;
}

/** The result of each cluster for a subject. */
export interface EffectiveRequest {
  /** Only these clusters. */
  clusters?: string[];
  /** The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come. */
  now?: string;
  op: "effective";
  /** Also return the origin of every value. */
  origins?: boolean;
  /** Include the contents of Secrets; only for writing objects to files or clusters. Origins stay redacted. */
  reveal?: boolean;
  /** The subject: a PluginPreset, a federated object, a Placement and so on. */
  subject: string;
}

/** An endpoint of a cluster: a server with a token, or a kubeconfig. */
export interface EndpointAnswer {
  /** The CA bundle of the server, in base64. */
  caBundle?: string;
  /** The document of the endpoint. */
  document: string;
  /** The server may have no TLS, or a certificate that is not checked. */
  insecure?: boolean;
  kubeconfig?: SecretKeys;
  proxyUrl?: string;
  server?: string;
  /** The server's certificate is not checked. */
  skipTlsVerify?: boolean;
  token?: SecretKey;
}

/** An event for the object of a status. */
export interface EventAnswer {
  note: string;
  reason: string;
  /** `Normal` or `Warning`. */
  type: string;
}

/** The explanation. Its fields depend on the request. */
export interface ExplainAnswer {
  action?: ActionAnswer;
  allowed?: boolean;
  /** Every layer that sets the value, winner first. */
  chain?: LinkAnswer[];
  checks?: AuthorizeCheck[];
  joins?: string[];
  leaves?: string[];
  /** Whether the user may update the ManagedCluster at all, where roles are loaded. `allowed` is about labels alone. */
  object?: AuthorizeObject;
  reasons?: ReasonAnswer[];
  /** Whether the subject picks the cluster. */
  selected?: boolean;
  value?: Redacted;
  valueFrom?: Redacted;
}

/** Explains a decision. With `subject`, `cluster` and `path`: the origin of a value. Without `path`: why the cluster is selected or not. With `action`: the reason for an action. With `user`, `cluster` and `labels`: whether and why a user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters. */
export interface ExplainRequest {
  /** The id of an action of the plan. */
  action?: string;
  cluster?: string;
  /** The labels to set; null removes one. */
  labels?: { [key: string]: Json };
  /** The time, in RFC 3339; for an action, that of its plan. */
  now?: string;
  /** `Kind/namespace/name`, if the subject produces several objects. */
  object?: string;
  op: "explain";
  /** An option path, or a JSON pointer into the object. */
  path?: string;
  /** The set to bind. */
  set?: string;
  subject?: string;
  user?: AuthorizeUser;
}

/** Why a cluster is selected or not. */
export interface Explained {
  name: string;
  reasons: ReasonAnswer[];
  selected: boolean;
}

/** A finding beside the answer. */
export interface Finding {
  at?: PlaceAnswer;
  /** The stable name of the finding. */
  code: string;
  /** What to do about it. */
  hint?: string;
  /** The message of the finding. */
  message: string;
  severity: Severity;
}

/** The effective options of one cluster. */
export interface FoldAnswer {
  /** By path. */
  options: OptionAnswer[];
  /** For each option the layers that set it, winner first. */
  origins: { [key: string]: OriginAnswer[] };
  /** The tree that Helm would get; references are left out. */
  values: Redacted;
}

/** Folds layers, lowest first. */
export interface FoldRequest {
  /** The cluster that `when` is evaluated for. */
  cluster?: ClusterInput;
  /** The layers in order; later ones win. */
  layers: LayerInput[];
  /** `compat`: the answer of Greenhouse. */
  mode?: Mode;
  op: "fold";
}

/** A decision group of a placement. */
export interface GroupAnswer {
  index: number;
  name?: string;
}

/** Why an action is held, and how to release it. */
export interface HeldReason {
  code: string;
  hint: string;
  text: string;
}

/** One kind of documents. */
export interface KindAnswer {
  /** The operations that an admission webhook must see. */
  admits?: string[];
  /** The dialects that read it. */
  dialects: string[];
  /** Empty for the core group. */
  group: string;
  /** Ends in `*` if it covers every kind of the group with this prefix. */
  kind: string;
  /** Only these objects are documents; in kubectl's syntax. */
  labelSelector?: string;
  /** Left out if `kind` covers several; use the server's discovery. */
  plural?: string;
  /** `Namespaced` or `Cluster`; left out if `kind` covers several. */
  scope?: string;
  /** Whether the kind has the subresource `status`. */
  statusSubresource: boolean;
  /** The supported versions, preferred first. */
  versions: string[];
}

/** By group and kind. */
export interface KindsAnswer {
  kinds: KindAnswer[];
}

/** The kinds of documents that dialects read on the hub. */
export interface KindsRequest {
  /** The dialects, enabled or not; by default the enabled ones. */
  dialects?: string[];
  op: "kinds";
}

/** Settings of KubeFed. */
export interface KubeFedAnswer {
  localChanges: LocalChanges;
  /** The namespaces whose KubeFedClusters are members. */
  namespaces: string[];
}

/** Settings of KubeFed. */
export interface KubeFedInput {
  /** What an update does to fields that another field manager set and that no rule retains. */
  localChanges?: LocalChanges;
  /** The namespaces of KubeFed's control planes. A KubeFedCluster elsewhere is not a member: its Secret is not read. */
  namespaces?: string[];
}

/** A label. */
export interface LabelAnswer {
  key: string;
  value: string;
}

/** The value of one layer, and its place. */
export interface LayerAnswer {
  column?: number;
  document?: string;
  file?: string;
  layer: string;
  line?: number;
  path?: string;
  value?: Redacted;
  valueFrom?: Redacted;
  /** The option that the layer sets, if it is a parent of this one. */
  via?: string;
}

/** One source of values. */
export interface LayerInput {
  name: string;
  set: SettingInput[];
  /** For which clusters, as a selector of any form; without it, for all. */
  when?: Json;
}

/** Whether the value of a layer is used. */
export type LayerState = "wins" | "shadowed" | "not-applied" | "merged" | "retained";

/** What becomes of what a cluster was given when it leaves the fleet. */
export type Leaving = "orphan" | "delete";

/** The limits of one plan; beyond them, actions are held. */
export interface LimitsAnswer {
  changes?: number;
  deletePercent: number;
  deletes: number;
  emptySelection: boolean;
  protectedKinds: string[];
  windowSeconds: number;
}

/** The limits of one plan; beyond them, actions are held. */
export interface LimitsInput {
  /** Creates and patches in one plan. */
  changes?: number;
  /** Deletes as a share of the objects that the subjects manage, from 0 to 100. */
  deletePercent?: number;
  /** Deletes in one plan; the smaller of number and share counts. */
  deletes?: number;
  /** Whether a subject may lose all its objects at once: because it selects no cluster, or others than before. */
  emptySelection?: boolean;
  /** Kinds to protect in addition. */
  protect?: string[];
  /** Kinds that are not deleted unless the object allows it. Replaces the previous list. */
  protectedKinds?: string[];
  /** Kinds to stop protecting. */
  unprotect?: string[];
  /** For how many seconds deletes of earlier plans count against the next one; 0 counts each plan separately. */
  windowSeconds?: number;
}

/** The value of one layer. */
export interface LinkAnswer {
  /** Why it is above the next layer. */
  beats?: string;
  column?: number;
  document?: string;
  file?: string;
  layer: string;
  line?: number;
  path?: string;
  /** Why the layer does not apply. */
  reason?: ReasonAnswer;
  /** The rule that retains the live value. */
  rule?: RuleAnswer;
  state: LayerState;
  value?: Redacted;
  valueFrom?: Redacted;
}

/** The number of findings. */
export interface LintAnswer {
  documents: number;
  errors: number;
  infos: number;
  warnings: number;
}

/** Checks all loaded documents. The findings are the diagnostics of the answer. */
export interface LintRequest {
  /** The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come. */
  now?: string;
  op: "lint";
}

/** Loads documents. One that cannot be read is reported and left out; the others are loaded. */
export interface Load {
  /** Objects that were read in the cluster and not found. */
  absent?: TargetInput[];
  /** The documents are edits of loaded ones, such as files over a hub: each keeps the `uid` and `creationTimestamp` of the document that it replaces, unless it has its own. */
  carry?: boolean;
  /** The objects are the complete result of the query; without a query, all objects of the cluster. */
  complete?: boolean;
  /** The documents, as objects. */
  documents?: Json[];
  /** The file name of the text, for locations. */
  file?: string;
  /** The cluster that the objects were read from; an empty name is the hub. */
  live?: string;
  /** The query that was listed. */
  query?: QueryInput;
  /** The error that the host got from the cluster. */
  reason?: string;
  /** The documents, as YAML or JSON text. */
  text?: string;
  /** The cluster is unreachable: its observed state is discarded, and nothing is planned for it. `false` or any observed object of the cluster ends this. */
  unreachable?: boolean;
  /** The text is the complete file: documents that were loaded from it before and are no longer in it are unloaded, unless a part of the text cannot be read. */
  whole?: boolean;
}

/** The result of loading. */
export interface LoadAnswer {
  /** How many clusters are loaded now. */
  clusters: number;
  /** How many documents were loaded, and how many of them replaced another. */
  loaded: number;
  replaced: number;
  /** With `whole`: how many documents were unloaded. */
  unloaded?: number;
}

/** Loads documents. One that cannot be read is reported and left out; the others are loaded. */
export interface LoadRequest {
  /** Objects that were read in the cluster and not found. */
  absent?: TargetInput[];
  /** The documents are edits of loaded ones, such as files over a hub: each keeps the `uid` and `creationTimestamp` of the document that it replaces, unless it has its own. */
  carry?: boolean;
  /** The objects are the complete result of the query; without a query, all objects of the cluster. */
  complete?: boolean;
  /** The documents, as objects. */
  documents?: Json[];
  /** The file name of the text, for locations. */
  file?: string;
  /** The cluster that the objects were read from; an empty name is the hub. */
  live?: string;
  op: "load";
  /** The query that was listed. */
  query?: QueryInput;
  /** The error that the host got from the cluster. */
  reason?: string;
  /** The documents, as YAML or JSON text. */
  text?: string;
  /** The cluster is unreachable: its observed state is discarded, and nothing is planned for it. `false` or any observed object of the cluster ends this. */
  unreachable?: boolean;
  /** The text is the complete file: documents that were loaded from it before and are no longer in it are unloaded, unless a part of the text cannot be read. */
  whole?: boolean;
}

/** A field of a live object that the desired object does not have. */
export interface LocalAnswer {
  /** The field managers that set it; none where that is unknown. */
  managers: string[];
  /** Where it is in the live object, as a JSON pointer. */
  path: string;
  /** Whether the next update keeps it. */
  stays: boolean;
  /** Why it stays or goes. */
  why: string;
}

/** What an update does to fields that others set on an object in a cluster, and that no rule retains. */
export type LocalChanges = "overwrite" | "keep";

/** Whether live contains desired, and where it does not. */
export interface MatchAnswer {
  /** In the order of the desired object. */
  differences: DifferenceAnswer[];
  /** By kind: the differences that no update can remove. */
  immutable?: DifferenceAnswer[];
  matches: boolean;
  /** By kind: the update as operations on the live object. */
  patch?: OperationAnswer[];
  /** By kind: the complete object to send, or null. */
  update?: Redacted;
}

/** How to compare. */
export type MatchMode = "strict" | "compat" | "threeWay";

/** Compares a desired object with a live one. */
export interface MatchRequest {
  /** The desired object. */
  desired: Json;
  /** In compat mode, which upstream: `certmanager` (the default) or `kubefed`. */
  dialect?: Upstream;
  /** The last applied object; required for `threeWay`. */
  lastApplied?: Json;
  /** The live object. */
  live: Json;
  /** `compat`: the answer of `dialect`. `threeWay`: also what was removed since `lastApplied`. */
  mode?: MatchMode;
  op: "match";
  /** `byKind`: only the differences that count for the kind, with the update for them. */
  policy?: Policy;
  /** The version that KubeFed recorded, such as `gen:3`. */
  recorded?: string;
}

/** How a value combines with the one below it. */
export type Merge = "replace" | "deep";

/** `strict` (upstream bugs fixed) or `compat` (bug for bug). */
export type Mode = "strict" | "compat";

/** The arguments of the component. */
export interface MoldAnswer {
  /** One `--name=value` for each flag, sorted by name. */
  args: string[];
}

/** Lays flags over a container's arguments, and checks them against what the component has in this version. */
export interface MoldRequest {
  /** The arguments that the flags are laid over. */
  base?: string[];
  /** `controller`, `webhook` or `cainjector`. */
  component: string;
  /** Values by flag name without dashes, or arguments `--name=value`. */
  flags: Json;
  /** `compat`: the arguments of the operators, which check nothing. */
  mode?: Mode;
  op: "mold";
  /** A release such as `v1.3.0`; the latest when left out. */
  version?: string;
}

/** An object to read, or without a name a list. */
export interface NeedAnswer {
  apiVersion: string;
  cluster: string;
  kind: string;
  labelSelector?: string;
  name?: string;
  namespace?: string;
}

/** One operation of RFC 6902. */
export interface OperationAnswer {
  op: Verb;
  path: string;
  value?: Redacted;
}

/** One effective option. */
export interface OptionAnswer {
  /** The layer that set it. */
  from: string;
  path: string;
  value?: Redacted;
  valueFrom?: Redacted;
}

/** The value of one layer for an option. */
export interface OriginAnswer {
  layer: string;
  /** Set if the value was merged into the one below. */
  merge?: Merge;
  value?: Redacted;
  valueFrom?: Redacted;
  /** The option that the layer sets, if it is a parent of this one. */
  via?: string;
}

/** The owner of an object. */
export interface OwnerInput {
  apiVersion: string;
  /** Whether it is the object's controller. */
  controller?: boolean;
  kind: string;
  name: string;
  /** Of a namespaced owner. */
  namespace?: string;
  uid: string;
}

/** The documents of the text. */
export interface ParseAnswer {
  /** All documents that are not empty, in order. */
  documents: Redacted[];
  /** For each document, the start of the value at each JSON pointer. Values below an alias have no place of their own. */
  places?: { [key: string]: ParsePlace }[];
}

/** A place in the text, counted from one. */
export interface ParsePlace {
  /** Counted in characters. */
  column: number;
  line: number;
}

/** Reads YAML or JSON text, one or many documents, the way kubectl reads it. */
export interface ParseRequest {
  /** The file name of the text, for locations. */
  file?: string;
  /** `compat`: of a duplicate key the last one wins, large integers are rounded, and ambiguous tokens are not reported. */
  mode?: Mode;
  op: "parse";
  /** Whether to return the place of each value. */
  places?: boolean;
  /** The text. */
  text: string;
}

/** The patched object. */
export interface PatchAnswer {
  object: Redacted;
}

/** One operation of RFC 6902. */
export interface PatchOperation {
  /** The source of `move` and `copy`. */
  from?: string;
  /** What to do; `replace` when left out. */
  op?: Verb;
  /** The place, as a JSON pointer. */
  path: string;
  /** The value of `add`, `replace` and `test`. */
  value?: Json;
}

/** Applies operations to an object, all or nothing. */
export interface PatchRequest {
  /** `compat`: the answer of KubeFed. */
  mode?: Mode;
  /** The object to change. */
  object: Json;
  op: "patch";
  /** The operations, in order. */
  patch: PatchOperation[];
}

/** Who decides permissions that no review covers: the API server, through further reviews, or the loaded roles. */
export type Permissions = "reviews" | "roles";

/** A place in a document. Unknown parts are left out. */
export interface PlaceAnswer {
  /** Counted in characters, from one. */
  column?: number;
  /** `Kind/namespace/name`. */
  document?: string;
  file?: string;
  line?: number;
  /** A JSON pointer. */
  path?: string;
}

/** A plan. */
export interface PlanAnswer {
  /** By wave, then subject, cluster and target. */
  actions: ActionAnswer[];
  /** SHA-256 over all actions, including held ones. */
  digest: string;
  held: ActionAnswer[];
  needs: NeedAnswer[];
  /** Statuses that differ from the desired ones. */
  status: StatusAnswer[];
}

/** Plans the actions of the subjects. */
export interface PlanRequest {
  /** Include the changed conditions of statuses, for events. */
  events?: boolean;
  /** Also report what `lint` finds. A runner that plans often leaves it out: it checks every document. */
  lint?: boolean;
  /** The time, in RFC 3339; without it, anything that depends on the time waits. */
  now?: string;
  op: "plan";
  /** Deletes of earlier plans. Those within `limits.windowSeconds` count against the limits of this plan. With the list, even an empty one, actions have `takes`. */
  recentDeletes?: RecentDeleteInput[];
  /** Include the contents of Secrets; only a runner needs them. */
  reveal?: boolean;
  /** Only a part of the fleet. With clusters, actions of a subject as a whole are left out. */
  scope?: ScopeInput;
}

/** Which differences count. */
export type Policy = "byKind";

/** Which of two PluginOverrides takes precedence. The seed contradicts itself: its text ranks one for a definition above one for clusters, its diagram the other way round. */
export type Precedence = "definition-over-cluster" | "cluster-over-definition";

/** The live object that the action is for: it must not be replaced or changed. */
export interface Precondition {
  resourceVersion?: string;
  uid?: string;
}

/** The documents as YAML. */
export interface PrintAnswer {
  /** For each document, its lines. */
  lines?: PrintLine[][];
  /** All documents, with a `---` between two of them. */
  text: string;
}

/** The kind of a part of a line, for its colour. A `mark` is a sign of YAML, a `word` is `true`, `false` or `null`. */
export type PrintKind = "space" | "mark" | "key" | "string" | "number" | "word";

/** A printed line. */
export interface PrintLine {
  /** A JSON pointer to the innermost value that starts or continues here. */
  path: string;
  /** The parts of the line, in order. */
  tokens: PrintToken[];
}

/** Prints documents as YAML that kubectl reads back as the same documents. Keys are sorted. */
export interface PrintRequest {
  /** The documents; any values. */
  documents: Json[];
  /** Whether to return the lines with their places, too. */
  lines?: boolean;
  op: "print";
  /** Print the contents of Secrets; by default they are redacted. */
  reveal?: boolean;
}

/** A part of a line. */
export interface PrintToken {
  kind: PrintKind;
  text: string;
}

/** A desired object of a cluster. */
export interface ProductAnswer {
  /** The place of the object before layers: values without an entry in `origins` come from there. */
  base?: PlaceAnswer;
  /** Fields of the live object that this object does not have, and that others set or may have set. */
  local?: LocalAnswer[];
  object: Redacted;
  /** By JSON pointer the layers that set a value, and retained values, winner first. */
  origins?: { [key: string]: LayerAnswer[] };
  /** The values retained from the live object. */
  retained?: RetainedField[];
  wave: number;
}

/** A list of objects of a cluster. */
export interface QueryInput {
  apiVersion: string;
  kind: string;
  /** In kubectl's syntax. */
  labelSelector?: string;
  /** Left out for all namespaces. */
  namespace?: string;
}

/** By name. */
export interface ReachAnswer {
  clusters: ReachableAnswer[];
}

/** The connections to the loaded clusters. */
export interface ReachRequest {
  op: "reach";
}

/** One cluster. Without an endpoint it cannot be read or changed. */
export interface ReachableAnswer {
  name: string;
  /** Why there is no further endpoint. */
  problem?: Refusal;
  /** In the order to try. */
  ways: EndpointAnswer[];
}

/** One condition and whether it holds. */
export interface ReasonAnswer {
  /** The stable name of the reason. */
  code: string;
  /** Whether the condition holds. */
  holds: boolean;
  text: string;
}

/** Deletes at one time. */
export interface RecentDeleteInput {
  /** The time, in RFC 3339; without it, they are within the window. */
  at?: string;
  /** How many clusters left a decision. */
  clusters?: number;
  /** How many objects. */
  objects?: number;
}

/** The redacted text. */
export interface RedactAnswer {
  /** The documents that hold Secrets, in order. */
  secrets: RedactSecret[];
  /** The text without their contents. */
  text: string;
}

/** Redacts the Secrets in a text of YAML or JSON, to show or to share it. The text keeps its number of lines, and other documents keep every byte, except for values that a loaded Secret holds. */
export interface RedactRequest {
  op: "redact";
  /** The text. */
  text: string;
}

/** A document that holds a Secret. */
export interface RedactSecret {
  /** The first line of the document. */
  line: number;
  /** `Kind/namespace/name`. Left out if the document cannot be read. */
  name?: string;
}

/** A value of an answer: the contents of Secrets are replaced in it. Answers hold their values as this type, so that none can forget the redaction. [`Redacted::revealing`] is for the few requests that ask for the contents, to write objects to clusters and files. Copies of what other Secrets hold are replaced when the answer is written: they are recognized by value. ``` use fleetfold_core::object::Redacted; use fleetfold_core::value::json; let secret = json::parse(r#"{"kind":"Secret","data":{"tls.key":"aGlkZGVu"}}"#)?; assert_eq!(Redacted::from(secret).text_at(&["data", "tls.key"]), "(masked)"); # Ok::<(), fleetfold_core::diagnostic::Error>(()) ``` */
export type Redacted = Json;

/** The workloads that restart and those that do not, both sorted by kind, namespace and name. */
export interface RefreshAnswer {
  patches: RefreshPatch[];
  skipped: RefreshSkip[];
}

/** One workload and the patch that restarts it. */
export interface RefreshPatch {
  /** Operations of RFC 6902. The label `…/time-restarted` is the time in UTC, written as `2026-01-31T09-30-00Z`. */
  patch: OperationAnswer[];
  reason: RefreshReason;
  target: RefreshTarget;
}

/** Why a workload restarts. */
export interface RefreshReason {
  /** `secret-renewed`. */
  code: string;
  /** The version that the workload recorded; left out when it recorded none. */
  recorded?: string;
  /** The name of the secret. */
  secret: string;
  text: string;
  /** The places of the workload that use the secret, as JSON pointers. */
  uses: string[];
  /** The version of the secret. */
  version: string;
}

/** Finds the workloads that must restart because the secret of a certificate was renewed. */
export interface RefreshRequest {
  /** `compat`: the answer of the cert-manager deployment operator. */
  mode?: Mode;
  /** The time, in RFC 3339. */
  now: string;
  op: "refresh";
  /** The live secret. Its contents are not read. */
  secret: Json;
  /** The workloads that may use it. */
  workloads: Json[];
}

/** One workload that does not restart. */
export interface RefreshSkip {
  reason: SkipReason;
  target: RefreshTarget;
}

/** A workload. */
export interface RefreshTarget {
  kind: string;
  name: string;
  namespace: string;
}

/** Why a request cannot be answered. */
export interface Refusal {
  /** Where: a JSON pointer into the request, or `line:column` of a text. */
  at?: string;
  /** The stable name of the error. */
  code: string;
  /** What to do about it. */
  hint?: string;
  /** The error message. */
  message: string;
}

/** The result of releasing. */
export interface ReleaseAnswer {
  /** `delete` (the last owner of a marked object), `remove-owner` or `none` (it is not an owner). */
  action: string;
  /** The operations on the live object. */
  patch: OperationAnswer[];
}

/** Drops an owner from the owners of an object. */
export interface ReleaseRequest {
  /** The live object. */
  live: Json;
  op: "release";
  owner: OwnerInput;
}

/** The result of some clusters, which is the same for all of them. */
export interface ResultAnswer {
  clusters: string[];
  /** Why there is no result for these clusters. */
  error?: Refusal;
  /** Of a placement: the decision group. */
  group?: GroupAnswer;
  /** These clusters keep their last state: a finding among the diagnostics says why nothing is planned. */
  kept?: boolean;
  objects?: ProductAnswer[];
  options?: OptionAnswer[];
  /** For each option the layers that set it, winner first. */
  origins?: { [key: string]: LayerAnswer[] };
  /** Options that differ inside the group because they name the cluster. */
  own?: { [key: string]: OptionAnswer[] };
  /** The tree that Helm would get; references are left out. */
  values?: Redacted;
}

/** The result, and the values that the live object gave. */
export interface RetainAnswer {
  /** The desired object with the retained values. */
  object: Redacted;
  /** The retained values, by path. */
  retained: RetainedField[];
}

/** Carries values of the live object over into the desired one. */
export interface RetainRequest {
  /** Whether the built-in rules apply; true by default. */
  builtin?: boolean;
  /** The desired object. */
  desired: { [key: string]: Json };
  /** In compat mode, which upstream: `kubefed` (the default) or `karmada`. */
  dialect?: Upstream;
  /** The live object; null before it is created. */
  live: Json;
  /** `compat`: the answer of the upstream. */
  mode?: Mode;
  op: "retain";
  /** Whether `spec.replicas` belongs to the cluster. */
  retainReplicas?: boolean;
  /** Rules beside the built-in ones. */
  rules?: RetainRules;
}

/** Further fields to retain if the template does not set them. */
export interface RetainRules {
  /** Retention paths, such as `spec.foo[].bar`. */
  fields?: string[];
  /** Keys of labels. */
  labels?: string[];
}

/** A value that the live object gave. */
export interface RetainedField {
  /** `always`, `conditional` or `union`. */
  mode: string;
  /** Where it is in the result, as a JSON pointer. */
  path: string;
  /** The built-in rule, the retention path, or `label:` and the key. */
  rule: string;
}

/** A rule that retains a live value. */
export interface RuleAnswer {
  /** The place of the rule; built-in rules have none. */
  at?: PlaceAnswer;
  /** `always`, `conditional` or `union`. */
  mode: string;
  /** The built-in rule, the retention path, or `label:` and the key. */
  name: string;
  /** Why the value belongs to the cluster. */
  note?: string;
}

/** A part of the fleet. */
export interface ScopeInput {
  clusters?: string[];
  subjects?: string[];
}

/** A key of a Secret of the hub. */
export interface SecretKey {
  key: string;
  name: string;
  namespace: string;
}

/** Keys of a Secret of the hub; the first existing one counts. */
export interface SecretKeys {
  keys: string[];
  name: string;
  namespace: string;
}

/** The picked clusters, sorted by name. */
export interface SelectAnswer {
  clusters: string[];
  /** With `why`: every cluster, sorted by name. */
  explained?: Explained[];
}

/** Which clusters a selector picks. */
export interface SelectRequest {
  /** The fleet to pick from. */
  clusters: ClusterInput[];
  /** In compat mode, which upstream; only `karmada` makes a difference, with its cluster affinities. */
  dialect?: Upstream;
  /** `compat`: the answer of `dialect`. */
  mode?: Mode;
  op: "select";
  /** A label selector object, a string in kubectl's `-l` syntax, a Greenhouse cluster selector, a KubeFed placement, a ManagedClusterSet document, or a list of them (any of). An empty one picks all, null picks none. */
  selector: Json;
  /** Also return for each cluster why it is selected or not. */
  why?: boolean;
}

/** How a ManagedClusterSet selects its clusters, and who may use it. */
export interface SetAnswer {
  /** Whether a cluster of the set is in no other set of the same key. */
  exclusive: boolean;
  /** The label that puts a cluster into the set, if it is exclusive. */
  exclusiveLabel?: LabelAnswer;
  name: string;
  /** Whether consumers may use it that also need the value of the clusterset label to be the name of the set, such as `submariner-addon`. */
  networkGroup: boolean;
  /** Whether consumers may use it that need sets which are exclusive by the clusterset label, such as `multicloud-operators-foundation`. */
  resourceGroup: boolean;
  /** As written; it may be empty. */
  selectorType: string;
}

/** One option that a layer sets. */
export interface SettingInput {
  /** `deep`: maps merge, null drops a key. */
  merge?: Merge;
  /** The option path, such as `image.tag`. */
  path: string;
  value?: Json;
  /** A reference instead of a value; it is not resolved. */
  valueFrom?: Json;
}

/** The current settings. */
export interface SettingsAnswer {
  dialects: string[];
  expressions: boolean;
  insecureEndpoints: boolean;
  /** Whether there is a key for digests. Left out if there is none. */
  keyedDigests?: boolean;
  kubefed: KubeFedAnswer;
  leaving: Leaving;
  limits: LimitsAnswer;
  mode: Mode;
  paused: boolean;
  podRefresher: boolean;
  precedence: Precedence;
  /** Left out where nothing is. */
  quarantined?: string[];
  stage: Stage;
}

/** How bad a finding is. */
export type Severity = "error" | "warning" | "info";

/** A value that is set without effect. */
export interface ShadowAnswer {
  /** The layer that hides it. */
  by: CauseAnswer;
  clusters: string[];
  object?: string;
  path: string;
  subject: string;
}

/** Why a workload does not restart. */
export interface SkipReason {
  /** The stable name of the reason. */
  code: string;
  text: string;
}

/** A file, and its contents. */
export interface SourceFile {
  file: string;
  /** Of observed objects, the cluster, as `load` takes it; empty for the hub. */
  live?: string;
  role: SourceRole;
}

/** The contents of a file. A `stray` file is below `live/`, but not in the folder of a cluster. `settings` are those of a document of the kind `Settings`; otherwise the file holds manifests. */
export type SourceRole = "manifests" | "settings" | "observed" | "stray" | "skipped";

/** The files with their contents. */
export interface SourcesAnswer {
  /** In the order of the request. */
  files: SourceFile[];
}

/** Classifies the files of a folder by name: manifests, settings, or objects that were observed in a cluster (`live/<cluster>/`, and `live/_hub/` for the hub). */
export interface SourcesRequest {
  /** The paths of the files, with `/` between names. */
  files: string[];
  /** The paths of the folders. Without any, it is the common folder of all files. */
  folders?: string[];
  op: "sources";
}

/** The stage of the hub's migration to sets by any label. `transitional`: sets by the clusterset label alone, and `join` and `label` both permit it. `full`: sets by any label, and `join` is deprecated. */
export type Stage = "transitional" | "full";

/** A desired status. */
export interface StatusAnswer {
  cluster: string;
  /** Conditions that change with it; left out if none does, or if not requested. */
  events?: EventAnswer[];
  status: Redacted;
  subject: string;
  target: TargetAnswer;
}

/** A subject. */
export interface SubjectAnswer {
  /** How many clusters it has results for; left out for a subject of the hub. */
  clusters?: number;
  dialect: string;
  /** Why it has no results. */
  error?: Refusal;
  /** Of a ManagedClusterSet: how it selects clusters, and who may use it. */
  set?: SetAnswer;
  subject: string;
}

/** By kind, namespace and name. */
export interface SubjectsAnswer {
  subjects: SubjectAnswer[];
}

/** The loaded subjects: documents that produce results. */
export interface SubjectsRequest {
  /** The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come. */
  now?: string;
  op: "subjects";
}

/** What an action deletes. */
export interface TakesAnswer {
  /** How many clusters leave a decision. */
  clusters: number;
  /** How many objects are deleted. */
  objects: number;
}

/** Names an object. */
export interface TargetAnswer {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}

/** Names an object of a cluster. */
export interface TargetInput {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
}

/** The result of unloading. */
export interface UnloadAnswer {
  /** How many clusters are loaded now. */
  clusters: number;
  unloaded: number;
}

/** Unloads documents. */
export interface UnloadRequest {
  op: "unload";
  /** `Kind/name`, `Kind/namespace/name`, or `Kind.group/…` if two groups have the kind. */
  refs: string[];
}

/** The upstream that compat mode reproduces. */
export type Upstream = "kubefed" | "karmada" | "greenhouse" | "ocm" | "certmanager";

/** The operations of RFC 6902. */
export type Verb = "add" | "remove" | "replace" | "test" | "move" | "copy";

/** What would change, and for which clusters. */
export interface WhatIfAnswer {
  /** The actions of the plan that the change adds. */
  actions: ActionCounts;
  /** Objects of the hub that the garbage collector would delete, because all of their owners are removed. */
  collected?: Collected[];
  counts: Counts;
  /** The findings that the change fixes; those that it brings are the diagnostics of the answer. */
  fixed?: Finding[];
  /** Clusters with the same changes, most clusters first. */
  groups: ChangeGroup[];
  /** The changed documents with new errors: the engine refuses them, and nothing is planned for what they govern. */
  refused?: string[];
  /** Values that the change sets without effect, and what hides them. */
  shadowed: ShadowAnswer[];
}

/** A change to evaluate. */
export interface WhatIfRequest {
  /** Settings to change. */
  configure?: Configure;
  /** Also report what `lint` finds in documents that the change does not reach, such as a reference that it breaks. */
  lint?: boolean;
  /** Documents to add or replace; a list is applied in its order. */
  load?: Load | Load[];
  /** The time, in RFC 3339; without it, anything that depends on the time is decided as if the time had not come. */
  now?: string;
  op: "whatIf";
  /** Documents to remove. */
  unload?: string[];
}

/** The request of each op. */
export interface Requests {
  /** Reviews a change of an object against the loaded documents. The workspace itself is not changed. */
  admit: AdmitRequest;
  /** Makes an owner one of the owners of an object. */
  adopt: AdoptRequest;
  /** Checks whether a user may make a label change, and which sets the cluster joins and leaves. */
  authorize: AuthorizeRequest;
  /** The loaded clusters. */
  clusters: ClustersRequest;
  /** Changes settings; those left out stay as they are. */
  configure: ConfigureRequest;
  /** Adds what Greenhouse's defaulting webhook would add to an object: labels, names, and for a Plugin the options with a default in its definition. Only missing fields are added, so repeating the request adds nothing. */
  defaults: DefaultsRequest;
  /** The engine's version, ops and schema. */
  describe: DescribeRequest;
  /** Compares the results of two clusters for a subject. */
  diff: DiffRequest;
  /** The result of each cluster for a subject. */
  effective: EffectiveRequest;
  /** Explains a decision. With `subject`, `cluster` and `path`: the origin of a value. Without `path`: why the cluster is selected or not. With `action`: the reason for an action. With `user`, `cluster` and `labels`: whether and why a user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters. */
  explain: ExplainRequest;
  /** Folds layers, lowest first. */
  fold: FoldRequest;
  /** The kinds of documents that dialects read on the hub. */
  kinds: KindsRequest;
  /** Checks all loaded documents. The findings are the diagnostics of the answer. */
  lint: LintRequest;
  /** Loads documents. One that cannot be read is reported and left out; the others are loaded. */
  load: LoadRequest;
  /** Compares a desired object with a live one. */
  match: MatchRequest;
  /** Lays flags over a container's arguments, and checks them against what the component has in this version. */
  mold: MoldRequest;
  /** Reads YAML or JSON text, one or many documents, the way kubectl reads it. */
  parse: ParseRequest;
  /** Applies operations to an object, all or nothing. */
  patch: PatchRequest;
  /** Plans the actions of the subjects. */
  plan: PlanRequest;
  /** Prints documents as YAML that kubectl reads back as the same documents. Keys are sorted. */
  print: PrintRequest;
  /** The connections to the loaded clusters. */
  reach: ReachRequest;
  /** Redacts the Secrets in a text of YAML or JSON, to show or to share it. The text keeps its number of lines, and other documents keep every byte, except for values that a loaded Secret holds. */
  redact: RedactRequest;
  /** Finds the workloads that must restart because the secret of a certificate was renewed. */
  refresh: RefreshRequest;
  /** Drops an owner from the owners of an object. */
  release: ReleaseRequest;
  /** Carries values of the live object over into the desired one. */
  retain: RetainRequest;
  /** Which clusters a selector picks. */
  select: SelectRequest;
  /** Classifies the files of a folder by name: manifests, settings, or objects that were observed in a cluster (`live/<cluster>/`, and `live/_hub/` for the hub). */
  sources: SourcesRequest;
  /** The loaded subjects: documents that produce results. */
  subjects: SubjectsRequest;
  /** Unloads documents. */
  unload: UnloadRequest;
  /** A change to evaluate. */
  whatIf: WhatIfRequest;
}

/** What each op answers under `ok`. */
export interface Answers {
  admit: AdmitAnswer;
  adopt: AdoptAnswer;
  authorize: AuthorizeAnswer;
  clusters: ClustersAnswer;
  configure: SettingsAnswer;
  defaults: DefaultsAnswer;
  describe: Description;
  diff: DiffAnswer;
  effective: EffectiveAnswer;
  explain: ExplainAnswer;
  fold: FoldAnswer;
  kinds: KindsAnswer;
  lint: LintAnswer;
  load: LoadAnswer;
  match: MatchAnswer;
  mold: MoldAnswer;
  parse: ParseAnswer;
  patch: PatchAnswer;
  plan: PlanAnswer;
  print: PrintAnswer;
  reach: ReachAnswer;
  redact: RedactAnswer;
  refresh: RefreshAnswer;
  release: ReleaseAnswer;
  retain: RetainAnswer;
  select: SelectAnswer;
  sources: SourcesAnswer;
  subjects: SubjectsAnswer;
  unload: UnloadAnswer;
  whatIf: WhatIfAnswer;
}

export type Op = keyof Requests;
export type Request = Requests[Op];
export type Response<T = Answers[Op]> = { ok: T; diagnostics?: Finding[] } | { error: Refusal };
