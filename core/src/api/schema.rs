//! The JSON Schema of the contract (draft 2020-12), derived from the types.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};

use super::{Finding, Op, Refusal, op};
use crate::value::canonical::to_text_as_declared;
use crate::value::{Map, Text, Value, json};

/// One schema for all: a request is one of the ops', and each op's answer is under `$defs`. `x-ops` names both.
pub fn derived_schema() -> Value {
    let mut contract = Contract { generator: SchemaSettings::draft2020_12().into_generator(), ops: Vec::new() };
    op::add_all(&mut contract);
    contract.generator.subschema_for::<Refusal>();
    contract.generator.subschema_for::<Finding>();
    contract.finish()
}

#[derive(Debug)]
pub(super) struct Contract {
    generator: SchemaGenerator,
    ops: Vec<OpTypes>,
}

#[derive(Debug)]
struct OpTypes {
    name: &'static str,
    request: Value,
    request_name: Text,
    answer_name: Text,
}

impl Contract {
    pub(super) fn add<O: Op + JsonSchema>(&mut self)
    where
        O::Answer: JsonSchema,
    {
        // A request has `op` beside its fields; where another request contains it, it has not.
        let mut request = value_of(&O::json_schema(&mut self.generator));
        tidy(&mut request);
        add_op(&mut request, O::NAME);
        self.generator.subschema_for::<O::Answer>();
        let name = O::schema_name();
        let request_name = format!("{}Request", name.strip_suffix("Request").unwrap_or(&name)).into();
        let answer_name = Text::from(&*O::Answer::schema_name());
        self.ops.push(OpTypes { name: O::NAME, request, request_name, answer_name });
    }

    fn finish(mut self) -> Value {
        let mut definitions = value_of(&self.generator.take_definitions(true));
        let mut defs = definitions.as_map_mut().map(std::mem::take).unwrap_or_default();
        defs.iter_mut().for_each(|(_, definition)| tidy(definition));
        let (mut requests, mut ops) = (Vec::new(), Map::new());
        for OpTypes { name, request, request_name, answer_name } in self.ops {
            requests.push(Value::map([("$ref", format!("#/$defs/{request_name}"))]));
            ops.insert(name, Value::map([("answer", answer_name), ("request", request_name.clone())]));
            defs.insert(request_name, request);
        }
        Value::map([
            ("$schema", Value::text("https://json-schema.org/draft/2020-12/schema")),
            ("title", "Fleetfold contract, version 1".into()),
            ("oneOf", requests.into()),
            ("x-ops", ops.into()),
            ("$defs", defs.into()),
        ])
    }
}

fn value_of(it: &impl serde::Serialize) -> Value {
    // Schemas are JSON; their keys have an order of their own.
    to_text_as_declared(it).ok().and_then(|text| json::parse(&text).ok()).unwrap_or_default()
}

fn add_op(request: &mut Value, name: &str) {
    let Some(request) = request.as_map_mut() else { return };
    let mut properties = request.get("properties").and_then(Value::as_map).cloned().unwrap_or_default();
    properties.insert("op", Value::map([("const", name)]));
    let mut required = vec![Value::text("op")];
    required.extend(request.get("required").and_then(Value::as_list).into_iter().flatten().cloned());
    request.insert("properties", properties);
    request.insert("required", required);
    request.insert("additionalProperties", false);
}

/// Brings a derived schema to the contract's form: an optional field is left out rather than null, an object has no
/// other fields, a description is one line, and integers have no format.
fn tidy(schema: &mut Value) {
    if let Some(items) = schema.as_list_mut() {
        items.iter_mut().for_each(tidy);
    }
    let Some(map) = schema.as_map_mut() else { return };
    for noise in ["$schema", "title", "format", "minimum", "default"] {
        if map.get(noise).is_some_and(|it| it.as_map().is_none()) {
            map.remove(noise);
        }
    }
    if let Some(text) = map.get("description").and_then(Value::as_text) {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        map.insert("description", line);
    }
    let required = map.get("required").and_then(Value::as_list).cloned().unwrap_or_default();
    if let Some(properties) = map.get_mut("properties").and_then(Value::as_map_mut) {
        for (name, property) in properties.iter_mut() {
            if !required.iter().any(|it| it.as_text() == Some(name)) {
                drop_null(property);
            }
        }
        map.insert("additionalProperties", false);
    }
    map.iter_mut().for_each(|(_, value)| tidy(value));
}

fn drop_null(schema: &mut Value) {
    let is_null = |it: &Value| it.as_text() == Some("null") || it.text_at(&["type"]) == "null";
    let Some(map) = schema.as_map_mut() else { return };
    for several in ["type", "anyOf"] {
        let Some(choices) = map.get(several).and_then(Value::as_list) else { continue };
        let kept: Vec<Value> = choices.iter().filter(|it| !is_null(it)).cloned().collect();
        match (several, kept.as_slice()) {
            ("type", [only]) => {
                map.insert("type", only.clone());
            }
            (_, [Value::Map(only)]) => {
                map.remove(several);
                only.iter().for_each(|(key, value)| {
                    map.insert(key.clone(), value.clone());
                });
            }
            _ => {
                map.insert(several, kept);
            }
        }
    }
}
