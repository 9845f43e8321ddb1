//! Translates the parser's errors: position, message, hint, and whether kubectl would report an error as well.

use saphyr_parser::ScanError;

use super::scanner_input::{count, place_of};
use super::syntax_error::SyntaxError;
use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;

/// How far the document was read before the error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// The column of the outermost collection, if one is open.
    pub(super) top: Option<u32>,
    /// Whether the document has ended.
    pub(super) ended: bool,
    /// The number of characters that the events cover, and of brackets open there.
    pub(super) reached: (usize, usize),
}

/// Explains an error of the parser.
pub(super) fn explain(error: &ScanError, text: &str, progress: Progress) -> SyntaxError {
    let mark = error.marker();
    let place = place_of(*mark);
    let info = error.info();
    let before = lines_up_to(text, mark.index());
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    if text.chars().nth(mark.index()) == Some('\u{feff}') {
        return SyntaxError::byte_order_mark(place);
    }
    // The parser skips a byte order mark at the start of a line and reports the text after it.
    if let Some(at) = before.find("\n\u{feff}").or_else(|| before.find("\r\u{feff}")) {
        return SyntaxError::byte_order_mark(place_after(before.get(..=at).unwrap_or_default()));
    }
    if let Some(error) = broken_property(text, progress.reached.0, mark.index()) {
        return error;
    }
    let in_brackets = inside_brackets(text, progress.reached, mark.index());
    if is_unread(info, before, progress, in_brackets) {
        return SyntaxError::unread(place);
    }
    if info.contains("unknown escape") {
        return unknown_escape(text, mark.index(), place);
    }
    if info.contains("recursion limit") {
        return SyntaxError::too_deep(place);
    }
    if let Some(row) = STRICTER.iter().find(|row| info.contains(row.says) && (row.when)(text, before, mark.index())) {
        return SyntaxError::unportable(row.message, place).hint(row.hint);
    }
    if info.contains("unknown anchor") {
        return SyntaxError::new(Code::BadAlias, "the alias refers to no earlier anchor", place);
    }
    if info.contains("expected whitespace") && in_brackets && text.chars().nth(mark.index()) == Some('\t') {
        return SyntaxError::unportable("a tab follows the sign of a key in brackets", place).hint("use a space");
    }
    if info.contains("tabs disallowed") {
        let tab = line.chars().position(|char| char == '\t');
        let place = Position { column: tab.map_or(place.column, |at| count(at).saturating_add(1)), ..place };
        return match in_brackets {
            true => SyntaxError::unportable("a tab indents a line in brackets", place).hint("use spaces"),
            false => SyntaxError::tab(place),
        };
    }
    let error = SyntaxError::bad(format!("not YAML: {}", info.replace('\'', "`")), place);
    match hint(info, before) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Whether kubectl has read a complete document by now and would ignore the rest.
fn is_unread(info: &str, before: &str, progress: Progress, in_brackets: bool) -> bool {
    const AT_TOP: &[&str] = &[
        "<document start>",
        "invalid trailing content",
        "comment intercepting",
        "misplaced bracket",
        "before directive",
    ];
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let indent = line.chars().take_while(|char| *char == ' ').count();
    let has_tab = line.trim_start_matches(' ').starts_with('\t');
    match progress.top {
        _ if progress.ended || info.contains("after document end marker") => true,
        Some(column) => !in_brackets && !has_tab && count(indent).saturating_add(1) < column,
        None => AT_TOP.iter().any(|part| info.contains(part)),
    }
}

/// Where YAML 1.2 is stricter than kubectl.
struct Stricter {
    /// The parser's message,
    says: &'static str,
    /// the condition (on the text, its lines up to the error, the character at the error),
    when: fn(&str, &str, usize) -> bool,
    /// our message,
    message: &'static str,
    /// and the hint.
    hint: &'static str,
}

const fn stricter(says: &'static str, message: &'static str, hint: &'static str) -> Stricter {
    Stricter { says, when: |_, _, _| true, message, hint }
}

const ALIAS: &str = "an alias needs a blank on both sides of the colon after it";
const SPACE: &str = "put a space there";

const STRICTER: &[Stricter] = &[
    Stricter { when: alias_at_colon, ..stricter("unknown anchor", ALIAS, SPACE) },
    Stricter { when: alias_at_colon, ..stricter("simple key", ALIAS, SPACE) },
    Stricter { when: alias_at_colon, ..stricter("did not find expected", ALIAS, SPACE) },
    Stricter { when: alias_at_colon, ..stricter("expected ',' or ']'", ALIAS, SPACE) },
    Stricter { when: alias_at_colon, ..stricter("comment intercepting", ALIAS, SPACE) },
    Stricter {
        when: |_, before, _| last_lines(before).any(|line| line.trim_start().starts_with(['|', '>'])),
        ..stricter(
            "simple key",
            "the indicator of a block scalar is not indented far enough",
            "put it on the line of its key",
        )
    },
    Stricter {
        when: |text, _, at| text.chars().nth(at) == Some('?'),
        ..stricter(
            "unexpected end of plain scalar",
            "kubectl takes this sign for that of a key",
            "put a space after it, or quotes around the text",
        )
    },
    stricter(
        "invalid indentation in quoted",
        "a quoted text goes on left of where it may",
        "indent it further than the key",
    ),
    stricter("tab cannot be used", "a tab indents a line of a quoted text", "use spaces"),
    stricter("invalid indentation", "a line in brackets is not indented far enough", "indent it further than the key"),
    stricter("cannot start with '-'", "a single dash in brackets is not a value", "put it in quotes"),
    stricter("ing a tag", "a tag has characters that other readers refuse", "write it without them"),
    stricter(
        "wrongly indented line in block scalar",
        "a line after a block scalar is indented, but less than its text",
        "indent it as the text, or not at all",
    ),
];

fn hint(info: &str, before: &str) -> Option<&'static str> {
    let missing_space = |line: &str| {
        let key = line.trim_start().trim_start_matches("- ");
        key.split_once(':').is_some_and(|(name, rest)| !name.contains(' ') && rest.starts_with(char::is_alphanumeric))
    };
    if info.contains("mapping values are not allowed") {
        Some("a text that holds `: ` needs quotes")
    } else if info.contains("unexpected end of stream") {
        Some("a quote is not closed")
    } else if before.rsplit(['\n', '\r']).take(2).any(missing_space) {
        Some("put a space after the colon")
    } else {
        None
    }
}

/// Finds the escape in the quoted text that starts at the character `start`.
fn unknown_escape(text: &str, start: usize, quote: Position) -> SyntaxError {
    let mut place = quote;
    let mut chars = text.chars().skip(start);
    while let Some(char) = chars.next() {
        if char == '\\' {
            let escaped = chars.next();
            if escaped == Some('\'') {
                return SyntaxError::unportable("`\\'` is an escape to kubectl alone", place).hint("write `'`");
            }
            if !escaped.is_some_and(|char| "0abt\tnvfre \"/\\N_LPxuU\n\r".contains(char)) {
                break;
            }
            place.column = place.column.saturating_add(1);
        }
        if char == '\n' {
            place = Position { line: place.line.saturating_add(1), column: 0 };
        }
        place.column = place.column.saturating_add(1);
    }
    SyntaxError::bad("no such escape in a double-quoted text", place)
        .hint("write `\\\\` for a backslash, or use single quotes")
}

/// Whether one of the last lines has an alias with a colon behind it, without a blank before or after the colon.
fn alias_at_colon(_: &str, before: &str, _: usize) -> bool {
    let name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let at_colon = |rest: &str| {
        let after = rest.trim_start_matches(name);
        after.starts_with(':') || after.trim_start().strip_prefix(':').is_some_and(|rest| !rest.starts_with(' '))
    };
    last_lines(before).any(|line| line.split('*').skip(1).any(at_colon))
}

/// The parser reports some errors several lines too late.
fn last_lines(text: &str) -> impl Iterator<Item = &str> {
    text.rsplit(['\n', '\r']).take(20)
}

/// Whether the character `end` is inside brackets; `depth` of them are open at the character `from`. The parser is a
/// few tokens ahead of its events: brackets among those tokens count, unless they are in quotes or in a comment.
fn inside_brackets(text: &str, (from, mut depth): (usize, usize), end: usize) -> bool {
    let mut chars = text.chars().take(end).skip(from);
    let mut before = ' ';
    while let Some(char) = chars.next() {
        let starts_token = matches!(before, ' ' | '\t' | '\n' | '\r' | '[' | '{' | ',' | ':' | '?' | '\'');
        match char {
            '[' | '{' => depth = depth.saturating_add(1),
            ']' | '}' => depth = depth.saturating_sub(1),
            '"' | '\'' if starts_token => {
                let mut escaped = false;
                chars.by_ref().find(|next| {
                    let closes = *next == char && !escaped;
                    escaped = char == '"' && *next == '\\' && !escaped;
                    closes
                });
            }
            '#' if before.is_whitespace() => {
                chars.by_ref().find(|next| matches!(next, '\n' | '\r'));
            }
            _ => {}
        }
        before = char;
    }
    depth > 0
}

/// The error of an anchor or tag between the characters `from` and `end`. kubectl ends an anchor's name before `:` and
/// `?`, which are part of the name in YAML 1.2, and continues a tag after `,`, `[` and `]`, which end it in YAML 1.2.
fn broken_property(text: &str, from: usize, end: usize) -> Option<SyntaxError> {
    let of_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    // The parser reported the character at the end.
    let mut chars = text.char_indices().take(end.saturating_add(1)).skip(from).peekable();
    let mut before = ' ';
    while let Some((_, char)) = chars.next() {
        let starts = matches!(before, ' ' | '\t' | '\n' | '\r' | '[' | '{' | ',');
        before = char;
        let (goes_on, signs): (fn(char) -> bool, &str) = match char {
            '&' if starts => (of_name, ":?"),
            '!' if starts => (|char| !char.is_whitespace() && !matches!(char, ',' | '[' | ']'), ",[]"),
            _ => continue,
        };
        while let Some((_, next)) = chars.next_if(|(_, next)| goes_on(*next)) {
            before = next;
        }
        let (at, sign) = chars.peek().copied()?;
        if signs.contains(sign) {
            let place = place_after(text.get(..at).unwrap_or_default());
            return Some(if char == '&' {
                SyntaxError::unfinished_name(place)
            } else {
                SyntaxError::unfinished_tag(place)
            });
        }
    }
    None
}

/// The position after `text`.
fn place_after(text: &str) -> Position {
    let pairs = text.matches("\r\n").count();
    let breaks = text.matches(['\n', '\r']).count().saturating_sub(pairs);
    let column = text.rsplit(['\n', '\r']).next().unwrap_or_default().chars().count();
    Position { line: count(breaks).saturating_add(1), column: count(column).saturating_add(1) }
}

/// The text up to the end of the line of the character `at`.
fn lines_up_to(text: &str, at: usize) -> &str {
    let from = text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
    let rest = text.get(from..).unwrap_or_default();
    let end = rest.find(['\n', '\r']).map_or(text.len(), |more| from.saturating_add(more));
    text.get(..end).unwrap_or(text)
}
