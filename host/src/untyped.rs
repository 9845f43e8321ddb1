//! What `command` and `render` still hand over as values. Merge: delete this file.

use fleetfold_core::Value;
use fleetfold_core::api::admit::AdmitLimits;
use fleetfold_core::api::configure::Configure;
use fleetfold_core::api::plan::{PlanAnswer, Precondition};
use fleetfold_core::diagnostic::read;
use fleetfold_core::value::canonical::to_text_as_declared;
use fleetfold_core::value::json;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::target::Target;

/// A part of a request or an answer, as a type or as a value.
pub trait Typed<T> {
    fn typed(self) -> T;
}

impl Typed<Configure> for Configure {
    fn typed(self) -> Configure {
        self
    }
}

impl Typed<AdmitLimits> for AdmitLimits {
    fn typed(self) -> AdmitLimits {
        self
    }
}

impl Typed<PlanAnswer> for &PlanAnswer {
    fn typed(self) -> PlanAnswer {
        self.clone()
    }
}

impl Typed<Option<Precondition>> for Option<&Precondition> {
    fn typed(self) -> Option<Precondition> {
        self.cloned()
    }
}

impl<T: DeserializeOwned> Typed<T> for Value {
    fn typed(self) -> T {
        read::from_value_ignoring_unknown(complete(self)).expect("the host writes what the contract says")
    }
}

impl<T: DeserializeOwned> Typed<T> for &Value {
    fn typed(self) -> T {
        self.clone().typed()
    }
}

/// Adds what tests leave out of plans.
fn complete(mut plan: Value) -> Value {
    for part in ["actions", "held"] {
        for action in plan.get_mut(part).and_then(Value::as_list_mut).into_iter().flatten() {
            let Some(fields) = action.as_map_mut() else { continue };
            let reason = || Value::map([("code", ""), ("text", "")]);
            for (key, value) in [("id", "".into()), ("wave", 0_i64.into()), ("reason", reason())] {
                fields.entry_or(key, || value);
            }
            if let Some(held) = fields.get_mut("held").and_then(Value::as_map_mut) {
                for key in ["hint", "text"] {
                    held.entry_or(key, || "".into());
                }
            }
        }
    }
    plan
}

pub fn to_value(it: &impl Serialize) -> Value {
    json::parse_answer(&to_text_as_declared(it).unwrap_or_default()).unwrap_or_default()
}

/// The target of a difference.
pub(crate) fn target(value: &Value) -> Target {
    let part = |key| value.text_at(&[key]).to_owned();
    Target { api_version: part("apiVersion"), kind: part("kind"), namespace: part("namespace"), name: part("name") }
}
