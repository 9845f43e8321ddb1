//! Why an override is used or not, for `explain`. It reads documents again, so that results need not carry the answer.

use super::lookups::{Lookups, in_organizations};
use super::overrides::Override;
use super::{GROUP, ORGANIZATION, OVERRIDE, identity};
use crate::diagnostic::{Code, Diagnostic, ReasonCode};
use crate::engine::select::Reason;
use crate::object::document::{Document, Identity};
use crate::value::Text;
use crate::value::path::Pointer;
use crate::workspace::compare::Cause;
use crate::workspace::settings::Precedence;
use crate::workspace::store::View;
use crate::workspace::subject::UnusedLayer;

/// The PluginOverrides of a namespace that are not used for any cluster: refused ones, and those for other definitions.
pub fn unused(view: View, namespace: &str, definition: &str) -> Vec<UnusedLayer> {
    let documents = view.store.of_kind(GROUP, OVERRIDE, Some(namespace));
    let unused = documents.filter_map(|document| {
        let it = Override::read(view, document, &mut Vec::new());
        let (code, text) = match it.part.errors.first() {
            Some(error) => (ReasonCode::Refused, error.message.clone()),
            None if it.is_for(definition) => return None,
            None => {
                let names: Vec<String> = it.definitions.iter().map(|it| format!("`{it}`")).collect();
                (ReasonCode::OtherDefinition, format!("it is for plugins of {}", names.join(", ")))
            }
        };
        let layer = it.written(view, document);
        Some(UnusedLayer { layer, reason: Reason { code, text, holds: false } })
    });
    unused.collect()
}

/// Why one layer is above another that is applied too.
pub fn beats(view: View, higher: &Cause, lower: &Cause) -> Option<String> {
    if higher.layer != lower.layer {
        return Some(format!("above `{}`", lower.layer));
    }
    let read = |cause: &Cause| {
        let document = view.document(&cause.origin.as_ref()?.document)?;
        Some((Override::read(view, document, &mut Vec::new()), document.identity.clone()))
    };
    let ((higher, its_name), (lower, other_name)) = (read(higher)?, read(lower)?);
    Some(difference(view.settings.precedence, (&higher, &its_name), (&lower, &other_name)))
}

pub fn difference(precedence: Precedence, higher: (&Override, &Identity), lower: (&Override, &Identity)) -> String {
    let ((it, name), (other, other_name)) = (higher, lower);
    let (more, fewer) = (it.specifies(), other.specifies());
    if it.rank(precedence) != other.rank(precedence) {
        let gained: Vec<&str> = more.iter().filter(|it| !fewer.contains(it)).copied().collect();
        return format!("more specific: {}", gained.join(" and "));
    }
    match it.created_after(other) {
        true => "created later".to_owned(),
        false => format!("same precedence and time: by name, `{}` after `{}`", name.name, other_name.name),
    }
}

/// Reports an override or a preset in a namespace without an organization, where others have one. Answers whether it
/// did.
pub fn report_unknown_organization(
    view: View,
    document: &Document,
    lookups: &mut Lookups,
    out: &mut Vec<Diagnostic>,
) -> bool {
    let own = &document.identity;
    if own.namespace.is_empty() || is_organization(view, &own.namespace) {
        return false;
    }
    let known = lookups.organizations(view);
    if !known.is_empty() {
        let effect = match own.kind.as_str() {
            OVERRIDE => "the override reaches no plugin",
            _ => "the preset reaches no cluster",
        };
        let message = format!("there is no organization `{}`, so {effect}", own.namespace);
        let finding = Diagnostic::warning(Code::UnknownOrganization, message);
        let finding = finding.of(own).at(Pointer::of(["metadata", "namespace"]));
        let hint = lookups.hints.did_you_mean(&own.namespace, known.iter().map(Text::as_str));
        out.push(Diagnostic { hint, ..finding });
    }
    !known.is_empty()
}

/// Whether a namespace is one of an organization: its document may be missing among the loaded ones.
fn is_organization(view: View, namespace: &Text) -> bool {
    view.document(&identity(ORGANIZATION, "", namespace)).is_some()
        || in_organizations(view).iter().any(|kind| view.store.of_kind(GROUP, kind, Some(namespace)).next().is_some())
}
