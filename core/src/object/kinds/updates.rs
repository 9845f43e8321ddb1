//! What counts as a difference of each kind, and how an update removes it (seed 004).
//!
//! | kind | compared | updated by |
//! |---|---|---|
//! | Namespace, ServiceAccount | nothing | never updated |
//! | Role | rules, labels | replacing |
//! | ClusterRole | rules, aggregationRule, labels | replacing; the rules of one that aggregates are its controller's |
//! | RoleBinding, ClusterRoleBinding | subjects, labels | replacing; the roleRef is immutable |
//! | Deployment, Service | spec, labels, annotations | merging the spec, replacing labels and annotations |
//! | CustomResourceDefinition | spec, labels, annotations | replacing |
//! | webhook configurations | webhooks, labels, annotations | replacing |
//! | any other | all but status and identity | merging |
//!
//! For every kind that is updated, desired finalizers are added, and applied ones that are no longer desired are
//! removed.

use crate::object::identity::group_of;
use crate::value::Value;
use crate::value::collections::SortedSet;

/// How a section of the live object takes the desired values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Desired values are laid over the live ones: what the server or others added stays.
    Merge,
    /// The desired section takes the place of the live one.
    Replace,
}

/// A part of an object that is compared and written as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    path: Vec<String>,
    pub how: How,
    /// The cert-manager deployment operator never finds a difference here: it compares the section with itself, or not
    /// at all.
    pub unseen_by_operator: bool,
}

impl Section {
    /// The keys from the root of the object.
    pub fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

struct Row {
    group: &'static str,
    kinds: &'static [&'static str],
    sections: &'static [(&'static str, How)],
    unseen: &'static [&'static str],
}

const LABELS: (&str, How) = ("metadata.labels", How::Replace);
const ANNOTATIONS: (&str, How) = ("metadata.annotations", How::Replace);

const ROWS: &[Row] = &[
    Row { group: "", kinds: &["Namespace", "ServiceAccount"], sections: &[], unseen: &[] },
    Row { group: RBAC, kinds: &["Role"], sections: &[("rules", How::Replace), LABELS], unseen: &[] },
    Row {
        group: RBAC,
        kinds: &["ClusterRole"],
        sections: &[("rules", How::Replace), ("aggregationRule", How::Replace), LABELS],
        unseen: &["aggregationRule", "metadata.labels"],
    },
    Row {
        group: RBAC,
        kinds: &["RoleBinding", "ClusterRoleBinding"],
        sections: &[("subjects", How::Replace), LABELS],
        unseen: &["metadata.labels"],
    },
    Row { group: "apps", kinds: &["Deployment"], sections: &[("spec", How::Merge), LABELS, ANNOTATIONS], unseen: &[] },
    Row { group: "", kinds: &["Service"], sections: &[("spec", How::Merge), LABELS, ANNOTATIONS], unseen: &[] },
    Row {
        group: "apiextensions.k8s.io",
        kinds: &["CustomResourceDefinition"],
        sections: &[("spec", How::Replace), LABELS, ANNOTATIONS],
        unseen: &[],
    },
    Row {
        group: "admissionregistration.k8s.io",
        kinds: &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        sections: &[("webhooks", How::Replace), LABELS, ANNOTATIONS],
        unseen: &[],
    },
];

const RBAC: &str = "rbac.authorization.k8s.io";

/// A root field whose presence lets a controller fill another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    pub by: &'static str,
    pub fills: &'static str,
}

impl Aggregation {
    /// Whether the controller fills the field of this object.
    pub fn is_on(&self, object: &Value) -> bool {
        object.get(self.by).is_some_and(|it| !it.is_null())
    }
}

const AGGREGATIONS: &[(&str, &str, Aggregation)] =
    &[(RBAC, "ClusterRole", Aggregation { by: "aggregationRule", fills: "rules" })];

/// Fields that the API server refuses to change once the object exists.
const IMMUTABLE: &[(&str, &[&str], &[&str])] = &[
    (RBAC, &["RoleBinding", "ClusterRoleBinding"], &["roleRef"]),
    ("apps", &["Deployment", "DaemonSet", "ReplicaSet"], &["spec.selector"]),
    (
        "apps",
        &["StatefulSet"],
        &["spec.selector", "spec.serviceName", "spec.podManagementPolicy", "spec.volumeClaimTemplates"],
    ),
    ("batch", &["Job"], &["spec.selector", "spec.template", "spec.completionMode"]),
    ("", &["Service"], &["spec.clusterIP", "spec.clusterIPs"]),
    (
        "",
        &["PersistentVolumeClaim"],
        &["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
    ),
    ("", &["Secret"], &["type"]),
    (
        "apiextensions.k8s.io",
        &["CustomResourceDefinition"],
        &["spec.group", "spec.scope", "spec.names.plural", "spec.names.kind"],
    ),
    ("storage.k8s.io", &["StorageClass"], &["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"]),
];

/// The sections of an object of this kind that count. Of a kind without a row these are the fields that are desired or
/// were applied last.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::kinds::updates::{How, sections}, value::json};
///
/// let role = json::parse(r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","rules":[]}"#)?;
/// let sections = sections(&role, None);
/// assert_eq!(sections[0].path(), ["rules"]);
/// assert_eq!(sections[0].how, How::Replace);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn sections(desired: &Value, last_applied: Option<&Value>) -> Vec<Section> {
    let (group, kind) = (group_of(desired.text_at(&["apiVersion"])), desired.text_at(&["kind"]));
    let split = |path: &str| path.split('.').map(String::from).collect();
    if let Some(row) = ROWS.iter().find(|row| row.group == group && row.kinds.contains(&kind)) {
        let section = |(path, how): &(&str, How)| Section {
            path: split(path),
            how: *how,
            unseen_by_operator: row.unseen.contains(path),
        };
        let filled = aggregation(desired).filter(|it| it.is_on(desired)).map(|it| it.fills);
        let sections: Vec<Section> =
            row.sections.iter().filter(|(path, _)| Some(*path) != filled).map(section).collect();
        let finalizers = finalizers(desired, last_applied).filter(|_| !sections.is_empty());
        return sections.into_iter().chain(finalizers).collect();
    }
    fields(desired, last_applied)
}

/// The same where no kind is left as it was made: what has no sections is compared and merged field by field.
pub fn some_sections(desired: &Value, last_applied: Option<&Value>) -> Vec<Section> {
    let sections = sections(desired, last_applied);
    if sections.is_empty() { fields(desired, last_applied) } else { sections }
}

fn fields(desired: &Value, last_applied: Option<&Value>) -> Vec<Section> {
    let split = |path: &str| path.split('.').map(String::from).collect();
    let merged = |path: Vec<String>| Section { path, how: How::Merge, unseen_by_operator: false };
    let objects = [Some(desired), last_applied].into_iter().flatten();
    let fields: SortedSet<&str> =
        objects.filter_map(Value::as_map).flat_map(|map| map.keys().map(|key| key.as_str())).collect();
    let fields = fields.into_iter().filter(|field| !matches!(*field, "apiVersion" | "kind" | "metadata" | "status"));
    let fields = fields.map(|field| merged(vec![field.to_string()]));
    let metadata = ["metadata.labels", "metadata.annotations"].map(|path| merged(split(path)));
    fields.chain(metadata).chain(finalizers(desired, last_applied)).collect()
}

/// The finalizers, where the desired object has some or had some.
fn finalizers(desired: &Value, last_applied: Option<&Value>) -> Option<Section> {
    let has = |it: &Value| it.at(&["metadata", "finalizers"]).is_some_and(|it| !it.is_empty());
    (has(desired) || last_applied.is_some_and(has)).then(|| Section {
        path: ["metadata", "finalizers"].map(String::from).to_vec(),
        how: How::Merge,
        unseen_by_operator: true,
    })
}

/// The field of this kind that a controller may fill, and the field that decides.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::kinds::updates::aggregation, value::json};
///
/// let role = json::parse(r#"{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
///     "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"x":"y"}}]}}"#)?;
/// assert!(aggregation(&role).is_some_and(|it| it.fills == "rules" && it.is_on(&role)));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn aggregation(object: &Value) -> Option<Aggregation> {
    let (group, kind) = (group_of(object.text_at(&["apiVersion"])), object.text_at(&["kind"]));
    AGGREGATIONS.iter().find(|(in_group, its, _)| *in_group == group && *its == kind).map(|(.., it)| *it)
}

/// The places that no update of an object of this kind can change.
///
/// # Example
///
/// ```
/// use fleetfold_core::{object::kinds::updates::immutable, value::json};
///
/// let service = json::parse(r#"{"apiVersion":"v1","kind":"Service"}"#)?;
/// assert_eq!(immutable(&service)[0], ["spec", "clusterIP"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn immutable(object: &Value) -> Vec<Vec<&'static str>> {
    let (group, kind) = (group_of(object.text_at(&["apiVersion"])), object.text_at(&["kind"]));
    let rows = IMMUTABLE.iter().filter(|(in_group, kinds, _)| *in_group == group && kinds.contains(&kind));
    rows.flat_map(|(_, _, paths)| paths.iter()).map(|path| path.split('.').collect()).collect()
}
