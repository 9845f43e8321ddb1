//! The fields in which two steps for the same object differ.

use std::collections::{BTreeMap, BTreeSet};

use fleetfold_core::Value;
use fleetfold_core::api::patch::OperationAnswer;
use fleetfold_core::api::plan::{ActionAnswer, StatusAnswer, TargetAnswer};
use fleetfold_core::value::Text;
use fleetfold_core::value::path::Pointer;

use super::Field;

/// The fields in which two actions on the same object differ.
pub fn of_actions(old: &ActionAnswer, new: &ActionAnswer) -> Vec<Field> {
    let mut fields = Vec::new();
    let text = |it: &Text| Value::Text(it.clone());
    if old.verb != new.verb {
        fields.push(Field::new("verb", Some(text(&old.verb)), Some(text(&new.verb))));
    }
    if old.wave != new.wave {
        fields.push(Field::new("wave", Some(old.wave), Some(new.wave)));
    }
    let held = |it: &ActionAnswer| it.held.as_ref().map(|it| text(&it.code));
    if held(old) != held(new) {
        fields.push(Field::new("held", held(old), held(new)));
    }
    version(&old.target, &new.target, &mut fields);
    // A body and a patch cannot be compared.
    if old.verb != new.verb {
        return fields;
    }
    let before = fields.len();
    walk(&mut Pointer::root(), old.body.0.as_deref(), new.body.0.as_deref(), &mut fields);
    patches(old.patch.as_deref().unwrap_or_default(), new.patch.as_deref().unwrap_or_default(), &mut fields);
    if fields.len() == before && old.id != new.id && old.target == new.target {
        fields.push(Field::new("id", Some(old.id.as_str()), Some(new.id.as_str())));
    }
    fields
}

/// The fields in which two statuses of the same object differ.
pub fn of_statuses(old: &StatusAnswer, new: &StatusAnswer) -> Vec<Field> {
    let mut fields = Vec::new();
    version(&old.target, &new.target, &mut fields);
    walk(&mut Pointer::of(["status"]), Some(&old.status), Some(&new.status), &mut fields);
    fields
}

fn version(old: &TargetAnswer, new: &TargetAnswer, out: &mut Vec<Field>) {
    if old.api_version != new.api_version {
        out.push(Field::new("apiVersion", Some(old.api_version.clone()), Some(new.api_version.clone())));
    }
}

/// Compares maps key by key, and lists index by index after the common prefix and suffix are removed: otherwise an
/// inserted element would make all later ones differ.
fn walk(path: &mut Pointer, old: Option<&Value>, new: Option<&Value>, out: &mut Vec<Field>) {
    match (old, new) {
        (Some(Value::Map(old)), Some(Value::Map(new))) => {
            for key in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
                path.push(key.clone());
                walk(path, old.get(key), new.get(key), out);
                path.pop();
            }
        }
        (Some(Value::List(old)), Some(Value::List(new))) => {
            let shorter = old.len().min(new.len());
            let begin = old.iter().zip(new.iter()).take_while(|(old, new)| old == new).count();
            let ends = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new);
            let end = ends.take(shorter - begin).count();
            let (old, new) = (old.get(..old.len() - end), new.get(..new.len() - end));
            let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
            for index in begin..old.len().max(new.len()) {
                path.push(index.to_string());
                walk(path, old.get(index), new.get(index), out);
                path.pop();
            }
        }
        _ if old == new => {}
        _ => out.push(Field::new(&path.to_string(), old.cloned(), new.cloned())),
    }
}

/// Compares patches by path. With equal operations at a path, the values are compared like bodies; otherwise the
/// operations differ.
fn patches(old: &[OperationAnswer], new: &[OperationAnswer], out: &mut Vec<Field>) {
    let (old, new) = (by_path(old), by_path(new));
    for path in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        let (old, new) = (old.get(path).map_or(&[][..], Vec::as_slice), new.get(path).map_or(&[][..], Vec::as_slice));
        if let ([old], [new]) = (old, new)
            && old.op == new.op
            && let Ok(mut place) = Pointer::parse(path)
        {
            walk(&mut place, old.value.0.as_deref(), new.value.0.as_deref(), out);
        } else if old != new {
            out.push(Field { place: (*path).to_owned(), old: without_path(old), new: without_path(new) });
        }
    }
}

fn by_path(patch: &[OperationAnswer]) -> BTreeMap<&str, Vec<&OperationAnswer>> {
    let mut paths: BTreeMap<&str, Vec<&OperationAnswer>> = BTreeMap::new();
    for operation in patch {
        paths.entry(&operation.path).or_default().push(operation);
    }
    paths
}

/// The operations at one path, without it.
fn without_path(operations: &[&OperationAnswer]) -> Option<Value> {
    let shown = |it: &&OperationAnswer| {
        let value = it.value.0.as_ref().map(|value| ("value", Value::clone(value)));
        Value::map([("op", it.op.as_str().into())].into_iter().chain(value))
    };
    match operations {
        [] => None,
        [one] => Some(shown(one)),
        many => Some(Value::list(many.iter().map(shown))),
    }
}
