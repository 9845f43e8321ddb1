//! `Serialize` for values, for every serde format.
//!
//! An answer is a derived type with its fields in the alphabetical order of their wire names: that is the order of
//! canonical JSON, and a debug build checks it. [`to_text`](crate::value::canonical::to_text) writes it.
//!
//! ```
//! use fleetfold_value::value::Value;
//! use fleetfold_value::value::canonical::to_text;
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
//! let object = Value::map([("kind", "ConfigMap")]);
//! let answer = PatchAnswer { applied: 2, failed_at: None, object: &object };
//! assert_eq!(to_text(&answer)?, r#"{"applied":2,"object":{"kind":"ConfigMap"}}"#);
//! # Ok::<(), fleetfold_value::value::canonical::WriteError>(())
//! ```

use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::{Map, Number, Text, Value};
use crate::value::path::Pointer;

/// How a list or a map that several values share is called to serde: our writer copies its text from the second time
/// on.
pub const SHARED: &str = "$fleetfold::Shared";

/// The same for a part of an answer in which values are marked: the marks are copied too.
pub const SHARED_PART: &str = "$fleetfold::SharedPart";

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(bool) => serializer.serialize_bool(*bool),
            Value::Number(number) => number.serialize(serializer),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) if Arc::strong_count(items) > 1 => serializer.serialize_newtype_struct(SHARED, &**items),
            Value::List(items) => serializer.collect_seq(items.iter()),
            Value::Map(map) if Arc::strong_count(map) > 1 => serializer.serialize_newtype_struct(SHARED, &**map),
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
        serializer.collect_map(self.iter())
    }
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written())
    }
}
