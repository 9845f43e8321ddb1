//! Timestamps in RFC 3339 and as label values.

use jiff_core::civil::{Date, UnixEpochDay};

/// A timestamp to the second, with its offset. Fractions of a second are read and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp {
    /// The day as written.
    date: Date,
    /// The day in UTC.
    date_utc: Date,
    /// Minutes since midnight.
    minutes: i32,
    /// Up to 60: the calendar of `jiff-core` has no leap seconds.
    second: i32,
    /// Minutes east of UTC.
    offset: i32,
}

const MINUTES_A_DAY: i32 = 24 * 60;
const SECONDS_A_DAY: i64 = 24 * 60 * 60;

impl Timestamp {
    /// Reads `2026-01-31T09:30:00Z`, with an offset like `+02:00` in place of the `Z`, and with a fraction if there is
    /// one. A second 60 is read where UTC may have one: in the last minute of a day.
    ///
    /// # Errors
    ///
    /// Why the text is not a timestamp, for use in a message.
    pub fn parse(text: &str) -> Result<Timestamp, &'static str> {
        let mut scan = Scan(text.as_bytes().iter().copied().peekable());
        let Written { day, minutes, second, offset } =
            scan.written().ok_or("it is not written as `2026-01-31T09:30:00Z`")?;
        let date = day.ok_or("there is no such day")?;
        let minutes_utc = minutes - offset;
        let leap = second == 60 && minutes_utc.rem_euclid(MINUTES_A_DAY) == MINUTES_A_DAY - 1;
        if minutes >= MINUTES_A_DAY || (second > 59 && !leap) {
            return Err("there is no such time of day");
        }
        let date_utc = date.checked_add(minutes_utc.div_euclid(MINUTES_A_DAY)).ok().filter(has_four_digits);
        let date_utc = date_utc.ok_or("its year in UTC does not have four digits")?;
        Ok(Timestamp { date, date_utc, minutes, second, offset })
    }

    /// `2026-01-31T09-30-00Z`: RFC 3339 in UTC with `-` for the colons, which no label value may have.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::object::Timestamp;
    ///
    /// assert_eq!(Timestamp::parse("2026-01-31T10:30:00+01:00").unwrap().label(), "2026-01-31T09-30-00Z");
    /// ```
    pub fn label(&self) -> String {
        let (year, month, day) = (self.date_utc.year(), self.date_utc.month(), self.date_utc.day());
        let minutes = self.minutes_utc();
        format!("{year:04}-{month:02}-{day:02}T{:02}-{:02}-{:02}Z", minutes / 60, minutes % 60, self.second)
    }

    /// `2026-1-31.0930`: to the minute, in the offset as written, as the cert-manager deployment operator labels its
    /// workloads.
    pub fn minute_label(&self) -> String {
        let (year, month, day) = (self.date.year(), self.date.month(), self.date.day());
        format!("{year:04}-{month}-{day}.{:02}{:02}", self.minutes / 60, self.minutes % 60)
    }

    /// Seconds since the start of 1970 in UTC, leap seconds not counted.
    pub fn seconds(&self) -> i64 {
        let days = i64::from(self.date_utc.to_unix_epoch_day().day());
        days * SECONDS_A_DAY + i64::from(self.minutes_utc() * 60 + self.second)
    }

    /// The timestamp this many seconds later, in UTC; none if its year would not have four digits.
    ///
    /// # Example
    ///
    /// ```
    /// use fleetfold_core::object::Timestamp;
    ///
    /// let created = Timestamp::parse("2026-02-28T23:59:30Z").unwrap();
    /// assert_eq!(created.plus(60).unwrap().to_string(), "2026-03-01T00:00:30Z");
    /// ```
    pub fn plus(&self, seconds: i64) -> Option<Timestamp> {
        let seconds = self.seconds().checked_add(seconds)?;
        let day = i32::try_from(seconds.div_euclid(SECONDS_A_DAY)).ok()?;
        let date = Some(UnixEpochDay::new(day).ok()?.to_date()).filter(has_four_digits)?;
        let within = i32::try_from(seconds.rem_euclid(SECONDS_A_DAY)).ok()?;
        Some(Timestamp { date, date_utc: date, minutes: within / 60, second: within % 60, offset: 0 })
    }

    /// Minutes since midnight in UTC.
    fn minutes_utc(&self) -> i32 {
        (self.minutes - self.offset).rem_euclid(MINUTES_A_DAY)
    }
}

fn has_four_digits(date: &Date) -> bool {
    (0..=9999).contains(&date.year())
}

/// RFC 3339 in UTC, as Kubernetes writes it.
impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = (self.date_utc.year(), self.date_utc.month(), self.date_utc.day());
        let minutes = self.minutes_utc();
        write!(f, "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", minutes / 60, minutes % 60, self.second)
    }
}

/// The parts of a moment as written, which no calendar or clock need have.
struct Written {
    day: Option<Date>,
    minutes: i32,
    second: i32,
    offset: i32,
}

struct Scan<'a>(std::iter::Peekable<std::iter::Copied<std::slice::Iter<'a, u8>>>);

impl Scan<'_> {
    fn written(&mut self) -> Option<Written> {
        let year = i16::try_from(self.digits(4)?).ok()?;
        let month = i8::try_from(self.after(b"-")?).ok()?;
        let day = Date::new(year, month, i8::try_from(self.after(b"-")?).ok()?).ok();
        let hour = self.after(b"Tt")?;
        let minute = self.after(b":").filter(|it| *it < 60)?;
        let second = self.after(b":")?;
        if self.0.next_if_eq(&b'.').is_some() {
            self.digits(1)?;
            while self.0.next_if(u8::is_ascii_digit).is_some() {}
        }
        let offset = self.offset()?;
        let minutes = hour * 60 + minute;
        self.0.next().is_none().then_some(Written { day, minutes, second, offset })
    }

    fn offset(&mut self) -> Option<i32> {
        let sign = match self.0.next()? {
            b'Z' | b'z' => return Some(0),
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let hours = self.digits(2).filter(|it| *it < 24)?;
        let minutes = self.after(b":").filter(|it| *it < 60)?;
        Some(sign * (hours * 60 + minutes))
    }

    /// Two digits after one of these letters.
    fn after(&mut self, letters: &[u8]) -> Option<i32> {
        self.0.next_if(|it| letters.contains(it))?;
        self.digits(2)
    }

    fn digits(&mut self, count: usize) -> Option<i32> {
        (0..count).try_fold(0, |number, _| Some(number * 10 + i32::from(self.0.next_if(u8::is_ascii_digit)? - b'0')))
    }
}

/// Why a text is not a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampError(&'static str);

impl std::fmt::Display for TimestampError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for TimestampError {}

/// Reads what `Display` prints, and RFC 3339 with any other offset.
///
/// ```
/// use fleetfold_core::object::Timestamp;
///
/// let renewed: Timestamp = "2026-03-01T00:30:00+01:00".parse()?;
/// assert_eq!(renewed.to_string(), "2026-02-28T23:30:00Z");
/// assert!("2026-02-30T00:00:00Z".parse::<Timestamp>().is_err());
/// # Ok::<(), fleetfold_core::object::TimestampError>(())
/// ```
impl std::str::FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Timestamp, TimestampError> {
        Timestamp::parse(text).map_err(TimestampError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(Timestamp::parse(text).map(|it| it.label()), Ok(want.to_string()), "{text}");
    }

    #[track_caller]
    fn refuse(text: &str) {
        assert!(Timestamp::parse(text).is_err(), "{text} is not a moment");
    }

    #[test]
    fn utc_is_written_as_it_stands() {
        check("2026-01-01T00:00:00Z", "2026-01-01T00-00-00Z");
        check("2026-01-01t00:00:00.123456789z", "2026-01-01T00-00-00Z");
    }

    #[test]
    fn an_offset_may_change_the_day_the_month_and_the_year() {
        check("2026-03-01T00:30:00+01:00", "2026-02-28T23-30-00Z");
        check("2024-03-01T00:30:00+01:00", "2024-02-29T23-30-00Z");
        check("2026-01-01T00:00:00+00:01", "2025-12-31T23-59-00Z");
        check("2025-12-31T23:00:00-01:00", "2026-01-01T00-00-00Z");
        check("2026-04-30T23:59:59-23:59", "2026-05-01T23-58-59Z");
        check("2026-04-15T12:00:00-12:00", "2026-04-16T00-00-00Z");
        check("2026-04-15T11:00:00+12:00", "2026-04-14T23-00-00Z");
    }

    #[test]
    fn a_leap_second_ends_a_day_in_utc() {
        check("2016-12-31T23:59:60Z", "2016-12-31T23-59-60Z");
        check("2017-01-01T00:59:60+01:00", "2016-12-31T23-59-60Z");
        refuse("2016-12-31T22:59:60Z");
        refuse("2016-12-31T23:59:61Z");
    }

    #[test]
    fn a_day_that_no_calendar_has_is_refused() {
        for text in ["2026-02-29", "2100-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-00"] {
            refuse(&format!("{text}T00:00:00Z"));
        }
        check("2000-02-29T00:00:00Z", "2000-02-29T00-00-00Z");
    }

    #[test]
    fn another_spelling_is_refused() {
        for text in [
            "",
            "now",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+0100",
            "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00Zz",
            "26-01-01T00:00:00Z",
            "２026-01-01T00:00:00Z",
            "0000-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
        ] {
            refuse(text);
        }
    }

    #[test]
    fn seconds_count_from_1970_and_lead_back() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-01-01T01:00:00+01:00", 1_767_225_600),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("0000-12-31T23:59:59Z", -62_135_596_801),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            let moment = Timestamp::parse(text).expect("a moment");
            assert_eq!(moment.seconds(), seconds, "{text}");
            let start = Timestamp::parse("1970-01-01T00:00:00Z").expect("a moment");
            assert_eq!(start.plus(seconds).map(|it| it.label()), Some(moment.label()), "{text}");
        }
    }

    #[test]
    fn a_later_moment_may_be_in_another_year_but_not_past_the_last() {
        let plus = |text: &str, seconds| {
            Timestamp::parse(text).expect("a moment").plus(seconds).map(|it| it.to_string()).unwrap_or_default()
        };
        assert_eq!(plus("2026-12-31T23:59:59Z", 1), "2027-01-01T00:00:00Z");
        assert_eq!(plus("2024-02-28T23:59:30Z", 60), "2024-02-29T00:00:30Z");
        assert_eq!(plus("2024-12-31T00:00:00Z", 0), "2024-12-31T00:00:00Z");
        assert_eq!(plus("2026-01-01T00:00:00Z", -1), "2025-12-31T23:59:59Z");
        assert_eq!(plus("9999-12-31T23:59:59Z", 1), "");
        assert_eq!(plus("0000-01-01T00:00:00Z", -1), "");
        assert_eq!(plus("2026-01-01T00:00:00Z", i64::MAX), "");
    }

    #[test]
    fn the_operator_labels_minutes_without_leading_zeros_in_the_date() {
        let label = |text: &str| Timestamp::parse(text).map(|it| it.minute_label());
        assert_eq!(label("2026-01-02T03:04:05Z"), Ok("2026-1-2.0304".to_string()));
        assert_eq!(label("2026-11-12T13:14:15+02:00"), Ok("2026-11-12.1314".to_string()));
    }
}
