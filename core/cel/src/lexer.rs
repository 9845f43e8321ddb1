//! Splits the text into tokens with their positions.

use super::CelError;
use fleetfold_value::value::Position;
use fleetfold_value::value::Text;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(Text),
    /// Without its sign: `-9223372036854775808` is an int, `9223372036854775808` is not.
    Int(u64),
    Uint(u64),
    Double(f64),
    Text(Text),
    /// A sign or a keyword that is none of the above.
    Sign(&'static str),
    End,
}

/// Longer ones first: `<=` is one token, not `<` and `=`.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*",
    "/", "%",
];
const KEYWORDS: &[&str] = &["in", "true", "false", "null"];

/// All tokens of a text, with [`Token::End`] at the end.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Position)>, CelError> {
    let mut lexer = Lexer { rest: text, at: Position { line: 1, column: 1 } };
    let mut all = Vec::new();
    loop {
        lexer.skip_blanks();
        let at = lexer.at;
        let token = lexer.token()?;
        let ended = token == Token::End;
        all.push((token, at));
        if ended {
            return Ok(all);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    at: Position,
}

impl<'a> Lexer<'a> {
    fn error(&self, message: impl Into<String>) -> CelError {
        CelError::bad(message, self.at)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        self.at = match next {
            '\n' => Position { line: self.at.line.saturating_add(1), column: 1 },
            _ => Position { column: self.at.column.saturating_add(1), ..self.at },
        };
        Some(next)
    }

    fn take(&mut self, start: &str) -> bool {
        let found = self.rest.starts_with(start);
        if found {
            for _ in start.chars() {
                self.next();
            }
        }
        found
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest;
        let len = rest.find(|it| !wanted(it)).unwrap_or(rest.len());
        let taken = rest.get(..len).unwrap_or_default();
        self.take(taken);
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(|it| matches!(it, ' ' | '\t' | '\r' | '\n' | '\u{c}'));
            if !self.take("//") {
                return;
            }
            self.take_while(|it| it != '\n');
        }
    }

    fn token(&mut self) -> Result<Token, CelError> {
        let Some(first) = self.peek() else { return Ok(Token::End) };
        let digit_follows = self.rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if first.is_ascii_digit() || first == '.' && digit_follows {
            return self.number();
        }
        let name_len = self.rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(self.rest.len());
        let (name, after) = self.rest.split_at_checked(name_len).unwrap_or_default();
        if after.starts_with(['"', '\'']) && matches!(name, "" | "r" | "R") {
            self.take(name);
            return self.text(!name.is_empty());
        }
        if after.starts_with(['"', '\'']) && matches!(name, "b" | "B" | "br" | "bR" | "Br" | "BR") {
            return Err(self.error("bytes are not supported").hint("use a string"));
        }
        if !name.is_empty() {
            self.take(name);
            let keyword = KEYWORDS.iter().find(|it| **it == name);
            return Ok(keyword.map_or_else(|| Token::Name(name.into()), |it| Token::Sign(it)));
        }
        match SIGNS.iter().find(|it| self.rest.starts_with(**it)) {
            Some(sign) => {
                self.take(sign);
                Ok(Token::Sign(sign))
            }
            None => {
                let hint = ["==", "&&", "||"].into_iter().find(|it| it.starts_with(first));
                let error = self.error(format!("`{first}` means nothing here"));
                Err(match hint {
                    Some(sign) => error.hint(format!("did you mean `{sign}`?")),
                    None => error,
                })
            }
        }
    }

    fn number(&mut self) -> Result<Token, CelError> {
        let at = self.at;
        let out_of_range = || CelError::bad("the number is out of range", at);
        let hex = self.rest.strip_prefix("0x").filter(|it| it.starts_with(|it: char| it.is_ascii_hexdigit()));
        if hex.is_some() {
            self.take("0x");
            let digits = self.take_while(|it| it.is_ascii_hexdigit());
            return self.whole(u64::from_str_radix(digits, 16).map_err(|_| out_of_range())?);
        }
        let start = self.rest;
        let digits = self.take_while(|it| it.is_ascii_digit());
        let whole_end = self.rest;
        let digit = |text: &str| text.starts_with(|it: char| it.is_ascii_digit());
        if self.rest.strip_prefix('.').is_some_and(digit) {
            self.take(".");
            self.take_while(|it| it.is_ascii_digit());
        }
        if let Some(exponent) = self.rest.strip_prefix(['e', 'E'])
            && digit(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
        {
            self.next();
            self.take_while(|it| matches!(it, '+' | '-'));
            self.take_while(|it| it.is_ascii_digit());
        }
        if self.rest.len() == whole_end.len() {
            return self.whole(digits.parse().map_err(|_| out_of_range())?);
        }
        let written = start.get(..start.len().saturating_sub(self.rest.len())).unwrap_or_default();
        let double = written.parse().ok().filter(|it: &f64| it.is_finite());
        double.map(Token::Double).ok_or_else(out_of_range)
    }

    fn whole(&mut self, number: u64) -> Result<Token, CelError> {
        Ok(if self.take("u") || self.take("U") { Token::Uint(number) } else { Token::Int(number) })
    }

    fn text(&mut self, raw: bool) -> Result<Token, CelError> {
        let at = self.at;
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|it| self.rest.starts_with(*it)).unwrap_or("'");
        self.take(quote);
        let long = quote.len() == 3;
        let mut text = String::new();
        while !self.take(quote) {
            match self.next() {
                None => return Err(CelError::bad("the string is not closed", at)),
                Some('\n' | '\r') if !long => {
                    return Err(CelError::bad("the string is not closed on its line", at)
                        .hint("write `\\n`, or put the string in three quotes"));
                }
                Some('\\') if !raw => text.push(self.escape()?),
                // Line ends are normalized to `\n`.
                Some('\r') => {
                    self.take("\n");
                    text.push('\n');
                }
                Some(it) => text.push(it),
            }
        }
        Ok(Token::Text(text.into()))
    }

    fn escape(&mut self) -> Result<char, CelError> {
        let (code, digits, radix) = match self.next() {
            Some('a') => return Ok('\u{7}'),
            Some('b') => return Ok('\u{8}'),
            Some('f') => return Ok('\u{c}'),
            Some('n') => return Ok('\n'),
            Some('r') => return Ok('\r'),
            Some('t') => return Ok('\t'),
            Some('v') => return Ok('\u{b}'),
            Some(it @ ('\\' | '\'' | '"' | '`' | '?')) => return Ok(it),
            Some('x' | 'X') => (0, 2, 16),
            Some('u') => (0, 4, 16),
            Some('U') => (0, 8, 16),
            Some(it @ '0'..='3') => (it.to_digit(8).unwrap_or(0), 2, 8),
            _ => return Err(self.error("no such escape in a string").hint("write `\\\\` for a backslash")),
        };
        let mut code: u32 = code;
        for _ in 0..digits {
            let digit = self.next().and_then(|it| it.to_digit(radix));
            let digit = digit.ok_or_else(|| self.error(format!("the escape needs {digits} digits")))?;
            code = code.wrapping_mul(radix).wrapping_add(digit);
        }
        char::from_u32(code).ok_or_else(|| self.error("the escape is not a character"))
    }
}
