//! How list elements are identified: by keys, as a set, or by their order.
//!
//! The rows follow what Kubernetes declares for strategic merge and server-side apply. They go beyond it where it calls
//! a list atomic although its order means nothing: RBAC rules and subjects, the names and versions of a
//! CustomResourceDefinition, the pull secrets of a ServiceAccount, the finalizers of a Namespace.
//!
//! Lists without a row are ordered: `args`, `tolerations`, the rules of a NetworkPolicy, and everything in kinds that
//! are not known here.

use crate::object::identity::group_of;

/// How the elements of a list are identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// These keys, together.
    Keyed(&'static [Key]),
    /// These keys, together; and where they find no partner, a `name` that no two elements may share.
    KeyedOrNamed(&'static [Key]),
    /// The elements themselves; order and repetition mean nothing.
    Set,
    /// Their place.
    Ordered,
}

/// One of the keys of a list's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub name: &'static str,
    /// What an element without the key is taken to have. Without a default, every element must have the key.
    pub default: Option<&'static str>,
}

/// The kind of the list at `path`, the map keys from the root of an object, with the steps into lists left out:
/// `["spec", "template", "spec", "containers", "ports"]`.
///
/// Versions of an API group do not differ here.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::lists::{ListKind, list_kind};
///
/// let pod = ["spec", "template", "spec", "containers"];
/// assert!(matches!(list_kind("apps/v1", "Deployment", &pod), ListKind::Keyed(keys) if keys[0].name == "name"));
/// let args = [&pod[..], &["args"]].concat();
/// assert_eq!(list_kind("apps/v1", "Deployment", &args), ListKind::Ordered);
/// ```
pub fn list_kind(api_version: &str, kind: &str, path: &[&str]) -> ListKind {
    let group = group_of(api_version);
    let in_object = EVERY_KIND.iter().find(|(row, _)| is_path(row, path)).map(|(_, list)| *list);
    let in_kind = || {
        let rows = ROWS.iter().filter(|row| row.group == group && row.kinds.contains(&kind));
        rows.flat_map(|row| row.lists).find(|(row, _)| is_path(row, path)).map(|(_, list)| *list)
    };
    let in_pod = || {
        let rest = below(path, pod_spec(group, kind)?)?;
        if let Some((_, list)) = POD_SPEC.iter().find(|(row, _)| is_path(row, rest)) {
            return Some(*list);
        }
        let ([containers, rest @ ..], true) = (rest, rest.len() > 1) else { return None };
        let fields = CONTAINERS.contains(containers).then_some(CONTAINER)?;
        fields.iter().find(|(row, _)| is_path(row, rest)).map(|(_, list)| *list)
    };
    in_object.or_else(in_kind).or_else(in_pod).unwrap_or(ListKind::Ordered)
}

/// The keys that lead to the pod spec of an object, for kinds that have one.
pub fn pod_spec(group: &str, kind: &str) -> Option<&'static str> {
    let row = POD_SPECS.iter().find(|(in_group, kinds, _)| *in_group == group && kinds.contains(&kind));
    row.map(|(_, _, path)| *path)
}

/// Whether a live element that is not desired is a difference, although the elements of the list have keys.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::lists::is_exact;
///
/// assert!(is_exact("rbac.authorization.k8s.io/v1", "RoleBinding", &["subjects"]), "a subject has permissions");
/// assert!(!is_exact("apps/v1", "Deployment", &["spec", "template", "spec", "containers"]), "sidecars are fine");
/// ```
pub fn is_exact(api_version: &str, kind: &str, path: &[&str]) -> bool {
    let group = group_of(api_version);
    EXACT.iter().any(|(in_group, kinds, row)| *in_group == group && kinds.contains(&kind) && is_path(row, path))
}

/// The root lists of a kind that grant permissions, and so are empty where an object does not have them.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::lists::exact_lists;
///
/// assert!(exact_lists("rbac.authorization.k8s.io/v1", "Role").eq(["rules"]));
/// assert_eq!(exact_lists("v1", "Service").count(), 0);
/// ```
pub fn exact_lists(api_version: &str, kind: &str) -> impl Iterator<Item = &'static str> {
    let group = group_of(api_version);
    let rows = EXACT_LISTS.iter().filter(move |(in_group, kinds, _)| *in_group == group && kinds.contains(&kind));
    rows.map(|(.., list)| *list)
}

/// Whether the maps in the list at a path have the desired keys and no others: a further key of a rule changes what it
/// grants.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::lists::has_exact_keys;
///
/// assert!(has_exact_keys("rbac.authorization.k8s.io/v1", "ClusterRole", &["rules"]));
/// assert!(!has_exact_keys("rbac.authorization.k8s.io/v1", "RoleBinding", &["subjects"]), "a server fills apiGroup");
/// ```
pub fn has_exact_keys(api_version: &str, kind: &str, path: &[&str]) -> bool {
    let [list] = path else { return false };
    *list == "rules" && exact_lists(api_version, kind).any(|it| it == *list)
}

/// What is left of a path below a place.
fn below<'p, 'k>(path: &'p [&'k str], place: &str) -> Option<&'p [&'k str]> {
    place
        .split('.')
        .try_fold(path, |path, step| path.split_first().filter(|(it, _)| **it == step).map(|(_, rest)| rest))
}

fn is_path(row: &str, path: &[&str]) -> bool {
    // Nearly every row differs in its last letter or its length, which is cheaper to see than the parts.
    let last = path.last().and_then(|step| step.as_bytes().last());
    row.as_bytes().last() == last
        && row.len() + 1 == path.iter().map(|step| step.len() + 1).sum::<usize>()
        && row.split('.').eq(path.iter().copied())
}

struct Row {
    group: &'static str,
    kinds: &'static [&'static str],
    lists: &'static [(&'static str, ListKind)],
}

const fn key(name: &'static str) -> Key {
    Key { name, default: None }
}

const fn key_or(name: &'static str, default: &'static str) -> Key {
    Key { name, default: Some(default) }
}

const BY_NAME: ListKind = ListKind::Keyed(&[key("name")]);
const BY_TYPE: ListKind = ListKind::Keyed(&[key("type")]);
const BY_UID: ListKind = ListKind::Keyed(&[key("uid")]);
const BY_IP: ListKind = ListKind::Keyed(&[key("ip")]);
const SET: ListKind = ListKind::Set;

/// The apiGroup of a subject follows from its kind, so it is not a key.
const BY_SUBJECT: ListKind = ListKind::Keyed(&[key("kind"), key("name"), key_or("namespace", "")]);

const BY_TOLERATION: ListKind =
    ListKind::Keyed(&[key_or("key", ""), key_or("operator", "Equal"), key_or("effect", ""), key_or("value", "")]);

const EVERY_KIND: &[(&str, ListKind)] = &[("metadata.finalizers", SET), ("metadata.ownerReferences", BY_UID)];

/// Lists whose elements have keys, and of which a further live element is a difference: it grants something.
const EXACT: &[(&str, &[&str], &str)] =
    &[("rbac.authorization.k8s.io", &["RoleBinding", "ClusterRoleBinding"], "subjects")];

const EXACT_LISTS: &[(&str, &[&str], &str)] = &[
    ("rbac.authorization.k8s.io", &["Role", "ClusterRole"], "rules"),
    ("rbac.authorization.k8s.io", &["RoleBinding", "ClusterRoleBinding"], "subjects"),
];

/// Where each kind keeps its pod spec.
const POD_SPECS: &[(&str, &[&str], &str)] = &[
    ("", &["Pod"], "spec"),
    ("", &["ReplicationController"], "spec.template.spec"),
    ("apps", &["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"], "spec.template.spec"),
    ("batch", &["Job"], "spec.template.spec"),
    ("batch", &["CronJob"], "spec.jobTemplate.spec.template.spec"),
];

const POD_SPEC: &[(&str, ListKind)] = &[
    ("containers", BY_NAME),
    ("initContainers", BY_NAME),
    ("ephemeralContainers", BY_NAME),
    ("volumes", BY_NAME),
    ("imagePullSecrets", BY_NAME),
    ("schedulingGates", BY_NAME),
    ("resourceClaims", BY_NAME),
    ("hostAliases", BY_IP),
    ("topologySpreadConstraints", ListKind::Keyed(&[key("topologyKey"), key("whenUnsatisfiable")])),
];

const CONTAINERS: &[&str] = &["containers", "initContainers", "ephemeralContainers"];

const CONTAINER: &[(&str, ListKind)] = &[
    ("ports", ListKind::KeyedOrNamed(&[key("containerPort"), key_or("protocol", "TCP")])),
    ("env", BY_NAME),
    ("volumeMounts", ListKind::Keyed(&[key("mountPath")])),
    ("volumeDevices", ListKind::Keyed(&[key("devicePath")])),
    ("resources.claims", BY_NAME),
];

const CONDITIONS: (&str, ListKind) = ("status.conditions", BY_TYPE);

const ROWS: &[Row] = &[
    Row {
        group: "",
        kinds: &["Service"],
        lists: &[("spec.ports", ListKind::KeyedOrNamed(&[key("port"), key_or("protocol", "TCP")])), CONDITIONS],
    },
    Row { group: "", kinds: &["ServiceAccount"], lists: &[("secrets", BY_NAME), ("imagePullSecrets", BY_NAME)] },
    Row { group: "", kinds: &["Namespace"], lists: &[("spec.finalizers", SET), CONDITIONS] },
    Row {
        group: "",
        kinds: &["Pod"],
        // Admission adds tolerations to a Pod, which workloads do not have.
        lists: &[("spec.tolerations", BY_TOLERATION), ("status.podIPs", BY_IP), CONDITIONS],
    },
    Row { group: "", kinds: &["Node"], lists: &[("spec.podCIDRs", SET), ("status.addresses", BY_TYPE), CONDITIONS] },
    Row { group: "", kinds: &["PersistentVolumeClaim", "ReplicationController"], lists: &[CONDITIONS] },
    Row { group: "apps", kinds: &["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"], lists: &[CONDITIONS] },
    Row {
        group: "batch",
        kinds: &["Job"],
        lists: &[("spec.podFailurePolicy.rules.onExitCodes.values", SET), CONDITIONS],
    },
    Row { group: "autoscaling", kinds: &["HorizontalPodAutoscaler"], lists: &[CONDITIONS] },
    Row { group: "policy", kinds: &["PodDisruptionBudget"], lists: &[CONDITIONS] },
    Row { group: "apiregistration.k8s.io", kinds: &["APIService"], lists: &[CONDITIONS] },
    Row { group: "certificates.k8s.io", kinds: &["CertificateSigningRequest"], lists: &[CONDITIONS] },
    Row {
        group: "rbac.authorization.k8s.io",
        kinds: &["Role", "ClusterRole"],
        lists: &[
            ("rules.verbs", SET),
            ("rules.apiGroups", SET),
            ("rules.resources", SET),
            ("rules.resourceNames", SET),
            ("rules.nonResourceURLs", SET),
        ],
    },
    Row {
        group: "rbac.authorization.k8s.io",
        kinds: &["RoleBinding", "ClusterRoleBinding"],
        lists: &[("subjects", BY_SUBJECT)],
    },
    Row {
        group: "admissionregistration.k8s.io",
        kinds: &["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"],
        lists: &[("webhooks", BY_NAME), ("webhooks.matchConditions", BY_NAME)],
    },
    Row {
        group: "admissionregistration.k8s.io",
        kinds: &["ValidatingAdmissionPolicy"],
        lists: &[("spec.matchConditions", BY_NAME), ("spec.variables", BY_NAME), CONDITIONS],
    },
    Row {
        group: "apiextensions.k8s.io",
        kinds: &["CustomResourceDefinition"],
        lists: &[
            ("spec.versions", BY_NAME),
            ("spec.names.shortNames", SET),
            ("spec.names.categories", SET),
            CONDITIONS,
        ],
    },
    Row { group: "storage.k8s.io", kinds: &["CSINode"], lists: &[("spec.drivers", BY_NAME)] },
    Row { group: "storage.k8s.io", kinds: &["CSIDriver"], lists: &[("spec.volumeLifecycleModes", SET)] },
    Row {
        group: "flowcontrol.apiserver.k8s.io",
        kinds: &["FlowSchema"],
        lists: &[
            ("spec.rules.resourceRules.verbs", SET),
            ("spec.rules.resourceRules.apiGroups", SET),
            ("spec.rules.resourceRules.resources", SET),
            ("spec.rules.resourceRules.namespaces", SET),
            ("spec.rules.nonResourceRules.verbs", SET),
            ("spec.rules.nonResourceRules.nonResourceURLs", SET),
            CONDITIONS,
        ],
    },
    Row { group: "flowcontrol.apiserver.k8s.io", kinds: &["PriorityLevelConfiguration"], lists: &[CONDITIONS] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(api_version: &str, kind: &str, path: &str, want: ListKind) {
        assert_eq!(list_kind(api_version, kind, &path.split('.').collect::<Vec<_>>()), want);
    }

    #[test]
    fn pod_spec_rows_hold_wherever_a_kind_keeps_its_pod_spec() {
        for (api_version, kind, spec) in [
            ("v1", "Pod", "spec"),
            ("v1", "ReplicationController", "spec.template.spec"),
            ("apps/v1", "StatefulSet", "spec.template.spec"),
            ("batch/v1", "CronJob", "spec.jobTemplate.spec.template.spec"),
        ] {
            check(api_version, kind, &format!("{spec}.volumes"), BY_NAME);
            check(api_version, kind, &format!("{spec}.initContainers.env"), BY_NAME);
            check(api_version, kind, &format!("{spec}.containers.args"), ListKind::Ordered);
            let tolerations = if kind == "Pod" { BY_TOLERATION } else { ListKind::Ordered };
            check(api_version, kind, &format!("{spec}.tolerations"), tolerations);
        }
    }

    #[test]
    fn container_ports_have_two_keys_and_tcp_goes_without_saying() {
        let ListKind::KeyedOrNamed(keys) =
            list_kind("apps/v1", "Deployment", &["spec", "template", "spec", "containers", "ports"])
        else {
            panic!("ports have keys")
        };
        assert_eq!(keys, [key("containerPort"), key_or("protocol", "TCP")]);
    }

    #[test]
    fn a_kind_of_another_group_is_another_kind() {
        check("v1", "Service", "metadata.finalizers", SET);
        check("serving.knative.dev/v1", "Service", "spec.ports", ListKind::Ordered);
        check("serving.knative.dev/v1", "Service", "metadata.ownerReferences", BY_UID);
    }

    #[test]
    fn the_version_does_not_matter() {
        let want = BY_NAME;
        check("apps/v1beta2", "Deployment", "spec.template.spec.containers", want);
        check("admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "webhooks", want);
    }

    #[test]
    fn a_path_that_stops_early_or_runs_on_is_not_a_row() {
        check("v1", "Pod", "spec", ListKind::Ordered);
        check("v1", "Pod", "spec.containers.ports.x", ListKind::Ordered);
        check("v1", "Pod", "containers", ListKind::Ordered);
    }
}
