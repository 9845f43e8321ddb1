//! Which documents are clusters, and of which system.

use crate::document::Identity;

/// The systems that know clusters, by the kind of their cluster documents. All keep the labels under `metadata.labels`.
const KINDS: &[(&str, &str)] = &[
    ("greenhouse.sap", "Cluster"),
    ("cluster.open-cluster-management.io", "ManagedCluster"),
    ("core.kubefed.io", "KubeFedCluster"),
];

/// The kind whose clusters the sets of Open Cluster Management hold.
pub const MANAGED_CLUSTER: &str = "ManagedCluster";

/// Whether a document is a cluster.
pub fn is_cluster(identity: &Identity) -> bool {
    KINDS.iter().any(|(group, kind)| identity.group == *group && identity.kind == *kind)
}

/// The API group of a kind of cluster.
pub fn group_of_kind(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, it)| *it == kind).map(|(group, _)| *group)
}
