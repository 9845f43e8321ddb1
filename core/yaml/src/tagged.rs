//! Scalars with a tag. The tag decides the type, whether the text is quoted or not.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use jiff_core::civil::Date;

use super::resolve::{Scalar, resolve};

/// The result of reading a tagged scalar.
pub(super) enum Tagged<'a> {
    Scalar(Scalar<'a>),
    /// The bytes of a `!!binary`, as text.
    Decoded(String),
    /// The text does not fit the tag.
    Mismatch,
}

const YAML: &str = "tag:yaml.org,2002:";

/// Reads `text` as the type that the tag names.
pub(super) fn read<'a>(tag: &str, text: &'a str) -> Tagged<'a> {
    let scalar = match (tag.strip_prefix(YAML), resolve(text)) {
        (Some("int"), scalar @ (Scalar::Int(_) | Scalar::Unsigned(_))) => scalar,
        (Some("float"), scalar @ Scalar::Double(_)) => scalar,
        (Some("float"), Scalar::Int(int)) => Scalar::Double(int as f64),
        (Some("bool"), scalar @ Scalar::Bool(_)) => scalar,
        (Some("null"), Scalar::Null) => Scalar::Null,
        (Some("timestamp"), _) if is_timestamp(text) => Scalar::Text(text),
        (Some("int" | "float" | "bool" | "null" | "timestamp"), _) => return Tagged::Mismatch,
        (Some("binary"), _) => {
            return match decode(text) {
                Some(bytes) => Tagged::Decoded(lossy(&bytes)),
                None => Tagged::Mismatch,
            };
        }
        _ => Scalar::Text(text),
    };
    Tagged::Scalar(scalar)
}

/// Bytes as text, with U+FFFD for each invalid byte.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{fffd}'));
    }
    text
}

/// Whether a key `<<` with this tag merges.
pub(super) fn merges(tag: &str) -> bool {
    tag == "!" || tag.strip_prefix(YAML) == Some("merge")
}

/// Go's standard encoding, which kubectl uses: padding is required, and bits after the last byte are ignored.
const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Standard base64; line breaks are skipped.
fn decode(text: &str) -> Option<Vec<u8>> {
    let symbols: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    BASE64.decode(symbols).ok()
}

/// `2020-01-02`, `2020-01-02 10:20:30.5`, or `2020-01-02T10:20:30.5Z` with an offset in place of `Z`.
fn is_timestamp(text: &str) -> bool {
    let mut clock = Clock(text);
    clock.date() && (clock.0.is_empty() || clock.time())
}

/// The rest of a timestamp.
struct Clock<'a>(&'a str);

impl Clock<'_> {
    fn date(&mut self) -> bool {
        let (Some(year), Some(month), Some(day)) = (self.digits(4, 4), self.after("-"), self.after("-")) else {
            return false;
        };
        let date = (i16::try_from(year), i8::try_from(month), i8::try_from(day));
        matches!(date, (Ok(year), Ok(month), Ok(day)) if Date::new(year, month, day).is_ok())
    }

    fn time(&mut self) -> bool {
        let zoned = self.eat("T") || self.eat("t");
        if !zoned && !self.eat(" ") {
            return false;
        }
        let (Some(hour), Some(minute), Some(second)) = (self.digits(1, 2), self.after(":"), self.after(":")) else {
            return false;
        };
        if hour > 23 || minute > 59 || second > 59 {
            return false;
        }
        if (self.eat(".") || self.eat(",")) && self.digits(1, usize::MAX).is_none() {
            return false;
        }
        (!zoned || self.eat("Z") || self.offset()) && self.0.is_empty()
    }

    fn offset(&mut self) -> bool {
        let signed = self.eat("+") || self.eat("-");
        let (hour, colon, minute) = (self.digits(2, 2), self.eat(":"), self.digits(2, 2));
        signed && colon && hour.is_some_and(|hour| hour <= 24) && minute.is_some_and(|minute| minute < 60)
    }

    fn after(&mut self, sign: &str) -> Option<u32> {
        if self.eat(sign) { self.digits(1, 2) } else { None }
    }

    fn eat(&mut self, sign: &str) -> bool {
        let rest = self.0.strip_prefix(sign);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn digits(&mut self, min: usize, max: usize) -> Option<u32> {
        let count = self.0.bytes().take(max).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        // A fraction can be too long for the type. Its value does not matter.
        (count >= min).then(|| digits.parse().unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_have_ranges() {
        for text in [
            "2020-01-02",
            "2020-1-2",
            "2020-02-29",
            "0000-02-29",
            "2020-01-02 1:2:3.5",
            "2020-01-02t10:00:00+01:00",
            "2020-01-02T10:00:00.123Z",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "2020-13-01",
            "2021-02-29",
            "2100-02-29",
            "2020-04-31",
            "2020-00-01",
            "2020-01-00",
            "20-01-02",
            "2020-01-02T10:00:00",
            "2020-01-02 10:00",
            "2020-01-02 24:00:00",
            "2020-",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn each_byte_that_is_no_text_is_replaced() {
        assert_eq!(lossy(b"a\xe2\x82b\xc3\xa9"), "a\u{fffd}\u{fffd}b\u{e9}");
    }

    #[test]
    fn base64_needs_its_padding() {
        assert_eq!(decode("aGk="), Some(b"hi".to_vec()));
        assert_eq!(decode("aG\nk="), Some(b"hi".to_vec()));
        assert_eq!(decode("aGl="), Some(b"hi".to_vec()), "bits that no byte takes are ignored");
        assert_eq!(decode("+/+/"), Some(vec![0xfb, 0xff, 0xbf]));
        assert_eq!(decode(""), Some(Vec::new()));
        for text in ["aGk", "a", "aG k=", "====", "aGk=aGk=", "a===", "-_-_", "aGk\t", "aG=k"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
