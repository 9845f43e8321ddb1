//! Whether a text is a value that a flag takes. The readers are Go's (`strconv`, `time`, `encoding/csv`, pflag, klog),
//! so that what passes here also starts there. Where Go is laxer than anyone could mean, this is not: a rate that is
//! not a number, a hexadecimal float, and a line break in a list are refused.

use crate::object::kinds::flags::FlagType;

/// Why a text does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FlagError {
    /// It cannot be read at all.
    Unreadable,
    /// It reads, but names something that the component does not have.
    Unknown { name: String, known: &'static [&'static str] },
}

/// Checks `text` against what the flag takes.
pub(super) fn fit(takes: FlagType, text: &str) -> Result<(), FlagError> {
    let reads = match takes {
        FlagType::Bool => is_bool(text),
        FlagType::Int => int(text).is_some(),
        FlagType::PositiveInt => int(text).is_some_and(|it| it > 0),
        FlagType::Uint => !text.starts_with(['+', '-']) && magnitude(text).is_some_and(|it| u64::try_from(it).is_ok()),
        FlagType::PositiveFloat => float(text).is_some_and(|it| it > 0.0),
        FlagType::Duration => is_duration(text),
        FlagType::Text => true,
        FlagType::OneOf(words) => words.contains(&text),
        FlagType::Texts => items(text).is_some(),
        FlagType::Addresses => items(text).is_some_and(|items| items.iter().all(|it| is_address(it))),
        FlagType::Names(known) => return names(text, known),
        FlagType::Gates(known) => return gates(text, known),
        FlagType::Level => text.parse::<i32>().is_ok(),
        FlagType::Severity => SEVERITIES.iter().any(|it| it.eq_ignore_ascii_case(text)) || text.parse::<i32>().is_ok(),
        FlagType::Modules => text.split(',').filter(|it| !it.is_empty()).all(is_module_level),
        FlagType::Location => text.is_empty() || is_location(text),
    };
    if reads { Ok(()) } else { Err(FlagError::Unreadable) }
}

/// What the flag takes, in words.
pub(super) fn wanted(takes: FlagType) -> String {
    match takes {
        FlagType::Bool => "`true` or `false`".into(),
        FlagType::Int | FlagType::Level => "a whole number".into(),
        FlagType::PositiveInt => "a whole number above zero".into(),
        FlagType::Uint => "a whole number that is not negative".into(),
        FlagType::PositiveFloat => "a number above zero".into(),
        FlagType::Duration => "a duration such as `15s` or `1h30m`".into(),
        FlagType::Text => "a string".into(),
        FlagType::OneOf(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or "),
        FlagType::Texts => "strings with commas between them".into(),
        FlagType::Addresses => "`host:port`, with commas between them".into(),
        FlagType::Names(_) => "names with commas between them".into(),
        FlagType::Gates(_) => "`name=true` or `name=false`, with commas between them".into(),
        FlagType::Severity => "`INFO`, `WARNING`, `ERROR`, `FATAL` or a whole number".into(),
        FlagType::Modules => "`pattern=level`, with commas between them".into(),
        FlagType::Location => "`file.go:line`".into(),
    }
}

/// Writes a list as the one text that the flag reads it back from.
pub(super) fn join(takes: FlagType, items: &[&str]) -> String {
    let quoted = items.iter().map(|item| match takes {
        FlagType::Gates(_) => String::from(*item),
        _ if item.is_empty() || item.contains([',', '"']) => format!("\"{}\"", item.replace('"', "\"\"")),
        _ => String::from(*item),
    });
    quoted.collect::<Vec<_>>().join(",")
}

const SEVERITIES: &[&str] = &["INFO", "WARNING", "ERROR", "FATAL"];

fn is_bool(text: &str) -> bool {
    matches!(text, "1" | "t" | "T" | "true" | "TRUE" | "True" | "0" | "f" | "F" | "false" | "FALSE" | "False")
}

/// A whole number with a sign, in 64 bits.
pub(super) fn int(text: &str) -> Option<i64> {
    let number = match text.strip_prefix('-') {
        Some(rest) => magnitude(rest)?.checked_neg()?,
        None => magnitude(text.strip_prefix('+').unwrap_or(text))?,
    };
    i64::try_from(number).ok()
}

/// An integer without its sign: decimal, or with the prefix of another base; `_` is allowed between digits.
fn magnitude(text: &str) -> Option<i128> {
    let (base, digits) = match text.strip_prefix('0') {
        None => (10, text),
        Some("") => return Some(0),
        Some(rest) => match [(2, ['b', 'B']), (8, ['o', 'O']), (16, ['x', 'X'])]
            .into_iter()
            .find_map(|(base, letter)| Some((base, rest.strip_prefix(letter)?)))
        {
            // A `_` may also follow the prefix.
            Some((base, digits)) => (base, digits.strip_prefix('_').unwrap_or(digits)),
            None => (8, rest.strip_prefix('_').unwrap_or(rest)),
        },
    };
    if !digits.split('_').all(|run| !run.is_empty() && run.chars().all(|it| it.is_digit(base))) {
        return None;
    }
    i128::from_str_radix(&digits.replace('_', ""), base).ok()
}

/// A finite number in 32 bits.
pub(super) fn float(text: &str) -> Option<f32> {
    text.parse().ok().filter(|it: &f32| it.is_finite())
}

/// A sign, then `0` or one or more numbers, each with its unit; at most 64 bits of nanoseconds.
fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    text == "0" || nanoseconds(text).is_some_and(|it| i64::try_from(it).is_ok())
}

fn nanoseconds(text: &str) -> Option<u128> {
    let mut total: u128 = 0;
    let mut rest = text;
    loop {
        let (whole, tail) = digits(rest);
        let (fraction, tail) = tail.strip_prefix('.').map_or(("", tail), digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let tail_of_unit = tail.trim_start_matches(|it: char| it != '.' && !it.is_ascii_digit());
        let unit: u128 = match tail.strip_suffix(tail_of_unit)? {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total = total.checked_add(u128::from(whole).checked_mul(unit)?)?;
        let mut share = unit;
        for digit in fraction.chars() {
            share /= 10;
            total = total.checked_add(share.checked_mul(u128::from(digit.to_digit(10)?))?)?;
        }
        rest = tail_of_unit;
        if rest.is_empty() {
            return Some(total);
        }
    }
}

/// The leading digits, and the rest.
fn digits(text: &str) -> (&str, &str) {
    let rest = text.trim_start_matches(|it: char| it.is_ascii_digit());
    (text.strip_suffix(rest).unwrap_or_default(), rest)
}

/// One line of comma-separated values; those in quotes may hold commas, and quotes written twice.
fn items(text: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    if text.is_empty() {
        return Some(items);
    }
    if text.contains(['\n', '\r']) {
        return None;
    }
    let mut rest = text;
    loop {
        let mut item = String::new();
        if let Some(mut quoted) = rest.strip_prefix('"') {
            loop {
                let (part, tail) = quoted.split_once('"')?;
                item.push_str(part);
                match tail.strip_prefix('"') {
                    Some(tail) => {
                        item.push('"');
                        quoted = tail;
                    }
                    None => {
                        rest = tail;
                        break;
                    }
                }
            }
        } else {
            let plain = rest.split(',').next().unwrap_or_default();
            if plain.contains('"') {
                return None;
            }
            item.push_str(plain);
            rest = rest.strip_prefix(plain)?;
        }
        items.push(item);
        if rest.is_empty() {
            return Some(items);
        }
        rest = rest.strip_prefix(',')?;
    }
}

/// `host:port`; a host with colons is in brackets. Either may be empty.
fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    let host = match host.strip_prefix('[') {
        Some(host) => host.strip_suffix(']'),
        None => Some(host).filter(|host| !host.contains(':')),
    };
    host.is_some_and(|host| !host.contains(['[', ']'])) && !port.contains(['[', ']'])
}

fn names(text: &str, known: &'static [&'static str]) -> Result<(), FlagError> {
    let named = items(text).ok_or(FlagError::Unreadable)?;
    let names = named.iter().filter(|it| *it != "*").map(|it| it.strip_prefix('-').unwrap_or(it));
    all_known(names, known)
}

fn gates(text: &str, known: &'static [&'static str]) -> Result<(), FlagError> {
    let mut names = Vec::new();
    for gate in text.split(',').filter(|it| !it.is_empty()) {
        let (name, value) = gate.split_once('=').ok_or(FlagError::Unreadable)?;
        if !is_bool(value.trim()) {
            return Err(FlagError::Unreadable);
        }
        names.push(name.trim());
    }
    all_known(names.into_iter(), known)
}

fn all_known<'a>(mut names: impl Iterator<Item = &'a str>, known: &'static [&'static str]) -> Result<(), FlagError> {
    match names.find(|name| !known.contains(name)) {
        Some(name) => Err(FlagError::Unknown { name: name.into(), known }),
        None => Ok(()),
    }
}

/// `pattern=level`, the level not negative.
fn is_module_level(text: &str) -> bool {
    let Some((pattern, level)) = text.split_once('=') else { return false };
    !pattern.is_empty() && level.parse::<i32>().is_ok_and(|it| it >= 0)
}

/// `file.go:line`, the line above zero.
fn is_location(text: &str) -> bool {
    let Some((file, line)) = text.split_once(':') else { return false };
    file.contains('.') && line.parse::<i64>().is_ok_and(|it| it > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(takes: FlagType, good: &[&str], bad: &[&str]) {
        for text in good {
            assert_eq!(fit(takes, text), Ok(()), "{takes:?} takes {text:?}");
        }
        for text in bad {
            assert!(fit(takes, text).is_err(), "{takes:?} does not take {text:?}");
        }
    }

    #[test]
    fn whole_numbers_read_as_in_go() {
        let good = ["0", "-0", "+7", "1_000", "0x1F", "0x_1f", "0b101", "0o17", "017", "0_7", "9223372036854775807"];
        let bad = ["", "-", "_1", "1_", "1__0", "0x", "0x_", "08", "1.5", " 1", "9223372036854775808", "0x+1", "٣"];
        check(FlagType::Int, &good, &bad);
        check(FlagType::Int, &["-9223372036854775808"], &["--1", "+-1"]);
        check(FlagType::Uint, &["0", "18446744073709551615"], &["-1", "+1", "18446744073709551616"]);
        check(FlagType::PositiveInt, &["1"], &["0", "-1"]);
    }

    #[test]
    fn a_verbosity_is_decimal_and_has_32_bits() {
        check(FlagType::Level, &["4", "-1", "+4", "2147483647"], &["0x4", "1_0", "2147483648", ""]);
    }

    #[test]
    fn a_rate_is_finite_and_above_zero() {
        check(FlagType::PositiveFloat, &["20", ".5", "1.", "1e2", "+3"], &["0", "-1", "nan", "inf", "1e39", ".", ""]);
    }

    #[test]
    fn durations_read_as_in_go() {
        let good = ["0", "+0", "5s", "-1.5h", "1h1m1s1ms1us1ns", "1µs", "1μs", ".5s", "1.s", "2562047h"];
        let bad = ["", "-", "15", "1d", "s", ".s", "1h 1m", "1.5", "2562048h", "1e3s", "00", "1hh"];
        check(FlagType::Duration, &good, &bad);
    }

    #[test]
    fn lists_are_one_line_of_csv() {
        assert_eq!(items(r#"a,"b,c","d""e",,"#), Some(["a", "b,c", "d\"e", "", ""].map(String::from).to_vec()));
        check(FlagType::Texts, &["", "a", "a,b", r#""""#], &[r#"a"b"#, r#""a"#, r#""a"b"#, r#"a, "b""#, "a\nb"]);
    }

    #[test]
    fn a_joined_list_reads_back() {
        let list = ["a", "", "b,c", "d\"e"];
        assert_eq!(items(&join(FlagType::Texts, &list)), Some(list.map(String::from).to_vec()));
        assert_eq!(items(&join(FlagType::Texts, &[""])), Some(vec![String::new()]));
    }

    #[test]
    fn an_address_has_a_port_and_brackets_around_colons() {
        let good = ["8.8.8.8:53", "[::1]:53", ":53", "host:", "[]:1"];
        let bad = ["8.8.8.8", "::1:53", "[::1]", "[::1]53", "a[b]:1", "[a]b:1", "[a:1", "a:[1"];
        check(FlagType::Addresses, &good, &bad);
    }

    #[test]
    fn what_klog_reads() {
        check(FlagType::Severity, &["INFO", "warning", "2", "-1"], &["loud", ""]);
        check(FlagType::Modules, &["", "a=1", "a=1,,b*=0,"], &["a", "a=", "=1", "a=-1", "a=b", "a=1=2"]);
        check(FlagType::Location, &["", "a.go:1"], &["a:1", "a.go", "a.go:0", "a.go:1:2", "a.go:x"]);
    }

    #[test]
    fn what_is_not_known_is_named() {
        let unknown = |name: &str| Err(FlagError::Unknown { name: name.into(), known: &["a", "b"] });
        assert_eq!(fit(FlagType::Names(&["a", "b"]), "*,-a,c"), unknown("c"));
        assert_eq!(fit(FlagType::Names(&["a", "b"]), "a,"), unknown(""));
        assert_eq!(fit(FlagType::Gates(&["a", "b"]), "a=true, c = f"), unknown("c"));
        assert_eq!(fit(FlagType::Gates(&["a", "b"]), "a=true,b"), Err(FlagError::Unreadable));
        assert_eq!(fit(FlagType::Gates(&["a", "b"]), "a=true,,b=0"), Ok(()));
    }
}
