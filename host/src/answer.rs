//! Parses answers of the engine with exact numbers, and reads fields of them.

use std::borrow::Cow;

use fleetfold_core::Value;
use fleetfold_core::value::json;

/// An answer wraps documents, which may have the maximum depth themselves.
const DEPTH: usize = 2 * json::MAX_DEPTH;

/// Parses an answer; the error is a message.
pub fn read(text: &str) -> Result<Value, String> {
    json::parse_within(&marked(text), DEPTH).map_err(|error| format!("{} at {}", error.message, error.place))
}

/// The elements of a list field; empty if the field is absent.
pub fn list<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer.get(key).and_then(Value::as_list).map_or(&[], Vec::as_slice)
}

/// A string field; empty if it is absent.
pub fn text<'a>(answer: &'a Value, key: &str) -> &'a str {
    answer.text_at(&[key])
}

/// An integer field; 0 if it is absent.
pub fn count(answer: &Value, key: &str) -> i64 {
    answer.get(key).and_then(Value::as_int).unwrap_or(0)
}

/// The strings of a list field.
pub fn texts<'a>(answer: &'a Value, key: &str) -> Vec<&'a str> {
    list(answer, key).iter().filter_map(Value::as_text).collect()
}

/// Marks integral doubles beyond 64 bits as doubles. RFC 8785 writes them as digits only, which a parser of exact
/// integers rejects.
fn marked(text: &str) -> Cow<'_, str> {
    /// Shorter numbers fit into 64 bits.
    const LONG: usize = 19;
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut kept, mut at, mut in_text) = (0, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if in_text => at += 2,
            b'"' => {
                in_text = !in_text;
                at += 1;
            }
            b'-' | b'0'..=b'9' if !in_text => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                let number = &text[at..end];
                let is_whole = !number.contains(['.', 'e', 'E']);
                if number.len() >= LONG && is_whole && number.parse::<i64>().is_err() {
                    out.push_str(&text[kept..end]);
                    out.push_str("e0");
                    kept = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[kept..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_doubles_survive() {
        let text = r#"{"a":9007199254740993,"b":100000000000000000000,"c":"\"100000000000000000000","d":[-9223372036854775808,-9223372036854775809,1e+21]}"#;
        let value = read(text).unwrap();
        // Beyond 64 bits, numbers are rounded to the nearest double.
        assert_eq!(value.to_canonical(), text.replace("-9223372036854775809", "-9223372036854776000"));
        assert_eq!(marked("[1,2]"), "[1,2]");
    }

    #[test]
    fn invalid_json_is_an_error() {
        assert!(read("{").is_err());
    }
}
