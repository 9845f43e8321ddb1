// Generated from the JSON Schema of the contract by `npm run types`. Do not edit.

/** A value. Integers beyond 2^53 are BigInts where that was asked for. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** One step. Steps of one wave may run side by side. */
export interface ActionAnswer {
  body?: Redacted;
  cluster: string;
  /** What stops it. */
  held?: HeldReason;
  /** Stays the same as long as what would be done does. */
  id: string;
  /** Operations on the live object. */
  patch?: OperationAnswer[];
  precondition?: Precondition;
  reason: ActionReason;
  subject: string;
  /** The part of the object that the patch is sent to, such as `status`; left out for the object itself. */
  subresource?: string;
  /** What it takes, which counts against the limits; left out where that is nothing, or the request has no `recentDeletes`. */
  takes?: TakesAnswer;
  target: TargetAnswer;
  /** `create`, `patch` or `delete`. */
  verb: string;
  wave: number;
}

/** How many steps of each kind. */
export interface ActionCounts {
  create: number;
  delete: number;
  held: number;
  /** What must be seen before more can be said. */
  needs: number;
  patch: number;
}

/** Why a step is taken. */
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

/** The verdict. While there are `needs` it is not final: ask again with the answers to all of them. */
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
  /** What people should know, allowed or not: at most 20, each of at most 120 characters. */
  warnings?: string[];
}

/** What one change, or the going of one object, may do to clusters before it is denied. What is left out does not count. */
export interface AdmitLimits {
  /** Objects that it may change or add. */
  changes?: number;
  /** The same as a share of all objects that clusters get. */
  deletePercent?: number;
  /** Objects that it may take from clusters; the smaller of number and share counts. */
  deletes?: number;
}

/** May this change of an object go through, with what is loaded? The workspace itself is not changed. */
export interface AdmitRequest {
  limits?: AdmitLimits;
  /** The time, in RFC 3339; what depends on it is decided as if it had not come yet without. */
  now?: string;
  op: "admit";
  /** Who says what the user may do, where no review does: `reviews`, the default, asks for more of them; `roles` takes the ClusterRoles and ClusterRoleBindings that are loaded, and needs none. */
  permissions?: Permissions;
  /** The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it. */
  request: Json;
  /** Answers to the access reviews that were needed, all of them. */
  reviews?: AuthorizeReview[];
}

/** What adopting means. */
export interface AdoptAnswer {
  /** `create`, `append-owner`, `none` (it is an owner already) or `fatal` (the live object differs). */
  action: string;
  /** Why adopting is refused. */
  differences: DifferenceAnswer[];
  /** The object as it should be; left out when adopting is refused. */
  object?: Redacted;
  /** The operations on the live object. */
  patch: OperationAnswer[];
}

/** Makes an owner one of the owners of an object. */
export interface AdoptRequest {
  /** The object as the owner needs it. */
  desired: Json;
  /** The object as the cluster has it, or null when it was looked for and not found. */
  live: Json;
  /** `compat`: an owner that Kubernetes does not allow is refused instead of recorded as a claim. */
  mode?: Mode;
  op: "adopt";
  owner: OwnerInput;
}

/** Whether the change is allowed, and what it does. */
export interface AuthorizeAnswer {
  /** Whether every check is granted. */
  allowed: boolean;
  /** By label key; of one key, what is taken off first. */
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

/** One label that is put on or taken off, or a set that is bound. */
export interface AuthorizeCheck {
  /** The permissions that were looked for, up to the one that grants: `resource/subresource name`. */
  asked: string[];
  /** `add`, `remove` or `bind`. */
  change: string;
  granted: boolean;
  /** What granted it, where documents decided. */
  grantedBy?: AuthorizeGrant;
  /** `key:value`, or the name of the set. */
  label: string;
}

/** The rule that granted, or the group that may do everything. */
export interface AuthorizeGrant {
  /** The bound role, where it aggregates the one that holds the rule. */
  aggregatedBy?: string;
  binding?: string;
  group?: string;
  /** The role that holds the rule. */
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

/** May this user make this label change, and which sets does the cluster join and leave by it? */
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
  /** Answers to access reviews, which decide instead of roles and bindings. Without these and without documents, everything comes back under `needs`. */
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

/** Who makes the change. */
export interface AuthorizeUser {
  /** All groups of the user. Left out: those that the name implies, as with `kubectl --as`. */
  groups?: string[];
  name: string;
}

/** The layer that decides over a value, and where it says so. */
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
  /** The layer that decides over it. */
  cause?: CauseAnswer;
  object?: string;
  /** An option path, or a JSON pointer into the object. */
  path: string;
  /** True for an object that stays, without its owner; left out otherwise. */
  released?: boolean;
}

/** Clusters that would change alike. */
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
  /** Where the kind has one. */
  namespace?: string;
  /** The sets it belongs to, by name. */
  sets?: string[];
  /** It did not answer: what the host met, or nothing more. */
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
  /** What Karmada's field selector reads. */
  provider?: string;
  region?: string;
  zones?: string[];
}

/** By name, then namespace, then kind. */
export interface ClustersAnswer {
  clusters: ClusterAnswer[];
  /** The sets that are loaded and can be read, by name; left out where there are none. */
  sets?: SetAnswer[];
}

/** The clusters that are loaded. */
export interface ClustersRequest {
  op: "clusters";
  /** Only those that it picks, in any of the forms that `select` takes. */
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
  /** The key with which the values of Secrets enter the digest and the ids of a plan, so that nobody without it can guess a value from them. Without a key they enter as they are; an empty one takes the key away. */
  digestKey?: string;
  /** Whether Greenhouse evaluates expressions. */
  expressions?: boolean;
  /** Whether credentials are sent to members without TLS or with a certificate that is not checked. */
  insecureEndpoints?: boolean;
  /** Settings of KubeFed. */
  kubefed?: KubeFedInput;
  /** What becomes of what a cluster was given when it leaves the fleet: of the copies in a cluster of KubeFed, where the annotation `fleetfold.dev/leaving` of the cluster wins, and of the Plugins of a Greenhouse cluster whose document is absent. */
  leaving?: Leaving;
  limits?: LimitsInput;
  /** The repaired answers, or those of the upstreams with their quirks. */
  mode?: Mode;
  /** Whether the whole fleet is paused. */
  paused?: boolean;
  /** Whether workloads restart for renewed secrets. */
  podRefresher?: boolean;
  /** Which of two PluginOverrides is the more specific. */
  precedence?: Precedence;
  /** The documents to put aside, as `Kind/namespace/name`, or `*` for every subject. They stay loaded, nothing is computed or planned for them, and what they govern keeps its last state. The list replaces the previous one. */
  quarantined?: string[];
  /** Which rules cluster sets follow. */
  stage?: Stage;
}

/** Changes settings; those left out stay as they are. */
export interface ConfigureRequest {
  /** The dialects whose documents count: `greenhouse`, `ocm`, `kubefed`, `kudo`, `certmanager`. */
  dialects?: string[];
  /** The key with which the values of Secrets enter the digest and the ids of a plan, so that nobody without it can guess a value from them. Without a key they enter as they are; an empty one takes the key away. */
  digestKey?: string;
  /** Whether Greenhouse evaluates expressions. */
  expressions?: boolean;
  /** Whether credentials are sent to members without TLS or with a certificate that is not checked. */
  insecureEndpoints?: boolean;
  /** Settings of KubeFed. */
  kubefed?: KubeFedInput;
  /** What becomes of what a cluster was given when it leaves the fleet: of the copies in a cluster of KubeFed, where the annotation `fleetfold.dev/leaving` of the cluster wins, and of the Plugins of a Greenhouse cluster whose document is absent. */
  leaving?: Leaving;
  limits?: LimitsInput;
  /** The repaired answers, or those of the upstreams with their quirks. */
  mode?: Mode;
  op: "configure";
  /** Whether the whole fleet is paused. */
  paused?: boolean;
  /** Whether workloads restart for renewed secrets. */
  podRefresher?: boolean;
  /** Which of two PluginOverrides is the more specific. */
  precedence?: Precedence;
  /** The documents to put aside, as `Kind/namespace/name`, or `*` for every subject. They stay loaded, nothing is computed or planned for them, and what they govern keeps its last state. The list replaces the previous one. */
  quarantined?: string[];
  /** Which rules cluster sets follow. */
  stage?: Stage;
}

/** How far it reaches. */
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

/** The object with what was added. */
export interface DefaultsAnswer {
  /** What was added; left out where nothing was. Taken as `add` of a JSON patch, in this order, it makes the object of what came. */
  added?: AddedAnswer[];
  /** As it should be stored. Where nothing was added it is what came, with Secrets masked: there is nothing to store then. */
  object?: Redacted;
}

/** What would Greenhouse's own defaulting add to this object, with what is loaded? Labels, names, and to a Plugin the options that its definition has defaults for. Only what is missing is added, so that asking again adds nothing. */
export interface DefaultsRequest {
  op: "defaults";
  /** The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it. */
  request: Json;
}

/** What this engine is and what it can be asked. */
export interface DescribeRequest {
  op: "describe";
}

/** This engine. */
export interface Description {
  /** The version of the contract. */
  contract: number;
  /** A digest over the engine's source. A module cannot hold its own hash, so this is what tells two engines apart; it is the same in every build from the same source. */
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

/** Where two clusters get something else from a subject. */
export interface DiffRequest {
  left: string;
  /** The time, in RFC 3339; what depends on it is decided as if it had not come yet without. */
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
  /** The place in the desired object; of something extra, in the live one. */
  path: string;
}

/** By first cluster. */
export interface EffectiveAnswer {
  results: ResultAnswer[];
  /** Of a ManagedClusterSet: how it selects clusters, and who may use it. */
  set?: SetAnswer;
  subject: string;
}

/** What each cluster gets from a subject. */
export interface EffectiveRequest {
  /** Only these clusters. */
  clusters?: string[];
  /** The time, in RFC 3339; what depends on it is decided as if it had not come yet without. */
  now?: string;
  op: "effective";
  /** Also say where every value comes from. */
  origins?: boolean;
  /** Carry what Secrets hold; only who writes objects to files or clusters needs it. Origins stay masked. */
  reveal?: boolean;
  /** What produces results: a PluginPreset, a federated object, a Placement and the like. */
  subject: string;
}

/** What happened to the object of a status. */
export interface EventAnswer {
  note: string;
  reason: string;
  /** `Normal` or `Warning`. */
  type: string;
}

/** Why. Which fields there are depends on what was asked. */
export interface ExplainAnswer {
  action?: ActionAnswer;
  allowed?: boolean;
  /** Every layer that has something to say about the value, winner first. */
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

/** Asks why. With `subject`, `cluster` and `path`: why a value is what it is. Without `path`: why the cluster is in or out. With `action`: why a step is taken. With `user`, `cluster` and `labels`: whether and why a user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters. */
export interface ExplainRequest {
  /** The id of an action of the plan. */
  action?: string;
  cluster?: string;
  /** The labels to set; null takes one off. */
  labels?: { [key: string]: Json };
  /** The time, in RFC 3339: of an action that of its plan. */
  now?: string;
  /** `Kind/namespace/name`, where the subject gives several objects. */
  object?: string;
  op: "explain";
  /** An option path, or a JSON pointer into the object. */
  path?: string;
  /** The set to bind. */
  set?: string;
  subject?: string;
  user?: AuthorizeUser;
}

/** Why a cluster is in or out. */
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
  /** What was found. */
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

/** Lays layers over each other, lowest first. */
export interface FoldRequest {
  /** The cluster that `when` is asked about. */
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

/** Why a step is stopped, and how to let it pass. */
export interface HeldReason {
  code: string;
  hint: string;
  text: string;
}

/** One kind of documents. */
export interface KindAnswer {
  /** The operations that an admission webhook must see. */
  admits?: string[];
  /** Those that read it. */
  dialects: string[];
  /** Empty for the core of Kubernetes. */
  group: string;
  /** Ends in `*` if it covers every kind of the group with this prefix. */
  kind: string;
  /** Only these objects are documents; in kubectl's syntax. */
  labelSelector?: string;
  /** Left out where `kind` covers several; the server knows. */
  plural?: string;
  /** `Namespaced` or `Cluster`; left out where `kind` covers several. */
  scope?: string;
  /** Whether a status is written apart from the rest. */
  statusSubresource: boolean;
  /** The versions that are understood, best first. */
  versions: string[];
}

/** By group and kind. */
export interface KindsAnswer {
  kinds: KindAnswer[];
}

/** The kinds of documents that dialects read on the hub. */
export interface KindsRequest {
  /** Those of these dialects, be they in force or not; left out, of those in force. */
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
  /** What an update does to fields that another field manager set on an object in a cluster, and that no rule retains. */
  localChanges?: LocalChanges;
  /** The namespaces of KubeFed's control planes. A KubeFedCluster elsewhere is not a member: its Secret is not read. */
  namespaces?: string[];
}

/** A label. */
export interface LabelAnswer {
  key: string;
  value: string;
}

/** What one layer says, and where. */
export interface LayerAnswer {
  column?: number;
  document?: string;
  file?: string;
  layer: string;
  line?: number;
  path?: string;
  value?: Redacted;
  valueFrom?: Redacted;
  /** The option that the layer sets, where that is a parent of this one. */
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

/** What one plan may do before it is held. */
export interface LimitsAnswer {
  changes?: number;
  deletePercent: number;
  deletes: number;
  emptySelection: boolean;
  protectedKinds: string[];
  windowSeconds: number;
}

/** What one plan may do before it is held. */
export interface LimitsInput {
  /** Creates and patches in one plan. */
  changes?: number;
  /** Deletes as a share of the objects that the subjects manage, from 0 to 100. */
  deletePercent?: number;
  /** Deletes in one plan; the smaller of number and share counts. */
  deletes?: number;
  /** Whether a subject may lose everything at once: because it selects no cluster, or others than before. */
  emptySelection?: boolean;
  /** Kinds to protect as well. */
  protect?: string[];
  /** Kinds that are not deleted unless the object allows it, in place of those before. */
  protectedKinds?: string[];
  /** Kinds to protect no longer. */
  unprotect?: string[];
  /** For how many seconds deletes of earlier plans count as deletes of the next one; 0 counts each plan by itself. */
  windowSeconds?: number;
}

/** What one layer says about the value. */
export interface LinkAnswer {
  /** Why it is above the next layer. */
  beats?: string;
  column?: number;
  document?: string;
  file?: string;
  layer: string;
  line?: number;
  path?: string;
  /** Why it has no say. */
  reason?: ReasonAnswer;
  /** The rule that retains the live value. */
  rule?: RuleAnswer;
  state: LayerState;
  value?: Redacted;
  valueFrom?: Redacted;
}

/** How much was found. */
export interface LintAnswer {
  documents: number;
  errors: number;
  infos: number;
  warnings: number;
}

/** Looks at everything that is loaded. What it finds are the diagnostics of the answer. */
export interface LintRequest {
  /** The time, in RFC 3339; what depends on it is decided as if it had not come yet without. */
  now?: string;
  op: "lint";
}

/** Takes documents into the workspace. One that cannot be read is reported and left out; the others are loaded. */
export interface Load {
  /** Objects that were looked for in the cluster and are not there. */
  absent?: TargetInput[];
  /** The documents are edits of what is loaded, such as files over a hub: each keeps the `uid` and `creationTimestamp` of the one that it replaces, where it has none. */
  carry?: boolean;
  /** The objects are all that the query lists; without a query, all there are in the cluster. */
  complete?: boolean;
  /** The documents, as objects. */
  documents?: Json[];
  /** The name of the text, for places. */
  file?: string;
  /** The cluster that the objects were read from; an empty name is the hub. */
  live?: string;
  /** What was listed. */
  query?: QueryInput;
  /** What the host met when the cluster did not answer. */
  reason?: string;
  /** The documents, as YAML or JSON text. */
  text?: string;
  /** The cluster did not answer: what was seen there is unknown again, and nothing is planned for it. It is lifted by `false`, and by anything that is seen there. */
  unreachable?: boolean;
  /** The text is all of the file: documents that came from it before and are not in it any more are let go, unless something in the text cannot be read. */
  whole?: boolean;
}

/** What was taken in. */
export interface LoadAnswer {
  /** How many clusters the workspace knows now. */
  clusters: number;
  /** How many documents were taken in, and how many of them took the place of another. */
  loaded: number;
  replaced: number;
  /** With `whole`: how many documents were let go. */
  unloaded?: number;
}

/** Takes documents into the workspace. One that cannot be read is reported and left out; the others are loaded. */
export interface LoadRequest {
  /** Objects that were looked for in the cluster and are not there. */
  absent?: TargetInput[];
  /** The documents are edits of what is loaded, such as files over a hub: each keeps the `uid` and `creationTimestamp` of the one that it replaces, where it has none. */
  carry?: boolean;
  /** The objects are all that the query lists; without a query, all there are in the cluster. */
  complete?: boolean;
  /** The documents, as objects. */
  documents?: Json[];
  /** The name of the text, for places. */
  file?: string;
  /** The cluster that the objects were read from; an empty name is the hub. */
  live?: string;
  op: "load";
  /** What was listed. */
  query?: QueryInput;
  /** What the host met when the cluster did not answer. */
  reason?: string;
  /** The documents, as YAML or JSON text. */
  text?: string;
  /** The cluster did not answer: what was seen there is unknown again, and nothing is planned for it. It is lifted by `false`, and by anything that is seen there. */
  unreachable?: boolean;
  /** The text is all of the file: documents that came from it before and are not in it any more are let go, unless something in the text cannot be read. */
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
  /** By kind: the differences that no update can mend. */
  immutable?: DifferenceAnswer[];
  matches: boolean;
  /** By kind: the update as operations on the live object. */
  patch?: OperationAnswer[];
  /** By kind: the whole object to send, or null. */
  update?: Redacted;
}

/** How to compare. */
export type MatchMode = "strict" | "compat" | "threeWay";

/** Compares a desired object with a live one. */
export interface MatchRequest {
  /** The object as it should be. */
  desired: Json;
  /** In compat mode, which original: `certmanager` (when left out) or `kubefed`. */
  dialect?: Upstream;
  /** What was applied last; `threeWay` needs it. */
  lastApplied?: Json;
  /** The object as the cluster has it. */
  live: Json;
  /** `compat`: the answer of `dialect`. `threeWay`: also what was removed since `lastApplied`. */
  mode?: MatchMode;
  op: "match";
  /** `byKind`: only what counts for the kind, and what would mend it. */
  policy?: Policy;
  /** The version that KubeFed recorded, such as `gen:3`. */
  recorded?: string;
}

/** How a value meets what is below it. */
export type Merge = "replace" | "deep";

/** The repaired answer, or the original's with its quirks. */
export type Mode = "strict" | "compat";

/** What the component is started with. */
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
  /** `compat`: the answer of the operators, which check nothing. */
  mode?: Mode;
  op: "mold";
  /** A release such as `v1.3.0`; the latest when left out. */
  version?: string;
}

/** An object that must be seen, or without a name a list. */
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

/** What one layer says about an option. */
export interface OriginAnswer {
  layer: string;
  /** Set where the value was merged into what is below. */
  merge?: Merge;
  value?: Redacted;
  valueFrom?: Redacted;
  /** The option that the layer sets, where that is a parent of this one. */
  via?: string;
}

/** Who needs an object. */
export interface OwnerInput {
  apiVersion: string;
  /** Whether it asks to be the object's controller. */
  controller?: boolean;
  kind: string;
  name: string;
  /** Of a namespaced owner. */
  namespace?: string;
  uid: string;
}

/** The documents of the text. */
export interface ParseAnswer {
  /** All documents that hold something, in order. */
  documents: Redacted[];
  /** For each document, where the value at each JSON pointer starts. Values below an alias have no place of their own. */
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
  /** The name of the text, for places. */
  file?: string;
  /** `compat`: of a duplicate key the last one wins, large integers are rounded, and nothing is said of ambiguous tokens. */
  mode?: Mode;
  op: "parse";
  /** Whether the answer says where each value stood. */
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
  /** Where `move` and `copy` take the value from. */
  from?: string;
  /** What to do; `replace` when left out. */
  op?: Verb;
  /** Where, as a JSON pointer. */
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

/** A place in a document. What is not known is left out. */
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
  /** SHA-256 over what would be done, be it held or not. */
  digest: string;
  held: ActionAnswer[];
  needs: NeedAnswer[];
  /** Statuses that are not what they should be. */
  status: StatusAnswer[];
}

/** What would be done. */
export interface PlanRequest {
  /** Tell what statuses turn to, for events. */
  events?: boolean;
  /** Also report what `lint` finds. A runner that plans often leaves it out: it looks at every document. */
  lint?: boolean;
  /** The time, in RFC 3339; what depends on it waits without. */
  now?: string;
  op: "plan";
  /** What earlier plans deleted. What lies within `limits.windowSeconds` counts against the limits of this plan, and with the list, even an empty one, actions tell what they take. */
  recentDeletes?: RecentDeleteInput[];
  /** Carry what Secrets hold; only a runner needs it. */
  reveal?: boolean;
  /** Only some of it. With clusters, what concerns a subject as a whole is left out. */
  scope?: ScopeInput;
}

/** What counts. */
export type Policy = "byKind";

/** Which of two PluginOverrides is the more specific. The seed says both: its text ranks one for a definition above one for clusters, its diagram the other way round. */
export type Precedence = "definition-over-cluster" | "cluster-over-definition";

/** The live object that the step is for: another one of its name, or a changed one, is not meant. */
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

/** What a part of a line is, for its colour. A `mark` is a sign of YAML, a `word` is `true`, `false` or `null`. */
export type PrintKind = "space" | "mark" | "key" | "string" | "number" | "word";

/** A printed line. */
export interface PrintLine {
  /** A JSON pointer to the innermost value that starts or goes on here. */
  path: string;
  /** The parts of the line, in order. */
  tokens: PrintToken[];
}

/** Prints documents as YAML that kubectl reads back as the same documents. Keys are sorted. */
export interface PrintRequest {
  /** The documents; any values. */
  documents: Json[];
  /** Whether the answer has the lines with their places, too. */
  lines?: boolean;
  op: "print";
  /** Print what Secrets hold. Without it, it is redacted. */
  reveal?: boolean;
}

/** A part of a line. */
export interface PrintToken {
  kind: PrintKind;
  text: string;
}

/** An object that a cluster should have. */
export interface ProductAnswer {
  /** Where the object is written, before layers: values that `origins` does not have are its own. */
  base?: PlaceAnswer;
  /** Fields of the live object that this object does not have, and that others set or may have set. */
  local?: LocalAnswer[];
  object: Redacted;
  /** By JSON pointer what layers and retention touched, winner first. */
  origins?: { [key: string]: LayerAnswer[] };
  /** What the live object gave. */
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

/** The ways to the clusters that are loaded. */
export interface ReachRequest {
  op: "reach";
}

/** One cluster. Without a way it cannot be looked at or changed. */
export interface ReachableAnswer {
  name: string;
  /** Why there is no other way. */
  problem?: Refusal;
  /** In the order to try. */
  ways: WayAnswer[];
}

/** One condition and whether it holds. */
export interface ReasonAnswer {
  /** The stable name of the reason. */
  code: string;
  /** Whether it speaks for the cluster. */
  holds: boolean;
  text: string;
}

/** What was deleted at a time. */
export interface RecentDeleteInput {
  /** When, in RFC 3339; without a time it is within the window. */
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

/** A value of an answer: the contents of Secrets are replaced in it. Answers hold their values as this type, so that none can forget the redaction. [`Redacted::revealing`] is for the few requests that ask for the contents, to write objects to clusters and files. Copies of what other Secrets hold are replaced when the answer is written: they are recognized by value. ``` use fleetfold_core::object::redacted::Redacted; use fleetfold_core::value::json; let secret = json::parse(r#"{"kind":"Secret","data":{"tls.key":"aGlkZGVu"}}"#)?; assert_eq!(Redacted::from(secret).text_at(&["data", "tls.key"]), "(masked)"); # Ok::<(), fleetfold_core::diagnostic::Error>(()) ``` */
export type Redacted = Json;

/** What restarts and what does not, both sorted by kind, namespace and name. */
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
  /** The places of the workload that take the secret, as JSON pointers. */
  uses: string[];
  /** The version of the secret. */
  version: string;
}

/** Which workloads must restart because the secret of a certificate was renewed. */
export interface RefreshRequest {
  /** `compat`: the answer of the cert-manager deployment operator. */
  mode?: Mode;
  /** The time, in RFC 3339. */
  now: string;
  op: "refresh";
  /** The secret as the cluster has it. Its contents are not looked at. */
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
  /** What is wrong. */
  message: string;
}

/** What letting go means. */
export interface ReleaseAnswer {
  /** `delete` (the last owner of a marked object), `remove-owner` or `none` (it is no owner). */
  action: string;
  /** The operations on the live object. */
  patch: OperationAnswer[];
}

/** Drops an owner from the owners of an object. */
export interface ReleaseRequest {
  /** The object as the cluster has it. */
  live: Json;
  op: "release";
  owner: OwnerInput;
}

/** What some clusters get, all of them the same. */
export interface ResultAnswer {
  clusters: string[];
  /** Why these clusters cannot be answered. */
  error?: Refusal;
  /** Of a placement: the decision group. */
  group?: GroupAnswer;
  /** These clusters keep their last state: an error among the diagnostics prevents a plan. */
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

/** The result, and what of it the cluster gave. */
export interface RetainAnswer {
  /** The desired object with what was carried over. */
  object: Redacted;
  /** What was carried over, by path. */
  retained: RetainedField[];
}

/** Carries values of the live object over into the desired one. */
export interface RetainRequest {
  /** Whether the built-in rules apply; they do when left out. */
  builtin?: boolean;
  /** The object as the template gives it. */
  desired: { [key: string]: Json };
  /** In compat mode, which original: `kubefed` (when left out) or `karmada`. */
  dialect?: Upstream;
  /** The object as the cluster has it; null before it is created. */
  live: Json;
  /** `compat`: the answer of the upstream. */
  mode?: Mode;
  op: "retain";
  /** Whether `spec.replicas` belongs to the cluster. */
  retainReplicas?: boolean;
  /** Rules beside the built-in ones. */
  rules?: RetainRules;
}

/** What else is retained where the template does not set it. */
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
  /** Where the rule is written; built-in rules are nowhere. */
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

/** Keys of a Secret of the hub, of which the first that is there counts. */
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
  /** In compat mode, which original; only `karmada` makes a difference, with its cluster affinities. */
  dialect?: Upstream;
  /** `compat`: the answer of `dialect`. */
  mode?: Mode;
  op: "select";
  /** A label selector object, a string in kubectl's `-l` syntax, a Greenhouse cluster selector, a KubeFed placement, a ManagedClusterSet document, or a list of them (any of). An empty one picks all, null picks none. */
  selector: Json;
  /** Also say of each cluster why it is in or out. */
  why?: boolean;
}

/** How a ManagedClusterSet selects its clusters, and who may use it. */
export interface SetAnswer {
  /** Whether a cluster of the set is in no other set of the same key. */
  exclusive: boolean;
  /** The label that puts a cluster into the set, where it is exclusive. */
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
  /** A reference instead of a value. It stays one. */
  valueFrom?: Json;
}

/** The settings in force. */
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

/** Something that is set without effect. */
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

/** A file, and what it holds. */
export interface SourceFile {
  file: string;
  /** Of observed objects, the cluster, as `load` takes it; empty for the hub. */
  live?: string;
  role: SourceRole;
}

/** What a file holds. A `stray` file is below `live/`, but in the folder of no cluster. `settings` are those of a document of the kind `Settings`; otherwise the file holds manifests. */
export type SourceRole = "manifests" | "settings" | "observed" | "stray" | "skipped";

/** The files with what they hold. */
export interface SourcesAnswer {
  /** In the order of the request. */
  files: SourceFile[];
}

/** What each file of a folder holds, by its name: manifests, settings, or objects that were observed in a cluster (`live/<cluster>/`, and `live/_hub/` for the hub). */
export interface SourcesRequest {
  /** The paths of the files, with `/` between names. */
  files: string[];
  /** The paths of the folders that were given. Without any, it is the folder that all files share. */
  folders?: string[];
  op: "sources";
}

/** How far the hub is on the way to sets by any label. `transitional`: sets by the clusterset label alone, and `join` and `label` both permit it. `full`: sets by any label, and `join` is deprecated. */
export type Stage = "transitional" | "full";

/** What a status should be. */
export interface StatusAnswer {
  cluster: string;
  /** Conditions that turn with it; left out where none does, or unless requested. */
  events?: EventAnswer[];
  status: Redacted;
  subject: string;
  target: TargetAnswer;
}

/** Something that produces results. */
export interface SubjectAnswer {
  /** How many clusters get something from it; left out where it is of the hub alone. */
  clusters?: number;
  dialect: string;
  /** Why it produces nothing. */
  error?: Refusal;
  /** Of a ManagedClusterSet: how it selects clusters, and who may use it. */
  set?: SetAnswer;
  subject: string;
}

/** By kind, namespace and name. */
export interface SubjectsAnswer {
  subjects: SubjectAnswer[];
}

/** Everything that is loaded and produces results. */
export interface SubjectsRequest {
  /** The time, in RFC 3339; what depends on it is decided as if it had not come yet without. */
  now?: string;
  op: "subjects";
}

/** What an action takes. */
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

/** What was let go. */
export interface UnloadAnswer {
  /** How many clusters the workspace knows now. */
  clusters: number;
  unloaded: number;
}

/** Lets documents go. */
export interface UnloadRequest {
  op: "unload";
  /** `Kind/name`, `Kind/namespace/name`, or `Kind.group/…` where two groups clash. */
  refs: string[];
}

/** The upstream that compat mode reproduces. */
export type Upstream = "kubefed" | "karmada" | "greenhouse" | "ocm" | "certmanager";

/** The operations of RFC 6902. */
export type Verb = "add" | "remove" | "replace" | "test" | "move" | "copy";

/** A way to a cluster: a server with a token, or a kubeconfig. */
export interface WayAnswer {
  /** The certificates that sign the server's, in base64. */
  caBundle?: string;
  /** The document that says so. */
  document: string;
  /** The server may be one without TLS or with a certificate that is not checked. */
  insecure?: boolean;
  kubeconfig?: SecretKeys;
  proxyUrl?: string;
  server?: string;
  /** The server's certificate is not to be checked. */
  skipTlsVerify?: boolean;
  token?: SecretKey;
}

/** What would change, and for which clusters. */
export interface WhatIfAnswer {
  /** The steps of the plan that are there because of the change. */
  actions: ActionCounts;
  /** Objects of the hub that the garbage collector would delete, because all of their owners would go. */
  collected?: Collected[];
  counts: Counts;
  /** The findings that the change fixes; those that it brings are the diagnostics of the answer. */
  fixed?: Finding[];
  /** Clusters that would change alike, most clusters first. */
  groups: ChangeGroup[];
  /** The changed documents with errors that the change brings: the webhook refuses them, and nothing is planned for what they govern. */
  refused?: string[];
  /** What the change sets without effect, and what hides it. */
  shadowed: ShadowAnswer[];
}

/** A change to look at. */
export interface WhatIfRequest {
  /** Settings that would change. */
  configure?: Configure;
  /** Also report what `lint` finds in documents that the change does not reach, such as a reference that it breaks. */
  lint?: boolean;
  /** Documents that would come or take the place of others; a list is taken in its order. */
  load?: Load | Load[];
  /** The time, in RFC 3339; what depends on it is decided as if it had not come yet without. */
  now?: string;
  op: "whatIf";
  /** Documents that would go. */
  unload?: string[];
}

/** The request of each op. */
export interface Requests {
  /** May this change of an object go through, with what is loaded? The workspace itself is not changed. */
  admit: AdmitRequest;
  /** Makes an owner one of the owners of an object. */
  adopt: AdoptRequest;
  /** May this user make this label change, and which sets does the cluster join and leave by it? */
  authorize: AuthorizeRequest;
  /** The clusters that are loaded. */
  clusters: ClustersRequest;
  /** Changes settings; those left out stay as they are. */
  configure: ConfigureRequest;
  /** What would Greenhouse's own defaulting add to this object, with what is loaded? Labels, names, and to a Plugin the options that its definition has defaults for. Only what is missing is added, so that asking again adds nothing. */
  defaults: DefaultsRequest;
  /** What this engine is and what it can be asked. */
  describe: DescribeRequest;
  /** Where two clusters get something else from a subject. */
  diff: DiffRequest;
  /** What each cluster gets from a subject. */
  effective: EffectiveRequest;
  /** Asks why. With `subject`, `cluster` and `path`: why a value is what it is. Without `path`: why the cluster is in or out. With `action`: why a step is taken. With `user`, `cluster` and `labels`: whether and why a user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters. */
  explain: ExplainRequest;
  /** Lays layers over each other, lowest first. */
  fold: FoldRequest;
  /** The kinds of documents that dialects read on the hub. */
  kinds: KindsRequest;
  /** Looks at everything that is loaded. What it finds are the diagnostics of the answer. */
  lint: LintRequest;
  /** Takes documents into the workspace. One that cannot be read is reported and left out; the others are loaded. */
  load: LoadRequest;
  /** Compares a desired object with a live one. */
  match: MatchRequest;
  /** Lays flags over a container's arguments, and checks them against what the component has in this version. */
  mold: MoldRequest;
  /** Reads YAML or JSON text, one or many documents, the way kubectl reads it. */
  parse: ParseRequest;
  /** Applies operations to an object, all or nothing. */
  patch: PatchRequest;
  /** What would be done. */
  plan: PlanRequest;
  /** Prints documents as YAML that kubectl reads back as the same documents. Keys are sorted. */
  print: PrintRequest;
  /** The ways to the clusters that are loaded. */
  reach: ReachRequest;
  /** Redacts the Secrets in a text of YAML or JSON, to show or to share it. The text keeps its number of lines, and other documents keep every byte, except for values that a loaded Secret holds. */
  redact: RedactRequest;
  /** Which workloads must restart because the secret of a certificate was renewed. */
  refresh: RefreshRequest;
  /** Drops an owner from the owners of an object. */
  release: ReleaseRequest;
  /** Carries values of the live object over into the desired one. */
  retain: RetainRequest;
  /** Which clusters a selector picks. */
  select: SelectRequest;
  /** What each file of a folder holds, by its name: manifests, settings, or objects that were observed in a cluster (`live/<cluster>/`, and `live/_hub/` for the hub). */
  sources: SourcesRequest;
  /** Everything that is loaded and produces results. */
  subjects: SubjectsRequest;
  /** Lets documents go. */
  unload: UnloadRequest;
  /** A change to look at. */
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
