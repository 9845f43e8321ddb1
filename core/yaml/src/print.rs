//! Prints values as YAML that kubectl reads back as the same values.
//!
//! 1. Keys are sorted. Maps and lists are blocks, lists at the indentation of their key, empty ones `{}` and `[]`.
//! 2. A string is plain only if no reader takes it for another type (`scalar`); otherwise it has double quotes.
//! 3. A string of several lines is a literal block if that keeps every byte.
//! 4. A key of more than 128 characters has the form `? key`: readers limit simple keys.

mod scalar;

use fleetfold_value::value::Value;
use fleetfold_value::value::path::Pointer;

pub use scalar::{is_invisible, is_plain};

/// Prints one document, without a `---`.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::json;
///
/// let value = json::parse(r#"{"kind":"ConfigMap","data":{"mode":"0644","run":"one\ntwo\n","tags":[]}}"#).unwrap();
/// let text = "data:\n  mode: \"0644\"\n  run: |\n    one\n    two\n  tags: []\nkind: ConfigMap\n";
/// assert_eq!(fleetfold_yaml::print(&value), text);
/// ```
pub fn print(value: &Value) -> String {
    let mut printer = Printer::default();
    printer.document(value);
    printer.out
}

/// Prints documents as one text, with a `---` between two of them.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::Value;
///
/// let documents = [Value::map([("a", 1_i64)]), Value::map([("b", 2_i64)])];
/// assert_eq!(fleetfold_yaml::print_all(&documents), "a: 1\n---\nb: 2\n");
/// ```
pub fn print_all<'a>(documents: impl IntoIterator<Item = &'a Value>) -> String {
    let mut printer = Printer::default();
    for (index, document) in documents.into_iter().enumerate() {
        if index > 0 {
            printer.out.push_str("---\n");
        }
        printer.document(document);
    }
    printer.out
}

/// Prints one document as [`print`] does, line by line, with the place of the value on each line.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::json;
///
/// let value = json::parse(r#"{"ports":[{"port":80}]}"#).unwrap();
/// let lines = fleetfold_yaml::print_lines(&value);
/// assert_eq!(lines[1].text(), "- port: 80");
/// assert_eq!(lines[1].pointer.to_string(), "/ports/0/port");
/// ```
pub fn print_lines(value: &Value) -> Vec<Line> {
    let mut printer = Printer { record: Some(Record::default()), ..Printer::default() };
    printer.document(value);
    printer.record.unwrap_or_default().lines
}

/// A printed line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The place of the innermost value that starts or goes on here.
    pub pointer: Pointer,
    pub tokens: Vec<Token>,
}

impl Line {
    /// The line, without its line break.
    pub fn text(&self) -> String {
        self.tokens.iter().map(|token| token.text.as_str()).collect()
    }
}

/// A part of a printed line.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub text: String,
}

/// What a token is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Space,
    /// A sign of YAML, such as `- `, `:` and `|`.
    Mark,
    Key,
    String,
    Number,
    /// `true`, `false` and `null`.
    Word,
}

#[derive(Default)]
struct Printer {
    out: String,
    /// The lines, if they are wanted.
    record: Option<Record>,
}

#[derive(Default)]
struct Record {
    lines: Vec<Line>,
    pointer: Pointer,
    tokens: Vec<Token>,
}

impl Printer {
    fn document(&mut self, value: &Value) {
        if is_block(value) {
            self.block(value, 0, false);
        } else {
            self.leaf(value, 0);
        }
    }

    /// Prints a non-empty list or map. `started`: the first line is already indented.
    fn block(&mut self, value: &Value, indent: usize, mut started: bool) {
        let mut margin = |printer: &mut Printer| {
            if !std::mem::take(&mut started) {
                printer.space(indent);
            }
        };
        match value {
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    margin(self);
                    self.inside(|| index.to_string(), |printer| printer.item(item, indent));
                }
            }
            Value::Map(map) => {
                for (key, item) in map.iter() {
                    margin(self);
                    self.inside(|| key.to_string(), |printer| printer.entry(key, item, indent));
                }
            }
            _ => {}
        }
    }

    fn item(&mut self, value: &Value, indent: usize) {
        self.token(TokenKind::Mark, "- ");
        if is_block(value) {
            self.block(value, deeper(indent), true);
        } else {
            self.leaf(value, deeper(indent));
        }
    }

    fn entry(&mut self, key: &str, value: &Value, indent: usize) {
        const SIMPLE: usize = 128;
        let written = scalar::on_one_line(key);
        if written.chars().count() > SIMPLE {
            self.token(TokenKind::Mark, "? ");
            self.token(TokenKind::Key, &written);
            self.end_line();
            self.space(indent);
        } else {
            self.token(TokenKind::Key, &written);
        }
        self.token(TokenKind::Mark, ":");
        if is_block(value) {
            self.end_line();
            // A list has the indentation of its key.
            let inner = if value.as_list().is_some() { indent } else { deeper(indent) };
            self.block(value, inner, false);
        } else {
            self.space(1);
            self.leaf(value, deeper(indent));
        }
    }

    /// Prints a scalar or an empty list or map, to the end of its line. A literal block has this indentation.
    fn leaf(&mut self, value: &Value, indent: usize) {
        match value {
            Value::Null => self.token(TokenKind::Word, "null"),
            Value::Bool(bool) => self.token(TokenKind::Word, if *bool { "true" } else { "false" }),
            Value::Number(number) => self.token(TokenKind::Number, &scalar::number(*number)),
            Value::Text(text) if indent > 0 && scalar::is_literal(text) => return self.literal(text, indent),
            Value::Text(text) => self.token(TokenKind::String, &scalar::on_one_line(text)),
            Value::List(_) => self.token(TokenKind::Mark, "[]"),
            Value::Map(_) => self.token(TokenKind::Mark, "{}"),
        }
        self.end_line();
    }

    fn literal(&mut self, text: &str, indent: usize) {
        let (body, mark) = match text.strip_suffix('\n') {
            None => (text, "|-"),
            Some(body) if body.ends_with('\n') => (body, "|+"),
            Some(body) => (body, "|"),
        };
        self.token(TokenKind::Mark, mark);
        self.end_line();
        for line in body.split('\n') {
            if !line.is_empty() {
                self.space(indent);
                self.token(TokenKind::String, line);
            }
            self.end_line();
        }
    }

    fn inside(&mut self, segment: impl Fn() -> String, print: impl FnOnce(&mut Printer)) {
        if let Some(record) = &mut self.record {
            record.pointer.push(segment());
        }
        print(self);
        if let Some(record) = &mut self.record {
            record.pointer.pop();
        }
    }

    fn space(&mut self, width: usize) {
        if width > 0 {
            self.token(TokenKind::Space, &" ".repeat(width));
        }
    }

    fn token(&mut self, kind: TokenKind, text: &str) {
        self.out.push_str(text);
        if let Some(record) = &mut self.record {
            record.tokens.push(Token { kind, text: text.to_owned() });
        }
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        if let Some(Record { lines, pointer, tokens }) = &mut self.record {
            lines.push(Line { pointer: pointer.clone(), tokens: std::mem::take(tokens) });
        }
    }
}

fn deeper(indent: usize) -> usize {
    indent.saturating_add(2)
}

fn is_block(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Map(_)) && !value.is_empty()
}

#[cfg(test)]
mod tests;
