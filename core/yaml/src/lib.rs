//! Reads YAML and JSON as kubectl does, with the position of every value, and prints YAML.
//!
//! ```
//! use fleetfold_value::diagnostic::Mode;
//! use fleetfold_value::value::path::Pointer;
//!
//! let text = "kind: ConfigMap\ndata:\n  enabled: 'yes'\n";
//! let documents = fleetfold_yaml::parse(text, Mode::Strict, &mut Vec::new()).unwrap();
//! assert_eq!(documents[0].value.to_canonical(), r#"{"data":{"enabled":"yes"},"kind":"ConfigMap"}"#);
//! let place = documents[0].places.value(&Pointer::of(["data", "enabled"])).unwrap();
//! assert_eq!((place.line, place.column), (3, 12));
//! ```
//!
//! kubectl uses `sigs.k8s.io/yaml`. That has the grammar of libyaml and its own rules for words and numbers, which are
//! neither those of YAML 1.1 nor of 1.2. It tries JSON first if the text starts with `{`, and splits the text at `---`
//! lines before it parses. This crate reads the same values with `saphyr-parser`, a YAML 1.2 parser:
//!
//! 1. `stream` splits the text into documents; `json_text` reads JSON documents.
//! 2. `scanner_input` is the parser's input and classifies characters as kubectl's scanner does.
//! 3. `build` builds values from events. `resolve` and `tagged` determine the type of a scalar. `lexer` walks the text
//!    along with the events and refuses YAML that the two grammars read differently. `syntax` explains the parser's
//!    errors.
//! 4. `print` prints a value so that kubectl and others read it back as the same value.
//!
//! # YAML that kubectl accepts and this crate refuses
//!
//! An error is better than a different value. In both modes (`unportable-yaml`, unless the table names another code):
//!
//! | text | kubectl | reason to refuse it |
//! |---|---|---|
//! | anything after the end of the document: `[1] foo`, text after `...` | ignores it | written to be read |
//! | U+0085, U+2028, U+2029 unescaped | line breaks | characters for other parsers |
//! | a byte order mark at the start of a line or in a block scalar | a character | the end of a document |
//! | a quoted text with continuation lines that are not indented, or by a tab | accepted | not YAML 1.2 |
//! | lines in brackets, not indented deeper than the key | accepted | not YAML 1.2, except for the closing bracket |
//! | a line with `#` in the first column below a block scalar without a key | a comment | its text in YAML 1.2 |
//! | `[a]: b` at the start of the text | `[a]`; ignores the rest | a key that is a list (`bad-key`) |
//! | a tab after `?` in brackets | accepted | `saphyr-parser` refuses it |
//! | `*x:`, `[*x?]`, `&x:y` | the name ends before the sign | the sign is part of the name in YAML 1.2 |
//! | `[!!str, a]`, `!a,b` | the comma is part of the tag | it is not in YAML 1.2 |
//! | `[?a]`, `[-]`, `[*a :b]` | a key, a text, a value | a text, an error, a text in YAML 1.2 |
//! | `"\'"` | `'` | no escape in YAML 1.2 |
//! | a tab in the indentation of a plain text's next line | accepted right of the parent's column | indents by tabs |
//! | `%YAML` and other directives | separated from their document, mostly an error | |
//!
//! Strict mode also refuses duplicate keys (`duplicate-key`) and integers outside int64 (`integer-out-of-range`). Both
//! modes refuse nesting deeper than 100 levels (`too-deep`).
//!
//! # Limits
//!
//! Aliases share their node, so they need no memory, but readers of the value visit the node once per alias. A document
//! is refused (`too-large`) if kubectl refuses it, by the share of nodes reached through aliases, or if more than
//! [`MAX_ALIASED`] nodes are reached through aliases.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::panic,
        clippy::unreachable,
        reason = "bad input is an answer, never a trap"
    )
)]

/// The digest of this crate's source.
#[doc(hidden)]
pub const SOURCE_DIGEST: &str = env!("FLEETFOLD_SOURCE_DIGEST");

mod build;
mod json_text;
mod lexer;
mod places;
mod print;
mod resolve;
mod scalar;
mod scanner_input;
mod stream;
mod syntax;
mod syntax_error;
mod tagged;

pub use places::Places;
pub use print::{Line, Token, TokenKind, is_invisible, is_plain, print, print_all, print_lines};

use json_text::JsonText;
use scalar::Findings;
use syntax_error::SyntaxError;

use fleetfold_value::diagnostic::Mode;
use fleetfold_value::diagnostic::{Code, Diagnostic, Error, InputLocation, Location};
use fleetfold_value::value::Position;
use fleetfold_value::value::Value;
use fleetfold_value::value::path::Pointer;

/// Reads all documents of a text. The first unreadable document is the error. Warnings go to `out`.
///
/// # Example
///
/// ```
/// use fleetfold_value::diagnostic::Mode;
/// use fleetfold_yaml as yaml;
///
/// let documents = yaml::parse("a: yes\n---\nb: 1\n", Mode::Compat, &mut Vec::new()).unwrap();
/// assert_eq!(documents.len(), 2);
/// assert_eq!(documents[0].value.to_canonical(), r#"{"a":true}"#);
/// ```
pub fn parse(text: &str, mode: Mode, out: &mut Vec<Diagnostic>) -> Result<Vec<Parsed>, YamlError> {
    parse_each(text, mode, out).into_iter().collect()
}

/// Reads all documents of a text. An unreadable document does not hide the others. Empty documents are omitted.
///
/// # Example
///
/// ```
/// use fleetfold_value::diagnostic::Mode;
///
/// let text = "kind: Namespace\n---\nkind: [\n---\nkind: Service\n";
/// let documents = fleetfold_yaml::parse_each(text, Mode::Strict, &mut Vec::new());
/// assert!(documents[0].is_ok());
/// assert!(documents.iter().any(Result::is_err));
/// ```
pub fn parse_each(text: &str, mode: Mode, out: &mut Vec<Diagnostic>) -> Vec<Result<Parsed, YamlError>> {
    let mut stream = Stream { mode, documents: Vec::new(), findings: Findings::default() };
    match stream::starts_as_json(text) {
        true => stream.json(text),
        false => stream.yaml(text, 0, None),
    }
    stream.findings.finish(out);
    let many = stream.documents.len() > 1;
    let number = |(at, document): (usize, Result<Parsed, SyntaxError>)| {
        document.map_err(|error| YamlError::new(error, many.then(|| at.saturating_add(1))))
    };
    stream.documents.into_iter().enumerate().map(number).collect()
}

/// The position of a value in one of a text's documents. Documents without content do not count, and only the requested
/// one is read.
///
/// # Example
///
/// ```
/// use fleetfold_value::value::{Position, path::Pointer};
///
/// let text = "kind: Service\nspec:\n  ports:\n  - port: 80\n";
/// let place = fleetfold_yaml::place_in(text, 0, &Pointer::parse("/spec/ports/0/port").unwrap());
/// assert_eq!(place, Some(Position { line: 4, column: 11 }));
/// ```
pub fn place_in(text: &str, document: usize, pointer: &Pointer) -> Option<Position> {
    let (mut part, mut lines_before, mut left) = (String::new(), 0_u32, document);
    for (number, line) in (0_u32..).zip(text.split_inclusive('\n').chain(["---"])) {
        if line.starts_with("---") {
            if has_content(&part) {
                if left == 0 {
                    let parsed = parse(&part, Mode::Strict, &mut Vec::new()).ok()?;
                    return Some(parsed.first()?.places.nearest(pointer)?.below(lines_before));
                }
                left = left.saturating_sub(1);
            }
            part.clear();
            lines_before = number;
        }
        part.push_str(line);
    }
    None
}

/// Whether a part of a text has more than comments and its `---`.
fn has_content(part: &str) -> bool {
    let lines = part.lines().map(|line| line.strip_prefix("---").unwrap_or(line).trim());
    lines.into_iter().any(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A document and the positions of its values.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub value: Value,
    pub places: Places,
}

/// Why a document cannot be read, with the position in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct YamlError {
    pub code: Code,
    pub message: String,
    pub hint: Option<String>,
    pub place: Position,
}

impl YamlError {
    fn new(error: SyntaxError, document: Option<usize>) -> YamlError {
        let message = match document {
            Some(number) => format!("document {number}: {}", error.message),
            None => error.message,
        };
        YamlError { code: error.code, message, hint: error.hint, place: error.place }
    }

    /// The error as a request returns it, at `file:line:column`, or `line:column` of a text without a name.
    pub fn into_error(self, file: Option<&str>) -> Error {
        let at = InputLocation::Position { file: file.map(Box::from), position: self.place };
        Error::new(self.code, self.message).at(at).maybe_hint(self.hint)
    }

    /// The error as a diagnostic of an answer that has the other documents of the text.
    pub fn into_diagnostic(self, file: Option<&str>) -> Diagnostic {
        let at = Location { file: file.map(String::from), place: Some(self.place), ..Location::default() };
        Diagnostic { at, hint: self.hint, ..Diagnostic::error(self.code, self.message) }
    }
}

struct Stream {
    mode: Mode,
    documents: Vec<Result<Parsed, SyntaxError>>,
    findings: Findings,
}

impl Stream {
    /// Reads consecutive JSON values. Text that is not JSON is read as YAML from there on, unless two values precede
    /// it.
    fn json(&mut self, text: &str) {
        let mut json = JsonText::new(text, self.mode);
        let mut count = 0usize;
        while let Some(next) = json.next() {
            let error = match next {
                Err(error) if error.code == Code::BadJson => error,
                Err(error) if error.code == Code::TooDeep => return self.documents.push(Err(error)),
                other => {
                    count = count.saturating_add(1);
                    self.push(other.map(Some));
                    continue;
                }
            };
            match stream::yaml_after_json(text, json.pos()).filter(|_| count <= 1) {
                None => self.documents.push(Err(error)),
                // If the text is neither, the error is that of the format it looks like.
                Some(start) => self.yaml(text, start, looks_like_json(text, json.pos()).then_some(error)),
            }
            return;
        }
    }

    fn yaml(&mut self, text: &str, start: usize, mut instead: Option<SyntaxError>) {
        let before = text.get(..start).unwrap_or_default();
        let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
        let rest = text.get(start..).unwrap_or_default();
        let marked = rest.strip_prefix('\u{feff}');
        for (at, mut chunk) in stream::chunks(marked.unwrap_or(rest), lines).into_iter().enumerate() {
            // For kubectl, the first line is no separator after a byte order mark.
            if let Some(error) = chunk.error.as_mut().filter(|_| at == 0 && marked.is_some()) {
                *error = SyntaxError::odd_separator(error.place);
            }
            self.findings.lines_before = chunk.lines_before;
            let document = stream::check_characters(&chunk.text)
                .and_then(|()| stream::check_directives(&chunk.text))
                .and_then(|()| {
                    build::build(&chunk.text, self.mode, chunk.lines_before, chunk.separated, &mut self.findings)
                })
                .map_err(|error| SyntaxError { place: error.place.below(chunk.lines_before), ..error })
                .map_err(|error| instead.take().filter(|_| error.code == Code::BadYaml).unwrap_or(error));
            self.push(document);
            if let Some(error) = chunk.error {
                self.documents.push(Err(error));
            }
            instead = None;
        }
    }

    fn push(&mut self, document: Result<Option<Parsed>, SyntaxError>) {
        match document {
            Ok(None) => {}
            Ok(Some(parsed)) if parsed.value.is_null() => {}
            Ok(Some(parsed)) => self.documents.push(Ok(parsed)),
            Err(error) => self.documents.push(Err(error)),
        }
    }
}

/// Whether the first character after the brace is a double quote, as in JSON.
fn looks_like_json(text: &str, pos: usize) -> bool {
    let rest = text.get(pos..).unwrap_or_default().trim_start();
    rest.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'))
}

/// The limit of nodes of one document that are reached through aliases.
pub const MAX_ALIASED: u64 = 1_000_000;

/// Counts visited nodes, once more for each alias.
#[derive(Debug)]
struct Budget {
    visits: u64,
    aliased: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        // The document itself is a node.
        Budget { visits: 1, aliased: 0 }
    }
}

impl Budget {
    fn visits(&self) -> u64 {
        self.visits
    }

    /// Counts `direct` and `aliased` nodes and applies kubectl's rule: above a thousand nodes, 99 in 100 may be reached
    /// through aliases up to 400,000 nodes, falling to 10 in 100 at 4,000,000.
    fn visit(&mut self, direct: u64, aliased: u64) -> Result<(), Code> {
        self.aliased = self.aliased.saturating_add(aliased);
        self.visits = self.visits.saturating_add(direct).saturating_add(aliased);
        let (few, many) = (400_000.0, 4_000_000.0);
        let visits = self.visits as f64;
        let allowed = (0.99 - 0.89 * (visits - few) / (many - few)).clamp(0.10, 0.99);
        let bomb = self.aliased > 100 && self.visits > 1000 && self.aliased as f64 / visits > allowed;
        if bomb || self.aliased > MAX_ALIASED { Err(Code::TooLarge) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
