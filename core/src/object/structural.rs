//! What an API server drops of an object: the fields that the schema of its CustomResourceDefinition does not have.

use crate::value::path::Pointer;
use crate::value::{Map, Value};

const KIND: &str = "CustomResourceDefinition";
const GROUP: &str = "apiextensions.k8s.io";

/// Keeps fields that the schema does not name.
const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// Marks a field that holds a complete object, whose `apiVersion`, `kind` and `metadata` are known.
const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// The fields of any object, which no schema needs to name.
const OF_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The parts of a CustomResourceDefinition that decide what is stored.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a>(&'a Value);

impl<'a> Definition<'a> {
    /// The definition that a document is, if it is one.
    pub fn of(document: &'a Value) -> Option<Definition<'a>> {
        let is_definition = document.text_at(&["kind"]) == KIND && document.text_at(&["apiVersion"]).starts_with(GROUP);
        is_definition.then_some(Definition(document))
    }

    /// The group and the kind that it defines.
    pub fn defines(self) -> (&'a str, &'a str) {
        (self.0.text_at(&["spec", "group"]), self.0.text_at(&["spec", "names", "kind"]))
    }

    /// The fields of an object that are not stored, outermost first. A definition without a schema for the version of
    /// the object drops nothing that is known.
    ///
    /// ```
    /// use fleetfold_core::object::StructuralDefinition;
    /// use fleetfold_core::value::json;
    ///
    /// let definition = json::parse(r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    ///     "spec":{"group":"g","names":{"kind":"K"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":
    ///     {"properties":{"spec":{"properties":{"size":{}}}}}}}]}}"#)?;
    /// let object = json::parse(r#"{"apiVersion":"g/v1","kind":"K","spec":{"size":1,"colour":"red"}}"#)?;
    /// let dropped = StructuralDefinition::of(&definition).unwrap().dropped(&object);
    /// assert_eq!(dropped[0].to_string(), "/spec/colour");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn dropped(self, object: &Value) -> Vec<Pointer> {
        let version = object.text_at(&["apiVersion"]).rsplit('/').next().unwrap_or_default();
        let versions = self.0.at(&["spec", "versions"]).and_then(Value::as_list).into_iter().flatten();
        let schema = versions.filter(|it| it.text_at(&["name"]) == version);
        let schema = schema.filter_map(|it| it.at(&["schema", "openAPIV3Schema"])).next();
        let mut found = Vec::new();
        if let (Some(schema), false) = (schema, self.0.at(&["spec", "preserveUnknownFields"]) == Some(&true.into())) {
            walk_object(object, schema, &mut Pointer::root(), &mut found);
        }
        found
    }
}

fn walk_object(object: &Value, schema: &Value, at: &mut Pointer, out: &mut Vec<Pointer>) {
    let Some(map) = object.as_map() else { return };
    let own = map.iter().filter(|(key, _)| !OF_OBJECTS.contains(&key.as_str()));
    walk_fields(own, schema, at, out);
}

fn walk(value: &Value, schema: &Value, at: &mut Pointer, out: &mut Vec<Pointer>) {
    match value {
        Value::Map(_) if is_set(schema, EMBEDDED) => walk_object(value, schema, at, out),
        Value::Map(map) => walk_fields(map.iter(), schema, at, out),
        Value::List(items) => {
            let Some(schema) = schema.get("items") else { return };
            for (index, item) in items.iter().enumerate() {
                at.push(index.to_string());
                walk(item, schema, at, out);
                at.pop();
            }
        }
        _ => {}
    }
}

fn walk_fields<'a>(
    fields: impl Iterator<Item = (&'a crate::value::Text, &'a Value)>,
    schema: &Value,
    at: &mut Pointer,
    out: &mut Vec<Pointer>,
) {
    let known = schema.get("properties").and_then(Value::as_map);
    let further = schema.get("additionalProperties");
    let preserves = is_set(schema, PRESERVE) || further == Some(&true.into());
    for (key, value) in fields {
        at.push(key.clone());
        let schema = known.and_then(|it: &Map| it.get(key)).or(further.filter(|it| it.as_map().is_some()));
        match schema {
            Some(schema) => walk(value, schema, at, out),
            None if preserves => {}
            None => out.push(at.clone()),
        }
        at.pop();
    }
}

fn is_set(schema: &Value, key: &str) -> bool {
    schema.get(key) == Some(&true.into())
}
