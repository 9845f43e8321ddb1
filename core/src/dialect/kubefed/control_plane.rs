//! The control plane: which kinds are federated and how, where the clusters are registered, and which are ready.

use std::sync::Arc;

use super::fields;
use crate::diagnostic::Mode;
use crate::diagnostic::decode::Fields;
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::object::document::{Document, Identity};
use crate::object::fields::{Fields as FieldTable, check, scope_error};
use crate::object::identity::group_of;
use crate::value::JsonPath;
use crate::value::collections::{SortedMap, SortedSet};
use crate::value::path::{Pointer, RetentionPath};
use crate::value::suggest::suggest;
use crate::value::{Text, Value};
use crate::workspace::hub_kind::HubKind;
use crate::workspace::plan::Target;
use crate::workspace::store::{Scope, View};

pub const CORE: &str = "core.kubefed.io";
pub const TYPES: &str = "types.kubefed.io";
pub const VERSION: &str = "v1beta1";
pub const TYPE_CONFIG: &str = "FederatedTypeConfig";
pub const CONFIG: &str = "KubeFedConfig";
pub const CLUSTER: &str = "KubeFedCluster";
pub const FEDERATED: &str = "Federated";
pub const FEDERATED_NAMESPACE: &str = "FederatedNamespace";

/// The API versions of kinds that are often federated without a FederatedTypeConfig.
const WELL_KNOWN: &[(&str, &[&str])] = &[
    (
        "v1",
        &[
            "ConfigMap",
            "Endpoints",
            "LimitRange",
            "Namespace",
            "PersistentVolume",
            "PersistentVolumeClaim",
            "Pod",
            "ReplicationController",
            "ResourceQuota",
            "Secret",
            "Service",
            "ServiceAccount",
        ],
    ),
    ("apps/v1", &["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"]),
    ("batch/v1", &["CronJob", "Job"]),
    ("autoscaling/v2", &["HorizontalPodAutoscaler"]),
    ("networking.k8s.io/v1", &["Ingress", "IngressClass", "NetworkPolicy"]),
    ("policy/v1", &["PodDisruptionBudget"]),
    ("rbac.authorization.k8s.io/v1", &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
    ("scheduling.k8s.io/v1", &["PriorityClass"]),
    ("storage.k8s.io/v1", &["StorageClass"]),
    ("apiextensions.k8s.io/v1", &["CustomResourceDefinition"]),
    ("admissionregistration.k8s.io/v1", &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]),
];

/// The FederatedTypeConfigs, by group and kind.
#[derive(Debug, Default)]
struct TypeConfigs {
    /// The first one by name of each federated kind.
    federated: SortedMap<(Text, Text), Identity>,
    /// The kinds of objects that hold statuses.
    statuses: SortedSet<(Text, Text)>,
    /// Those with a mistake in a field that decides what they govern.
    broken: SortedMap<Identity, Error>,
    /// The first one of which it is unknown which kind it governs.
    vague: Option<Error>,
}

fn type_configs(view: View) -> Arc<TypeConfigs> {
    view.store.derived("kubefed type configs", || {
        let mut configs = TypeConfigs::default();
        for config in view.store.of_kind(CORE, TYPE_CONFIG, None) {
            let (group, kind) = (federated_type(config, "group", TYPES), federated_type(config, "kind", ""));
            configs.federated.entry((group.into(), kind.into())).or_insert_with(|| config.identity.clone());
            if let Some(error) = mistake(config, &fields::TYPE_CONFIG) {
                if configs.vague.is_none() && (kind.is_empty() || is_about_federated_type(config)) {
                    configs.vague = Some(error.clone());
                }
                configs.broken.insert(config.identity.clone(), error);
            }
            if let Some((api_version, kind)) = status_type(config) {
                configs.statuses.insert((group_of(&api_version).into(), kind));
            }
        }
        configs
    })
}

/// The first mistake because of which a document of the control plane must not be used. Its place is in that document,
/// where `lint` reports it.
fn mistake(document: &Document, known: &FieldTable) -> Option<Error> {
    let error = scope_error(&document.value, known, &JsonPath::ROOT)?;
    let message = format!("`{}` cannot be read: {}", document.identity, error.message);
    Some(Error { message, at: None, ..error })
}

/// Whether a mistake of a FederatedTypeConfig is in the kind that it federates.
fn is_about_federated_type(config: &Document) -> bool {
    let place = Pointer::of(["spec", "federatedType"]);
    let mut found = check(&config.value, &fields::TYPE_CONFIG, &JsonPath::ROOT).into_iter();
    found.any(|it| it.severity == Severity::Error && it.at.path.is_some_and(|path| place.contains(&path)))
}

/// The FederatedTypeConfig of a federated kind, if one is loaded and can be used.
///
/// # Errors
///
/// It has a mistake in a field that decides what it governs; or the kind has none, and another one has a mistake
/// because of which it is unknown which kind that one governs.
pub fn usable_config<'a>(view: View<'a>, federated: &Identity) -> Result<Option<&'a Document>, Error> {
    let (configs, config) = (type_configs(view), type_config(view, federated));
    let error = match config {
        Some(config) => configs.broken.get(&config.identity),
        None => configs.vague.as_ref(),
    };
    error.cloned().map_or(Ok(config), Err)
}

/// # Errors
///
/// The KubeFedConfig of a control plane has a mistake in a field that decides what it governs.
pub fn check_config(view: View, scope: &Scope) -> Result<(), Error> {
    let broken = view.store.derived("kubefed broken configs", || {
        let mut broken = SortedMap::new();
        for config in view.store.of_kind(CORE, CONFIG, None) {
            if let Some(error) = mistake(config, &fields::CONFIG) {
                broken.entry(config.identity.namespace.clone()).or_insert(error);
            }
        }
        broken
    });
    broken.get(&scope.namespace).cloned().map_or(Ok(()), Err)
}

/// The FederatedTypeConfig of a federated kind, if one is loaded.
pub fn type_config<'a>(view: View<'a>, federated: &Identity) -> Option<&'a Document> {
    let configs = type_configs(view);
    let config = configs.federated.get(&(federated.group.clone(), federated.kind.clone()))?;
    view.store.document(config)
}

/// The settings of a FederatedTypeConfig for its federated kind.
fn federated_type<'a>(config: &'a Document, key: &str, otherwise: &'a str) -> &'a str {
    Some(config.value.text_at(&["spec", "federatedType", key])).filter(|it| !it.is_empty()).unwrap_or(otherwise)
}

/// Whether a FederatedTypeConfig collects statuses in objects of this kind.
pub fn is_status_kind(view: View, group: &str, kind: &str) -> bool {
    type_configs(view).statuses.contains(&(Text::from(group), Text::from(kind)))
}

/// The API version and kind of the objects that hold statuses. Group and version default to those of the federated
/// kind.
pub fn status_type(config: &Document) -> Option<(Text, Text)> {
    let said = |key: &str| Some(config.value.text_at(&["spec", "statusType", key])).filter(|it| !it.is_empty());
    let group = said("group").unwrap_or_else(|| federated_type(config, "group", TYPES));
    let version = said("version").unwrap_or_else(|| federated_type(config, "version", VERSION));
    Some((format!("{group}/{version}").into(), said("kind")?.into()))
}

/// Whether a FederatedTypeConfig propagates its kind. One that leaves it out does.
///
/// # Errors
///
/// A value that is neither `Enabled` nor `Disabled`: guessing could create or delete copies everywhere.
pub fn propagates(config: &Document) -> Result<bool, Error> {
    Ok(switch(config, "propagation")?.unwrap_or(true))
}

/// A field of a FederatedTypeConfig that is `Enabled` or `Disabled`.
pub fn switch(config: &Document, field: &str) -> Result<Option<bool>, Error> {
    let spec = JsonPath::ROOT.key("spec");
    let path = spec.key(field);
    match config.value.at(&["spec", field]) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Text(word)) => match word.as_str() {
            "Enabled" => Ok(Some(true)),
            "Disabled" => Ok(Some(false)),
            other => {
                let message = format!("`{field}` must be `Enabled` or `Disabled`, not `{other}`");
                let hint = suggest(other, &["Enabled", "Disabled"], "one of");
                Err(Error::new(Code::UnknownValue, message).at(path).hint(hint))
            }
        },
        Some(other) => Err(path.wrong_type("`Enabled` or `Disabled`", other)),
    }
}

/// The group of the target: as written, or else what follows the plural in the name of the FederatedTypeConfig.
fn target_group(config: &Document) -> &str {
    match config.value.text_at(&["spec", "targetType", "group"]) {
        "" => config.identity.name.split_once('.').map_or("", |(_, group)| group),
        group => group,
    }
}

/// The API version and kind of the target that a FederatedTypeConfig names. The version is empty where it names none.
///
/// # Errors
///
/// It names no kind.
pub fn target_type(config: &Document) -> Result<(Text, Text), Error> {
    let said = |key: &str| config.value.text_at(&["spec", "targetType", key]);
    if said("kind").is_empty() {
        let error = Error::new(Code::MissingField, "the FederatedTypeConfig does not name the kind of its target");
        return Err(error.at(["spec", "targetType", "kind"]).hint("add `kind`, for example `kind: ConfigMap`"));
    }
    let api_version = match (target_group(config), said("version")) {
        (_, "") => Text::default(),
        ("", version) => version.into(),
        (group, version) => format!("{group}/{version}").into(),
    };
    Ok((api_version, said("kind").into()))
}

/// The federated kinds that FederatedTypeConfigs name.
pub fn federated_kinds<'a>(view: View<'a>) -> impl Iterator<Item = HubKind> + 'a {
    view.store.of_kind(CORE, TYPE_CONFIG, None).filter_map(|config| {
        let kind = Some(federated_type(config, "kind", "")).filter(|it| !it.is_empty())?;
        let of_target = config.value.text_at(&["spec", "targetType", "scope"]);
        // A FederatedNamespace is in the namespace that it federates.
        let scope = if kind == FEDERATED_NAMESPACE || of_target != "Cluster" { "Namespaced" } else { "Cluster" };
        let plural = format!("{}s", kind.to_ascii_lowercase());
        Some(HubKind {
            group: federated_type(config, "group", TYPES).into(),
            kind: kind.into(),
            plural: federated_type(config, "pluralName", &plural).into(),
            scope: federated_type(config, "scope", scope).into(),
            version: federated_type(config, "version", VERSION).into(),
            ..HubKind::all_like("", "", "").with_status().guarded().with_fields(&fields::FEDERATED)
        })
    })
}

/// The target object of a federated object in a cluster.
///
/// # Errors
///
/// The API version of the target is not known.
pub fn target(document: &Document, config: Option<&Document>) -> Result<Target, Error> {
    let Identity { kind, namespace, name, .. } = &document.identity;
    let scope = config.map_or("", |it| it.value.text_at(&["spec", "targetType", "scope"]));
    let bare = kind.strip_prefix(FEDERATED).filter(|it| !it.is_empty()).unwrap_or(kind);
    let (version, target) = match config.map(target_type).transpose() {
        Ok(named) => named.unwrap_or_else(|| (Text::default(), bare.into())),
        Err(error) => {
            let of = config.map(|it| it.identity.to_string()).unwrap_or_default();
            // The place is in the other document, where `lint` reports it.
            return Err(Error { message: format!("`{of}` does not name the kind of its target"), at: None, ..error });
        }
    };
    let written = document.value.text_at(&["spec", "template", "apiVersion"]);
    let known = || {
        WELL_KNOWN
            .iter()
            .find(|(_, kinds)| kinds.contains(&target.as_str()))
            .map(|(version, _)| Text::new_static(version))
    };
    let api_version = match version.as_str() {
        "" if !written.is_empty() => written.into(),
        "" => known().ok_or_else(|| {
            let message = format!("the API version of `{target}` is not known");
            let hint = format!("load the FederatedTypeConfig of `{kind}`, or write `apiVersion` in the template");
            Error::new(Code::UnknownTarget, message).at(["spec", "template"]).hint(hint)
        })?,
        _ => version,
    };
    let is_wide = kind == FEDERATED_NAMESPACE || scope == "Cluster";
    let namespace = if is_wide { Text::default() } else { namespace.clone() };
    Ok(Target { api_version, kind: target, namespace, name: name.clone() })
}

/// Where the clusters of a control plane are registered, among the namespaces that the settings name: in the one with
/// clusters, else in the namespace of the FederatedTypeConfig, else in the first one.
pub fn scope(view: View, config: Option<&Document>, out: &mut Vec<Diagnostic>) -> Scope {
    let homes = &view.settings.kubefed_namespaces;
    let is_home = |namespace: &Text| homes.contains(namespace);
    let all = view.store.fleets().map(|(scope, _)| scope);
    let scopes: Vec<&Scope> = all.filter(|it| it.kind == CLUSTER && is_home(&it.namespace)).collect();
    let named = config.map(|it| &it.identity.namespace).filter(|it| is_home(it));
    let first_home = homes.first();
    match scopes.as_slice() {
        [] => Scope { kind: CLUSTER.into(), namespace: named.or(first_home).cloned().unwrap_or_default() },
        [only] => (*only).clone(),
        [first, ..] => {
            let of = |namespace: &Text| scopes.iter().find(|it| it.namespace == *namespace);
            if let Some(scope) = named.and_then(of) {
                return (*scope).clone();
            }
            let scope = first_home.and_then(of).unwrap_or(first);
            let message =
                format!("clusters are registered in several namespaces, and those of `{}` are meant", scope.namespace);
            let hint = "load the FederatedTypeConfig of the control plane that is meant";
            out.push(Diagnostic::warning(Code::SeveralControlPlanes, message).hint(hint));
            (*scope).clone()
        }
    }
}

/// A setting of the control plane that clusters are registered with.
fn setting<'a>(view: View<'a>, scope: &Scope, path: &[&str]) -> &'a str {
    let configs = view.store.of_kind(CORE, CONFIG, None).filter(|it| it.identity.namespace == scope.namespace);
    configs.map(|it| it.value.text_at(path)).find(|it| !it.is_empty()).unwrap_or_default()
}

/// Whether the control plane serves its own namespace alone, and so has no federated namespaces.
pub fn is_limited(view: View, scope: &Scope) -> bool {
    setting(view, scope, &["spec", "scope"]) == "Namespaced"
}

/// Whether objects that were there before may be taken over.
pub fn adopts(view: View, scope: &Scope) -> bool {
    setting(view, scope, &["spec", "syncController", "adoptResources"]) != "Disabled"
}

/// Whether a cluster is reachable according to its conditions. One without conditions was not checked yet and counts as
/// reachable. KubeFed waits for the check.
pub fn is_ready(view: View, scope: &Scope, cluster: &str) -> bool {
    view.store.unreachable_reason(cluster).is_none()
        && view.store.cluster_document(scope, cluster).is_some_and(|it| says_ready(&it.value, view.settings.mode))
}

/// Why a cluster is not ready, for messages.
pub fn unready(view: View, cluster: &str) -> String {
    match view.store.unreachable_reason(cluster) {
        None => format!("`{cluster}` is not ready"),
        Some(reason) if reason.is_empty() => format!("`{cluster}` did not answer"),
        Some(reason) => format!("`{cluster}` did not answer ({reason})"),
    }
}

pub fn says_ready(cluster: &Value, mode: Mode) -> bool {
    let conditions = cluster.at(&["status", "conditions"]).and_then(Value::as_list);
    let Some(conditions) = conditions.filter(|it| !it.is_empty()) else { return mode == Mode::Strict };
    let holds =
        |kind: &str| conditions.iter().any(|it| it.text_at(&["type"]) == kind && it.text_at(&["status"]) == "True");
    holds("Ready") && !holds("Offline")
}

/// The user's retention rules: fields, then labels.
pub type Retained = (Vec<RetentionPath>, Vec<Text>);

/// Reads `retention` of a FederatedTypeConfig or of a federated object.
///
/// # Errors
///
/// The first of the errors of [`all_retention`]. Ignoring it would erase the value that it should retain.
pub fn retention(spec: Option<&Value>) -> Result<Retained, Error> {
    let (retained, errors) = all_retention(spec);
    errors.into_iter().next().map_or(Ok(retained), Err)
}

/// The rules that can be read, and every one that cannot, at its place.
pub fn all_retention(spec: Option<&Value>) -> (Retained, Vec<Error>) {
    let mut errors = Vec::new();
    let retained = read_retention(spec, &mut errors).unwrap_or_else(|error| {
        errors.push(error);
        Retained::default()
    });
    (retained, errors)
}

/// # Errors
///
/// Nothing can be read. Errors of single rules go to `errors`.
fn read_retention(spec: Option<&Value>, errors: &mut Vec<Error>) -> Result<Retained, Error> {
    let path = JsonPath::ROOT.key("spec");
    let path = path.key("retention");
    let retention = match spec.and_then(|it| it.get("retention")) {
        None | Some(Value::Null) => return Ok(Retained::default()),
        Some(Value::Map(retention)) => retention,
        Some(other) => return Err(path.wrong_type("a map", other)),
    };
    Fields::of(Value::Map(retention.clone()), &path, &["fields", "labels"])?;
    let mut texts = |field: &str| -> Vec<(usize, Text)> {
        let path = path.key(field);
        let items = match retention.get(field) {
            Some(Value::List(items)) => items.as_slice(),
            None | Some(Value::Null) => &[],
            Some(other) => {
                errors.push(path.wrong_type("a list", other));
                &[]
            }
        };
        let mut texts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item {
                Value::Text(text) => texts.push((index, text.clone())),
                other => errors.push(path.index(index).wrong_type("a string", other)),
            }
        }
        texts
    };
    let (fields, labels) = (texts("fields"), texts("labels"));
    let mut paths = Vec::new();
    for (index, text) in fields {
        match RetentionPath::parse(&text) {
            Ok(path) => paths.push(path),
            Err(error) => {
                let message = format!("`{text}`: {} (at character {})", error.message, error.offset.saturating_add(1));
                let error = Error::new(Code::BadRetentionPath, message).maybe_hint(error.hint);
                errors.push(error.at(path.key("fields").index(index)));
            }
        }
    }
    for (index, label) in &labels {
        if let Err(error) = crate::object::labels::check_key(label) {
            errors.push(error.at(path.key("labels").index(*index)));
        }
    }
    Ok((paths, labels.into_iter().map(|(_, label)| label).collect()))
}
