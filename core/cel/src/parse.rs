//! Parses tokens into a tree by the grammar of CEL, and expands macros.

use super::datum::Datum;
use super::functions::{self, Op, Style};
use super::lexer::{Token, tokens};
use super::{CelError, MAX_DEPTH};
use fleetfold_value::diagnostic::Code;
use fleetfold_value::value::Position;
use fleetfold_value::value::Text;

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) at: Position,
    pub(super) kind: Kind,
    /// The depth of the tree below: evaluation recurses into it.
    depth: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Literal(Datum),
    /// `root` is a leading dot: the variable, even if a macro shadows its name.
    Name {
        name: Text,
        root: bool,
    },
    Select {
        of: Box<Node>,
        field: Text,
    },
    /// `has(of.field)`
    Has {
        of: Box<Node>,
        field: Text,
    },
    Call {
        op: Op,
        name: Text,
        style: Style,
        arguments: Vec<Node>,
        /// The parameters of the overload, if the check found exactly one.
        settled: Option<&'static str>,
    },
    List(Vec<Node>),
    /// Keys and values, alternating.
    Map(Vec<Node>),
    /// `stop` is the value that decides: false for `&&`, true for `||`.
    Logic {
        stop: bool,
        terms: Vec<Node>,
    },
    /// Condition, then, else.
    Choose(Box<[Node; 3]>),
    /// A macro over a list or the keys of a map.
    Each {
        form: Form,
        name: Text,
        over: Box<Node>,
        /// The condition on an item, in every form but `map` with two arguments.
        test: Option<Box<Node>>,
        /// The expression that `map` evaluates for an item.
        item: Option<Box<Node>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

/// Macros by their names.
pub(super) const FORMS: &[(&str, Form)] = &[
    ("all", Form::All),
    ("exists", Form::Exists),
    ("exists_one", Form::ExistsOne),
    ("filter", Form::Filter),
    ("map", Form::Map),
];

/// Words that CEL reserves for later use.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "namespace",
    "package",
    "return",
    "var",
    "void",
    "while",
];

/// Binary operators and their precedence; operators of one level are left-associative.
const OPERATORS: &[(&str, u8)] = &[
    ("<", 0),
    ("<=", 0),
    (">", 0),
    (">=", 0),
    ("==", 0),
    ("!=", 0),
    ("in", 0),
    ("+", 1),
    ("-", 1),
    ("*", 2),
    ("/", 2),
    ("%", 2),
];

pub(super) fn parse(text: &str) -> Result<Node, CelError> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0 };
    let root = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(root),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser {
    tokens: Vec<(Token, Position)>,
    next: usize,
    /// Brackets and conditions around the current position.
    depth: usize,
}

impl Node {
    fn new(at: Position, kind: Kind) -> Result<Node, CelError> {
        let deepest = |nodes: &[Node]| nodes.iter().map(|it| it.depth).max().unwrap_or(0);
        let below = match &kind {
            Kind::Literal(_) | Kind::Name { .. } => 0,
            Kind::Select { of, .. } | Kind::Has { of, .. } => of.depth,
            Kind::Call { arguments: nodes, .. } | Kind::List(nodes) | Kind::Map(nodes) => deepest(nodes),
            Kind::Logic { terms, .. } => deepest(terms),
            Kind::Choose(nodes) => deepest(nodes.as_slice()),
            Kind::Each { over, test, item, .. } => {
                let inner = test.iter().chain(item).map(|it| it.depth).max().unwrap_or(0);
                over.depth.max(inner)
            }
        };
        let depth = below.saturating_add(1);
        if depth > MAX_DEPTH { Err(too_deep(at)) } else { Ok(Node { at, kind, depth }) }
    }
}

fn too_deep(at: Position) -> CelError {
    CelError::new(Code::TooDeep, format!("the expression is nested deeper than {MAX_DEPTH} levels"), at)
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(token, _)| token)
    }

    fn at(&self) -> Position {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(Position { line: 1, column: 1 }, |(_, at)| *at)
    }

    fn advance(&mut self) -> (Token, Position) {
        let at = self.at();
        let token = self.tokens.get_mut(self.next).map_or(Token::End, |(it, _)| std::mem::replace(it, Token::End));
        self.next = self.next.saturating_add(1);
        (token, at)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(it) if *it == sign);
        if found {
            self.next = self.next.saturating_add(1);
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), CelError> {
        if self.take(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> CelError {
        let found = match self.peek() {
            Token::End => "the end",
            Token::Sign(sign) => sign,
            Token::Name(name) => name.as_str(),
            Token::Text(_) => "a string",
            Token::Int(_) | Token::Uint(_) | Token::Double(_) => "a number",
        };
        let quoted = matches!(self.peek(), Token::Sign(_) | Token::Name(_));
        let found = if quoted { format!("`{found}`") } else { found.into() };
        CelError::bad(format!("expected {wanted}, found {found}"), self.at())
    }

    fn expression(&mut self) -> Result<Node, CelError> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.at()));
        }
        let condition = self.logic(true)?;
        let at = self.at();
        let node = if self.take("?") {
            let then = self.logic(true)?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            Node::new(at, Kind::Choose(Box::new([condition, then, otherwise])))?
        } else {
            condition
        };
        self.depth = self.depth.saturating_sub(1);
        Ok(node)
    }

    /// `||` over `&&` over comparisons.
    fn logic(&mut self, stop: bool) -> Result<Node, CelError> {
        let term = |parser: &mut Parser| if stop { parser.logic(false) } else { parser.binary(0) };
        let first = term(self)?;
        let at = self.at();
        let mut terms = vec![first];
        while self.take(if stop { "||" } else { "&&" }) {
            terms.push(term(self)?);
        }
        match terms.pop() {
            Some(only) if terms.is_empty() => Ok(only),
            last => {
                terms.extend(last);
                Node::new(at, Kind::Logic { stop, terms })
            }
        }
    }

    /// Operators that bind at least as tightly as this level.
    fn binary(&mut self, level: u8) -> Result<Node, CelError> {
        let mut left = self.unary()?;
        loop {
            let at = self.at();
            let Some((sign, found)) = OPERATORS.iter().find(|(sign, it)| *it >= level && self.take(sign)) else {
                return Ok(left);
            };
            let right = self.binary(found.saturating_add(1))?;
            left = call(at, sign, Style::Infix, vec![left, right])?;
        }
    }

    /// Prefix signs. Two of them cancel out, whatever the operand, as in cel-go.
    fn unary(&mut self) -> Result<Node, CelError> {
        let at = self.at();
        for sign in ["!", "-"] {
            let mut count = 0u32;
            while !(sign == "-" && count == 0 && self.number_follows()) && self.take(sign) {
                count = count.saturating_add(1);
            }
            if count > 0 {
                let of = self.member()?;
                return if count.is_multiple_of(2) { Ok(of) } else { call(at, sign, Style::Prefix, vec![of]) };
            }
        }
        self.member()
    }

    /// Whether a number follows the next token.
    fn number_follows(&self) -> bool {
        let after = self.tokens.get(self.next.saturating_add(1));
        matches!(after, Some((Token::Int(_) | Token::Double(_), _)))
    }

    fn member(&mut self) -> Result<Node, CelError> {
        let mut node = self.primary()?;
        loop {
            let at = self.at();
            if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                node = call(at, "[]", Style::Infix, vec![node, index])?;
            } else if self.take(".") {
                let Token::Name(name) = self.peek().clone() else { return Err(self.unexpected("a name")) };
                let (_, name_at) = self.advance();
                node = if self.take("(") {
                    let arguments = self.list(")", false)?;
                    member_call(name_at, node, name, arguments)?
                } else {
                    Node::new(at, Kind::Select { of: Box::new(node), field: name })?
                };
            } else {
                return Ok(node);
            }
        }
    }

    fn primary(&mut self) -> Result<Node, CelError> {
        if matches!(self.peek(), Token::Sign(_)) {
            return self.bracketed();
        }
        if *self.peek() == Token::End {
            return Err(self.unexpected("a value"));
        }
        let (token, at) = self.advance();
        let literal = match token {
            Token::Int(it) => {
                Datum::Int(i64::try_from(it).map_err(|_| CelError::bad("the number is out of range", at))?)
            }
            Token::Uint(it) => Datum::Uint(it),
            Token::Double(it) => Datum::Double(it),
            Token::Text(it) => Datum::Text(it),
            Token::Name(name) => return self.name(at, name, false),
            Token::Sign(_) | Token::End => Datum::Null,
        };
        Node::new(at, Kind::Literal(literal))
    }

    fn name(&mut self, at: Position, name: Text, root: bool) -> Result<Node, CelError> {
        if RESERVED.contains(&name.as_str()) {
            return Err(CelError::bad(format!("`{name}` is a reserved word"), at));
        }
        if !self.take("(") {
            return Node::new(at, Kind::Name { name, root });
        }
        let mut arguments = self.list(")", false)?;
        if name == "has" && arguments.len() == 1 {
            return match arguments.pop().map(|it| it.kind) {
                Some(Kind::Select { of, field }) => Node::new(at, Kind::Has { of, field }),
                _ => Err(CelError::bad("`has` takes a field, as in `has(a.b)`", at)),
            };
        }
        call(at, &name, Style::Global, arguments)
    }

    /// A value that starts with a sign or a keyword: a constant, a negative number, a root name, brackets.
    fn bracketed(&mut self) -> Result<Node, CelError> {
        let at = self.at();
        if self.take("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.take(".") {
            let Token::Name(name) = self.peek().clone() else { return Err(self.unexpected("a name")) };
            self.advance();
            return self.name(at, name, true);
        }
        let kind = if self.take("[") {
            Kind::List(self.list("]", true)?)
        } else if self.take("{") {
            Kind::Map(self.entries()?)
        } else if self.number_follows() && self.take("-") {
            let out_of_range = || CelError::bad("the number is out of range", at);
            Kind::Literal(match self.advance().0 {
                Token::Int(it) => Datum::Int(0i64.checked_sub_unsigned(it).ok_or_else(out_of_range)?),
                Token::Double(it) => Datum::Double(-it),
                _ => return Err(out_of_range()),
            })
        } else if self.take("true") {
            Kind::Literal(Datum::Bool(true))
        } else if self.take("false") {
            Kind::Literal(Datum::Bool(false))
        } else if self.take("null") {
            Kind::Literal(Datum::Null)
        } else {
            return Err(self.unexpected("a value"));
        };
        Node::new(at, kind)
    }

    /// The comma-separated items up to the closing sign. A list may have a trailing comma, a call may not.
    fn list(&mut self, close: &str, comma_at_end: bool) -> Result<Vec<Node>, CelError> {
        let mut items = Vec::new();
        while !self.take(close) {
            if comma_at_end && items.is_empty() && self.take(",") {
                return self.expect(close).map(|()| items);
            }
            items.push(self.expression()?);
            if !self.take(",") {
                return self.expect(close).map(|()| items);
            }
            if !comma_at_end && matches!(self.peek(), Token::Sign(it) if *it == close) {
                return Err(self.unexpected("another argument"));
            }
        }
        Ok(items)
    }

    fn entries(&mut self) -> Result<Vec<Node>, CelError> {
        let mut entries = Vec::new();
        while !self.take("}") {
            if entries.is_empty() && self.take(",") {
                return self.expect("}").map(|()| entries);
            }
            entries.push(self.expression()?);
            self.expect(":")?;
            entries.push(self.expression()?);
            if !self.take(",") {
                return self.expect("}").map(|()| entries);
            }
        }
        Ok(entries)
    }
}

fn call(at: Position, name: &str, style: Style, arguments: Vec<Node>) -> Result<Node, CelError> {
    let op = functions::find(name, style, arguments.len(), at)?;
    Node::new(at, Kind::Call { op, name: name.into(), style, arguments, settled: None })
}

fn member_call(at: Position, of: Node, name: Text, mut arguments: Vec<Node>) -> Result<Node, CelError> {
    if let Some((_, form)) = FORMS.iter().find(|(it, _)| *it == name) {
        return each(at, &name, *form, of, arguments);
    }
    if let Kind::Name { name: space, .. } = &of.kind {
        let qualified = format!("{space}.{name}");
        if functions::is_known(&qualified, Style::Global) {
            return call(at, &qualified, Style::Global, arguments);
        }
    }
    arguments.insert(0, of);
    call(at, &name, Style::Member, arguments)
}

/// `over.form(name, last)`, and for `map` also `over.map(name, test, item)`.
fn each(at: Position, called: &str, form: Form, over: Node, arguments: Vec<Node>) -> Result<Node, CelError> {
    let (name, test, item) = match <[Node; 2]>::try_from(arguments) {
        Ok([name, item]) if form == Form::Map => (name, None, Some(Box::new(item))),
        Ok([name, test]) => (name, Some(Box::new(test)), None),
        Err(other) => match <[Node; 3]>::try_from(other) {
            Ok([name, test, item]) if form == Form::Map => (name, Some(Box::new(test)), Some(Box::new(item))),
            _ => return Err(CelError::bad(format!("`{called}` takes a name and an expression over it"), at)),
        },
    };
    let Kind::Name { name, root: false } = name.kind else {
        return Err(CelError::bad(format!("the first argument of `{called}` is a plain name"), name.at));
    };
    Node::new(at, Kind::Each { form, name, over: Box::new(over), test, item })
}
