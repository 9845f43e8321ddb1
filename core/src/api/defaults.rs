//! `defaults`: an object with the defaults of Greenhouse.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::{Diagnostic, Error};
use crate::dialect::greenhouse;
use crate::object::redacted::Redacted;
use crate::value::JsonPath;
use crate::value::MaybeAbsent;
use crate::value::Value;
use crate::workspace::Workspace;
use crate::workspace::admit::request::{AdmissionRequest, Operation, kind_of, operation_of, subresource_of};
use crate::workspace::store::View;
use crate::workspace::subject::Dialect;

/// Adds what Greenhouse's defaulting webhook would add to an object: labels, names, and for a Plugin the options with a
/// default in its definition. Only missing fields are added, so repeating the request adds nothing.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Defaults {
    /// The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it.
    pub request: Value,
}

/// The object with its defaults.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DefaultsAnswer {
    /// The added values; left out if there are none. As `add` operations of a JSON patch, in this order, they turn the
    /// given object into the answer's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<Vec<AddedAnswer>>,
    /// The object to store. If nothing was added, it is the given object with Secrets redacted, and there is nothing to
    /// store.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub object: MaybeAbsent<Redacted>,
}

/// One value that was added.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AddedAnswer {
    /// A JSON pointer into the object.
    pub path: String,
    pub value: Redacted,
}

impl Op for Defaults {
    const NAME: &'static str = "defaults";
    type Answer = DefaultsAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<DefaultsAnswer, Error> {
        let request = &self.request;
        let (group, kind) = kind_of(request)?;
        let view = View { store: &workspace.store, now: None };
        let is_on = view.dialects().any(|it| it.name() == greenhouse::Greenhouse.name());
        let came = request.get("object").filter(|it| !it.is_null()).cloned();
        let unchanged = |object: Option<Value>, is_stored: bool| {
            let object = object.map(|it| Redacted::revealing_if(is_stored, it)).into();
            Ok(DefaultsAnswer { added: None, object })
        };
        // The stored object must be complete. Nothing is ever added to a Secret.
        let has_defaults = greenhouse::has_defaults(&group, &kind);
        if !is_on || !has_defaults || !subresource_of(request)?.is_empty() {
            return unchanged(came, has_defaults);
        }
        if matches!(operation_of(request)?, Operation::Delete | Operation::Connect) {
            return unchanged(came, has_defaults);
        }
        // What the object was does not matter.
        let asked = AdmissionRequest::read(request, Operation::Create, group, kind)?;
        let at = &JsonPath::ROOT.key("request");
        let filled = greenhouse::fill(view, came.unwrap_or_default(), &asked.new, &at.key("object"), out)?;
        let added = filled
            .added
            .into_iter()
            .map(|(path, value)| AddedAnswer { path: path.to_string(), value: Redacted::revealing(value) });
        let added: Vec<AddedAnswer> = added.collect();
        Ok(DefaultsAnswer {
            object: MaybeAbsent(Some(Redacted::revealing(filled.object))),
            added: (!added.is_empty()).then_some(added),
        })
    }
}
