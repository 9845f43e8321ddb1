//! The comparisons of the cert-manager deployment operator and of KubeFed, bug for bug.

use super::{Difference, DifferenceKind};
use crate::diagnostic::{Code, Error};
use crate::value::path::Pointer;
use crate::value::sorting::sort;
use crate::value::{Map, Number, Value};

/// Where the matcher of the cert-manager deployment operator (seed 004) finds that `live` does not match `desired`.
///
/// | desired | rule of the operator |
/// |---|---|
/// | null | matches anything |
/// | a scalar at the very top | never matches |
/// | numbers | compared as doubles |
/// | a list of strings or of numbers | order does not count |
/// | a list of maps or of lists | element by element |
/// | a list of booleans, or one that starts with null | never matches |
///
/// # Errors
///
/// The operator crashes on a list that mixes strings or numbers with anything else, so there is no result to reproduce.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::matching::{differences, matches_operator}, value::json};
///
/// let desired = json::parse(r#"{"args":["--v=2","--leader-elect"]}"#)?;
/// let live = json::parse(r#"{"args":["--leader-elect","--v=2"]}"#)?;
/// assert!(matches_operator(&desired, &live)?.is_empty(), "the operator ignores the order of arguments");
/// assert!(!differences(&desired, &live, None).is_empty());
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn matches_operator(desired: &Value, live: &Value) -> Result<Vec<Difference>, Error> {
    let mut found = Vec::new();
    match desired {
        Value::Null => {}
        Value::Map(_) | Value::List(_) => {
            refuse_mixed(desired, live)?;
            compare(desired, live, &mut Pointer::root(), &mut found);
        }
        _ => found.push(changed(&Pointer::root(), desired, live)),
    }
    Ok(found)
}

/// Whether KubeFed would leave an object alone: it compares the recorded version, and does not read the body.
///
/// 1. With a generation (`gen:3`), the record must be the live one, and labels and annotations must be equal.
/// 2. Without one (`rv:9`), the record alone decides.
///
/// # Example
///
/// ```
/// use fleetfold_core::{engine::matching::matches_kubefed, value::json};
///
/// let desired = json::parse(r#"{"metadata":{"name":"web"},"spec":{"replicas":2}}"#)?;
/// let live = json::parse(r#"{"metadata":{"name":"web","generation":3},"spec":{"replicas":5}}"#)?;
/// assert!(matches_kubefed(&desired, &live, "gen:3").is_empty(), "KubeFed does not compare the replicas");
/// assert_eq!(matches_kubefed(&desired, &live, "gen:2")[0].path.to_string(), "/metadata/generation");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn matches_kubefed(desired: &Value, live: &Value, recorded: &str) -> Vec<Difference> {
    let metadata = |object: &Value, field: &str| object.at(&["metadata", field]).cloned().unwrap_or_default();
    let generation = metadata(live, "generation");
    let version = match generation.as_int() {
        Some(generation) if generation != 0 => format!("gen:{generation}"),
        _ => format!("rv:{}", live.text_at(&["metadata", "resourceVersion"])),
    };
    let at = |path: &str| Pointer::of(["metadata", path]);
    let mut found = Vec::new();
    if recorded != version {
        let field = if version.starts_with("gen:") { "generation" } else { "resourceVersion" };
        found.push(changed(&at(field), &recorded.into(), &version.clone().into()));
    }
    if version.starts_with("gen:") {
        for field in ["annotations", "labels", "name", "namespace"] {
            let (wanted, kept) = (metadata(desired, field), metadata(live, field));
            if wanted != kept && !(wanted.is_empty() && kept.is_empty()) {
                found.push(changed(&at(field), &wanted, &kept));
            }
        }
    }
    found
}

/// Merges desired into live as the cert-manager deployment operator does: zero values are not written, and lists are
/// replaced.
pub fn merge(desired: &Value, live: Option<&Value>) -> Value {
    match (desired, live) {
        (Value::Map(wanted), Some(Value::Map(found))) => {
            let mut merged: Map = (**found).clone();
            for (key, value) in wanted.iter().filter(|(_, value)| !is_zero(value)) {
                merged.insert(key.clone(), merge(value, found.get(key)));
            }
            merged.into()
        }
        (desired, Some(live)) if is_zero(desired) => live.clone(),
        _ => desired.clone(),
    }
}

fn is_zero(value: &Value) -> bool {
    value.is_empty() || *value == Value::Bool(false) || value.as_int() == Some(0)
}

fn compare(desired: &Value, live: &Value, path: &mut Pointer, out: &mut Vec<Difference>) {
    match (desired, live) {
        (Value::Null, _) => {}
        (Value::Map(wanted), Value::Map(found)) => {
            for (key, value) in wanted.iter().filter(|(_, value)| !value.is_null()) {
                path.push(key.clone());
                match found.get(key) {
                    Some(kept) => compare(value, kept, path, out),
                    None => out.push(Difference {
                        path: path.clone(),
                        kind: DifferenceKind::Missing,
                        desired: Some(value.clone()),
                        live: None,
                    }),
                }
                path.pop();
            }
        }
        (Value::List(wanted), Value::List(found)) => {
            if wanted.len() != found.len() {
                return out.push(changed(path, desired, live));
            }
            match wanted.first() {
                None => {}
                Some(Value::Text(_) | Value::Number(_)) if same_elements(wanted, found) => {}
                Some(Value::Map(_) | Value::List(_)) => {
                    for (index, (item, kept)) in wanted.iter().zip(found.iter()).enumerate() {
                        path.push(index.to_string());
                        compare(item, kept, path, out);
                        path.pop();
                    }
                }
                _ => out.push(changed(path, desired, live)),
            }
        }
        _ if same_scalar(desired, live) => {}
        _ => out.push(changed(path, desired, live)),
    }
}

fn changed(path: &Pointer, desired: &Value, live: &Value) -> Difference {
    let kind = DifferenceKind::Changed;
    Difference { path: path.clone(), kind, desired: Some(desired.clone()), live: Some(live.clone()) }
}

fn same_elements(wanted: &[Value], found: &[Value]) -> bool {
    let sorted = |list: &[Value]| {
        let mut texts: Vec<String> = list.iter().map(as_compared).collect();
        sort(&mut texts);
        texts
    };
    sorted(wanted) == sorted(found)
}

/// A text that two values share exactly if [`same_scalar`] holds for them. Adding zero makes -0 and 0 the same.
fn as_compared(value: &Value) -> String {
    match value {
        Value::Number(Number::Int(int)) => (*int as f64 + 0.0).to_bits().to_string(),
        Value::Number(Number::Double(double)) => (double + 0.0).to_bits().to_string(),
        other => other.to_canonical(),
    }
}

fn same_scalar(a: &Value, b: &Value) -> bool {
    let double = |number: &Number| match number {
        Number::Int(int) => *int as f64,
        Number::Double(double) => *double,
    };
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => double(a) == double(b),
        _ => a == b,
    }
}

/// Finds the lists on which the operator crashes: those that begin with a string or a number and also have other
/// elements.
fn refuse_mixed(desired: &Value, live: &Value) -> Result<(), Error> {
    match (desired, live) {
        (Value::Map(wanted), Value::Map(found)) => {
            for (key, value) in wanted.iter() {
                if let Some(kept) = found.get(key) {
                    refuse_mixed(value, kept)?;
                }
            }
            Ok(())
        }
        (Value::List(wanted), Value::List(found)) if wanted.len() == found.len() => match wanted.first() {
            Some(first @ (Value::Text(_) | Value::Number(_))) => {
                let alike = |it: &Value| std::mem::discriminant(it) == std::mem::discriminant(first);
                if wanted.iter().chain(found.iter()).all(alike) {
                    return Ok(());
                }
                let message =
                    "the cert-manager operator fails on a list that mixes strings or numbers with other values";
                Err(Error::new(Code::NotComparable, message).hint("leave out `mode` for the strict answer"))
            }
            Some(Value::Map(_) | Value::List(_)) => {
                wanted.iter().zip(found.iter()).try_for_each(|(item, kept)| refuse_mixed(item, kept))
            }
            // It never matches, so the operator does not read its elements.
            Some(Value::Bool(_) | Value::Null) | None => Ok(()),
        },
        _ => Ok(()),
    }
}
