//! Times and sizes as people write them: a whole number and a unit. And a moment as programs write it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// `500ms`, `2s` or `1m`, and not zero.
pub fn duration(text: &str) -> Result<Duration, String> {
    let milliseconds = read(text, &[("ms", 1), ("s", 1_000), ("m", 60_000)])?;
    Ok(Duration::from_millis(milliseconds))
}

/// `65536`, `64KiB`, `512MiB` or `1GiB`, and not zero.
pub fn size(text: &str) -> Result<usize, String> {
    let bytes = read(text, &[("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("", 1)])?;
    usize::try_from(bytes).map_err(|_| "it is too large".to_owned())
}

/// The clock, as the engine takes it.
pub fn now() -> String {
    rfc3339(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

/// A moment in RFC 3339, given as seconds since 1970.
pub fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counted in eras of 400 years from the first of March of year 0: there a leap day is the last day of its year.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn read(text: &str, units: &[(&str, u64)]) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|it: char| it.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
        let known: Vec<_> =
            units.iter().filter(|(name, _)| !name.is_empty()).map(|(name, _)| format!("`{name}`")).collect();
        return Err(format!("it needs a whole number and one of the units {}", known.join(", ")));
    };
    let number: u64 = number.parse().map_err(|_| "it needs a whole number".to_owned())?;
    match number.checked_mul(*factor) {
        Some(0) => Err("it must be more than zero".to_owned()),
        Some(product) => Ok(product),
        None => Err("it is too large".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(duration("1m"), Ok(Duration::from_secs(60)));
        assert!(duration("2").is_err());
    }

    #[test]
    fn sizes_count_in_powers_of_two() {
        assert_eq!(size("1GiB"), Ok(1 << 30));
        assert_eq!(size("65536"), Ok(65_536));
    }

    #[test]
    fn moments_know_leap_days() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_767_225_599), "2025-12-31T23:59:59Z");
        assert_eq!(rfc3339(4_107_542_400), "2100-03-01T00:00:00Z");
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "GiB", "0", "0MiB", "-1", "1.5GiB", "1 GiB", "1GB", "99999999999GiB", "99999999999999999999"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
