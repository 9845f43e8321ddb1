//! Writes values, to the byte: RFC 8785, plus exact integers.
//!
//! 1. Keys are sorted by UTF-8 bytes, and there is no white space.
//! 2. An integer is written with all its digits, over the whole int64 range. (RFC 8785 alone would round it to a
//!    double.)
//! 3. A double is written as ECMAScript writes it: the shortest digits that read back as the same double.
//! 4. In strings only `"`, `\` and control characters are escaped.
//!
//! Digests and comparisons are taken over these bytes, so nothing else in the engine writes JSON.
//!
//! It is written by hand because serde_json with a canonical formatter takes 16 % more instructions and makes the
//! module larger, and because the texts of shared parts are copied instead of written again. Typed answers go through
//! [`serde::Serializer`], implemented here. The figures are in ARCHITECTURE.md, "Own code instead of a library".

mod serializer;
mod written;

use std::fmt::Write;

pub use serializer::{WriteError, to_text, to_text_as_declared, to_text_marking};

use crate::value::path::Pointer;
use crate::value::{Map, Number, Value};
use written::Written;

impl Value {
    /// The canonical JSON text of this value.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_value::value::json;
    ///
    /// let value = json::parse(r#"{ "port": 80.0, "name": "http" }"#).unwrap();
    /// assert_eq!(value.to_canonical(), r#"{"name":"http","port":80}"#);
    /// ```
    pub fn to_canonical(&self) -> String {
        let mut writer = Writer::default();
        writer.value(self);
        writer.into_text()
    }
}

/// Writes one JSON text, piece by piece. Whoever writes the pieces keeps the order of keys.
#[derive(Debug, Default)]
pub struct Writer {
    out: String,
    /// Whether the fields of structs may come in any order.
    is_unordered: bool,
    /// The spans of values of the marked type, if requested.
    marks: Option<Marks>,
    written: Written,
}

/// The places of values of one type in a text.
#[derive(Debug)]
struct Marks {
    /// The name of the newtype.
    name: &'static str,
    /// In the order of the text: none is inside of another.
    parts: Vec<(usize, usize)>,
}

impl Marks {
    /// Copies the marks of a text to a copy of it.
    fn copy(&mut self, start: usize, end: usize, to: usize) {
        let first = self.parts.partition_point(|(from, _)| *from < start);
        let count = self.parts.iter().skip(first).take_while(|(_, until)| *until <= end).count();
        let moved = |at: usize| at.saturating_sub(start).saturating_add(to);
        for at in first..first.saturating_add(count) {
            if let Some((from, until)) = self.parts.get(at).copied() {
                self.parts.push((moved(from), moved(until)));
            }
        }
    }
}

impl Writer {
    pub fn into_text(self) -> String {
        self.out
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(bool) => self.bool(*bool),
            Value::Number(Number::Int(int)) => self.int(*int),
            Value::Number(Number::Double(double)) => write_double(*double, &mut self.out),
            Value::Text(text) => self.text(text),
            Value::List(items) => self.list(items.iter(), Writer::value),
            Value::Map(map) => self.map(map),
        }
    }

    pub fn bool(&mut self, bool: bool) {
        self.out.push_str(if bool { "true" } else { "false" });
    }

    pub fn int(&mut self, int: i64) {
        write_int(int, &mut self.out);
    }

    pub fn text(&mut self, text: &str) {
        write_text(text, &mut self.out);
    }

    /// A JSON pointer as a text. Its steps are written one by one: an answer with origins is full of pointers.
    pub fn pointer(&mut self, pointer: &Pointer) {
        self.out.push('"');
        for step in pointer.segments() {
            if is_plain(step.as_bytes()) && !step.contains(['~', '/']) {
                self.out.push('/');
                self.out.push_str(step);
            } else {
                write_escaped(&Pointer::of([step.clone()]).to_string(), &mut self.out);
            }
        }
        self.out.push('"');
    }

    pub fn map(&mut self, map: &Map) {
        self.open('{');
        for (key, value) in map.iter() {
            self.key(key);
            self.value(value);
        }
        self.close('}');
    }

    pub fn list<T>(&mut self, items: impl IntoIterator<Item = T>, write: impl Fn(&mut Writer, T)) {
        self.open('[');
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                self.out.push(',');
            }
            write(self, item);
        }
        self.close(']');
    }

    #[inline]
    pub fn open(&mut self, bracket: char) {
        self.out.push(bracket);
    }

    #[inline]
    pub fn close(&mut self, bracket: char) {
        self.out.push(bracket);
    }

    pub fn key(&mut self, key: &str) {
        self.comma();
        write_text(key, &mut self.out);
        self.out.push(':');
    }

    /// A value that is written already.
    pub fn raw(&mut self, json: &str) {
        self.out.push_str(json);
    }

    /// Before every entry of a map but the first: no value ends with an open bracket.
    #[inline]
    fn comma(&mut self) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
    }
}

fn write_int(int: i64, out: &mut String) {
    if int < 0 {
        out.push('-');
    }
    // Filled from the end; much quicker than formatting, and manifests are full of numbers.
    let mut digits = [b'0'; 20];
    let (mut rest, mut used) = (int.unsigned_abs(), 0);
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        used += 1;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits.iter().skip(digits.len() - used).map(|digit| char::from(*digit)));
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

/// The shortest digits that read back, as `d.ddde±x`. Of two that are as near, ECMAScript takes the even one, and
/// Rust's `{:e}` the upper one.
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
    if is_plain(text.as_bytes()) {
        out.push_str(text);
    } else {
        write_escaped(text, out);
    }
    out.push('"');
}

fn write_escaped(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((run, tail)) = rest.split_at_checked(unescaped(rest.as_bytes())).filter(|(_, tail)| !tail.is_empty())
    {
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
}

/// How many bytes need no escape in a JSON string, up to the first quote, backslash or control character.
#[inline]
pub fn unescaped(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let stops = stops(u64::from_le_bytes(*word));
        if stops != 0 {
            return at + (stops.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| is_stop(*byte)).unwrap_or(rest.len())
}

/// Whether no byte needs an escape, as in nearly all text.
#[inline]
fn is_plain(bytes: &[u8]) -> bool {
    let (words, _) = bytes.as_chunks();
    // The last eight bytes again, or twice four, whatever the words left over: that spares a walk byte by byte.
    let end = match (bytes.last_chunk(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(last), _, _) => stops(u64::from_le_bytes(*last)) == 0,
        (None, Some([a, b, c, d]), Some([e, f, g, h])) => {
            stops(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])) == 0
        }
        _ => !bytes.iter().any(|byte| is_stop(*byte)),
    };
    end && words.iter().all(|word| stops(u64::from_le_bytes(*word)) == 0)
}

/// What a JSON string must escape.
fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// The same for eight bytes at once: the high bit of each that is one. Above the lowest of them a borrow may mark
/// others, so only the lowest, and whether there is any, mean something.
#[inline]
fn stops(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | is(b'"') | is(b'\\')) & (ONES << 7)
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
    fn a_pointer_is_written_as_its_text() {
        for steps in [&[][..], &["a", "b"], &["a/b", "~", "", "\"\n", "é"]] {
            let (pointer, mut writer) = (Pointer::of(steps.iter().copied()), Writer::default());
            writer.pointer(&pointer);
            assert_eq!(writer.into_text(), Value::from(pointer.to_string()).to_canonical());
        }
    }

    #[test]
    fn integers_keep_all_their_digits() {
        for int in [0, 7, -7, 10, 99, 100, -1_000_000, i64::MAX, i64::MIN] {
            let mut out = String::new();
            write_int(int, &mut out);
            assert_eq!(out, int.to_string());
        }
    }

    #[test]
    fn what_must_be_escaped_is_found_wherever_it_stands() {
        for len in 0..30 {
            let plain = "é€ 0".repeat(len).into_bytes();
            let plain = &plain[..len];
            assert_eq!((unescaped(plain), is_plain(plain)), (len, true), "{len}");
            for (at, stop) in (0..len).flat_map(|at| [b'"', b'\\', 0, 0x1f].map(|stop| (at, stop))) {
                let mut text = plain.to_vec();
                text[at] = stop;
                assert_eq!((unescaped(&text), is_plain(&text)), (at, false), "{stop} at {at} of {len}");
            }
        }
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
