//! The values of CEL: those of JSON, and those that only CEL has.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Budget;
use fleetfold_value::value::{Map, Number, Text, Value};

#[derive(Clone, Debug)]
pub(super) enum Datum {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// Any double, including infinities and NaN, which JSON cannot express.
    Double(f64),
    Text(Text),
    List(Arc<Vec<Datum>>),
    /// In the order of the literal, each key once.
    Map(Arc<Vec<(Datum, Datum)>>),
    /// A list or a map of a variable, not converted: an expression reads only a small part of a document.
    Json(Value),
    Type(&'static str),
}

/// The names of types. Types are values too.
pub(super) const TYPES: &[&str] =
    &["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

impl From<&Value> for Datum {
    fn from(value: &Value) -> Datum {
        match value {
            Value::Null => Datum::Null,
            Value::Bool(it) => Datum::Bool(*it),
            Value::Number(Number::Int(it)) => Datum::Int(*it),
            Value::Number(Number::Double(it)) => Datum::Double(*it),
            Value::Text(it) => Datum::Text(it.clone()),
            Value::List(_) | Value::Map(_) => Datum::Json(value.clone()),
        }
    }
}

impl Datum {
    pub(super) fn text(text: impl Into<Text>) -> Datum {
        Datum::Text(text.into())
    }

    pub(super) fn list(items: Vec<Datum>) -> Datum {
        Datum::List(Arc::new(items))
    }

    /// The name of its type, as in `type()` and in messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Datum::Null => "null_type",
            Datum::Bool(_) => "bool",
            Datum::Int(_) => "int",
            Datum::Uint(_) => "uint",
            Datum::Double(_) => "double",
            Datum::Text(_) => "string",
            Datum::List(_) | Datum::Json(Value::List(_)) => "list",
            Datum::Map(_) | Datum::Json(_) => "map",
            Datum::Type(_) => "type",
        }
    }

    /// Converts the first level of a variable's value, so that it is a list or a map like any other.
    pub(super) fn open(self, budget: &mut Budget) -> Result<Datum, String> {
        Ok(match self {
            Datum::Json(Value::List(items)) => {
                budget.spend(items.len())?;
                Datum::list(items.iter().map(Datum::from).collect())
            }
            Datum::Json(Value::Map(map)) => {
                budget.spend(map.len())?;
                let entry = |(key, value): (&Text, &Value)| (Datum::Text(key.clone()), Datum::from(value));
                Datum::Map(Arc::new(map.iter().map(entry).collect()))
            }
            other => other,
        })
    }

    /// The value of a key in a map. Equal numbers are the same key, whatever their types.
    pub(super) fn get(&self, key: &Datum, budget: &mut Budget) -> Result<Option<Datum>, String> {
        match (self, key) {
            (Datum::Json(map), Datum::Text(key)) => {
                budget.spend_text(key.len())?;
                Ok(map.get(key).map(Datum::from))
            }
            (Datum::Map(entries), _) => {
                for (each, value) in entries.iter() {
                    if each.equals(key, budget)? {
                        return Ok(Some(value.clone()));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// CEL's equality: numbers are compared across number types, lists and maps by content. Other types never equal
    /// each other.
    pub(super) fn equals(&self, other: &Datum, budget: &mut Budget) -> Result<bool, String> {
        budget.spend(1)?;
        match (self, other) {
            (Datum::Null, Datum::Null) => Ok(true),
            (Datum::Type(a), Datum::Type(b)) => Ok(a == b),
            (Datum::List(a), Datum::List(b)) => {
                for (a, b) in a.iter().zip(b.iter()).filter(|_| a.len() == b.len()) {
                    if !a.equals(b, budget)? {
                        return Ok(false);
                    }
                }
                Ok(a.len() == b.len())
            }
            (Datum::Map(a), Datum::Map(_) | Datum::Json(Value::Map(_))) => {
                if a.len() != other.len() {
                    return Ok(false);
                }
                for (key, value) in a.iter() {
                    match other.get(key, budget)? {
                        Some(it) if value.equals(&it, budget)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            (Datum::Json(_), Datum::List(_) | Datum::Map(_) | Datum::Json(_)) => {
                self.clone().open(budget)?.equals(other, budget)
            }
            (Datum::List(_), Datum::Json(Value::List(_))) => self.equals(&other.clone().open(budget)?, budget),
            (Datum::Text(a), Datum::Text(b)) if a.len() == b.len() => {
                budget.spend_text(a.len())?;
                Ok(a == b)
            }
            (Datum::Text(_), Datum::Text(_)) => Ok(false),
            _ => Ok(self.order(other) == Some(Ordering::Equal)),
        }
    }

    /// The order of two numbers, strings or booleans. `None` for other types and for NaN.
    pub(super) fn order(&self, other: &Datum) -> Option<Ordering> {
        match (self, other) {
            (Datum::Bool(a), Datum::Bool(b)) => Some(a.cmp(b)),
            (Datum::Text(a), Datum::Text(b)) => Some(a.as_str().cmp(b)),
            (Datum::Int(a), Datum::Int(b)) => Some(a.cmp(b)),
            (Datum::Uint(a), Datum::Uint(b)) => Some(a.cmp(b)),
            (Datum::Double(a), Datum::Double(b)) => a.partial_cmp(b),
            (Datum::Int(a), Datum::Uint(b)) => Some(u64::try_from(*a).map_or(Ordering::Less, |a| a.cmp(b))),
            // As in cel-go: the integer is rounded to a double before the comparison.
            (Datum::Double(a), Datum::Int(b)) => a.partial_cmp(&(*b as f64)),
            (Datum::Double(a), Datum::Uint(b)) => a.partial_cmp(&(*b as f64)),
            (Datum::Uint(_), Datum::Int(_)) | (Datum::Int(_) | Datum::Uint(_), Datum::Double(_)) => {
                other.order(self).map(Ordering::reverse)
            }
            _ => None,
        }
    }

    /// The number of characters, items or entries; zero for other types.
    pub(super) fn len(&self) -> usize {
        match self {
            Datum::Text(text) => text.chars().count(),
            Datum::List(items) => items.len(),
            Datum::Map(entries) => entries.len(),
            Datum::Json(value) => {
                value.as_list().map_or(0, Vec::len).saturating_add(value.as_map().map_or(0, Map::len))
            }
            _ => 0,
        }
    }

    /// The result as JSON. Integer and boolean keys become strings.
    pub(super) fn into_value(self, budget: &mut Budget) -> Result<Value, String> {
        let no_word = |what: &str| Err(format!("the result has {what}, which JSON cannot express"));
        budget.spend(1)?;
        match self {
            Datum::Null => Ok(Value::Null),
            Datum::Bool(it) => Ok(it.into()),
            Datum::Int(it) => Ok(it.into()),
            Datum::Uint(it) => match i64::try_from(it) {
                Ok(it) => Ok(it.into()),
                Err(_) => no_word("an unsigned integer above 2^63"),
            },
            Datum::Double(it) => match Number::double(it) {
                Some(it) => Ok(it.into()),
                None => no_word("an infinite double or NaN"),
            },
            Datum::Text(it) => budget.spend_text(it.len()).map(|()| it.into()),
            Datum::Json(it) => weigh(&it, budget).map(|()| it),
            Datum::Type(_) => no_word("a type"),
            Datum::List(items) => {
                let items: Result<Vec<Value>, String> = items.iter().map(|it| it.clone().into_value(budget)).collect();
                items.map(Value::from)
            }
            Datum::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries.iter() {
                    let name = key.written().filter(|_| !matches!(key, Datum::Double(_)));
                    let Some(name) = name else { return no_word("a key that is a double, a type or null") };
                    budget.spend_text(name.len())?;
                    if map.insert(name, value.clone().into_value(budget)?).is_some() {
                        return no_word("two keys that are written alike");
                    }
                }
                Ok(map.into())
            }
        }
    }

    /// The result of `string()`, if it accepts the type.
    pub(super) fn written(&self) -> Option<Text> {
        Some(match self {
            Datum::Text(it) => it.clone(),
            Datum::Bool(it) => it.to_string().into(),
            Datum::Int(it) => it.to_string().into(),
            Datum::Uint(it) => it.to_string().into(),
            Datum::Double(it) => double_text(*it).into(),
            _ => return None,
        })
    }
}

/// A key of a map literal, ordered so that equal keys of one type are found: those of two types are two keys there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    /// The bits of a double.
    Double(u64),
    Text(Text),
    Type(&'static str),
}

impl Key {
    /// None for lists and maps, which cannot be keys.
    pub(super) fn of(datum: &Datum) -> Option<Key> {
        Some(match datum {
            Datum::Null => Key::Null,
            Datum::Bool(it) => Key::Bool(*it),
            Datum::Int(it) => Key::Int(*it),
            Datum::Uint(it) => Key::Uint(*it),
            // Zero and minus zero are equal.
            Datum::Double(it) => Key::Double((it + 0.0).to_bits()),
            Datum::Text(it) => Key::Text(it.clone()),
            Datum::Type(it) => Key::Type(it),
            Datum::List(_) | Datum::Map(_) | Datum::Json(_) => return None,
        })
    }

    pub(super) fn is_nan(&self) -> bool {
        matches!(self, Key::Double(bits) if f64::from_bits(*bits).is_nan())
    }

    /// The bytes that comparing it reads.
    pub(super) fn len(&self) -> usize {
        if let Key::Text(text) = self { text.len() } else { 0 }
    }
}

/// Charges for an unconverted value: it is shared here, but the result contains a copy for each use.
fn weigh(value: &Value, budget: &mut Budget) -> Result<(), String> {
    budget.spend(1)?;
    match value {
        Value::List(items) => items.iter().try_for_each(|it| weigh(it, budget)),
        Value::Map(map) => map.iter().try_for_each(|(key, it)| {
            budget.spend_text(key.len())?;
            weigh(it, budget)
        }),
        Value::Text(text) => budget.spend_text(text.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// A double as Go's `%g` writes it: the shortest digits, with an exponent of two digits below 10^-4 and from 10^6 on.
fn double_text(double: f64) -> String {
    if double.is_nan() {
        return "NaN".into();
    }
    if double.is_infinite() {
        return if double > 0.0 { "+Inf".into() } else { "-Inf".into() };
    }
    let scientific = format!("{double:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return format!("{double}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}
