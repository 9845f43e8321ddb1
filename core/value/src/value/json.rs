//! Reads JSON as RFC 8259 writes it, and refuses what would be read differently elsewhere: duplicate keys, integers
//! outside int64, doubles that overflow, half characters, and nesting without end.

use std::borrow::Cow;

use crate::value::Position;
use crate::value::canonical::unescaped;
use crate::value::path::Pointer;
use crate::value::text::order;
use crate::value::{Map, Number, Text, Value};

/// How deep lists and maps may nest, in every text that comes in.
pub const MAX_DEPTH: usize = 100;

/// Reads one JSON text.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::json::{self, JsonErrorKind};
///
/// let replicas = json::parse(r#"{"spec":{"replicas":3}}"#).unwrap();
/// assert_eq!(replicas.at(&["spec", "replicas"]).unwrap().as_int(), Some(3));
///
/// let error = json::parse(r#"{"metadata":{"name":"web","name":"api"}}"#).unwrap_err();
/// assert_eq!(error.kind, JsonErrorKind::DuplicateKey);
/// assert_eq!(error.pointer.to_string(), "/metadata/name");
/// ```
pub fn parse(text: &str) -> Result<Value, JsonError> {
    parse_within(text, MAX_DEPTH)
}

/// Reads one JSON text that may nest `depth` deep: an answer wraps documents that are at the limit themselves.
pub fn parse_within(text: &str, depth: usize) -> Result<Value, JsonError> {
    read(Parser::new(text, depth), None)
}

/// Reads an answer of the engine, or an object of an API server.
///
/// 1. It may be twice as deep as a document: an answer wraps documents that are at the limit themselves.
/// 2. An integer beyond 64 bits is the nearest double. Canonical JSON writes doubles between 2^63 and 1e21 with all their
///    digits; in a document such an integer is refused.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::json;
///
/// let answer = json::parse_answer("[100000000000000000000,9007199254740993]").unwrap();
/// assert_eq!(answer.to_canonical(), "[100000000000000000000,9007199254740993]");
/// assert!(json::parse("100000000000000000000").is_err());
/// ```
pub fn parse_answer(text: &str) -> Result<Value, JsonError> {
    read(Parser { rounds_integers: true, ..Parser::new(text, 2 * MAX_DEPTH) }, None)
}

/// Reads one JSON text that is probably much like an earlier one, and takes over from that what is the same: like objects
/// of many clusters are held once, and soon read.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::json;
///
/// let eu = json::parse(r#"{"name":"eu-1","spec":{"replicas":3}}"#).unwrap();
/// let us = json::parse_like(r#"{"name":"us-1","spec":{"replicas":3}}"#, &eu).unwrap();
/// assert!(us.get("spec").unwrap().ptr_eq(eu.get("spec").unwrap()), "both clusters share one spec in memory");
/// ```
pub fn parse_like(text: &str, earlier: &Value) -> Result<Value, JsonError> {
    read(Parser::new(text, MAX_DEPTH), Some(earlier))
}

fn read(mut parser: Parser, like: Option<&Value>) -> Result<Value, JsonError> {
    let value = parser.value(like).map_err(|error| *error)?;
    match parser.token() {
        None => Ok(value),
        Some(_) => Err(*parser.unexpected("the end of the text")),
    }
}

/// The ways in which a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonErrorKind {
    Syntax,
    TooDeep,
    DuplicateKey,
    LoneSurrogate,
    IntegerOutOfRange,
    NumberOutOfRange,
}

/// What is wrong with a JSON text, by line and column and by the pointer of the value that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonError {
    pub kind: JsonErrorKind,
    pub message: String,
    pub pointer: Pointer,
    pub place: Position,
}

impl JsonError {
    fn within(mut self: Box<Self>, segment: impl Into<Text>) -> Box<Self> {
        self.pointer.push_front(segment.into());
        self
    }
}

/// An error is large and rare: in a box, it does not widen every value on its way up.
type Read<T> = Result<T, Box<JsonError>>;

/// Whether a value that was read beside another is the same, to how its numbers are written.
fn is_alike(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Map(_), _) | (Value::List(_), _) => value.ptr_eq(other),
        (Value::Number(Number::Int(int)), Value::Number(Number::Int(other))) => int == other,
        (Value::Number(_), _) => false,
        _ => value == other,
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    /// How many levels may still be opened.
    depth: usize,
    /// Whether integers beyond 64 bits become doubles.
    rounds_integers: bool,
    /// What the open maps and lists hold so far, innermost last. A closed one takes its part away in one piece of the
    /// right size.
    entries: Vec<(Text, Value)>,
    items: Vec<Value>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, depth: usize) -> Parser<'a> {
        let (bytes, rounds_integers) = (text.as_bytes(), false);
        Parser { text, bytes, pos: 0, depth, rounds_integers, entries: Vec::new(), items: Vec::new() }
    }

    /// A value, of which the part that `like` has too is taken from there.
    fn value(&mut self, like: Option<&Value>) -> Read<Value> {
        match self.token() {
            Some(b'"') => match (self.string()?, like) {
                (Cow::Borrowed(text), Some(Value::Text(same))) if text == same => Ok(Value::Text(same.clone())),
                (Cow::Borrowed(text), _) => Ok(Value::Text(Text::inline(text))),
                (Cow::Owned(text), _) => Ok(text.into()),
            },
            Some(b'{') => self.nested(|parser| parser.map(like)),
            Some(b'[') => self.nested(|parser| parser.list(like)),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    #[inline]
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Read<Value>) -> Read<Value> {
        let Some(left) = self.depth.checked_sub(1) else {
            return Err(self.error(JsonErrorKind::TooDeep, format!("nested deeper than {MAX_DEPTH} levels")));
        };
        self.depth = left;
        self.pos += 1;
        let value = read(self)?;
        self.depth += 1;
        Ok(value)
    }

    fn map(&mut self, like: Option<&Value>) -> Read<Value> {
        let start = self.entries.len();
        let others = like.and_then(Value::as_map);
        let (mut is_same, mut others) = (others.is_some(), others.into_iter().flat_map(Map::iter).peekable());
        if self.token() == Some(b'}') {
            self.pos += 1;
            return Ok(like.filter(|it| it.as_map().is_some_and(Map::is_empty)).cloned().unwrap_or(Map::new().into()));
        }
        loop {
            if self.token() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string()?;
            if self.token() != Some(b':') {
                return Err(self.unexpected("`:`").within(key.as_ref()));
            }
            self.pos += 1;
            // Made before the value is read: moved right after it is made, a text would be waited for.
            let key = Text::inline(&key);
            while others.next_if(|(other, _)| order(other, &key).is_lt()).is_some() {
                is_same = false;
            }
            let other = others.next_if(|(other, _)| **other == key).map(|(_, value)| value);
            match self.value(other) {
                Ok(value) => {
                    is_same = is_same && other.is_some_and(|it| is_alike(&value, it));
                    self.entries.push((key, value));
                }
                Err(error) => return Err(error.within(key)),
            }
            match self.token() {
                Some(b',') => self.pos += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("`,` or `}`")),
            }
        }
        self.pos += 1;
        if let Some(like) = like.filter(|_| is_same && others.next().is_none()) {
            self.entries.truncate(start);
            return Ok(like.clone());
        }
        match Map::from_entries(self.entries.split_off(start)) {
            (map, None) => Ok(map.into()),
            (_, Some(key)) => {
                let message = format!("the key `{key}` stands twice in one map");
                Err(self.error(JsonErrorKind::DuplicateKey, message).within(key))
            }
        }
    }

    fn list(&mut self, like: Option<&Value>) -> Read<Value> {
        let start = self.items.len();
        let others = like.and_then(Value::as_list);
        let mut is_same = others.is_some();
        if self.token() == Some(b']') {
            self.pos += 1;
            return Ok(like.filter(|it| it.as_list().is_some_and(Vec::is_empty)).cloned().unwrap_or(Vec::new().into()));
        }
        loop {
            // Counted before: an inner list that fails leaves its elements behind.
            let index = self.items.len() - start;
            let other = others.and_then(|it| it.get(index));
            match self.value(other) {
                Ok(item) => {
                    is_same = is_same && other.is_some_and(|it| is_alike(&item, it));
                    self.items.push(item);
                }
                Err(error) => return Err(error.within(index.to_string())),
            }
            match self.token() {
                Some(b',') => self.pos += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("`,` or `]`")),
            }
        }
        self.pos += 1;
        let len = self.items.len() - start;
        if let Some(like) = like.filter(|_| is_same && others.is_some_and(|it| it.len() == len)) {
            self.items.truncate(start);
            return Ok(like.clone());
        }
        Ok(self.items.split_off(start).into())
    }

    /// A string, which is a part of the text unless it has escapes.
    #[inline]
    fn string(&mut self) -> Read<Cow<'a, str>> {
        self.pos += 1;
        let start = self.pos;
        self.run();
        if self.peek() == Some(b'"') {
            let text = self.slice(start);
            self.pos += 1;
            return Ok(Cow::Borrowed(text));
        }
        self.escaped_string(start).map(Cow::Owned)
    }

    fn escaped_string(&mut self, start: usize) -> Read<String> {
        let mut text = String::from(self.slice(start));
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.pos += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                _ => return Err(self.unexpected("the closing quote")),
            }
            let start = self.pos;
            self.run();
            text.push_str(self.slice(start));
        }
    }

    /// Skips what stands for itself in a string.
    fn run(&mut self) {
        self.pos += unescaped(self.bytes.get(self.pos..).unwrap_or_default());
    }

    fn escape(&mut self) -> Read<char> {
        self.pos += 1;
        let escaped = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => return Err(self.unexpected("an escape")),
        };
        self.pos += 1;
        Ok(escaped)
    }

    fn unicode(&mut self) -> Read<char> {
        let first = self.hex()?;
        let pair = (0xd800..0xdc00).contains(&first) && self.bytes.get(self.pos..self.pos + 2) == Some(b"\\u");
        let code = if pair {
            self.pos += 1;
            let second = self.hex()?;
            // A high half followed by anything but a low half stays what it is: no character.
            match second {
                0xdc00..=0xdfff => 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                _ => first,
            }
        } else {
            first
        };
        char::from_u32(code)
            .ok_or_else(|| self.error(JsonErrorKind::LoneSurrogate, "half of a surrogate pair is no character"))
    }

    /// The four digits after `\u`.
    fn hex(&mut self) -> Read<u32> {
        let digits = self.bytes.get(self.pos + 1..self.pos + 5).unwrap_or_default();
        if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err(self.unexpected("four hexadecimal digits"));
        }
        let code = digits.iter().fold(0, |code, digit| code << 4 | char::from(*digit).to_digit(16).unwrap_or(0));
        self.pos += 5;
        Ok(code)
    }

    fn number(&mut self) -> Read<Number> {
        let start = self.pos;
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err(self.unexpected("a digit"));
        }
        if matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a number without a leading zero"));
        }
        let mut whole = true;
        if self.eat(b'.') {
            whole = false;
            if self.digits() == 0 {
                return Err(self.unexpected("a digit after the point"));
            }
        }
        if self.eat(b'e') || self.eat(b'E') {
            whole = false;
            if !self.eat(b'+') {
                self.eat(b'-');
            }
            if self.digits() == 0 {
                return Err(self.unexpected("a digit in the exponent"));
            }
        }
        let token = self.slice(start);
        if whole {
            // Nine digits at most cannot overflow, and are nearly all there are.
            if let (1..=9, Some(b'0'..=b'9')) = (token.len(), token.as_bytes().first()) {
                let int = token.bytes().fold(0, |int, digit| int * 10 + i64::from(digit - b'0'));
                return Ok(Number::Int(int));
            }
            match token.parse::<i64>() {
                Ok(int) => return Ok(Number::Int(crate::seeded!(JsonIntegersAreDoubles, int, (int as f64) as i64))),
                Err(_) if self.rounds_integers => {}
                Err(_) => {
                    return Err(self.error(JsonErrorKind::IntegerOutOfRange, "the integer does not fit in 64 bits"));
                }
            }
        }
        token
            .parse()
            .ok()
            .and_then(Number::double)
            .ok_or_else(|| self.error(JsonErrorKind::NumberOutOfRange, "the number is too large for a double"))
    }

    fn digits(&mut self) -> usize {
        let start = self.pos;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.pos += 1;
        }
        self.pos - start
    }

    fn word(&mut self, word: &str, value: Value) -> Read<Value> {
        if self.bytes.get(self.pos..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.pos += word.len();
            Ok(value)
        } else {
            Err(self.unexpected("a value"))
        }
    }

    /// The next byte that is no white space; nothing at the end.
    #[inline]
    fn token(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.pos += 1;
        }
        self.peek()
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    fn slice(&self, start: usize) -> &'a str {
        self.text.get(start..self.pos).unwrap_or_default()
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> Box<JsonError> {
        let found = match self.text.get(self.pos..).and_then(|rest| rest.chars().next()) {
            None => String::from("the text ends"),
            Some(char) => format!("found `{}`", char.escape_debug()),
        };
        self.error(JsonErrorKind::Syntax, format!("expected {wanted}, but {found}"))
    }

    #[cold]
    fn error(&self, kind: JsonErrorKind, message: impl Into<String>) -> Box<JsonError> {
        let before = self.text.get(..self.pos).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|char| *char != '\n').count() + 1;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let place = Position { line: count(line), column: count(column) };
        Box::new(JsonError { kind, message: message.into(), pointer: Pointer::root(), place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refuses(text: &str, kind: JsonErrorKind, pointer: &str) {
        let error = parse(text).unwrap_err();
        assert_eq!((error.kind, error.pointer.to_string().as_str()), (kind, pointer), "{error:?}");
    }

    #[test]
    fn an_error_knows_its_pointer() {
        refuses(r#"{"a":[1,{"b":01}]}"#, JsonErrorKind::Syntax, "/a/1/b");
        refuses(r#"{"a":{"x":1,"x":2}}"#, JsonErrorKind::DuplicateKey, "/a/x");
        refuses(r#"{"a":["\ud800"]}"#, JsonErrorKind::LoneSurrogate, "/a/0");
        refuses(r#"{"a":9223372036854775808}"#, JsonErrorKind::IntegerOutOfRange, "/a");
    }

    #[test]
    fn a_hundred_levels_pass_and_one_more_does_not() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&nested(100)).is_ok());
        assert_eq!(parse(&nested(101)).unwrap_err().kind, JsonErrorKind::TooDeep);
        assert_eq!(parse(&"[".repeat(200_000)).unwrap_err().kind, JsonErrorKind::TooDeep);
    }

    #[test]
    fn what_an_earlier_text_says_too_is_taken_from_there() {
        let earlier = parse(r#"{"a":{"b":[1,"x"],"c":{}},"d":[{"e":1},{"f":2}],"g":1.0}"#).unwrap();
        for text in [
            r#"{"a":{"b":[1,"x"],"c":{}},"d":[{"e":1},{"f":3}],"g":1.0}"#,
            r#"{"a":{"b":[1,"x"]},"d":[{"e":1}],"g":1}"#,
            r#"{"d":[{"e":1},{"f":2},{}],"a":{"c":{},"b":[1,"x"],"z":0}}"#,
            r#"[{"a":1}]"#,
        ] {
            assert_eq!(parse_like(text, &earlier).unwrap(), parse(text).unwrap());
        }
        let like = parse_like(r#"{"a":{"b":[1,"x"],"c":{}},"d":[{"e":1},{"f":3}]}"#, &earlier).unwrap();
        assert!(like.get("a").unwrap().ptr_eq(earlier.get("a").unwrap()));
        assert_eq!(
            parse_like(r#"{"a":1,"a":1}"#, &parse(r#"{"a":1}"#).unwrap()).unwrap_err().kind,
            JsonErrorKind::DuplicateKey
        );
        let number = parse_like(r#"{"g":1}"#, &parse(r#"{"g":1.0}"#).unwrap()).unwrap();
        assert!(matches!(number.get("g"), Some(Value::Number(Number::Int(1)))));
    }

    #[test]
    fn a_place_counts_lines_and_characters() {
        let error = parse("{\n \"é\": ?}").unwrap_err();
        assert_eq!(error.place, Position { line: 2, column: 7 });
    }
}
