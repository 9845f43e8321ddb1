//! What roles say about clusters and sets, and do not mean.

use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::authorize::misnamed_grants;
use crate::engine::authorize::rbac::{self, Rbac, is_rbac};
use crate::engine::select::cluster_set::{CLUSTERSET, GROUP, Stage};
use crate::object::document::Document;
use crate::value::Value;
use crate::value::path::Pointer;
use crate::workspace::store::View;

/// What permissions are asked for, by the names of their objects.
const LABEL: &str = "managedclusters/label";
const JOIN: &str = "managedclustersets/join";
const BIND: &str = "managedclustersets/bind";

pub fn lint(view: View, out: &mut Vec<Diagnostic>) {
    let roles = ["ClusterRole", "Role"].map(|kind| view.store.of_kind(rbac::GROUP, kind, None));
    for document in roles.into_iter().flatten() {
        for (index, rule) in list(&document.value, "rules").iter().enumerate() {
            lint_rule(view, document, index, rule, out);
        }
    }
    let documents = view.store.documents().map(|it| &it.value).filter(|it| is_rbac(it));
    let rbac = Rbac::read(documents, out);
    out.extend(misnamed_grants(&rbac, &view.cluster_sets(&mut Vec::new())));
}

fn lint_rule(view: View, document: &Document, index: usize, rule: &Value, out: &mut Vec<Diagnostic>) {
    if !list(rule, "apiGroups").iter().any(|it| it.as_text() == Some(GROUP)) {
        return;
    }
    let at = Pointer::of(["rules".to_string(), index.to_string()]);
    for (place, resource) in list(rule, "resources").iter().enumerate() {
        let Some(resource) = resource.as_text().filter(|it| [LABEL, JOIN, BIND].contains(it)) else { continue };
        let here = at.child("resources").child(place.to_string());
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

/// Kubernetes has no patterns in names. Of labels, `key:*` and `*` are asked for as they are; every other one is in vain.
fn lint_names(document: &Document, rule: &Value, resource: &str, at: &Pointer, out: &mut Vec<Diagnostic>) {
    for (index, name) in list(rule, "resourceNames").iter().enumerate() {
        let Some(name) = name.as_text().filter(|it| it.contains('*')) else { continue };
        let key = name.strip_suffix(":*").unwrap_or("*");
        if resource == LABEL && (name == "*" || !key.contains('*')) {
            continue;
        }
        let message = format!("`{name}` names no object: Kubernetes takes the `*` in it to the letter");
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
