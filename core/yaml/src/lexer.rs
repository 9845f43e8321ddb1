//! Walks the text along with the events and checks kubectl's rules where the parser follows YAML 1.2.
//!
//! The parser produces the values; the lexer checks that kubectl would read the same values. It lexes the text between
//! scalars (blanks, comments, indicators, anchors, tags) and scans each scalar as written.

use saphyr_parser::ScalarStyle;

use super::scanner_input::char_at;
use super::syntax_error::SyntaxError;
use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;

pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Bytes and characters consumed.
    at: usize,
    index: usize,
    place: Position,
    flow: Vec<Entry>,
    /// Whether a block key or list may start here. A tab is not allowed at such a position.
    key_allowed: bool,
    /// Whether this line has only blanks so far.
    fresh_line: bool,
    /// Whether only blanks follow a plain scalar, which can then continue.
    plain_tail: bool,
}

/// The state of the current entry of a flow collection.
#[derive(Clone, Copy, Default)]
struct Entry {
    explicit: bool,
    start: Option<(u32, usize)>,
}

/// The length limit of an implicit key, including its colon.
const MAX_KEY: usize = 1024;

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer {
            text,
            at: 0,
            index: 0,
            place: Position { line: 1, column: 1 },
            flow: Vec::new(),
            key_allowed: true,
            fresh_line: true,
            plain_tail: false,
        }
    }

    pub(super) fn in_flow(&self) -> bool {
        !self.flow.is_empty()
    }

    /// The number of characters consumed, and of brackets open there.
    pub(super) fn reached(&self) -> (usize, usize) {
        (self.index, self.flow.len())
    }

    /// Consumes a flow collection's opening bracket, if the next node has one.
    pub(super) fn open(&mut self, bracket: char) -> Result<bool, SyntaxError> {
        self.gap()?;
        if self.peek() != Some(bracket) {
            return Ok(false);
        }
        self.node_starts();
        self.step();
        self.flow.push(Entry::default());
        Ok(true)
    }

    /// Consumes everything up to and including a flow collection's closing bracket.
    pub(super) fn close(&mut self) -> Result<(), SyntaxError> {
        self.gap()?;
        self.step();
        self.flow.pop();
        self.key_allowed = false;
        Ok(())
    }

    /// Consumes the dash of a block list entry.
    pub(super) fn entry(&mut self) -> Result<(), SyntaxError> {
        self.gap()?;
        if self.peek() != Some('-') {
            return Err(self.lost());
        }
        self.token();
        self.key_allowed = true;
        Ok(())
    }

    /// Consumes an alias.
    pub(super) fn alias(&mut self, end: usize) -> Result<(), SyntaxError> {
        self.gap()?;
        self.node_starts();
        self.step();
        self.name()?;
        if self.index != end {
            return Err(self.lost());
        }
        self.key_allowed = false;
        Ok(())
    }

    /// Consumes a scalar that ends before the character `end`. Returns its start.
    pub(super) fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        end: usize,
        top: bool,
    ) -> Result<Position, SyntaxError> {
        self.gap()?;
        let place = self.node_starts();
        self.key_allowed = false;
        match style {
            ScalarStyle::Plain => self.plain(text, end)?,
            ScalarStyle::SingleQuoted => self.quoted('\'')?,
            ScalarStyle::DoubleQuoted => self.quoted('"')?,
            ScalarStyle::Literal | ScalarStyle::Folded => self.block(end, top)?,
        }
        Ok(place)
    }

    /// The position of the next token that is not a blank or a comment, if any.
    pub(super) fn next_token(&mut self) -> Result<Option<Position>, SyntaxError> {
        self.gap()?;
        Ok(self.peek().map(|_| self.place))
    }

    /// Whether a line `...`, which ends a document, follows.
    pub(super) fn at_end_marker(&mut self) -> Result<bool, SyntaxError> {
        self.gap()?;
        let after = self.rest().strip_prefix("...").filter(|_| self.place.column == 1);
        Ok(after.is_some_and(|after| after.chars().next().is_none_or(|char| matches!(char, ' ' | '\t' | '\n' | '\r'))))
    }

    /// Consumes the rest of the text: kubectl would ignore anything after the document, so that is refused.
    pub(super) fn finish(&mut self) -> Result<(), SyntaxError> {
        let start = self.place;
        // kubectl may have stopped before the error.
        let mut at_marker =
            self.at_end_marker().map_err(|error| SyntaxError { code: Code::UnportableYaml, ..error })?;
        while at_marker {
            (0..3).for_each(|_| self.step());
            self.key_allowed = false;
            at_marker = self.at_end_marker().map_err(|_| SyntaxError::unread(start))?;
        }
        match self.peek() {
            None => Ok(()),
            Some('\u{feff}') => Err(SyntaxError::byte_order_mark(self.place)),
            // After a lone carriage return, which is not a line break when kubectl splits the stream.
            Some('-') if self.place.column == 1 && self.rest().starts_with("---") => {
                Err(SyntaxError::odd_separator(self.place))
            }
            Some(_) => Err(SyntaxError::unread(self.place)),
        }
    }

    /// Skips to the next scalar, alias, bracket or list entry.
    fn gap(&mut self) -> Result<(), SyntaxError> {
        while let Some(char) = self.peek() {
            match char {
                ' ' => self.step(),
                '\t' => self.tab()?,
                '\n' | '\r' => {
                    self.step();
                    self.key_allowed |= self.flow.is_empty();
                    self.fresh_line = true;
                }
                '#' => {
                    self.plain_tail = false;
                    self.skip_line();
                }
                '?' if self.in_flow() || self.indicator() => {
                    self.token();
                    self.key_allowed = self.flow.is_empty();
                    if let Some(entry) = self.flow.last_mut() {
                        entry.explicit = true;
                    }
                }
                ':' if self.indicator() || self.value_in_flow() => self.value()?,
                ',' if self.in_flow() => {
                    self.token();
                    if let Some(entry) = self.flow.last_mut() {
                        *entry = Entry::default();
                    }
                }
                '&' => {
                    self.property();
                    self.name()?;
                }
                '!' => {
                    self.property();
                    self.tag()?;
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn tab(&mut self) -> Result<(), SyntaxError> {
        if self.plain_tail && self.fresh_line {
            return Err(SyntaxError::unportable("the indentation after a scalar contains a tab", self.place)
                .hint("use spaces, or leave the line empty"));
        }
        if self.flow.is_empty() && self.key_allowed {
            return Err(SyntaxError::tab(self.place));
        }
        self.step();
        Ok(())
    }

    fn value(&mut self) -> Result<(), SyntaxError> {
        let explicit = self.fresh_line;
        let colon = (self.place.line, self.index);
        if let Some(Entry { explicit: false, start: Some((line, index)) }) = self.flow.last().copied()
            && (line != colon.0 || colon.1.saturating_sub(index) > MAX_KEY)
        {
            let message = "a key must be on one line with its colon, and at most 1024 characters long";
            return Err(SyntaxError::bad(message, self.place).hint("put `? ` before the key"));
        }
        self.token();
        self.key_allowed = explicit && self.flow.is_empty();
        Ok(())
    }

    /// In flow style, a colon after a quoted key or a bracket needs no blank.
    fn value_in_flow(&self) -> bool {
        self.flow.last().is_some_and(|entry| entry.start.is_some() || entry.explicit) && !self.plain_tail
    }

    fn property(&mut self) {
        self.entry_starts();
        self.token();
        self.key_allowed = false;
    }

    /// The name of an anchor or alias, after its sign.
    fn name(&mut self) -> Result<(), SyntaxError> {
        self.plain_tail = false;
        self.fresh_line = false;
        while self.peek().is_some_and(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-')) {
            self.step();
        }
        match self.peek() {
            None | Some(' ' | '\t' | '\n' | '\r') => Ok(()),
            Some(',' | ']' | '}') if self.in_flow() => Ok(()),
            Some(':' | '?' | ',' | ']' | '}' | '%' | '@' | '`') => Err(SyntaxError::unfinished_name(self.place)),
            Some(_) => Err(SyntaxError::bad("an anchor has a name of other characters than `A-Za-z0-9_-`", self.place)),
        }
    }

    /// The rest of a tag, after its `!`.
    fn tag(&mut self) -> Result<(), SyntaxError> {
        if self.peek() == Some('<') {
            return self.verbatim_tag();
        }
        while let Some(char) = self.peek() {
            match char {
                ' ' | '\t' | '\n' | '\r' => break,
                ',' | '[' | ']' => return Err(SyntaxError::unfinished_tag(self.place)),
                _ if of_tag(char) => self.step(),
                _ => return Err(SyntaxError::bad("a tag has a character that it cannot have", self.place)),
            }
        }
        Ok(())
    }

    /// `<`, at least one character, `>`, and then a blank.
    fn verbatim_tag(&mut self) -> Result<(), SyntaxError> {
        self.step();
        let start = self.index;
        while self.peek().is_some_and(of_tag) {
            self.step();
        }
        if self.index == start || self.peek() != Some('>') {
            return Err(SyntaxError::bad("a tag in angle brackets is empty or does not end", self.place)
                .hint("write `!<tag>`, or leave it out"));
        }
        self.step();
        match self.peek() {
            None | Some(' ' | '\t' | '\n' | '\r') => Ok(()),
            Some(_) => Err(SyntaxError::bad("a tag needs a blank after it", self.place).hint("put a space here")),
        }
    }

    fn plain(&mut self, text: &str, end: usize) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(':') if self.in_flow() => {
                return Err(SyntaxError::unportable("a text in brackets starts with a colon", self.place)
                    .hint("put it in quotes, or a space after the colon"));
            }
            Some(sign @ ('|' | '>')) if self.in_flow() => {
                let message = format!("a text in brackets starts with `{sign}`");
                return Err(SyntaxError::bad(message, self.place).hint("put it in quotes"));
            }
            first if first != text.chars().next() => return Err(self.lost()),
            _ => {}
        }
        self.fresh_line = false;
        while self.index < end {
            match self.peek() {
                Some('\n' | '\r') => self.fresh_line = true,
                Some('\t') if self.fresh_line => {
                    return Err(SyntaxError::unportable("the indentation of a scalar contains a tab", self.place)
                        .hint("use spaces"));
                }
                Some(' ' | '\t') => {}
                Some(_) => self.fresh_line = false,
                None => return Err(self.lost()),
            }
            self.step();
        }
        self.plain_tail = true;
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Result<(), SyntaxError> {
        if self.peek() != Some(quote) {
            return Err(self.lost());
        }
        self.step();
        loop {
            match self.peek() {
                None => return Err(self.lost()),
                Some('\\') if quote == '"' => {
                    if self.peek_second() == Some('/') {
                        return Err(SyntaxError::bad("`\\/` is not an escape in YAML", self.place).hint("write `/`"));
                    }
                    self.step();
                    self.step();
                }
                Some(char) if char == quote => {
                    self.step();
                    if quote == '"' || self.peek() != Some(quote) {
                        break;
                    }
                    self.step();
                }
                Some(_) => self.step(),
            }
        }
        self.fresh_line = false;
        Ok(())
    }

    /// A literal or folded scalar, from its header to `end`.
    fn block(&mut self, end: usize, top: bool) -> Result<(), SyntaxError> {
        if !matches!(self.peek(), Some('|' | '>')) {
            return Err(self.lost());
        }
        self.step();
        let mut found = true;
        while let Some('0'..='9' | '+' | '-') = self.peek() {
            found &= !matches!(self.peek(), Some('0'..='9'));
            self.step();
        }
        self.skip_line();
        let header = self.place.line;
        let mut text = false;
        while self.index < end {
            match self.peek() {
                Some('\t') if !text && found => return Err(SyntaxError::tab(self.place)),
                Some(' ' | '\n' | '\r') => {}
                Some(_) if !text => {
                    text = true;
                    if top && found && self.place.column == 1 && self.place.line > header {
                        let error = match self.peek() {
                            Some('#') => SyntaxError::unportable(
                                "this line is a comment to kubectl, and text of the block scalar to other readers",
                                self.place,
                            ),
                            _ => SyntaxError::unread(self.place),
                        };
                        return Err(error.hint("indent the text of a block scalar"));
                    }
                }
                Some(_) => {}
                None => return Err(self.lost()),
            }
            self.step();
        }
        self.key_allowed = true;
        self.fresh_line = true;
        Ok(())
    }

    /// Whether the character here is an indicator: a blank or the end follows it.
    fn indicator(&self) -> bool {
        matches!(self.peek_second(), None | Some(' ' | '\t' | '\n' | '\r'))
    }

    fn node_starts(&mut self) -> Position {
        self.entry_starts();
        self.plain_tail = false;
        self.fresh_line = false;
        self.place
    }

    fn entry_starts(&mut self) {
        let start = (self.place.line, self.index);
        if let Some(entry) = self.flow.last_mut() {
            entry.start.get_or_insert(start);
        }
    }

    fn token(&mut self) {
        self.plain_tail = false;
        self.fresh_line = false;
        self.step();
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|char| !matches!(char, '\n' | '\r')) {
            self.step();
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline(always)]
    fn peek(&self) -> Option<char> {
        char_at(self.text, self.at)
    }

    fn peek_second(&self) -> Option<char> {
        char_at(self.text, self.at.saturating_add(self.peek()?.len_utf8()))
    }

    fn step(&mut self) {
        let Some(char) = self.peek() else { return };
        self.at = self.at.saturating_add(char.len_utf8());
        self.index = self.index.saturating_add(1);
        let breaks = char == '\n' || (char == '\r' && self.peek() != Some('\n'));
        if breaks {
            self.place = Position { line: self.place.line.saturating_add(1), column: 1 };
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
    }

    /// The events do not fit the text. An error is better than a value that kubectl could read differently.
    fn lost(&self) -> SyntaxError {
        SyntaxError::unportable("kubectl would read this text in another way", self.place)
    }
}

fn of_tag(char: char) -> bool {
    char.is_ascii_alphanumeric() || "-_;/?:@&=+$.!~*'()%,[]".contains(char)
}
