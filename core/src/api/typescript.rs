//! The TypeScript types of the contract, made from the same records as the JSON Schema.

use std::fmt::Write;

use super::record::{Record, Shape, Shaped};
use super::schema::one_line;
use super::{Finding, OPS, Refusal};
use crate::value::collections::SortedMap;

/// A module of types: one interface a record, and the maps from op to request and answer.
pub fn typescript() -> String {
    let mut types = Types::default();
    let mut requests = String::new();
    let mut answers = String::new();
    for op in OPS {
        if let Shape::Record(record) = op.request {
            let name = format!("{}Request", record.name);
            types.interface(&name, record, Some(op.name));
            comment(&mut requests, "  ", record.doc);
            let _ = writeln!(requests, "  {}: {name};", op.name);
        }
        let _ = writeln!(answers, "  {}: {};", op.name, types.name(&op.answer));
    }
    let refusal = types.name(&Refusal::SHAPE);
    let finding = types.name(&Finding::SHAPE);

    let mut out = String::from("// Generated from the engine's records by `npm run types`. Do not edit.\n\n");
    out.push_str("/** A value. Integers beyond 2^53 are BigInts where that was asked for. */\n");
    out.push_str(
        "export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };\n\n",
    );
    for interface in types.0.values() {
        out.push_str(interface);
        out.push('\n');
    }
    let _ = write!(out, "/** The request of each op. */\nexport interface Requests {{\n{requests}}}\n\n");
    let _ = write!(out, "/** What each op answers under `ok`. */\nexport interface Answers {{\n{answers}}}\n\n");
    out.push_str("export type Op = keyof Requests;\nexport type Request = Requests[Op];\n");
    let _ = writeln!(
        out,
        "export type Response<T = Answers[Op]> = {{ ok: T; diagnostics?: {finding}[] }} | {{ error: {refusal} }};"
    );
    out
}

#[derive(Default)]
struct Types(SortedMap<String, String>);

impl Types {
    fn name(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Any => "Json".into(),
            Shape::Null => "null".into(),
            Shape::Object => "{ [key: string]: Json }".into(),
            Shape::Bool => "boolean".into(),
            Shape::Int => "number".into(),
            Shape::Text => "string".into(),
            Shape::OneOfTexts(texts) => texts.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" | "),
            Shape::List(item) => match self.name(item) {
                item if item.contains('|') => format!("({item})[]"),
                item => format!("{item}[]"),
            },
            Shape::MapOf(item) => format!("{{ [key: string]: {} }}", self.name(item)),
            Shape::Nullable(inner) => format!("{} | null", self.name(inner)),
            Shape::Either(shapes) => shapes.iter().map(|it| self.name(it)).collect::<Vec<_>>().join(" | "),
            Shape::Record(record) => {
                if !self.0.contains_key(record.name) {
                    self.0.insert(record.name.into(), String::new());
                    self.interface(record.name, *record, None);
                }
                record.name.into()
            }
        }
    }

    fn interface(&mut self, name: &str, record: Record, op: Option<&str>) {
        let mut text = String::new();
        comment(&mut text, "", record.doc);
        let _ = writeln!(text, "export interface {name} {{");
        if let Some(op) = op {
            let _ = writeln!(text, "  op: {op:?};");
        }
        for field in record.fields {
            comment(&mut text, "  ", field.doc);
            let optional = if field.required { "" } else { "?" };
            let _ = writeln!(text, "  {}{optional}: {};", field.name, self.name(&field.shape));
        }
        text.push_str("}\n");
        self.0.insert(name.into(), text);
    }
}

fn comment(out: &mut String, indent: &str, doc: &str) {
    let doc = one_line(doc);
    if !doc.is_empty() {
        let _ = writeln!(out, "{indent}/** {} */", doc.replace("*/", "* /"));
    }
}
