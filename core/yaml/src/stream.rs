//! Splits a text into documents as kubectl does.

use std::borrow::Cow;

use super::syntax_error::SyntaxError;
use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;

/// The text of one YAML document.
#[derive(Debug)]
pub(super) struct Chunk<'a> {
    /// Ends with a line break: kubectl adds a missing one.
    pub(super) text: Cow<'a, str>,
    pub(super) lines_before: u32,
    /// Whether the document has its own `---`.
    pub(super) separated: bool,
    /// The error of the line that ends it, with its position in the complete text.
    pub(super) error: Option<SyntaxError>,
}

/// Whether to try JSON first.
pub(super) fn starts_as_json(text: &str) -> bool {
    const LOOK_AHEAD: usize = 4096;
    let first = text.char_indices().find(|(_, char)| !char.is_whitespace());
    matches!(first, Some((at, '{')) if at < LOOK_AHEAD)
}

/// The start of YAML after JSON that ended at `pos`. kubectl looks four bytes ahead here and fails if there are fewer.
/// This function does the same: a text that kubectl cannot read must not pass.
pub(super) fn yaml_after_json(text: &str, mut pos: usize) -> Option<usize> {
    loop {
        let rest = text.get(pos..)?;
        let char = rest.chars().next().filter(|_| rest.len() >= 4)?;
        if !char.is_whitespace() {
            return Some(pos);
        }
        pos = pos.checked_add(char.len_utf8())?;
        if char == '\n' {
            return Some(pos);
        }
    }
}

/// Splits a YAML text at its `---` lines. Only a comment may follow the dashes.
///
/// kubectl keeps such a line at the start of a document, where YAML reads it as the document start as well. The two
/// rules agree except for odd lines, which are refused.
pub(super) fn chunks(text: &str, lines_before: u32) -> Vec<Chunk<'_>> {
    let mut chunks = Vec::new();
    let mut open = Open { start: 0, lines_before, separated: false };
    let (mut line, mut pos) = (lines_before, 0usize);
    for raw in text.split_inclusive('\n') {
        let end = pos.saturating_add(raw.len());
        let next_line = line.saturating_add(breaks(raw));
        if let Some(after) = raw.strip_prefix("---") {
            let error = separator_error(after).map(|error| SyntaxError { place: error.place.below(line), ..error });
            let kept = open.start == pos && !open.separated;
            if !kept || error.is_some() {
                chunks.push(open.close(text, pos, error));
            }
            open = Open { start: end, lines_before: next_line, separated: kept };
        }
        (pos, line) = (end, next_line);
    }
    chunks.push(open.close(text, pos, None));
    chunks
}

fn separator_error(after: &str) -> Option<SyntaxError> {
    let place = Position { line: 1, column: 4 };
    let note = after.trim();
    let is_note = note.is_empty() || note.starts_with('#');
    let is_apart = after.is_empty() || after.starts_with([' ', '\t', '\r', '\n']);
    let goes_on = after.trim_end_matches(['\r', '\n']).contains('\r');
    // Other blanks are blank under one rule and text under the other.
    let has_odd_blank = note != after.trim_matches([' ', '\t', '\r', '\n']);
    if goes_on || (is_note && (!is_apart || has_odd_blank)) {
        return Some(SyntaxError::odd_separator(place));
    }
    if !is_note {
        let error = SyntaxError::bad("only a comment may follow `---`", place);
        return Some(error.hint("start the document on the next line"));
    }
    // kubectl reads the comment of a separator only if it keeps the line.
    check_characters(note).err().map(|error| SyntaxError { code: Code::UnportableYaml, place, ..error })
}

struct Open {
    start: usize,
    lines_before: u32,
    separated: bool,
}

impl Open {
    fn close<'a>(&self, text: &'a str, end: usize, error: Option<SyntaxError>) -> Chunk<'a> {
        let text = text.get(self.start..end).unwrap_or_default();
        let mut text = Cow::Borrowed(text);
        if text.contains("\r\r\n") {
            // kubectl strips the last carriage return of each line and reads one line break here, others read two.
            text = text.replace("\r\n", "\n").into();
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.to_mut().push('\n');
        }
        Chunk { text, lines_before: self.lines_before, separated: self.separated, error }
    }
}

/// The line breaks in a line that ends with `\n` or at the end of the text. Lone carriage returns count too.
fn breaks(line: &str) -> u32 {
    let count = line.bytes().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
    let pairs = line.matches("\r\n").count();
    u32::try_from(count.saturating_sub(pairs)).unwrap_or(u32::MAX)
}

/// Refuses directives: kubectl splits the text at the `---` after them.
pub(super) fn check_directives(text: &str) -> Result<(), SyntaxError> {
    let blank = |line: &str| line.trim_start().is_empty() || line.trim_start().starts_with('#');
    match text.lines().enumerate().find(|(_, line)| !blank(line)) {
        Some((at, line)) if line.starts_with('%') => {
            let place = Position { line: u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1), column: 1 };
            let message = "kubectl cuts a directive off from the document that it is for";
            Err(SyntaxError::unportable(message, place).hint("leave it out"))
        }
        _ => Ok(()),
    }
}

/// Refuses characters that kubectl refuses, and characters that only kubectl reads as line breaks.
pub(super) fn check_characters(text: &str) -> Result<(), SyntaxError> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r')) {
        return Ok(());
    }
    let mut place = Position { line: 1, column: 1 };
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{85}' | '\u{2028}' | '\u{2029}' => {
                let message = format!("U+{:04X} is a line break to kubectl and not to other readers", u32::from(char));
                return Err(SyntaxError::unportable(message, place).hint("write it as an escape in double quotes"));
            }
            '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => {}
            _ => {
                let message = format!("the character U+{:04X} is not allowed in YAML", u32::from(char));
                return Err(SyntaxError::bad(message, place).hint("write it as an escape in double quotes"));
            }
        }
        if char == '\n' || (char == '\r' && chars.peek() != Some(&'\n')) {
            place = Position { line: place.line.saturating_add(1), column: 1 };
        } else {
            place.column = place.column.saturating_add(1);
        }
    }
    Ok(())
}
