//! Recognizes copies of the contents of Secrets by their value, in any field.

use std::fmt;

use super::search::{MIN, Pattern, Search};
use super::{Holder, MASK};
use crate::object::base64::{decode, encode};
use crate::value::canonical::{unescaped, write_text};
use crate::value::{Map, Text, Value};

/// The values of some Secrets, to find them in texts.
///
/// 1. A value is searched for if it has six bytes or more. Shorter than 16 bytes, it counts only where no letter or
///    digit is next to it: a password `postgres` is not in `postgresql`.
/// 2. It is found plain, escaped as in JSON (also in JSON inside of JSON), in base64, in base64 of base64, and in
///    base64 of a longer text. Of a long value the first 256 bytes count, in base64 the first 96, twice 48. Lines of
///    base64, as in a PEM file, are searched for separately.
/// 3. Certificates are public. A value that is also a name of a cluster, a namespace or an object is no secret either.
/// 4. Values that are compressed, encrypted, hashed or split are not found.
#[derive(Clone, Default)]
pub struct SecretValues(Search);

/// The longest part of a value that is compared, by how often it is in base64.
const PARTS: [usize; 3] = [256, 96, 48];

/// From this length on a value is found inside of words.
const LONG: usize = 16;

/// How many lines of a value are searched for on their own.
const LINES: usize = 4;

/// Values would be printed.
impl fmt::Debug for SecretValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretValues")
    }
}

impl SecretValues {
    /// The values of the Secrets in these objects. `is_name` returns whether a text is a name.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::{object::secrets::SecretValues, value::json};
    ///
    /// let secret = json::parse(r#"{"kind":"Secret","data":{"password":"aHVudGVyMg=="}}"#)?;
    /// let values = SecretValues::of([&secret], |_| false);
    /// assert!(values.is_in("user=root password=hunter2"));
    /// assert!(values.is_in("aHVudGVyMg=="));
    /// assert!(!values.is_in("hunter23"));
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    pub fn of<'a>(objects: impl IntoIterator<Item = &'a Value>, is_name: impl Fn(&str) -> bool) -> SecretValues {
        let mut collected = Collected { patterns: Vec::new(), is_name: &is_name };
        objects.into_iter().for_each(|it| collected.add_objects(it));
        SecretValues(Search::of(collected.patterns))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text has one of the values in it.
    pub fn is_in(&self, text: &str) -> bool {
        self.0.find(text.as_bytes()).is_some()
    }

    /// The text with the mask in place of the values, if there are any.
    pub fn mask_text(&self, text: &str) -> Option<String> {
        let (mut rest, mut out) = (text, String::new());
        while let Some((start, end, is_word)) = self.0.find(rest.as_bytes()) {
            // The text in base64 around a value has some of its bits.
            let is_digit = |it: &u8| !is_word && (it.is_ascii_alphanumeric() || b"+/=".contains(it));
            let bytes = rest.as_bytes();
            let more = bytes.get(end..)?.iter().take_while(|it| is_digit(it)).count();
            let less = bytes.get(..start)?.iter().rev().take_while(|it| is_digit(it)).count();
            let (start, end) = (start.saturating_sub(less), end.saturating_add(more));
            let (before, after) = (rest.get(..start)?, rest.get(end..));
            out.push_str(before);
            out.push_str(MASK);
            // The text keeps its number of lines.
            out.extend(rest.get(start..end)?.matches('\n'));
            // A value that is cut within a character hides the rest of the text.
            rest = after.unwrap_or_default();
        }
        (!out.is_empty()).then(|| out + rest)
    }

    /// Masks every text that has one of the values in it.
    pub fn mask(&self, value: &mut Value) {
        if self.is_empty() || !self.is_within(value) {
            return;
        }
        if let Some(items) = value.as_list_mut() {
            items.iter_mut().for_each(|it| self.mask(it));
        } else if let Some(map) = value.as_map_mut() {
            map.iter_mut().for_each(|(_, it)| self.mask(it));
        } else {
            *value = MASK.into();
        }
    }

    fn is_within(&self, value: &Value) -> bool {
        match value {
            Value::Text(text) => self.is_in(text),
            Value::List(items) => items.iter().any(|it| self.is_within(it)),
            Value::Map(map) => map.iter().any(|(_, it)| self.is_within(it)),
            _ => false,
        }
    }

    /// The same in JSON text, in these parts of it. Keys stay.
    pub fn mask_json(&self, json: String, parts: &[(usize, usize)]) -> String {
        let (mut out, mut taken) = (String::new(), 0);
        for (start, end) in parts {
            let mut at = *start;
            while let Some((from, to)) = next_string(json.as_bytes(), at, *end) {
                let is_key = json.as_bytes().get(to.saturating_add(1)) == Some(&b':');
                if !is_key && json.get(from..to).is_some_and(|it| self.is_in(it)) {
                    out.push_str(json.get(taken..from).unwrap_or_default());
                    out.push_str(MASK);
                    taken = to;
                }
                at = to.saturating_add(1);
            }
        }
        if out.is_empty() {
            return json;
        }
        out.push_str(json.get(taken..).unwrap_or_default());
        out
    }
}

/// The next string of a JSON text, between its quotes.
fn next_string(json: &[u8], from: usize, end: usize) -> Option<(usize, usize)> {
    let before = json.get(from..end)?.iter().position(|it| *it == b'"')?;
    let start = from.saturating_add(before).saturating_add(1);
    let mut at = start;
    loop {
        at = at.saturating_add(unescaped(json.get(at..end)?));
        match json.get(at)? {
            b'\\' => at = at.saturating_add(2),
            _ => return Some((start, at)),
        }
    }
}

/// How a value of a Secret is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As in `stringData`.
    Plain,
    /// In base64, as in `data`.
    Encoded,
    /// As in an override, which may be for either.
    Either,
}

struct Collected<'a> {
    patterns: Vec<Pattern>,
    is_name: &'a dyn Fn(&str) -> bool,
}

impl Collected<'_> {
    /// The Secrets in a value.
    fn add_objects(&mut self, value: &Value) {
        match value {
            Value::List(items) => items.iter().for_each(|it| self.add_objects(it)),
            Value::Map(map) => match Holder::of(map) {
                Some(Holder::Secret) => self.add_secret(map),
                Some(Holder::SecretList) => {
                    let items = map.get("items").and_then(Value::as_list).into_iter().flatten();
                    items.filter_map(Value::as_map).for_each(|it| self.add_secret(it));
                }
                Some(Holder::FederatedSecret) => {
                    let Some(spec) = map.get("spec") else { return };
                    spec.get("template").and_then(Value::as_map).into_iter().for_each(|it| self.add_secret(it));
                    spec.get("overrides").into_iter().for_each(|it| self.add_overrides(it));
                }
                None => map.iter().for_each(|(_, it)| self.add_objects(it)),
            },
            _ => {}
        }
    }

    fn add_secret(&mut self, secret: &Map) {
        secret.get("data").into_iter().for_each(|it| self.add_leaves(it, Form::Encoded));
        secret.get("stringData").into_iter().for_each(|it| self.add_leaves(it, Form::Plain));
    }

    fn add_overrides(&mut self, value: &Value) {
        match value {
            Value::List(items) => items.iter().for_each(|it| self.add_overrides(it)),
            Value::Map(map) => map.iter().for_each(|(key, it)| match key.as_str() {
                "value" => self.add_leaves(it, Form::Either),
                _ => self.add_overrides(it),
            }),
            _ => {}
        }
    }

    fn add_leaves(&mut self, value: &Value, form: Form) {
        match value {
            Value::List(items) => items.iter().for_each(|it| self.add_leaves(it, form)),
            Value::Map(map) => map.iter().for_each(|(_, it)| self.add_leaves(it, form)),
            Value::Text(text) => self.add_leaf(text, form),
            Value::Number(_) => self.add_leaf(&Text::from(value.to_canonical()), Form::Plain),
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn add_leaf(&mut self, text: &Text, form: Form) {
        let decoded = if form == Form::Plain { None } else { decode(text) };
        let is_public = |it: &[u8]| std::str::from_utf8(it).is_ok_and(|it| (self.is_name)(it) || is_public(it));
        if is_public(text.as_bytes()) || decoded.as_deref().is_some_and(is_public) {
            return;
        }
        if let Some(decoded) = &decoded {
            self.add_value(decoded);
        }
        // A text that is not base64 is no value of `data`, but somebody wrote it there.
        if form != Form::Encoded || decoded.is_none() {
            self.add_value(text.as_bytes());
        }
    }

    fn add_value(&mut self, value: &[u8]) {
        if value.len() < MIN {
            return;
        }
        if let Ok(text) = std::str::from_utf8(value) {
            self.add_plain(part_of(text, PARTS[0]));
            let is_block = |it: &&str| it.len() >= 40 && !it.starts_with("--") && decode(it).is_some();
            for line in text.lines().map(str::trim).filter(is_block).take(LINES).filter(|it| it.len() < text.len()) {
                self.add_plain(line);
            }
        }
        self.add_encoded(value.get(..PARTS[1]).unwrap_or(value));
        let (twice, all) = (value.get(..PARTS[2]), encode(value.get(..PARTS[2]).unwrap_or(value)));
        // The end of a part in base64 depends on what follows.
        let stable = if twice.is_some() { PARTS[2] / 3 * 4 } else { all.len() };
        self.add_encoded(all.as_bytes().get(..stable).unwrap_or_default());
    }

    /// The text, and what JSON makes of it, and JSON in JSON. Go writes `<`, `>` and `&` as escapes.
    fn add_plain(&mut self, text: &str) {
        self.add_pattern(text);
        for is_go in [false, true] {
            let mut written = text.to_owned();
            for _ in 0..3 {
                let escaped = escaped(&written, is_go);
                if escaped == written {
                    break;
                }
                self.add_pattern(&escaped);
                written = escaped;
            }
        }
    }

    fn add_pattern(&mut self, text: &str) {
        self.patterns.push(Pattern { bytes: text.as_bytes().into(), is_word: text.len() < LONG });
    }

    /// The part of base64 that does not depend on what is around the bytes, for each of the three alignments.
    fn add_encoded(&mut self, bytes: &[u8]) {
        for (before, skipped) in [(0, 0), (1, 2), (2, 3)] {
            let aligned: Vec<u8> = std::iter::repeat_n(0, before).chain(bytes.iter().copied()).collect();
            let complete = aligned.len().saturating_mul(8) / 6;
            let encoded = encode(&aligned);
            if let Some(bytes) = encoded.as_bytes().get(skipped..complete) {
                self.patterns.push(Pattern { bytes: bytes.into(), is_word: false });
            }
        }
    }
}

/// Whether a value is no secret wherever it is.
fn is_public(text: &str) -> bool {
    text == MASK || (text.contains("-----BEGIN CERTIFICATE-----") && !text.contains("PRIVATE KEY"))
}

/// The first bytes of a text, up to the end of a character.
fn part_of(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap_or_default();
    text.get(..end).unwrap_or_default()
}

fn escaped(text: &str, is_go: bool) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    write_text(text, &mut out);
    let inner = out.get(1..out.len().saturating_sub(1)).unwrap_or_default();
    match is_go {
        true => inner.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026"),
        false => inner.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn values(secret: &str) -> SecretValues {
        SecretValues::of([&json::parse(secret).unwrap()], |it| it == "shop-db")
    }

    #[test]
    fn a_value_is_found_in_every_way_to_write_it() {
        let values = values(r#"{"kind":"Secret","stringData":{"a":"p\"ss<word>\n1"}}"#);
        let plain = "p\"ss<word>\n1";
        let json = escaped(plain, false);
        for text in [
            plain.to_owned(),
            format!("{{\"a\":\"{json}\"}}"),
            escaped(&json, false),
            escaped(&escaped(&json, false), false),
            escaped(plain, true),
            escaped(&escaped(plain, true), true),
            encode(plain.as_bytes()),
            encode(format!("x{plain}").as_bytes()),
            encode(format!("xy{plain}z").as_bytes()),
            encode(encode(plain.as_bytes()).as_bytes()),
            encode(format!("{{\"a\":\"{}\"}}", encode(plain.as_bytes())).as_bytes()),
        ] {
            assert!(values.is_in(&text), "{text}");
        }
        for text in ["p", "", "password", &encode(b"p\"ss<word")] {
            assert!(!values.is_in(text), "{text}");
        }
    }

    #[test]
    fn public_values_are_not_searched_for() {
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
        for value in ["short", "shop-db", MASK, certificate] {
            let secret = |field: &str, value: &str| {
                Value::map([("kind", Value::from("Secret")), (field, Value::map([("a", Value::from(value))]))])
            };
            for secret in [secret("stringData", value), secret("data", &encode(value.as_bytes()))] {
                assert!(SecretValues::of([&secret], |it| it == "shop-db").is_empty(), "{value}");
            }
        }
    }

    #[test]
    fn lines_of_a_key_are_found_when_they_are_indented() {
        let (line, other) = ("A".repeat(64), "B".repeat(64));
        let key = format!("-----BEGIN PRIVATE KEY-----\n{line}\n{other}\n-----END PRIVATE KEY-----\n");
        let secret =
            Value::map([("kind", Value::from("Secret")), ("stringData", Value::map([("k", Value::from(key))]))]);
        let values = SecretValues::of([&secret], |_| false);
        assert!(values.is_in(&format!("key: |\n    -----BEGIN PRIVATE KEY-----\n    {line}\n    {other}\n")));
        assert!(!values.is_in("-----BEGIN PRIVATE KEY-----\n"));
    }

    #[test]
    fn json_is_masked_string_by_string() {
        let values = values(r#"{"kind":"Secret","stringData":{"a":"hunter2"}}"#);
        let json = r#"{"a":["x hunter2 y","b\\\"","hunter2"],"hunter2":"c"}"#.to_owned();
        let want = r#"{"a":["(masked)","b\\\"","(masked)"],"hunter2":"c"}"#;
        assert_eq!(values.mask_json(json.clone(), &[(0, json.len())]), want);
        assert_eq!(values.mask_json(json.clone(), &[(0, 3)]), json);
    }

    #[test]
    fn a_message_keeps_its_other_words() {
        let values = values(r#"{"kind":"Secret","stringData":{"a":"hunter2"}}"#);
        let want = "`(masked)` is not `(masked)`".to_owned();
        assert_eq!(values.mask_text("`hunter2` is not `hunter2`"), Some(want));
        assert_eq!(values.mask_text("nothing"), None);
    }

    #[test]
    fn overrides_and_lists_count_too() {
        let values = SecretValues::of(
            [
                &json::parse(
                    r#"{"kind":"FederatedSecret","spec":{"template":{"data":{"a":"aHVudGVyMg=="}},
                    "overrides":[{"clusterOverrides":[{"path":"/x","value":"hunter3"}]}]}}"#,
                )
                .unwrap(),
                &json::parse(r#"{"kind":"SecretList","items":[{"stringData":{"pin":7776543}}]}"#).unwrap(),
            ],
            |_| false,
        );
        for value in ["hunter2", "hunter3", "7776543"] {
            assert!(values.is_in(value), "{value}");
        }
    }
}
