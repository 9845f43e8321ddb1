//! Reading typed values from a [`Value`], with the path of an error.

use crate::diagnostic::{Code, Error};
use crate::value::collections::SortedMap;
use crate::value::suggest::nearest;
use crate::value::{JsonPath, Map, Number, Text, Value};

/// Reads a value of the request by moving it: documents are never copied.
pub trait Decode: Sized {
    fn decode(value: Value, at: &JsonPath) -> Result<Self, Error>;

    /// The value of an absent field; `None` if the field is required.
    fn absent() -> Option<Self> {
        None
    }
}

/// The fields of a map, taken out one by one.
#[derive(Debug)]
pub struct Fields<'a> {
    map: Map,
    path: &'a JsonPath<'a>,
}

impl<'a> Fields<'a> {
    pub fn of(value: Value, path: &'a JsonPath<'a>, known: &[&str]) -> Result<Fields<'a>, Error> {
        let Value::Map(map) = value else { return Err(path.wrong_type("a map", &value)) };
        let map = std::sync::Arc::unwrap_or_clone(map);
        if let Some(unknown) = map.keys().find(|key| !known.contains(&key.as_str())) {
            let hint = match nearest(unknown, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None if known.is_empty() => "there are no fields here".into(),
                None => format!("known here: {}", known.join(", ")),
            };
            let message = format!("there is no field `{unknown}` here");
            return Err(Error::new(Code::UnknownField, message).at(path.key(unknown)).hint(hint));
        }
        Ok(Fields { map, path })
    }

    pub fn take<T: Decode>(&mut self, name: &str) -> Result<T, Error> {
        match self.map.get_mut(name).map(std::mem::take) {
            Some(value) => T::decode(value, &self.path.key(name)),
            None => T::absent().ok_or_else(|| {
                Error::new(Code::MissingField, format!("the field `{name}` is missing")).at(self.path.key(name))
            }),
        }
    }
}

pub fn unknown_text(text: &str, known: &[&str], at: &JsonPath) -> Error {
    let hint = match nearest(text, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("one of: {}", known.join(", ")),
    };
    Error::new(Code::UnknownValue, format!("`{text}` is not known here")).at(at).hint(hint)
}

macro_rules! plain {
    ($($type:ty: $wanted:literal, $decode:expr;)*) => {
        $(impl Decode for $type {
            fn decode(value: Value, at: &JsonPath) -> Result<Self, Error> {
                let read: fn(Value) -> Result<$type, Value> = $decode;
                read(value).map_err(|value| at.wrong_type($wanted, &value))
            }
        })*
    };
}

plain! {
    Value: "a value", Ok;
    bool: "true or false", |it| it.as_bool().ok_or(it);
    i64: "an integer", |it| match it { Value::Number(Number::Int(int)) => Ok(int), other => Err(other) };
    Text: "a string", |it| match it { Value::Text(text) => Ok(text), other => Err(other) };
    String: "a string", |it| it.as_text().map(String::from).ok_or(it);
    Map: "a map", |it| match it { Value::Map(map) => Ok(std::sync::Arc::unwrap_or_clone(map)), other => Err(other) };
}

impl<T: Decode> Decode for Option<T> {
    fn decode(value: Value, at: &JsonPath) -> Result<Self, Error> {
        if value.is_null() { Ok(None) } else { T::decode(value, at).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(value: Value, at: &JsonPath) -> Result<Self, Error> {
        let Value::List(items) = value else { return Err(at.wrong_type("a list", &value)) };
        let items = std::sync::Arc::unwrap_or_clone(items);
        items.into_iter().enumerate().map(|(index, item)| T::decode(item, &at.index(index))).collect()
    }
}

impl<T: Decode> Decode for SortedMap<Text, T> {
    fn decode(value: Value, at: &JsonPath) -> Result<Self, Error> {
        let map = Map::decode(value, at)?;
        map.into_iter().map(|(key, value)| Ok((key.clone(), T::decode(value, &at.key(&key))?))).collect()
    }
}
