//! Rules of roles about clusters and sets that have no effect.

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::authorize::misnamed_grants;
use crate::engine::authorize::rbac::{self, Rbac, is_rbac};
use crate::engine::select::cluster_set::{CLUSTERSET, GROUP, Stage};
use crate::object::document::{Document, Identity};
use crate::value::collections::SortedMap;
use crate::value::path::Pointer;
use crate::value::suggest::{Hints, close, nearest};
use crate::value::{Text, Value};
use crate::workspace::store::View;

/// The permissions that are checked, by the names of their objects.
const LABEL: &str = "managedclusters/label";
const JOIN: &str = "managedclustersets/join";
const BIND: &str = "managedclustersets/bind";

/// The subresources that there are, of which a role may name any.
const SUBRESOURCES: &[(&str, &[&str])] = &[
    ("managedclusters", &["accept", "clientcertificates", "finalizers", "label", "status"]),
    ("managedclustersets", &["bind", "finalizers", "join", "status"]),
];

/// Roles that every API server has.
const BUILT_IN: &[&str] = &["admin", "cluster-admin", "edit", "view"];

pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    let roles = ["ClusterRole", "Role"].map(|kind| view.store.of_kind(rbac::GROUP, kind, None));
    for document in roles.into_iter().flatten() {
        for (index, rule) in list(&document.value, "rules").iter().enumerate() {
            lint_rule(view, document, index, rule, out);
        }
    }
    let bindings = ["ClusterRoleBinding", "RoleBinding"].map(|kind| view.store.of_kind(rbac::GROUP, kind, None));
    let (mut hints, mut granting) = (Hints::default(), SortedMap::new());
    bindings.into_iter().flatten().for_each(|it| lint_binding(view, it, &mut hints, &mut granting, out));
    let documents = view.store.documents().map(|it| &it.value).filter(|it| is_rbac(it));
    let rbac = Rbac::read(documents, out);
    out.extend(misnamed_grants(&rbac, &view.cluster_sets(&mut Vec::new())));
}

/// A binding to a role that is not loaded, and one of a namespace to a role about objects that have none.
fn lint_binding<'v>(
    view: View<'v>,
    document: &Document,
    hints: &mut Hints,
    granting: &mut SortedMap<&'v Identity, bool>,
    out: &mut Vec<Diagnostic>,
) {
    let (kind, name) = (document.value.text_at(&["roleRef", "kind"]), document.value.text_at(&["roleRef", "name"]));
    let namespace = if kind == "Role" { document.identity.namespace.clone() } else { Text::default() };
    let role = Identity { kind: kind.into(), group: rbac::GROUP.into(), namespace, name: name.into() };
    let at = Pointer::of(["roleRef", "name"]);
    let Some(role) = view.store.document(&role) else {
        if !name.is_empty() && !BUILT_IN.contains(&name) && !name.starts_with("system:") {
            let message = format!("the binding refers to `{role}`, which is not among the documents");
            let known = view.store.of_kind(rbac::GROUP, kind, None).map(|it| it.identity.name.as_str());
            let mut finding = Diagnostic::warning(Code::BadRbac, message).of(&document.identity).at(at);
            finding.hint = hints.did_you_mean(name, known);
            out.push(finding);
        }
        return;
    };
    let guards = |rule: &Value| {
        let names = [LABEL, JOIN, BIND];
        is_ours(rule) && list(rule, "resources").iter().any(|it| it.as_text().is_some_and(|it| names.contains(&it)))
    };
    let granted = *granting.entry(&role.identity).or_insert_with(|| list(&role.value, "rules").iter().any(guards));
    if document.identity.kind == "RoleBinding" && role.identity.kind == "ClusterRole" && granted {
        let message = "the binding grants in its namespace only, and clusters and cluster sets have none";
        let finding = Diagnostic::warning(Code::NamespacedGrant, message).hint("use a ClusterRoleBinding");
        out.push(finding.of(&document.identity).at(at));
    }
}

fn is_ours(rule: &Value) -> bool {
    list(rule, "apiGroups").iter().any(|it| matches!(it.as_text(), Some(GROUP | "*")))
}

/// A resource of a rule that does not exist. RBAC has `*` for all resources and `*/label` for a subresource of all, and
/// no `managedclusters/*`.
fn lint_resource(document: &Document, resource: &str, at: &Pointer, out: &mut Vec<Diagnostic>) {
    let Some((parent, child)) = resource.split_once('/') else { return };
    let Some((parent, known)) = SUBRESOURCES.iter().find(|(it, _)| *it == parent) else {
        out.extend(misspelled(parent, child).map(|it| it.of(&document.identity).at(at.clone())));
        return;
    };
    if known.contains(&child) {
        return;
    }
    let mut finding = match child {
        "*" => {
            let message = format!("`{resource}` grants nothing: RBAC does not read the `*` behind a resource");
            Diagnostic::warning(Code::IneffectiveGrant, message)
                .hint(format!("name each, as `{parent}/{}`", main_of(parent)))
        }
        _ => {
            let message = format!("`{resource}` grants nothing: {parent} have no such subresource");
            Diagnostic::warning(Code::IneffectiveGrant, message)
        }
    };
    if let Some(name) = nearest(child, known.iter().copied()).filter(|_| child != "*") {
        finding = finding.hint(format!("did you mean `{parent}/{name}`?"));
    }
    out.push(finding.of(&document.identity).at(at.clone()));
}

/// The finding about a resource that misspells one with this subresource.
fn misspelled(parent: &str, child: &str) -> Option<Diagnostic> {
    let meant = close(parent, SUBRESOURCES.iter().map(|(it, _)| *it))?;
    SUBRESOURCES.iter().find(|(it, known)| *it == meant && known.contains(&child))?;
    let message = format!("`{parent}/{child}` grants nothing: there is no resource `{parent}`");
    let finding = Diagnostic::warning(Code::IneffectiveGrant, message);
    Some(finding.hint(format!("did you mean `{meant}/{child}`?")))
}

/// The subresource of a kind that permissions are mostly about.
fn main_of(parent: &str) -> &'static str {
    if parent == "managedclusters" { "label" } else { "bind" }
}

fn lint_rule(view: View, document: &Document, index: usize, rule: &Value, out: &mut Vec<Diagnostic>) {
    if !is_ours(rule) {
        return;
    }
    let at = Pointer::of(["rules".to_string(), index.to_string()]);
    for (place, resource) in list(rule, "resources").iter().enumerate() {
        let here = at.child("resources").child(place.to_string());
        let Some(resource) = resource.as_text() else { continue };
        lint_resource(document, resource, &here, out);
        if ![LABEL, JOIN, BIND].contains(&resource) {
            continue;
        }
        let verbs: Vec<&str> = list(rule, "verbs").iter().filter_map(Value::as_text).collect();
        if !verbs.is_empty() && !verbs.contains(&"create") && !verbs.contains(&"*") {
            let message =
                format!("`{}` on `{resource}` grants nothing: the permission is `create`", verbs.join("`, `"));
            let finding = Diagnostic::warning(Code::IneffectiveGrant, message).hint("write `verbs: [create]`");
            out.push(finding.of(&document.identity).at(at.child("verbs")));
        }
        if document.identity.kind == "Role" {
            let message = format!("a Role grants in its namespace only, and what `{resource}` is about has none");
            let finding = Diagnostic::warning(Code::NamespacedGrant, message).hint("use a ClusterRole");
            out.push(finding.of(&document.identity).at(here.clone()));
        }
        let deprecated = view.settings.stage == Stage::Full && view.settings.mode == Mode::Strict;
        if resource == JOIN && deprecated {
            let message = format!("`{JOIN}` is deprecated");
            let hint = format!("grant `create` on `{LABEL}` with the name `{CLUSTERSET}:<set>` instead");
            let finding = Diagnostic::warning(Code::DeprecatedJoin, message).hint(hint);
            out.push(finding.of(&document.identity).at(here));
        }
        lint_names(document, rule, resource, &at.child("resourceNames"), out);
    }
}

/// Kubernetes has no patterns in names. For labels, `key:*` and `*` are checked literally; all others have no effect.
fn lint_names(document: &Document, rule: &Value, resource: &str, at: &Pointer, out: &mut Vec<Diagnostic>) {
    for (index, name) in list(rule, "resourceNames").iter().enumerate() {
        let Some(name) = name.as_text() else { continue };
        if let Some((key, value)) = name.split_once('=').filter(|_| resource == LABEL) {
            let message = format!("`{name}` names no label: a key and a value are joined by a colon");
            let finding = Diagnostic::warning(Code::IneffectiveGrant, message).hint(format!("write `{key}:{value}`"));
            out.push(finding.of(&document.identity).at(at.child(index.to_string())));
        }
        if !name.contains('*') {
            continue;
        }
        let key = name.strip_suffix(":*").unwrap_or("*");
        if resource == LABEL && (name == "*" || !key.contains('*')) {
            continue;
        }
        let message = format!("`{name}` names no object: Kubernetes reads the `*` in it literally");
        let hint = match resource {
            LABEL => "write `key:value`, `key:*` or `*`, or leave `resourceNames` out to mean all",
            _ => "name each set, or leave `resourceNames` out to mean all",
        };
        let finding = Diagnostic::warning(Code::LiteralWildcard, message).hint(hint);
        out.push(finding.of(&document.identity).at(at.child(index.to_string())));
    }
}

fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value.get(field).and_then(Value::as_list).map_or(&[][..], Vec::as_slice)
}
