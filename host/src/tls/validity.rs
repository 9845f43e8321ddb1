//! Until when a certificate is valid.
//!
//! Reads two fields of X.509 and nothing else: what cannot be read is not reported, and TLS itself decides what is
//! served.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// A certificate is reported when this much of its life is left, or a quarter of it if that is less. cert-manager
/// renews 30 days before the end, so a report means that something does not renew.
const WARN_BEFORE: i64 = 21 * 24 * 3600;

const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// The version, which old certificates leave out.
const VERSION: u8 = 0xa0;

/// When a certificate begins and ends to be valid, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    pub not_before: i64,
    pub not_after: i64,
}

impl Validity {
    /// Reads a certificate in DER.
    pub fn of(certificate: &[u8]) -> Option<Validity> {
        let (_, certificate, _) = read(certificate).filter(|it| it.0 == SEQUENCE)?;
        let (_, mut fields, _) = read(certificate).filter(|it| it.0 == SEQUENCE)?;
        if let Some((VERSION, _, rest)) = read(fields) {
            fields = rest;
        }
        // The serial number, the algorithm of the signature and the issuer.
        for tag in [INTEGER, SEQUENCE, SEQUENCE] {
            (_, _, fields) = read(fields).filter(|it| it.0 == tag)?;
        }
        let (_, validity, _) = read(fields).filter(|it| it.0 == SEQUENCE)?;
        let (tag, not_before, rest) = read(validity)?;
        let not_before = seconds(tag, not_before)?;
        let (tag, not_after, _) = read(rest)?;
        Some(Validity { not_before, not_after: seconds(tag, not_after)? })
    }

    /// Whether it ends soon, or has ended.
    pub fn ends_soon(&self, now: i64) -> bool {
        let quarter = self.not_after.saturating_sub(self.not_before) / 4;
        self.not_after.saturating_sub(now) < quarter.min(WARN_BEFORE)
    }

    /// The end as RFC 3339.
    pub fn end(&self) -> String {
        jiff::Timestamp::from_second(self.not_after).map(|it| it.to_string()).unwrap_or_default()
    }
}

/// The tag and the content of the first element, and what follows it.
fn read(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// A time in seconds since 1970. RFC 5280 allows only these two forms, both in UTC.
fn seconds(tag: u8, text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let text = match tag {
        // Two digits of the year: from 1950 to 2049.
        UTC_TIME if text.get(..2)? < "50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%SZ", text).ok()?;
    Some(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(from: i32, to: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn both_forms_of_a_time_are_read() {
        let validity = Validity::of(&certificate(2026, 2060)).unwrap();
        assert_eq!(validity.end(), "2060-01-01T00:00:00Z");
        assert_eq!(validity.not_before, 1_767_225_600);
        assert_eq!(Validity::of(&certificate(1999, 2027)).unwrap().not_before, 915_148_800);
    }

    #[test]
    fn what_is_cut_or_something_else_is_not_read() {
        let whole = certificate(2026, 2027);
        for length in 0..100 {
            assert_eq!(Validity::of(&whole[..length]), None, "{length}");
        }
        assert_eq!(Validity::of(b"hello"), None);
        assert_eq!(Validity::of(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff]), None);
    }

    #[test]
    fn the_end_is_near_three_weeks_before_or_in_the_last_quarter() {
        const DAY: i64 = 24 * 3600;
        let near =
            |days: i64, left: i64| Validity { not_before: 0, not_after: days * DAY }.ends_soon((days - left) * DAY);
        assert!(!near(365, 22) && near(365, 20) && near(365, -1));
        assert!(!near(90, 30) && !near(8, 3) && near(8, 1));
    }
}
