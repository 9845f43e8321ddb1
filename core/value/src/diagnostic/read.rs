//! Reads typed requests from values, with the errors of the contract.
//!
//! A request is a derived type. An optional field is an `Option`, or a type that accepts absence, as [`MaybeAbsent`]:
//! `#[serde(default)]` alone does not make a field optional here, since absent fields are read too. Unknown fields are
//! always refused. A choice is an enum of unit variants.
//!
//! ```
//! use fleetfold_value::value::Value;
//! use fleetfold_value::diagnostic::read::from_text;
//!
//! #[derive(Debug, serde::Deserialize)]
//! #[serde(rename_all = "camelCase")]
//! struct Load {
//!     documents: Option<Vec<Value>>,
//!     default_namespace: Option<String>,
//! }
//!
//! let load: Load = from_text(r#"{"documents":[{"kind":"Cluster"}]}"#)?;
//! assert_eq!(load.documents.map(|it| it.len()), Some(1));
//!
//! let error = from_text::<Load>(r#"{"document":[]}"#).unwrap_err();
//! assert_eq!(error.to_string(), "there is no field `document` here (at /document); did you mean `documents`?");
//! # Ok::<(), fleetfold_value::diagnostic::Error>(())
//! ```
//!
//! Errors come in a fixed order: syntax first, then unknown fields by name, then missing and wrong fields as they are
//! declared. So that a request with two errors always reports the same one, a text is read into a [`Value`] before its
//! fields. A field of type `Value`, `Map` or `Text` is moved out of it (see `de.rs`).
//!
//! [`MaybeAbsent`]: crate::value::MaybeAbsent

mod error;

use std::sync::Arc;

pub use error::ReadError;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};

use super::Error;
use crate::value::de::{MAP, MAYBE_ABSENT, ONE_OR_MANY, TEXT, VALUE, wrong_type};
use crate::value::{Map, Number, Text, Value, json};

/// Reads a request from its JSON text.
///
/// # Errors
///
/// The text is not JSON, or not what `T` takes.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_value(json::parse(text)?)
}

/// Reads a request from a value, of which documents are moved. For one that is needed afterwards, pass a clone.
///
/// # Errors
///
/// The value is not what `T` takes.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Reader::from(value)).map_err(ReadError::into_error)
}

/// Reads an answer of an engine that may be newer: fields that are not known are ignored.
///
/// # Errors
///
/// The value is not what `T` takes.
pub fn from_value_ignoring_unknown<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    let reader = Reader { source: Source::Present(value), ignores_unknown: true };
    T::deserialize(reader).map_err(ReadError::into_error)
}

/// A value, or an absent field, as a serde `Deserializer`. One type for both: every type that is read is compiled once.
#[derive(Clone, Debug)]
pub struct Reader {
    source: Source,
    ignores_unknown: bool,
}

#[derive(Clone, Debug)]
enum Source {
    Present(Value),
    /// A declared field that the map lacks, by its name.
    Absent(&'static str),
}

impl From<Value> for Reader {
    fn from(value: Value) -> Reader {
        Reader { source: Source::Present(value), ignores_unknown: false }
    }
}

impl From<&Value> for Reader {
    fn from(value: &Value) -> Reader {
        Reader::from(value.clone())
    }
}

impl Reader {
    fn value(self) -> Result<Value, ReadError> {
        match self.source {
            Source::Present(value) => Ok(value),
            Source::Absent(name) => Err(ReadError::missing(name)),
        }
    }

    fn text(self) -> Result<Text, ReadError> {
        match self.value()? {
            Value::Text(text) => Ok(text),
            other => Err(wrong_type("a string", &other)),
        }
    }

    fn list(self) -> Result<Arc<Vec<Value>>, ReadError> {
        match self.value()? {
            Value::List(items) => Ok(items),
            other => Err(wrong_type("a list", &other)),
        }
    }

    fn map(self) -> Result<Arc<Map>, ReadError> {
        match self.value()? {
            Value::Map(map) => Ok(map),
            other => Err(wrong_type("a map", &other)),
        }
    }
}

impl IntoDeserializer<'_, ReadError> for Value {
    type Deserializer = Reader;

    fn into_deserializer(self) -> Reader {
        self.into()
    }
}

impl IntoDeserializer<'_, ReadError> for &Value {
    type Deserializer = Reader;

    fn into_deserializer(self) -> Reader {
        self.into()
    }
}

macro_rules! same {
    ($($name:ident)* => $other:ident) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
            self.$other(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let ignores_unknown = self.ignores_unknown;
        match self.value()? {
            Value::Null => visitor.visit_unit(),
            Value::Bool(bool) => visitor.visit_bool(bool),
            Value::Number(Number::Int(int)) => visitor.visit_i64(int),
            Value::Number(Number::Double(double)) => visitor.visit_f64(double),
            Value::Text(text) => visitor.visit_str(&text),
            Value::List(items) => visitor.visit_seq(Items::new(items, ignores_unknown)),
            Value::Map(map) => visitor.visit_map(Entries::new(map, ignores_unknown)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value()? {
            Value::Bool(bool) => visitor.visit_bool(bool),
            other => Err(wrong_type("true or false", &other)),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value()? {
            Value::Number(Number::Int(int)) => visitor.visit_i64(int),
            other => Err(wrong_type("an integer", &other)),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value()? {
            Value::Number(Number::Int(int)) => visitor.visit_i64(int),
            Value::Number(Number::Double(double)) => visitor.visit_f64(double),
            other => Err(wrong_type("a number", &other)),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_str(&self.text()?)
    }

    same! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 => deserialize_i64
    }
    same! { deserialize_f32 => deserialize_f64 }
    same! { deserialize_char deserialize_string deserialize_identifier => deserialize_str }
    same! { deserialize_bytes deserialize_byte_buf => deserialize_any }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.source {
            Source::Absent(_) | Source::Present(Value::Null) => visitor.visit_none(),
            Source::Present(_) => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value()? {
            Value::Null => visitor.visit_unit(),
            other => Err(wrong_type("null", &other)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        /// Longer texts are shared, by moving them through an error.
        const COPIED: usize = 64;
        match (name, &self.source) {
            (VALUE, _) => Err(ReadError::moved(self.value()?)),
            (MAP, _) => Err(ReadError::moved(Value::Map(self.map()?))),
            (TEXT, Source::Present(Value::Text(text))) if text.len() <= COPIED => visitor.visit_str(text),
            (TEXT, _) => Err(ReadError::moved(Value::Text(self.text()?))),
            (MAYBE_ABSENT, Source::Absent(_)) => visitor.visit_none(),
            (ONE_OR_MANY, Source::Present(other)) if other.as_list().is_none() => visitor.visit_some(self),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let ignores_unknown = self.ignores_unknown;
        visitor.visit_seq(Items::new(self.list()?, ignores_unknown))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, ReadError> {
        let ignores_unknown = self.ignores_unknown;
        let items = self.list()?;
        if items.len() != len {
            return Err(ReadError::unnamed(format!("must be a list of {len}, not of {}", items.len())));
        }
        visitor.visit_seq(Items::new(items, ignores_unknown))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let ignores_unknown = self.ignores_unknown;
        visitor.visit_map(Entries::new(self.map()?, ignores_unknown))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let ignores_unknown = self.ignores_unknown;
        let map = self.map()?;
        if !ignores_unknown && let Some(unknown) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(de::Error::unknown_field(unknown, known));
        }
        visitor.visit_seq(Fields { map: Arc::unwrap_or_clone(map), known: known.iter(), ignores_unknown })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_enum(StrDeserializer::new(&self.text()?))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }
}

struct Items {
    items: std::iter::Enumerate<std::vec::IntoIter<Value>>,
    ignores_unknown: bool,
}

impl Items {
    fn new(items: Arc<Vec<Value>>, ignores_unknown: bool) -> Items {
        Items { items: Arc::unwrap_or_clone(items).into_iter().enumerate(), ignores_unknown }
    }
}

impl<'de> SeqAccess<'de> for Items {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some((index, item)) = self.items.next() else { return Ok(None) };
        let ignores_unknown = crate::seeded!(UnknownFieldIsIgnored, self.ignores_unknown, true);
        let reader = Reader { source: Source::Present(item), ignores_unknown };
        seed.deserialize(reader).map(Some).map_err(|error| error.in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

/// The entries of a map, in the order of their keys.
struct Entries {
    entries: std::vec::IntoIter<(Text, Value)>,
    current: (Text, Value),
    ignores_unknown: bool,
}

impl Entries {
    fn new(map: Arc<Map>, ignores_unknown: bool) -> Entries {
        Entries { entries: Arc::unwrap_or_clone(map).into_iter(), current: Default::default(), ignores_unknown }
    }
}

impl<'de> MapAccess<'de> for Entries {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some(entry) = self.entries.next() else { return Ok(None) };
        self.current = entry;
        let (key, _) = &self.current;
        seed.deserialize(Reader::from(Value::from(key.clone()))).map(Some).map_err(|error| error.in_field(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let (key, value) = std::mem::take(&mut self.current);
        let reader = Reader { source: Source::Present(value), ignores_unknown: self.ignores_unknown };
        seed.deserialize(reader).map_err(|error| error.in_field(&key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.entries.len())
    }
}

/// The fields of a struct in the order of their declaration, absent ones too: whether a field may be absent is decided
/// where it is read, before the fields that follow. As a sequence: as a map, every type would be compiled with a loop
/// that finds fields by their names.
struct Fields {
    map: Map,
    known: std::slice::Iter<'static, &'static str>,
    ignores_unknown: bool,
}

impl<'de> SeqAccess<'de> for Fields {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(name) = self.known.next() else { return Ok(None) };
        let value = self.map.get_mut(name).map(std::mem::take);
        let source = value.map_or(Source::Absent(name), Source::Present);
        let reader = Reader { source, ignores_unknown: self.ignores_unknown };
        seed.deserialize(reader).map(Some).map_err(|error| error.in_field(name))
    }
}
