//! `matches`: checks and translates a pattern, then lets `regex-lite` search in time linear in pattern and text.
//!
//! The supported part of RE2:
//!
//! - characters, `.`, classes with ranges and negation
//! - the classes `\d \w \s` and their negations, `\t \n \r \f \v`, `\` before an ASCII sign
//! - groups (`(…)`, `(?:…)`), `|`, `* + ? {n} {n,} {n,m}` and their lazy forms
//! - the assertions `^ $ \A \z \b \B`
//!
//! Flags, Unicode and POSIX classes and numeric escapes are refused.
//!
//! `regex-lite` and RE2 differ in syntax, so no pattern reaches it as written:
//!
//! 1. RE2 reads a `{` that starts no repetition as a character, and so `[`, `&&`, `--` and `~~` inside a class.
//! 2. RE2's `\<` and `\>` are characters, and its `\s` has no vertical tab.
//! 3. RE2 refuses a repeated repetition (`a**`), and nested counts whose product exceeds 1000.
//! 4. `regex-lite` has flags, word boundaries and escapes that RE2 does not have.

use std::str::Chars;

use regex_lite::RegexBuilder;

use super::Budget;

/// The largest count of a repetition, and the largest product of nested ones, as in RE2.
const MAX_REPEATS: u32 = 1000;
const MAX_GROUPS: usize = 50;
/// `regex-lite` has a limit of 10 MB, which a platform with larger pointers reaches earlier. This one is the same on
/// every platform, and lower: a state takes up to 72 bytes.
const MAX_STATES: usize = 100_000;
/// A group nests up to three levels of `regex-lite`'s tree: an alternation, a sequence and a repetition.
const NEST_LIMIT: u32 = 3 * (MAX_GROUPS as u32 + 2);
/// State visits that cost one step of the budget.
const VISITS_A_STEP: usize = 4;
/// Escapes that RE2 has and this crate does not.
const RE2_ONLY: &str = "aCpPQx01234567";

/// Whether the pattern is found anywhere in the text. The budget pays for all states at all characters in advance.
pub(super) fn matches(text: &str, pattern: &str, budget: &mut Budget) -> Result<bool, String> {
    let Translated { pattern, states } = Translator::new(pattern).translate().map_err(|it| it.message)?;
    budget.spend(states)?;
    budget.spend_product(states, text.len(), VISITS_A_STEP)?;
    let regex = RegexBuilder::new(&pattern).nest_limit(NEST_LIMIT).build();
    Ok(regex.map_err(|it| format!("the pattern does not compile: {it}"))?.is_match(text))
}

/// The message for a feature that RE2 has and this crate does not.
pub(super) fn unsupported(pattern: &str) -> Option<String> {
    Translator::new(pattern).translate().err().filter(|it| it.unsupported).map(|it| it.message)
}

/// A pattern in the syntax of `regex-lite`, and an upper bound of the states it compiles to.
#[derive(Debug)]
struct Translated {
    pattern: String,
    states: usize,
}

#[derive(Debug)]
struct Refused {
    message: String,
    /// RE2 accepts it.
    unsupported: bool,
}

impl Refused {
    fn unsupported(what: &str) -> Refused {
        Refused { message: format!("{what} not supported in a pattern"), unsupported: true }
    }
}

impl<T: Into<String>> From<T> for Refused {
    fn from(message: T) -> Refused {
        Refused { message: message.into(), unsupported: false }
    }
}

/// A part of a pattern that a repetition can apply to.
#[derive(Clone, Copy)]
struct Term {
    states: usize,
    /// The largest product of nested counts.
    repeats: u32,
    /// The term ends in a repetition, so another one must not follow.
    is_repeated: bool,
}

/// An open group: all of its terms but the last, and the last.
struct Group {
    states: usize,
    repeats: u32,
    last: Option<Term>,
}

impl Group {
    fn new() -> Group {
        Group { states: 2, repeats: 1, last: None }
    }

    fn push(&mut self, next: Option<Term>) {
        if let Some(last) = std::mem::replace(&mut self.last, next) {
            self.states = self.states.saturating_add(last.states);
            self.repeats = self.repeats.max(last.repeats);
        }
    }

    /// The closed group, as a term of the group around it.
    fn close(mut self) -> Term {
        self.push(None);
        Term { states: self.states, repeats: self.repeats, is_repeated: false }
    }
}

enum Escape {
    Char(char),
    /// The content of a class, in the syntax of `regex-lite`.
    Set(&'static str),
}

/// The counts of a repetition and the pattern behind it.
struct Repetition<'a> {
    least: u32,
    most: Option<u32>,
    rest: Chars<'a>,
}

struct Translator<'a> {
    rest: Chars<'a>,
    out: String,
    group: Group,
    /// The groups around `group`, outermost first.
    outer: Vec<Group>,
}

impl<'a> Translator<'a> {
    fn new(pattern: &'a str) -> Translator<'a> {
        Translator { rest: pattern.chars(), out: String::new(), group: Group::new(), outer: Vec::new() }
    }

    fn translate(mut self) -> Result<Translated, Refused> {
        while let Some(next) = self.rest.clone().next() {
            if let Some(repetition) = self.repetition() {
                self.repeat(next, repetition)?;
                continue;
            }
            self.rest.next();
            match next {
                '(' => self.open()?,
                ')' => self.close()?,
                '|' => {
                    self.group.push(None);
                    self.group.states = self.group.states.saturating_add(1);
                    self.out.push('|');
                }
                '[' => self.class()?,
                '^' | '$' | '.' => {
                    self.out.push(next);
                    self.add(1);
                }
                '\\' => self.escape_outside_class()?,
                _ => {
                    self.literal(next);
                    self.add(1);
                }
            }
            if self.group.states > MAX_STATES {
                return Err("the pattern is too large".into());
            }
        }
        if !self.outer.is_empty() {
            return Err("the pattern opens a group that it does not close".into());
        }
        let states = self.group.close().states;
        if states > MAX_STATES {
            return Err("the pattern is too large".into());
        }
        Ok(Translated { pattern: self.out, states })
    }

    fn take(&mut self, start: &str) -> bool {
        let rest = self.rest.as_str().strip_prefix(start).map(str::chars);
        let found = rest.is_some();
        self.rest = rest.unwrap_or(self.rest.clone());
        found
    }

    fn add(&mut self, states: usize) {
        self.group.push(Some(Term { states, repeats: 1, is_repeated: false }));
    }

    fn open(&mut self) -> Result<(), Refused> {
        if !self.take("?:") && self.rest.as_str().starts_with('?') {
            return Err(Refused::unsupported("flags and named groups are"));
        }
        self.outer.push(std::mem::replace(&mut self.group, Group::new()));
        if self.outer.len() > MAX_GROUPS {
            return Err("the pattern nests too deep".into());
        }
        // Only whether there is a match counts: no group has to be captured.
        self.out.push_str("(?:");
        Ok(())
    }

    fn close(&mut self) -> Result<(), Refused> {
        let outer = self.outer.pop().ok_or("the pattern closes a group that it does not open")?;
        let term = std::mem::replace(&mut self.group, outer).close();
        self.group.push(Some(term));
        self.out.push(')');
        Ok(())
    }

    /// A repetition that starts here: `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`. Any other brace is a character, also one
    /// with a count that has leading zeros.
    fn repetition(&self) -> Option<Repetition<'a>> {
        let mut rest = self.rest.clone();
        let (least, most) = match rest.next()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => {
                // A pattern of nothing but braces is read once, and not once a brace.
                let text = rest.as_str();
                let end = text.find(|it: char| !it.is_ascii_digit() && it != ',')?;
                let (inside, after) = text.split_at_checked(end)?;
                rest = after.strip_prefix('}')?.chars();
                match inside.split_once(',') {
                    None => (count(inside)?, Some(count(inside)?)),
                    Some((least, "")) => (count(least)?, None),
                    Some((least, most)) => (count(least)?, Some(count(most)?)),
                }
            }
            _ => return None,
        };
        Some(Repetition { least, most, rest })
    }

    fn repeat(&mut self, sign: char, Repetition { least, most, rest }: Repetition<'a>) -> Result<(), Refused> {
        let term = self.group.last.take().ok_or_else(|| format!("the pattern has `{sign}` with nothing before it"))?;
        if term.is_repeated {
            return Err("the pattern repeats a repetition".into());
        }
        // `*`, `+` and `?` count once.
        let count = most.unwrap_or(least);
        let repeats = term.repeats.saturating_mul(count.max(1));
        if count > MAX_REPEATS || least > count || (count > 1 && repeats > MAX_REPEATS) {
            return Err("the pattern repeats something too often".into());
        }
        self.rest = rest;
        // Lazy or greedy: that changes what is matched, not whether.
        self.take("?");
        match (sign, most) {
            ('{', None) => self.out.push_str(&format!("{{{least},}}")),
            ('{', Some(most)) => self.out.push_str(&format!("{{{least},{most}}}")),
            _ => self.out.push(sign),
        }
        // Each optional copy has a state that skips it, and a loop has up to three.
        let copies = term.states.saturating_mul(usize::try_from(count.max(1)).unwrap_or(usize::MAX));
        let skips = usize::try_from(count.abs_diff(least)).unwrap_or(usize::MAX).saturating_add(3);
        let states = copies.saturating_add(skips);
        let repeats = if most == Some(0) { 1 } else { repeats };
        self.group.last = Some(Term { states, repeats, is_repeated: true });
        Ok(())
    }

    fn class(&mut self) -> Result<(), Refused> {
        self.out.push('[');
        if self.take("^") {
            self.out.push('^');
        }
        // A `]` in front is a character.
        let mut items = 0usize;
        while items == 0 || !self.take("]") {
            items = items.saturating_add(1);
            let start = match self.class_item()? {
                Escape::Char(start) => start,
                Escape::Set(set) => {
                    self.out.push_str(set);
                    continue;
                }
            };
            self.literal(start);
            let mut after = self.rest.clone();
            if after.next() != Some('-') || after.next().is_none_or(|it| it == ']') {
                continue;
            }
            self.take("-");
            let end = match self.rest.next() {
                Some('\\') => self.escape()?,
                other => Escape::Char(other.unwrap_or_default()),
            };
            match end {
                Escape::Char(end) if start <= end => {
                    self.out.push('-');
                    self.literal(end);
                }
                Escape::Char(_) => return Err("the pattern has a range that is backwards".into()),
                Escape::Set(_) => return Err("the pattern has a range that ends in a class".into()),
            }
        }
        self.out.push(']');
        self.add(items);
        Ok(())
    }

    fn class_item(&mut self) -> Result<Escape, Refused> {
        match self.rest.next() {
            None => Err("the pattern opens a class that it does not close".into()),
            Some('[') if self.rest.as_str().starts_with(':') => Err(Refused::unsupported("classes by name are")),
            Some('\\') => self.escape(),
            Some(it) => Ok(Escape::Char(it)),
        }
    }

    fn escape_outside_class(&mut self) -> Result<(), Refused> {
        if let Some(assertion @ ('A' | 'z' | 'b' | 'B')) = self.rest.clone().next() {
            self.rest.next();
            self.out.extend(['\\', assertion]);
        } else {
            match self.escape()? {
                Escape::Char(it) => self.literal(it),
                Escape::Set(set) => self.out.extend(["[", set, "]"]),
            }
        }
        self.add(1);
        Ok(())
    }

    fn escape(&mut self) -> Result<Escape, Refused> {
        Ok(match self.rest.next() {
            Some('d') => Escape::Set(r"\d"),
            Some('D') => Escape::Set(r"\D"),
            Some('w') => Escape::Set(r"\w"),
            Some('W') => Escape::Set(r"\W"),
            Some('s') => Escape::Set(r"\t\n\f\r "),
            Some('S') => Escape::Set(r"\x00-\x08\x0b\x0e-\x1f!-\x{10ffff}"),
            Some('t') => Escape::Char('\t'),
            Some('n') => Escape::Char('\n'),
            Some('r') => Escape::Char('\r'),
            Some('f') => Escape::Char('\u{c}'),
            Some('v') => Escape::Char('\u{b}'),
            Some(it) if it.is_ascii() && !it.is_ascii_alphanumeric() => Escape::Char(it),
            Some(it) if RE2_ONLY.contains(it) => return Err(Refused::unsupported(&format!("`\\{it}` is"))),
            Some(it) => return Err(format!("the pattern has `\\{it}`, which means nothing").into()),
            None => return Err("the pattern ends in `\\`".into()),
        })
    }

    /// A literal character, inside of a class or outside.
    fn literal(&mut self, it: char) {
        if it.is_ascii_punctuation() && !matches!(it, '<' | '>') {
            self.out.push('\\');
        }
        self.out.push(it);
    }
}

/// A count as RE2 reads it; one that is too large for the type is too large for RE2.
fn count(text: &str) -> Option<u32> {
    let is_count = text.bytes().all(|it| it.is_ascii_digit()) && !text.is_empty();
    (is_count && (text == "0" || !text.starts_with('0'))).then(|| text.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
