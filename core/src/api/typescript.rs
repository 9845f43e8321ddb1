//! The TypeScript types of the contract, from its JSON Schema.

use std::fmt::Write;

use crate::value::{Map, Text, Value};

const HEAD: &str = "// Generated from the JSON Schema of the contract by `npm run types`. Do not edit.

/** A value. Integers beyond 2^53 are BigInts if requested. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

";

const TAIL: &str = "export type Op = keyof Requests;
export type Request = Requests[Op];
export type Response<T = Answers[Op]> = { ok: T; diagnostics?: Finding[] } | { error: Refusal };
";

/// A module of types: one interface for each definition of the schema, and the maps from op to request and answer.
pub fn typescript(schema: &Value) -> String {
    let mut out = String::from(HEAD);
    for (name, definition) in definitions(schema) {
        define(&mut out, name, definition);
        out.push('\n');
    }
    out.push_str("/** The request of each op. */\nexport interface Requests {\n");
    for (op, names) in entries(schema, "x-ops") {
        let request = names.get("request").and_then(Value::as_text).unwrap_or_default();
        let definition = schema.get("$defs").and_then(|it| it.get(request));
        comment(&mut out, "  ", definition.unwrap_or(&Value::Null));
        let _ = writeln!(out, "  {op}: {request};");
    }
    out.push_str("}\n\n/** What each op answers under `ok`. */\nexport interface Answers {\n");
    for (op, names) in entries(schema, "x-ops") {
        let _ = writeln!(out, "  {op}: {};", names.text_at(&["answer"]));
    }
    out.push_str("}\n\n");
    out.push_str(TAIL);
    out
}

fn definitions(schema: &Value) -> impl Iterator<Item = (&Text, &Value)> {
    entries(schema, "$defs")
}

fn entries<'a>(schema: &'a Value, key: &str) -> impl Iterator<Item = (&'a Text, &'a Value)> {
    schema.get(key).and_then(Value::as_map).into_iter().flat_map(Map::iter)
}

fn define(out: &mut String, name: &str, definition: &Value) {
    comment(out, "", definition);
    if definition.get("properties").is_none() {
        let _ = writeln!(out, "export type {name} = {};", type_of(definition));
        return;
    }
    let _ = writeln!(out, "export interface {name} {{");
    let required = definition.get("required").and_then(Value::as_list);
    for (field, schema) in entries(definition, "properties") {
        comment(out, "  ", schema);
        let is_required = required.is_some_and(|it| it.iter().any(|it| it.as_text() == Some(field)));
        let _ = writeln!(out, "  {field}{}: {};", if is_required { "" } else { "?" }, type_of(schema));
    }
    out.push_str("}\n");
}

fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_text) {
        return reference.rsplit('/').next().unwrap_or_default().into();
    }
    if let Some(only) = schema.get("const") {
        return only.to_canonical();
    }
    for several in ["anyOf", "oneOf", "enum"] {
        if let Some(choices) = schema.get(several).and_then(Value::as_list) {
            let of = |it: &Value| if several == "enum" { it.to_canonical() } else { type_of(it) };
            return choices.iter().map(of).collect::<Vec<_>>().join(" | ");
        }
    }
    match schema.text_at(&["type"]) {
        "boolean" => "boolean".into(),
        "integer" | "number" => "number".into(),
        "string" => "string".into(),
        "null" => "null".into(),
        "array" => match schema.get("items").map(type_of).unwrap_or_else(|| "Json".into()) {
            item if item.contains('|') => format!("({item})[]"),
            item => format!("{item}[]"),
        },
        "object" => match schema.get("additionalProperties") {
            Some(value @ Value::Map(_)) => format!("{{ [key: string]: {} }}", type_of(value)),
            _ => "{ [key: string]: Json }".into(),
        },
        _ => "Json".into(),
    }
}

fn comment(out: &mut String, indent: &str, schema: &Value) {
    let doc = schema.text_at(&["description"]);
    if !doc.is_empty() {
        let _ = writeln!(out, "{indent}/** {} */", doc.replace("*/", "* /"));
    }
}
