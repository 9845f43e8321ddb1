//! `Deserialize` for values, from every serde format, with the checks of the JSON reader: no duplicate keys, no
//! integers outside int64, no infinite numbers, at most a hundred levels. How a request is declared is in `read.rs`.
//!
//! From a [`Reader`](crate::diagnostic::read::Reader), which holds a value already, a field of type [`Value`], [`Map`]
//! or [`Text`] is moved. Serde hands over strings, numbers, lists and maps, never a type of ours, so such a value
//! travels as the source of an error: a type that can be moved requests a private name ([`VALUE`] and its neighbours),
//! the reader fails with [`Moved`], and the type takes the value out of the failure. Other formats ignore the name and
//! call the visitor as for any newtype. Rebuilding a 6.4 KB object takes 269,000 instructions, moving it 280.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use super::path::Pointer;
use super::{Map, Number, Text, Value};
use crate::value::json::MAX_DEPTH;

pub const VALUE: &str = "$fleetfold::Value";
pub const MAP: &str = "$fleetfold::Map";
pub const TEXT: &str = "$fleetfold::Text";
pub const MAYBE_ABSENT: &str = "$fleetfold::MaybeAbsent";
pub const ONE_OR_MANY: &str = "$fleetfold::OneOrMany";

/// A value that moves from a reader to a field.
#[derive(Debug)]
pub struct Moved(pub Value);

impl fmt::Display for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value was moved, but nothing took it")
    }
}

impl std::error::Error for Moved {}

/// The value that a failure carries. The failure is dropped, so that the value is held once again.
fn take<E: de::Error>(failure: E) -> Result<Value, E> {
    let moved = failure.source().and_then(|source| source.downcast_ref::<Moved>());
    moved.map(|Moved(value)| value.clone()).ok_or(failure)
}

/// Fails because the value is of another kind, in the words of the request: "`x` must be a list, not a string".
pub fn wrong_type<E: de::Error>(wanted: &str, found: &Value) -> E {
    E::invalid_type(Unexpected::Other(found.kind()), &wanted)
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_newtype_struct(VALUE, Tree { levels: MAX_DEPTH }).or_else(take)
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Map, D::Error> {
        match deserializer.deserialize_newtype_struct(MAP, Tree { levels: MAX_DEPTH }).or_else(take)? {
            Value::Map(map) => Ok(Arc::unwrap_or_clone(map)),
            other => Err(wrong_type("a map", &other)),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        match deserializer.deserialize_any(Tree { levels: 0 })? {
            Value::Number(number) => Ok(number),
            other => Err(wrong_type("a number", &other)),
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        match deserializer.deserialize_newtype_struct(TEXT, TextVisitor).or_else(take)? {
            Value::Text(text) => Ok(text),
            other => Err(wrong_type("a string", &other)),
        }
    }
}

/// Reads a value with a limit of further levels.
#[derive(Clone, Copy)]
struct Tree {
    levels: usize,
}

impl Tree {
    fn below<E: de::Error>(self) -> Result<Tree, E> {
        let too_deep = || E::custom(format!("nested deeper than {MAX_DEPTH} levels"));
        self.levels.checked_sub(1).map(|levels| Tree { levels }).ok_or_else(too_deep)
    }
}

fn int<E: de::Error>(int: impl TryInto<i64>) -> Result<Value, E> {
    let too_large = |_| E::custom("the integer does not fit in 64 bits");
    int.try_into().map(Value::from).map_err(too_large)
}

impl<'de> DeserializeSeed<'de> for Tree {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, bool: bool) -> Result<Value, E> {
        Ok(bool.into())
    }

    fn visit_i64<E: de::Error>(self, it: i64) -> Result<Value, E> {
        Ok(it.into())
    }

    fn visit_u64<E: de::Error>(self, it: u64) -> Result<Value, E> {
        int(it)
    }

    fn visit_i128<E: de::Error>(self, it: i128) -> Result<Value, E> {
        int(it)
    }

    fn visit_u128<E: de::Error>(self, it: u128) -> Result<Value, E> {
        int(it)
    }

    fn visit_f64<E: de::Error>(self, double: f64) -> Result<Value, E> {
        let too_large = || E::custom("the number is too large for a double");
        Number::double(double).map(Value::Number).ok_or_else(too_large)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(Text::inline(text)))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let (below, mut items) = (self.below()?, Vec::new());
        while let Some(item) = access.next_element_seed(below)? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let (below, mut entries) = (self.below()?, Vec::new());
        while let Some(Key(key)) = access.next_key()? {
            entries.push((key, access.next_value_seed(below)?));
        }
        match Map::from_entries(entries) {
            (map, None) => Ok(map.into()),
            (_, Some(key)) => Err(de::Error::custom(format_args!("duplicate key `{key}`"))),
        }
    }
}

/// A text that may be moved: short ones, which are copied in place, are visited.
struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(Text::inline(text)))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_string(self)
    }
}

/// A key of a map, which is read as a plain string.
struct Key(Text);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        match deserializer.deserialize_str(TextVisitor)? {
            Value::Text(text) => Ok(Key(text)),
            other => Err(wrong_type("a string", &other)),
        }
    }
}

/// A field of which null and absence mean different things: null is read as a `T`, an absent field is nothing.
///
/// Formats other than our reader need `#[serde(default)]` beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MaybeAbsent<T>(pub Option<T>);

impl<T> MaybeAbsent<T> {
    pub fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Default for MaybeAbsent<T> {
    fn default() -> MaybeAbsent<T> {
        MaybeAbsent(None)
    }
}

impl<T> From<Option<T>> for MaybeAbsent<T> {
    fn from(it: Option<T>) -> MaybeAbsent<T> {
        MaybeAbsent(it)
    }
}

/// The field must be left out where it is absent, with `skip_serializing_if`.
impl<T: Serialize> Serialize for MaybeAbsent<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MaybeAbsent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MaybeAbsent<T>, D::Error> {
        deserializer.deserialize_newtype_struct(MAYBE_ABSENT, MaybeAbsentVisitor(PhantomData))
    }
}

struct MaybeAbsentVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for MaybeAbsentVisitor<T> {
    type Value = MaybeAbsent<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E: de::Error>(self) -> Result<MaybeAbsent<T>, E> {
        Ok(MaybeAbsent(None))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<MaybeAbsent<T>, D::Error> {
        T::deserialize(deserializer).map(|it| MaybeAbsent(Some(it)))
    }
}

impl<'de> Deserialize<'de> for Pointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pointer, D::Error> {
        let text = Text::deserialize(deserializer)?;
        Pointer::parse(&text).map_err(|error| de::Error::custom(error.message))
    }
}

/// One, or a list of several. Only our reader takes one without the list.
#[derive(Clone, Debug, PartialEq)]
pub enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OneOrMany::One(one) => one.serialize(serializer),
            OneOrMany::Many(many) => many.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OneOrMany<T>, D::Error> {
        deserializer.deserialize_newtype_struct(ONE_OR_MANY, OneOrManyVisitor(PhantomData))
    }
}

struct OneOrManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrManyVisitor<T> {
    type Value = OneOrMany<T>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("one or a list")
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<OneOrMany<T>, D::Error> {
        T::deserialize(deserializer).map(OneOrMany::One)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<OneOrMany<T>, D::Error> {
        Vec::deserialize(deserializer).map(OneOrMany::Many)
    }
}
