//! Timestamps and durations as Go has them: parsing and getters.
//!
//! Source: cel-go `common/types/timestamp.go` and `duration.go`, Go `time`. Only offsets are known here, not
//! names of time zones.

use std::cmp::Ordering;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// Range of valid seconds in cel-go, since 1970: the years 1 to 9999.
const SECONDS: std::ops::RangeInclusive<i128> = -62_135_596_800..=253_402_300_799;
/// Maximum offset from UTC in minutes; real offsets are at most 14 hours.
const MAX_OFFSET: i64 = 1_000_000;

/// A point in time, with its written offset from UTC.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    /// Nanoseconds since 1970.
    nanos: i128,
    /// Minutes east of UTC.
    offset: i64,
}

/// Two instants are equal if they are the same moment, in any zone.
impl PartialEq for Instant {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

/// A time zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Zone {
    /// Offset in minutes east of UTC.
    Offset(i64),
    /// A name, which Go looks up on the machine and olmap does not know.
    Named,
    /// A text that Go refuses.
    Bad,
}

impl Zone {
    /// Parses a zone like cel-go: an offset with a colon, or a name.
    pub(super) fn parse(text: &str) -> Self {
        let Some((hours, minutes)) = text.split_once(':') else {
            return match text {
                "" | "UTC" => Self::Offset(0),
                _ if text.starts_with(['/', '\\']) || text.contains("..") => Self::Bad,
                _ => Self::Named,
            };
        };
        let number = |text: &str| text.parse::<i64>().ok().filter(|n| n.abs() <= MAX_OFFSET / 100);
        match (number(hours), number(minutes)) {
            (Some(hours), Some(minutes)) if text.starts_with('-') => Self::Offset(hours * 60 - minutes),
            (Some(hours), Some(minutes)) => Self::Offset(hours * 60 + minutes),
            _ => Self::Bad,
        }
    }
}

/// A date and a time of day.
struct Civil {
    year: i128,
    /// From 1 to 12.
    month: i128,
    /// From 1 to 31.
    day: i128,
    /// From 0 to 365.
    day_of_year: i128,
    /// Sunday is 0.
    weekday: i128,
    /// Nanoseconds since midnight.
    clock: i128,
}

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the days since 1970 in the proleptic Gregorian calendar, with years that begin in March.
fn days_since_epoch(year: i128, month: i128, day: i128) -> i128 {
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    y.div_euclid(400) * 146_097 + y.rem_euclid(400) * 365 + y.rem_euclid(400) / 4 - y.rem_euclid(400) / 100
        + (153 * m + 2) / 5
        + day
        - 1
        - 719_468
}

impl Instant {
    /// Creates an instant from seconds since 1970, in UTC. `None` if cel-go refuses it.
    pub(super) fn from_seconds(seconds: i64) -> Option<Self> {
        Self { nanos: i128::from(seconds) * SECOND, offset: 0 }.in_range()
    }

    /// Adds nanoseconds, which may be negative.
    pub(super) fn checked_add(self, by: i128) -> Option<Self> {
        Self { nanos: self.nanos.checked_add(by)?, ..self }.in_range()
    }

    fn in_range(self) -> Option<Self> {
        SECONDS.contains(&self.seconds()).then_some(self)
    }

    /// Returns the seconds since 1970.
    pub(super) fn seconds(self) -> i128 {
        self.nanos.div_euclid(SECOND)
    }

    /// Returns the nanoseconds from another instant to this one.
    pub(super) fn since(self, other: Self) -> i128 {
        self.nanos - other.nanos
    }

    /// Compares two instants.
    pub(super) fn compare(self, other: Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }

    /// Returns the same moment in another zone.
    pub(super) fn at_offset(self, offset: i64) -> Self {
        Self { offset, ..self }
    }

    fn to_civil(self) -> Civil {
        let local = self.nanos + i128::from(self.offset) * 60 * SECOND;
        let (day, clock) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        // The calculation uses eras of 400 years that begin on the first of March.
        let from = day + 719_468;
        let (era, of_era) = (from.div_euclid(146_097), from.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + i128::from(month <= 2);
        Civil {
            year,
            month,
            day: of_year - (153 * shifted + 2) / 5 + 1,
            day_of_year: day - days_since_epoch(year, 1, 1),
            weekday: (day + 4).rem_euclid(7),
            clock,
        }
    }

    /// Returns the value of a getter; `None` for an unknown getter.
    pub(super) fn getter_value(self, getter: &str) -> Option<i64> {
        let civil = self.to_civil();
        let seconds = civil.clock / SECOND;
        let found = match getter {
            "getFullYear" => civil.year,
            "getMonth" => civil.month - 1,
            "getDayOfYear" => civil.day_of_year,
            "getDayOfMonth" => civil.day - 1,
            "getDate" => civil.day,
            "getDayOfWeek" => civil.weekday,
            "getHours" => seconds / 3600,
            "getMinutes" => seconds / 60 % 60,
            "getSeconds" => seconds % 60,
            "getMilliseconds" => civil.clock % SECOND / 1_000_000,
            _ => return None,
        };
        i64::try_from(found).ok()
    }

    /// Formats the instant like RFC 3339 with the fewest digits, in its written zone.
    pub(super) fn to_rfc3339(self) -> String {
        let civil = self.to_civil();
        let seconds = civil.clock / SECOND;
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let fraction = match civil.clock % SECOND {
            0 => String::new(),
            nanos => format!(".{nanos:09}").trim_end_matches('0').to_owned(),
        };
        let zone = match self.offset {
            0 => "Z".to_owned(),
            offset => {
                let sign = if offset < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
            }
        };
        let Civil { year, month, day, .. } = civil;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}")
    }

    /// Parses RFC 3339 like Go.
    pub(super) fn parse_rfc3339(text: &str) -> Option<Self> {
        let number = |text: &str, digits: usize| -> Option<i128> {
            (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
        };
        let (date, time) = text.split_once('T')?;
        let mut date = date.split('-');
        let (year, month, day) =
            (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
        let last = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 => 28 + i128::from(is_leap(year)),
            _ => return None,
        };
        if date.next().is_some() || !(1..=last).contains(&day) {
            return None;
        }
        let (clock, offset) = if let Some(clock) = time.strip_suffix('Z') {
            (clock, 0)
        } else {
            let (clock, offset) = time.split_at(time.rfind(['+', '-'])?);
            let (sign, offset) = offset.split_at(1);
            let (hours, minutes) = offset.split_once(':')?;
            let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
            if hours > 24 || minutes > 60 {
                return None;
            }
            (clock, if sign == "-" { -(hours * 60 + minutes) } else { hours * 60 + minutes })
        };
        let (clock, fraction) = clock.split_once(['.', ',']).unwrap_or((clock, "0"));
        let mut clock = clock.split(':');
        let (hour, minute, second) =
            (number(clock.next()?, 2)?, number(clock.next()?, 2)?, number(clock.next()?, 2)?);
        if clock.next().is_some() || hour > 23 || minute > 59 || second > 59 || fraction.is_empty() {
            return None;
        }
        if !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let nanos = number(format!("{fraction:0<9}").get(..9)?, 9)?;
        let seconds =
            days_since_epoch(year, month, day) * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
        Self { nanos: seconds * SECOND + nanos, offset: i64::try_from(offset).ok()? }.in_range()
    }
}

/// Parses a duration in Go's format, such as `1h30m` or `-1.5s`. Returns nanoseconds.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut nanos = 0i128;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let scale = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1000,
            "ms" => 1_000_000,
            "s" => SECOND,
            "m" => 60 * SECOND,
            "h" => 3600 * SECOND,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
            return None;
        }
        let whole = if whole.is_empty() { 0 } else { whole.parse::<i128>().ok()? };
        nanos = nanos.checked_add(whole.checked_mul(scale)?)?;
        // Thirteen digits are enough for a nanosecond as a fraction of an hour.
        let fraction: String = fraction.chars().take(16).collect();
        if !fraction.is_empty() {
            let tens = 10i128.pow(u32::try_from(fraction.len()).ok()?);
            nanos += fraction.parse::<i128>().ok()? * scale / tens;
        }
        rest = after;
    }
    i64::try_from(if negative { -nanos } else { nanos }).ok()
}

/// Formats a duration in seconds, like cel-go.
pub(super) fn format_duration(nanos: i64) -> String {
    let seconds = (nanos / 1_000_000_000) as f64 + (nanos % 1_000_000_000) as f64 / 1e9;
    format!("{seconds}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_times_like_go() {
        let read = |text: &str| Instant::parse_rfc3339(text).map(|at| (at.nanos, at.offset));
        assert_eq!(read("1970-01-01T00:00:00Z"), Some((0, 0)));
        assert_eq!(read("2024-02-29T12:00:00.5+02:00"), Some((1_709_200_800_500_000_000, 120)));
        for bad in [
            "2024-02-29",
            "2023-02-29T00:00:00Z",
            "2024-02-29t00:00:00Z",
            "2024-02-29T00:00:00z",
            "2024-02-29T24:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-02-29T00:00:00.Z",
            "0000-01-01T00:00:00Z",
            "2024-02-29T00:00:00+25:00",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
        for text in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2024-02-29T12:00:00.5-02:30"]
        {
            assert_eq!(Instant::parse_rfc3339(text).unwrap().to_rfc3339(), text);
        }
    }

    #[test]
    fn getters_return_fields_like_cel() {
        let at = Instant::parse_rfc3339("2024-02-29T12:34:56.789Z").unwrap();
        let fields = ["getFullYear", "getMonth", "getDayOfYear", "getDayOfMonth", "getDate", "getDayOfWeek"];
        assert_eq!(fields.map(|field| at.getter_value(field).unwrap()), [2024, 1, 59, 28, 29, 4]);
        let fields = ["getHours", "getMinutes", "getSeconds", "getMilliseconds"];
        assert_eq!(fields.map(|field| at.getter_value(field).unwrap()), [12, 34, 56, 789]);
        assert_eq!(at.at_offset(-780).getter_value("getDate"), Some(28));
        assert_eq!(at.getter_value("getNothing"), None);
        let first = Instant::parse_rfc3339("0001-01-01T00:00:00Z").unwrap();
        assert_eq!(["getDayOfYear", "getDayOfWeek"].map(|field| first.getter_value(field).unwrap()), [0, 1]);
        assert!(first.checked_add(-1).is_none() && first.checked_add(1).is_some());
    }

    #[test]
    fn parses_zones_as_offsets_or_names() {
        assert_eq!(["", "UTC", "02:00", "-05:30", "+1:15"].map(Zone::parse), {
            [0, 0, 120, -330, 75].map(Zone::Offset)
        });
        assert_eq!(["Europe/Berlin", "Local"].map(Zone::parse), [Zone::Named; 2]);
        assert_eq!(["a:b", ":", "../etc", "/etc"].map(Zone::parse), [Zone::Bad; 4]);
    }

    #[test]
    fn parses_durations_to_the_nanosecond() {
        let read = [
            ("1h30m", Some(5_400_000_000_000)),
            ("-1.5s", Some(-1_500_000_000)),
            ("1", None),
            ("0", Some(0)),
            ("", None),
            (".s", None),
            ("1..5s", None),
            (".5us", Some(500)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("9223372036854775808ns", None),
            ("2562048h", None),
            ("0.0000000001h", Some(360)),
        ];
        for (text, nanos) in read {
            assert_eq!(parse_duration(text), nanos, "{text}");
        }
        assert_eq!([1, 1_500_000_000, 60_000_000_000].map(format_duration), ["0.000000001s", "1.5s", "60s"]);
    }
}
