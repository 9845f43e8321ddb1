//! Defaulting admission: what a dialect adds to an object before it is stored.
//!
//! 1. Nothing is added to an object of a kind without defaults, of a disabled dialect, or of a subresource.
//! 2. Nothing is added when an object is deleted or connected to.
//! 3. The stored object is shown in full, because the host stores it. Nothing is ever added to a Secret.

use crate::diagnostic::{Diagnostic, Error};
use crate::object::redacted::Redacted;
use crate::value::path::Pointer;
use crate::value::{JsonPath, Value};
use crate::workspace::Workspace;
use crate::workspace::admit::request::{AdmissionRequest, Operation, kind_of, operation_of, subresource_of};
use crate::workspace::store::View;

/// An object with what was missing, and what that was: each with its place, in an order in which it can be added.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    pub object: Value,
    pub added: Vec<(Pointer, Value)>,
}

/// The answer to a request of a defaulting webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaulted {
    /// None if the request has no object.
    pub object: Option<Redacted>,
    pub added: Vec<(Pointer, Redacted)>,
}

/// Adds the missing defaults to the object of an admission request.
///
/// # Errors
///
/// The request cannot be read, or a value around a missing one has the wrong type.
pub fn defaults(workspace: &Workspace, request: &Value, out: &mut Vec<Diagnostic>) -> Result<Defaulted, Error> {
    let (group, kind) = kind_of(request)?;
    let view = View { store: &workspace.store, now: None };
    let object = request.get("object").filter(|it| !it.is_null()).cloned();
    let defaulting = view.all_dialects().iter().find(|it| it.has_defaults(&group, &kind));
    let unchanged = |object: Option<Value>| {
        let object = object.map(|it| Redacted::revealing_if(defaulting.is_some(), it));
        Ok(Defaulted { object, added: Vec::new() })
    };
    let Some(dialect) = defaulting.filter(|it| view.dialects().any(|on| on.name() == it.name())) else {
        return unchanged(object);
    };
    if !subresource_of(request)?.is_empty() || matches!(operation_of(request)?, Operation::Delete | Operation::Connect)
    {
        return unchanged(object);
    }
    // What the object was does not matter.
    let asked = AdmissionRequest::read(request, Operation::Create, group, kind)?;
    let at = JsonPath::ROOT.key("request");
    let filled = dialect.fill(view, object.unwrap_or_default(), &asked.new, &at.key("object"), out)?;
    let added = filled.added.into_iter().map(|(path, value)| (path, Redacted::revealing(value)));
    Ok(Defaulted { object: Some(Redacted::revealing(filled.object)), added: added.collect() })
}
