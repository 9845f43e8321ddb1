//! All codes. `docs/codes.md` is generated from these lines.

/// An enum of stable names: programs may branch on them, so none of them ever changes.
macro_rules! codes {
    ($(#[doc = $about:literal])+ enum $enum:ident; $($(#[doc = $doc:literal])+ $name:ident = $text:literal,)*) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $enum { $($(#[doc = $doc])+ $name,)* }

        impl $enum {
            /// Every code with its meaning, for the documentation.
            pub const ALL: &[($enum, &str)] = &[$(($enum::$name, concat!($($doc),+)),)*];

            pub fn as_str(self) -> &'static str {
                match self { $($enum::$name => $text,)* }
            }
        }
    };
}

codes! {
    /// The stable name of one kind of finding.
    enum Code;

    // The request
    /// The request is not UTF-8, or its buffer is not one that the module allocated.
    BadRequest = "bad-request",
    /// The text is not JSON.
    BadJson = "bad-json",
    /// The text is not YAML as kubectl reads it.
    BadYaml = "bad-yaml",
    /// YAML that kubectl and YAML 1.2 readers read differently, so it is refused.
    UnportableYaml = "unportable-yaml",
    /// No op has this name.
    UnknownOp = "unknown-op",
    /// The op or the kind of document has no such field.
    UnknownField = "unknown-field",
    /// A field that the op or the document needs is absent.
    MissingField = "missing-field",
    /// The value is of another kind than the field takes.
    WrongType = "wrong-type",
    /// The value is not one of those the field takes.
    UnknownValue = "unknown-value",
    /// The API group has no kind of this name, but one with a similar name.
    UnknownKind = "unknown-kind",
    /// The document is of another kind than the field takes.
    WrongKind = "wrong-kind",
    /// The requested upstream has no answer of its own here, or no such setting.
    WrongDialect = "wrong-dialect",

    // Documents
    /// A document that is not an object with a kind and a name.
    NotAnObject = "not-an-object",
    /// The text does not name a document.
    BadReference = "bad-reference",
    /// No document that is loaded has this name.
    UnknownDocument = "unknown-document",
    /// Two documents of different groups have this name.
    AmbiguousReference = "ambiguous-reference",
    /// The document produces no results.
    NotASubject = "not-a-subject",
    /// The cluster gets nothing from the subject.
    NotSelected = "not-selected",
    /// No layer sets the path, and the result has nothing there.
    NothingThere = "nothing-there",
    /// The subject gives several objects, and none was named.
    AmbiguousObject = "ambiguous-object",
    /// No plan has such an action now.
    UnknownAction = "unknown-action",
    /// One document appears twice in one `load` request, or in two files.
    DuplicateDocument = "duplicate-document",
    /// The document is quarantined: processing it exceeded a limit of the host. What it governs keeps its last state.
    QuarantinedDocument = "quarantined-document",

    // Values
    /// A key appears twice in one map.
    DuplicateKey = "duplicate-key",
    /// An integer that 64 bits cannot hold.
    IntegerOutOfRange = "integer-out-of-range",
    /// A number that no finite double can hold.
    NumberOutOfRange = "number-out-of-range",
    /// Half of a UTF-16 pair, which is not a character.
    LoneSurrogate = "lone-surrogate",
    /// Nested deeper than the limit.
    TooDeep = "too-deep",
    /// More text, nodes or operations than the limit.
    TooLarge = "too-large",
    /// YAML 1.1 and 1.2 read this token differently.
    AmbiguousToken = "ambiguous-token",
    /// A value that JSON cannot express.
    NotRepresentable = "not-representable",
    /// A map key that JSON cannot express.
    BadKey = "bad-key",
    /// An alias without its anchor, or one that contains itself.
    BadAlias = "bad-alias",

    // Paths
    /// Not a JSON pointer.
    BadPointer = "bad-pointer",
    /// Not an option path.
    BadOptionPath = "bad-option-path",
    /// Not a retention path.
    BadRetentionPath = "bad-retention-path",

    // Selectors
    /// Not a selector in any of the forms.
    BadSelector = "bad-selector",
    /// No label can have this key.
    BadLabelKey = "bad-label-key",
    /// No label can have this value.
    BadLabelValue = "bad-label-value",
    /// A selector has no such operator.
    UnknownOperator = "unknown-operator",
    /// The operator takes values and has none, or the other way round.
    OperatorValues = "operator-values",
    /// A named cluster is not in the fleet.
    UnknownCluster = "unknown-cluster",
    /// Two clusters have one name.
    DuplicateCluster = "duplicate-cluster",
    /// A cluster is registered in a namespace that is not configured for members, so its credentials are never used.
    UntrustedNamespace = "untrusted-namespace",
    /// The endpoint of a cluster has no TLS or disables certificate checks, so no credentials are sent.
    InsecureEndpoint = "insecure-endpoint",

    // Expressions
    /// The expression is wrong for all values of its variables.
    BadExpression = "bad-expression",
    /// The expression fails for these values.
    ExpressionFailed = "expression-failed",
    /// The expressions of one document together take too many steps, so the document has no result.
    ExpressionBudget = "expression-budget",

    // Folding
    /// Two options cannot both be placed in one tree.
    OptionConflict = "option-conflict",
    /// A rule seems to grant a permission on labels or cluster sets, but grants none.
    IneffectiveGrant = "ineffective-grant",
    /// Two overrides of the same precedence set one option, and a name or a missing time decides between them.
    UndecidedOrder = "undecided-order",
    /// In compat mode a lower layer keeps its value of an option, though a higher layer sets a parent of it.
    NestedOption = "nested-option",
    /// An option appears twice in one layer.
    DuplicateOption = "duplicate-option",
    /// An option has both a value and a reference, or neither.
    OptionSource = "option-source",
    /// A layer depends on the cluster, and none was given.
    MissingCluster = "missing-cluster",
    /// A list has holes that were filled with null.
    PaddedList = "padded-list",
    /// `merge: deep` meets something that is not a map.
    MergeMismatch = "merge-mismatch",
    /// Two layers have one name.
    DuplicateLayer = "duplicate-layer",

    // Retention
    /// The elements of a list cannot be paired, so nothing was retained there.
    Unpaired = "unpaired",
    /// The retained path leads through something that is not a map or a list.
    PathBlocked = "path-blocked",
    /// No object of this kind has a field at this path.
    UnknownPath = "unknown-path",
    /// A value of a kind that the rule cannot carry over.
    BadLiveValue = "bad-live-value",
    /// KubeFed or Karmada drops a value of the template because the live object has none.
    Dropped = "dropped",
    /// The objects are not of the same kind or name.
    IdentityMismatch = "identity-mismatch",

    // Patches
    /// The place that a patch names does not exist.
    PathNotFound = "path-not-found",
    /// A patch would change what identifies the object.
    IdentityOverride = "identity-override",
    /// A patch operation is not one of RFC 6902, or lacks a field of it.
    BadOperation = "bad-operation",
    /// A `test` operation found another value.
    TestFailed = "test-failed",
    /// Two operations set the same path, so the first has no effect.
    DuplicatePath = "duplicate-path",

    // KubeFed
    /// The target of a federated kind is not known.
    UnknownTarget = "unknown-target",
    /// No FederatedTypeConfig is loaded for a federated kind, so KubeFed would ignore it.
    MissingTypeConfig = "missing-type-config",
    /// A FederatedTypeConfig turns the propagation of its kind off.
    PropagationDisabled = "propagation-disabled",
    /// The namespace of a federated object is not federated, so the object goes to no cluster.
    NamespaceNotFederated = "namespace-not-federated",
    /// Clusters are registered in several namespaces.
    SeveralControlPlanes = "several-control-planes",
    /// A placement without clusters and without a selector, or with an empty list, places nothing.
    PlacesNothing = "places-nothing",
    /// An empty selector places an object in every cluster.
    PlacesEverywhere = "places-everywhere",
    /// A placement has a list of clusters, so its selector has no effect.
    IgnoredSelector = "ignored-selector",
    /// An override is for clusters that the placement does not pick, so it has no effect.
    UnusedOverride = "unused-override",
    /// An override replaces all annotations or labels, also those that the cluster's own controllers wrote.
    WipesMetadata = "wipes-metadata",
    /// The template has annotations or finalizers, which KubeFed drops.
    TemplateMetadata = "template-metadata",
    /// The template has a field that only a server sets.
    ServerField = "server-field",
    /// A cluster is not ready or did not answer, so nothing is planned for it.
    ClusterNotReady = "cluster-not-ready",
    /// A cluster leaves the fleet or a federated object is deleted, and waits until the copies are deleted.
    StillLeaving = "still-leaving",
    /// An object of the same name is there that is not managed, and is left alone.
    NotManaged = "not-managed",
    /// Another field manager set a field that the template lacks and no retention rule covers, so updates remove it.
    LocalChangeOverwritten = "local-change-overwritten",
    /// A live object has no `managedFields`, so fields that others may have set on it are kept.
    UnknownManagers = "unknown-managers",
    /// A retention rule names a field that is never retained, or has a form that means another field.
    UselessRetention = "useless-retention",
    /// Replicas are retained from the cluster and overridden too, so the override undoes what an autoscaler does.
    OverriddenReplicas = "overridden-replicas",

    // Matching and ownership
    /// The cert-manager operator fails on these values.
    NotComparable = "not-comparable",
    /// A three-way comparison needs the last applied object.
    MissingLastApplied = "missing-last-applied",
    /// A namespaced owner cannot own this object, so the ownership is recorded as a claim.
    OwnedByClaim = "owned-by-claim",
    /// A namespaced owner cannot own this object.
    IllegalOwner = "illegal-owner",
    /// The object has a controller already.
    SecondController = "second-controller",
    /// The object is being deleted.
    Terminating = "terminating",
    /// The recorded claims cannot be read.
    BadClaims = "bad-claims",

    /// A difference that no update can remove.
    ImmutableDifference = "immutable-difference",

    // Placements
    /// The placement is misconfigured, so it cannot be decided.
    BadPlacement = "bad-placement",
    /// A placement cannot be decided, so its last decisions stay.
    DecisionsKept = "decisions-kept",
    /// A set that the placement names is not bound in its namespace, or does not exist.
    SetNotBound = "set-not-bound",
    /// The CustomResourceDefinition of the kind has no such field, so an API server does not store it.
    DroppedField = "dropped-field",
    /// A field that the API has and nothing acts on.
    IgnoredField = "ignored-field",
    /// A score of an add-on is no longer valid, and counts as zero.
    ExpiredScore = "expired-score",
    /// A predicate without conditions, which every cluster satisfies.
    PredicatePicksAll = "predicate-picks-all",
    /// A decision group matches none of the selected clusters, so it is not created.
    EmptyDecisionGroup = "empty-decision-group",
    /// Clusters that were chosen before come last, so the decisions change every time.
    UnsteadyPlacement = "unsteady-placement",

    // Operators
    /// No plan has this name.
    UnknownPlan = "unknown-plan",
    /// No task has this name.
    UnknownTask = "unknown-task",
    /// No template has this name.
    UnknownTemplate = "unknown-template",
    /// Two things that are distinguished by name have the same one.
    DuplicateName = "duplicate-name",
    /// A task of a kind that an install plan cannot have.
    TaskNotInstallable = "task-not-installable",
    /// The template is not rendered.
    UnrenderedTemplate = "unrendered-template",
    /// A namespace for an object whose kind has none.
    ScopeMismatch = "scope-mismatch",
    /// One object is wanted with different contents.
    ObjectConflict = "object-conflict",
    /// The live object differs from what is wanted, so it is not adopted.
    AdoptionRefused = "adoption-refused",
    /// An object of the install plan is not healthy yet, so later steps wait.
    NotHealthy = "not-healthy",
    /// An object of the install plan has failed, so the plan stops.
    ObjectFailed = "object-failed",
    /// A claim of an owner that is not loaded keeps an object forever.
    StaleClaim = "stale-claim",
    /// The document has no uid, so the live object is needed.
    UnknownUid = "unknown-uid",
    /// The document is not on the hub.
    NotInstalled = "not-installed",
    /// The OperatorVersion has no such parameter.
    UnknownParameter = "unknown-parameter",
    /// A value that the parameter does not take.
    BadParameterValue = "bad-parameter-value",
    /// A parameter that is required has no value.
    MissingParameter = "missing-parameter",
    /// A parameter that cannot change is changed, or must be set now and is not.
    ImmutableParameter = "immutable-parameter",
    /// The changed parameters run different plans.
    TriggerConflict = "trigger-conflict",

    // Admission
    /// The change takes more from clusters than its limits allow.
    DeleteBudget = "delete-budget",
    /// The change changes more in clusters than its limits allow.
    ChangeBudget = "change-budget",

    // Permissions
    /// The user lacks a permission that the change needs.
    NotGranted = "not-granted",
    /// A label that anyone may set decides which clusters are in a set.
    UnguardedLabel = "unguarded-label",
    /// The label that a role grants carries a set's name, and the set selects another value.
    GrantJoinsNothing = "grant-joins-nothing",
    /// The permission comes from the deprecated `join`.
    DeprecatedJoin = "deprecated-join",
    /// A name in a role has a wildcard, which Kubernetes reads literally.
    LiteralWildcard = "literal-wildcard",
    /// The set is not valid, so nothing joins it.
    BadClusterSet = "bad-cluster-set",
    /// Two sets share an exclusive key and value.
    SharedExclusiveLabel = "shared-exclusive-label",
    /// The set has no selector, so no cluster is ever in it.
    SetPicksNone = "set-picks-none",
    /// A label or a binding names a set that does not exist.
    UnknownSet = "unknown-set",
    /// The hub maintains this set, or adds clusters to it by itself.
    WellKnownSet = "well-known-set",
    /// A hub refuses the binding.
    BadBinding = "bad-binding",
    /// Hubs no longer serve this version of the kind.
    UnservedVersion = "unserved-version",
    /// The document is of a kind that this op does not read.
    UnusedDocument = "unused-document",
    /// A role, binding or subject that cannot be read.
    BadRbac = "bad-rbac",
    /// A binding grants in its namespace only, and the requested resource has none.
    NamespacedGrant = "namespaced-grant",

    // Greenhouse
    /// The definition that a plugin is made from is not loaded.
    UnknownDefinition = "unknown-definition",
    /// There is no organization of this name.
    UnknownOrganization = "unknown-organization",
    /// The definition declares no such option.
    UndeclaredOption = "undeclared-option",
    /// The value is of another type than the definition declares.
    OptionType = "option-type",
    /// The definition requires the option, and nothing sets it.
    MissingOption = "missing-option",
    /// The value never counts: a layer above it always wins.
    ShadowedOption = "shadowed-option",
    /// The integer is beyond 2^53, where Helm loses digits.
    LostDigits = "lost-digits",
    /// Greenhouse does not carry this reference over to the Plugin.
    LostReference = "lost-reference",
    /// The option declares a pattern, which nothing enforces.
    UnenforcedPattern = "unenforced-pattern",
    /// An expression, while expressions are switched off.
    ExpressionsOff = "expressions-off",
    /// The selector is empty, which picks every cluster, or absent, which picks none.
    EmptySelector = "empty-selector",
    /// The override is for no cluster that gets the plugin, or the preset picks no cluster.
    UnmatchedOverride = "unmatched-override",
    /// A second entry for one cluster, which is ignored.
    DuplicateEntry = "duplicate-entry",
    /// One PluginOverride sets one option to two values, so all of it is refused.
    ConflictingOverride = "conflicting-override",
    /// Two presets would make Plugins of one name, so neither does.
    NameCollision = "name-collision",
    /// There is a Plugin of this name that the preset did not make, so it is left alone.
    PluginSkipped = "plugin-skipped",
    /// A problem with a finding of its own keeps a cluster from getting its Plugin.
    PluginFailed = "plugin-failed",
    /// An entry of `waitFor` has no name, or two.
    BadWaitFor = "bad-wait-for",
    /// Written in a form that Greenhouse no longer has.
    OldForm = "old-form",

    // Refresh and molds
    /// Not a time in RFC 3339.
    BadTime = "bad-time",
    /// The record on a workload cannot be read and is replaced.
    BadRecord = "bad-record",
    /// The component has no such flag in this version.
    UnknownFlag = "unknown-flag",
    /// No component has this name.
    UnknownComponent = "unknown-component",
    /// The version is outside the supported window.
    UnsupportedVersion = "unsupported-version",
    /// The flag does not take this value.
    BadFlagValue = "bad-flag-value",

    // Bundles and their deployments
    /// The bundle cannot be read, so nothing is installed from it.
    BadBundle = "bad-bundle",
    /// Two bundles are of one product and version.
    DuplicateBundle = "duplicate-bundle",
    /// No bundle of the product is loaded.
    NoBundle = "no-bundle",
    /// The version of the bundle is too old to be installed.
    OutsideWindow = "outside-window",
    /// A bundle has objects of a kind that the order of installing does not know.
    KindWithoutWave = "kind-without-wave",
    /// Only an object of another name is acted on.
    WrongName = "wrong-name",
    /// Two documents install one product.
    SecondInstallation = "second-installation",
    /// An older version would replace a newer one without being requested.
    Downgrade = "downgrade",
    /// The flags of the version are not known, so they cannot be checked.
    NoMold = "no-mold",
    /// Other arguments replace those of the release.
    ArgumentsDropped = "arguments-dropped",
    /// An override that changes nothing.
    NoEffect = "no-effect",
    /// An update removes labels or annotations that others set.
    ForeignKeysDropped = "foreign-keys-dropped",
    /// The deployment has no uid, so it cannot own anything.
    OwnerUnknown = "owner-unknown",
    /// Objects that existed before get no owner reference, so they stay when the deployment is deleted.
    ObjectsNotOwned = "objects-not-owned",
    /// Objects that existed before are adopted, so they are deleted with the deployment.
    ObjectsAdopted = "objects-adopted",
    /// The namespace is deleted with the deployment, and everything in it.
    NamespaceOwned = "namespace-owned",
    /// The deployment's `managementState` is `Unmanaged`, so nothing is planned for it.
    Unmanaged = "unmanaged",
    /// Definitions stay when the deployment is deleted.
    DefinitionsKept = "definitions-kept",
    /// A workload opts in to restarts with a value that does not count.
    OptInIgnored = "opt-in-ignored",
    /// A workload opts in to restarts, and the refresher is off.
    RefresherOff = "refresher-off",
    /// A part of the plan depends on the time, and the request has no `now`.
    TimeUnknown = "time-unknown",
}

codes! {
    /// The stable name of one reason for a decision.
    enum ReasonCode;

    // Selection
    /// No selector is given, which picks no cluster.
    NoSelector = "no-selector",
    /// The list of selectors is empty, which picks no cluster.
    EmptyList = "empty-list",
    /// There is no condition, so every cluster is meant.
    SelectsAll = "selects-all",
    /// A FederatedTypeConfig turns the propagation of the kind off, so the cluster gets nothing.
    PropagationDisabled = "propagation-disabled",
    /// No FederatedTypeConfig is loaded for the kind, so its retention rules and settings are unknown.
    MissingTypeConfig = "missing-type-config",
    /// Another field manager set the field in the cluster, and no retention rule covers it.
    LocalChange = "local-change",
    /// The cluster is on the ignore list.
    Ignored = "ignored",
    /// The cluster is named.
    Named = "named",
    /// Others are named, and the cluster is not.
    NotNamed = "not-named",
    /// The cluster satisfies the requirement.
    RequirementMet = "requirement-met",
    /// The cluster does not satisfy the requirement.
    RequirementNotMet = "requirement-not-met",
    /// The selector is not valid, which Karmada treats as one that picks nothing.
    BadSelector = "bad-selector",

    /// The cluster is in the set or placement that the subject names.
    Member = "member",
    /// The cluster is not in the set or placement that the subject names.
    NotMember = "not-member",

    /// The cluster is picked, and is not ready.
    NotReady = "not-ready",

    /// The layer sets a parent of the option.
    ParentOption = "parent-option",
    /// The layer is for other clusters.
    ClusterNotSelected = "cluster-not-selected",
    /// The layer has an error, so it is used for no cluster.
    Refused = "refused",
    /// The layer is for plugins of other definitions.
    OtherDefinition = "other-definition",

    // Plans
    /// The object does not exist.
    Absent = "absent",
    /// The live object differs from the desired object.
    Differs = "differs",
    /// The object fits, and lacks the owner.
    OwnerMissing = "owner-missing",
    /// The object existed before and is adopted.
    Adopted = "adopted",
    /// An owner leaves, and the object stays.
    OwnerLeaves = "owner-leaves",
    /// The last owner leaves an object that was made for it.
    LastOwnerLeaves = "last-owner-leaves",
    /// The object must stay until everything that refers to it is released.
    Guarded = "guarded",
    /// Everything that referred to the object is released.
    AllReleased = "all-released",
    /// An earlier action is held.
    WaitsForHeld = "waits-for-held",
    /// An object of an earlier step is not healthy yet.
    WaitsForHealth = "waits-for-health",
    /// The cluster is no longer selected.
    NoLongerSelected = "no-longer-selected",
    /// The subject no longer has it.
    NoLongerWanted = "no-longer-wanted",
    /// The subject or the cluster is paused.
    Paused = "paused",
    /// Objects of this kind are not deleted unless they allow it.
    ProtectedKind = "protected-kind",
    /// The plan deletes more than its limits allow.
    DeleteBudget = "delete-budget",
    /// The plan changes more than its limits allow.
    ChangeBudget = "change-budget",
    /// The subject selects no cluster, and would delete everything.
    EmptySelection = "empty-selection",
    /// The subject would lose everything that it has at once.
    AllOfSubject = "all-of-subject",
    /// The installed version is later than the latest one that is loaded, or unknown.
    VersionUnknown = "version-unknown",
    /// The document of a cluster is absent, and other objects of the cluster exist, so it is unknown whether it left.
    ClusterUnknown = "cluster-unknown",

    // Placements
    /// The cluster is in a set that the placement may use.
    InBoundSet = "in-bound-set",
    /// No set of the cluster is bound in the namespace of the placement.
    NotInBoundSet = "not-in-bound-set",
    /// The placement names a set of the cluster that is not bound in its namespace.
    SetNotBound = "set-not-bound",
    /// A set of the cluster is bound, and the placement names others.
    SetNotNamed = "set-not-named",
    /// The predicate holds, and one is enough.
    PredicateMet = "predicate-met",
    /// None of the predicates holds.
    NoPredicateMet = "no-predicate-met",
    /// The expression is true for the cluster.
    ExpressionHolds = "expression-holds",
    /// The expression is not true for the cluster.
    ExpressionDoesNotHold = "expression-does-not-hold",
    /// The expression cannot be evaluated for the cluster.
    ExpressionFailed = "expression-failed",
    /// The taint does not keep the cluster out.
    TaintTolerated = "taint-tolerated",
    /// The taint keeps the cluster out.
    TaintNotTolerated = "taint-not-tolerated",
    /// The taint was tolerated for a time that is over.
    TolerationEnded = "toleration-ended",
    /// The cluster's place among those that match is within the wanted number.
    RankedIn = "ranked-in",
    /// The cluster's place among those that match is past the wanted number.
    RankedOut = "ranked-out",
    /// The placement chooses the cluster.
    Chosen = "chosen",
    /// The cluster was chosen before, which stays while the placement cannot be decided.
    DecisionKept = "decision-kept",
    /// The placement is not decided, so the cluster is not chosen.
    NotDecided = "not-decided",

    // Bundles
    /// Why this version is installed.
    VersionChosen = "version-chosen",

    // Refresh
    /// The workload's pods started with another version of the secret.
    SecretRenewed = "secret-renewed",
    /// The secret is not one that cert-manager issued.
    SecretNotIssued = "secret-not-issued",
    /// The cluster, the secret or the workload is being deleted.
    Terminating = "terminating",
    /// Workloads of this kind are not restarted.
    KindNotRestarted = "kind-not-restarted",
    /// The workload is not in the namespace of the secret.
    OtherNamespace = "other-namespace",
    /// The workload does not opt in to restarts.
    NotOptedIn = "not-opted-in",
    /// The workload's pods do not use the secret.
    DoesNotUseSecret = "does-not-use-secret",
    /// The workload restarted for this version of the secret before.
    UpToDate = "up-to-date",
    /// The cert-manager operator crashes on this workload.
    OriginalCrashes = "original-crashes",
}
