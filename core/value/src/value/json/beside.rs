//! Reads JSON beside a similar text that was read before: equal parts are shared and not parsed again.
//!
//! In a fleet the same object differs between clusters in a few fields only. A [`Sample`] has a text with the place of
//! every value in it. While another text is read beside it, each value is first compared as bytes with the one at the
//! same place of the sample. Where they are equal, the value of the sample is shared: its part of the text is skipped
//! in one step, and no tree is built for it.

use crate::value::json::{JsonError, MAX_DEPTH, Parser, Read};
use crate::value::text::{is_equal, starts_with};
use crate::value::{Map, Text, Value};

/// How many samples are kept: one for each shape of request, as by the kind of the object in it.
const MAX_SAMPLES: usize = 16;

/// Where a shape ends: the part before it identifies the kind of object in a request.
const METADATA: &str = "\"metadata\"";

/// Samples to read like texts beside.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::json::Samples;
///
/// let mut samples = Samples::default();
/// let eu = samples.read(r#"{"metadata":{"name":"eu-1"},"spec":{"replicas":3}}"#, |_| true).unwrap();
/// let us = samples.read(r#"{"metadata":{"name":"us-1"},"spec":{"replicas":3}}"#, |_| true).unwrap();
/// assert_eq!(us.text_at(&["metadata", "name"]), "us-1");
/// assert!(us.get("spec").unwrap().ptr_eq(eu.get("spec").unwrap()), "both share one spec in memory");
/// ```
#[derive(Debug, Default)]
pub struct Samples {
    kept: Vec<Sample>,
    /// The sample that is dropped next when there are too many.
    oldest: usize,
}

impl Samples {
    /// Reads one JSON text beside the sample that begins like it. `is_sample` returns whether to keep a value as a
    /// sample.
    ///
    /// # Errors
    ///
    /// The text is not JSON, as in [`parse`](super::parse).
    pub fn read(&mut self, text: &str, is_sample: impl Fn(&Value) -> bool) -> Result<Value, JsonError> {
        let found = self.kept.iter().position(|it| it.begins_like(text));
        let sample = found.and_then(|at| self.kept.get(at));
        let mut parser = Parser { sample, ..Parser::new(text, MAX_DEPTH) };
        let value = parser.whole_text()?;
        let is_like = parser.shared.saturating_mul(2) > text.len();
        if !is_like && is_sample(&value) {
            self.keep(found, text, &value);
        }
        Ok(value)
    }

    /// Keeps a sample, in the place of the one that turned out to be unlike, or of the oldest where there are many.
    fn keep(&mut self, unlike: Option<usize>, text: &str, value: &Value) {
        let Some(sample) = Sample::new(text, value) else { return };
        let full = (self.kept.len() >= MAX_SAMPLES).then_some(self.oldest);
        match unlike.or(full).and_then(|at| self.kept.get_mut(at)) {
            Some(place) => *place = sample,
            None => self.kept.push(sample),
        }
        if unlike.is_none() && full.is_some() {
            self.oldest = (self.oldest + 1) % MAX_SAMPLES;
        }
    }
}

/// A text that was read, with the place of every value in it.
#[derive(Debug)]
pub(super) struct Sample {
    text: Box<str>,
    /// How much of the text other texts of this shape have too.
    shape: usize,
    root: Node,
}

impl Sample {
    fn new(text: &str, value: &Value) -> Option<Sample> {
        let shape = text.find(METADATA)?;
        let root = Parser::new(text, MAX_DEPTH).node(None, value)?;
        Some(Sample { text: text.into(), shape, root })
    }

    fn begins_like(&self, text: &str) -> bool {
        let shape = self.text.as_bytes().get(..self.shape);
        shape.is_some_and(|shape| starts_with(text.as_bytes(), shape))
    }
}

/// A value of a sample and where it is.
#[derive(Debug)]
pub(super) struct Node {
    /// The key, of an entry of a map.
    key: Text,
    /// Where the entry starts: at the quote of its key. Of another value, where that starts.
    entry: usize,
    start: usize,
    end: usize,
    value: Value,
    /// Entries and elements, in the order of the text.
    children: Box<[Node]>,
}

impl Node {
    pub(super) fn value(&self) -> &Value {
        &self.value
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// The element at an index of a list.
    pub(super) fn element(&self, index: usize) -> Option<&Node> {
        if self.is_map() { None } else { self.children.get(index) }
    }

    /// The entry of a key, if it is not far from where it is expected: objects of one kind rarely differ by more.
    fn child(&self, key: &str, expected: usize) -> Option<(usize, &Node)> {
        const NEAR: usize = 8;
        self.children.iter().enumerate().skip(expected).take(NEAR).find(|(_, it)| is_equal(&it.key, key))
    }
}

impl<'a> Parser<'a> {
    /// The root of the sample that is read beside.
    pub(super) fn beside(&self) -> Option<&'a Node> {
        self.sample.map(|it| &it.root)
    }

    /// Skips a value if the text has the bytes of the sample there.
    pub(super) fn skips_value(&mut self, node: &Node) -> bool {
        self.skips(node.start, node)
    }

    /// Skips the part of the sample from `from` to the end of a value, if the text goes on with the same bytes.
    fn skips(&mut self, from: usize, node: &Node) -> bool {
        let Some(part) = self.sample.and_then(|it| it.text.as_bytes().get(from..node.end)) else { return false };
        let Some(rest) = self.bytes.get(self.pos..).filter(|it| starts_with(it, part)) else { return false };
        // A number ends where the text ends it: `12` begins with `1`.
        let goes_on = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        if matches!(node.value, Value::Number(_)) && rest.get(part.len()).is_some_and(goes_on) {
            return false;
        }
        self.pos += part.len();
        self.shared += part.len();
        true
    }

    /// The entries of a map beside those of the sample, from behind the bracket.
    pub(super) fn map_beside(&mut self, like: &'a Node) -> Read<Value> {
        let start = self.entries.len();
        let mut expected = 0;
        loop {
            if self.token() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            match like.children.get(expected) {
                Some(same) if self.skips(same.entry, same) => {
                    self.entries.push((same.key.clone(), same.value.clone()));
                    expected += 1;
                }
                _ => {
                    let key = self.key()?;
                    let found = like.child(&key, expected);
                    expected = found.map_or(expected, |(at, _)| at + 1);
                    match self.value(found.map(|(_, it)| it)) {
                        Ok(value) => self.entries.push((key, value)),
                        Err(error) => return Err(error.within(key)),
                    }
                }
            }
            match self.token() {
                Some(b',') => self.pos += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("`,` or `}`")),
            }
        }
        self.pos += 1;
        self.close_map(start)
    }

    /// The place of a value that was read from this text, and those of all values in it. `key` is that of its entry and
    /// where it starts.
    fn node(&mut self, key: Option<(Text, usize)>, value: &Value) -> Option<Node> {
        self.token();
        let start = self.pos;
        let mut children = Vec::new();
        match value {
            Value::Map(map) => self.entries_of(map, &mut children)?,
            Value::List(items) => {
                self.pos += 1;
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        self.skip(b',')?;
                    }
                    children.push(self.node(None, item)?);
                }
                self.skip(b']')?;
            }
            Value::Text(_) => drop(self.string().ok()?),
            Value::Number(_) => _ = self.number().ok()?,
            Value::Bool(true) | Value::Null => self.pos += 4,
            Value::Bool(false) => self.pos += 5,
        }
        let (key, entry) = key.unwrap_or((Text::default(), start));
        Some(Node { key, entry, start, end: self.pos, value: value.clone(), children: children.into() })
    }

    fn entries_of(&mut self, map: &Map, children: &mut Vec<Node>) -> Option<()> {
        self.pos += 1;
        for at in 0..map.len() {
            if at > 0 {
                self.skip(b',')?;
            }
            self.token();
            let entry = self.pos;
            let key = self.key().ok()?;
            let value = map.get(&key)?;
            children.push(self.node(Some((key, entry)), value)?);
        }
        self.skip(b'}')
    }

    fn skip(&mut self, byte: u8) -> Option<()> {
        self.token();
        self.eat(byte).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    /// Reads each text beside the ones before, and alone.
    #[track_caller]
    fn check(texts: &[&str]) -> Vec<Value> {
        let mut samples = Samples::default();
        let read = |text: &&str| {
            let (beside, alone) = (samples.read(text, |_| true), parse(text));
            assert_eq!(beside, alone, "{text}");
            let written = |it: &Value| it.to_canonical();
            assert_eq!(beside.as_ref().ok().map(written), alone.as_ref().ok().map(written), "{text}");
            beside.unwrap_or_default()
        };
        texts.iter().map(read).collect()
    }

    #[test]
    fn what_is_the_same_is_shared_and_the_rest_is_read() {
        let first = r#"{"metadata":{"b":[1,"x"],"c":{}},"spec":[{"e":1},{"f":2}],"z":1.0}"#;
        let values = check(&[
            first,
            r#"{"metadata":{"b":[1,"x"],"c":{}},"spec":[{"e":1},{"f":3}],"z":1.0}"#,
            r#"{"metadata":{"b":[1,"x"]},"spec":[{"e":1}],"z":1}"#,
            r#"{"metadata":{"c":{},"b":[1,"x"],"z":0},"spec":[{"e":1},{"f":2},{}],"z":1.0}"#,
        ]);
        let shares = |at: usize, key: &str| values[at].get(key).unwrap().ptr_eq(values[0].get(key).unwrap());
        assert!(shares(1, "metadata") && !shares(1, "spec") && !shares(2, "metadata"));
        let items = |at: usize| values[at].get("spec").and_then(Value::as_list).unwrap();
        assert!(items(1)[0].ptr_eq(&items(0)[0]));
    }

    #[test]
    fn a_number_that_begins_like_another_is_another_one() {
        let with = |number: &str| format!(r#"{{"metadata":{{"a":[1,2,3,4,5,6,7,8,9]}},"n":{number}}}"#);
        for number in ["12", "1.0", "1.5", "1e3", "1E3", "1e+3", "-1", "0", "1 ", "1-", "1+", "1.", "1e", "1 1"] {
            check(&[&with("1"), &with(number)]);
        }
    }

    #[test]
    fn white_space_and_escapes_and_the_order_of_keys_do_not_matter() {
        check(&[
            r#"{"metadata":{"name":"a","labels":{"x":"1","y":"2"}},"spec":{"\u0061":1,"b":"\n"}}"#,
            r#"{"metadata":{"labels":{"y":"2","x":"1"},"name":"a"},"spec":{"a":1,"b":"\u000a"}}"#,
            r#" { "metadata" : { "name" : "a" , "labels" : { } } , "spec" : { "b" : "\n" , "a" : 1 } } "#,
            "{\"metadata\":{\"name\":\"a\",\n\t\"labels\":{\"x\":\"1\", \"y\":\"2\"}},\"spec\":[]}",
        ]);
    }

    #[test]
    fn what_is_refused_alone_is_refused_beside_a_sample() {
        let sample = r#"{"metadata":{"name":"a","labels":{"x":"1"}},"spec":{"a":[{"b":1}],"c":true}}"#;
        let broken = [
            sample.replace(r#""x":"1""#, r#""x":"1","x":"1""#),
            sample.replace(r#""name":"a""#, r#""name":"a","name":"a""#),
            sample.replace("true", "tru"),
            sample.replace("true", "truee"),
            sample.replace(r#"{"b":1}"#, &format!("{}{}", "[".repeat(100), "]".repeat(100))),
            sample.replace(r#"{"b":1}"#, r#"{"b":1"#),
            sample.replace(r#"{"b":1}"#, r#"{"b":"\ud800"}"#),
            sample.replace(r#","c""#, r#",,"c""#),
            sample.replace(r#","c":true"#, ","),
            format!("{sample} {sample}"),
        ];
        for text in &broken {
            assert!(parse(text).is_err(), "{text}");
            check(&[sample, text]);
        }
        // Cut anywhere.
        for end in 0..sample.len() {
            check(&[sample, &sample[..end]]);
        }
    }

    #[test]
    fn samples_are_kept_by_shape_and_the_oldest_goes() {
        let text = |kind: usize, name: &str| format!(r#"{{"kind":"{kind}","metadata":{{"name":"{name}"}},"s":{{}}}}"#);
        let mut samples = Samples::default();
        for kind in 0..2 * MAX_SAMPLES {
            let earlier = samples.read(&text(kind, "a"), |_| true).unwrap();
            let later = samples.read(&text(kind, "b"), |_| true).unwrap();
            assert!(later.get("s").unwrap().ptr_eq(earlier.get("s").unwrap()), "{kind}");
        }
        assert_eq!(samples.kept.len(), MAX_SAMPLES);
        let mut none = Samples::default();
        none.read(&text(0, "a"), |_| false).unwrap();
        assert!(none.kept.is_empty(), "only samples are kept");
    }
}
