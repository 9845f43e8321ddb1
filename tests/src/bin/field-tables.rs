//! Prints what the engine knows about the kinds that its dialects read, as JSON: for the drills in `tests/operations`.
//!
//! One entry a dialect: its name, and its kinds with the table of fields that `lint` checks their `spec` by (`table`)
//! and the schema of their CustomResourceDefinition (`schema`), where there are such.

use fleetfold_core::dialect;
use fleetfold_core::object::fields::{Field, Fields, Others, Shape};
use fleetfold_core::value::{Map, Value};
use fleetfold_core::workspace::HubKind;
use fleetfold_core::workspace::{Store, View};
use fleetfold_crds::crds;

fn main() {
    let store = Store::with(dialect::ALL);
    let view = View { store: &store, now: None };
    let definitions = crds(true, &[]);
    let dialects = dialect::ALL.iter().map(|it| {
        let kinds = it.kinds(view);
        let kinds = kinds.iter().map(|kind| entry(kind, &definitions));
        Value::map([("kinds", Value::list(kinds)), ("name", it.name().into())])
    });
    println!("{}", Value::list(dialects).to_canonical());
}

fn entry(kind: &HubKind, definitions: &[Value]) -> Value {
    let definition = definitions
        .iter()
        .find(|it| it.text_at(&["spec", "group"]) == kind.group && it.text_at(&["spec", "names", "kind"]) == kind.kind);
    let versions = definition.and_then(|it| it.at(&["spec", "versions"])).and_then(Value::as_list);
    let schema = versions.and_then(|it| it.first()).and_then(|it| it.at(&["schema", "openAPIV3Schema"])).cloned();
    let mut entry = Map::new();
    entry.insert("group", kind.group.clone());
    entry.insert("kind", kind.kind.clone());
    entry.insert("labelSelector", kind.label_selector);
    entry.insert("schema", schema.unwrap_or_default());
    entry.insert("table", kind.fields.map(table).unwrap_or_default());
    entry.insert("versions", Value::list(kind.versions().into_iter().map(Value::from)));
    entry.into()
}

/// A table as a schema: the fields under `properties`, and whether there may be others.
fn table(fields: &Fields) -> Value {
    let properties = fields.known.iter().map(|Field { name, shape, .. }| (*name, schema_of(*shape)));
    Value::map([
        ("additionalProperties", Value::from(fields.others == Others::Ignored)),
        ("properties", Value::map(properties)),
        ("type", "object".into()),
    ])
}

fn schema_of(shape: Shape) -> Value {
    let of_type = |name: &'static str| Value::map([("type", name)]);
    match shape {
        Shape::Anything => Value::map::<&str, Value>([]),
        Shape::Text => of_type("string"),
        Shape::Boolean => of_type("boolean"),
        Shape::Map => of_type("object"),
        Shape::OneOf(words) => {
            let words = Value::list(words.iter().map(|it| Value::text(*it)));
            Value::map([("enum", words), ("type", "string".into())])
        }
        Shape::Named(item) => Value::map([("additionalProperties", schema_of(*item)), ("type", "object".into())]),
        Shape::List(item) => Value::map([("items", schema_of(*item)), ("type", "array".into())]),
        Shape::Fields(fields) => table(fields),
    }
}
