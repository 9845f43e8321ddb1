//! Resolves plain scalars by the rules of kubectl, and by those of YAML 1.2 to find differences.
//!
//! kubectl's rules, in this order:
//!
//! 1. The empty text, `~` and `null` are null; `y`, `yes`, `true`, `on`, `n`, `no`, `false`, `off` are booleans. Each
//!    of these words may be in small letters, capitalised, or in capitals; no other spelling counts.
//! 2. `.nan` and `.inf` are numbers that JSON cannot express.
//! 3. What starts with a digit or a sign is read as a number with all its underscores removed: an integer (`0x`, `0o`,
//!    `0b`, a leading `0` for octal) in 64 bits, signed before unsigned, else a finite double.
//! 4. What starts with a point is a double, with underscores between digits.
//! 5. Everything else is a string, including sexagesimals and timestamps.

/// A scalar, resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// An integer above int64.
    Unsigned(u64),
    /// A double, or an infinity, or not a number.
    Double(f64),
    Text(&'a str),
}

/// Resolves a plain scalar as kubectl does.
pub(super) fn resolve(text: &str) -> Scalar<'_> {
    match text.as_bytes() {
        [] | [b'~'] => Scalar::Null,
        [b'.', ..] => match special(text) {
            Some(double) => Scalar::Double(double),
            None => point(text).map_or(Scalar::Text(text), Scalar::Double),
        },
        [b'+' | b'-', b'.', ..] if special(text).is_some() => special(text).map_or(Scalar::Null, Scalar::Double),
        [b'0'..=b'9' | b'+' | b'-', ..] => number(text),
        _ => word(text),
    }
}

/// Resolves a plain scalar by the core schema of YAML 1.2, if that differs from kubectl's reading.
pub(super) fn differs_in_1_2(text: &str, ours: &Scalar) -> bool {
    let theirs = core_schema(text);
    match (&theirs, ours) {
        (Scalar::Int(int), Scalar::Double(double)) => int.to_string().parse() != Ok(*double),
        (Scalar::Double(a), Scalar::Double(b)) => a != b && !(a.is_nan() && b.is_nan()),
        _ => theirs != *ours,
    }
}

fn word(text: &str) -> Scalar<'_> {
    match text {
        "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Scalar::Bool(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Scalar::Bool(false),
        _ => Scalar::Text(text),
    }
}

fn special(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn number(text: &str) -> Scalar<'_> {
    let plain: std::borrow::Cow<str> = if text.contains('_') { text.replace('_', "").into() } else { text.into() };
    if let Some(int) = signed(&plain) {
        return Scalar::Int(int);
    }
    if let Some(int) = unsigned(&plain) {
        return Scalar::Unsigned(int);
    }
    if let Some(double) = double(&plain) {
        return Scalar::Double(double);
    }
    match plain.strip_prefix("0b") {
        // kubectl's fallback accepts a sign after the prefix.
        Some(bits) if bits.starts_with(['+', '-']) => {
            i64::from_str_radix(bits, 2).map_or(Scalar::Text(text), Scalar::Int)
        }
        _ => Scalar::Text(text),
    }
}

fn signed(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let magnitude = i128::from(unsigned(digits)?);
    i64::try_from(if negative { magnitude.checked_neg()? } else { magnitude }).ok()
}

fn unsigned(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', b'o' | b'O', ..] => (text.get(2..)?, 8),
        [b'0', b'b' | b'B', ..] => (text.get(2..)?, 2),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    // `from_str_radix` would accept a sign.
    let valid = !digits.is_empty() && digits.chars().all(|char| char.is_digit(radix));
    if valid { u64::from_str_radix(digits, radix).ok() } else { None }
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, finite.
fn double(text: &str) -> Option<f64> {
    is_double(text).then(|| text.parse::<f64>().ok()).flatten().filter(|double| double.is_finite())
}

fn is_double(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_fits = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    exponent_fits && digits(whole) && digits(fraction) && (!whole.is_empty() || !fraction.is_empty())
}

/// A double that starts with a point. Single underscores are allowed between digits.
fn point(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let misplaced = |(at, byte): (usize, &u8)| *byte == b'_' && !(digit(at.checked_sub(1)) && digit(at.checked_add(1)));
    if bytes.iter().enumerate().any(misplaced) {
        return None;
    }
    double(&text.replace('_', ""))
}

/// Whether the text is written as an integer, whatever its size.
pub(super) fn is_integer(text: &str) -> bool {
    let plain = text.replace('_', "");
    let digits = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn core_schema(text: &str) -> Scalar<'_> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        _ => {}
    }
    if let Some(double) = special(text) {
        return Scalar::Double(double);
    }
    let based = |prefix: &str, radix: u32| {
        let digits = text.strip_prefix(prefix)?;
        digits.chars().all(|char| char.is_digit(radix)).then(|| i64::from_str_radix(digits, radix).ok()).flatten()
    };
    if let Some(int) = based("0x", 16).or_else(|| based("0o", 8)) {
        return Scalar::Int(int);
    }
    let plain_integer = is_integer(text) && !text.contains('_');
    if let Some(int) = plain_integer.then(|| text.parse().ok()).flatten() {
        return Scalar::Int(int);
    }
    match is_double(text) {
        true => text.parse().map_or(Scalar::Text(text), Scalar::Double),
        false => Scalar::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Scalar) {
        assert_eq!(resolve(text), want, "{text}");
    }

    #[test]
    fn words_have_three_spellings() {
        check("Yes", Scalar::Bool(true));
        check("oFF", Scalar::Text("oFF"));
        check("NULL", Scalar::Null);
        check("nULL", Scalar::Text("nULL"));
    }

    #[test]
    fn integers_have_four_bases() {
        check("012", Scalar::Int(10));
        check("-012", Scalar::Int(-10));
        check("0o14", Scalar::Int(12));
        check("0x_1F", Scalar::Int(31));
        check("0B11", Scalar::Int(3));
        check("0b-1", Scalar::Int(-1));
        check("-0b-1", Scalar::Text("-0b-1"));
        check("-0x8000000000000000", Scalar::Int(i64::MIN));
        check("0x8000000000000000", Scalar::Unsigned(1 << 63));
        check("08", Scalar::Double(8.0));
        check("0o8", Scalar::Text("0o8"));
        check("1__0_", Scalar::Int(10));
        check("-", Scalar::Text("-"));
        check("+_", Scalar::Text("+_"));
    }

    #[test]
    fn doubles_are_finite_or_strings() {
        check("1.", Scalar::Double(1.0));
        check("+.5", Scalar::Double(0.5));
        check("1e400", Scalar::Text("1e400"));
        check("1e-400", Scalar::Double(0.0));
        check(".5_0", Scalar::Double(0.5));
        check(".5_", Scalar::Text(".5_"));
        check(".e5", Scalar::Text(".e5"));
        check("18446744073709551616", Scalar::Double(18446744073709551616.0));
        check("+9223372036854775808", Scalar::Double(9223372036854775808.0));
        check("12:30:45", Scalar::Text("12:30:45"));
        check("1e", Scalar::Text("1e"));
        check("infinity", Scalar::Text("infinity"));
    }

    #[test]
    fn readings_differ_where_the_versions_do() {
        for text in ["yes", "N", "012", "1_000", "0b11", "0X1f", "-0x1f", ".5_0", "1e400", "685.230_15e+03"] {
            assert!(differs_in_1_2(text, &resolve(text)), "{text}");
        }
        for text in
            ["true", "null", "", "08", "07", "0o14", "0x1F", "1e3", "+1", "-0", "1.10", "12:30:45", "=", "v1", ".inf"]
        {
            assert!(!differs_in_1_2(text, &resolve(text)), "{text}");
        }
    }
}
