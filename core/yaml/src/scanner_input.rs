//! The scanner's input, with kubectl's rules where they differ from YAML 1.2 for single characters.
//!
//! The input decides whether a plain scalar continues and what can be skipped up to the end of a line. It decides these
//! cases as kubectl's scanner does:
//!
//! 1. A comment may follow a quoted text, a bracket or a block scalar's header without a blank: `"v"#c`, `|#c`.
//! 2. In flow, a colon ends a plain scalar only before a blank (`{a:1}` has one key, `a:1`), and `?` always does.
//! 3. A tab after a colon separates as a space does: `a:⇥b`.

use saphyr_parser::input::{SkipTabs, is_blank, is_blank_or_breakz, is_breakz, is_flow};
use saphyr_parser::{Input, Marker};

use fleetfold_value::value::Position;

pub(super) struct ScannerInput<'a> {
    text: &'a str,
    at: usize,
    /// The lookahead that the scanner requested. All of the text is available, but the scanner expects this number
    /// back.
    requested: usize,
}

impl<'a> ScannerInput<'a> {
    pub(super) fn new(text: &'a str) -> ScannerInput<'a> {
        ScannerInput { text, at: 0, requested: 0 }
    }

    fn is_document(&self, mark: &[u8]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        rest.strip_prefix(mark)
            .is_some_and(|rest| rest.first().is_none_or(|byte| is_blank_or_breakz(char::from(*byte))))
    }
}

/// The character of a text at a byte offset. Nearly all are ASCII and need no decoding. This is the hottest function of
/// the crate, so it is inlined even when optimizing for size.
#[inline(always)]
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        Some(_) => wide_char_at(text, at),
        None => None,
    }
}

#[cold]
#[inline(never)]
fn wide_char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

impl Input for ScannerInput<'_> {
    fn lookahead(&mut self, count: usize) {
        self.requested = self.requested.max(count);
    }

    fn buflen(&self) -> usize {
        self.requested
    }

    fn bufmaxlen(&self) -> usize {
        128
    }

    fn raw_read_ch(&mut self) -> char {
        let read = self.peek();
        self.skip();
        read
    }

    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        let read = self.peek_opt().filter(|char| !is_breakz(*char) && *char != '\u{feff}')?;
        self.at = self.at.saturating_add(read.len_utf8());
        Some(read)
    }

    #[inline(always)]
    fn skip(&mut self) {
        self.at = self.at.saturating_add(self.peek_opt().map_or(0, char::len_utf8));
    }

    fn skip_n(&mut self, count: usize) {
        (0..count).for_each(|_| self.skip());
    }

    #[inline(always)]
    fn peek(&self) -> char {
        char_at(self.text, self.at).unwrap_or('\0')
    }

    fn peek_nth(&self, n: usize) -> char {
        let mut at = self.at;
        for _ in 0..n {
            at = at.saturating_add(char_at(self.text, at).map_or(0, char::len_utf8));
        }
        char_at(self.text, at).unwrap_or('\0')
    }

    #[inline(always)]
    fn peek_opt(&self) -> Option<char> {
        char_at(self.text, self.at)
    }

    fn next_is_document_indicator(&self) -> bool {
        self.next_is_document_start() || self.next_is_document_end()
    }

    fn next_is_document_start(&self) -> bool {
        self.is_document(b"---")
    }

    fn next_is_document_end(&self) -> bool {
        self.is_document(b"...")
    }

    fn skip_while_non_breakz(&mut self) -> usize {
        let mut count = 0;
        while self.raw_read_non_breakz_ch().is_some() {
            count += 1;
        }
        count
    }

    fn skip_while_blank(&mut self) -> usize {
        let mut count = 0;
        while is_blank(self.peek()) {
            self.skip();
            count += 1;
        }
        count
    }

    fn skip_ws_to_eol(&mut self, tabs: SkipTabs) -> (usize, Result<SkipTabs, &'static str>) {
        let (mut count, mut found_tab) = (0, false);
        loop {
            match self.peek() {
                ' ' => {}
                '\t' if tabs != SkipTabs::No => found_tab = true,
                _ => break,
            }
            self.skip();
            count += 1;
        }
        if self.peek() == '#' {
            count += self.skip_while_non_breakz();
        }
        // The second flag: a blank that can separate tokens was found. For kubectl a tab is one.
        (count, Ok(SkipTabs::Result(found_tab, true)))
    }

    fn next_can_be_plain_scalar(&self, in_flow: bool) -> bool {
        match self.peek() {
            ':' => !is_blank_or_breakz(self.peek_nth(1)),
            '?' => !in_flow,
            char => !(in_flow && is_flow(char)),
        }
    }
}

/// The position of a scanner mark, which counts columns from zero.
pub(super) fn place_of(mark: Marker) -> Position {
    Position { line: count(mark.line()), column: count(mark.col()).saturating_add(1) }
}

/// A count in the type of positions.
pub(super) fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
