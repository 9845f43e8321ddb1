//! The root fields of a kind, so that a path that cannot exist is reported.

use crate::object::identity::group_of;

/// What every object has.
const OBJECT: &[&str] = &["apiVersion", "kind", "metadata"];

/// Why no object of this kind has a field at a path that begins with these keys, if that is known.
///
/// Kinds without a row, and everything below the root, are taken on trust.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::roots::unknown_root;
///
/// let webhook = ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration");
/// assert!(unknown_root(webhook.0, webhook.1, &["webhooks"]).is_none());
/// assert!(unknown_root(webhook.0, webhook.1, &["spec", "webhooks"]).unwrap().too_deep);
/// ```
pub fn unknown_root(api_version: &str, kind: &str, keys: &[&str]) -> Option<UnknownRoot> {
    let group = group_of(api_version);
    let (.., fields) = ROWS.iter().find(|(in_group, kinds, _)| *in_group == group && kinds.contains(&kind))?;
    let known = |key: &&str| OBJECT.contains(key) || fields.contains(key);
    let (first, rest) = keys.split_first()?;
    (!known(first)).then(|| UnknownRoot { fields, too_deep: rest.first().is_some_and(known) })
}

/// A first key that the kind does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRoot {
    /// What the kind has at its root, beside what every object has.
    pub fields: &'static [&'static str],
    /// Whether the second key of the path is one of them: the first is one too many.
    pub too_deep: bool,
}

const SPEC: &[&str] = &["spec", "status"];

/// Group, kinds, fields.
const ROWS: &[(&str, &[&str], &[&str])] = &[
    ("", &["ConfigMap"], &["data", "binaryData", "immutable"]),
    ("", &["Secret"], &["data", "stringData", "type", "immutable"]),
    ("", &["ServiceAccount"], &["secrets", "imagePullSecrets", "automountServiceAccountToken"]),
    ("", &["Endpoints"], &["subsets"]),
    ("", &["LimitRange"], &["spec"]),
    ("", &["Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim"], SPEC),
    ("", &["Pod", "ReplicationController", "ResourceQuota", "Service"], SPEC),
    (
        "admissionregistration.k8s.io",
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        &["webhooks"],
    ),
    ("admissionregistration.k8s.io", &["ValidatingAdmissionPolicy"], SPEC),
    ("admissionregistration.k8s.io", &["ValidatingAdmissionPolicyBinding"], &["spec"]),
    ("apiextensions.k8s.io", &["CustomResourceDefinition"], SPEC),
    ("apiregistration.k8s.io", &["APIService"], SPEC),
    ("apps", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"], SPEC),
    ("autoscaling", &["HorizontalPodAutoscaler"], SPEC),
    ("batch", &["CronJob", "Job"], SPEC),
    ("networking.k8s.io", &["Ingress", "NetworkPolicy"], SPEC),
    ("networking.k8s.io", &["IngressClass"], &["spec"]),
    ("policy", &["PodDisruptionBudget"], SPEC),
    ("rbac.authorization.k8s.io", &["Role"], &["rules"]),
    ("rbac.authorization.k8s.io", &["ClusterRole"], &["rules", "aggregationRule"]),
    ("rbac.authorization.k8s.io", &["RoleBinding", "ClusterRoleBinding"], &["subjects", "roleRef"]),
    ("scheduling.k8s.io", &["PriorityClass"], &["value", "globalDefault", "description", "preemptionPolicy"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(api_version: &str, kind: &str, keys: &[&str], too_deep: Option<bool>) {
        assert_eq!(unknown_root(api_version, kind, keys).map(|it| it.too_deep), too_deep);
    }

    #[test]
    fn a_webhook_configuration_has_no_spec() {
        let (api_version, kind) = ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration");
        check(api_version, kind, &["spec", "webhooks"], Some(true));
        check(api_version, kind, &["spec", "other"], Some(false));
        check(api_version, kind, &["webhooks"], None);
        check(api_version, kind, &["metadata", "labels"], None);
    }

    #[test]
    fn a_kind_without_a_row_may_have_anything() {
        check("x.io/v1", "ConfigMap", &["spec"], None);
    }
}
