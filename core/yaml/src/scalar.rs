//! Converts scalars to values and keys, and warns of ambiguous ones.

use super::resolve::{Scalar, differs_in_1_2, is_integer};
use fleetfold_value::diagnostic::Mode;
use fleetfold_value::diagnostic::{Code, Diagnostic};
use fleetfold_value::value::Position;
use fleetfold_value::value::path::Pointer;
use fleetfold_value::value::{Number, Text, Value};

type Refusal = (Code, String);

/// The value of a scalar with the source `text`.
pub(super) fn value(scalar: &Scalar, text: &str, mode: Mode) -> Result<Value, Refusal> {
    match scalar {
        Scalar::Null => Ok(Value::Null),
        Scalar::Bool(bool) => Ok(Value::Bool(*bool)),
        Scalar::Int(int) => Ok(Value::from(*int)),
        Scalar::Unsigned(_) if mode == Mode::Strict => Err(out_of_range()),
        Scalar::Unsigned(int) => Ok(Number::Double(*int as f64).into()),
        Scalar::Double(double) => {
            if mode == Mode::Strict && is_out_of_range(*double, text) {
                return Err(out_of_range());
            }
            let refusal = (Code::NotRepresentable, String::from("JSON cannot express infinity or NaN"));
            Number::double(*double).map(Value::from).ok_or(refusal)
        }
        Scalar::Text(text) => Ok(Value::text(*text)),
    }
}

/// The key for a scalar with the source `text`; `None` for null.
///
/// Keys are strings in JSON. kubectl formats the resolved value: `on` is `true`, `012` is `10`, and a double is rounded
/// to 32 bits first.
pub(super) fn key(scalar: &Scalar, text: &str, mode: Mode) -> Result<Option<Text>, Refusal> {
    Ok(match scalar {
        Scalar::Null => None,
        Scalar::Bool(bool) => Some(if *bool { "true" } else { "false" }.into()),
        Scalar::Int(int) => Some(int.to_string().into()),
        Scalar::Unsigned(_) => return Err(out_of_range()),
        Scalar::Double(double) if mode == Mode::Strict && is_out_of_range(*double, text) => return Err(out_of_range()),
        Scalar::Double(double) => Some(double_key(*double).into()),
        Scalar::Text(text) => Some((*text).into()),
    })
}

fn out_of_range() -> Refusal {
    (Code::IntegerOutOfRange, String::from("the integer does not fit in 64 bits"))
}

/// Whether a double was written as an integer that does not fit int64. (`08` is a double too, but fits.)
fn is_out_of_range(double: f64, text: &str) -> bool {
    double.abs() >= 9.2e18 && is_integer(text) && text.replace('_', "").parse::<i64>().is_err()
}

/// The shortest digits of the double in 32 bits, with an exponent outside 1e-4 to 1e6.
fn double_key(double: f64) -> String {
    let single = double as f32;
    if single.is_nan() {
        return String::from(".nan");
    }
    if single.is_infinite() {
        return String::from(if single > 0.0 { ".inf" } else { "-.inf" });
    }
    let short = shortest(single);
    let (mantissa, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        // So few digits are the shortest form of the double as well.
        -4..=5 => short.parse::<f64>().map_or(short, |double| double.to_string()),
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
    }
}

/// The shortest digits that parse to the same number, as `d.ddde±x`. Of two equally near ones, the even one.
fn shortest(single: f32) -> String {
    let short = format!("{single:e}");
    let decimals =
        short.split_once('e').and_then(|(mantissa, _)| mantissa.split_once('.')).map_or(0, |(_, it)| it.len());
    let exact = f64::from(single);
    let one_more = format!("{exact:.*e}", decimals.saturating_add(1));
    let is_tie = one_more.contains("5e") && one_more.parse() == Ok(exact);
    let even = format!("{exact:.decimals$e}");
    if is_tie && even.parse() == Ok(single) { even } else { short }
}

/// Tokens that YAML parsers read differently.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Vec<Diagnostic>,
    more: usize,
    /// Lines of the text before the current document.
    pub(super) lines_before: u32,
}

/// The limit of findings per text: a list of a million `y` is one mistake.
const MAX_FINDINGS: usize = 100;

impl Findings {
    pub(super) fn differs(&self, text: &str, scalar: &Scalar) -> bool {
        // Most texts start with a letter that starts none of the words.
        let suspect = text.starts_with(|char: char| char.is_ascii_digit() || "+-.yYnNoO".contains(char));
        suspect && differs_in_1_2(text, scalar)
    }

    pub(super) fn ambiguous(&mut self, scalar: &Scalar, is_key: bool, pointer: Pointer, place: Position) {
        let kind = match scalar {
            Scalar::Bool(_) => "a boolean",
            Scalar::Text(_) => "a string",
            _ => "a number",
        };
        let hint = match scalar {
            Scalar::Bool(bool) if !is_key => format!("put it in quotes, or write `{bool}`"),
            _ => String::from("put it in quotes if it is a string"),
        };
        let what = if is_key { "this key" } else { "this value" };
        let other = if matches!(scalar, Scalar::Bool(_)) { "a string" } else { "something else" };
        let message = format!("kubectl reads {what} as {kind}, YAML 1.2 as {other}");
        self.add(message, hint, pointer, place);
    }

    /// In other parsers a written key wins over a merged one, wherever the merge is.
    pub(super) fn overriding_merge(&mut self, key: &Text, pointer: Pointer, place: Position) {
        let message = format!("this merge replaces the earlier key `{key}`; other readers keep that key");
        self.add(message, String::from("put the merge first"), pointer, place);
    }

    fn add(&mut self, message: String, hint: String, pointer: Pointer, place: Position) {
        if self.found.len() >= MAX_FINDINGS {
            self.more = self.more.saturating_add(1);
            return;
        }
        let mut finding = Diagnostic::warning(Code::AmbiguousToken, message).at(pointer).hint(hint);
        finding.at.place = Some(place.below(self.lines_before));
        self.found.push(finding);
    }

    pub(super) fn finish(self, out: &mut Vec<Diagnostic>) {
        out.extend(self.found);
        if self.more > 0 {
            let message = format!("{} more tokens are read differently by other readers", self.more);
            out.push(Diagnostic::warning(Code::AmbiguousToken, message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_is_a_key_in_32_bits() {
        let rows = [
            (1.1, "1.1"),
            (1.0, "1"),
            (-0.0, "-0"),
            (123456.5, "123456.5"),
            (1_000_000.0, "1e+06"),
            (1_234_567.0, "1.234567e+06"),
            (16_777_217.0, "1.6777216e+07"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (3_752_733.24, "3.7527332e+06"),
            (6862.03108, "6862.0312"),
            (18446744073709551616.0, "1.8446744e+19"),
            (1e300, ".inf"),
            (-1e300, "-.inf"),
            (1e-300, "0"),
            (f64::NAN, ".nan"),
        ];
        for (double, want) in rows {
            assert_eq!(double_key(double), want);
        }
    }
}
