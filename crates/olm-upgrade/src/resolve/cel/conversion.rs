//! Conversions between values and texts: numbers, times and versions.

use super::{
    eval::{EvalError, Evaluated, NO_OVERLOAD},
    time::{self, Instant},
    value::Value,
};
use olm_version::Version;

const BAD: EvalError = EvalError::Failed("type conversion error");
const RANGE: EvalError = EvalError::Failed("integer overflow");

/// Converts a value to another type.
pub(super) fn convert_value(to: &str, of: &Value) -> Evaluated {
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
        ("int", Value::Timestamp(at)) => i64::try_from(at.seconds()).map(Value::Int).map_err(|_| RANGE),
        ("int", Value::Duration(nanos)) => Ok(Value::Int(*nanos)),
        ("uint", Value::Int(n)) => u64::try_from(*n).map(Value::Uint).map_err(|_| RANGE),
        ("uint", Value::Double(n)) if *n > -1.0 && *n < 1.844_674_407_370_955e19 => {
            Ok(Value::Uint(n.trunc() as u64))
        }
        ("uint", Value::String(text)) => text.parse().map(Value::Uint).map_err(|_| BAD),
        ("int" | "uint", Value::Double(_)) => Err(RANGE),
        ("string", Value::Bool(value)) => Ok(value.to_string().as_str().into()),
        ("string", Value::Bytes(bytes)) => std::str::from_utf8(bytes).map(Value::from).map_err(|_| BAD),
        ("string", Value::Double(n)) => Ok(format_shortest(*n, 6).as_str().into()),
        ("string", Value::Int(n)) => Ok(n.to_string().as_str().into()),
        ("string", Value::Uint(n)) => Ok(n.to_string().as_str().into()),
        ("string", Value::Duration(nanos)) => Ok(time::format_duration(*nanos).as_str().into()),
        ("string", Value::Timestamp(at)) => Ok(at.to_rfc3339().as_str().into()),
        ("duration", Value::Int(n)) => Ok(Value::Duration(*n)),
        ("duration", Value::String(text)) => time::parse_duration(text).map(Value::Duration).ok_or(BAD),
        ("timestamp", Value::Int(n)) => Instant::from_seconds(*n).map(Value::Timestamp).ok_or(RANGE),
        ("timestamp", Value::String(text)) => Instant::parse_rfc3339(text).map(Value::Timestamp).ok_or(BAD),
        _ => Err(NO_OVERLOAD),
    }
}

/// Formats a number like Go with the fewest digits. Uses an exponent below 1e-4 and from 10 to the power of
/// `large` on. `large` is 6 for `strconv.FormatFloat(n, 'g', -1, 64)` and 21 for `fmt.Sprint`.
fn format_shortest(n: f64, large: i32) -> String {
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

/// Compares two versions like `semver_compare`: as texts, parsed tolerantly.
pub(super) fn semver_compare(a: &Value, b: &Value) -> Evaluated {
    let read = |of: &Value| {
        let text = match of {
            Value::String(text) => text.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Uint(n) => n.to_string(),
            Value::Double(n) => format_shortest(*n, 21),
            _ => return None,
        };
        Version::parse_tolerant(&text).ok()
    };
    let (a, b) = read(a).zip(read(b)).ok_or(EvalError::Failed("not a version"))?;
    Ok(Value::Int(a.cmp_precedence(&b) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_like_go() {
        for (n, short) in [(4.0, "4"), (4.1, "4.1"), (1e6, "1e+06"), (123_456.0, "123456"), (1e-5, "1e-05")] {
            assert_eq!(format_shortest(n, 6), short);
        }
        assert_eq!(format_shortest(1_234_567.0, 6), "1.234567e+06");
        assert_eq!(format_shortest(1e6, 21), "1000000");
    }
}
