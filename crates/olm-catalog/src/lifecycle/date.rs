//! Calendar dates.

use std::fmt;

/// A day, as in lifecycle blobs. Days are only compared, so no arithmetic is provided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

/// Error of a text that is not a date.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} is not a date: write YYYY-MM-DD, such as 2026-06-30")]
pub struct DateError(String);

impl Date {
    /// Last supported date, for times beyond it.
    pub const LAST: Self = Self { year: 9999, month: 12, day: 31 };

    /// Parses `YYYY-MM-DD`, optionally followed by a time of day (`2026-06-30T00:00:00Z`).
    ///
    /// # Errors
    ///
    /// If the text is not a date of the calendar.
    pub fn parse(text: &str) -> Result<Self, DateError> {
        Self::parse_day(text).ok_or_else(|| DateError(text.to_owned()))
    }

    fn parse_day(text: &str) -> Option<Self> {
        let text = text.trim();
        let day = text.split_once(['T', 't']).map_or(text, |(day, _)| day);
        let mut parts = day.split('-');
        let mut next = |digits: usize| {
            let part = parts.next()?;
            let is_number = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| part.parse::<u16>().ok()).flatten()
        };
        let (year, month, day) = (next(4)?, u8::try_from(next(2)?).ok()?, u8::try_from(next(2)?).ok()?);
        if parts.next().is_some() || day == 0 || day > days_in_month(year, month)? {
            return None;
        }
        Some(Self { year, month, day })
    }

    /// Returns the day (UTC) of a time in seconds since 1970; the last day of 9999 for later times.
    pub fn from_unix_time(seconds: u64) -> Self {
        const LAST: Date = Date { year: 9999, month: 12, day: 31 };
        let mut left = seconds / 86_400;
        for year in 1970..=LAST.year {
            let in_year = if is_leap(year) { 366 } else { 365 };
            if left >= in_year {
                left -= in_year;
                continue;
            }
            for month in 1..=12 {
                let in_month = u64::from(days_in_month(year, month).unwrap_or(31));
                if left < in_month {
                    let day = u8::try_from(left + 1).unwrap_or(1);
                    return Self { year, month, day };
                }
                left -= in_month;
            }
        }
        LAST
    }
}

/// Returns the number of days of a month; `None` if the month does not exist.
fn days_in_month(year: u16, month: u8) -> Option<u8> {
    match month {
        2 if is_leap(year) => Some(29),
        2 => Some(28),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn accepts_only_days_of_calendar() {
        for good in ["2026-06-30", "2024-02-29", "2000-02-29", "9999-12-31"] {
            assert_eq!(Date::parse(good).unwrap().to_string(), good);
        }
        assert_eq!(Date::parse(" 2026-06-30T23:59:59Z ").unwrap().to_string(), "2026-06-30");
        for bad in
            ["", "2026", "2026-6-30", "2026-02-29", "1900-02-29", "2026-13-01", "2026-06-31", "2026-00-01"]
        {
            assert!(Date::parse(bad).is_err(), "{bad}");
        }
        for bad in ["2026-06-00", "2026-06-30-1", "+026-06-30", "30.06.2026", "２０２６-06-30", "T"] {
            assert!(Date::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn converts_seconds_since_1970() {
        // From `date -u -d DAY +%s`.
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_782_777_600, "2026-06-30"),
            (1_798_761_599, "2026-12-31"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(Date::from_unix_time(seconds).to_string(), day, "{seconds}");
        }
    }

    proptest! {
        #[test]
        fn each_day_follows_previous_day(day in 0..80_000_u64) {
            let (today, tomorrow) = (Date::from_unix_time(day * 86_400), Date::from_unix_time((day + 1) * 86_400));
            prop_assert!(today < tomorrow);
            prop_assert_eq!(Date::parse(&today.to_string()).unwrap(), today);
        }

        #[test]
        fn formatted_date_parses_back(text in "[0-9T:Z-]{0,14}|.{0,12}") {
            if let Ok(date) = Date::parse(&text) {
                prop_assert_eq!(Date::parse(&date.to_string()), Ok(date));
            }
        }
    }
}
