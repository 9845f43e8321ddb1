//! The order in which the objects of a bundle come to be (seed 004). An object may need everything in front of it.

use crate::object::document::Identity;
use crate::object::identity::group_of;

/// The kinds in their order, each with the version in which it is listed.
const ORDER: &[(&str, &str)] = &[
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("v1", "Namespace"),
    ("v1", "ServiceAccount"),
    ("rbac.authorization.k8s.io/v1", "Role"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("apps/v1", "Deployment"),
    ("v1", "Service"),
];

/// They stop requests while what serves them is not there, so they come after everything else.
const LAST: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
];

/// The wave of kinds that the seed does not name: after the Services.
const OTHERS: i64 = ORDER.len() as i64;

const WEBHOOKS: i64 = OTHERS + 1;

/// The wave in which an object comes to be, and whether the order knows its kind.
pub fn wave_of(identity: &Identity) -> (i64, bool) {
    let is = |(version, kind): &(&str, &str)| identity.kind == *kind && identity.group == group_of(version);
    match ORDER.iter().position(is) {
        Some(at) => (i64::try_from(at).unwrap_or(OTHERS), true),
        None if LAST.iter().any(is) => (WEBHOOKS, true),
        None => (OTHERS, false),
    }
}

/// The wave in which an object goes: after everything has come, and in the other direction.
pub fn wave_of_leaving(identity: &Identity) -> i64 {
    WEBHOOKS.saturating_mul(2).saturating_add(1).saturating_sub(wave_of(identity).0)
}

/// The kinds that the order knows, as `apiVersion` and `kind`.
pub fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    ORDER.iter().chain(LAST).copied()
}

pub fn is_definition(identity: &Identity) -> bool {
    identity.kind == "CustomResourceDefinition" && identity.group == "apiextensions.k8s.io"
}

pub fn is_namespace(identity: &Identity) -> bool {
    identity.kind == "Namespace" && identity.group.is_empty()
}

/// Kinds of the order that live in a namespace.
pub fn is_namespaced(identity: &Identity) -> bool {
    let namespaced = ["ServiceAccount", "Role", "RoleBinding", "Deployment", "Service"];
    wave_of(identity).1 && namespaced.contains(&identity.kind.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(group: &str, kind: &str) -> Identity {
        Identity { kind: kind.into(), group: group.into(), ..Identity::default() }
    }

    #[test]
    fn webhooks_come_last_and_go_first() {
        let (webhook, service) =
            (identity("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"), identity("", "Service"));
        let other = identity("policy", "PodDisruptionBudget");
        assert_eq!([wave_of(&service), wave_of(&other), wave_of(&webhook)], [(8, true), (9, false), (10, true)]);
        assert_eq!([&webhook, &other, &service].map(wave_of_leaving), [11, 12, 13]);
    }

    #[test]
    fn a_kind_of_another_group_is_another_kind() {
        assert_eq!(wave_of(&identity("serving.knative.dev", "Service")), (9, false));
        assert!(!is_namespaced(&identity("serving.knative.dev", "Service")));
    }
}
