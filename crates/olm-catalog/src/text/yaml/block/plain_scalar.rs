//! Plain scalars: without quotes, so their type depends on their text.

use std::borrow::Cow;

use super::{MAX_KEY, Read, Unusual, lines::Lines};
use crate::{node::Value, text::yaml::scalar};

/// Reads the key at the current position up to its `:`; `None` if the line does not have a `:`.
pub(super) fn read_plain_key<'a>(lines: &mut Lines<'a>) -> Read<Option<Cow<'a, str>>> {
    let start = lines.at;
    let Some(colon) = find_near_colon(lines)? else { return Ok(None) };
    let text = lines.slice(start, colon)?;
    if !may_begin(lines, start) || text.ends_with(' ') {
        return Err(Unusual);
    }
    lines.at = colon;
    Ok(Some(match scalar::guess_type(text) {
        None => Cow::Borrowed(text),
        Some(scalar) => scalar.into_key().map_err(|_| Unusual)?,
    }))
}

/// Reads the value of an entry in `column` and returns it with its end.
pub(super) fn read_plain_value<'a>(lines: &mut Lines<'a>, column: usize) -> Read<(Value<'a>, usize)> {
    if !may_begin(lines, lines.at) {
        return Err(Unusual);
    }
    let (first, mut end) = read_rest_of_line(lines, lines.at)?;
    let mut text_so_far = Cow::Borrowed(first);
    while let Some((breaks, start)) = find_continuation(lines, column)? {
        let (more, more_end) = read_rest_of_line(lines, start)?;
        let text_so_far = text_so_far.to_mut();
        match breaks {
            1 => text_so_far.push(' '),
            _ => text_so_far.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        text_so_far.push_str(more);
        end = more_end;
    }
    let value = scalar::resolve_plain(text_so_far).map_err(|_| Unusual)?;
    Ok((value, end))
}

/// Returns true if a plain scalar may begin at a position. False for some rare cases that need the full reader.
fn may_begin(lines: &Lines<'_>, at: usize) -> bool {
    match lines.byte(at) {
        Some(b'-') => !lines.is_blank(at + 1),
        None | Some(b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!') => false,
        Some(b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`') => false,
        Some(_) => true,
    }
}

/// Reads the rest of a line as text and returns it with the end of its content. Moves to the next line.
fn read_rest_of_line<'a>(lines: &mut Lines<'a>, start: usize) -> Read<(&'a str, usize)> {
    let end = lines.line_end(start);
    let text = lines.slice(start, end)?;
    for at in memchr::memchr3_iter(b':', b'#', b'\t', text.as_bytes()) {
        if is_key_mark(lines, start + at)? {
            return Err(Unusual);
        }
    }
    let text = text.trim_end_matches(' ');
    lines.at = (end + 1).min(lines.text.len());
    Ok((text, start + text.len()))
}

/// Returns the first `:` on the line with a blank after it, within the maximum length of a key.
fn find_near_colon(lines: &Lines<'_>) -> Read<Option<usize>> {
    for (at, byte) in (lines.at..).zip(lines.rest(lines.at)).take(MAX_KEY) {
        match byte {
            b'\n' => return Ok(None),
            b':' | b'#' | b'\t' if is_key_mark(lines, at)? => return Ok(Some(at)),
            _ => {}
        }
    }
    Ok(None)
}

/// Returns true if a `:` in plain text ends a key, false for other `:` and `#`. Comments after text and tabs
/// are unusual.
fn is_key_mark(lines: &Lines<'_>, at: usize) -> Read<bool> {
    match lines.byte(at) {
        Some(b':') => Ok(lines.is_blank(at + 1)),
        Some(b'#') if lines.byte(at.wrapping_sub(1)) != Some(b' ') => Ok(false),
        _ => Err(Unusual),
    }
}

/// Returns the continuation of a scalar of an entry in `column` on the next line with content: the number of
/// line breaks before it, and its position.
fn find_continuation(lines: &mut Lines<'_>, column: usize) -> Read<Option<(usize, usize)>> {
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
