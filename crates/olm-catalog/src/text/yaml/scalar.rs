//! Resolution of YAML 1.1 scalars by go-yaml, and so by opm.

use std::borrow::Cow;

use base64::{Engine, alphabet, engine};

use crate::{
    node::{Number, Value},
    text::{json::decode_lossy, yaml::ReadErrorKind},
};

const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// A resolved scalar that may not have a JSON form.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    /// A whole number that fits only into an unsigned 64-bit integer.
    Big(u64),
    Float(f64),
    Text(Cow<'a, str>),
}

impl<'a> Scalar<'a> {
    /// Converts the scalar to a JSON value. Whole numbers keep every digit; others are rounded to a 64-bit
    /// float.
    pub(super) fn into_value(self) -> Result<Value<'a>, ReadErrorKind> {
        let number = match self {
            Self::Null => return Ok(Value::Null),
            Self::Bool(b) => return Ok(Value::Bool(b)),
            Self::Text(text) => return Ok(Value::String(text)),
            Self::Int(n) => return Ok(Value::Number(Number(n.to_string().into()))),
            Self::Big(n) => return Ok(Value::Number(Number(n.to_string().into()))),
            Self::Float(n) => n,
        };
        Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| ReadErrorKind::NotFinite(format_special_float(number).to_owned()))
    }

    /// Converts the scalar to a key of a JSON object.
    pub(super) fn into_key(self) -> Result<Cow<'a, str>, ReadErrorKind> {
        Ok(match self {
            Self::Text(text) => text,
            Self::Bool(b) => b.to_string().into(),
            Self::Int(n) => n.to_string().into(),
            Self::Float(n) => format_float_key(n as f32).into(),
            Self::Null | Self::Big(_) => return Err(ReadErrorKind::BadKey),
        })
    }
}

fn format_special_float(n: f64) -> &'static str {
    match (n.is_nan(), n > 0.0) {
        (true, _) => ".nan",
        (false, true) => ".inf",
        (false, false) => "-.inf",
    }
}

/// Formats a float as a key: the shortest digits of a 32-bit float, with an exponent below 1e-4 and from 1e6
/// on.
fn format_float_key(n: f32) -> String {
    if !n.is_finite() {
        return format_special_float(f64::from(n)).to_owned();
    }
    let size = n.abs();
    if size == 0.0 || (1e-4..1e6).contains(&size) {
        return n.to_string();
    }
    let text = format!("{n:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |e| ('-', e));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// Resolves a scalar. `plain` is true unless quotes, block style or a tag make it a string.
pub(super) fn resolve_scalar<'a>(
    tag: Option<&str>,
    plain: bool,
    text: Cow<'a, str>,
) -> Result<Scalar<'a>, ReadErrorKind> {
    let Some(tag) = tag.filter(|tag| !tag.is_empty()) else {
        if !plain {
            return Ok(Scalar::Text(text));
        }
        return Ok(guess_type(&text).unwrap_or(Scalar::Text(text)));
    };
    match tag.strip_prefix(TAG_PREFIX) {
        Some("binary") => decode_binary(&text),
        Some(kind @ ("bool" | "int" | "float" | "null" | "timestamp")) => resolve_tagged(kind, text),
        _ => Ok(Scalar::Text(text)),
    }
}

/// Resolves a scalar whose tag names its type.
fn resolve_tagged<'a>(kind: &str, text: Cow<'a, str>) -> Result<Scalar<'a>, ReadErrorKind> {
    let scalar = guess_type(&text);
    match (kind, scalar) {
        ("null", Some(scalar @ Scalar::Null))
        | ("bool", Some(scalar @ Scalar::Bool(_)))
        | ("int", Some(scalar @ (Scalar::Int(_) | Scalar::Big(_))))
        | ("float", Some(scalar @ Scalar::Float(_))) => Ok(scalar),
        ("float", Some(Scalar::Int(n))) => Ok(Scalar::Float(n as f64)),
        ("timestamp", None) if is_timestamp(&text) => Ok(Scalar::Text(text)),
        _ => Err(ReadErrorKind::TagMismatch { tag: format!("!!{kind}"), value: text.into_owned() }),
    }
}

fn decode_binary(text: &str) -> Result<Scalar<'static>, ReadErrorKind> {
    const LENIENT: engine::GeneralPurposeConfig =
        engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    let packed: String = text.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
    let bytes = engine::GeneralPurpose::new(&alphabet::STANDARD, LENIENT)
        .decode(packed)
        .map_err(|_| ReadErrorKind::BadBase64)?;
    Ok(Scalar::Text(decode_lossy(&bytes).into()))
}

/// Resolves an untagged plain scalar.
pub(super) fn resolve_plain(text: Cow<'_, str>) -> Result<Value<'_>, ReadErrorKind> {
    if is_written_out(&text) {
        return Ok(Value::Number(Number(text)));
    }
    guess_type(&text).unwrap_or(Scalar::Text(text)).into_value()
}

/// Returns true if a number already has its output form: no sign, prefix or leading zeros, and short enough
/// that a 64-bit float is exact.
fn is_written_out(text: &str) -> bool {
    let is_short = (1..=15).contains(&text.len());
    is_short && text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
}

/// Resolves an untagged plain scalar; `None` if it is a string.
pub(super) fn guess_type(text: &str) -> Option<Scalar<'static>> {
    let first = match text.as_bytes() {
        [] => return Some(Scalar::Null),
        [first, ..] => first,
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => parse_word(text),
        b'.' => parse_special(text).or_else(|| parse_dotted(text)),
        b'+' | b'-' | b'0'..=b'9' => parse_special(text).or_else(|| parse_number(text)),
        _ => None,
    }
}

fn parse_word(text: &str) -> Option<Scalar<'static>> {
    Some(match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => Scalar::Null,
        _ => return None,
    })
}

fn parse_special(text: &str) -> Option<Scalar<'static>> {
    Some(Scalar::Float(match text {
        ".nan" | ".NaN" | ".NAN" => f64::NAN,
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => f64::INFINITY,
        "-.inf" | "-.Inf" | "-.INF" => f64::NEG_INFINITY,
        _ => return None,
    }))
}

/// Parses a number that begins with a point; underscores are allowed only between digits.
fn parse_dotted(text: &str) -> Option<Scalar<'static>> {
    let bytes = text.as_bytes();
    let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
    let between = |i: usize| digit(i.checked_sub(1)) && digit(Some(i + 1));
    if bytes.iter().enumerate().any(|(i, b)| *b == b'_' && !between(i)) {
        return None;
    }
    parse_float(&text.replace('_', ""))
}

/// Parses a number that begins with a sign or digit; underscores are allowed anywhere.
fn parse_number(text: &str) -> Option<Scalar<'static>> {
    let stripped;
    let text = if text.contains('_') {
        stripped = text.replace('_', "");
        stripped.as_str()
    } else {
        text
    };
    parse_integer(text).or_else(|| parse_float(text)).or_else(|| parse_odd_binary(text))
}

/// Parses `0b-1`: the sign may also follow the prefix of a binary number.
fn parse_odd_binary(text: &str) -> Option<Scalar<'static>> {
    let digits = text.strip_prefix("0b")?;
    let (negative, digits) = split_sign(digits);
    parse_in_base(negative, digits, 2)
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Parses Go's integer literals: `0x`, `0o`, `0b` and a leading zero select the base.
fn parse_integer(text: &str) -> Option<Scalar<'static>> {
    let (negative, rest) = split_sign(text);
    let (digits, base) = match rest.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&rest[2..], 16),
        [b'0', b'o' | b'O', ..] => (&rest[2..], 8),
        [b'0', b'b' | b'B', ..] => (&rest[2..], 2),
        [b'0', _, ..] => (&rest[1..], 8),
        _ => (rest, 10),
    };
    let signed = negative || rest.len() < text.len();
    match parse_in_base(negative, digits, base) {
        Some(Scalar::Big(_)) if signed => None,
        other => other,
    }
}

fn parse_in_base(negative: bool, digits: &str, base: u32) -> Option<Scalar<'static>> {
    if !digits.bytes().next()?.is_ascii_alphanumeric() {
        return None;
    }
    let size = u64::from_str_radix(digits, base).ok()?;
    if negative {
        return 0i64.checked_sub_unsigned(size).map(Scalar::Int);
    }
    Some(i64::try_from(size).map_or(Scalar::Big(size), Scalar::Int))
}

/// Parses `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?` within the range of a 64-bit float.
fn parse_float(text: &str) -> Option<Scalar<'static>> {
    let (_, rest) = split_sign(text);
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => (&rest[..at], Some(split_sign(&rest[at + 1..]).1)),
        None => (rest, None),
    };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let fits = digits(before)
        && digits(after)
        && !(before.is_empty() && after.is_empty())
        && exponent.is_none_or(|e| !e.is_empty() && digits(e));
    if !fits {
        return None;
    }
    text.parse().ok().filter(|n: &f64| n.is_finite()).map(Scalar::Float)
}

/// Returns true if go-yaml reads `text` as a date, with or without a time.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let mut rest = text;
    if rest.bytes().take_while(u8::is_ascii_digit).count() != 4 {
        return false;
    }
    rest = &rest[4..];
    let Some(year) = text.get(..4).and_then(|year| year.parse::<u32>().ok()) else { return false };
    let (Some(month), Some(day)) = (take_field(&mut rest, '-'), take_field(&mut rest, '-')) else {
        return false;
    };
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return false;
    }
    let zoned = match rest.chars().next() {
        None => return true,
        Some('T' | 't') => true,
        Some(' ') => false,
        Some(_) => return false,
    };
    // Any number of blanks matches a blank in Go's layout.
    rest = if zoned { &rest[1..] } else { rest.trim_start_matches(' ') };
    let (Some(hour), Some(minute), Some(second)) =
        (take_number(&mut rest), take_field(&mut rest, ':'), take_field(&mut rest, ':'))
    else {
        return false;
    };
    if hour > 23 || minute > 59 || second > 59 {
        return false;
    }
    skip_fraction(&mut rest);
    if zoned { is_zone(rest) } else { rest.is_empty() }
}

/// Reads a separator and the one or two digits after it.
fn take_field(rest: &mut &str, separator: char) -> Option<u32> {
    *rest = rest.strip_prefix(separator)?;
    take_number(rest)
}

fn take_number(rest: &mut &str) -> Option<u32> {
    let digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    *rest = &rest[digits..];
    Some(number)
}

fn skip_fraction(rest: &mut &str) {
    if let Some(after) = rest.strip_prefix(['.', ',']) {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            *rest = &after[digits..];
        }
    }
}

/// Returns true for `Z` or `+hh:mm`.
fn is_zone(text: &str) -> bool {
    let two =
        |b: &[u8], max: u8| b.iter().all(u8::is_ascii_digit) && (b[0] - b'0') * 10 + (b[1] - b'0') <= max;
    match text.as_bytes() {
        [b'Z'] => true,
        [b'+' | b'-', h @ .., b':', m1, m2] if h.len() == 2 => two(h, 24) && two(&[*m1, *m2], 60),
        _ => false,
    }
}

fn days_in_month(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain_value(text: &str) -> Value<'static> {
        resolve_scalar(None, true, text.to_owned().into()).and_then(Scalar::into_value).unwrap()
    }

    fn number_text(text: &str) -> String {
        match plain_value(text) {
            Value::Number(Number(n)) => n.into_owned(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn booleans_and_null_have_three_spellings_only() {
        for text in ["yes", "Yes", "YES", "y", "Y", "on", "True"] {
            assert_eq!(plain_value(text), Value::Bool(true), "{text}");
        }
        for text in ["no", "off", "N", "n", "FALSE"] {
            assert_eq!(plain_value(text), Value::Bool(false), "{text}");
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain_value(text), Value::Null, "{text:?}");
        }
        for text in ["tRue", "yEs", "nuLL", "=", "<<", "none", "yesterday"] {
            assert_eq!(plain_value(text), Value::String(text.to_owned().into()));
        }
    }

    #[test]
    fn integers_use_go_prefixes_and_keep_64_bits() {
        let cases = [
            ("0777", "511"),
            ("0o17", "15"),
            ("0O17", "15"),
            ("0x1F", "31"),
            ("0XfF", "255"),
            ("-0b11", "-3"),
            ("0b-1", "-1"),
            ("1_000", "1000"),
            ("0x_f", "15"),
            ("+7", "7"),
            ("-0", "0"),
            ("08", "8"),
            ("9007199254740993", "9007199254740993"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("100000000000000000000000", "1e+23"),
        ];
        for (text, expected) in cases {
            assert_eq!(number_text(text), expected, "{text}");
        }
        for text in
            ["0x", "0o8", "0b2", "0x-1", "1:30", "2026-01-02", "-", "+", "-_", "1.2.3", "0xFFFFFFFFFFFFFFFFF"]
        {
            assert_eq!(plain_value(text), Value::String(text.to_owned().into()), "{text}");
        }
    }

    #[test]
    fn floats_need_digits_and_a_finite_value() {
        let cases = [
            ("4.10", "4.1"),
            ("1.", "1"),
            (".5", "0.5"),
            ("+.5", "0.5"),
            ("1e3", "1000"),
            ("12e03", "12000"),
            ("3.1_4", "3.14"),
            (".1_4", "0.14"),
            ("1e-400", "0"),
            ("-0.0", "-0"),
        ];
        for (text, expected) in cases {
            assert_eq!(number_text(text), expected, "{text}");
        }
        for text in [".", ".e1", "1e", "1e400", "._5", ".5_", ".5_e1", "e5", "1e+", "infinity", ".infinity"] {
            assert_eq!(plain_value(text), Value::String(text.to_owned().into()), "{text}");
        }
    }

    #[test]
    fn rejects_infinities_and_nan() {
        for text in [".inf", "-.Inf", "+.INF", ".nan", ".NaN"] {
            let kind =
                resolve_scalar(None, true, text.to_owned().into()).and_then(Scalar::into_value).unwrap_err();
            assert!(matches!(kind, ReadErrorKind::NotFinite(_)), "{text}");
        }
    }

    #[test]
    fn quoted_scalars_are_text() {
        assert_eq!(resolve_scalar(None, false, "yes".into()).unwrap(), Scalar::Text("yes".into()));
    }

    #[test]
    fn yaml_tags_are_applied_and_other_tags_make_strings() {
        let long = |kind: &str| format!("tag:yaml.org,2002:{kind}");
        let ok = |kind: &str, text: &'static str| resolve_scalar(Some(&long(kind)), false, text.into());
        assert_eq!(ok("str", "123").unwrap(), Scalar::Text("123".into()));
        assert_eq!(ok("int", "3").unwrap(), Scalar::Int(3));
        assert_eq!(ok("float", "1").unwrap(), Scalar::Float(1.0));
        assert_eq!(ok("bool", "yes").unwrap(), Scalar::Bool(true));
        assert_eq!(ok("null", "").unwrap(), Scalar::Null);
        assert_eq!(ok("binary", "aGVs\nbG8=").unwrap(), Scalar::Text("hello".into()));
        assert_eq!(ok("timestamp", "2001-12-14").unwrap(), Scalar::Text("2001-12-14".into()));
        assert_eq!(ok("weird", "1").unwrap(), Scalar::Text("1".into()));
        assert_eq!(resolve_scalar(Some("!"), true, "12".into()).unwrap(), Scalar::Text("12".into()));
        for (kind, text) in [("int", "3.5"), ("int", "x"), ("null", "x"), ("bool", "1"), ("timestamp", "x")] {
            assert!(matches!(ok(kind, text), Err(ReadErrorKind::TagMismatch { .. })), "{kind} {text}");
        }
        for text in ["not base64!", "aGVsbG8"] {
            assert_eq!(ok("binary", text), Err(ReadErrorKind::BadBase64), "{text}");
        }
    }

    #[test]
    fn keys_become_strings() {
        let key = |text: &str| guess_type(text).unwrap_or(Scalar::Text(text.to_owned().into())).into_key();
        let cases = [
            ("yes", "true"),
            ("0777", "511"),
            ("1.10", "1.1"),
            ("1e6", "1e+06"),
            ("123456.5", "123456.5"),
            ("0.00001", "1e-05"),
            ("16777217.0", "1.6777216e+07"),
            (".inf", ".inf"),
            ("a", "a"),
        ];
        for (text, expected) in cases {
            assert_eq!(key(text).unwrap(), expected, "{text}");
        }
        for text in ["~", "", "18446744073709551615"] {
            assert_eq!(key(text), Err(ReadErrorKind::BadKey), "{text:?}");
        }
    }

    mod timestamp {
        use super::super::is_timestamp;

        #[test]
        fn accepts_only_known_date_and_time_formats() {
            for text in [
                "2001-12-14",
                "2001-1-2",
                "2001-12-14t21:59:43.10-05:00",
                "2001-12-14T1:2:3Z",
                "2001-12-14 21:59:43.1",
            ] {
                assert!(is_timestamp(text), "{text}");
            }
            for text in [
                "",
                "x",
                "2001",
                "2001-13-01",
                "2001-02-29",
                "2001-12-14 21:59:43 -5",
                "2001-12-14T21:59",
                "20011-1-1",
            ] {
                assert!(!is_timestamp(text), "{text}");
            }
        }
    }
}
