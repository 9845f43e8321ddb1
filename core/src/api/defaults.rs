//! `defaults`: an object with the defaults of Greenhouse.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::{Diagnostic, Error};
use crate::object::redacted::Redacted;
use crate::value::{MaybeAbsent, Value};
use crate::workspace::Workspace;
use crate::workspace::admit::defaults::{Defaulted, defaults};

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
        let Defaulted { object, added } = defaults(workspace, &self.request, out)?;
        let added: Vec<AddedAnswer> =
            added.into_iter().map(|(path, value)| AddedAnswer { path: path.to_string(), value }).collect();
        Ok(DefaultsAnswer { added: (!added.is_empty()).then_some(added), object: object.into() })
    }
}
