//! Values as JavaScript objects. `serde-wasm-bindgen` reads and writes them; two rules of ours go around its writer:
//!
//! 1. Integers that a JavaScript number holds exactly are numbers, others are BigInts. The crate writes either all
//!    64-bit integers as BigInts or none.
//! 2. `__proto__` is a key like any other. The crate assigns keys, and assigning this one replaces the prototype.
//!
//! Nothing goes around its reader: `web/src/plain.ts` hands over plain data. Here, `undefined` would become null, a
//! `Date` an empty object, and half a surrogate pair another character.

use fleetfold_core::Value;
use fleetfold_core::value::{Map, Number};
use js_sys::Object;
use serde::ser::{Error as _, Serialize, Serializer as _};
use serde_wasm_bindgen::{Error, Serializer, preserve};
use wasm_bindgen::JsValue;

/// Up to 2^53 - 1, a JavaScript number and its neighbours are different integers.
const SAFE: std::ops::RangeInclusive<i64> = -((1 << 53) - 1)..=(1 << 53) - 1;

const WRITER: Serializer = Serializer::json_compatible().serialize_large_number_types_as_bigints(true);

pub fn read(object: JsValue) -> Result<Value, Error> {
    serde_wasm_bindgen::from_value(object)
}

/// Without `bigint`, large integers become the nearest number, as `JSON.parse` reads them.
pub fn write(value: &Value, bigint: bool) -> Result<JsValue, Error> {
    Written { value, bigint }.serialize(&WRITER)
}

struct Written<'a> {
    value: &'a Value,
    bigint: bool,
}

impl Written<'_> {
    fn entries<'a>(&self, map: &'a Map) -> impl Iterator<Item = (&'a str, Written<'a>)> {
        let bigint = self.bigint;
        map.iter().map(move |(key, value)| (key.as_ref(), Written { value, bigint }))
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bigint = self.bigint;
        match self.value {
            Value::Number(Number::Int(int)) if bigint && !SAFE.contains(int) => serializer.serialize_i64(*int),
            Value::Number(Number::Int(int)) => serializer.serialize_f64(*int as f64),
            Value::List(items) => serializer.collect_seq(items.iter().map(|value| Written { value, bigint })),
            Value::Map(map) if map.contains("__proto__") => {
                // `Object.fromEntries` defines keys instead of assigning them.
                let entries = WRITER.collect_seq(self.entries(map)).map_err(S::Error::custom)?;
                let object = Object::from_entries(&entries).map_err(|error| S::Error::custom(Error::from(error)))?;
                preserve::serialize(&object, serializer)
            }
            Value::Map(map) => serializer.collect_map(self.entries(map)),
            other => other.serialize(serializer),
        }
    }
}
