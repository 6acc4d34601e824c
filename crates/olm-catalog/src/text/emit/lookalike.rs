//! Strings that a YAML reader takes for another type if they are not quoted.

use crate::text::yaml::{is_plain_text, is_timestamp};

/// Returns true if go-yaml v2 may write `text` without quotes. It must read it as the same string, not as a
/// date, and no other YAML 1.1 reader may read it as a base-60 number.
pub(super) fn is_read_as_string(text: &str) -> bool {
    is_plain_text(text) && !(starts_like_number(text) && (is_timestamp(text) || is_base60(text)))
}

/// Returns true if readers of YAML 1.1 and 1.2 in general read `text` as a string. For text in files that opm
/// did not write.
pub(super) fn is_read_as_string_everywhere(text: &str) -> bool {
    let number = starts_like_number(text) && {
        let plain = text.replace('_', "");
        plain.parse::<f64>().is_ok() || is_based_number(&plain)
    };
    is_read_as_string(text) && !number && !starts_like_date(text) && !matches!(text, "=" | "<<")
}

fn starts_like_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
}

/// Returns true for `0x`, `0o` and `0b` with any number of digits. go-yaml reads those beyond 64 bits as
/// strings.
fn is_based_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = ["0x", "0X", "0o", "0O", "0b", "0B"].iter().find_map(|prefix| text.strip_prefix(prefix));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Returns true for base-60 numbers of YAML 1.1: `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`.
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

/// Returns true for text that YAML 1.1 readers with the full timestamp pattern take for a date: `2001-1-1`,
/// alone or before a time.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_words_of_other_types_in_three_spellings() {
        for text in
            ["y", "Yes", "NO", "on", "Off", "~", "null", "Null", "TRUE", ".inf", "-.INF", ".NaN", ".nan", ""]
        {
            assert!(!is_read_as_string(text), "{text:?}");
        }
        for text in
            ["yEs", "nULL", "tRue", ".Nan", "yess", "None", "<<", "=", "-", ".", "oN", "-.iNf", "+.nan"]
        {
            assert!(is_read_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn rejects_go_numbers() {
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
            assert!(!is_read_as_string(text), "{text:?}");
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
            assert!(is_read_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn rejects_base_60_numbers() {
        for text in ["1:30", "-190:20:30", "1_0:59.5", "1:5."] {
            assert!(!is_read_as_string(text), "{text:?}");
        }
        for text in ["1:60", "1:", ":30", "1:30x", "1:30:"] {
            assert!(is_read_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn rejects_timestamps_that_go_parses() {
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
            assert!(!is_read_as_string(text), "{text:?}");
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
            assert!(is_read_as_string(text), "{text:?}");
        }
    }

    #[test]
    fn other_readers_accept_more_numbers_and_dates() {
        for text in ["1e400", "0x10000000000000000", "2001-12-14 21:59:43.10 -5", "=", "<<", "2001-02-30"] {
            assert!(is_read_as_string(text) && !is_read_as_string_everywhere(text), "{text:?}");
        }
        for text in ["1.2.3", "etcd.v0.9.4", "0.x", "-", "2001-1", "alpha", "1.0.0-rc.1"] {
            assert!(is_read_as_string_everywhere(text), "{text:?}");
        }
    }
}
