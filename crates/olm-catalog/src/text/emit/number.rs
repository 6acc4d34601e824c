//! Numbers as Go prints them: `encoding/json` for JSON, `strconv` format `g` for YAML.

use crate::node::Number;

/// Formats a number as in opm's JSON: rounded to a 64-bit float and printed by Go's `encoding/json`. Text that
/// is not a finite number is unchanged.
pub(crate) fn format_json_number(text: &str) -> String {
    let number = text.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| text.to_owned(), |number| number.0.into_owned())
}

/// Formats a JSON number as go-yaml does. 64-bit integers keep all digits. Other numbers use Go's format `g`
/// with the fewest digits, which is scientific below 1e-04 and from 1e+06 on.
pub fn format_yaml_number(text: &str) -> String {
    if let Ok(integer) = text.parse::<i64>() {
        return integer.to_string();
    }
    if let Ok(integer) = text.parse::<u64>() {
        return integer.to_string();
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => format_general(value),
        _ => text.to_owned(),
    }
}

fn format_general(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-4..6).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
        _ => value.to_string(),
    }
}
