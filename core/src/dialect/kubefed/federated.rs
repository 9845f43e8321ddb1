//! A federated object, read: its target, the object of every cluster before overrides, and the retention rules.

use std::sync::Arc;

use super::cluster_part::Shared;
use super::control_plane::{self as plane, CLUSTER, CONFIG, CORE, TYPE_CONFIG};
use super::overrides::{Overrides, overrides};
use super::placement::placement;
use super::remote_status::Collection;
use super::{Federated, Leaving, MANAGED, ORPHAN};
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::compose::Base;
use crate::engine::patch::{Operation, Verb};
use crate::engine::rendered::{Chain, FieldOrigin, Origin};
use crate::engine::retain::{Rules, take};
use crate::engine::select::layer_index::LayerIndex;
use crate::object::document::{Document, Identity};
use crate::object::identity::is_terminating;
use crate::object::kinds::retention::{KUBEFED, Phase, STRICT};
use crate::value::JsonPath;
use crate::value::index_text;
use crate::value::path::Pointer;
use crate::value::suggest::close;
use crate::value::{Map, Text, Value};
use crate::workspace::plan::Target;
use crate::workspace::store::View;
use crate::workspace::subject::Dependency;
use crate::workspace::targets::Targets;

/// # Errors
///
/// Its target, placement, overrides or retention rules cannot be read.
pub fn read(view: View, document: &Document, out: &mut Vec<Diagnostic>) -> Result<Federated, Error> {
    let (mode, subject) = (view.settings.mode, Arc::new(document.identity.clone()));
    let config = plane::usable_config(view, &subject)?;
    let is_disabled =
        !config.map_or(Ok(true), plane::propagates).map_err(|error| elsewhere(config, "propagation", error))?;
    let of_config = config.map(|it| it.identity.clone());
    out.extend(about_config(&subject, of_config.as_ref(), is_disabled));
    let target = plane::target(document, config)?;
    let mut several = Vec::new();
    let scope = plane::scope(view, config, &mut several);
    out.extend(several.into_iter().map(|it| it.of(&subject)));
    plane::check_config(view, &scope)?;
    let placed = placement(view, document, &scope, !target.namespace.is_empty(), out)?;
    let overrides = overrides(document, &subject, mode, out)?;
    let mut depends = placed.depends;
    for kind in [TYPE_CONFIG, CONFIG] {
        depends.push(Dependency::kind(CORE, kind, None));
    }
    let (group, kind, namespace) = (CORE.into(), CLUSTER.into(), scope.namespace.clone());
    depends.push(Dependency::Elsewhere { group, kind, namespace });
    depends.extend(hub_namespace(&target).map(Dependency::Document));
    let (rules, written) = rules(document, config, mode)?;
    let fights = fights(&overrides, &rules, &subject);
    out.extend(fights.iter().cloned());
    let base = base(view, document, config, &subject, &target, out)?;
    let orphans = orphans(document, mode, out);
    Ok(Federated {
        index: LayerIndex::of(overrides.shown.iter().map(|it| it.when.as_ref())),
        overrides,
        fights,
        shared: Shared::of(rules.builtin, &target.api_version, &target.kind),
        rules,
        written,
        targets: Targets::Fleet(scope.clone(), placed.picks),
        has_namespace: placed.has_namespace,
        is_disabled,
        collects: Collection::of(config, &subject),
        config: of_config,
        adopts: plane::adopts(view, &scope),
        orphans,
        leaving: match is_terminating(&document.value) {
            true if orphans => Leaving::Orphan,
            true => Leaving::Delete,
            false => Leaving::No,
        },
        object: target.identity(),
        subject,
        target,
        scope,
        depends,
        base,
        mode,
    })
}

/// Whether the copies stay when the object is deleted. KubeFed keeps them only for `true`; in strict mode a value that
/// is not `false` keeps them as well, since somebody meant something by it.
fn orphans(document: &Document, mode: Mode, out: &mut Vec<Diagnostic>) -> bool {
    let Some(value) = document.value.at(&["metadata", "annotations", ORPHAN]) else { return false };
    let is = |text| value.as_text() == Some(text);
    if is("true") || is("false") {
        return is("true");
    }
    let then = match mode {
        Mode::Strict => "so the copies stay when the object is deleted",
        Mode::Compat => "so KubeFed deletes the copies with the object",
    };
    let message = format!("the annotation is neither `\"true\"` nor `\"false\"`, {then}");
    let finding = Diagnostic::warning(Code::UnknownValue, message).of(&document.identity);
    let hint = format!("write `{ORPHAN}: \"true\"` to keep the copies, or remove the annotation");
    out.push(finding.at(Pointer::of(["metadata", "annotations", ORPHAN])).hint(hint));
    mode == Mode::Strict
}

/// The namespace of the hub is what a federated one starts from.
fn hub_namespace(target: &Target) -> Option<Identity> {
    (target.kind == "Namespace" && target.api_version == "v1").then(|| target.identity())
}

/// Findings about the FederatedTypeConfig of a federated object.
pub fn about_config(subject: &Identity, config: Option<&Identity>, is_disabled: bool) -> Option<Diagnostic> {
    match config {
        None => {
            let message = format!("no FederatedTypeConfig is loaded for `{}`, and KubeFed needs one", subject.kind);
            let hint = match close(&subject.kind, FEDERATED_KINDS.iter().copied()) {
                Some(meant) if meant != subject.kind => format!("did you mean `{meant}`?"),
                _ => "load it; until then the target is taken from the name of the kind".into(),
            };
            let finding = Diagnostic::warning(Code::MissingTypeConfig, message).of(subject);
            Some(finding.at(Pointer::of(["kind"])).hint(hint))
        }
        Some(config) if is_disabled => {
            let message = format!("`{config}` turns propagation off, so clusters keep what they have");
            let finding = Diagnostic::info(Code::PropagationDisabled, message).of(subject);
            Some(finding.hint(format!("set `spec.propagation: Enabled` in `{config}`")))
        }
        Some(_) => None,
    }
}

/// The kinds that KubeFed enables when it is installed.
const FEDERATED_KINDS: &[&str] = &[
    "FederatedClusterRole",
    "FederatedConfigMap",
    "FederatedDeployment",
    "FederatedIngress",
    "FederatedJob",
    "FederatedNamespace",
    "FederatedReplicaSet",
    "FederatedSecret",
    "FederatedService",
    "FederatedServiceAccount",
];

/// An error in the FederatedTypeConfig. `lint` reports it at its place there.
fn elsewhere(config: Option<&Document>, field: &str, error: Error) -> Error {
    let of = config.map(|it| it.identity.to_string()).unwrap_or_default();
    Error { message: format!("the {field} of `{of}` cannot be read: {}", error.message), at: None, ..error }
}

/// Overrides of replicas that are retained too.
fn fights(overrides: &Overrides, rules: &Rules, subject: &Identity) -> Vec<Diagnostic> {
    let finding = |(_, at): &(Operation, Pointer)| {
        let message =
            "the override sets replicas that `retainReplicas` leaves to the cluster, and undoes its autoscaler";
        let finding = Diagnostic::warning(Code::OverriddenReplicas, message).of(subject).at(at.clone());
        finding.hint("remove the override, or `spec.retainReplicas`")
    };
    let operations = overrides.shown.iter().filter(|_| rules.retain_replicas).flat_map(|it| &it.operations);
    operations.filter(|(it, _)| it.path == "/spec/replicas" && it.verb != Verb::Remove).map(finding).collect()
}

/// The rules, and where those of the user are written.
fn rules(document: &Document, config: Option<&Document>, mode: Mode) -> Result<(Rules, Vec<(Text, Origin)>), Error> {
    let of_kind = plane::retention(config.and_then(|it| it.value.get("spec")))
        .map_err(|error| elsewhere(config, "retention", error))?;
    let of_document = plane::retention(document.value.get("spec"))?;
    let retain_replicas = match document.value.at(&["spec", "retainReplicas"]) {
        None => false,
        Some(Value::Bool(retains)) => *retains,
        Some(Value::Null) if mode == Mode::Strict => false,
        Some(other) => return Err(JsonPath::ROOT.key("spec").key("retainReplicas").wrong_type("a boolean", other)),
    };
    let mut written = Vec::new();
    for (of, (fields, labels)) in [(config, &of_kind), (Some(document), &of_document)] {
        let Some(identity) = of.map(|it| Arc::new(it.identity.clone())) else { continue };
        let origin = |list: &str, index: usize| Origin {
            document: Arc::clone(&identity),
            path: Pointer::of(["spec", "retention", list]).child(index_text(index)),
        };
        let fields = fields.iter().enumerate().map(|(at, path)| (path.to_string().into(), origin("fields", at)));
        written.extend(fields);
        let labels = labels.iter().enumerate().map(|(at, it)| (format!("label:{it}").into(), origin("labels", at)));
        written.extend(labels);
    }
    let replicas =
        Origin { document: Arc::new(document.identity.clone()), path: Pointer::of(["spec", "retainReplicas"]) };
    written.push(("replicas".into(), replicas));
    let rules = Rules {
        builtin: if mode == Mode::Strict { STRICT } else { KUBEFED },
        // Our own rules after the layers are for a full update: it names the version that it replaces, and keeps the
        // status. An action is a patch with a precondition, and equal clusters should stay equal.
        phase: Some(Phase::Before),
        fields: of_kind.0.into_iter().chain(of_document.0).collect(),
        labels: of_kind.1.into_iter().chain(of_document.1).collect(),
        retain_replicas,
    };
    Ok((rules, written))
}

/// The template with the identity that it must have.
fn base(
    view: View,
    document: &Document,
    config: Option<&Document>,
    subject: &Arc<Identity>,
    target: &Target,
    out: &mut Vec<Diagnostic>,
) -> Result<Base, Error> {
    let spec = JsonPath::ROOT.key("spec");
    let path = spec.key("template");
    let template = document.value.at(&["spec", "template"]).filter(|it| !it.is_null());
    let on_hub = hub_namespace(target).and_then(|it| view.store.document(&it));
    let (mut object, origin) = match (template, on_hub) {
        (_, Some(namespace)) => {
            let labels = namespace.value.at(&["metadata", "labels"]).filter(|it| !it.is_empty());
            let metadata = Value::map(labels.map(|it| ("labels", it.clone())));
            let origin = Origin { document: Arc::new(namespace.identity.clone()), path: Pointer::root() };
            (Value::map([("metadata", metadata)]), origin)
        }
        (Some(template @ Value::Map(_)), None) => {
            (template.clone(), Origin { document: Arc::clone(subject), path: path.pointer() })
        }
        (Some(other), None) => return Err(path.wrong_type("a map", other)),
        (None, None) if hub_namespace(target).is_some() => {
            (Map::new().into(), Origin { document: Arc::clone(subject), path: path.pointer() })
        }
        (None, None) => {
            return Err(Error::new(Code::MissingField, "the federated object has no template").at(path));
        }
    };
    if template.is_some_and(|it| it.get("metadata").is_some_and(|it| !it.is_null() && it.as_map().is_none())) {
        return Err(Error::new(Code::WrongType, "`metadata` must be a map").at(path.key("metadata")));
    }
    clean(&mut object, &origin, view.settings.mode, out);
    let given = identify(&mut object, &origin, config, subject, target, out);
    let said = FieldOrigin {
        layer: "managed-label".into(),
        origin: Some(Origin { document: Arc::clone(subject), path: Pointer::root() }),
        value: Some("true".into()),
    };
    let sealed = vec![(Pointer::of(["metadata", "labels", MANAGED]), said)];
    let wave = i64::from(target.kind != "Namespace");
    Ok(Base { object, origin, given, sealed, wave })
}

/// What only a server sets.
const SERVER: &[&[&str]] = &[
    &["metadata", "creationTimestamp"],
    &["metadata", "deletionTimestamp"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["status"],
];

/// Takes out of a template what must not reach a cluster: here what a server sets, in KubeFed annotations and
/// finalizers.
fn clean(object: &mut Value, origin: &Origin, mode: Mode, out: &mut Vec<Diagnostic>) {
    let mut report = |finding: Diagnostic, path: &Pointer, hint: &str| {
        out.push(finding.of(&origin.document).at(origin.path.join(path)).hint(hint));
    };
    for keys in SERVER.iter().filter(|_| mode == Mode::Strict) {
        let path = Pointer::of(keys.iter().copied());
        let Some(found) = path.get(object) else { continue };
        // Generated manifests are full of empty ones.
        if !found.is_empty() {
            let message = format!("`{}` is set by servers alone, and is left out", keys.join("."));
            report(Diagnostic::warning(Code::ServerField, message), &path, "remove it from the template");
        }
        take(object, &path);
    }
    for field in ["annotations", "finalizers"] {
        let path = Pointer::of(["metadata", field]);
        let Some(found) = path.get(object) else { continue };
        let is_empty = found.is_empty();
        let (finding, hint) = match mode {
            Mode::Strict => {
                let message = format!("the `{field}` of the template are kept; KubeFed drops them");
                (Diagnostic::info(Code::TemplateMetadata, message), "in KubeFed only an override can set them")
            }
            Mode::Compat => {
                take(object, &path);
                let message = format!("KubeFed drops the `{field}` of a template");
                (Diagnostic::warning(Code::TemplateMetadata, message), "set them by an override")
            }
        };
        if !is_empty {
            report(finding, &path, hint);
        }
    }
}

/// Gives the object its kind, name and namespace, regardless of the template; returns their origins.
fn identify(
    object: &mut Value,
    origin: &Origin,
    config: Option<&Document>,
    subject: &Arc<Identity>,
    target: &Target,
    out: &mut Vec<Diagnostic>,
) -> Vec<(Pointer, Chain)> {
    let Target { api_version, kind, namespace, name } = target;
    let config = config.map(|it| Arc::new(it.identity.clone()));
    let by_kind = |path: &[&str]| match &config {
        Some(config) => Origin {
            document: Arc::clone(config),
            path: Pointer::of(["spec", "targetType"]).join(&Pointer::of(path.iter().copied())),
        },
        None => Origin { document: Arc::clone(subject), path: Pointer::of(["kind"]) },
    };
    let by_name = |key: &str| Origin { document: Arc::clone(subject), path: Pointer::of(["metadata", key]) };
    let says = |object: &Value, keys: &[&str]| object.at(keys).filter(|it| !it.is_null()).cloned();
    let mut given = Vec::new();
    let rows: [(&[&str], &Text, Origin); 4] = [
        (&["apiVersion"], api_version, by_kind(&["version"])),
        (&["kind"], kind, by_kind(&["kind"])),
        (&["metadata", "name"], name, by_name("name")),
        (&["metadata", "namespace"], namespace, by_name("namespace")),
    ];
    for (keys, forced, from) in rows {
        let (place, written) = (Pointer::of(keys.iter().copied()), says(object, keys));
        // A template may ask for another version of its API; a namespace's own identity is no slip.
        if keys == ["apiVersion"] && written.is_some() {
            continue;
        }
        if written.as_ref().is_some_and(|it| it.as_text() != Some(forced.as_str())) {
            let message = format!("`{}` of the template is not the object's, and is replaced", keys.join("."));
            let finding = Diagnostic::warning(Code::IdentityMismatch, message).of(&origin.document);
            out.push(finding.at(origin.path.join(&place)).hint("remove it from the template"));
        }
        if forced.is_empty() {
            take(object, &place);
            continue;
        }
        crate::engine::compose::put(object, &place, forced.clone().into());
        let mut chain =
            vec![FieldOrigin { layer: "identity".into(), origin: Some(from), value: Some(forced.clone().into()) }];
        chain.extend(written.map(|value| FieldOrigin {
            layer: "base".into(),
            origin: Some(Origin { document: Arc::clone(&origin.document), path: origin.path.join(&place) }),
            value: Some(value),
        }));
        given.push((place, Arc::new(chain)));
    }
    given
}
