//! Selectors in the syntax of `kubectl -l`, parsed exactly as apimachinery does.
//!
//! ```text
//! selector    = [ requirement { "," requirement } ]
//! requirement = [ "!" ] key | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ]
//!             | key ( "in" | "notin" ) "(" [ value ] { "," [ value ] } ")"
//! ```

use super::form::Selector;
use super::requirement::{LabelSelector, Requirement, Test, integer};
use crate::diagnostic::{Code, Error};
use crate::object::labels::{check_key, check_value};
use crate::value::Position;
use crate::value::Text;

/// Reads a selector such as `env in (prod,stage),!legacy`.
///
/// # Errors
///
/// The text is not a selector, at its position.
///
/// # Example
///
/// ```
/// use fleetfold_core::engine::select::parse_text;
///
/// let selector = parse_text("env in (prod,stage),!legacy")?;
/// assert!(selector.accepts(&[("env", "prod")].into_iter().collect()));
/// assert!(!selector.accepts(&[("env", "prod"), ("legacy", "")].into_iter().collect()));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
pub fn parse_text(text: &str) -> Result<LabelSelector, Error> {
    let mut parser = Parser { tokens: scan(text), next: 0 };
    parser.selector().map(LabelSelector::of)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    End,
    Word,
    In,
    NotIn,
    Comma,
    Open,
    Close,
    Bang,
    Equals,
    NotEquals,
    Greater,
    Less,
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    kind: Kind,
    text: &'a str,
    /// In characters, from one.
    column: usize,
}

impl Token<'_> {
    /// A selector is one line.
    fn position(&self) -> Position {
        Position { line: 1, column: u32::try_from(self.column).unwrap_or(u32::MAX) }
    }
}

/// The symbols; of two that fit, the longer one is meant.
const SYMBOLS: &[(&str, Kind)] = &[
    ("==", Kind::Equals),
    ("!=", Kind::NotEquals),
    ("=", Kind::Equals),
    ("!", Kind::Bang),
    ("(", Kind::Open),
    (")", Kind::Close),
    (",", Kind::Comma),
    (">", Kind::Greater),
    ("<", Kind::Less),
];

fn scan(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    // Kubernetes takes a zero byte for the end of the text.
    let text = text.split('\0').next().unwrap_or_default();
    let (mut rest, mut column) = (text, 1);
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        column += rest.len() - trimmed.len();
        rest = trimmed;
        if rest.is_empty() {
            tokens.push(Token { kind: Kind::End, text: "", column });
            return tokens;
        }
        let symbol = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
        let len = match symbol {
            Some((symbol, _)) => symbol.len(),
            None => rest.find(['=', '!', '(', ')', ',', '>', '<', ' ', '\t', '\r', '\n']).unwrap_or(rest.len()),
        };
        let (token, tail) = rest.split_at_checked(len).unwrap_or((rest, ""));
        let kind = match (symbol, token) {
            (Some((_, kind)), _) => *kind,
            (None, "in") => Kind::In,
            (None, "notin") => Kind::NotIn,
            (None, _) => Kind::Word,
        };
        tokens.push(Token { kind, text: token, column });
        column += token.chars().count();
        rest = tail;
    }
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
}

impl<'a> Parser<'a> {
    fn selector(&mut self) -> Result<Vec<Requirement>, Error> {
        let mut requirements = Vec::new();
        if self.peek().kind == Kind::End {
            return Ok(requirements);
        }
        loop {
            requirements.push(self.requirement()?);
            let token = self.take();
            match token.kind {
                Kind::End => return Ok(requirements),
                Kind::Comma => {}
                _ => return Err(unexpected(token, "`,` or the end")),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, Error> {
        let absent = self.peek().kind == Kind::Bang;
        if absent {
            self.take();
        }
        let key = self.take();
        // `in` and `notin` are keys where a key is due.
        if !is_word(key) {
            return Err(unexpected(key, "a label key"));
        }
        check_key(key.text).map_err(|error| error.at(key.position()))?;
        let test = match self.peek().kind {
            _ if absent => Test::DoesNotExist,
            Kind::End | Kind::Comma => Test::Exists,
            _ => self.test()?,
        };
        Requirement::new(key.text, test).map_err(|error| error.at(key.position()))
    }

    fn test(&mut self) -> Result<Test, Error> {
        let operator = self.take();
        match operator.kind {
            Kind::In => self.values().map(Test::In),
            Kind::NotIn => self.values().map(Test::NotIn),
            Kind::Equals => self.value().map(|value| Test::In(vec![value.text.into()])),
            Kind::NotEquals => self.value().map(|value| Test::NotIn(vec![value.text.into()])),
            Kind::Greater => self.bound().map(Test::Greater),
            Kind::Less => self.bound().map(Test::Less),
            _ => Err(unexpected(operator, "`=`, `!=`, `in`, `notin`, `>` or `<`")),
        }
    }

    /// A single value, which may be empty.
    fn value(&mut self) -> Result<Token<'a>, Error> {
        let token = self.peek();
        match token.kind {
            Kind::End | Kind::Comma => Ok(Token { text: "", ..token }),
            _ if is_word(token) => Ok(self.take()),
            _ => Err(unexpected(token, "a value")),
        }
    }

    fn bound(&mut self) -> Result<i64, Error> {
        let value = self.value()?;
        let integer = integer(value.text).ok_or_else(|| {
            let message = format!("`{}` is not an integer, which `>` and `<` compare with", value.text);
            Error::new(Code::OperatorValues, message)
        });
        // A sign makes an integer, but no label value.
        let checked = integer.and_then(|integer| check_value(value.text).map(|()| integer));
        checked.map_err(|error| error.at(value.position()))
    }

    /// Values in parentheses. Nothing before, between or behind commas, or nothing at all, is the empty value.
    fn values(&mut self) -> Result<Vec<Text>, Error> {
        let open = self.take();
        if open.kind != Kind::Open {
            return Err(unexpected(open, "`(`"));
        }
        let mut values = Vec::new();
        loop {
            let value = if is_word(self.peek()) { self.take().text } else { "" };
            values.push(value.into());
            let token = self.take();
            match token.kind {
                Kind::Comma => {}
                Kind::Close => return Ok(values),
                _ => return Err(unexpected(token, "`,` or `)`")),
            }
        }
    }

    fn peek(&self) -> Token<'a> {
        self.tokens.get(self.next).copied().unwrap_or(Token { kind: Kind::End, text: "", column: 1 })
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.peek();
        self.next += 1;
        token
    }
}

fn is_word(token: Token<'_>) -> bool {
    matches!(token.kind, Kind::Word | Kind::In | Kind::NotIn)
}

fn unexpected(token: Token<'_>, wanted: &str) -> Error {
    let found = if token.kind == Kind::End { "the end".into() } else { format!("`{}`", token.text) };
    Error::new(Code::BadSelector, format!("expected {wanted}, but found {found}")).at(token.position())
}

/// Reads `kubectl -l` syntax. `Display` prints it back in canonical form: values sorted, `=` only for one value.
///
/// ```
/// use fleetfold_core::engine::select::LabelSelector;
///
/// let selector: LabelSelector = "env in (stage,prod), !legacy".parse()?;
/// assert_eq!(selector.requirements().len(), 2);
/// assert_eq!(selector.to_string(), "env in (prod,stage),!legacy");
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
impl std::str::FromStr for LabelSelector {
    type Err = Error;

    fn from_str(text: &str) -> Result<LabelSelector, Error> {
        parse_text(text)
    }
}

/// Reads `kubectl -l` syntax. An empty text selects every cluster; [`Selector::parse`] reads the other forms.
///
/// ```
/// use fleetfold_core::engine::select::{Cluster, Selector, selects};
///
/// let selector: Selector = "env=prod".parse()?;
/// let eu = Cluster { name: "eu-1".into(), labels: [("env", "prod")].into_iter().collect(), ..Cluster::default() };
/// assert!(selects(&selector, &eu));
/// # Ok::<(), fleetfold_core::diagnostic::Error>(())
/// ```
impl std::str::FromStr for Selector {
    type Err = Error;

    fn from_str(text: &str) -> Result<Selector, Error> {
        text.parse().map(Selector::Labels)
    }
}
