//! Strings that a YAML reader would take for something else when written without quotes.

/// Whether go-yaml v2 reads `text`, written plain, as the string it is (its `resolve` function, and its guard against
/// base-60 numbers of other YAML 1.1 readers).
pub(super) fn reads_as_string(text: &str) -> bool {
    let Some(first) = text.bytes().next() else {
        return false;
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => !is_word(text),
        b'.' => !is_word(text) && !is_go_float(text),
        b'+' | b'-' | b'0'..=b'9' => {
            !(is_word(text) || is_timestamp(text) || is_number(text) || is_base60(text))
        }
        _ => true,
    }
}

/// What else other readers of YAML 1.1 and 1.2 take for no string; for text we put into files that opm did not write.
pub(super) fn reads_as_string_everywhere(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let starts_like_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let out_of_range = starts_like_number
        && digits > 0
        && (is_float_syntax(&text.replace('_', "")) || text.contains("0x") && digits > 15);
    reads_as_string(text) && !out_of_range && !starts_like_date(text) && !matches!(text, "=" | "<<")
}

/// The words of YAML 1.1 for booleans, null and the odd floats, in the three spellings go-yaml accepts.
fn is_word(text: &str) -> bool {
    const WORDS: [&str; 14] =
        ["y", "yes", "true", "on", "n", "no", "false", "off", "~", "null", ".nan", ".inf", "+.inf", "-.inf"];
    if text.len() > 5 || !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        return false;
    }
    let mut letters = text.bytes().filter(u8::is_ascii_alphabetic);
    let capital = letters.next().is_some_and(|first| first.is_ascii_uppercase());
    let lower = letters.clone().all(|letter| letter.is_ascii_lowercase());
    let upper = letters.all(|letter| letter.is_ascii_uppercase());
    match text {
        ".Nan" => false,
        ".NaN" => true,
        _ => lower || capital && upper,
    }
}

/// Integers and floats after go-yaml dropped every `_`.
fn is_number(text: &str) -> bool {
    let plain = text.replace('_', "");
    is_integer(&plain) || is_float_syntax(&plain) && is_go_float(&plain) || is_odd_binary(&plain)
}

/// Go's `strconv.ParseInt` and `ParseUint` with base 0 and 64 bits.
fn is_integer(text: &str) -> bool {
    let (unsigned, sign) = match text.as_bytes() {
        [b'-', ..] => (&text[1..], Some('-')),
        [b'+', ..] => (&text[1..], Some('+')),
        _ => (text, None),
    };
    let (digits, radix) = match unsigned.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&unsigned[2..], 16),
        [b'0', b'b' | b'B', ..] => (&unsigned[2..], 2),
        [b'0', b'o' | b'O', ..] => (&unsigned[2..], 8),
        [b'0', _, ..] => (&unsigned[1..], 8),
        _ => (unsigned, 10),
    };
    // Rust takes a second sign, Go does not.
    if digits.starts_with(['+', '-']) {
        return false;
    }
    u64::from_str_radix(digits, radix).is_ok_and(|size| match sign {
        None => true,
        Some('-') => size <= 1 << 63,
        Some(_) => size < 1 << 63,
    })
}

/// go-yaml's second look at binary numbers, which lets a sign in after the `0b`.
fn is_odd_binary(text: &str) -> bool {
    text.strip_prefix("0b").is_some_and(|digits| {
        i64::from_str_radix(digits, 2).is_ok()
            || !digits.starts_with('+') && u64::from_str_radix(digits, 2).is_ok()
    })
}

/// go-yaml's pattern for floats: `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float_syntax(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let some_digits = |text: &str| !text.is_empty() && all_digits(text);
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", fraction)) => some_digits(fraction),
        Some((whole, fraction)) => some_digits(whole) && all_digits(fraction),
        None => some_digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(some_digits)
}

/// Whether Go's `strconv.ParseFloat` takes a text of float syntax (possibly with `_` between digits) without running
/// out of range.
fn is_go_float(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separates_digits = |at: usize| {
        let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
        digit(at.checked_sub(1)) && digit(at.checked_add(1))
    };
    if !bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || separates_digits(at)) {
        return false;
    }
    let plain = text.replace('_', "");
    is_float_syntax(&plain) && plain.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Base-60 numbers of YAML 1.1: `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`.
fn is_base60(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or_default();
    if !first.starts_with(|c: char| c.is_ascii_digit())
        || !first.bytes().all(|b| b.is_ascii_digit() || b == b'_')
    {
        return false;
    }
    let sixtieth = |part: &str| match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [b'0'..=b'5', two] => two.is_ascii_digit(),
        _ => false,
    };
    let mut rest: Vec<&str> = parts.collect();
    let Some(last) = rest.pop() else {
        return false;
    };
    let (last, fraction) = last.split_once('.').unwrap_or((last, ""));
    rest.into_iter().all(sixtieth)
        && sixtieth(last)
        && fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

/// Texts YAML 1.1 readers with the full timestamp pattern take for a date: `2001-1-1`, alone or before a time.
fn starts_like_date(text: &str) -> bool {
    let mut rest = text;
    let mut number = |most: usize, least: usize| {
        let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        rest = &rest[digits..];
        let after = rest.bytes().next();
        rest = rest.get(1..).unwrap_or_default();
        (digits >= least, after)
    };
    number(4, 4) == (true, Some(b'-'))
        && number(2, 1) == (true, Some(b'-'))
        && matches!(number(2, 1), (true, None | Some(b't' | b'T' | b' ' | b'\t')))
}

/// Timestamps as go-yaml v2 knows them: a date, alone or with a time of day; with `T` or `t` before the time a zone
/// must follow, with a blank it must not.
fn is_timestamp(text: &str) -> bool {
    let mut cursor = Cursor(text);
    date(&mut cursor).is_some_and(|()| {
        cursor.0.is_empty() || time_with_zone(cursor.clone()).is_some() || time_without_zone(cursor).is_some()
    })
}

fn date(cursor: &mut Cursor<'_>) -> Option<()> {
    let year = cursor.digits(4, 4)?;
    cursor.byte(b'-')?;
    let month = cursor.digits(1, 2).filter(|month| (1..=12).contains(month))?;
    cursor.byte(b'-')?;
    let day = cursor.digits(1, 2)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=days).contains(&day).then_some(())
}

fn time(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.digits(1, 2).filter(|hour| *hour < 24)?;
    cursor.byte(b':')?;
    cursor.digits(1, 2).filter(|minute| *minute < 60)?;
    cursor.byte(b':')?;
    cursor.digits(1, 2).filter(|second| *second < 60)?;
    if let [b'.' | b',', b'0'..=b'9', ..] = cursor.0.as_bytes() {
        cursor.0 = cursor.0[1..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    Some(())
}

fn time_with_zone(mut cursor: Cursor<'_>) -> Option<()> {
    cursor.byte(b'T').or_else(|| cursor.byte(b't'))?;
    time(&mut cursor)?;
    if cursor.0 == "Z" {
        return Some(());
    }
    cursor.byte(b'+').or_else(|| cursor.byte(b'-'))?;
    cursor.digits(2, 2).filter(|hours| *hours <= 24)?;
    cursor.byte(b':')?;
    cursor.digits(2, 2).filter(|minutes| *minutes <= 60)?;
    cursor.0.is_empty().then_some(())
}

fn time_without_zone(mut cursor: Cursor<'_>) -> Option<()> {
    // Go takes any number of blanks where its layout has one.
    cursor.byte(b' ')?;
    cursor.0 = cursor.0.trim_start_matches(' ');
    time(&mut cursor)?;
    cursor.0.is_empty().then_some(())
}

/// What is left to read of a text.
#[derive(Clone)]
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn byte(&mut self, expected: u8) -> Option<()> {
        let (first, rest) = self.0.split_at_checked(1)?;
        (first.as_bytes() == [expected]).then(|| self.0 = rest)
    }

    /// A number of `least` to `most` digits, as many as there are.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let length = self.0.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.0.split_at_checked(length)?;
        if length < least {
            return None;
        }
        self.0 = rest;
        digits.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_types_are_no_strings_in_three_spellings() {
        for text in
            ["y", "Yes", "NO", "on", "Off", "~", "null", "Null", "TRUE", ".inf", "-.INF", ".NaN", ".nan", ""]
        {
            assert!(!reads_as_string(text), "{text:?}");
        }
        for text in
            ["yEs", "nULL", "tRue", ".Nan", "yess", "None", "<<", "=", "-", ".", "oN", "-.iNf", "+.nan"]
        {
            assert!(reads_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn numbers_of_go_are_no_strings() {
        for text in [
            "0",
            "-1",
            "+1",
            "1_000",
            "08",
            "0777",
            "0x1F",
            "-0xff",
            "0b101",
            "0b-1",
            "0o17",
            "1.",
            ".5",
            "1e3",
            "-1.5E-3",
            "18446744073709551615",
            "99999999999999999999",
            "1__2",
            ".5_0",
            "0x8000000000000000",
            "4.18",
        ] {
            assert!(!reads_as_string(text), "{text:?}");
        }
        for text in [
            "1.2.3",
            "1e",
            "e3",
            "0x",
            "0xg",
            "0b2",
            "1e400",
            ".e1",
            "-",
            "+",
            "--1",
            "1-2",
            "0b+-1",
            ".5e400",
            "-_",
            "0x10000000000000000",
            "-0x8000000000000001",
            "._5",
            "v1",
        ] {
            assert!(reads_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn base_60_numbers_are_quoted_for_other_readers() {
        for text in ["1:30", "-190:20:30", "1_0:59.5", "1:5."] {
            assert!(!reads_as_string(text), "{text:?}");
        }
        for text in ["1:60", "1:", ":30", "1:30x", "1:30:"] {
            assert!(reads_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn timestamps_are_what_go_parses() {
        for text in [
            "2001-01-01",
            "2001-1-1",
            "2000-02-29",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14T1:2:3Z",
            "2001-12-14 21:59:43.1",
            "2001-12-14   1:2:3,5",
            "2001-12-14T21:59:43+24:60",
        ] {
            assert!(!reads_as_string(text), "{text:?}");
        }
        for text in [
            "2001-02-29",
            "2001-13-01",
            "2001-1-32",
            "201-1-1",
            "2001-1-1x",
            "2001-12-14T21:59:43",
            "2001-12-14 1:2:3Z",
            "2001-12-14T24:00:00Z",
            "2001-12-14T1:2:3+5:00",
            "2001-1-1T1:2:3é",
        ] {
            assert!(reads_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn other_readers_know_more_numbers_and_dates() {
        for text in ["1e400", "0x10000000000000000", "2001-12-14 21:59:43.10 -5", "=", "<<", "2001-02-30"] {
            assert!(reads_as_string(text) && !reads_as_string_everywhere(text), "{text:?}");
        }
        for text in ["1.2.3", "etcd.v0.9.4", "0.x", "-", "2001-1", "alpha", "1.0.0-rc.1"] {
            assert!(reads_as_string_everywhere(text), "{text:?}");
        }
    }
}
