//! Date formats of go-yaml, which `!!timestamp` accepts.

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
    use super::is_timestamp;

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
