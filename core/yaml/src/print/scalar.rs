//! How a scalar is written: plain, in quotes, or as a literal block.

use std::fmt::Write;

use fleetfold_value::value::Number;
use fleetfold_value::value::canonical::write_double;

/// A string on one line.
pub(super) fn on_one_line(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a string needs no quotes: every reader of YAML takes it for this string.
///
/// 1. It has letters, digits and signs without a meaning in YAML. A colon is inside a word, a space between two words.
/// 2. It starts with a letter, `_`, `/`, or as an option does: `-a`, `--all`. Words for other values, such as `yes`,
///    have quotes.
/// 3. Or it is a version, an address or a quantity: `1.4.2`, `10.0.0.1`, `30d`, `2Gi`. Other strings that start with a
///    digit have quotes.
///
/// # Example
///
/// ```
/// use fleetfold_yaml::is_plain;
///
/// assert!(is_plain("registry.example.com/web:2.4.1") && is_plain("--listen=:8080") && is_plain("500m"));
/// assert!(!is_plain("on") && !is_plain("1.4") && !is_plain("2026-01-05") && !is_plain("a: b"));
/// ```
pub fn is_plain(text: &str) -> bool {
    is_plain_word(text) || is_version(text) || is_quantity(text)
}

fn is_plain_word(text: &str) -> bool {
    const WORDS: [&str; 11] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"];
    let option = text.strip_prefix("--").or_else(|| text.strip_prefix('-'));
    let starts = match option {
        Some(name) => name.starts_with(|it: char| it.is_ascii_alphabetic()),
        None => text.starts_with(|it: char| it.is_ascii_alphabetic() || matches!(it, '_' | '/')),
    };
    let mut last = ' ';
    for char in text.chars() {
        let fits = match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' => true,
            '/' | '.' | '_' | '-' | '(' | ')' | '+' | '@' | '=' | '~' | ',' | '\'' | ';' | '<' | '>' | '$' | '^' => {
                true
            }
            // A colon before a space ends a key; repeated spaces are easily lost.
            ' ' | ':' => !matches!(last, ' ' | ':'),
            _ => false,
        };
        if !fits {
            return false;
        }
        last = char;
    }
    let is_word = WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)) || is_infinity(text);
    starts && !matches!(last, ' ' | ':') && !is_word && !text.chars().all(|it| it == '_')
}

/// `-inf` and `-nan`: numbers for some readers.
fn is_infinity(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|it| it.eq_ignore_ascii_case("inf") || it.eq_ignore_ascii_case("nan"))
}

/// `1.4.2`, `10.0.0.1`, `1.4.2-rc1`: more than two numbers are no number.
fn is_version(text: &str) -> bool {
    let (numbers, suffix) = match text.split_once(['-', '+']) {
        Some((numbers, suffix)) => (numbers, Some(suffix)),
        None => (text, None),
    };
    let suffix_fits = suffix.is_none_or(|it| {
        let is_sign = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | '-');
        it.starts_with(|it: char| it.is_ascii_alphabetic()) && it.chars().all(is_sign)
    });
    suffix_fits && numbers.split('.').count() > 2 && numbers.split('.').all(is_digits)
}

/// `30d`, `500m`, `1.5Gi`: a number with a unit that starts no exponent, base or bit pattern.
fn is_quantity(text: &str) -> bool {
    let number = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let unit = text.strip_prefix(number).unwrap_or_default();
    let starts_number = |it: char| matches!(it.to_ascii_lowercase(), 'b' | 'e' | 'o' | 'x');
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    !unit.is_empty() && !unit.starts_with(starts_number) && is_digits(whole) && is_digits(fraction)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// A number that every reader takes for this number.
///
/// 1. An integral double outside int64 has an exponent: with digits only it would be an integer.
/// 2. An exponent has a fraction before it: YAML 1.1 takes `1e+21` for a string.
pub(super) fn number(number: Number) -> String {
    let mut out = String::new();
    match number {
        Number::Int(int) => {
            let _ = write!(out, "{int}");
        }
        Number::Double(double) => {
            write_double(double, &mut out);
            if !out.contains(['.', 'e']) && out.parse::<i64>().is_err() {
                out = format!("{double:e}").replace('e', "e+");
            }
        }
    }
    match out.split_once('e') {
        Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
        _ => out,
    }
}

/// Whether a literal block keeps the text: the first line shows the indentation, the last one has no blanks that could
/// get lost, and every character can be seen or is a tab.
pub(super) fn is_literal(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && !text.trim_end_matches('\n').ends_with([' ', '\t'])
        && !text.chars().any(|it| it != '\n' && it != '\t' && needs_escape(it))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if needs_escape(char) => {
                let code = u32::from(char);
                let _ = if code <= 0xffff { write!(out, "\\u{code:04x}") } else { write!(out, "\\U{code:08x}") };
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Whether a character is not printable in YAML, or looks like another one.
fn needs_escape(char: char) -> bool {
    is_invisible(char) || char == '\u{a0}' || matches!(u32::from(char) & 0xffff, 0xfffe | 0xffff)
}

/// Whether a character cannot be seen and affects the text around it, as control characters and marks of direction do.
pub fn is_invisible(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
        )
}
