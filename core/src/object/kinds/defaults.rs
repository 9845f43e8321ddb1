//! What an API server fills in by itself, so that it is not taken for a change that somebody made in a cluster.
//!
//! `managedFields` gives a default to the manager that created the object. Removing it would change nothing: the server
//! fills it in again. Defaults of custom resources are in their definitions and not known here.

use super::lists::pod_spec;
use crate::object::identity::group_of;
use crate::value::Value;

/// A value that a server fills in.
#[derive(Clone, Copy, Debug)]
enum Filled {
    Text(&'static str),
    Int(i64),
    Bool(bool),
    /// An empty map.
    Empty,
    /// Any value: it depends on the cluster or on other fields.
    Any,
}

use Filled::{Any, Bool, Empty, Int, Text};

type Rows = &'static [(&'static str, Filled)];

/// Whether the API server fills in this value at a place, given as map keys from the root, with the steps into lists
/// left out. A map or list is a default if everything in it is.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::kinds::defaults::is_default, value::json};
///
/// let strategy = r#"{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"}"#;
/// let strategy = json::parse(strategy)?;
/// assert!(is_default("apps/v1", "Deployment", &["spec", "strategy"], &strategy));
/// let recreate = json::parse(r#"{"type":"Recreate"}"#)?;
/// assert!(!is_default("apps/v1", "Deployment", &["spec", "strategy"], &recreate));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn is_default(api_version: &str, kind: &str, path: &[&str], value: &Value) -> bool {
    let group = group_of(api_version);
    let rows = KINDS.iter().filter(|(in_group, kinds, _)| *in_group == group && kinds.contains(&kind));
    let mut tables: Vec<(&[&str], Rows)> = rows.map(|(_, _, rows)| (path, *rows)).collect();
    if let Some(rest) = pod_spec(group, kind).and_then(|at| below(path, at)) {
        tables.push((rest, POD_SPEC));
        match rest {
            ["containers" | "initContainers", rest @ ..] => {
                tables.push((rest, CONTAINER));
                if let ["livenessProbe" | "readinessProbe" | "startupProbe", rest @ ..] = rest {
                    tables.push((rest, PROBE));
                }
            }
            ["volumes", rest @ ..] => tables.push((rest, VOLUME)),
            _ => {}
        }
    }
    fills(&tables, value)
}

fn fills(tables: &[(&[&str], Rows)], value: &Value) -> bool {
    let has_row = |(path, rows): &(&[&str], Rows)| {
        rows.iter().any(|(row, filled)| row.split(' ').eq(path.iter().copied()) && filled.is(value))
    };
    if tables.iter().any(has_row) {
        return true;
    }
    match value {
        Value::Map(map) if !map.is_empty() => map.iter().all(|(key, value)| {
            let paths: Vec<Vec<&str>> = tables.iter().map(|(path, _)| [path, &[key.as_str()][..]].concat()).collect();
            let tables: Vec<_> = paths.iter().zip(tables).map(|(path, (_, rows))| (path.as_slice(), *rows)).collect();
            fills(&tables, value)
        }),
        Value::List(items) if !items.is_empty() => items.iter().all(|item| fills(tables, item)),
        _ => false,
    }
}

impl Filled {
    fn is(self, value: &Value) -> bool {
        match self {
            Text(text) => value.as_text() == Some(text),
            Int(int) => value.as_int() == Some(int),
            Bool(bool) => value.as_bool() == Some(bool),
            Empty => value.as_map().is_some_and(|it| it.is_empty()),
            Any => true,
        }
    }
}

fn below<'p, 'k>(path: &'p [&'k str], place: &str) -> Option<&'p [&'k str]> {
    place
        .split('.')
        .try_fold(path, |path, step| path.split_first().filter(|(it, _)| **it == step).map(|(_, rest)| rest))
}

const POD_SPEC: Rows = &[
    ("dnsPolicy", Text("ClusterFirst")),
    ("enableServiceLinks", Bool(true)),
    ("preemptionPolicy", Any),
    ("priority", Any),
    ("restartPolicy", Text("Always")),
    ("schedulerName", Text("default-scheduler")),
    ("securityContext", Empty),
    // The server writes it beside `serviceAccountName`.
    ("serviceAccount", Any),
    ("terminationGracePeriodSeconds", Int(30)),
];

const CONTAINER: Rows = &[
    ("env valueFrom fieldRef apiVersion", Text("v1")),
    ("imagePullPolicy", Text("Always")),
    ("imagePullPolicy", Text("IfNotPresent")),
    ("ports protocol", Text("TCP")),
    ("resources", Empty),
    ("terminationMessagePath", Text("/dev/termination-log")),
    ("terminationMessagePolicy", Text("File")),
];

const PROBE: Rows = &[
    ("failureThreshold", Int(3)),
    ("grpc service", Text("")),
    ("httpGet path", Text("/")),
    ("httpGet scheme", Text("HTTP")),
    ("periodSeconds", Int(10)),
    ("successThreshold", Int(1)),
    ("timeoutSeconds", Int(1)),
];

const VOLUME: Rows = &[
    ("configMap defaultMode", Int(420)),
    ("downwardAPI defaultMode", Int(420)),
    ("downwardAPI items fieldRef apiVersion", Text("v1")),
    ("emptyDir", Empty),
    ("hostPath type", Text("")),
    ("projected defaultMode", Int(420)),
    ("projected sources downwardAPI items fieldRef apiVersion", Text("v1")),
    ("projected sources serviceAccountToken expirationSeconds", Int(3607)),
    ("projected sources serviceAccountToken expirationSeconds", Int(3600)),
    ("secret defaultMode", Int(420)),
];

const WEBHOOKS: Rows = &[
    ("webhooks clientConfig service port", Int(443)),
    ("webhooks failurePolicy", Text("Fail")),
    ("webhooks matchPolicy", Text("Equivalent")),
    ("webhooks namespaceSelector", Empty),
    ("webhooks objectSelector", Empty),
    ("webhooks rules scope", Text("*")),
    ("webhooks timeoutSeconds", Int(10)),
];

/// Group, kinds, and the defaults by their place.
const KINDS: &[(&str, &[&str], Rows)] = &[
    ("", &["Namespace"], &[("metadata labels kubernetes.io/metadata.name", Any), ("spec finalizers", Any)]),
    (
        "",
        &["PersistentVolume"],
        &[
            ("spec hostPath type", Text("")),
            ("spec persistentVolumeReclaimPolicy", Text("Retain")),
            ("spec volumeMode", Text("Filesystem")),
        ],
    ),
    ("", &["PersistentVolumeClaim"], &[("spec storageClassName", Any), ("spec volumeMode", Text("Filesystem"))]),
    ("", &["Pod"], &[("spec tolerations", Any)]),
    ("", &["ReplicationController"], &[("spec replicas", Int(1)), ("spec selector", Any)]),
    ("", &["Secret"], &[("type", Text("Opaque"))]),
    (
        "",
        &["Service"],
        &[
            ("spec allocateLoadBalancerNodePorts", Bool(true)),
            ("spec externalTrafficPolicy", Text("Cluster")),
            ("spec internalTrafficPolicy", Text("Cluster")),
            ("spec ipFamilies", Any),
            ("spec ipFamilyPolicy", Any),
            ("spec ports protocol", Text("TCP")),
            ("spec ports targetPort", Any),
            ("spec sessionAffinity", Text("None")),
            ("spec type", Text("ClusterIP")),
        ],
    ),
    ("admissionregistration.k8s.io", &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"], WEBHOOKS),
    (
        "admissionregistration.k8s.io",
        &["MutatingWebhookConfiguration"],
        &[("webhooks reinvocationPolicy", Text("Never"))],
    ),
    (
        "apiextensions.k8s.io",
        &["CustomResourceDefinition"],
        &[("spec conversion strategy", Text("None")), ("spec names listKind", Any), ("spec names singular", Any)],
    ),
    (
        "apps",
        &["DaemonSet"],
        &[
            ("spec revisionHistoryLimit", Int(10)),
            ("spec updateStrategy rollingUpdate maxSurge", Int(0)),
            ("spec updateStrategy rollingUpdate maxUnavailable", Int(1)),
            ("spec updateStrategy type", Text("RollingUpdate")),
        ],
    ),
    ("apps", &["ReplicaSet"], &[("spec replicas", Int(1))]),
    (
        "apps",
        &["Deployment"],
        &[
            ("spec progressDeadlineSeconds", Int(600)),
            ("spec replicas", Int(1)),
            ("spec revisionHistoryLimit", Int(10)),
            ("spec strategy rollingUpdate maxSurge", Text("25%")),
            ("spec strategy rollingUpdate maxUnavailable", Text("25%")),
            ("spec strategy type", Text("RollingUpdate")),
        ],
    ),
    (
        "apps",
        &["StatefulSet"],
        &[
            ("spec persistentVolumeClaimRetentionPolicy whenDeleted", Text("Retain")),
            ("spec persistentVolumeClaimRetentionPolicy whenScaled", Text("Retain")),
            ("spec podManagementPolicy", Text("OrderedReady")),
            ("spec replicas", Int(1)),
            ("spec revisionHistoryLimit", Int(10)),
            ("spec updateStrategy rollingUpdate partition", Int(0)),
            ("spec updateStrategy type", Text("RollingUpdate")),
            ("spec volumeClaimTemplates apiVersion", Text("v1")),
            ("spec volumeClaimTemplates kind", Text("PersistentVolumeClaim")),
            ("spec volumeClaimTemplates spec volumeMode", Text("Filesystem")),
            ("spec volumeClaimTemplates status", Any),
        ],
    ),
    (
        "autoscaling",
        &["HorizontalPodAutoscaler"],
        &[
            ("spec behavior scaleDown policies periodSeconds", Int(15)),
            ("spec behavior scaleDown policies type", Text("Percent")),
            ("spec behavior scaleDown policies value", Int(100)),
            ("spec behavior scaleDown selectPolicy", Text("Max")),
            ("spec behavior scaleUp policies periodSeconds", Int(15)),
            ("spec behavior scaleUp policies type", Text("Percent")),
            ("spec behavior scaleUp policies type", Text("Pods")),
            ("spec behavior scaleUp policies value", Int(100)),
            ("spec behavior scaleUp policies value", Int(4)),
            ("spec behavior scaleUp selectPolicy", Text("Max")),
            ("spec behavior scaleUp stabilizationWindowSeconds", Int(0)),
            ("spec metrics", Any),
            ("spec minReplicas", Int(1)),
        ],
    ),
    (
        "batch",
        &["CronJob"],
        &[
            ("spec concurrencyPolicy", Text("Allow")),
            ("spec failedJobsHistoryLimit", Int(1)),
            ("spec jobTemplate metadata", Empty),
            ("spec jobTemplate spec template metadata", Empty),
            ("spec successfulJobsHistoryLimit", Int(3)),
            ("spec suspend", Bool(false)),
        ],
    ),
    (
        "batch",
        &["Job"],
        &[
            ("metadata labels batch.kubernetes.io/controller-uid", Any),
            ("metadata labels batch.kubernetes.io/job-name", Any),
            ("metadata labels controller-uid", Any),
            ("metadata labels job-name", Any),
            ("spec backoffLimit", Int(6)),
            ("spec completionMode", Text("NonIndexed")),
            ("spec completions", Int(1)),
            ("spec manualSelector", Bool(false)),
            ("spec parallelism", Int(1)),
            ("spec podReplacementPolicy", Any),
            ("spec selector", Any),
            ("spec suspend", Bool(false)),
        ],
    ),
    ("networking.k8s.io", &["Ingress"], &[("spec ingressClassName", Any)]),
    (
        "networking.k8s.io",
        &["NetworkPolicy"],
        &[
            ("spec egress ports protocol", Text("TCP")),
            ("spec ingress ports protocol", Text("TCP")),
            ("spec policyTypes", Any),
        ],
    ),
    // The controller that aggregates roles fills them in.
    ("rbac.authorization.k8s.io", &["ClusterRole"], &[("rules", Any)]),
    (
        "rbac.authorization.k8s.io",
        &["ClusterRoleBinding", "RoleBinding"],
        &[("roleRef apiGroup", Text("rbac.authorization.k8s.io")), ("subjects apiGroup", Any)],
    ),
    ("scheduling.k8s.io", &["PriorityClass"], &[("preemptionPolicy", Text("PreemptLowerPriority"))]),
    (
        "storage.k8s.io",
        &["StorageClass"],
        &[("reclaimPolicy", Text("Delete")), ("volumeBindingMode", Text("Immediate"))],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[track_caller]
    fn check(api_version: &str, kind: &str, path: &str, value: &str, want: bool) {
        let path: Vec<&str> = path.split(' ').collect();
        assert_eq!(is_default(api_version, kind, &path, &json::parse(value).unwrap()), want, "{path:?} {value}");
    }

    #[test]
    fn defaults_of_pods_hold_wherever_a_kind_keeps_its_pod_spec() {
        for (api_version, kind, spec) in [
            ("v1", "Pod", "spec"),
            ("apps/v1", "Deployment", "spec template spec"),
            ("batch/v1", "CronJob", "spec jobTemplate spec template spec"),
        ] {
            check(api_version, kind, &format!("{spec} dnsPolicy"), r#""ClusterFirst""#, true);
            check(api_version, kind, &format!("{spec} dnsPolicy"), r#""Default""#, false);
            check(api_version, kind, &format!("{spec} containers resources"), "{}", true);
            check(api_version, kind, &format!("{spec} containers livenessProbe periodSeconds"), "10", true);
            check(api_version, kind, &format!("{spec} volumes secret defaultMode"), "420", true);
        }
    }

    #[test]
    fn a_map_is_a_default_if_everything_in_it_is() {
        let (version, kind, path) = ("apps/v1", "Deployment", "spec strategy rollingUpdate");
        check(version, kind, path, r#"{"maxSurge":"25%","maxUnavailable":"25%"}"#, true);
        check(version, kind, path, r#"{"maxSurge":"25%","maxUnavailable":1}"#, false);
        check(version, kind, path, "{}", false);
        check("v1", "Service", "spec ports", r#"[{"protocol":"TCP"}]"#, true);
    }

    #[test]
    fn other_kinds_have_no_defaults() {
        check("x.io/v1", "Service", "spec type", r#""ClusterIP""#, false);
        check("v1", "ConfigMap", "data a", r#""x""#, false);
    }

    #[test]
    fn the_name_label_of_a_namespace_is_the_servers() {
        check("v1", "Namespace", "metadata labels kubernetes.io/metadata.name", r#""n""#, true);
        check("v1", "Namespace", "metadata labels team", r#""n""#, false);
    }
}
