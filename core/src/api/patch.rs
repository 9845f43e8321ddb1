//! `patch`: per-cluster overrides as RFC 6902 operations.

use super::Operation;
use super::null::{Explicit, Given};
use crate::diagnostic::Mode;
use crate::diagnostic::{Diagnostic, Error};
use crate::engine::patch;
use crate::engine::patch::Verb;
use crate::object::secrets;
use crate::record;
use crate::value::path::Pointer;
use crate::value::{Text, Value};

record! {
    request
    /// Applies operations to an object, all or nothing.
    pub struct Patch {
        /// The object to change.
        object "object": Value,
        /// The operations, in order.
        patch "patch": Vec<PatchOperation>,
        /// `compat`: the answer of KubeFed.
        mode "mode": Option<Mode>,
    }
}

record! {
    request
    /// One operation of RFC 6902.
    pub struct PatchOperation {
        /// What to do; `replace` when left out.
        op "op": Option<Verb>,
        /// Where, as a JSON pointer.
        path "path": Text,
        /// Where `move` and `copy` take the value from.
        from "from": Option<Text>,
        /// The value of `add`, `replace` and `test`.
        value "value": Given,
    }
}

record! {
    answer
    /// The patched object.
    pub struct PatchAnswer {
        object "object": Value,
    }
}

impl Operation for Patch {
    const NAME: &'static str = "patch";
    type Answer = PatchAnswer;

    fn answer(self, out: &mut Vec<Diagnostic>) -> Result<PatchAnswer, Error> {
        let operations: Vec<_> = self.patch.into_iter().map(PatchOperation::into_operation).collect();
        let mode = self.mode.unwrap_or_default();
        let exposing = operations.iter().any(may_expose).then(|| self.object.clone());
        let object = patch::patch(self.object, &operations, mode, out)?;
        Ok(PatchAnswer { object: exposing.map_or(Ok(object), |before| covered(before, &operations, mode))? })
    }
}

/// Whether an operation can bring what a Secret holds to a place where it would be shown: by taking it there, or by making
/// the Secret another kind.
fn may_expose(operation: &patch::Operation) -> bool {
    operation.from.is_some() || operation.path.ends_with("/kind")
}

/// The patched object as it may be shown: what Secrets hold is replaced before every step, so that no step can take it
/// elsewhere. Tests have passed on the real values.
fn covered(object: Value, operations: &[patch::Operation], mode: Mode) -> Result<Value, Error> {
    let steps = operations.iter().filter(|it| it.verb != Verb::Test);
    steps.map(std::slice::from_ref).try_fold(object, |mut object, step| {
        secrets::cover(&mut object);
        patch::patch(object, step, mode, &mut Vec::new())
    })
}

impl PatchOperation {
    fn into_operation(self) -> patch::Operation {
        let verb = self.op.unwrap_or_default();
        patch::Operation { verb, path: self.path, from: self.from, value: self.value.0 }
    }
}

record! {
    answer
    /// One operation of RFC 6902.
    pub struct OperationAnswer {
        op "op": Verb,
        path "path": Text,
        value "value": Option<Explicit>,
    }
}

impl OperationAnswer {
    /// The operations on an object. What Secrets in `objects` hold is not shown: that it changes is.
    pub fn list(operations: Vec<patch::Operation>, objects: &[&Value]) -> Vec<OperationAnswer> {
        let hidden = |path: &str| secrets::is_hidden(objects, &Pointer::parse(path).unwrap_or_default());
        operations
            .into_iter()
            .map(|it| (hidden(&it.path), it))
            .map(|(hidden, it)| OperationAnswer::new(it, hidden))
            .collect()
    }

    pub fn new(operation: patch::Operation, hidden: bool) -> OperationAnswer {
        let show = |value| Explicit(if hidden { secrets::MASK.into() } else { value });
        OperationAnswer { op: operation.verb, path: operation.path, value: operation.value.map(show) }
    }
}
