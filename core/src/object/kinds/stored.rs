//! What an API server makes of what it is given: facts without which an applied update would look undone for ever.

use crate::object::identity::group_of;

/// The groups whose kinds are Go structs in the API server, which normalizes them. Custom resources are stored as
/// given.
const WORKLOADS: &[&str] = &["", "apps", "batch"];
const RBAC: &str = "rbac.authorization.k8s.io";

/// Fields of the metadata of every kind that are left out when they are empty.
const METADATA: &[&str] = &["annotations", "finalizers", "generateName", "labels", "namespace", "ownerReferences"];

/// Fields of workloads, pods, services and configuration that are left out when they are empty, zero or false, at any
/// depth.
const OMITTED: &[&str] = &[
    // maps and lists
    "add",
    "annotations",
    "args",
    "binaryData",
    "command",
    "data",
    "drop",
    "env",
    "envFrom",
    "ephemeralContainers",
    "externalIPs",
    "hostAliases",
    "imagePullSecrets",
    "initContainers",
    "labels",
    "loadBalancerSourceRanges",
    "matchExpressions",
    "matchLabels",
    "nodeSelector",
    "ports",
    "secrets",
    "stringData",
    "supplementalGroups",
    "sysctls",
    "tolerations",
    "topologySpreadConstraints",
    "volumeClaimTemplates",
    "volumeDevices",
    "volumeMounts",
    "volumes",
    // texts
    "externalName",
    "hostIP",
    "hostname",
    "loadBalancerIP",
    "priorityClassName",
    "serviceAccountName",
    "subPath",
    "subdomain",
    "workingDir",
    // numbers
    "healthCheckNodePort",
    "hostPort",
    "minReadySeconds",
    "nodePort",
    // booleans
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "paused",
    "publishNotReadyAddresses",
    "stdin",
    "stdinOnce",
    "tty",
];

/// The same for fields of the elements of a list, whose names elsewhere are those of fields that are kept.
const OMITTED_IN: &[(&str, &str)] = &[("env", "value"), ("tolerations", "value"), ("volumeMounts", "readOnly")];

/// Fields of roles and bindings that are left out when they are empty.
const OMITTED_BY_RBAC: &[&str] = &["apiGroups", "nonResourceURLs", "resourceNames", "resources", "subjects"];

/// Paths of quantities, by their last steps; `*` is any name.
const QUANTITIES: &[&[&str]] = &[
    &["resources", "limits", "*"],
    &["resources", "requests", "*"],
    &["emptyDir", "sizeLimit"],
    &["spec", "hard", "*"],
];

/// Whether the API server omits the field at this path when it is empty, zero or false. False for an object without
/// `apiVersion`.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::stored::is_omitted;
///
/// assert!(is_omitted("apps/v1", &["spec", "paused"]));
/// assert!(!is_omitted("example.com/v1", &["spec", "paused"]), "custom resources keep empty fields");
/// ```
pub fn is_omitted(api_version: &str, keys: &[&str]) -> bool {
    let group = group_of(api_version);
    match keys {
        _ if api_version.is_empty() => false,
        ["metadata", field] => METADATA.contains(field),
        [.., list, _, field] if WORKLOADS.contains(&group) && OMITTED_IN.contains(&(*list, *field)) => true,
        [.., field] if WORKLOADS.contains(&group) => OMITTED.contains(field),
        [.., field] if group == RBAC => OMITTED_BY_RBAC.contains(field),
        _ => false,
    }
}

/// Whether the value at this path is a quantity, which the API server normalizes: `1000m` becomes `1`.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::stored::is_quantity;
///
/// let container = ["spec", "template", "spec", "containers", "resources", "limits", "cpu"];
/// assert!(is_quantity("apps/v1", &container));
/// assert!(!is_quantity("apps/v1", &["spec", "replicas"]));
/// ```
pub fn is_quantity(api_version: &str, keys: &[&str]) -> bool {
    let ends_with = |row: &&[&str]| {
        let steps = row.iter().rev().zip(keys.iter().rev());
        keys.len() >= row.len() && steps.into_iter().all(|(step, key)| *step == "*" || step == key)
    };
    WORKLOADS.contains(&group_of(api_version)) && QUANTITIES.iter().any(ends_with)
}
