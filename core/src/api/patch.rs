//! `patch`: per-cluster overrides as RFC 6902 operations.

use serde::{Deserialize, Serialize};

use super::Op;
use crate::diagnostic::Mode;
use crate::diagnostic::{Code, Diagnostic, Error};
use crate::engine::patch;
use crate::engine::patch::{Step, Verb};
use crate::object::redacted::{Redacted, Visibility};
use crate::object::secrets;
use crate::value::MaybeAbsent;
use crate::value::index_text;
use crate::value::path::Pointer;
use crate::value::{Text, Value};
use crate::workspace::Workspace;

/// Applies operations to an object, all or nothing.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Patch {
    /// The object to change.
    pub object: Value,
    /// The operations, in order.
    pub patch: Vec<PatchOperation>,
    /// `compat`: the answer of KubeFed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// One operation of RFC 6902.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchOperation {
    /// What to do; `replace` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<Verb>,
    /// Where, as a JSON pointer.
    pub path: Text,
    /// Where `move` and `copy` take the value from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Text>,
    /// The value of `add`, `replace` and `test`.
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Value>,
}

/// The patched object.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchAnswer {
    pub object: Redacted,
}

impl Op for Patch {
    const NAME: &'static str = "patch";
    type Answer = PatchAnswer;

    fn answer(self, _: &mut Workspace, out: &mut Vec<Diagnostic>) -> Result<PatchAnswer, Error> {
        let operations: Vec<_> = self.patch.into_iter().map(PatchOperation::into_operation).collect();
        let mode = self.mode.unwrap_or_default();
        let exposing = operations.iter().any(may_expose).then(|| self.object.clone());
        let object = patch::patch(self.object, &operations, mode, out)?;
        let object = exposing.map_or(Ok(object), |before| covered(before, &operations, mode))?;
        Ok(PatchAnswer { object: object.into() })
    }
}

/// Whether an operation can bring what a Secret holds to a place where it would be shown: by taking it there, or by making
/// the Secret another kind.
fn may_expose(operation: &patch::Operation) -> bool {
    operation.from.is_some() || operation.path.ends_with("/kind")
}

/// What the operations of one patch may make redaction go through, about in bytes.
pub const MAX_REDACTED: usize = 64 * 1024 * 1024;

/// The patched object as it may be shown. What a step takes elsewhere is redacted before, by where it is, and so is an object
/// before a step that changes its kind: no step can take what a Secret holds to a place where it would be shown. Tests have
/// passed on the real values.
fn covered(mut object: Value, operations: &[patch::Operation], mode: Mode) -> Result<Value, Error> {
    let mut left = MAX_REDACTED;
    for (index, operation) in operations.iter().enumerate().filter(|(_, it)| it.verb != Verb::Test) {
        let step = Step::read(operation, mode)?;
        for place in exposed(&step) {
            left = left.checked_sub(secrets::cover_at(&mut object, &place)).ok_or_else(|| {
                let message = format!("the operations up to here copy, move or retype more than {} MiB", MAX_REDACTED >> 20);
                let hint = "send the patch in parts, or replace a map in one operation";
                Error::new(Code::TooLarge, message).at(["patch", &index_text(index)]).hint(hint)
            })?;
        }
        object = patch::patch(object, std::slice::from_ref(operation), mode, &mut Vec::new())?;
    }
    Ok(object)
}

/// The places that a step takes values from, and the objects whose kind it changes.
fn exposed(step: &Step) -> Vec<Pointer> {
    let places = step.from().into_iter().chain([step.path()]);
    let retyped = places.filter_map(Pointer::split_last).filter(|(_, last)| *last == "kind").map(|(object, _)| object);
    step.from().cloned().into_iter().chain(retyped).collect()
}

impl PatchOperation {
    fn into_operation(self) -> patch::Operation {
        let verb = self.op.unwrap_or_default();
        patch::Operation { from: self.from, ..patch::Operation::written(verb, self.path, self.value.0) }
    }
}

/// One operation of RFC 6902.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperationAnswer {
    pub op: Verb,
    pub path: Text,
    #[serde(default, skip_serializing_if = "MaybeAbsent::is_absent")]
    pub value: MaybeAbsent<Redacted>,
}

impl OperationAnswer {
    /// Operations that the engine made. What Secrets hold is not shown: that it changes is.
    pub fn list(operations: Vec<patch::Operation>, visibility: Visibility) -> Vec<OperationAnswer> {
        let answer = |it: patch::Operation| {
            let patch::Operation { verb, path, value, place, .. } = it;
            let value = value.map(|value| visibility.show(value, &place.unwrap_or_default())).into();
            OperationAnswer { op: verb, path, value }
        };
        operations.into_iter().map(answer).collect()
    }
}
