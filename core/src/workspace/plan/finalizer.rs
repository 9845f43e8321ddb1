//! Finalizers: names on an object that keep it from going until somebody takes them off.

use crate::engine::diff::diff;
use crate::engine::patch::Operation;
use crate::value::Value;

pub fn has_finalizer(live: &Value, name: &str) -> bool {
    finalizers(live).any(|it| it.as_text() == Some(name))
}

/// The operations that put a finalizer on.
pub fn with_finalizer(live: &Value, name: &str) -> Vec<Operation> {
    set(live, finalizers(live).cloned().chain([name.into()]).collect())
}

/// The operations that take a finalizer off.
pub fn without_finalizer(live: &Value, name: &str) -> Vec<Operation> {
    set(live, finalizers(live).filter(|it| it.as_text() != Some(name)).cloned().collect())
}

fn finalizers(live: &Value) -> impl Iterator<Item = &Value> {
    live.at(&["metadata", "finalizers"]).and_then(Value::as_list).into_iter().flatten()
}

fn set(live: &Value, finalizers: Vec<Value>) -> Vec<Operation> {
    let mut changed = live.clone();
    if let Some(metadata) = changed.get_mut("metadata").and_then(Value::as_map_mut) {
        match finalizers.is_empty() {
            true => metadata.remove("finalizers"),
            false => metadata.insert("finalizers", finalizers),
        };
    }
    diff(live, &changed)
}
