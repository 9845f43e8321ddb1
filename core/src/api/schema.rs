//! The JSON Schema of the contract (draft 2020-12), made from the records.

use super::record::{Field, Record, Shape, Shaped};
use super::{Finding, OPS, Refusal};
use crate::value::collections::SortedMap;
use crate::value::{Map, Text, Value};

/// One schema for all: a request is one of the ops', and each op's answer is under `$defs`.
pub fn schema() -> Value {
    let mut defs = Defs::default();
    let requests = OPS.iter().map(|op| defs.request(op.name, op.request)).collect::<Vec<_>>();
    for op in OPS {
        defs.refer(&op.answer);
    }
    for shape in [Refusal::SHAPE, Finding::SHAPE] {
        defs.refer(&shape);
    }
    Value::map([
        ("$schema", Value::text("https://json-schema.org/draft/2020-12/schema")),
        ("title", "Fleetfold contract, version 1".into()),
        ("oneOf", requests.into()),
        ("$defs", defs.0.into_iter().collect::<Map>().into()),
    ])
}

#[derive(Default)]
struct Defs(SortedMap<Text, Value>);

impl Defs {
    fn request(&mut self, op: &'static str, shape: Shape) -> Value {
        let Shape::Record(record) = shape else { return Value::Null };
        let mut fields = record.fields.to_vec();
        fields.insert(0, Field { name: "op", doc: "", shape: Shape::Text, required: true });
        let mut schema = self.object(record, &fields);
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_map_mut) {
            properties.insert("op", Value::map([("const", op)]));
        }
        let name = format!("{}Request", record.name);
        let reference = reference(&name);
        self.0.insert(name.into(), schema);
        reference
    }

    fn refer(&mut self, shape: &Shape) -> Value {
        let kind = |name: &str| Value::map([("type", name)]);
        match shape {
            Shape::Any => Map::new().into(),
            Shape::Null => kind("null"),
            Shape::Object => kind("object"),
            Shape::Bool => kind("boolean"),
            Shape::Int => kind("integer"),
            Shape::Text => kind("string"),
            Shape::OneOfTexts(texts) => Value::map([("enum", Value::list(texts.iter().copied()))]),
            Shape::List(item) => Value::map([("type", "array".into()), ("items", self.refer(item))]),
            Shape::MapOf(item) => Value::map([("type", "object".into()), ("additionalProperties", self.refer(item))]),
            Shape::Nullable(inner) => Value::map([("anyOf", Value::list([self.refer(inner), kind("null")]))]),
            Shape::Either(shapes) => {
                let shapes: Vec<Value> = shapes.iter().map(|it| self.refer(it)).collect();
                Value::map([("anyOf", shapes)])
            }
            Shape::Record(record) => {
                if !self.0.contains_key(record.name) {
                    // Held before its fields are visited, so that a record may contain itself.
                    self.0.insert(record.name.into(), Value::Null);
                    let schema = self.object(*record, record.fields);
                    self.0.insert(record.name.into(), schema);
                }
                reference(record.name)
            }
        }
    }

    fn object(&mut self, record: Record, fields: &[Field]) -> Value {
        let required: Vec<Value> = fields.iter().filter(|it| it.required).map(|it| it.name.into()).collect();
        let properties = fields.iter().map(|field| {
            let mut schema = self.refer(&field.shape);
            if let (false, Some(map)) = (field.doc.trim().is_empty(), schema.as_map_mut()) {
                map.insert("description", one_line(field.doc));
            }
            (field.name, schema)
        });
        let properties = properties.collect::<Map>();
        let mut schema = Map::from_iter([
            ("type", Value::text("object")),
            ("properties", properties.into()),
            ("additionalProperties", false.into()),
        ]);
        if !required.is_empty() {
            schema.insert("required", required);
        }
        if !record.doc.trim().is_empty() {
            schema.insert("description", one_line(record.doc));
        }
        schema.into()
    }
}

fn reference(name: &str) -> Value {
    Value::map([("$ref", format!("#/$defs/{name}"))])
}

pub(super) fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}
