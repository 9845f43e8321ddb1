//! Reads JSON as RFC 8259 writes it, and refuses what would be read differently elsewhere: duplicate keys, integers
//! outside int64, doubles that overflow, half characters, and nesting without end.
//!
//! It is written by hand because serde_json with a visitor takes 41 % more instructions for a live object, and because
//! its errors name no pointer. Reading derived types straight from the text was slower than reading them from the tree,
//! which shares documents instead of copying them. The figures are in ARCHITECTURE.md, "Own code instead of a library".

mod beside;

use std::borrow::Cow;

use crate::value::Position;
use crate::value::canonical::unescaped;
use crate::value::path::Pointer;
use crate::value::{Map, Number, Text, Value};

pub use beside::Samples;
use beside::{Node, Sample};

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
    Parser::new(text, depth).whole_text()
}

/// Reads an answer of the engine, or an object of an API server.
///
/// 1. It may be twice as deep as a document: an answer wraps documents that are at the limit themselves.
/// 2. An integer beyond 64 bits is the nearest double. Canonical JSON writes doubles between 2^63 and 1e21 with all
///    their digits; in a document such an integer is refused.
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
    Parser { rounds_integers: true, ..Parser::new(text, 2 * MAX_DEPTH) }.whole_text()
}

/// Why a text is refused.
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

/// An error is large and rare: boxed, it does not widen every returned value.
type Read<T> = Result<T, Box<JsonError>>;

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
    /// What the text is read beside, and how many of its bytes were taken over from there.
    sample: Option<&'a Sample>,
    shared: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, depth: usize) -> Parser<'a> {
        Parser {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            depth,
            rounds_integers: false,
            entries: Vec::new(),
            items: Vec::new(),
            sample: None,
            shared: 0,
        }
    }

    /// The value of the complete text.
    fn whole_text(&mut self) -> Result<Value, JsonError> {
        let value = self.value(self.beside()).map_err(|error| *error)?;
        match self.token() {
            None => Ok(value),
            Some(_) => Err(*self.unexpected("the end of the text")),
        }
    }

    /// A value. What is the same at this place of the sample is taken over from there.
    fn value(&mut self, like: Option<&'a Node>) -> Read<Value> {
        let first = self.token();
        if let Some(like) = like
            && self.skips_value(like)
        {
            return Ok(like.value().clone());
        }
        match first {
            Some(b'"') => match self.string()? {
                Cow::Borrowed(text) => Ok(Value::Text(Text::inline(text))),
                Cow::Owned(text) => Ok(text.into()),
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

    fn map(&mut self, like: Option<&'a Node>) -> Read<Value> {
        if self.token() == Some(b'}') {
            self.pos += 1;
            return Ok(Map::new().into());
        }
        if let Some(like) = like.filter(|it| it.is_map()) {
            return self.map_beside(like);
        }
        let start = self.entries.len();
        loop {
            if self.token() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.key()?;
            match self.value(None) {
                Ok(value) => self.entries.push((key, value)),
                Err(error) => return Err(error.within(key)),
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

    /// A key with its colon.
    fn key(&mut self) -> Read<Text> {
        let key = self.string()?;
        if self.token() != Some(b':') {
            return Err(self.unexpected("`:`").within(key.as_ref()));
        }
        self.pos += 1;
        // Made before the value is read: moved right after it is made, a text would be waited for.
        Ok(Text::inline(&key))
    }

    /// The map of the entries since `start`.
    fn close_map(&mut self, start: usize) -> Read<Value> {
        match Map::from_entries(self.entries.split_off(start)) {
            (map, None) => Ok(map.into()),
            (_, Some(key)) => {
                let message = format!("duplicate key `{key}`");
                Err(self.error(JsonErrorKind::DuplicateKey, message).within(key))
            }
        }
    }

    fn list(&mut self, like: Option<&'a Node>) -> Read<Value> {
        let start = self.items.len();
        if self.token() == Some(b']') {
            self.pos += 1;
            return Ok(Vec::new().into());
        }
        loop {
            // Counted before: an inner list that fails leaves its elements behind.
            let index = self.items.len() - start;
            match self.value(like.and_then(|it| it.element(index))) {
                Ok(item) => self.items.push(item),
                Err(error) => return Err(error.within(index.to_string())),
            }
            match self.token() {
                Some(b',') => self.pos += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("`,` or `]`")),
            }
        }
        self.pos += 1;
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

    /// Skips the unescaped part of a string.
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
    fn a_place_counts_lines_and_characters() {
        let error = parse("{\n \"é\": ?}").unwrap_err();
        assert_eq!(error.place, Position { line: 2, column: 7 });
    }
}
