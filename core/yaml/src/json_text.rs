//! Reads JSON documents and the positions of their values. [`fleetfold_value::value::json`] reads strings and numbers,
//! this module the structure around them.

use super::Parsed;
use super::places::{Path, PlacesBuilder};
use super::syntax_error::SyntaxError;
use fleetfold_value::diagnostic::Code;
use fleetfold_value::diagnostic::Mode;
use fleetfold_value::value::Position;
use fleetfold_value::value::json::{self, MAX_DEPTH};
use fleetfold_value::value::{Map, Number, Text, Value};

/// Reads JSON values one after the other.
#[derive(Debug)]
pub(super) struct JsonText<'a> {
    text: &'a str,
    mode: Mode,
    /// Bytes read, and the position there.
    pos: usize,
    place: Position,
    depth: usize,
    places: PlacesBuilder,
    /// The first error of the value after which its end can still be found.
    error: Option<SyntaxError>,
}

impl<'a> JsonText<'a> {
    pub(super) fn new(text: &'a str, mode: Mode) -> JsonText<'a> {
        let place = Position { line: 1, column: 1 };
        JsonText { text, mode, pos: 0, place, depth: 0, places: PlacesBuilder::new(0), error: None }
    }

    /// Where the last value ended, in bytes.
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// The next value; `None` at the end, and after an error of grammar (`bad-json`) or depth.
    pub(super) fn next(&mut self) -> Option<Result<Parsed, SyntaxError>> {
        let (pos, place) = (self.pos, self.place);
        self.space();
        self.peek()?;
        self.depth = 0;
        match self.value(Path::ROOT, None) {
            Ok(value) => {
                let places = std::mem::replace(&mut self.places, PlacesBuilder::new(0)).finish();
                Some(match self.error.take() {
                    Some(error) => Err(error),
                    None => Ok(Parsed { value, places }),
                })
            }
            Err(error) => {
                (self.pos, self.place) = (pos, place);
                Some(Err(error))
            }
        }
    }

    fn value(&mut self, path: Path, key: Option<Position>) -> Result<Value, SyntaxError> {
        self.space();
        self.places.add(path, self.place, key);
        match self.peek() {
            Some(open @ ('{' | '[')) => {
                if self.depth >= MAX_DEPTH {
                    return Err(SyntaxError::too_deep(self.place));
                }
                self.depth = self.depth.saturating_add(1);
                self.step();
                let value = if open == '{' { self.map(path)? } else { self.list(path)? };
                self.depth = self.depth.saturating_sub(1);
                Ok(value)
            }
            Some('"') => self.string().map(Value::Text),
            Some(_) => {
                let place = self.place;
                let token = self.take(|char| char.is_alphanumeric() || matches!(char, '+' | '-' | '.'));
                match json::parse(token) {
                    Ok(value) => Ok(value),
                    Err(error) => self.refuse(error, token, place),
                }
            }
            None => Err(self.unexpected("a value")),
        }
    }

    fn map(&mut self, path: Path) -> Result<Value, SyntaxError> {
        let mut entries: Vec<(Text, Value)> = Vec::new();
        let mut keys = Vec::new();
        if self.closes('}') {
            return Ok(Map::new().into());
        }
        loop {
            self.space();
            let place = self.place;
            if self.peek() != Some('"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string()?;
            self.space();
            if self.peek() != Some(':') {
                return Err(self.unexpected("`:`"));
            }
            self.step();
            let value = self.value(path.child(&key), Some(place))?;
            keys.push((key.clone(), place));
            entries.push((key, value));
            if !self.goes_on('}')? {
                break;
            }
        }
        let (map, repeated) = Map::from_entries(entries);
        if let Some(error) = repeated.filter(|_| self.mode == Mode::Strict).and_then(|_| SyntaxError::repeated(&keys)) {
            self.error.get_or_insert(error);
        }
        Ok(map.into())
    }

    fn list(&mut self, path: Path) -> Result<Value, SyntaxError> {
        let mut items = Vec::new();
        if self.closes(']') {
            return Ok(items.into());
        }
        loop {
            let item = self.value(path.index(items.len()), None)?;
            items.push(item);
            if !self.goes_on(']')? {
                return Ok(items.into());
            }
        }
    }

    fn string(&mut self) -> Result<Text, SyntaxError> {
        let place = self.place;
        let start = self.pos;
        self.step();
        loop {
            match self.peek() {
                None => return Err(self.unexpected("the closing quote")),
                Some('\\') => {
                    self.step();
                    self.step();
                }
                Some('"') => break,
                Some(_) => self.step(),
            }
        }
        self.step();
        let token = self.text.get(start..self.pos).unwrap_or_default();
        let value = match json::parse(token) {
            Ok(value) => value,
            Err(error) => self.refuse(error, token, place)?,
        };
        Ok(value.as_text().unwrap_or_default().into())
    }

    /// A grammar error ends the stream. Values that only this crate refuses are recorded; compat mode reads them as
    /// kubectl does: integers beyond 64 bits are rounded, and a lone surrogate becomes U+FFFD.
    fn refuse(&mut self, error: json::JsonError, token: &str, place: Position) -> Result<Value, SyntaxError> {
        let inside = place.column.saturating_add(error.place.column).saturating_sub(1);
        let code = Code::from(error.kind);
        let whole = matches!(code, Code::IntegerOutOfRange | Code::NumberOutOfRange);
        let column = if whole { place.column } else { inside };
        let error = SyntaxError::new(code, error.message, Position { column, ..place });
        match (code, self.mode) {
            (Code::IntegerOutOfRange, Mode::Compat) => {
                Ok(token.parse().ok().and_then(Number::double).map_or(Value::Null, Value::from))
            }
            (Code::LoneSurrogate, Mode::Compat) => Ok(mend(token)),
            (Code::IntegerOutOfRange | Code::LoneSurrogate | Code::NumberOutOfRange, _) => {
                self.error.get_or_insert(error);
                Ok(Value::Null)
            }
            _ => Err(error),
        }
    }

    fn closes(&mut self, bracket: char) -> bool {
        self.space();
        let closes = self.peek() == Some(bracket);
        if closes {
            self.step();
        }
        closes
    }

    /// Whether a comma follows, and not the closing bracket.
    fn goes_on(&mut self, bracket: char) -> Result<bool, SyntaxError> {
        if self.closes(bracket) {
            return Ok(false);
        }
        if self.peek() != Some(',') {
            return Err(self.unexpected(&format!("`,` or `{bracket}`")));
        }
        self.step();
        Ok(true)
    }

    fn unexpected(&self, wanted: &str) -> SyntaxError {
        let found = match self.peek() {
            None => String::from("the text ends"),
            Some(char) => format!("found `{}`", char.escape_debug()),
        };
        SyntaxError::new(Code::BadJson, format!("expected {wanted}, but {found}"), self.place)
    }

    fn space(&mut self) {
        self.take(|char| matches!(char, ' ' | '\n' | '\r' | '\t'));
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let start = self.pos;
        while self.peek().is_some_and(&belongs) {
            self.step();
        }
        self.text.get(start..self.pos).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.pos..)?.chars().next()
    }

    fn step(&mut self) {
        let Some(char) = self.peek() else { return };
        self.pos = self.pos.saturating_add(char.len_utf8());
        if char == '\n' {
            self.place = Position { line: self.place.line.saturating_add(1), column: 1 };
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
    }
}

/// A string with U+FFFD for each lone surrogate.
fn mend(token: &str) -> Value {
    let mut mended = String::new();
    let mut rest = token;
    while let Some(at) = rest.find('\\') {
        let (before, escaped) = rest.split_at_checked(at).unwrap_or((rest, ""));
        mended.push_str(before);
        // A surrogate pair, a `\u` escape or a short escape: the longest one that is a single character.
        let whole = [12, 6, 2].into_iter().filter_map(|length| escaped.split_at_checked(length)).find(|(escape, _)| {
            let read = json::parse(&format!("\"{escape}\""));
            read.is_ok_and(|value| value.as_text().is_some_and(|text| text.chars().count() == 1))
        });
        rest = match whole {
            Some((escape, after)) => {
                mended.push_str(escape);
                after
            }
            None => {
                mended.push('\u{fffd}');
                escaped.get(6..).unwrap_or_default()
            }
        };
    }
    mended.push_str(rest);
    json::parse(&mended).unwrap_or_default()
}
