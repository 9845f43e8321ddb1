//! How an API server stores objects: without these rules an applied update would show differences forever.
//!
//! Kinds that are Go structs in the API server are normalized. Custom resources are stored as given.
//!
//! | desired | stored as |
//! |---|---|
//! | an empty value, zero or false | left out, unless the field is a Go pointer or a key of a map |
//! | an empty value that has a default | the default |
//! | an empty value that the server allocates, such as `clusterIP` | the allocated value |
//! | a quantity | its canonical form: `1000m` becomes `1` |
//! | the status, and the metadata that the server sets | the server's values |

mod rows;

use crate::object::identity::group_of;
use rows::{BUILT_IN, FILLED, FREE_KEYS, KEPT, METADATA, NOT_POINTERS, QUANTITIES, SERVER_SET};

/// What the API server makes of an empty value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// This value.
    With(&'static str),
    /// Any value.
    Computed,
    /// Any value but `None`, which means that there is none to allocate.
    Allocated,
}

/// Whether the kinds of this group are compiled into the API server, which normalizes them. False without `apiVersion`.
pub fn is_built_in(api_version: &str) -> bool {
    !api_version.is_empty() && BUILT_IN.contains(&group_of(api_version))
}

/// Whether the API server leaves the field at this path out when it is empty, zero or false. `keys` are the map keys
/// from the root, steps into lists left out. False for an object without `apiVersion`.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::stored::is_omitted;
///
/// assert!(is_omitted("apps/v1", "Deployment", &["spec", "paused"]));
/// assert!(!is_omitted("apps/v1", "Deployment", &["spec", "replicas"]), "zero replicas are stored");
/// assert!(!is_omitted("v1", "ConfigMap", &["data", "empty"]), "an empty key is a key");
/// assert!(!is_omitted("example.com/v1", "Shop", &["spec", "paused"]), "custom resources keep empty fields");
/// ```
pub fn is_omitted(api_version: &str, kind: &str, keys: &[&str]) -> bool {
    match keys {
        _ if api_version.is_empty() => false,
        ["metadata", field] => METADATA.contains(field),
        ["metadata", ..] => false,
        _ if !is_built_in(api_version) => false,
        [.., field] => match schema_place(keys) {
            Some(SchemaPlace::Free) => false,
            Some(SchemaPlace::Field) => !is_kept(kind, keys, field) && *field != "default" && *field != "items",
            None => !has_free_keys(kind, keys) && !is_kept(kind, keys, field),
        },
        [] => false,
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
    is_built_in(api_version) && QUANTITIES.iter().any(|row| ends_with(keys, row))
}

/// What the API server writes in the place of an empty value, if it does.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::stored::{Filled, filled};
///
/// assert_eq!(filled("v1", "Service", &["spec", "clusterIP"]), Some(Filled::Allocated));
/// assert_eq!(filled("v1", "Service", &["spec", "type"]), Some(Filled::With("ClusterIP")));
/// assert_eq!(filled("v1", "Service", &["spec", "externalName"]), None);
/// ```
pub fn filled(api_version: &str, kind: &str, keys: &[&str]) -> Option<Filled> {
    let group = group_of(api_version);
    let is_here = |groups: &[&str], kinds: &[&str]| {
        is_built_in(api_version) && groups.contains(&group) && (kinds.is_empty() || kinds.contains(&kind))
    };
    let mut rows = FILLED.iter().filter(|(groups, kinds, ..)| is_here(groups, kinds));
    rows.find(|(_, _, row, _)| ends_with(keys, row)).map(|(.., with)| *with)
}

/// Whether the API server alone decides on the field at this path, whatever is sent: the status, and what it sets in
/// the metadata. False for an object without `apiVersion`.
///
/// # Example
///
/// ```
/// use fleetfold_core::object::kinds::stored::is_server_set;
///
/// assert!(is_server_set("apps/v1", &["metadata", "uid"]));
/// assert!(is_server_set("example.com/v1", &["status"]));
/// assert!(!is_server_set("apps/v1", &["metadata", "labels"]));
/// ```
pub fn is_server_set(api_version: &str, keys: &[&str]) -> bool {
    match keys {
        _ if api_version.is_empty() => false,
        ["status"] => true,
        ["metadata", field] => SERVER_SET.contains(field),
        _ => false,
    }
}

fn ends_with(keys: &[&str], row: &str) -> bool {
    let mut keys = keys.iter().rev();
    row.rsplit('.').all(|step| keys.next().is_some_and(|key| step == "*" || step == *key))
}

/// Whether the last key is one that somebody chose: a label, a key of a ConfigMap.
fn has_free_keys(kind: &str, keys: &[&str]) -> bool {
    let Some((_, above)) = keys.split_last() else { return false };
    FREE_KEYS.iter().any(|(kinds, row)| (kinds.is_empty() || kinds.contains(&kind)) && ends_with(above, row))
}

/// Whether the field is a Go pointer, so that a zero in it is stored.
fn is_kept(kind: &str, keys: &[&str], field: &str) -> bool {
    let is_other = || NOT_POINTERS.iter().any(|(kinds, row)| kinds.contains(&kind) && ends_with(keys, row));
    KEPT.split_ascii_whitespace().any(|it| it == field) && !is_other()
}

/// Where a path into the schema of a CustomResourceDefinition ends.
enum SchemaPlace {
    /// At a field of a schema.
    Field,
    /// At the name of a property, or inside a value that is stored as given.
    Free,
}

/// A property may be called like a field of a schema, so the path is followed from the top.
fn schema_place(keys: &[&str]) -> Option<SchemaPlace> {
    let top = keys.iter().position(|it| *it == "openAPIV3Schema")?;
    let mut rest = keys.get(top.checked_add(1)?..)?.iter();
    while let Some(field) = rest.next() {
        match *field {
            "definitions" | "dependencies" | "patternProperties" | "properties" => match (rest.next(), rest.len()) {
                (None, _) => return Some(SchemaPlace::Field),
                (Some(_), 0) => return Some(SchemaPlace::Free),
                (Some(_), _) => {}
            },
            "default" | "example" if rest.len() > 0 => return Some(SchemaPlace::Free),
            _ => {}
        }
    }
    Some(SchemaPlace::Field)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRD: &str = "apiextensions.k8s.io/v1";

    #[track_caller]
    fn check(api_version: &str, kind: &str, path: &str, want: bool) {
        let keys: Vec<&str> = path.split('.').collect();
        assert_eq!(is_omitted(api_version, kind, &keys), want, "{kind} {path}");
    }

    #[test]
    fn pointers_are_kept_and_other_fields_are_not() {
        check("v1", "Pod", "spec.containers.securityContext.allowPrivilegeEscalation", false);
        check("v1", "ServiceAccount", "automountServiceAccountToken", false);
        check("v1", "Pod", "spec.hostNetwork", true);
        check("networking.k8s.io/v1", "NetworkPolicy", "spec.ingress.from.namespaceSelector", false);
        check("networking.k8s.io/v1", "NetworkPolicy", "spec.egress", true);
    }

    #[test]
    fn one_name_may_be_a_pointer_in_one_kind_only() {
        check("v1", "Service", "spec.selector", true);
        check("policy/v1", "PodDisruptionBudget", "spec.selector", false);
        check("v1", "PersistentVolume", "spec.storageClassName", true);
        check("v1", "PersistentVolumeClaim", "spec.storageClassName", false);
    }

    #[test]
    fn keys_that_somebody_chose_are_kept() {
        for path in
            ["spec.template.metadata.labels.x", "spec.template.spec.nodeSelector.x", "spec.selector.matchLabels.x"]
        {
            check("apps/v1", "Deployment", path, false);
        }
        check("v1", "Service", "spec.selector.app", false);
        check("v1", "ResourceQuota", "spec.hard.pods", false);
    }

    #[test]
    fn a_schema_is_followed_from_its_top() {
        let schema = "spec.versions.schema.openAPIV3Schema";
        let check = |path: &str, want| check(CRD, "CustomResourceDefinition", &format!("{schema}.{path}"), want);
        check("properties.labels", false);
        check("properties.labels.nullable", true);
        check("properties.properties.description", true);
        check("properties.spec.default", false);
        check("properties.spec.default.paused", false);
        check("properties.spec.items", false);
        check("properties.spec.minimum", false);
        check("properties.spec.items.required", true);
    }
}
