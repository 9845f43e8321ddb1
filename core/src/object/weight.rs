//! How large a value is, for limits of what a request may cost.

use crate::value::Value;

/// About how many bytes a value takes when written: the same on every machine.
///
/// ```
/// use fleetfold_core::object::weight;
///
/// assert_eq!(weight(&"four".into()), 6);
/// ```
pub fn weight(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len() + 2,
        Value::List(items) => items.iter().map(weight).sum::<usize>() + 2,
        Value::Map(map) => map.iter().map(|(key, value)| key.len() + 4 + weight(value)).sum::<usize>() + 2,
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

/// How many lists and maps lie in each other at most.
///
/// ```
/// use fleetfold_core::{object::depth, value::json};
///
/// assert_eq!(depth(&json::parse(r#"{"a":[1]}"#)?), 2);
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn depth(value: &Value) -> usize {
    let deepest = match value {
        Value::List(items) => items.iter().map(depth).max(),
        Value::Map(map) => map.iter().map(|(_, value)| depth(value)).max(),
        _ => return 0,
    };
    deepest.unwrap_or(0) + 1
}
