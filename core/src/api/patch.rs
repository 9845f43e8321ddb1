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
    /// The place, as a JSON pointer.
    pub path: Text,
    /// The source of `move` and `copy`.
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
        let object = exposing.map_or(Ok(object), |before| redacted(before, &operations, mode))?;
        Ok(PatchAnswer { object: object.into() })
    }
}

/// Whether an operation can move the contents of a Secret to a place that is not redacted: by copying them there, or by
/// changing the kind of the Secret.
fn may_expose(operation: &patch::Operation) -> bool {
    operation.from.is_some() || operation.path.ends_with("/kind")
}

/// The limit of redaction for the operations of one patch, roughly in bytes.
pub const MAX_REDACTED: usize = 64 * 1024 * 1024;

/// The patched object, redacted. The source of a `move` or `copy` is redacted before the step, and so is an object
/// before a step that changes its kind: no step can move the contents of a Secret to a place that is not redacted.
/// `test` operations have run on the real values.
fn redacted(mut object: Value, operations: &[patch::Operation], mode: Mode) -> Result<Value, Error> {
    let mut left = MAX_REDACTED;
    for (index, operation) in operations.iter().enumerate().filter(|(_, it)| it.verb != Verb::Test) {
        let step = Step::read(operation, mode)?;
        for place in exposed(&step) {
            left = left.checked_sub(secrets::redact_at(&mut object, &place)).ok_or_else(|| {
                let message =
                    format!("the operations up to here copy, move or retype more than {} MiB", MAX_REDACTED >> 20);
                let hint = "send the patch in parts, or replace a map in one operation";
                Error::new(Code::TooLarge, message).at(["patch", &index_text(index)]).hint(hint)
            })?;
        }
        object = patch::patch(object, std::slice::from_ref(operation), mode, &mut Vec::new())?;
    }
    Ok(object)
}

/// The places that a step reads values from, and the objects whose kind it changes.
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
    /// Operations of the engine. The contents of Secrets are redacted; that they change is shown.
    pub fn list(operations: Vec<patch::Operation>, visibility: Visibility) -> Vec<OperationAnswer> {
        let answer = |it: patch::Operation| {
            let patch::Operation { verb, path, value, place, .. } = it;
            let value = value.map(|value| visibility.show(value, &place.unwrap_or_default())).into();
            OperationAnswer { op: verb, path, value }
        };
        operations.into_iter().map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    const OBJECT: &str = r#"{
        "a": {"kind": "Secret", "data": {"k": "hidden-1"},
            "metadata": {"annotations": {"x": "{\"data\":\"hidden-2\"}"}}},
        "l": {"kind": "SecretList", "items": [{"data": {"k": "hidden-3"}}, {"data": {"k": "hidden-4"}}]},
        "f": {"kind": "FederatedSecret", "spec": {"template": {"data": {"k": "hidden-5"}},
            "overrides": [{"value": "hidden-6"}]}},
        "m": {"kind": "ConfigMap", "data": {"k": "shown", "s": "kind: Secret\ndata: {k: hidden-7}\n"}},
        "free": {}
    }"#;

    const PLACES: &[&str] = &[
        "/a",
        "/a/data",
        "/a/data/k",
        "/a/kind",
        "/a/metadata",
        "/a/metadata/annotations",
        "/a/metadata/annotations/x",
        "/l",
        "/l/items",
        "/l/items/0",
        "/l/items/1",
        "/l/items/0/data",
        "/l/items/1/data/k",
        "/l/kind",
        "/f/kind",
        "/f",
        "/f/spec",
        "/f/spec/template",
        "/f/spec/template/data/k",
        "/f/spec/overrides",
        "/f/spec/overrides/0/value",
        "/m/data/s",
        "/m/data/k",
        "/m/kind",
        "/m/data",
        "/free",
        "/free/x",
        "/free/y",
        "/free/kind",
        "/free/data",
        "/free/x/kind",
        "/free/x/data",
    ];

    /// Every Secret is redacted before every step: slow, and obviously correct.
    fn fully_redacted(object: Value, operations: &[patch::Operation]) -> Result<Value, Error> {
        operations.iter().try_fold(object, |mut object, step| {
            secrets::redact(&mut object);
            patch::patch(object, std::slice::from_ref(step), Mode::Strict, &mut Vec::new())
        })
    }

    #[test]
    fn what_a_step_takes_elsewhere_is_redacted_as_if_all_were() {
        let mut state = 11_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % below
        };
        let object = json::parse(OBJECT).unwrap();
        let mut applied = 0;
        for _ in 0..20_000 {
            let operations: Vec<patch::Operation> = (0..4)
                .map(|_| {
                    let verb = [Verb::Move, Verb::Copy, Verb::Add, Verb::Replace, Verb::Remove][next(5)];
                    let (path, from) = (PLACES[next(PLACES.len())], PLACES[next(PLACES.len())]);
                    let kind = ["Secret", "ConfigMap", "SecretList", "FederatedSecret"][next(4)];
                    let value = if path.ends_with("kind") { kind.into() } else { Value::map([("kind", kind)]) };
                    let takes = matches!(verb, Verb::Move | Verb::Copy);
                    patch::Operation {
                        from: takes.then(|| from.into()),
                        ..patch::Operation::written(verb, path, Some(value))
                    }
                })
                .collect();
            let Ok(patched) = patch::patch(object.clone(), &operations, Mode::Strict, &mut Vec::new()) else {
                continue;
            };
            applied += 1;
            let exposing = operations.iter().any(may_expose).then(|| object.clone());
            let shown = exposing.map_or(Ok(patched), |before| redacted(before, &operations, Mode::Strict)).unwrap();
            let shown = serde_json_of(shown);
            assert!(!shown.contains("hidden"), "{operations:?}: {shown}");
            if let Ok(wholly) = fully_redacted(object.clone(), &operations) {
                assert_eq!(shown, serde_json_of(wholly), "{operations:?}");
            }
        }
        assert!(applied > 1_000, "{applied}");
    }

    fn serde_json_of(object: Value) -> String {
        let mut object = object;
        secrets::redact(&mut object);
        object.to_canonical()
    }
}
