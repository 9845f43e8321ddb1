//! Whether a value is one that a rule can carry over.

use crate::object::kinds::retention::Wanted;
use crate::value::{Number, Value};

/// How a value goes with what a rule wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    Good,
    /// Of the right type, with nothing in it.
    Empty,
    Wrong,
}

impl Wanted {
    /// As messages name it.
    pub fn describe(self) -> &'static str {
        match self {
            Wanted::Any => "a value",
            Wanted::Text => "a string",
            Wanted::Int | Wanted::PositiveInt => "an integer",
            Wanted::Texts | Wanted::SomeTexts => "a list of strings",
            Wanted::List | Wanted::SomeList => "a list",
            Wanted::NamedList => "a list of maps with a name",
            Wanted::Map => "a map",
            Wanted::TextMap => "a map of strings",
        }
    }

    /// Whether a value is what the rule carries over.
    pub fn fit(self, value: &Value) -> Fit {
        let right = match (self, value) {
            (Wanted::Any, _) | (Wanted::Text, Value::Text(_)) | (Wanted::Map, Value::Map(_)) => true,
            (Wanted::Int | Wanted::PositiveInt, Value::Number(Number::Int(_))) => true,
            (Wanted::List | Wanted::SomeList, Value::List(_)) => true,
            (Wanted::Texts | Wanted::SomeTexts, Value::List(items)) => items.iter().all(|it| it.as_text().is_some()),
            (Wanted::NamedList, Value::List(items)) => {
                items.iter().all(|it| it.get("name").is_some_and(|name| name.as_text().is_some()))
            }
            (Wanted::TextMap, Value::Map(map)) => map.iter().all(|(_, it)| it.as_text().is_some()),
            _ => false,
        };
        let empty = match self {
            Wanted::Text | Wanted::SomeTexts | Wanted::SomeList => value.is_empty(),
            Wanted::PositiveInt => value.as_int().is_some_and(|int| int <= 0),
            _ => false,
        };
        match (right, empty) {
            (false, _) => Fit::Wrong,
            (true, true) => Fit::Empty,
            (true, false) => Fit::Good,
        }
    }
}
