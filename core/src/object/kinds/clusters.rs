//! Which documents are clusters, of which upstream, and where each stores its endpoint and credentials.

use crate::object::document::Identity;

/// One kind of cluster. All keep the labels under `metadata.labels`.
#[derive(Debug)]
pub struct ClusterKind {
    pub group: &'static str,
    pub kind: &'static str,
    /// The dialect whose kind it is.
    pub dialect: &'static str,
    /// Whether only the namespaces that the settings name hold members.
    pub in_control_plane: bool,
    pub access: AccessMethod,
}

/// Where the document of a cluster stores endpoint and credentials. The Secret is in the namespace of the document.
#[derive(Debug)]
pub enum AccessMethod {
    /// The hub has no endpoint: an agent of the cluster connects to it.
    Nowhere,
    /// The server and its certificates are in the document, and a token in the Secret that it names.
    Token {
        server: &'static [&'static str],
        ca_bundle: &'static [&'static str],
        proxy_url: &'static [&'static str],
        /// A list of checks to leave out. `*` means all; one check alone cannot be left out here, and is made.
        unchecked: &'static [&'static str],
        secret: &'static [&'static str],
        key: &'static str,
    },
    /// The Secret of the cluster's own name holds a kubeconfig under one of these keys, to be tried in this order.
    Kubeconfig { keys: &'static [&'static str] },
}

/// The upstreams with cluster kinds. A cluster that two of them know is reached by the method of the first.
pub const KINDS: &[ClusterKind] = &[
    ClusterKind {
        group: "core.kubefed.io",
        kind: "KubeFedCluster",
        dialect: "kubefed",
        in_control_plane: true,
        access: AccessMethod::Token {
            server: &["spec", "apiEndpoint"],
            ca_bundle: &["spec", "caBundle"],
            proxy_url: &["spec", "proxyURL"],
            unchecked: &["spec", "disabledTLSValidations"],
            secret: &["spec", "secretRef", "name"],
            key: "token",
        },
    },
    ClusterKind {
        group: "greenhouse.sap",
        kind: "Cluster",
        dialect: "greenhouse",
        // An organization has a namespace of its own. Endpoint and credentials are in one Secret there, so credentials
        // cannot be sent to another endpoint.
        in_control_plane: false,
        // Greenhouse writes its own with a token that it renews, beside the one that the cluster was brought in with.
        access: AccessMethod::Kubeconfig { keys: &["greenhousekubeconfig", "kubeconfig"] },
    },
    ClusterKind {
        group: "cluster.open-cluster-management.io",
        kind: MANAGED_CLUSTER,
        dialect: "ocm",
        in_control_plane: false,
        access: AccessMethod::Nowhere,
    },
];

/// The kind whose clusters the sets of Open Cluster Management hold.
pub const MANAGED_CLUSTER: &str = "ManagedCluster";

/// Whether a document is a cluster.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::{Identity, kinds::clusters::is_cluster};
///
/// let named = |kind: &str, group: &str| Identity { kind: kind.into(), group: group.into(), ..Identity::default() };
/// assert!(is_cluster(&named("ManagedCluster", "cluster.open-cluster-management.io")));
/// assert!(!is_cluster(&named("Cluster", "cluster.x-k8s.io")), "not a cluster kind of a known dialect");
/// ```
pub fn is_cluster(identity: &Identity) -> bool {
    cluster_kind(identity).is_some()
}

/// The kind of cluster that a document is.
pub fn cluster_kind(identity: &Identity) -> Option<&'static ClusterKind> {
    KINDS.iter().find(|it| identity.group == it.group && identity.kind == it.kind)
}

/// The API group of a kind of cluster.
pub fn group_of_kind(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|it| it.kind == kind).map(|it| it.group)
}
