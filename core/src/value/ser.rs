//! `Serialize` for values, for every serde format.
//!
//! An answer is a derived type with its fields in the alphabetical order of their wire names: that is the order of
//! canonical JSON, and a debug build checks it. [`to_text`](crate::canonical::to_text) writes it.
//!
//! ```
//! use fleetfold_core::Value;
//! use fleetfold_core::canonical::{Writer, to_text};
//!
//! #[derive(serde::Serialize)]
//! #[serde(rename_all = "camelCase")]
//! struct PatchAnswer<'a> {
//!     applied: usize,
//!     #[serde(skip_serializing_if = "Option::is_none")]
//!     failed_at: Option<&'a str>,
//!     object: &'a Value,
//! }
//!
//! let object = Value::map([("kind", Value::text("Secret")), ("data", Value::map([("key", "a2V5")]))]);
//! let answer = PatchAnswer { applied: 2, failed_at: None, object: &object };
//! assert_eq!(to_text(&answer)?, r#"{"applied":2,"object":{"data":{"key":"a2V5"},"kind":"Secret"}}"#);
//!
//! // A writer of answers redacts every Secret in them.
//! let mut writer = Writer::covering();
//! writer.serialize(&answer)?;
//! assert_eq!(writer.into_text(), r#"{"applied":2,"object":{"data":{"key":"(masked)"},"kind":"Secret"}}"#);
//! # Ok::<(), fleetfold_core::diagnostic::Error>(())
//! ```

use std::cell::Cell;

use serde::{Serialize, Serializer};

use super::{Map, Number, Text, Value};
use crate::mask;
use crate::path::Pointer;

/// The name under which a map with Secret data serializes itself. Formats pass it over; the writer of answers reacts to
/// it by serializing the map twice (see [`Redactable`]).
pub const SECRET: &str = "$fleetfold::Secret";

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(bool) => serializer.serialize_bool(*bool),
            Value::Number(number) => number.serialize(serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items.iter()),
            Value::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Int(int) => serializer.serialize_i64(*int),
            Number::Double(double) => serializer.serialize_f64(*double),
        }
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const KIND: &str = "kind";
        if self.get(KIND).is_some_and(|kind| mask::is_sign(KIND, kind)) {
            return serializer
                .serialize_newtype_struct(SECRET, &Redactable { map: self, is_repeated: Cell::new(false) });
        }
        serializer.collect_map(self.iter())
    }
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A map with Secret data. It serializes as it is; if the same serializer wants it a second time, it is redacted.
///
/// Serde gives a serializer no way to choose between two forms of a value. Every format serializes a newtype's content
/// once, so only the writer of answers, which knows of this, gets to the second form.
struct Redactable<'a> {
    map: &'a Map,
    is_repeated: Cell<bool>,
}

impl Serialize for Redactable<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_repeated.replace(true) {
            return serializer.collect_map(mask::covered(self.map).iter());
        }
        serializer.collect_map(self.map.iter())
    }
}
