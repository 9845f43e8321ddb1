//! What the scanner sees of a text, with kubectl's rules where they differ from YAML 1.2 on single characters.
//!
//! The scanner asks its input whether a plain scalar goes on and what may be skipped up to the end of a line. Answering
//! as kubectl's scanner would is all it takes for these:
//!
//! 1. A comment may follow a quoted text, a bracket or a block scalar's header without a blank: `"v"#c`, `|#c`.
//! 2. In flow, a colon ends a plain scalar only before a blank (`{a:1}` has one key, `a:1`), and `?` always does.
//! 3. A tab after a colon separates as a space does: `a:⇥b`.

use saphyr_parser::input::{SkipTabs, is_blank_or_breakz, is_flow};
use saphyr_parser::{Input, Marker, StrInput};

use crate::diagnostic::Place;

pub(super) struct Reading<'a>(StrInput<'a>);

impl<'a> Reading<'a> {
    pub(super) fn new(text: &'a str) -> Reading<'a> {
        Reading(StrInput::new(text))
    }
}

/// Methods that are those of the wrapped input.
macro_rules! same {
    ($(fn $name:ident(&self $(, $arg:ident: $type:ty)*) -> $result:ty;)*) => {
        $(fn $name(&self $(, $arg: $type)*) -> $result {
            self.0.$name($($arg),*)
        })*
    };
    (mut $(fn $name:ident(&mut self $(, $arg:ident: $type:ty)*) $(-> $result:ty)?;)*) => {
        $(fn $name(&mut self $(, $arg: $type)*) $(-> $result)? {
            self.0.$name($($arg),*)
        })*
    };
}

impl Input for Reading<'_> {
    same! {
        fn buflen(&self) -> usize;
        fn bufmaxlen(&self) -> usize;
        fn buf_is_empty(&self) -> bool;
        fn peek(&self) -> char;
        fn peek_nth(&self, n: usize) -> char;
        fn peek_opt(&self) -> Option<char>;
        fn next_is_document_indicator(&self) -> bool;
        fn next_is_document_start(&self) -> bool;
        fn next_is_document_end(&self) -> bool;
        fn next_is_blank_or_break(&self) -> bool;
        fn next_is_blank_or_breakz(&self) -> bool;
        fn next_is_blank(&self) -> bool;
        fn next_is_break(&self) -> bool;
        fn next_is_breakz(&self) -> bool;
        fn next_is_z(&self) -> bool;
    }

    same! { mut
        fn lookahead(&mut self, count: usize);
        fn raw_read_ch(&mut self) -> char;
        fn raw_read_non_breakz_ch(&mut self) -> Option<char>;
        fn skip(&mut self);
        fn skip_n(&mut self, count: usize);
        fn skip_while_non_breakz(&mut self) -> usize;
        fn skip_while_blank(&mut self) -> usize;
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
        // The second answer is whether a blank was seen that may separate tokens; to kubectl a tab is one.
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

/// The place of a mark of the scanner, which counts columns from zero.
pub(super) fn place_of(mark: Marker) -> Place {
    Place { line: count(mark.line()), column: count(mark.col()).saturating_add(1) }
}

/// A count as places have it.
pub(super) fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
