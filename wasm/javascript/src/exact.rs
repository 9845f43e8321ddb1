//! Values as JavaScript has them, with every integer exact. The engine's own reader did the reading: `JSON.parse` would round.

use fleetfold_core::Value;
use fleetfold_core::value::Number;
use js_sys::{Array, BigInt, Object, Reflect};
use wasm_bindgen::JsValue;

/// The integers that a JavaScript number holds, and its neighbours do not blur: up to 2^53 - 1.
const SAFE: std::ops::RangeInclusive<i64> = -((1 << 53) - 1)..=(1 << 53) - 1;

pub fn write(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Bool(bool) => JsValue::from_bool(*bool),
        Value::Number(Number::Int(int)) if !SAFE.contains(int) => BigInt::from(*int).into(),
        Value::Number(Number::Int(int)) => JsValue::from_f64(*int as f64),
        Value::Number(Number::Double(double)) => JsValue::from_f64(*double),
        Value::Text(text) => JsValue::from_str(text),
        Value::List(items) => items.iter().map(write).collect::<Array>().into(),
        Value::Map(entries) => {
            let object = Object::new();
            for (key, value) in entries.iter() {
                set(&object, key, &write(value));
            }
            object.into()
        }
    }
}

/// Defines rather than sets: `__proto__` is a key like any other.
fn set(object: &Object, key: &str, value: &JsValue) {
    let property = Object::new();
    for (name, value) in [
        ("value", value),
        ("enumerable", &JsValue::TRUE),
        ("configurable", &JsValue::TRUE),
        ("writable", &JsValue::TRUE),
    ] {
        // Both can only fail on a frozen object, and this one is new.
        let _ = Reflect::set(&property, &name.into(), value);
    }
    let _ = Reflect::define_property(object, &key.into(), &property);
}
