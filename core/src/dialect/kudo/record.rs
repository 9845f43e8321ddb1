//! What an OperatorVersion took hold of, recorded in its status: a template that is changed later must not hide it.

use crate::value::{Map, Text, Value};
use crate::workspace::plan::Target;

/// The field of the status.
pub const OBJECTS: &str = "objects";

pub fn read(live: &Value) -> Vec<Target> {
    let objects = live.at(&["status", OBJECTS]).and_then(Value::as_list).into_iter().flatten();
    let text = |object: &Value, key: &str| Text::from(object.text_at(&[key]));
    objects
        .map(|it| Target {
            api_version: text(it, "apiVersion"),
            kind: text(it, "kind"),
            namespace: text(it, "namespace"),
            name: text(it, "name"),
        })
        .filter(|it| !it.kind.is_empty() && !it.name.is_empty())
        .collect()
}

/// The record of some objects; null for none.
pub fn written(objects: impl Iterator<Item = Target>) -> Value {
    let entry = |it: Target| {
        let Target { api_version, kind, namespace, name } = it;
        let fields = [("apiVersion", api_version), ("kind", kind), ("namespace", namespace), ("name", name)];
        Value::from(Map::from_iter(fields.into_iter().filter(|(_, text)| !text.is_empty())))
    };
    let all: Vec<Value> = objects.map(entry).collect();
    if all.is_empty() { Value::Null } else { all.into() }
}
