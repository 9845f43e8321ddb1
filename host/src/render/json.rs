//! JSON output with exact integers, and numbers that every parser reads as the same value.

use std::fmt::Write;

use fleetfold_core::Value;
use fleetfold_core::value::Number;
use fleetfold_core::value::canonical::{to_text_as_declared, write_double, write_text};
use fleetfold_core::value::json::parse_answer;
use serde::Serialize;

/// A request or an answer as a value. It goes through its text, as the answers of a module do.
pub fn value_of<T: Serialize>(answer: &T) -> Value {
    let text = to_text_as_declared(answer).unwrap_or_default();
    parse_answer(&text).unwrap_or_default()
}

/// The value on several lines, indented as by kubectl.
pub fn pretty(value: &Value) -> String {
    let mut out = String::new();
    write(value, Some(0), &mut out);
    out.push('\n');
    out
}

/// The value on one line.
pub fn line(value: &Value) -> String {
    let mut out = String::new();
    write(value, None, &mut out);
    out
}

/// Writes a number so that it is parsed as the same number. An integral double beyond 64 bits gets an exponent: written
/// as digits only it would be an integer that parsers reject or round.
pub fn write_number(number: Number, out: &mut String) {
    match number {
        Number::Int(int) => {
            let _ = write!(out, "{int}");
        }
        Number::Double(double) => {
            let start = out.len();
            write_double(double, out);
            let written = &out[start..];
            let is_whole = !written.contains(['.', 'e']);
            if is_whole && written.parse::<i64>().is_err() {
                out.truncate(start);
                let exponent = format!("{double:e}").replace('e', "e+");
                out.push_str(&exponent);
            }
        }
    }
}

/// Without `indent`, writes one line.
fn write(value: &Value, indent: Option<usize>, out: &mut String) {
    let deeper = indent.map(|it| it + 1);
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Value::Number(number) => write_number(*number, out),
        Value::Text(text) => write_text(text, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, deeper, out);
                write(item, deeper, out);
            }
            close(items.is_empty(), indent, ']', out);
        }
        Value::Map(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                separate(index, deeper, out);
                write_text(key, out);
                out.push_str(if indent.is_some() { ": " } else { ":" });
                write(item, deeper, out);
            }
            close(map.is_empty(), indent, '}', out);
        }
    }
}

fn separate(index: usize, indent: Option<usize>, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    new_line(indent, out);
}

fn close(is_empty: bool, indent: Option<usize>, bracket: char, out: &mut String) {
    if !is_empty {
        new_line(indent, out);
    }
    out.push(bracket);
}

fn new_line(indent: Option<usize>, out: &mut String) {
    if let Some(indent) = indent {
        out.push('\n');
        out.push_str(&"    ".repeat(indent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetfold_core::value::json::parse;

    #[test]
    fn lines_are_indented_by_four() {
        let value = parse(r#"{"a":[1,{}],"b":{"c":null},"d":[]}"#).unwrap();
        let want = "{\n    \"a\": [\n        1,\n        {}\n    ],\n    \"b\": {\n        \"c\": null\n    },\
            \n    \"d\": []\n}\n";
        assert_eq!(pretty(&value), want);
        assert_eq!(line(&value), r#"{"a":[1,{}],"b":{"c":null},"d":[]}"#);
    }

    #[test]
    fn numbers_are_read_back_as_the_same() {
        for (number, want) in [
            (Number::Int(9_007_199_254_740_993), "9007199254740993"),
            (Number::Int(i64::MIN), "-9223372036854775808"),
            (Number::Double(1e20), "1e+20"),
            (Number::Double(-1.5e19), "-1.5e+19"),
            (Number::Double(1e21), "1e+21"),
            (Number::Double(0.1), "0.1"),
            (Number::Double(2.0), "2"),
        ] {
            let mut out = String::new();
            write_number(number, &mut out);
            assert_eq!(out, want);
            assert_eq!(parse(&out).unwrap(), Value::Number(number));
        }
    }
}
