//! Quoted scalars.

use std::borrow::Cow;

use super::{Read, Unusual, lines::Lines};
use crate::text::yaml::unfold;

/// Reads the quoted scalar at the current position and moves behind it.
pub(super) fn read_quoted<'a>(lines: &mut Lines<'a>) -> Read<Cow<'a, str>> {
    let start = lines.at;
    let is_double = lines.peek() == Some(b'"');
    let quoted = if is_double { find_double_end(lines)? } else { find_single_end(lines)? };
    lines.at = quoted.end;
    let inner = lines.slice(start + 1, quoted.end - 1)?;
    if quoted.has_breaks {
        check_lines(inner)?;
    }
    Ok(match (is_double, quoted.has_breaks, quoted.has_escapes) {
        (_, false, false) => Cow::Borrowed(inner),
        (true, false, true) => Cow::Owned(unfold::decode_escapes(inner)),
        (true, true, _) => Cow::Owned(unfold::unquote_double(lines.slice(start, quoted.end)?)),
        (false, false, true) => Cow::Owned(inner.replace("''", "'")),
        (false, true, _) => Cow::Owned(fold_lines(inner).replace("''", "'")),
    })
}

/// Extent and features of a quoted scalar.
struct Quoted {
    /// Offset after its closing quote.
    end: usize,
    has_breaks: bool,
    has_escapes: bool,
}

fn find_single_end(lines: &Lines<'_>) -> Read<Quoted> {
    let mut at = lines.at + 1;
    let mut has_breaks = false;
    let mut has_escapes = false;
    loop {
        at += memchr::memchr2(b'\'', b'\n', lines.rest(at)).ok_or(Unusual)?;
        match (lines.byte(at), lines.byte(at + 1)) {
            (Some(b'\''), Some(b'\'')) => {
                has_escapes = true;
                at += 2;
            }
            (Some(b'\''), _) => return Ok(Quoted { end: at + 1, has_breaks, has_escapes }),
            _ => {
                has_breaks = true;
                at += 1;
            }
        }
    }
}

fn find_double_end(lines: &Lines<'_>) -> Read<Quoted> {
    let mut at = lines.at + 1;
    let mut has_breaks = false;
    let mut has_escapes = false;
    loop {
        at += memchr::memchr3(b'"', b'\\', b'\n', lines.rest(at)).ok_or(Unusual)?;
        match lines.byte(at) {
            Some(b'"') => return Ok(Quoted { end: at + 1, has_breaks, has_escapes }),
            Some(b'\\') => {
                has_escapes = true;
                has_breaks |= lines.byte(at + 1) == Some(b'\n');
                at += escape_length(lines.rest(at + 1))? + 1;
            }
            _ => {
                has_breaks = true;
                at += 1;
            }
        }
    }
}

/// Returns the length of an escape, given the text after its backslash.
fn escape_length(escape: &[u8]) -> Read<usize> {
    let digits = match escape.first() {
        Some(b'n' | b'"' | b'\\' | b't' | b'r' | b' ' | b'\n' | b'0' | b'a' | b'b') => return Ok(1),
        Some(b'v' | b'f' | b'e' | b'N' | b'_' | b'L' | b'P') => return Ok(1),
        Some(b'x') => 2,
        Some(b'u') => 4,
        Some(b'U') => 8,
        // YAML libraries differ on `\/` and `\'`.
        _ => return Err(Unusual),
    };
    let code = escape.get(1..=digits).filter(|code| code.iter().all(u8::is_ascii_hexdigit));
    let code = code.and_then(|code| u32::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
    code.and_then(char::from_u32).map(|_| 1 + digits).ok_or(Unusual)
}

/// Checks that the continuation lines of a scalar are blank or indented and do not have tabs.
fn check_lines(inner: &str) -> Read<()> {
    let is_usual = |line: &str| line.is_empty() || line.starts_with(' ');
    if inner.contains('\t') || !inner.split('\n').skip(1).all(is_usual) {
        return Err(Unusual);
    }
    Ok(())
}

/// Folds lines: the first line break becomes a blank, further ones are kept.
fn fold_lines(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut lines = inner.split('\n').peekable();
    let mut breaks = 0;
    let mut is_first = true;
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let line = if is_first { line } else { line.trim_start_matches(' ') };
        let line = if is_last { line } else { line.trim_end_matches(' ') };
        if !is_first {
            breaks += 1;
            if line.is_empty() && !is_last {
                continue;
            }
            match breaks {
                1 => out.push(' '),
                _ => out.extend(std::iter::repeat_n('\n', breaks - 1)),
            }
        }
        out.push_str(line);
        breaks = 0;
        is_first = false;
    }
    out
}
