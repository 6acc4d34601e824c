//! Numbers as Go prints them: `encoding/json` for JSON, `strconv` format `g` for YAML.

/// The shortest decimal digits that read back as the same 64-bit float, and where the point stands.
struct Decimal {
    negative: bool,
    /// ASCII digits without leading or trailing zeros; `0` for zero.
    digits: String,
    /// The power of ten of the first digit: 0 for `1.5`, 3 for `1500`, -2 for `0.015`.
    exponent: i32,
}

impl Decimal {
    fn of(value: f64) -> Self {
        let text = format!("{:e}", value.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        Self {
            negative: value.is_sign_negative(),
            digits: mantissa.replace('.', ""),
            exponent: exponent.parse().unwrap_or_default(),
        }
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// `-1234.5`, `0.00012`, `12000`.
    fn fixed(&self) -> String {
        let (sign, digits) = (self.sign(), &self.digits);
        match usize::try_from(self.exponent) {
            Err(_) => {
                let zeros = "0".repeat(self.exponent.unsigned_abs() as usize - 1);
                format!("{sign}0.{zeros}{digits}")
            }
            Ok(power) if power + 1 >= digits.len() => {
                format!("{sign}{digits}{}", "0".repeat(power + 1 - digits.len()))
            }
            Ok(power) => {
                let (whole, fraction) = digits.split_at(power + 1);
                format!("{sign}{whole}.{fraction}")
            }
        }
    }

    /// `1.2345e+06`: a sign and at least `width` digits of exponent.
    fn scientific(&self, width: usize) -> String {
        let (first, rest) = self.digits.split_at(1.min(self.digits.len()));
        let point = if rest.is_empty() { "" } else { "." };
        let direction = if self.exponent < 0 { '-' } else { '+' };
        let power = self.exponent.unsigned_abs();
        format!("{}{first}{point}{rest}e{direction}{power:0width$}", self.sign())
    }
}

/// A number as opm's JSON has it: read into a 64-bit float and printed by Go's `encoding/json` (fixed between 1e-6
/// and 1e21, scientific beyond). A text that is no finite number stays what it is.
pub(in crate::catalog) fn json_number(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let decimal = Decimal::of(value);
            let size = value.abs();
            if size != 0.0 && !(1e-6..1e21).contains(&size) {
                decimal.scientific(if size < 1.0 { 1 } else { 2 })
            } else {
                decimal.fixed()
            }
        }
        _ => text.to_owned(),
    }
}

/// A JSON number as go-yaml writes it: 64-bit integers digit by digit, everything else in Go's format `g`, which is
/// scientific below 1e-4 and from 1e+06 on.
pub(super) fn yaml_number(text: &str) -> String {
    if let Ok(integer) = text.parse::<i64>() {
        return integer.to_string();
    }
    if let Ok(integer) = text.parse::<u64>() {
        return integer.to_string();
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            let decimal = Decimal::of(value);
            if decimal.exponent < -4 || decimal.exponent >= SHORTEST_PRECISION {
                decimal.scientific(2)
            } else {
                decimal.fixed()
            }
        }
        _ => text.to_owned(),
    }
}

/// The precision Go's format `g` assumes when asked for the shortest digits (`strconv/ftoa.go`).
const SHORTEST_PRECISION: i32 = 6;
