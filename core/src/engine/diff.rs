//! The RFC 6902 operations that turn one value into another.

use crate::engine::patch::{Operation, Verb};
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::{Text, Value};

/// The operations that turn `from` into `to`, in the order of their paths.
///
/// Maps change key by key. A list changes element by element while its length stays, and is replaced whole otherwise:
/// operations that shift indices under each other are hard to read and easy to misapply.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::diff::diff, value::json};
///
/// let from = json::parse(r#"{"spec":{"replicas":2,"paused":true}}"#)?;
/// let to = json::parse(r#"{"spec":{"replicas":5}}"#)?;
/// let operations: Vec<String> = diff(&from, &to).iter().map(|it| format!("{} {}", it.verb.as_str(), it.path)).collect();
/// assert_eq!(operations, ["remove /spec/paused", "replace /spec/replicas"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn diff(from: &Value, to: &Value) -> Vec<Operation> {
    let mut operations = Vec::new();
    walk(from, to, &mut Pointer::root(), &mut operations);
    operations
}

fn walk(from: &Value, to: &Value, path: &mut Pointer, out: &mut Vec<Operation>) {
    if from.ptr_eq(to) || from == to {
        return;
    }
    match (from, to) {
        (Value::Map(old), Value::Map(new)) => {
            let mut keys: Vec<&Text> = old.keys().chain(new.keys()).collect();
            sort(&mut keys);
            keys.dedup();
            for key in keys {
                path.push(key.clone());
                match (old.get(key), new.get(key)) {
                    (Some(old), Some(new)) => walk(old, new, path, out),
                    (Some(_), None) => out.push(operation(Verb::Remove, path, None)),
                    (None, new) => out.push(operation(Verb::Add, path, new)),
                }
                path.pop();
            }
        }
        (Value::List(old), Value::List(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new.iter()).enumerate() {
                path.push(index.to_string());
                walk(old, new, path, out);
                path.pop();
            }
        }
        _ => out.push(operation(Verb::Replace, path, Some(to))),
    }
}

fn operation(verb: Verb, path: &Pointer, value: Option<&Value>) -> Operation {
    Operation { verb, path: path.to_string().into(), from: None, value: value.cloned() }
}
