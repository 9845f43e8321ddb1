//! The RFC 6902 operations that turn one value into another.

use crate::engine::patch::{Operation, Verb};
use crate::value::Value;
use crate::value::path::Pointer;

/// The operations that turn `from` into `to`, in the order of their paths.
///
/// Maps change key by key. A list changes element by element if its length stays the same, and is replaced otherwise:
/// operations that shift indices under each other are hard to read and easy to misapply.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::diff::diff, value::json};
///
/// let from = json::parse(r#"{"spec":{"replicas":2,"paused":true}}"#)?;
/// let to = json::parse(r#"{"spec":{"replicas":5}}"#)?;
/// let operations = diff(&from, &to);
/// let operations: Vec<String> = operations.iter().map(|it| format!("{} {}", it.verb.as_str(), it.path)).collect();
/// assert_eq!(operations, ["remove /spec/paused", "replace /spec/replicas"]);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn diff(from: &Value, to: &Value) -> Vec<Operation> {
    let operation = |Edit { verb, path, value }: Edit| Operation::on(verb, path, value.cloned());
    edits(from, to).into_iter().map(operation).collect()
}

/// One place that differs, and what makes it the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit<'a> {
    pub verb: Verb,
    pub path: Pointer,
    /// The value to set; none where it is removed.
    pub value: Option<&'a Value>,
}

/// The same as [`diff`], with the places as pointers.
pub(crate) fn edits<'a>(from: &Value, to: &'a Value) -> Vec<Edit<'a>> {
    let mut edits = Vec::new();
    walk(from, to, &mut Pointer::root(), &mut edits);
    edits
}

fn walk<'a>(from: &Value, to: &'a Value, path: &mut Pointer, out: &mut Vec<Edit<'a>>) {
    if from.ptr_eq(to) {
        return;
    }
    let edit = |verb, path: &Pointer, value| Edit { verb, path: path.clone(), value };
    match (from, to) {
        (Value::Map(old), Value::Map(new)) => {
            // Both are sorted by key: one walk meets all keys of both, in order.
            let (mut olds, mut news) = (old.iter().peekable(), new.iter().peekable());
            while let Some(key) = olds.peek().map(|it| it.0).into_iter().chain(news.peek().map(|it| it.0)).min() {
                let old = olds.next_if(|it| it.0 == key).map(|it| it.1);
                let new = news.next_if(|it| it.0 == key).map(|it| it.1);
                if let (Some(old), Some(new)) = (old, new)
                    && old.ptr_eq(new)
                {
                    continue;
                }
                path.push(key.clone());
                match (old, new) {
                    (Some(old), Some(new)) => walk(old, new, path, out),
                    (Some(_), None) => out.push(edit(Verb::Remove, path, None)),
                    (None, new) => out.push(edit(Verb::Add, path, new)),
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
        (from, to) if from == to => {}
        _ => out.push(edit(Verb::Replace, path, Some(to))),
    }
}
