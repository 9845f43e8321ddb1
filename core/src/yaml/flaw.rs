//! What is wrong with one document, with its place inside that document.

use saphyr_parser::ScanError;

use crate::diagnostic::{Code, Place};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flaw {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) place: Place,
}

impl Flaw {
    pub(super) fn new(code: Code, message: impl Into<String>, place: Place) -> Flaw {
        Flaw { code, message: message.into(), hint: None, place }
    }

    /// Readers take this differently, so it is refused.
    pub(super) fn unportable(message: impl Into<String>, place: Place) -> Flaw {
        Flaw::new(Code::UnportableYaml, message, place)
    }

    /// Text after the document's end, which kubectl drops in silence.
    pub(super) fn unread(place: Place) -> Flaw {
        Flaw::unportable("this text follows the end of the document, and kubectl would not read it", place)
            .hint("put a line `---` before it, or indent it as what it belongs to")
    }

    pub(super) fn tab(place: Place) -> Flaw {
        Flaw::new(Code::BadYaml, "a tab cannot indent", place).hint("use spaces")
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Flaw {
        self.hint = Some(hint.into());
        self
    }

    /// Puts the parser's error in our words. `at_top` says that no collection is open, `ended` that the document is over.
    pub(super) fn of_syntax(error: &ScanError, text: &str, at_top: bool, ended: bool) -> Flaw {
        let mark = error.marker();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let place = Place { line: count(mark.line()), column: count(mark.col()).saturating_add(1) };
        let has = |part: &str| error.info().contains(part);
        if ended || (at_top && TOO_MUCH.iter().any(|part| has(part))) {
            return Flaw::unread(place);
        }
        let here = text.chars().nth(mark.index());
        let line = lines_up_to(text, place.line);
        if alias_before_colon(line)
            && ["unknown anchor", "simple key", "did not find expected"].iter().any(|part| has(part))
        {
            return Flaw::unportable("an alias needs a blank on both sides of the colon after it", place)
                .hint("put a space there");
        }
        if has("unknown anchor") {
            return Flaw::new(Code::BadAlias, "the alias names no anchor that stands before it", place);
        }
        if has("recursion limit") {
            return Flaw::new(Code::TooDeep, too_deep(), place);
        }
        if has("tabs disallowed") {
            return if inside_brackets(text, mark.index()) {
                Flaw { code: Code::UnportableYaml, ..Flaw::tab(place) }
            } else {
                Flaw::tab(place)
            };
        }
        if has("unknown escape") {
            return unknown_escape(text, mark.index(), place);
        }
        if has("unexpected end of plain scalar") && here == Some('?') {
            return Flaw::unportable("kubectl takes this sign for that of a key", place)
                .hint("put a space after it, or quotes around the text");
        }
        if let Some((_, message, hint)) = STRICTER.iter().find(|(part, ..)| has(part)) {
            return Flaw::unportable(*message, place).hint(*hint);
        }
        let flaw = Flaw::new(Code::BadYaml, format!("not YAML: {}", error.info().replace('\'', "`")), place);
        match hint(error.info(), line) {
            Some(hint) => flaw.hint(hint),
            None => flaw,
        }
    }
}

pub(super) fn too_deep() -> String {
    format!("nested deeper than {} levels", crate::json::MAX_DEPTH)
}

/// Errors that at the top of a document mean: kubectl has read a whole document by now, and drops the rest.
const TOO_MUCH: &[&str] = &[
    "<document start>",
    "invalid trailing content",
    "comment intercepting",
    "misplaced bracket",
    "before directive",
    "after document end marker",
];

/// Where YAML 1.2 is stricter than kubectl: what the parser says, what we say, what helps.
const STRICTER: &[(&str, &str, &str)] = &[
    (
        "invalid indentation in quoted scalar",
        "a quoted text goes on left of where it may",
        "indent its lines further than the key",
    ),
    ("tab cannot be used as indentation", "a tab indents a line of a quoted text", "use spaces"),
    ("invalid indentation", "a line in brackets stands left of where it may", "indent it further than the key"),
    (
        "byte order mark",
        "a byte order mark stands inside the document",
        "remove it, or write `\\ufeff` in double quotes",
    ),
    ("cannot start with `-`", "a lone dash in brackets", "put it in quotes"),
    ("'-' followed by", "a lone dash in brackets", "put it in quotes"),
    (
        "wrongly indented line in block scalar",
        "a line after a block scalar is indented, but less than its text",
        "indent it as the text, or not at all",
    ),
    ("while scanning a tag", "a tag of characters that other readers refuse", "write the tag without them"),
];

fn hint(info: &str, line: &str) -> Option<&'static str> {
    if info.contains("mapping values are not allowed") {
        return Some("a text that holds `: ` needs quotes");
    }
    let missing_space = line.lines().rev().take(2).any(|line| {
        let key = line.trim_start().trim_start_matches("- ");
        key.split_once(':')
            .is_some_and(|(name, rest)| !name.contains(' ') && rest.starts_with(|char: char| char.is_alphanumeric()))
    });
    if missing_space {
        return Some("put a space after the colon");
    }
    if info.contains("unexpected end of stream") {
        return Some("a quote is not closed");
    }
    line.lines().rev().take(2).any(|line| line.starts_with('\t')).then_some("use spaces, not tabs, to indent")
}

/// The text to the end of the given line.
fn lines_up_to(text: &str, line: u32) -> &str {
    let lines = usize::try_from(line).unwrap_or(usize::MAX);
    let end = text.match_indices('\n').nth(lines.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// Whether one of the last lines has an alias whose name runs into a colon.
fn alias_before_colon(text: &str) -> bool {
    text.lines().rev().take(20).any(|line| {
        line.split('*').skip(1).any(|rest| {
            let name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
            let after = rest.trim_start_matches(name);
            after.starts_with(':') || after.trim_start().strip_prefix(':').is_some_and(|rest| !rest.starts_with(' '))
        })
    })
}

fn inside_brackets(text: &str, end: usize) -> bool {
    let depth = text.chars().take(end).fold(0i64, |depth, char| match char {
        '[' | '{' => depth.saturating_add(1),
        ']' | '}' => depth.saturating_sub(1),
        _ => depth,
    });
    depth > 0
}

/// Finds the escape in the quoted text that starts at `start`.
fn unknown_escape(text: &str, start: usize, quote: Place) -> Flaw {
    let mut place = quote;
    let mut chars = text.chars().skip(start);
    while let Some(char) = chars.next() {
        if char == '\\' {
            let escaped = chars.next();
            if escaped == Some('\'') {
                return Flaw::unportable("`\\'` is an escape to kubectl alone", place).hint("write `'`");
            }
            if !escaped.is_some_and(|char| "0abt\tnvfre \"/\\N_LPxuU\n\r".contains(char)) {
                break;
            }
            place.column = place.column.saturating_add(1);
        }
        if char == '\n' {
            place = Place { line: place.line.saturating_add(1), column: 0 };
        }
        place.column = place.column.saturating_add(1);
    }
    Flaw::new(Code::BadYaml, "no such escape in a double-quoted text", place)
        .hint("write `\\\\` for a backslash, or use single quotes")
}
