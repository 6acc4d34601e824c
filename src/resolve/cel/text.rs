//! Values made of texts and texts made of values: conversions, times, versions.

use super::{
    eval::{Fault, Given, NO_OVERLOAD},
    value::Value,
};
use crate::version::Version;

const BAD: Fault = Fault::Failed("type conversion error");
const RANGE: Fault = Fault::Failed("integer overflow");
const SECOND: i128 = 1_000_000_000;

/// A value as another type.
pub(super) fn converted(to: &str, of: &Value) -> Given {
    match (to, of) {
        ("bool", Value::Bool(_))
        | ("bytes", Value::Bytes(_))
        | ("double", Value::Double(_))
        | ("duration", Value::Duration(_))
        | ("int", Value::Int(_))
        | ("string", Value::String(_))
        | ("timestamp", Value::Timestamp(_))
        | ("uint", Value::Uint(_)) => Ok(of.clone()),
        ("bool", Value::String(text)) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(Value::Bool(false)),
            _ => Err(BAD),
        },
        ("bytes", Value::String(text)) => Ok(Value::Bytes(text.as_bytes().into())),
        ("double", Value::Int(n)) => Ok(Value::Double(*n as f64)),
        ("double", Value::Uint(n)) => Ok(Value::Double(*n as f64)),
        ("double", Value::String(text)) => text.parse().map(Value::Double).map_err(|_| BAD),
        ("int", Value::Uint(n)) => i64::try_from(*n).map(Value::Int).map_err(|_| RANGE),
        ("int", Value::Double(n)) if n.is_finite() && n.abs() < 9.223_372_036_854_775e18 => {
            Ok(Value::Int(n.trunc() as i64))
        }
        ("int", Value::String(text)) => text.parse().map(Value::Int).map_err(|_| BAD),
        ("int", Value::Timestamp(nanos)) => {
            i64::try_from(nanos.div_euclid(SECOND)).map(Value::Int).map_err(|_| RANGE)
        }
        ("int", Value::Duration(nanos)) => Ok(Value::Int(*nanos)),
        ("uint", Value::Int(n)) => u64::try_from(*n).map(Value::Uint).map_err(|_| RANGE),
        ("uint", Value::Double(n)) if *n > -1.0 && *n < 1.844_674_407_370_955e19 => {
            Ok(Value::Uint(n.trunc() as u64))
        }
        ("uint", Value::String(text)) => text.parse().map(Value::Uint).map_err(|_| BAD),
        ("int" | "uint", Value::Double(_)) => Err(RANGE),
        ("string", Value::Bool(value)) => Ok(value.to_string().as_str().into()),
        ("string", Value::Bytes(bytes)) => std::str::from_utf8(bytes).map(Value::from).map_err(|_| BAD),
        ("string", Value::Double(n)) => Ok(shortest(*n, 6).as_str().into()),
        ("string", Value::Int(n)) => Ok(n.to_string().as_str().into()),
        ("string", Value::Uint(n)) => Ok(n.to_string().as_str().into()),
        ("string", Value::Duration(nanos)) => {
            Ok(format!("{}s", shortest(*nanos as f64 / 1e9, 21)).as_str().into())
        }
        ("duration", Value::Int(n)) => Ok(Value::Duration(*n)),
        ("duration", Value::String(text)) => duration(text).map(Value::Duration).ok_or(BAD),
        ("timestamp", Value::Int(n)) => Ok(Value::Timestamp(i128::from(*n) * SECOND)),
        ("timestamp", Value::String(text)) => timestamp(text).map(Value::Timestamp).ok_or(BAD),
        _ => Err(NO_OVERLOAD),
    }
}

/// A number as Go writes it in the fewest digits, with an exponent below 1e-4 and from 10 to the power of `large` on: 6 for
/// `strconv.FormatFloat(n, 'g', -1, 64)`, 21 for `fmt.Sprint`.
fn shortest(n: f64, large: i32) -> String {
    if n.is_nan() {
        return "NaN".to_owned();
    }
    if n.is_infinite() {
        return if n > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let text = format!("{n:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if n != 0.0 && (exponent < -4 || exponent >= large) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    n.to_string()
}

/// The order of two versions as `semver_compare` finds it: both are written out and read tolerantly.
pub(super) fn semver_compare(a: &Value, b: &Value) -> Given {
    let read = |of: &Value| {
        let text = match of {
            Value::String(text) => text.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Uint(n) => n.to_string(),
            Value::Double(n) => shortest(*n, 21),
            _ => return None,
        };
        Version::parse_tolerant(&text).ok()
    };
    let (a, b) = read(a).zip(read(b)).ok_or(Fault::Failed("not a version"))?;
    Ok(Value::Int(a.cmp_precedence(&b) as i64))
}

/// A span of time as Go writes it: `1h30m`, `-1.5s`.
fn duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut nanos = 0f64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let scale = match unit {
            "ns" => 1.0,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 60e9,
            "h" => 3600e9,
            _ => return None,
        };
        nanos += number.parse::<f64>().ok()? * scale;
        rest = after;
    }
    let nanos = if negative { -nanos } else { nanos };
    (nanos.abs() < 9.2e18).then_some(nanos.round() as i64)
}

/// A point in time as RFC 3339 writes it, in nanoseconds since 1970.
fn timestamp(text: &str) -> Option<i128> {
    let (date, time) = text.split_once(['T', 't'])?;
    let number = |text: &str, digits: usize| -> Option<i64> {
        (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let mut date = date.split('-');
    let (year, month, day) = (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
    if date.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (clock, offset) = if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        (clock, 0)
    } else {
        let (clock, offset) = time.split_at(time.rfind(['+', '-'])?);
        let (sign, offset) = offset.split_at(1);
        let (hours, minutes) = offset.split_once(':')?;
        let minutes = number(hours, 2)? * 60 + number(minutes, 2)?;
        (clock, if sign == "-" { -minutes } else { minutes })
    };
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut clock = clock.split(':');
    let (hour, minute, second) =
        (number(clock.next()?, 2)?, number(clock.next()?, 2)?, number(clock.next()?, 2)?);
    if clock.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let fraction = format!("{fraction:0<9}");
    let nanos = number(fraction.get(..9)?, 9)?;
    // Days since 1970 in the proleptic Gregorian calendar, with years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = y.div_euclid(400) * 146_097 + y.rem_euclid(400) * 365 + y.rem_euclid(400) / 4
        - y.rem_euclid(400) / 100
        + (153 * m + 2) / 5
        + day
        - 1
        - 719_468;
    let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    Some(i128::from(seconds) * SECOND + i128::from(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_go_writes_them() {
        for (n, short) in [(4.0, "4"), (4.1, "4.1"), (1e6, "1e+06"), (123_456.0, "123456"), (1e-5, "1e-05")] {
            assert_eq!(shortest(n, 6), short);
        }
        assert_eq!(shortest(1_234_567.0, 6), "1.234567e+06");
        assert_eq!(shortest(1e6, 21), "1000000");
    }

    #[test]
    fn times_are_read_as_rfc_3339_and_go_write_them() {
        assert_eq!(timestamp("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(timestamp("2024-02-29T12:00:00.5+02:00"), Some(1_709_200_800_500_000_000));
        assert_eq!(timestamp("2024-02-29"), None);
        assert_eq!(duration("1h30m"), Some(5_400_000_000_000));
        assert_eq!(duration("-1.5s"), Some(-1_500_000_000));
        assert_eq!(duration("1"), None);
    }
}
