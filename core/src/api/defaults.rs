//! `defaults`: an object with what Greenhouse's own defaulting would add to it.

use super::WorkspaceOperation;
use super::null::Explicit;
use crate::diagnostic::{Diagnostic, Error};
use crate::dialect::greenhouse;
use crate::record;
use crate::value::JsonPath;
use crate::value::Value;
use crate::workspace::Workspace;
use crate::workspace::admit::request::{AdmissionRequest, Operation, kind_of, operation_of, subresource_of};
use crate::workspace::store::View;
use crate::workspace::subject::Dialect;

record! {
    request
    /// What would Greenhouse's own defaulting add to this object, with what is loaded? Labels, names, and to a Plugin the options
    /// that its definition has defaults for. Only what is missing is added, so that asking again adds nothing.
    pub struct Defaults {
        /// The `request` of an AdmissionReview of `admission.k8s.io/v1`, as the API server sends it.
        request "request": Value,
    }
}

record! {
    answer
    /// The object with what was added.
    pub struct DefaultsAnswer {
        /// As it should be stored. Where nothing was added it is what came, with Secrets masked: there is nothing to store then.
        object "object": Option<Value>,
        /// What was added; left out where nothing was. Taken as `add` of a JSON patch, in this order, it makes the object of what came.
        added "added": Option<Vec<AddedAnswer>>,
    }
}

record! {
    answer
    /// One value that was added.
    pub struct AddedAnswer {
        /// A JSON pointer into the object.
        path "path": String,
        value "value": Explicit,
    }
}

impl WorkspaceOperation for Defaults {
    const NAME: &'static str = "defaults";
    type Answer = DefaultsAnswer;

    fn answer(self, workspace: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<DefaultsAnswer, Error> {
        let request = &self.request;
        let (group, kind) = kind_of(request)?;
        let view = View { store: &workspace.store, now: None };
        let is_on = view.dialects().any(|it| it.name() == greenhouse::Greenhouse.name());
        let came = request.get("object").filter(|it| !it.is_null()).cloned();
        let unchanged = |object: Option<Value>| Ok(DefaultsAnswer { object, added: None });
        if !is_on || !greenhouse::has_defaults(&group, &kind) || !subresource_of(request)?.is_empty() {
            return unchanged(came);
        }
        if matches!(operation_of(request)?, Operation::Delete | Operation::Connect) {
            return unchanged(came);
        }
        // What the object was does not matter.
        let asked = AdmissionRequest::read(request, Operation::Create, group, kind)?;
        let at = &JsonPath::ROOT.key("request");
        let filled = greenhouse::fill(view, came.unwrap_or_default(), &asked.new, &at.key("object"), out)?;
        let added = filled
            .added
            .into_iter()
            .map(|(path, value)| AddedAnswer { path: path.to_string(), value: Explicit(value) });
        let added: Vec<AddedAnswer> = added.collect();
        Ok(DefaultsAnswer { object: Some(filled.object), added: (!added.is_empty()).then_some(added) })
    }

    /// What is stored must be whole. A Secret is no object that anything is added to.
    fn reveals(&self) -> bool {
        kind_of(&self.request).is_ok_and(|(group, kind)| greenhouse::has_defaults(&group, &kind))
    }
}
