//! Names that upstream systems gave to their groups, kinds, labels and annotations, where more than one room needs
//! them.

/// Labels, annotations and kinds of Open Cluster Management.
pub mod ocm {
    pub const GROUP: &str = "cluster.open-cluster-management.io";
    pub const SET: &str = "ManagedClusterSet";
    /// The label whose value is the name of a cluster's set.
    pub const CLUSTERSET: &str = "cluster.open-cluster-management.io/clusterset";
    /// Labels that OCM's own controllers write.
    pub const RESERVED_LABELS: &[&str] = &["cluster.open-cluster-management.io/", "info.open-cluster-management.io/"];
    /// The annotation that takes a Placement out of scheduling.
    pub const SCHEDULING_DISABLED: &str = "cluster.open-cluster-management.io/experimental-scheduling-disable";
    /// The labels of a PlacementDecision.
    pub const PLACEMENT: &str = "cluster.open-cluster-management.io/placement";
    pub const GROUP_NAME: &str = "cluster.open-cluster-management.io/decision-group-name";
    pub const GROUP_INDEX: &str = "cluster.open-cluster-management.io/decision-group-index";
}

/// Annotations of cert-manager and of the operators that deploy it.
pub mod certmanager {
    /// On Secrets that cert-manager issued.
    pub const ISSUER_KIND: &str = "cert-manager.io/issuer-kind";
    /// Prefixes of the annotations that let workloads restart.
    pub const RESTART_PREFIXES: &[&str] = &["certmanagerdeployment.opdev.io", "certmanagerdeployment.redhat.io"];
}

/// Names of KubeFed.
pub mod kubefed {
    /// A Secret for several clusters: its template is a Secret, and its overrides hold parts of one.
    pub const SECRET: &str = "FederatedSecret";
    /// Why a field that others set on a copy stays there, if the settings keep such fields.
    pub const KEPT_BY_SETTING: &str = "`kubefed.localChanges` is `keep`";
}

/// Annotations in which tools keep a copy of the object that they applied.
pub const APPLIED_COPIES: &[&str] =
    &["kubectl.kubernetes.io/last-applied-configuration", "kudo.dev/last-applied-configuration"];

/// The label on objects that KUDO manages, and its value.
pub const KUDO_MANAGED: (&str, &str) = ("kudo.dev/managed", "true");

/// Kinds whose objects only record a decision. Deleting one takes nothing from a cluster, so it does not count against
/// the delete budget; keeping one that is out of date would.
pub const DECISION_KINDS: &[&str] = &["PlacementDecision"];

/// Protected kinds that may be deleted together with the subject that they were created for. A Namespace, a
/// CustomResourceDefinition, a PersistentVolume or its claim takes more with it than the subject created.
pub const CONSENTED_KINDS: &[&str] = &["Secret", "StatefulSet"];

/// The documents whose pause holds everything in the namespace of their name, by kind and group.
pub const PAUSE_SCOPES: [(&str, &str); 2] = [("Organization", "greenhouse.sap"), ("Namespace", "")];

/// Files of packages, which have an API group and no kind: the group, keys of such files, and what to load instead.
pub const PACKAGE_FILES: &[(&str, &[&str], &str)] = &[(
    "kudo.dev",
    &["operatorVersion", "parameters", "plans", "tasks"],
    "a KUDO package is not read: load its OperatorVersion, as `kubectl kudo install --skip-instance` creates it and \
     `kubectl get operatorversion -o yaml` prints it",
)];
