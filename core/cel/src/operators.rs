//! Operators and conversions. `strings` has the functions on strings.

use super::Budget;
use super::datum::Datum;
use super::functions::Op;
use super::strings;
use fleetfold_value::value::Value;

use Datum::{Bool, Double, Int, Json, List, Map, Text, Uint};

/// Applies one operator or function. Arguments of other types are an error.
pub(super) fn apply(op: Op, name: &str, arguments: &[Datum], budget: &mut Budget) -> Result<Datum, String> {
    for argument in arguments {
        if let Text(text) = argument {
            budget.spend_text(text.len())?;
        }
    }
    if let Some(done) = numbers(op, arguments) {
        return done;
    }
    let done = match (op, arguments) {
        (Op::Not, [Bool(it)]) => Bool(!it),
        (Op::Add, [Text(a), Text(b)]) => {
            budget.spend_text(a.len().saturating_add(b.len()))?;
            Datum::text([a.as_str(), b].concat())
        }
        (Op::Add, [List(_) | Json(Value::List(_)), List(_) | Json(Value::List(_))]) => concatenated(arguments, budget)?,
        (Op::Equal, [a, b]) => Bool(a.equals(b, budget)?),
        (Op::Unequal, [a, b]) => Bool(!a.equals(b, budget)?),
        (Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual, [a, b]) => match a.order(b) {
            Some(order) => Bool(match op {
                Op::Less => order.is_lt(),
                Op::LessOrEqual => order.is_le(),
                Op::Greater => order.is_gt(),
                _ => fleetfold_value::seeded!(CelGreaterOrEqual, order.is_ge(), order.is_gt()),
            }),
            None => return Err(refused(name, arguments)),
        },
        (Op::In, [key, map @ (Map(_) | Json(Value::Map(_)))]) => Bool(map.get(key, budget)?.is_some()),
        (Op::In, [item, list @ (List(_) | Json(Value::List(_)))]) => {
            let List(items) = list.clone().open(budget)? else { return Err(refused(name, arguments)) };
            let mut found = false;
            for it in items.iter() {
                if it.equals(item, budget)? {
                    found = true;
                    break;
                }
            }
            Bool(found)
        }
        (Op::Index, [map @ (Map(_) | Json(Value::Map(_))), key]) => {
            map.get(key, budget)?.ok_or("the map has no such key")?
        }
        (Op::Index, [List(items), index]) => {
            let at = place(index).ok_or_else(|| refused(name, arguments))?;
            items.get(at).cloned().ok_or_else(|| beyond(items.len()))?
        }
        (Op::Index, [Json(Value::List(items)), index]) => {
            let at = place(index).ok_or_else(|| refused(name, arguments))?;
            items.get(at).map(Datum::from).ok_or_else(|| beyond(items.len()))?
        }
        (Op::Size, [it @ (Text(_) | List(_) | Map(_) | Json(_))]) => Int(i64::try_from(it.len()).unwrap_or(i64::MAX)),
        (Op::ToInt, [it]) => to_int(it).ok_or_else(|| unconverted(it, "int"))?,
        (Op::ToUint, [it]) => to_uint(it).ok_or_else(|| unconverted(it, "uint"))?,
        (Op::ToDouble, [it]) => to_double(it).ok_or_else(|| unconverted(it, "double"))?,
        (Op::ToText, [it]) => Text(it.written().ok_or_else(|| unconverted(it, "string"))?),
        (Op::ToBool, [it]) => to_bool(it).ok_or_else(|| unconverted(it, "bool"))?,
        (Op::ToDyn, [it]) => it.clone(),
        (Op::TypeOf, [it]) => Datum::Type(it.kind()),
        _ => return strings::apply(op, arguments, budget)?.ok_or_else(|| refused(name, arguments)),
    };
    Ok(done)
}

/// Why a conversion fails: cel-go chooses one overload if it takes the type for known. An index into a variable gets
/// the first type that fits, and a value of any other type then fails.
pub(super) fn unsettled(op: Op, name: &str, arguments: &[Datum], settled: Option<&str>) -> Option<String> {
    let conversion = matches!(op, Op::ToInt | Op::ToUint | Op::ToDouble | Op::ToText | Op::ToBool);
    let (true, Some(takes), [it]) = (conversion, settled, arguments) else { return None };
    (!it.kind().starts_with(takes)).then(|| format!("`{name}` was settled on another type than {}", it.kind()))
}

/// Arithmetic on two numbers of one type; overflow of 64 bits is an error. `None` for other types.
fn numbers(op: Op, arguments: &[Datum]) -> Option<Result<Datum, String>> {
    let (whole, by_zero) = match (op, arguments) {
        (Op::Negate, [Double(it)]) => return Some(Ok(Double(-it))),
        (Op::Add, [Double(a), Double(b)]) => return Some(Ok(Double(a + b))),
        (Op::Subtract, [Double(a), Double(b)]) => return Some(Ok(Double(a - b))),
        (Op::Multiply, [Double(a), Double(b)]) => return Some(Ok(Double(a * b))),
        (Op::Divide, [Double(a), Double(b)]) => return Some(Ok(Double(a / b))),
        (Op::Negate, [Int(it)]) => (it.checked_neg().map(Int), false),
        (Op::Add, [Int(a), Int(b)]) => (a.checked_add(*b).map(Int), false),
        (Op::Subtract, [Int(a), Int(b)]) => (a.checked_sub(*b).map(Int), false),
        (Op::Multiply, [Int(a), Int(b)]) => (a.checked_mul(*b).map(Int), false),
        (Op::Divide, [Int(a), Int(b)]) => (a.checked_div(*b).map(Int), *b == 0),
        (Op::Remainder, [Int(a), Int(b)]) => (a.checked_rem(*b).map(Int), *b == 0),
        (Op::Add, [Uint(a), Uint(b)]) => (a.checked_add(*b).map(Uint), false),
        (Op::Subtract, [Uint(a), Uint(b)]) => (a.checked_sub(*b).map(Uint), false),
        (Op::Multiply, [Uint(a), Uint(b)]) => (a.checked_mul(*b).map(Uint), false),
        (Op::Divide, [Uint(a), Uint(b)]) => (a.checked_div(*b).map(Uint), *b == 0),
        (Op::Remainder, [Uint(a), Uint(b)]) => (a.checked_rem(*b).map(Uint), *b == 0),
        _ => return None,
    };
    let why = if by_zero { "a division by zero" } else { "the number does not fit 64 bits" };
    Some(whole.ok_or_else(|| why.into()))
}

fn concatenated(lists: &[Datum], budget: &mut Budget) -> Result<Datum, String> {
    let mut all = Vec::new();
    for list in lists {
        if let List(items) = list.clone().open(budget)? {
            budget.spend(items.len())?;
            all.extend(items.iter().cloned());
        }
    }
    Ok(Datum::list(all))
}

/// An index as a position. One that fits no list is past the end.
fn place(index: &Datum) -> Option<usize> {
    Some(match index {
        Int(it) => usize::try_from(*it).unwrap_or(usize::MAX),
        Uint(it) => usize::try_from(*it).unwrap_or(usize::MAX),
        Double(it) if it.fract() == 0.0 => usize::try_from(*it as i64).unwrap_or(usize::MAX),
        _ => return None,
    })
}

fn beyond(len: usize) -> String {
    format!("the list has {len} items, and no such place")
}

fn to_int(it: &Datum) -> Option<Datum> {
    // The bounds themselves are refused: near them a double represents several integers.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    match it {
        Int(_) => Some(it.clone()),
        Uint(it) => i64::try_from(*it).ok().map(Int),
        Double(it) => (*it > -BOUND && *it < BOUND).then_some(Int(*it as i64)),
        Text(it) => it.parse().ok().map(Int),
        _ => None,
    }
}

fn to_uint(it: &Datum) -> Option<Datum> {
    const BOUND: f64 = 18_446_744_073_709_551_616.0;
    match it {
        Uint(_) => Some(it.clone()),
        Int(it) => u64::try_from(*it).ok().map(Uint),
        Double(it) => (*it >= 0.0 && *it < BOUND).then_some(Uint(*it as u64)),
        Text(it) => it.parse().ok().filter(|_| !it.starts_with('+')).map(Uint),
        _ => None,
    }
}

fn to_double(it: &Datum) -> Option<Datum> {
    Some(Double(match it {
        Double(it) => *it,
        Int(it) => *it as f64,
        Uint(it) => *it as f64,
        Text(text) => {
            let double: f64 = text.parse().ok()?;
            let named = text.contains(['n', 'N']);
            // Digits that overflow to infinity are out of range, and `NaN` takes no sign.
            let good = if double.is_nan() { text.len() == 3 } else { double.is_finite() || named };
            return good.then_some(Double(double));
        }
        _ => return None,
    }))
}

fn to_bool(it: &Datum) -> Option<Datum> {
    match it {
        Bool(_) => Some(it.clone()),
        Text(text) => match text.as_str() {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(Bool(false)),
            _ => None,
        },
        _ => None,
    }
}

fn unconverted(it: &Datum, to: &str) -> String {
    format!("cannot convert this {} to {to}", it.kind())
}

fn refused(name: &str, arguments: &[Datum]) -> String {
    let kinds: Vec<&str> = arguments.iter().map(Datum::kind).collect();
    format!("`{name}` does not take {}", kinds.join(" and "))
}
