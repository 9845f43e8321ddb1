//! Differences that are none: the API server stores the desired value in another spelling.

use super::Difference;
use crate::object::base64;
use crate::object::kinds::stored::{Filled, filled, is_omitted, is_quantity};
use crate::value::{Number, Text, Value};

/// Whether the API server stores the desired value as `live`, at a path of a kind. `keys` are the map keys from the
/// root.
///
/// 1. A field that is left out when it is empty, zero or false is not missing.
/// 2. An empty value matches the default that the API server fills in.
/// 3. A quantity is the same as another spelling of it: `1000m` is `1`.
pub fn is_stored_as(desired: &Value, live: Option<&Value>, api_version: &str, kind: &str, keys: &[&str]) -> bool {
    let is_scalar = matches!(desired, Value::Text(_) | Value::Number(_));
    if !is_scalar && !is_zero(desired) {
        return false;
    }
    match live.filter(|it| !it.is_null()) {
        None => is_zero(desired) && is_omitted(api_version, kind, keys),
        Some(live) if desired != live => {
            let is_filled = || filled(api_version, kind, keys).is_some_and(|it| fills(it, live));
            is_zero(desired) && is_filled()
                || is_scalar && is_quantity(api_version, keys) && same_quantity(desired, live)
        }
        Some(_) => false,
    }
}

fn fills(filled: Filled, live: &Value) -> bool {
    match filled {
        Filled::With(default) => match live {
            Value::Number(number) => *number == Number::Int(default.parse().unwrap_or_default()),
            other => other.as_text() == Some(default),
        },
        Filled::Computed => true,
        Filled::Allocated => {
            let first = live.as_list().and_then(|it| it.first()).unwrap_or(live);
            first.as_text() != Some("None")
        }
    }
}

/// Whether a Secret contains the desired one: its `stringData` is stored in its `data` and overrides the keys there.
pub fn is_string_data(difference: &Difference, desired: &Value, live: &Value) -> bool {
    let Some(wanted) = &difference.desired else { return false };
    if desired.text_at(&["kind"]) != "Secret" || desired.text_at(&["apiVersion"]) != "v1" {
        return false;
    }
    match difference.path.segments().map(Text::as_str).collect::<Vec<_>>().as_slice() {
        ["stringData"] => is_in_data(wanted, live),
        ["data", key] => desired.at(&["stringData", key]).is_some(),
        _ => false,
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Number(number) => *number == Number::Int(0),
        other => other.is_empty(),
    }
}

fn is_in_data(wanted: &Value, live: &Value) -> bool {
    let Some(wanted) = wanted.as_map() else { return false };
    wanted.iter().all(|(key, value)| {
        value.as_text().is_some_and(|text| live.text_at(&["data", key]) == base64::encode(text.as_bytes()))
            && live.at(&["data", key]).is_some()
    })
}

fn same_quantity(a: &Value, b: &Value) -> bool {
    Quantity::read(a).zip(Quantity::read(b)).is_some_and(|(a, b)| a.equals(&b))
}

/// A quantity of Kubernetes: a whole number times powers of ten and two.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    number: i128,
    tens: i32,
    twos: i32,
}

impl Quantity {
    /// A quantity is written as a text or as an integer.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::engine::matching::Quantity;
    ///
    /// let bytes = Quantity::read(&"1.5Gi".into()).unwrap();
    /// assert_eq!(bytes.approximate(), Some(1_610_612_736.0));
    /// assert!(Quantity::read(&"fast".into()).is_none());
    /// ```
    pub fn read(value: &Value) -> Option<Quantity> {
        match value {
            Value::Text(text) => Quantity::parse(text),
            Value::Number(Number::Int(int)) => Quantity::parse(&int.to_string()),
            _ => None,
        }
    }

    /// The nearest double, by the steps in which Kubernetes takes it: number, then power of ten, each rounded.
    pub fn approximate(&self) -> Option<f64> {
        let tens: f64 = format!("1e{}", self.tens).parse().ok()?;
        let twos = 1u64.checked_shl(u32::try_from(self.twos).ok()?)?;
        Some(self.number as f64 * twos as f64 * tens).filter(|it| it.is_finite())
    }

    fn parse(text: &str) -> Option<Quantity> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
        let (number, suffix) = rest.split_at_checked(end)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let number: i128 = format!("{whole}{fraction}").parse().ok()?;
        let (tens, twos) = scale(suffix)?;
        let tens = tens.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        Some(Quantity { number: if negative { number.checked_neg()? } else { number }, tens, twos })
    }

    /// Numbers too large to compare count as different, which is the safe side.
    fn equals(&self, other: &Quantity) -> bool {
        let scaled = |it: &Quantity, beside: &Quantity| {
            let tens = 10i128.checked_pow(u32::try_from(it.tens.checked_sub(it.tens.min(beside.tens))?).ok()?)?;
            let twos = 2i128.checked_pow(u32::try_from(it.twos.checked_sub(it.twos.min(beside.twos))?).ok()?)?;
            it.number.checked_mul(tens)?.checked_mul(twos)
        };
        scaled(self, other).zip(scaled(other, self)).is_some_and(|(a, b)| a == b)
    }
}

/// The powers of ten and two of a suffix.
fn scale(suffix: &str) -> Option<(i32, i32)> {
    Some(match suffix {
        "n" => (-9, 0),
        "u" => (-6, 0),
        "m" => (-3, 0),
        "" => (0, 0),
        "k" => (3, 0),
        "M" => (6, 0),
        "G" => (9, 0),
        "T" => (12, 0),
        "P" => (15, 0),
        "E" => (18, 0),
        "Ki" => (0, 10),
        "Mi" => (0, 20),
        "Gi" => (0, 30),
        "Ti" => (0, 40),
        "Pi" => (0, 50),
        "Ei" => (0, 60),
        exponent => (exponent.strip_prefix(['e', 'E'])?.parse::<i8>().ok()?.into(), 0),
    })
}
