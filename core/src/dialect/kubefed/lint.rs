//! Findings that need the complete fleet: names of unknown clusters, overrides for no cluster, rules that retain
//! nothing.

use super::control_plane::{self as plane, CLUSTER, CORE, TYPE_CONFIG};
use super::{Federated, KubeFed, federated, placement};
use crate::diagnostic::{Code, Diagnostic, Error, Severity};
use crate::engine::retain::warn_unknown;
use crate::engine::select::Selector;
use crate::object::document::Document;
use crate::object::kinds::clusters::cluster_kind;
use crate::object::kinds::roots::unknown_root;
use crate::value::JsonPath;
use crate::value::collections::SortedSet;
use crate::value::path::{Pointer, RetentionPath};
use crate::value::suggest::Hints;
use crate::value::{Text, Value};
use crate::workspace::connection::{insecure, untrusted};
use crate::workspace::plan::Target;
use crate::workspace::store::{Scope, View};
use crate::workspace::subject::Dialect;
use crate::workspace::targets::{ClusterFilter, Targets};

pub fn lint(dialect: &KubeFed, view: View, out: &mut Vec<Diagnostic>) {
    let mut hints = Hints::default();
    view.store.documents().for_each(|it| look(dialect, view, it, &mut hints, out));
}

pub fn lint_document(dialect: &KubeFed, view: View, document: &Document, out: &mut Vec<Diagnostic>) {
    look(dialect, view, document, &mut Hints::default(), out);
}

fn look(dialect: &KubeFed, view: View, document: &Document, hints: &mut Hints, out: &mut Vec<Diagnostic>) {
    match (document.identity.group.as_str(), document.identity.kind.as_str()) {
        (CORE, TYPE_CONFIG) => lint_type_config(document, out),
        (CORE, CLUSTER) => lint_cluster(view, document, out),
        _ => {}
    }
    if document.identity.kind != CLUSTER && dialect.is_subject(view, document) {
        lint_federated(view, document, hints, out);
    }
}

fn lint_type_config(config: &Document, out: &mut Vec<Diagnostic>) {
    let mut refused = |error: Error| out.push(error.into_diagnostic(Severity::Error).of(&config.identity));
    for field in ["propagation", "statusCollection"] {
        plane::switch(config, field).map(drop).unwrap_or_else(&mut refused);
    }
    if plane::switch(config, "propagation") == Ok(None) {
        let message = "`propagation` is missing, which KubeFed refuses; here the type is propagated";
        let finding = Diagnostic::warning(Code::MissingField, message).of(&config.identity);
        out.push(finding.at(Pointer::of(["spec", "propagation"])).hint("add `propagation: Enabled`"));
    }
    let mut refused = |error: Error| out.push(error.into_diagnostic(Severity::Error).of(&config.identity));
    let has_status_type = config.value.at(&["spec", "statusType"]).is_some_and(|it| !it.is_null());
    if has_status_type && plane::status_type(config).is_none() {
        let error =
            Error::new(Code::MissingField, "the status type has no kind, so statuses have no object of their own");
        refused(
            error.at(["spec", "statusType", "kind"]).hint("add `kind`, for example `kind: FederatedServiceStatus`"),
        );
    }
    let (api_version, kind) = plane::target_type(config).unwrap_or_else(|error| {
        refused(error);
        (Text::default(), Text::default())
    });
    lint_retention(config, &Target { api_version, kind, namespace: Text::default(), name: Text::default() }, out);
}

fn lint_cluster(view: View, cluster: &Document, out: &mut Vec<Diagnostic>) {
    let name = &cluster.identity.name;
    if !view.store.is_member(&cluster.identity) {
        let finding = untrusted(view.store, &cluster.identity).into_diagnostic(Severity::Warning);
        out.push(finding.of(&cluster.identity));
        return;
    }
    let kind = cluster_kind(&cluster.identity);
    if let Some(error) = kind.and_then(|it| insecure(it, cluster)) {
        let (severity, effect) = match view.settings.insecure_endpoints {
            true => (Severity::Warning, "and `insecureEndpoints` allows that"),
            false => (Severity::Error, "so no token is sent"),
        };
        let message = format!("{}, {effect}", error.message);
        out.push(Error { message, ..error }.into_diagnostic(severity).of(&cluster.identity));
    }
    if !plane::is_ready(view, &Scope::of(&cluster.identity), name) {
        let message = format!("the cluster {}, so nothing is planned for it", plane::unready(view, name));
        let finding = Diagnostic::warning(Code::ClusterNotReady, message).of(&cluster.identity);
        let at: &[&str] = if view.store.unreachable_reason(name).is_some() { &[] } else { &["status", "conditions"] };
        out.push(finding.at(Pointer::of(at.iter().copied())).hint("what it has is left as it is"));
    }
}

fn lint_federated(view: View, document: &Document, hints: &mut Hints, out: &mut Vec<Diagnostic>) {
    // Its own errors were reported when it was read.
    let Ok(federated) = federated::read(view, document, &mut Vec::new()) else { return };
    lint_retention(document, &federated.target, out);
    lint_template(document, &federated.target, out);
    lint_names(view, document, &federated, hints, out);
    lint_overrides(view, &federated, out);
}

/// Paths that cannot be read, or that no object of the kind has.
fn lint_retention(document: &Document, target: &Target, out: &mut Vec<Diagnostic>) {
    let ((fields, _), errors) = plane::all_retention(document.value.get("spec"));
    if !errors.is_empty() {
        out.extend(errors.into_iter().map(|it| it.into_diagnostic(Severity::Error).of(&document.identity)));
        return;
    }
    let object = Value::map([("apiVersion", target.api_version.clone()), ("kind", target.kind.clone())]);
    let mut found = Vec::new();
    warn_unknown(&fields, &object, &mut found);
    let rules = Pointer::of(["spec", "retention"]);
    for finding in found {
        // Told as of a request: its rules are the retention of this document.
        let path = finding.at.path.clone().unwrap_or_default();
        let place = rules.join(&Pointer::of(path.segments().skip(1).cloned()));
        out.push(finding.of(&document.identity).at(place));
    }
    repeated(&fields, document, out);
}

/// Fields of the template that no object of the kind has.
fn lint_template(document: &Document, target: &Target, out: &mut Vec<Diagnostic>) {
    let template = document.value.at(&["spec", "template"]).and_then(Value::as_map);
    for key in template.into_iter().flat_map(|it| it.keys()) {
        let Some(unknown) = unknown_root(&target.api_version, &target.kind, &[key]) else { continue };
        let finding =
            Diagnostic::warning(Code::UnknownPath, format!("{} has no field `{key}` at its root", target.kind));
        let place = Pointer::of(["spec", "template", key.as_str()]);
        out.push(finding.of(&document.identity).at(place).hint(format!("it has: {}", unknown.fields.join(", "))));
    }
}

fn repeated(fields: &[RetentionPath], document: &Document, out: &mut Vec<Diagnostic>) {
    let mut seen = SortedSet::new();
    for (index, path) in fields.iter().enumerate() {
        let text = path.to_string();
        if !seen.insert(text.clone()) {
            let finding = Diagnostic::warning(Code::DuplicatePath, format!("duplicate entry `{text}`"));
            let spec = JsonPath::ROOT.key("spec");
            let place = spec.key("retention").key("fields").index(index).pointer();
            out.push(finding.of(&document.identity).at(place).hint("remove one of the two"));
        }
    }
}

/// Clusters that are named and not registered.
fn lint_names(view: View, document: &Document, federated: &Federated, hints: &mut Hints, out: &mut Vec<Diagnostic>) {
    out.extend(placement::unknown_clusters(view, document, &federated.scope, hints));
    let fleet = view.store.fleet(&federated.scope);
    let known = |name: &str| fleet.is_some_and(|it| it.get(name).is_some());
    let mut report = |name: &str, place: Pointer| {
        let clusters = fleet.into_iter().flat_map(|it| it.clusters()).map(|it| it.name.as_str());
        let finding = Diagnostic::warning(Code::UnknownCluster, format!("there is no cluster `{name}`"));
        let mut finding = finding.of(&federated.subject).at(place);
        finding.hint = hints.did_you_mean(name, clusters);
        out.push(finding);
    };
    let spec = JsonPath::ROOT.key("spec");
    for (index, entry) in overrides_of(document) {
        let name = entry.text_at(&["clusterName"]);
        if !name.is_empty() && !known(name) {
            report(name, spec.key("overrides").index(index).key("clusterName").pointer());
        }
    }
}

fn overrides_of(document: &Document) -> impl Iterator<Item = (usize, &Value)> {
    document.value.at(&["spec", "overrides"]).and_then(Value::as_list).into_iter().flatten().enumerate()
}

/// Overrides for clusters that do not get the object.
fn lint_overrides(view: View, federated: &Federated, out: &mut Vec<Diagnostic>) {
    let (Some(fleet), Targets::Fleet(_, picks)) = (view.store.fleet(&federated.scope), &federated.targets) else {
        return;
    };
    let spec = JsonPath::ROOT.key("spec");
    let path = spec.key("overrides");
    for (index, layer) in federated.overrides.shown.iter().enumerate() {
        let path = path.index(index);
        let (message, place) = match &layer.when {
            Some(Selector::Listed(names)) => {
                let Some(cluster) = names.first().and_then(|it| fleet.get(it)) else { continue };
                let message = format!("the override has no effect: `{}` does not get the object", cluster.name);
                (Some(message).filter(|_| !picks.picks(cluster)), path.key("clusterName").pointer())
            }
            Some(selector) => {
                let named = ClusterFilter::Selector(selector.clone());
                let reaches = named.members(fleet).into_iter().any(|it| picks.picks(it));
                let message = "the override has no effect: no cluster that gets the object has such labels";
                (Some(message.to_string()).filter(|_| !reaches), path.key("clusterSelector").pointer())
            }
            None => continue,
        };
        if let Some(message) = message {
            let finding = Diagnostic::warning(Code::UnusedOverride, message);
            out.push(finding.of(&federated.subject).at(place).hint("place the object there, or remove the override"));
        }
    }
}
