//! Checks names and types before evaluation, to distinguish an expression that can never work from one that fails on a
//! cluster.
//!
//! Variables have any type, and so has most of an expression. Only the types of literals and of function results are
//! known: they must fit an overload in the table of functions. The first overload that fits wins.

use super::CelError;
use super::datum::{Datum, TYPES};
use super::functions::{Op, Row, Style, overloads};
use super::parse::{Form, Kind, Node};
use super::pattern;
use super::strings::clauses;
use super::types::{BOOL, Type, Types};
use fleetfold_value::value::Position;
use fleetfold_value::value::Text;
use fleetfold_value::value::suggest::did_you_mean;

/// Refuses unknown names and calls that fail for every value.
pub(super) fn check(root: &mut Node, variables: &[&str]) -> Result<(), CelError> {
    let names = variables.iter().map(|it| (Text::from(*it), Type::Any)).collect();
    let mut checker = Checker { names, variables: variables.len(), types: Types::default(), mixed: false };
    checker.node(root).map(drop)
}

struct Checker {
    /// The innermost last; the variables are the first.
    names: Vec<(Text, Type)>,
    variables: usize,
    types: Types,
    /// Whether numbers of different types can be compared. cel-go refuses that where it knows both types, but no longer
    /// does so after the first macro.
    mixed: bool,
}

impl Checker {
    fn node(&mut self, node: &mut Node) -> Result<Type, CelError> {
        let at = node.at;
        let bad = |message: String| Err(CelError::bad(message, at));
        let is_has = matches!(node.kind, Kind::Has { .. });
        match &mut node.kind {
            Kind::Literal(datum) => Ok(Type::Plain(match datum {
                Datum::Bool(_) => 'b',
                Datum::Int(_) => 'i',
                Datum::Uint(_) => 'u',
                Datum::Double(_) => 'd',
                Datum::Text(_) => 's',
                _ => 'n',
            })),
            Kind::Name { name, root } => {
                let visible = if *root { self.variables } else { self.names.len() };
                let names = self.names.get(..visible).unwrap_or_default();
                if let Some((_, found)) = names.iter().rev().find(|(it, _)| it == name) {
                    return Ok(found.clone());
                }
                if TYPES.contains(&name.as_str()) {
                    return Ok(Type::Plain('t'));
                }
                let hint = did_you_mean(name, names.iter().map(|(it, _)| it.as_str()));
                Err(CelError { hint, ..CelError::bad(format!("there is no variable `{name}`"), at) })
            }
            Kind::Select { of, field } | Kind::Has { of, field } => {
                let of = self.opened(of)?;
                let found = match of {
                    Type::Any => Type::Any,
                    Type::Map(entry) => {
                        let [_, value] = *entry;
                        value
                    }
                    other => return bad(format!("cannot read `.{field}` of {}, which has no fields", other.name())),
                };
                Ok(if is_has { BOOL } else { found })
            }
            Kind::Call { op, name, style, arguments, settled } => {
                // The receiver is checked last, as in cel-go: the order decides which use settles a type.
                let first = usize::from(*style == Style::Member);
                let mut given = Vec::new();
                for argument in arguments.iter_mut().skip(first) {
                    given.push(self.node(argument)?);
                }
                if let Some(of) = arguments.iter_mut().take(first).next() {
                    given.insert(0, self.node(of)?);
                }
                match self.call(name, *style, &given) {
                    Some((found, takes)) => {
                        *settled = takes;
                        check_texts(*op, arguments).map_err(|it| CelError::bad(it, at))?;
                        Ok(found)
                    }
                    None => Err(self.refused(name, &given, at)),
                }
            }
            Kind::List(items) => {
                let item = self.common(items.iter_mut())?;
                Ok(Type::list(item))
            }
            Kind::Map(entries) => {
                let (mut key, mut value) = (None, None);
                for (place, it) in entries.iter_mut().enumerate() {
                    let so_far = if place.is_multiple_of(2) { &mut key } else { &mut value };
                    *so_far = Some(self.joined(so_far.take(), it)?);
                }
                let (key, value) =
                    (key.unwrap_or_else(|| self.types.free()), value.unwrap_or_else(|| self.types.free()));
                Ok(Type::map(key, value))
            }
            Kind::Logic { terms, .. } => {
                let given: Vec<Type> = terms.iter_mut().map(|it| self.node(it)).collect::<Result<_, _>>()?;
                terms.iter().zip(&given).try_for_each(|(term, given)| self.bool(term.at, given))?;
                Ok(BOOL)
            }
            Kind::Choose(parts) => {
                let [condition, then, otherwise] = parts.as_mut();
                let given = [self.node(condition)?, self.node(then)?, self.node(otherwise)?];
                self.choose(at, condition.at, &given)
            }
            Kind::Each { form, name, over, test, item } => {
                let each = match self.opened(over)? {
                    Type::Any => Type::Any,
                    Type::List(item) => *item,
                    Type::Map(entry) => {
                        let [key, _] = *entry;
                        key
                    }
                    other => return bad(format!("cannot iterate over {}", other.name())),
                };
                self.mixed = true;
                self.names.push((name.clone(), each.clone()));
                let inner = self.each(*form, each, test.as_deref_mut(), item.as_deref_mut());
                self.names.pop();
                inner
            }
        }
    }

    /// The type of a macro's result. A list starts as an empty one and takes the type of its items.
    fn each(
        &mut self,
        form: Form,
        each: Type,
        test: Option<&mut Node>,
        item: Option<&mut Node>,
    ) -> Result<Type, CelError> {
        let so_far = Type::list(self.types.free());
        let tested = test.map(|it| Ok((it.at, self.node(it)?))).transpose()?;
        let item = item.map(|it| self.node(it)).transpose()?.unwrap_or(each);
        match form {
            Form::All | Form::Exists | Form::ExistsOne => {
                tested.map_or(Ok(()), |(at, given)| self.bool(at, &given))?;
                Ok(BOOL)
            }
            Form::Filter | Form::Map => {
                let grown = self.call("+", Style::Infix, &[so_far.clone(), Type::list(item)]);
                let grown = grown.map_or(Type::Any, |(grown, _)| grown);
                if let Some((at, given)) = tested {
                    self.choose(at, at, &[given, grown, so_far.clone()])?;
                } else {
                    self.types.agree(&grown, &so_far);
                }
                Ok(self.types.resolve(&so_far))
            }
        }
    }

    /// The type of a value with fields or items. A free type becomes any type here.
    fn opened(&mut self, node: &mut Node) -> Result<Type, CelError> {
        let found = self.node(node)?;
        let found = self.types.resolve(&found);
        if matches!(found, Type::Free(_)) {
            self.types.agree(&Type::Any, &found);
            return Ok(Type::Any);
        }
        Ok(found)
    }

    fn bool(&mut self, at: Position, given: &Type) -> Result<(), CelError> {
        if self.types.agree(given, &BOOL) {
            return Ok(());
        }
        let name = self.types.resolve(given).name();
        Err(CelError::bad(format!("this must be a bool, and is {name}"), at))
    }

    fn choose(&mut self, at: Position, condition_at: Position, given: &[Type; 3]) -> Result<Type, CelError> {
        let [condition, then, otherwise] = given;
        self.bool(condition_at, condition)?;
        let chosen = self.types.attempt(|types| {
            let both = types.free();
            (types.fits(then, &both) && types.fits(otherwise, &both)).then(|| types.resolve(&both))
        });
        chosen.ok_or_else(|| {
            let (then, otherwise) = (self.types.resolve(then).name(), self.types.resolve(otherwise).name());
            CelError::bad(format!("one branch gives {then}, the other {otherwise}"), at)
        })
    }

    /// The common type of all items; free for no items.
    fn common<'a>(&mut self, nodes: impl Iterator<Item = &'a mut Node>) -> Result<Type, CelError> {
        let mut so_far = None;
        for node in nodes {
            so_far = Some(self.joined(so_far, node)?);
        }
        Ok(so_far.unwrap_or_else(|| self.types.free()))
    }

    /// The common type with one more item; any type if the two differ.
    fn joined(&mut self, so_far: Option<Type>, node: &mut Node) -> Result<Type, CelError> {
        let next = self.node(node)?;
        Ok(match so_far {
            None => next,
            Some(before) if self.types.agree(&before, &next) => before.most_general(next),
            Some(_) => Type::Any,
        })
    }

    /// The result type of a call: the type that all fitting overloads return, otherwise any type. Also the parameters
    /// of the overload, if only one fits. `None` if none fits.
    fn call(&mut self, name: &str, style: Style, given: &[Type]) -> Option<(Type, Option<&'static str>)> {
        let mut found = None;
        for row in overloads(name, style).filter(|it| it.takes.len() == given.len()) {
            if row.takes == "NN" && !self.mixed {
                continue;
            }
            let Some(gives) = self.types.attempt(|types| overload(types, row, given)) else { continue };
            found = Some(match found {
                None => (gives, Some(row.takes)),
                Some((before, _)) if before == gives => (before, None),
                Some(_) => (Type::Any, None),
            });
        }
        found
    }

    fn refused(&mut self, name: &str, given: &[Type], at: Position) -> CelError {
        let given: Vec<Type> = given.iter().map(|it| self.types.resolve(it)).collect();
        let kinds: Vec<&str> = given.iter().map(Type::name).collect();
        let error = CelError::bad(format!("`{name}` does not take {}", kinds.join(" and ")), at);
        let texts = given.iter().filter(|it| **it == Type::Plain('s')).count();
        if name == "+" && texts == 1 { error.hint("make a string of the other side with `string(…)`") } else { error }
    }
}

/// Checks literal formats and patterns: a format must fit its list, and an unsupported pattern must not look like one
/// that does not match.
fn check_texts(op: Op, arguments: &[Node]) -> Result<(), String> {
    match (op, arguments.first().map(|it| &it.kind), arguments.get(1).map(|it| &it.kind)) {
        (Op::Matches, _, Some(Kind::Literal(Datum::Text(written)))) => {
            pattern::unsupported(written).map_or(Ok(()), Err)
        }
        (Op::Format, Some(Kind::Literal(Datum::Text(format))), Some(Kind::List(items))) => {
            let places = clauses(format)?.iter().filter(|(_, clause)| clause.is_some()).count();
            if places == items.len() {
                return Ok(());
            }
            Err(format!("the format has {places} places, and the list {} items", items.len()))
        }
        _ => Ok(()),
    }
}

/// The result type of one overload, if the arguments fit it.
fn overload(types: &mut Types, row: &Row, given: &[Type]) -> Option<Type> {
    let generic = row.takes.contains(['A', 'L', 'M']);
    let (a, b) = if generic { (types.free(), types.free()) } else { (Type::Any, Type::Any) };
    let typed = |letter: char| match letter {
        '*' => Type::Any,
        'A' => a.clone(),
        'B' => b.clone(),
        'L' => Type::list(a.clone()),
        'M' => Type::map(a.clone(), b.clone()),
        'S' => Type::list(Type::Plain('s')),
        'D' => Type::list(Type::Any),
        plain => Type::Plain(plain),
    };
    let fits = row.takes.chars().zip(given).all(|(letter, it)| match letter {
        'N' => matches!(types.resolve(it), Type::Any | Type::Plain('i' | 'u' | 'd')),
        _ => types.fits(it, &typed(letter)),
    });
    fits.then(|| types.resolve(&typed(row.gives)))
}
