//! The types of the check, and their unification.
//!
//! A type that is not known yet is [`Type::Free`] until its first use settles it, as in cel-go: the items of an empty
//! list, or an index into a value of any type.

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Any,
    /// A letter of the table of functions.
    Plain(char),
    List(Box<Type>),
    Map(Box<[Type; 2]>),
    Free(usize),
}

pub(super) const BOOL: Type = Type::Plain('b');

const LETTERS: &[(char, &str)] = &[
    ('b', "bool"),
    ('i', "int"),
    ('u', "uint"),
    ('d', "double"),
    ('s', "string"),
    ('n', "null"),
    ('t', "a type"),
    ('y', "bytes"),
    ('r', "a duration"),
    ('p', "a timestamp"),
];

/// The depth limit of types; below it everything is any type. Nested maps would double the type with each level.
const MAX_NESTING: usize = 8;
/// The number of type comparisons for one expression; after that all types count as equal.
const MAX_COMPARED: usize = 100_000;

impl Type {
    pub(super) fn list(item: Type) -> Type {
        Type::List(Box::new(item.cut(MAX_NESTING)))
    }

    pub(super) fn map(key: Type, value: Type) -> Type {
        Type::Map(Box::new([key.cut(MAX_NESTING), value.cut(MAX_NESTING)]))
    }

    fn cut(self, levels: usize) -> Type {
        let below = levels.saturating_sub(1);
        match self {
            Type::List(_) | Type::Map(_) if levels == 0 => Type::Any,
            Type::List(item) => Type::List(Box::new(item.cut(below))),
            Type::Map(entry) => Type::Map(Box::new(entry.map(|it| it.cut(below)))),
            other => other,
        }
    }

    /// The name in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Type::Any | Type::Free(_) => "anything",
            Type::Plain(letter) => LETTERS.iter().find(|(it, _)| it == letter).map_or("anything", |(_, name)| name),
            Type::List(_) => "a list",
            Type::Map(_) => "a map",
        }
    }

    /// Whether this type is as general as the other, or more.
    fn is_as_general(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Any | Type::Free(_), _) => true,
            (_, Type::Any | Type::Free(_)) => false,
            (Type::List(a), Type::List(b)) => a.is_as_general(b),
            (Type::Map(a), Type::Map(b)) => a.iter().zip(b.iter()).all(|(a, b)| a.is_as_general(b)),
            _ => self == other,
        }
    }

    pub(super) fn most_general(self, other: Type) -> Type {
        if self.is_as_general(&other) { self } else { other }
    }
}

/// The types that free types are bound to.
#[derive(Default)]
pub(super) struct Types {
    bound: Vec<Option<Type>>,
    /// Previous entries, to roll back a failed attempt.
    trail: Vec<(usize, Option<Type>)>,
    compared: usize,
}

impl Types {
    pub(super) fn free(&mut self) -> Type {
        self.bound.push(None);
        Type::Free(self.bound.len().saturating_sub(1))
    }

    /// Runs an attempt, and rolls it back if it fails.
    pub(super) fn attempt<T>(&mut self, run: impl FnOnce(&mut Types) -> Option<T>) -> Option<T> {
        let (kept, known) = (self.trail.len(), self.bound.len());
        let done = run(self);
        if done.is_none() {
            for (at, before) in self.trail.drain(kept..).rev() {
                if let Some(slot) = self.bound.get_mut(at) {
                    *slot = before;
                }
            }
            self.bound.truncate(known);
        }
        done
    }

    /// Whether a value of one type fits a parameter of the other. Binds free types.
    pub(super) fn agree(&mut self, given: &Type, wanted: &Type) -> bool {
        self.attempt(|types| types.fits(given, wanted).then_some(())).is_some()
    }

    pub(super) fn fits(&mut self, given: &Type, wanted: &Type) -> bool {
        self.compared = self.compared.saturating_add(1);
        if self.compared > MAX_COMPARED {
            return true;
        }
        let (given, wanted) = (&self.last(given), &self.last(wanted));
        if let Type::Free(at) = wanted {
            match self.bind(*at, given) {
                Bound::Agrees => return true,
                Bound::Differs => return false,
                Bound::Circular => {}
            }
        }
        if let Type::Free(at) = given {
            return matches!(self.bind(*at, wanted), Bound::Agrees);
        }
        match (given, wanted) {
            (Type::Any, _) | (_, Type::Any) => true,
            // Null is an absent time or duration.
            (Type::Plain('n'), Type::Plain(it)) | (Type::Plain(it), Type::Plain('n')) => matches!(it, 'n' | 'r' | 'p'),
            (Type::List(a), Type::List(b)) => self.fits(a, b),
            (Type::Map(a), Type::Map(b)) => a.iter().zip(b.iter()).all(|(a, b)| self.fits(a, b)),
            _ => given == wanted,
        }
    }

    /// Binds a free type. If it is bound already, compares the two and keeps the more general one.
    fn bind(&mut self, at: usize, to: &Type) -> Bound {
        if *to == Type::Free(at) {
            return Bound::Agrees;
        }
        let Some(before) = self.bound.get(at).cloned().flatten() else {
            if !self.occurs(at, to) {
                self.set(at, to.clone());
            } else if self.compared <= MAX_COMPARED {
                return Bound::Circular;
            }
            return Bound::Agrees;
        };
        if *to == before {
            return Bound::Agrees;
        }
        if !self.fits(to, &before) {
            return Bound::Differs;
        }
        let general = to.clone().most_general(before);
        if !self.occurs(at, &general) {
            self.set(at, general);
        }
        Bound::Agrees
    }

    fn set(&mut self, at: usize, to: Type) {
        if let Some(slot) = self.bound.get_mut(at) {
            self.trail.push((at, slot.replace(to)));
        }
    }

    /// Follows free types that were settled to one another. Chains can be long, so this does not recurse.
    fn last(&self, it: &Type) -> Type {
        let mut last = it;
        while let Type::Free(at) = last
            && let Some(Some(next @ Type::Free(_))) = self.bound.get(*at)
        {
            last = next;
        }
        last.clone()
    }

    fn occurs(&mut self, at: usize, within: &Type) -> bool {
        self.compared = self.compared.saturating_add(1);
        match &self.last(within) {
            Type::Free(it) if *it == at || self.compared > MAX_COMPARED => true,
            Type::Free(it) => match self.bound.get(*it).cloned().flatten() {
                Some(bound) => self.occurs(at, &bound),
                None => false,
            },
            Type::List(item) => self.occurs(at, item),
            Type::Map(entry) => entry.iter().any(|it| self.occurs(at, it)),
            Type::Any | Type::Plain(_) => false,
        }
    }

    /// The type with all settled types substituted.
    pub(super) fn resolve(&self, it: &Type) -> Type {
        self.resolved(it, MAX_NESTING)
    }

    fn resolved(&self, it: &Type, levels: usize) -> Type {
        let below = levels.saturating_sub(1);
        let it = &self.last(it);
        match it {
            Type::Free(at) => match self.bound.get(*at) {
                Some(Some(bound)) => self.resolved(bound, levels),
                _ => it.clone(),
            },
            Type::List(_) | Type::Map(_) if levels == 0 => Type::Any,
            Type::List(item) => Type::List(Box::new(self.resolved(item, below))),
            Type::Map(entry) => {
                let [key, value] = entry.as_ref();
                Type::Map(Box::new([self.resolved(key, below), self.resolved(value, below)]))
            }
            Type::Any | Type::Plain(_) => it.clone(),
        }
    }
}

enum Bound {
    Agrees,
    Differs,
    /// The free type is part of the type that it would be bound to.
    Circular,
}
