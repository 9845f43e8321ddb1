//! The regular expressions that `matches` understands, in time that grows with pattern times text and no faster.
//!
//! These parts of RE2: characters, `.`, classes with ranges and negation, `\d \w \s` and their opposites, `\t \n \r \f \v`,
//! `\` before a sign, groups (`(…)`, `(?:…)`), `|`, `* + ? {n} {n,} {n,m}` and their lazy forms, `^ $ \A \z \b \B`. Flags,
//! Unicode and POSIX classes, and escapes by number are refused.

use std::str::Chars;

use super::Budget;

/// Whether the pattern is found anywhere in the text.
pub(super) fn matches(text: &str, pattern: &str, budget: &mut Budget) -> Result<bool, String> {
    let piece = Parser::new(pattern).whole()?;
    let mut steps = Vec::new();
    compile(&piece, &mut steps, budget)?;
    steps.push(Step::Done);
    run(&steps, text, budget)
}

/// What a pattern has that RE2 knows and this does not.
pub(super) fn unsupported(pattern: &str) -> Option<String> {
    let mut parser = Parser::new(pattern);
    parser.whole().err().filter(|_| parser.unsupported)
}

#[derive(Debug)]
enum Piece {
    Class(Class),
    Assert(Assert),
    Sequence(Vec<Piece>),
    Either(Vec<Piece>),
    Repeat(Box<Piece>, u32, Option<u32>),
}

#[derive(Clone, Debug, Default)]
struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Assert {
    Start,
    End,
    Boundary,
    NoBoundary,
}

#[derive(Debug)]
enum Step {
    Class(Class),
    Assert(Assert),
    /// Go on at both.
    Fork(usize, usize),
    Done,
}

const DIGITS: &[(char, char)] = &[('0', '9')];
const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
/// Escapes that RE2 has beside these.
const RE2_ONLY: &str = "aCpPQx01234567";
const SPACE: &[(char, char)] = &[('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')];

/// How often a piece may be repeated, and how deep groups may nest.
const MOST: u32 = 1000;
const MAX_GROUPS: usize = 50;

struct Parser<'a> {
    rest: Chars<'a>,
    depth: usize,
    /// Whether what was refused is something that RE2 knows.
    unsupported: bool,
}

impl<'a> Parser<'a> {
    fn new(pattern: &'a str) -> Parser<'a> {
        Parser { rest: pattern.chars(), depth: 0, unsupported: false }
    }

    fn whole(&mut self) -> Result<Piece, String> {
        let piece = self.either()?;
        if self.peek().is_some() {
            return Err("the pattern closes a group that it does not open".into());
        }
        Ok(piece)
    }

    fn unknown<T>(&mut self, what: &str) -> Result<T, String> {
        self.unsupported = true;
        Err(format!("{what} not supported in a pattern"))
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn take(&mut self, start: &str) -> bool {
        let rest = self.rest.as_str().strip_prefix(start).map(str::chars);
        let found = rest.is_some();
        self.rest = rest.unwrap_or(self.rest.clone());
        found
    }

    fn either(&mut self) -> Result<Piece, String> {
        let mut all = vec![self.sequence()?];
        while self.take("|") {
            all.push(self.sequence()?);
        }
        Ok(Piece::Either(all))
    }

    fn sequence(&mut self) -> Result<Piece, String> {
        let mut all = Vec::new();
        while let Some(next) = self.peek().filter(|it| !matches!(it, '|' | ')')) {
            if matches!(next, '*' | '+' | '?') {
                return Err(format!("the pattern has `{next}` with nothing before it"));
            }
            let piece = self.piece()?;
            all.push(self.repeated(piece)?);
        }
        Ok(Piece::Sequence(all))
    }

    fn repeated(&mut self, piece: Piece) -> Result<Piece, String> {
        let Some((least, most, rest)) = self.repetition() else { return Ok(piece) };
        if least.max(most.unwrap_or(0)) > MOST || most.is_some_and(|most| most < least) {
            return Err("the pattern repeats something too often".into());
        }
        self.rest = rest;
        // Whether as few or as many as possible are taken does not matter for whether anything is found.
        self.take("?");
        if self.repetition().is_some() {
            return Err("the pattern repeats a repetition".into());
        }
        Ok(Piece::Repeat(Box::new(piece), least, most))
    }

    /// How often the piece before this place is wanted, and what follows: `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`. Any
    /// other brace is a character.
    fn repetition(&self) -> Option<(u32, Option<u32>, Chars<'a>)> {
        let mut rest = self.rest.clone();
        let (least, most) = match rest.next()? {
            '*' => (0, None),
            '+' => (1, None),
            '?' => (0, Some(1)),
            '{' => {
                let (inside, after) = rest.as_str().split_once('}')?;
                rest = after.chars();
                let number = |it: &str| it.bytes().all(|it| it.is_ascii_digit()).then(|| it.parse().ok()).flatten();
                match inside.split_once(',') {
                    None => (number(inside)?, Some(number(inside)?)),
                    Some((least, "")) => (number(least)?, None),
                    Some((least, most)) => (number(least)?, Some(number(most)?)),
                }
            }
            _ => return None,
        };
        Some((least, most, rest))
    }

    fn piece(&mut self) -> Result<Piece, String> {
        let Some(next) = self.rest.next() else { return Ok(Piece::Sequence(Vec::new())) };
        Ok(match next {
            '^' => Piece::Assert(Assert::Start),
            '$' => Piece::Assert(Assert::End),
            '.' => Piece::Class(Class { negated: true, ranges: vec![('\n', '\n')] }),
            '[' => Piece::Class(self.class()?),
            '(' => {
                if !self.take("?:") && self.peek() == Some('?') {
                    return self.unknown("flags and named groups are");
                }
                self.depth = self.depth.saturating_add(1);
                if self.depth > MAX_GROUPS {
                    return Err("the pattern nests too deep".into());
                }
                let inner = self.either()?;
                self.depth = self.depth.saturating_sub(1);
                if !self.take(")") {
                    return Err("the pattern opens a group that it does not close".into());
                }
                inner
            }
            '\\' => match self.rest.next() {
                Some('A') => Piece::Assert(Assert::Start),
                Some('z') => Piece::Assert(Assert::End),
                Some('b') => Piece::Assert(Assert::Boundary),
                Some('B') => Piece::Assert(Assert::NoBoundary),
                escaped => Piece::Class(self.escape(escaped)?),
            },
            other => Piece::Class(Class { negated: false, ranges: vec![(other, other)] }),
        })
    }

    fn class(&mut self) -> Result<Class, String> {
        let mut class = Class { negated: self.take("^"), ranges: Vec::new() };
        let mut first = true;
        while first || !self.take("]") {
            let set = match self.rest.next() {
                None => return Err("the pattern opens a class that it does not close".into()),
                Some('[') if self.peek() == Some(':') => {
                    return self.unknown("classes by name are");
                }
                Some('-') if !first && self.peek() != Some(']') => {
                    return Err("the pattern has a range without a start".into());
                }
                Some('\\') => self.escape_next()?,
                Some(it) => Class { negated: false, ranges: vec![(it, it)] },
            };
            first = false;
            let single =
                set.ranges.first().filter(|(start, end)| start == end && set.ranges.len() == 1 && !set.negated);
            let mut after = self.rest.clone();
            let ranged = after.next() == Some('-') && after.next().is_some_and(|it| it != ']');
            if let Some((start, _)) = single
                && ranged
            {
                self.take("-");
                let end = match self.rest.next() {
                    Some('\\') => self.escape_next()?.ranges.first().map(|(end, _)| *end),
                    other => other,
                };
                let end = end.filter(|end| start <= end).ok_or("the pattern has a range that is backwards")?;
                class.ranges.push((*start, end));
            } else if set.negated {
                class.ranges.extend(complement(&set.ranges));
            } else {
                class.ranges.extend(set.ranges);
            }
        }
        Ok(class)
    }

    fn escape_next(&mut self) -> Result<Class, String> {
        let next = self.rest.next();
        self.escape(next)
    }

    fn escape(&mut self, escaped: Option<char>) -> Result<Class, String> {
        let one = |it: char| Class { negated: false, ranges: vec![(it, it)] };
        let set =
            |it: char, ranges: &[(char, char)]| Class { negated: it.is_ascii_uppercase(), ranges: ranges.to_vec() };
        match escaped {
            Some(it @ ('d' | 'D')) => Ok(set(it, DIGITS)),
            Some(it @ ('w' | 'W')) => Ok(set(it, WORD)),
            Some(it @ ('s' | 'S')) => Ok(set(it, SPACE)),
            Some('t') => Ok(one('\t')),
            Some('n') => Ok(one('\n')),
            Some('r') => Ok(one('\r')),
            Some('f') => Ok(one('\u{c}')),
            Some('v') => Ok(one('\u{b}')),
            Some(it) if it.is_ascii_punctuation() => Ok(one(it)),
            Some(it) if RE2_ONLY.contains(it) => self.unknown(&format!("`\\{it}` is")),
            Some(it) => Err(format!("the pattern has `\\{it}`, which means nothing")),
            None => Err("the pattern ends in `\\`".into()),
        }
    }
}

/// The characters between and around ranges that are sorted.
fn complement(ranges: &[(char, char)]) -> Vec<(char, char)> {
    let mut all = Vec::new();
    let mut next = Some('\0');
    for (start, end) in ranges {
        let before = next.and_then(|next| (next..*start).next_back().map(|last| (next, last)));
        all.extend(before);
        next = (*end..=char::MAX).nth(1);
    }
    all.extend(next.map(|next| (next, char::MAX)));
    all
}

fn compile(piece: &Piece, steps: &mut Vec<Step>, budget: &mut Budget) -> Result<(), String> {
    budget.spend(1)?;
    match piece {
        Piece::Class(class) => steps.push(Step::Class(class.clone())),
        Piece::Assert(assert) => steps.push(Step::Assert(*assert)),
        Piece::Sequence(all) => {
            for it in all {
                compile(it, steps, budget)?;
            }
        }
        Piece::Either(all) => {
            let mut exits = Vec::new();
            for (at, it) in all.iter().enumerate() {
                let fork = steps.len();
                let last = at.saturating_add(1) == all.len();
                if !last {
                    steps.push(Step::Fork(fork.saturating_add(1), 0));
                }
                compile(it, steps, budget)?;
                if !last {
                    exits.push(steps.len());
                    steps.push(Step::Fork(0, 0));
                    aim(steps, fork);
                }
            }
            exits.into_iter().for_each(|exit| {
                let end = steps.len();
                steps.get_mut(exit).into_iter().for_each(|it| *it = Step::Fork(end, end));
            });
        }
        Piece::Repeat(piece, least, most) => {
            for _ in 0..*least {
                compile(piece, steps, budget)?;
            }
            let Some(most) = most else {
                let fork = steps.len();
                steps.push(Step::Fork(fork.saturating_add(1), 0));
                compile(piece, steps, budget)?;
                steps.push(Step::Fork(fork, fork));
                aim(steps, fork);
                return Ok(());
            };
            let mut forks = Vec::new();
            for _ in *least..*most {
                forks.push(steps.len());
                steps.push(Step::Fork(steps.len().saturating_add(1), 0));
                compile(piece, steps, budget)?;
            }
            forks.into_iter().for_each(|fork| aim(steps, fork));
        }
    }
    Ok(())
}

/// Lets the other way of a fork lead to the next step.
fn aim(steps: &mut [Step], fork: usize) {
    let end = steps.len();
    if let Some(Step::Fork(_, other)) = steps.get_mut(fork) {
        *other = end;
    }
}

/// All ways through the pattern at once, character by character.
fn run(steps: &[Step], text: &str, budget: &mut Budget) -> Result<bool, String> {
    let mut now: Vec<usize> = Vec::new();
    let mut before = None;
    let mut rest = text.chars();
    loop {
        let next = rest.clone().next();
        // The pattern may start anywhere.
        now.push(0);
        let (reached, done) = reach(steps, now, before, next);
        budget.spend(reached.len().saturating_add(1))?;
        if done || next.is_none() {
            return Ok(done);
        }
        let takes = |at: &usize| matches!((steps.get(*at), next), (Some(Step::Class(it)), Some(next)) if it.has(next));
        now = reached.into_iter().filter(takes).map(|at| at.saturating_add(1)).collect();
        before = rest.next();
    }
}

/// The steps that can be reached without a character, and whether the end is among them.
fn reach(steps: &[Step], mut open: Vec<usize>, before: Option<char>, next: Option<char>) -> (Vec<usize>, bool) {
    let mut seen = vec![false; steps.len()];
    let (mut reached, mut done) = (Vec::new(), false);
    let word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_');
    let boundary = word(before) != word(next);
    while let Some(at) = open.pop() {
        let Some(slot) = seen.get_mut(at).filter(|it| !**it) else { continue };
        *slot = true;
        match steps.get(at) {
            Some(Step::Class(_)) => reached.push(at),
            Some(Step::Fork(one, other)) => open.extend([*one, *other]),
            Some(Step::Assert(assert)) => {
                let holds = match assert {
                    Assert::Start => before.is_none(),
                    Assert::End => next.is_none(),
                    Assert::Boundary => boundary,
                    Assert::NoBoundary => !boundary,
                };
                open.extend(holds.then(|| at.saturating_add(1)));
            }
            Some(Step::Done) | None => done = true,
        }
    }
    (reached, done)
}

impl Class {
    fn has(&self, it: char) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..=*end).contains(&it)) != self.negated
    }
}
