//! The clock: the engine has none, so the host passes it the time.

use jiff::{Timestamp, Unit};

/// The current time in RFC 3339, in UTC and whole seconds.
pub fn now() -> String {
    in_seconds(Timestamp::now())
}

/// A time from [`now`] as a Kubernetes `MicroTime`.
pub fn micro_time(time: &str) -> String {
    time.replace('Z', ".000000Z")
}

fn in_seconds(time: Timestamp) -> String {
    // Rounding down fails only at the end of the range of representable times.
    let rounded = time.round(jiff::TimestampRound::new().smallest(Unit::Second).mode(jiff::RoundMode::Floor));
    rounded.unwrap_or(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(second: i64, want: &str) {
        let time = Timestamp::new(second, 999_999_999).unwrap();
        assert_eq!(in_seconds(time), want);
    }

    #[test]
    fn times_are_written_in_whole_seconds() {
        check(0, "1970-01-01T00:00:00Z");
        check(951_782_400, "2000-02-29T00:00:00Z");
        check(1_767_225_599, "2025-12-31T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
