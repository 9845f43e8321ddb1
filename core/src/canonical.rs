//! Writes values, to the byte: RFC 8785, plus exact integers.
//!
//! 1. Keys are sorted by UTF-8 bytes, and there is no white space.
//! 2. An integer is written with all its digits, over the whole int64 range. (RFC 8785 alone would round it to a double.)
//! 3. A double is written as ECMAScript writes it: the shortest digits that read back as the same double.
//! 4. In strings only `"`, `\` and control characters are escaped.
//!
//! Digests and comparisons are taken over these bytes, so nothing else in the engine writes JSON.

use std::fmt::Write;

use crate::value::{Map, Number, Value};

impl Value {
    /// The canonical JSON text of this value.
    pub fn to_canonical(&self) -> String {
        self.to_canonical_watching(("", "")).0
    }

    /// The same, and whether some map in it has this key with this text: whoever wants to know is spared a second walk.
    pub fn to_canonical_watching(&self, watched: (&str, &str)) -> (String, bool) {
        let mut writer = Writer { out: String::new(), watched, seen: false };
        writer.write(self);
        (writer.out, writer.seen)
    }
}

struct Writer<'a> {
    out: String,
    watched: (&'a str, &'a str),
    seen: bool,
}

impl Writer<'_> {
    fn write(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::Number(Number::Int(int)) => write_int(*int, &mut self.out),
            Value::Number(Number::Double(double)) => write_double(*double, &mut self.out),
            Value::Text(text) => write_text(text, &mut self.out),
            Value::List(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.out.push(',');
                    }
                    self.write(item);
                }
                self.out.push(']');
            }
            Value::Map(map) => self.write_map(map),
        }
    }

    fn write_map(&mut self, map: &Map) {
        self.out.push('{');
        for (at, (key, value)) in map.iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            if key == self.watched.0 && value.as_text() == Some(self.watched.1) {
                self.seen = true;
            }
            write_text(key, &mut self.out);
            self.out.push(':');
            self.write(value);
        }
        self.out.push('}');
    }
}

fn write_int(int: i64, out: &mut String) {
    // Single digits are most of what manifests hold (replicas, ports' indices, modes).
    if let Ok(digit @ 0..=9) = u8::try_from(int) {
        out.push(char::from(b'0' + digit));
    } else {
        // Writing to a string cannot fail.
        let _ = write!(out, "{int}");
    }
}

/// Lays out the shortest digits as ECMAScript does: plain between 1e-6 and 1e21, with an exponent outside.
pub fn write_double(double: f64, out: &mut String) {
    if double == 0.0 {
        return out.push('0');
    }
    let short = shortest(double.abs());
    let (mantissa, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (count, point) = (digits.len() as i32, exponent + 1);

    if double < 0.0 {
        out.push('-');
    }
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let split = |at: i32| digits.split_at_checked(usize::try_from(at).unwrap_or(0)).unwrap_or((&digits, ""));
    if count <= point && point <= 21 {
        out.push_str(&digits);
        out.push_str(&zeros(point - count));
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = split(point);
        let _ = write!(out, "{whole}.{fraction}");
    } else if -6 < point && point <= 0 {
        let _ = write!(out, "0.{}{digits}", zeros(-point));
    } else {
        let (first, rest) = split(1);
        let point = if rest.is_empty() { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{first}{point}{rest}e{sign}{}", exponent.abs());
    }
}

/// The shortest digits that read back, as `d.ddde±x`. Of two that are as near, ECMAScript takes the even one, and Rust's
/// `{:e}` the upper one.
fn shortest(double: f64) -> String {
    let short = format!("{double:e}");
    let decimals = short.split_once('e').and_then(|(mantissa, _)| Some(mantissa.split_once('.')?.1.len())).unwrap_or(0);
    // With fewer digits, nothing else is as near.
    if decimals < 14 {
        return short;
    }
    // Far more digits than a tie could have: behind the five there must be nothing.
    let exact = format!("{double:.*e}", decimals + 30);
    let behind = exact.split_once('.').and_then(|(_, rest)| rest.split_once('e')?.0.split_at_checked(decimals));
    let is_tie = behind.is_some_and(|(_, behind)| behind.trim_end_matches('0') == "5");
    // With a precision, Rust rounds a tie to even.
    let even = format!("{double:.decimals$e}");
    if is_tie && even.parse() == Ok(double) { even } else { short }
}

pub fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // Runs without anything to escape, which is nearly all text, are copied whole.
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        let (run, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(run);
        let mut tail = tail.chars();
        match tail.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\t') => out.push_str("\\t"),
            Some('\n') => out.push_str("\\n"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\r') => out.push_str("\\r"),
            Some(control) => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            None => {}
        }
        rest = tail.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(double: f64, want: &str) {
        let mut out = String::new();
        write_double(double, &mut out);
        assert_eq!(out, want);
    }

    #[test]
    fn doubles_read_as_ecmascript_writes_them() {
        check(1e20, "100000000000000000000");
        check(1e21, "1e+21");
        check(123456789012345680000.0, "123456789012345680000");
        check(1e-6, "0.000001");
        check(1e-7, "1e-7");
        check(-1.5e-9, "-1.5e-9");
        check(0.1, "0.1");
        check(100.5, "100.5");
        check(333_333_333.333_333_3, "333333333.3333333");
        check(5e-324, "5e-324");
        check(1.7976931348623157e308, "1.7976931348623157e+308");
        check(0.30000000000000004, "0.30000000000000004");
    }

    #[test]
    fn of_two_that_are_as_near_the_even_one_is_written() {
        for (read, want) in [
            ("1125899906842624.25", "1125899906842624.2"),
            ("1125899906842624.75", "1125899906842624.8"),
            ("-9007199254740993.5", "-9007199254740994"),
        ] {
            check(read.parse().unwrap(), want);
        }
    }
}
