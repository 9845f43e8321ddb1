//! Command-line values: durations and sizes, each a whole number and a unit.

use std::time::Duration;

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
    fn malformed_values_are_rejected() {
        for text in ["", "GiB", "0", "0MiB", "-1", "1.5GiB", "1 GiB", "1GB", "99999999999GiB", "99999999999999999999"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
