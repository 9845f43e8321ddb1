// Generated from the engine's records by `npm run types`. Do not edit.

/** A value. Integers beyond 2^53 are BigInts where that was asked for. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

/** One step. Steps of one wave may run side by side. */
export interface ActionAnswer {
  /** Stays the same as long as what would be done does. */
  id: string;
  subject: string;
  cluster: string;
  /** `create`, `patch` or `delete`. */
  verb: string;
  target: TargetAnswer;
  body?: Json;
  /** Operations on the live object. */
  patch?: OperationAnswer[];
  precondition?: Precondition;
  wave: number;
  reason: ActionReason;
  /** What stops it. */
  held?: HeldReason;
}

/** How many steps of each kind. */
export interface ActionCounts {
  create: number;
  patch: number;
  delete: number;
  held: number;
  /** What must be seen before more can be said. */
  needs: number;
}

/** Why a step is taken. */
export interface ActionReason {
  code: string;
  text: string;
  differences?: DifferenceAnswer[];
}

/** One value that was added. */
export interface AddedAnswer {
  /** A JSON pointer into the object. */
  path: string;
  value: Json;
}

/** The verdict. While there are `needs` it is not final: ask again with the answers to all of them. */
export interface AdmitAnswer {
  allowed: boolean;
  /** The stable name of the first reason that stands against it. */
  code?: string;
  /** What stands against it and what to do, in one line. */
  message?: string;
  /** What people should know, allowed or not: at most 20, each of at most 120 characters. */
  warnings?: string[];
  /** The SubjectAccessReviews that must be answered first. */
  needs?: Json[];
  /** The sets that the cluster would join, by name. */
  joins?: string[];
  /** The sets that the cluster would leave, by name. */
  leaves?: string[];
}

/** What one change, or the going of one object, may do to clusters before it is denied. What is left out does not count. */
export interface AdmitLimits {
  /** Objects that it may take from clusters; the smaller of number and share counts. */
  deletes?: number;
  /** The same as a share of all objects that clusters get. */
  deletePercent?: number;
  /** Objects that it may change or add. */
  changes?: number;
}

/** May this change of an object go through, with what is loaded? The workspace itself is not changed. */
export interface AdmitRequest {
  op: "admit";
  /** The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it. */
  request: Json;
  /** Answers to the access reviews that were needed, all of them. */
  reviews?: AuthorizeReview[];
  /** Who says what the user may do, where no review does: `reviews`, the default, asks for more of them; `roles` takes the ClusterRoles and ClusterRoleBindings that are loaded, and needs none. */
  permissions?: "reviews" | "roles";
  limits?: AdmitLimits;
}

/** What adopting means. */
export interface AdoptAnswer {
  /** `create`, `append-owner`, `none` (it is an owner already) or `fatal` (the live object differs). */
  action: string;
  /** The object as it should be; left out when adopting is refused. */
  object?: Json;
  /** The operations on the live object. */
  patch: OperationAnswer[];
  /** Why adopting is refused. */
  differences: DifferenceAnswer[];
}

/** Makes an owner one of the owners of an object. */
export interface AdoptRequest {
  op: "adopt";
  owner: OwnerInput;
  /** The object as the owner needs it. */
  desired: Json;
  /** The object as the cluster has it, or null when it was looked for and not found. */
  live: Json;
  /** `compat`: an owner that Kubernetes does not allow is refused instead of recorded as a claim. */
  mode?: "strict" | "compat";
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
  needs?: Json[];
}

/** One label that is put on or taken off, or a set that is bound. */
export interface AuthorizeCheck {
  /** `key:value`, or the name of the set. */
  label: string;
  /** `add`, `remove` or `bind`. */
  change: string;
  granted: boolean;
  /** The permissions that were looked for, up to the one that grants: `resource/subresource name`. */
  asked: string[];
  /** What granted it, where documents decided. */
  grantedBy?: AuthorizeGrant;
}

/** The rule that granted, or the group that may do everything. */
export interface AuthorizeGrant {
  binding?: string;
  /** The role that holds the rule. */
  role?: string;
  /** The index of the rule in its role. */
  rule?: number;
  /** The bound role, where it aggregates the one that holds the rule. */
  aggregatedBy?: string;
  group?: string;
}

/** May this user make this label change, and which sets does the cluster join and leave by it? */
export interface AuthorizeRequest {
  op: "authorize";
  user: AuthorizeUser;
  /** The ManagedCluster before the change; null when it is created. */
  old?: Json;
  /** The ManagedCluster after the change; null when it is deleted. */
  new?: Json;
  /** ManagedClusterSets, and the ClusterRoles and ClusterRoleBindings that decide if there are no reviews. */
  documents?: Json[];
  /** Answers to access reviews, which decide instead of roles and bindings. Without these and without documents, everything comes back under `needs`. */
  reviews?: AuthorizeReview[];
  /** `full` when left out. */
  stage?: "transitional" | "full";
  /** `compat`: the answer of Open Cluster Management. */
  mode?: "strict" | "compat";
}

/** The answer to an access review. */
export interface AuthorizeReview {
  resource: string;
  subresource: string;
  name: string;
  verb: string;
  allowed: boolean;
}

/** Who makes the change. */
export interface AuthorizeUser {
  name: string;
  /** All groups of the user. Left out: those that the name implies, as with `kubectl --as`. */
  groups?: string[];
}

/** The layer that decides over a value, and where it says so. */
export interface CauseAnswer {
  layer: string;
  document?: string;
  path?: string;
  file?: string;
  line?: number;
  column?: number;
}

/** One value that would change. */
export interface ChangeAnswer {
  /** An option path, or a JSON pointer into the object. */
  path: string;
  object?: string;
  before?: Json;
  beforeFrom?: Json;
  after?: Json;
  afterFrom?: Json;
  /** The layer that decides over it. */
  cause?: CauseAnswer;
}

/** Clusters that would change alike. */
export interface ChangeGroup {
  subject: string;
  clusters: string[];
  /** `changed`, `joins`, `leaves`, `fails` or `heals`. */
  change: string;
  changes: ChangeAnswer[];
}

/** One cluster. */
export interface ClusterAnswer {
  kind: string;
  labels: { [key: string]: string };
  name: string;
  /** Where the kind has one. */
  namespace?: string;
  /** It did not answer: what the host met, or nothing more. */
  unreachable?: string;
  /** The sets it belongs to, by name. */
  sets?: string[];
}

/** A place where they differ. */
export interface ClusterDifference {
  /** An option path, or a JSON pointer into the object. */
  path: string;
  object?: string;
  left?: Json;
  leftFrom?: Json;
  right?: Json;
  rightFrom?: Json;
  /** The layer that makes the difference. */
  cause?: CauseAnswer;
}

/** A cluster to pick from. */
export interface ClusterInput {
  name: string;
  labels?: { [key: string]: string };
  /** What Karmada's field selector reads. */
  provider?: string;
  region?: string;
  zones?: string[];
}

/** By name, then namespace, then kind. */
export interface ClustersAnswer {
  clusters: ClusterAnswer[];
}

/** The clusters that are loaded. */
export interface ClustersRequest {
  op: "clusters";
  /** Only those that it picks, in any of the forms that `select` takes. */
  selector?: Json;
}

/** Changes settings; those left out stay as they are. */
export interface Configure {
  /** Which of two PluginOverrides is the more specific. */
  precedence?: "definition-over-cluster" | "cluster-over-definition";
  /** Which rules cluster sets follow. */
  stage?: "transitional" | "full";
  /** The repaired answers, or the originals' with their quirks. */
  mode?: "strict" | "compat";
  /** The dialects whose documents count: `greenhouse`, `ocm`, `kubefed`, `kudo`, `certmanager`. */
  dialects?: string[];
  /** Whether Greenhouse evaluates expressions. */
  expressions?: boolean;
  /** Whether workloads restart for renewed secrets. */
  podRefresher?: boolean;
  /** Whether the whole fleet is paused. */
  paused?: boolean;
  /** What becomes of what a cluster of KubeFed was given when it leaves the fleet. The annotation `fleetfold.dev/leaving` of a cluster wins. */
  leaving?: "orphan" | "delete";
  limits?: LimitsInput;
}

/** Changes settings; those left out stay as they are. */
export interface ConfigureRequest {
  op: "configure";
  /** Which of two PluginOverrides is the more specific. */
  precedence?: "definition-over-cluster" | "cluster-over-definition";
  /** Which rules cluster sets follow. */
  stage?: "transitional" | "full";
  /** The repaired answers, or the originals' with their quirks. */
  mode?: "strict" | "compat";
  /** The dialects whose documents count: `greenhouse`, `ocm`, `kubefed`, `kudo`, `certmanager`. */
  dialects?: string[];
  /** Whether Greenhouse evaluates expressions. */
  expressions?: boolean;
  /** Whether workloads restart for renewed secrets. */
  podRefresher?: boolean;
  /** Whether the whole fleet is paused. */
  paused?: boolean;
  /** What becomes of what a cluster of KubeFed was given when it leaves the fleet. The annotation `fleetfold.dev/leaving` of a cluster wins. */
  leaving?: "orphan" | "delete";
  limits?: LimitsInput;
}

/** How far it reaches. */
export interface Counts {
  /** All clusters of the fleet. */
  clusters: number;
  changed: number;
  /** Clusters for which the change has no effect because something hides it. */
  shadowed: number;
  /** Subjects whose results would change. */
  subjects: number;
}

/** The object with what was added. */
export interface DefaultsAnswer {
  /** As it should be stored. Where nothing was added it is what came, with Secrets masked: there is nothing to store then. */
  object?: Json;
  /** What was added; left out where nothing was. Taken as `add` of a JSON patch, in this order, it makes the object of what came. */
  added?: AddedAnswer[];
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
  /** The version of the engine. */
  version: string;
  /** A digest over the engine's source. A module cannot hold its own hash, so this is what tells two engines apart; it is the same in every build from the same source. */
  digest: string;
  /** The version of the contract. */
  contract: number;
  /** The names of all ops. */
  ops: string[];
  /** The JSON Schema of every request and answer. */
  schema: Json;
}

/** By path. */
export interface DiffAnswer {
  differences: ClusterDifference[];
}

/** Where two clusters get something else from a subject. */
export interface DiffRequest {
  op: "diff";
  subject: string;
  left: string;
  right: string;
}

/** A place where live does not contain desired. */
export interface DifferenceAnswer {
  /** `changed`, `missing`, `order`, `extra` or `immutable`. */
  kind: string;
  /** The place in the desired object; of something extra, in the live one. */
  path: string;
  desired?: Json;
  live?: Json;
}

/** By first cluster. */
export interface EffectiveAnswer {
  subject: string;
  results: ResultAnswer[];
}

/** What each cluster gets from a subject. */
export interface EffectiveRequestRequest {
  op: "effective";
  /** What produces results: a PluginPreset, a federated object, a Placement and the like. */
  subject: string;
  /** Only these clusters. */
  clusters?: string[];
  /** Also say where every value comes from. */
  origins?: boolean;
}

/** What happened to the object of a status. */
export interface EventAnswer {
  /** `Normal` or `Warning`. */
  type: string;
  reason: string;
  note: string;
}

/** Why. Which fields there are depends on what was asked. */
export interface ExplainAnswer {
  value?: Json;
  valueFrom?: Json;
  /** Every layer that has something to say about the value, winner first. */
  chain?: LinkAnswer[];
  /** Whether the subject picks the cluster. */
  selected?: boolean;
  reasons?: ReasonAnswer[];
  action?: ActionAnswer;
  allowed?: boolean;
  checks?: AuthorizeCheck[];
  joins?: string[];
  leaves?: string[];
}

/** Asks why. With `subject`, `cluster` and `path`: why a value is what it is. Without `path`: why the cluster is in or out. With `action`: why a step is taken. With `user`, `cluster` and `labels`: whether and why a user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters. */
export interface ExplainRequest {
  op: "explain";
  subject?: string;
  cluster?: string;
  /** An option path, or a JSON pointer into the object. */
  path?: string;
  /** `Kind/namespace/name`, where the subject gives several objects. */
  object?: string;
  /** The id of an action of the plan. */
  action?: string;
  /** The time that the plan was asked for with. */
  now?: string;
  user?: AuthorizeUser;
  /** The labels to set; null takes one off. */
  labels?: { [key: string]: Json | null };
  /** The set to bind. */
  set?: string;
}

/** Why a cluster is in or out. */
export interface Explained {
  name: string;
  selected: boolean;
  reasons: ReasonAnswer[];
}

/** A finding beside the answer. */
export interface Finding {
  /** `error`, `warning` or `info`. */
  severity: string;
  /** The stable name of the finding. */
  code: string;
  /** What was found. */
  message: string;
  at?: PlaceAnswer;
  /** What to do about it. */
  hint?: string;
}

/** The effective options of one cluster. */
export interface FoldAnswer {
  /** By path. */
  options: OptionAnswer[];
  /** For each option the layers that set it, winner first. */
  origins: { [key: string]: OriginAnswer[] };
  /** The tree that Helm would get; references are left out. */
  values: Json;
}

/** Lays layers over each other, lowest first. */
export interface FoldRequest {
  op: "fold";
  /** The layers in order; later ones win. */
  layers: LayerInput[];
  /** The cluster that `when` is asked about. */
  cluster?: ClusterInput;
  /** `compat`: the answer of Greenhouse. */
  mode?: "strict" | "compat";
}

/** A decision group of a placement. */
export interface GroupAnswer {
  name?: string;
  index: number;
}

/** Why a step is stopped, and how to let it pass. */
export interface HeldReason {
  code: string;
  text: string;
  hint: string;
}

/** One kind of documents. */
export interface KindAnswer {
  /** Empty for the core of Kubernetes. */
  group: string;
  /** Ends in `*` where it stands for every kind of the group that begins like this. */
  kind: string;
  /** Left out where `kind` stands for several; the server knows. */
  plural?: string;
  /** `Namespaced` or `Cluster`; left out where `kind` stands for several. */
  scope?: string;
  /** The versions that are understood, best first. */
  versions: string[];
  /** Only these objects are documents; in kubectl's syntax. */
  labelSelector?: string;
  /** Whether a status is written apart from the rest. */
  statusSubresource: boolean;
  /** The operations that an admission webhook must see. */
  admits?: string[];
  /** Those that read it. */
  dialects: string[];
}

/** By group and kind. */
export interface KindsAnswer {
  kinds: KindAnswer[];
}

/** The kinds of documents that dialects read on the hub. */
export interface KindsRequest {
  op: "kinds";
  /** Those of these dialects, be they in force or not; left out, of those in force. */
  dialects?: string[];
}

/** What one layer says, and where. */
export interface LayerAnswer {
  layer: string;
  document?: string;
  path?: string;
  file?: string;
  line?: number;
  column?: number;
  value?: Json;
  valueFrom?: Json;
}

/** One source of values. */
export interface LayerInput {
  name: string;
  /** For which clusters, as a selector of any form; without it, for all. */
  when?: Json;
  set: SettingInput[];
}

/** What one plan may do before it is held. */
export interface LimitsAnswer {
  deletes: number;
  deletePercent: number;
  changes?: number;
  protectedKinds: string[];
  emptySelection: boolean;
}

/** What one plan may do before it is held. */
export interface LimitsInput {
  /** Deletes in one plan; the smaller of number and share counts. */
  deletes?: number;
  /** Deletes as a share of the objects that the subjects manage. */
  deletePercent?: number;
  /** Creates and patches in one plan. */
  changes?: number;
  /** Kinds that are not deleted unless the object allows it. */
  protectedKinds?: string[];
  /** Whether a subject that selects no cluster may delete what it made. */
  emptySelection?: boolean;
}

/** What one layer says about the value. */
export interface LinkAnswer {
  layer: string;
  document?: string;
  path?: string;
  file?: string;
  line?: number;
  column?: number;
  value?: Json;
  valueFrom?: Json;
  /** `wins`, `shadowed`, `not-applied` or `retained`. */
  state: string;
  /** Why it has no say. */
  reason?: ReasonAnswer;
}

/** How much was found. */
export interface LintAnswer {
  documents: number;
  errors: number;
  warnings: number;
  infos: number;
}

/** Looks at everything that is loaded. What it finds are the diagnostics of the answer. */
export interface LintRequest {
  op: "lint";
}

/** Takes documents into the workspace. One that cannot be read is told and left out; the others are taken. */
export interface Load {
  /** The documents, as objects. */
  documents?: Json[];
  /** The documents, as YAML or JSON text. */
  text?: string;
  /** The name of the text, for places. */
  file?: string;
  /** The text is all of the file: documents that came from it before and are not in it any more are let go, unless something in the text cannot be read. */
  whole?: boolean;
  /** The objects were seen in this cluster; the hub is the cluster without a name. */
  live?: string;
  /** Objects that were looked for in the cluster and are not there. */
  absent?: TargetInput[];
  /** The objects are all that the query lists; without a query, all there are in the cluster. */
  complete?: boolean;
  /** What was listed. */
  query?: QueryInput;
  /** The cluster did not answer: what was seen there is unknown again, and nothing is planned for it. It is lifted by `false`, and by anything that is seen there. */
  unreachable?: boolean;
  /** What the host met when the cluster did not answer. */
  reason?: string;
}

/** What was taken in. */
export interface LoadAnswer {
  /** How many documents were taken in, and how many of them took the place of another. */
  loaded: number;
  replaced: number;
  /** With `whole`: how many documents were let go. */
  unloaded?: number;
  /** How many clusters the workspace knows now. */
  clusters: number;
}

/** Takes documents into the workspace. One that cannot be read is told and left out; the others are taken. */
export interface LoadRequest {
  op: "load";
  /** The documents, as objects. */
  documents?: Json[];
  /** The documents, as YAML or JSON text. */
  text?: string;
  /** The name of the text, for places. */
  file?: string;
  /** The text is all of the file: documents that came from it before and are not in it any more are let go, unless something in the text cannot be read. */
  whole?: boolean;
  /** The objects were seen in this cluster; the hub is the cluster without a name. */
  live?: string;
  /** Objects that were looked for in the cluster and are not there. */
  absent?: TargetInput[];
  /** The objects are all that the query lists; without a query, all there are in the cluster. */
  complete?: boolean;
  /** What was listed. */
  query?: QueryInput;
  /** The cluster did not answer: what was seen there is unknown again, and nothing is planned for it. It is lifted by `false`, and by anything that is seen there. */
  unreachable?: boolean;
  /** What the host met when the cluster did not answer. */
  reason?: string;
}

/** Whether live contains desired, and where it does not. */
export interface MatchAnswer {
  matches: boolean;
  /** In the order of the desired object. */
  differences: DifferenceAnswer[];
  /** By kind: the whole object to send, or null. */
  update?: Json | null;
  /** By kind: the update as operations on the live object. */
  patch?: OperationAnswer[];
  /** By kind: the differences that no update can mend. */
  immutable?: DifferenceAnswer[];
}

/** Compares a desired object with a live one. */
export interface MatchRequest {
  op: "match";
  /** The object as it should be. */
  desired: Json;
  /** The object as the cluster has it. */
  live: Json;
  /** `byKind`: only what counts for the kind, and what would mend it. */
  policy?: "byKind";
  /** `compat`: the answer of `dialect`. `threeWay`: also what was removed since `lastApplied`. */
  mode?: "strict" | "compat" | "threeWay";
  /** In compat mode, which original: `certmanager` (when left out) or `kubefed`. */
  dialect?: "kubefed" | "karmada" | "greenhouse" | "ocm" | "certmanager";
  /** What was applied last; `threeWay` needs it. */
  lastApplied?: Json;
  /** The version that KubeFed recorded, such as `gen:3`. */
  recorded?: string;
}

/** What the component is started with. */
export interface MoldAnswer {
  /** One `--name=value` for each flag, sorted by name. */
  args: string[];
}

/** Lays flags over a container's arguments, and checks them against what the component has in this version. */
export interface MoldRequest {
  op: "mold";
  /** `controller`, `webhook` or `cainjector`. */
  component: string;
  /** A release such as `v1.3.0`; the latest when left out. */
  version?: string;
  /** Values by flag name without dashes, or arguments `--name=value`. */
  flags: { [key: string]: Json } | string[];
  /** The arguments that the flags are laid over. */
  base?: string[];
  /** `compat`: the answer of the operators, which check nothing. */
  mode?: "strict" | "compat";
}

/** An object that must be seen, or without a name a list. */
export interface NeedAnswer {
  cluster: string;
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
  labelSelector?: string;
}

/** One operation of RFC 6902. */
export interface OperationAnswer {
  op: "add" | "remove" | "replace" | "test" | "move" | "copy";
  path: string;
  value?: Json;
}

/** One effective option. */
export interface OptionAnswer {
  /** The layer that set it. */
  from: string;
  path: string;
  value?: Json;
  valueFrom?: Json;
}

/** What one layer says about an option. */
export interface OriginAnswer {
  layer: string;
  /** Set where the value was merged into what is below. */
  merge?: "replace" | "deep";
  value?: Json;
  valueFrom?: Json;
}

/** Who needs an object. */
export interface OwnerInput {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  /** Of a namespaced owner. */
  namespace?: string;
  /** Whether it asks to be the object's controller. */
  controller?: boolean;
}

/** The documents of the text. */
export interface ParseAnswer {
  /** All documents that hold something, in order. */
  documents: Json[];
  /** For each document, where the value at each JSON pointer starts. Values below an alias have no place of their own. */
  places?: { [key: string]: ParsePlace }[];
}

/** A place in the text, counted from one. */
export interface ParsePlace {
  line: number;
  /** Counted in characters. */
  column: number;
}

/** Reads YAML or JSON text, one or many documents, the way kubectl reads it. */
export interface ParseRequest {
  op: "parse";
  /** The text. */
  text: string;
  /** The name of the text, for places. */
  file?: string;
  /** `compat`: of a key that stands twice the last one wins, large integers are rounded, and nothing is said of ambiguous tokens. */
  mode?: "strict" | "compat";
  /** Whether the answer says where each value stood. */
  places?: boolean;
}

/** The patched object. */
export interface PatchAnswer {
  object: Json;
}

/** One operation of RFC 6902. */
export interface PatchOperation {
  /** What to do; `replace` when left out. */
  op?: "add" | "remove" | "replace" | "test" | "move" | "copy";
  /** Where, as a JSON pointer. */
  path: string;
  /** Where `move` and `copy` take the value from. */
  from?: string;
  /** The value of `add`, `replace` and `test`. */
  value?: Json;
}

/** Applies operations to an object, all or nothing. */
export interface PatchRequest {
  op: "patch";
  /** The object to change. */
  object: Json;
  /** The operations, in order. */
  patch: PatchOperation[];
  /** `compat`: the answer of KubeFed. */
  mode?: "strict" | "compat";
}

/** A place in a document. What is not known is left out. */
export interface PlaceAnswer {
  /** `Kind/namespace/name`. */
  document?: string;
  /** A JSON pointer. */
  path?: string;
  file?: string;
  line?: number;
  /** Counted in characters, from one. */
  column?: number;
}

/** A plan. */
export interface PlanAnswer {
  needs: NeedAnswer[];
  /** By wave, then subject, cluster and target. */
  actions: ActionAnswer[];
  held: ActionAnswer[];
  /** Statuses that are not what they should be. */
  status: StatusAnswer[];
  /** SHA-256 over what would be done, be it held or not. */
  digest: string;
}

/** What would be done. */
export interface PlanRequestRequest {
  op: "plan";
  /** Only some of it. With clusters, what concerns a subject as a whole is left out. */
  scope?: ScopeInput;
  /** The time, in RFC 3339; what depends on it waits without. */
  now?: string;
  /** Carry what Secrets hold; only a runner needs it. */
  reveal?: boolean;
  /** Tell what statuses turn to, for events. */
  events?: boolean;
}

/** The live object that the step is for: another one of its name, or a changed one, is not meant. */
export interface Precondition {
  uid?: string;
  resourceVersion?: string;
}

/** An object that a cluster should have. */
export interface ProductAnswer {
  object: Json;
  /** Where the object is written, before layers: values that `origins` does not have are its own. */
  base?: PlaceAnswer;
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
  /** Left out for all namespaces. */
  namespace?: string;
  /** In kubectl's syntax. */
  labelSelector?: string;
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
  /** In the order to try. */
  ways: WayAnswer[];
  /** Why there is no other way. */
  problem?: Refusal;
}

/** One condition and whether it holds. */
export interface ReasonAnswer {
  /** The stable name of the reason. */
  code: string;
  text: string;
  /** Whether it speaks for the cluster. */
  holds: boolean;
}

/** What restarts and what does not, both sorted by kind, namespace and name. */
export interface RefreshAnswer {
  patches: RefreshPatch[];
  skipped: RefreshSkip[];
}

/** One workload and the patch that restarts it. */
export interface RefreshPatch {
  target: RefreshTarget;
  /** Operations of RFC 6902. The label `…/time-restarted` is the time in UTC, written as `2026-01-31T09-30-00Z`. */
  patch: OperationAnswer[];
  reason: RefreshReason;
}

/** Why a workload restarts. */
export interface RefreshReason {
  /** `secret-renewed`. */
  code: string;
  text: string;
  /** The name of the secret. */
  secret: string;
  /** The version of the secret. */
  version: string;
  /** The version that the workload recorded; left out when it recorded none. */
  recorded?: string;
  /** The places of the workload that take the secret, as JSON pointers. */
  uses: string[];
}

/** Which workloads must restart because the secret of a certificate was renewed. */
export interface RefreshRequest {
  op: "refresh";
  /** The secret as the cluster has it. Its contents are not looked at. */
  secret: Json;
  /** The workloads that may use it. */
  workloads: Json[];
  /** The time, in RFC 3339. */
  now: string;
  /** `compat`: the answer of the cert-manager deployment operator. */
  mode?: "strict" | "compat";
}

/** One workload that does not restart. */
export interface RefreshSkip {
  target: RefreshTarget;
  reason: SkipReason;
}

/** A workload. */
export interface RefreshTarget {
  kind: string;
  namespace: string;
  name: string;
}

/** Why a request cannot be answered. */
export interface Refusal {
  /** The stable name of the error. */
  code: string;
  /** What is wrong. */
  message: string;
  /** Where: a JSON pointer into the request, or `line:column` of a text. */
  at?: string;
  /** What to do about it. */
  hint?: string;
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
  op: "release";
  owner: OwnerInput;
  /** The object as the cluster has it. */
  live: Json;
}

/** What some clusters get, all of them the same. */
export interface ResultAnswer {
  clusters: string[];
  /** Why these clusters cannot be answered. */
  error?: Refusal;
  /** Of a placement: the decision group. */
  group?: GroupAnswer;
  objects?: ProductAnswer[];
  options?: OptionAnswer[];
  /** For each option the layers that set it, winner first. */
  origins?: { [key: string]: LayerAnswer[] };
  /** Options that differ inside the group because they name the cluster. */
  own?: { [key: string]: OptionAnswer[] };
  /** The tree that Helm would get; references are left out. */
  values?: Json;
}

/** The result, and what of it the cluster gave. */
export interface RetainAnswer {
  /** The desired object with what was carried over. */
  object: Json;
  /** What was carried over, by path. */
  retained: RetainedField[];
}

/** Carries values of the live object over into the desired one. */
export interface RetainRequest {
  op: "retain";
  /** The object as the template gives it. */
  desired: { [key: string]: Json };
  /** The object as the cluster has it; null before it is created. */
  live: Json;
  /** Rules beside the built-in ones. */
  rules?: RetainRules;
  /** Whether the built-in rules apply; they do when left out. */
  builtin?: boolean;
  /** Whether `spec.replicas` belongs to the cluster. */
  retainReplicas?: boolean;
  /** `compat`: the answer of the original. */
  mode?: "strict" | "compat";
  /** In compat mode, which original: `kubefed` (when left out) or `karmada`. */
  dialect?: "kubefed" | "karmada" | "greenhouse" | "ocm" | "certmanager";
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
  /** Where it is in the result, as a JSON pointer. */
  path: string;
  /** The built-in rule, the retention path, or `label:` and the key. */
  rule: string;
  /** `always`, `conditional` or `union`. */
  mode: string;
}

/** A part of the fleet. */
export interface ScopeInput {
  subjects?: string[];
  clusters?: string[];
}

/** A key of a Secret of the hub. */
export interface SecretKey {
  namespace: string;
  name: string;
  key: string;
}

/** Keys of a Secret of the hub, of which the first that is there counts. */
export interface SecretKeys {
  namespace: string;
  name: string;
  keys: string[];
}

/** The picked clusters, sorted by name. */
export interface SelectAnswer {
  clusters: string[];
  /** With `why`: every cluster, sorted by name. */
  explained?: Explained[];
}

/** Which clusters a selector picks. */
export interface SelectRequest {
  op: "select";
  /** A label selector object, a string in kubectl's `-l` syntax, a Greenhouse cluster selector, a KubeFed placement, a ManagedClusterSet document, or a list of them (any of). An empty one picks all, null picks none. */
  selector: Json;
  /** The fleet to pick from. */
  clusters: ClusterInput[];
  /** Also say of each cluster why it is in or out. */
  why?: boolean;
  /** `compat`: the answer of `dialect`. */
  mode?: "strict" | "compat";
  /** In compat mode, which original; only `karmada` makes a difference, with its cluster affinities. */
  dialect?: "kubefed" | "karmada" | "greenhouse" | "ocm" | "certmanager";
}

/** One option that a layer sets. */
export interface SettingInput {
  /** The option path, such as `image.tag`. */
  path: string;
  value?: Json;
  /** A reference instead of a value. It stays one. */
  valueFrom?: Json;
  /** `deep`: maps merge, null drops a key. */
  merge?: "replace" | "deep";
}

/** The settings in force. */
export interface SettingsAnswer {
  precedence: "definition-over-cluster" | "cluster-over-definition";
  stage: "transitional" | "full";
  mode: "strict" | "compat";
  dialects: string[];
  expressions: boolean;
  podRefresher: boolean;
  paused: boolean;
  leaving: "orphan" | "delete";
  limits: LimitsAnswer;
}

/** Something that is said without effect. */
export interface ShadowAnswer {
  subject: string;
  path: string;
  object?: string;
  clusters: string[];
  /** The layer that hides it. */
  by: CauseAnswer;
}

/** Why a workload does not restart. */
export interface SkipReason {
  /** The stable name of the reason. */
  code: string;
  text: string;
}

/** What a status should be. */
export interface StatusAnswer {
  subject: string;
  cluster: string;
  target: TargetAnswer;
  status: Json;
  /** Conditions that turn with it; left out where none does, or nobody asks. */
  events?: EventAnswer[];
}

/** Something that produces results. */
export interface SubjectAnswer {
  subject: string;
  dialect: string;
  /** How many clusters get something from it; left out where it is of the hub alone. */
  clusters?: number;
  /** Why it produces nothing. */
  error?: Refusal;
}

/** By kind, namespace and name. */
export interface SubjectsAnswer {
  subjects: SubjectAnswer[];
}

/** Everything that is loaded and produces results. */
export interface SubjectsRequest {
  op: "subjects";
}

/** Names an object. */
export interface TargetAnswer {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** Names an object of a cluster. */
export interface TargetInput {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** What was let go. */
export interface UnloadAnswer {
  unloaded: number;
  /** How many clusters the workspace knows now. */
  clusters: number;
}

/** Lets documents go. */
export interface UnloadRequest {
  op: "unload";
  /** `Kind/name`, `Kind/namespace/name`, or `Kind.group/…` where two groups clash. */
  refs: string[];
}

/** A way to a cluster: a server with a token, or a kubeconfig. */
export interface WayAnswer {
  /** The document that says so. */
  document: string;
  server?: string;
  /** The certificates that sign the server's, in base64. */
  caBundle?: string;
  proxyUrl?: string;
  /** The server's certificate is not to be checked. */
  skipTlsVerify?: boolean;
  token?: SecretKey;
  kubeconfig?: SecretKeys;
}

/** What would change, and for whom. */
export interface WhatIfAnswer {
  counts: Counts;
  /** Clusters that would change alike, most clusters first. */
  groups: ChangeGroup[];
  /** What the change says without effect, and what hides it. */
  shadowed: ShadowAnswer[];
  /** The steps of the plan that are there because of the change. */
  actions: ActionCounts;
}

/** A change to look at. */
export interface WhatIfRequest {
  op: "whatIf";
  /** Documents that would come or take the place of others; a list is taken in its order. */
  load?: Load | Load[];
  /** Documents that would go. */
  unload?: string[];
  /** Settings that would change. */
  configure?: Configure;
}

/** The request of each op. */
export interface Requests {
  /** What this engine is and what it can be asked. */
  describe: DescribeRequest;
  /** Reads YAML or JSON text, one or many documents, the way kubectl reads it. */
  parse: ParseRequest;
  /** Which clusters a selector picks. */
  select: SelectRequest;
  /** Lays layers over each other, lowest first. */
  fold: FoldRequest;
  /** Carries values of the live object over into the desired one. */
  retain: RetainRequest;
  /** Applies operations to an object, all or nothing. */
  patch: PatchRequest;
  /** Compares a desired object with a live one. */
  match: MatchRequest;
  /** Makes an owner one of the owners of an object. */
  adopt: AdoptRequest;
  /** Drops an owner from the owners of an object. */
  release: ReleaseRequest;
  /** May this user make this label change, and which sets does the cluster join and leave by it? */
  authorize: AuthorizeRequest;
  /** Which workloads must restart because the secret of a certificate was renewed. */
  refresh: RefreshRequest;
  /** Lays flags over a container's arguments, and checks them against what the component has in this version. */
  mold: MoldRequest;
  /** Takes documents into the workspace. One that cannot be read is told and left out; the others are taken. */
  load: LoadRequest;
  /** Lets documents go. */
  unload: UnloadRequest;
  /** Changes settings; those left out stay as they are. */
  configure: ConfigureRequest;
  /** The clusters that are loaded. */
  clusters: ClustersRequest;
  /** The kinds of documents that dialects read on the hub. */
  kinds: KindsRequest;
  /** The ways to the clusters that are loaded. */
  reach: ReachRequest;
  /** Everything that is loaded and produces results. */
  subjects: SubjectsRequest;
  /** What each cluster gets from a subject. */
  effective: EffectiveRequestRequest;
  /** Asks why. With `subject`, `cluster` and `path`: why a value is what it is. Without `path`: why the cluster is in or out. With `action`: why a step is taken. With `user`, `cluster` and `labels`: whether and why a user may set labels. With `user` and `set`: whether and why a user may bind a set of clusters. */
  explain: ExplainRequest;
  /** Where two clusters get something else from a subject. */
  diff: DiffRequest;
  /** Looks at everything that is loaded. What it finds are the diagnostics of the answer. */
  lint: LintRequest;
  /** What would be done. */
  plan: PlanRequestRequest;
  /** A change to look at. */
  whatIf: WhatIfRequest;
  /** May this change of an object go through, with what is loaded? The workspace itself is not changed. */
  admit: AdmitRequest;
  /** What would Greenhouse's own defaulting add to this object, with what is loaded? Labels, names, and to a Plugin the options that its definition has defaults for. Only what is missing is added, so that asking again adds nothing. */
  defaults: DefaultsRequest;
}

/** What each op answers under `ok`. */
export interface Answers {
  describe: Description;
  parse: ParseAnswer;
  select: SelectAnswer;
  fold: FoldAnswer;
  retain: RetainAnswer;
  patch: PatchAnswer;
  match: MatchAnswer;
  adopt: AdoptAnswer;
  release: ReleaseAnswer;
  authorize: AuthorizeAnswer;
  refresh: RefreshAnswer;
  mold: MoldAnswer;
  load: LoadAnswer;
  unload: UnloadAnswer;
  configure: SettingsAnswer;
  clusters: ClustersAnswer;
  kinds: KindsAnswer;
  reach: ReachAnswer;
  subjects: SubjectsAnswer;
  effective: EffectiveAnswer;
  explain: ExplainAnswer;
  diff: DiffAnswer;
  lint: LintAnswer;
  plan: PlanAnswer;
  whatIf: WhatIfAnswer;
  admit: AdmitAnswer;
  defaults: DefaultsAnswer;
}

export type Op = keyof Requests;
export type Request = Requests[Op];
export type Response<T = Answers[Op]> = { ok: T; diagnostics?: Finding[] } | { error: Refusal };
