//! Plain scalars: no quotes, so that what they are has to be guessed.

use std::borrow::Cow;

use super::{LONGEST_KEY, Read, Unusual, lines::Lines};
use crate::catalog::{node::Value, text::yaml::scalar};

/// Reads the key that begins here, up to its `:`; `None` where there is no `:` on the line.
pub(super) fn key<'a>(lines: &mut Lines<'a>) -> Read<Option<Cow<'a, str>>> {
    let start = lines.at;
    let Some(colon) = near_colon(lines)? else { return Ok(None) };
    let text = lines.slice(start, colon)?;
    if !may_begin(lines, start) || text.ends_with(' ') {
        return Err(Unusual);
    }
    lines.at = colon;
    Ok(Some(match scalar::guess(text) {
        None => Cow::Borrowed(text),
        Some(scalar) => scalar.into_key().map_err(|_| Unusual)?,
    }))
}

/// Reads the value that begins here, an entry of a list or map in a column; gives back where it ends, too.
pub(super) fn value<'a>(lines: &mut Lines<'a>, column: usize) -> Read<(Value<'a>, usize)> {
    if !may_begin(lines, lines.at) {
        return Err(Unusual);
    }
    let (first, mut end) = text(lines, lines.at)?;
    let mut text_so_far = Cow::Borrowed(first);
    while let Some((breaks, start)) = continuation(lines, column)? {
        let (more, more_end) = text(lines, start)?;
        let text_so_far = text_so_far.to_mut();
        match breaks {
            1 => text_so_far.push(' '),
            _ => text_so_far.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        text_so_far.push_str(more);
        end = more_end;
    }
    let value = scalar::plain(text_so_far).map_err(|_| Unusual)?;
    Ok((value, end))
}

/// Whether a plain scalar may begin at a place; some that may, in ways that need thought, are left out.
fn may_begin(lines: &Lines<'_>, at: usize) -> bool {
    match lines.byte(at) {
        Some(b'-') => !lines.is_blank(at + 1),
        None | Some(b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!') => false,
        Some(b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`') => false,
        Some(_) => true,
    }
}

/// What is left of a line that is text to its end, and where it ends without blanks; then is at the next line.
fn text<'a>(lines: &mut Lines<'a>, start: usize) -> Read<(&'a str, usize)> {
    let end = lines.line_end(start);
    let text = lines.slice(start, end)?;
    for at in memchr::memchr3_iter(b':', b'#', b'\t', text.as_bytes()) {
        if mark(lines, start + at)? {
            return Err(Unusual);
        }
    }
    let text = text.trim_end_matches(' ');
    lines.at = (end + 1).min(lines.text.len());
    Ok((text, start + text.len()))
}

/// The first `:` on the line with a blank after it, if a key may be that long.
fn near_colon(lines: &Lines<'_>) -> Read<Option<usize>> {
    for (at, byte) in (lines.at..).zip(lines.rest(lines.at)).take(LONGEST_KEY) {
        match byte {
            b'\n' => return Ok(None),
            b':' | b'#' | b'\t' if mark(lines, at)? => return Ok(Some(at)),
            _ => {}
        }
    }
    Ok(None)
}

/// Whether a `:`, `#` or tab in plain text is the end of a key. Comments behind text are unusual, and so are tabs.
fn mark(lines: &Lines<'_>, at: usize) -> Read<bool> {
    match lines.byte(at) {
        Some(b':') => Ok(lines.is_blank(at + 1)),
        Some(b'#') if lines.byte(at.wrapping_sub(1)) != Some(b' ') => Ok(false),
        _ => Err(Unusual),
    }
}

/// Whether the next line with content goes on with a scalar of an entry in a column: how many line breaks come before
/// it, and where it begins.
fn continuation(lines: &mut Lines<'_>, column: usize) -> Read<Option<(usize, usize)>> {
    let next_line = lines.at;
    let mut breaks = 1;
    loop {
        let indentation = lines.spaces();
        let at = lines.at;
        match lines.peek() {
            Some(b'\n') => {
                breaks += 1;
                lines.at += 1;
            }
            Some(b'\t') => return Err(Unusual),
            Some(byte) if indentation > column && byte != b'#' => return Ok(Some((breaks, at))),
            _ => {
                lines.at = next_line;
                return Ok(None);
            }
        }
    }
}
