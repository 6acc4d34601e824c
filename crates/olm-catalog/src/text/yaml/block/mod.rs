//! Fast reader for YAML written by programs: opm, yq, kubectl and others that use go-yaml.
//!
//! It supports block maps and lists, scalars in all five styles, `[]` and `{}`, and comments on separate lines.
//! Anything else (anchors, tags, other flow collections, tabs between tokens, carriage returns, errors of any
//! kind) is [`Unusual`] and goes to the full reader. So this reader never reports errors, and its trees must
//! equal those of the full reader.

mod reader;

use std::borrow::Cow;

use super::{content_start, scalar, unfold};
use crate::node::{Node, Value};
use reader::Lines;

/// Text that only the full reader supports.
struct Unusual;

/// Maximum distance between a key and its `:`. The full reader allows 1,024 characters.
const MAX_KEY: usize = 500;

/// Result of the fast reader.
type Read<T> = Result<T, Unusual>;

/// Parses a chunk including its `---` line; `None` if anything in it is unusual.
pub(super) fn read_block(chunk: &[u8]) -> Option<Node<'_>> {
    let start = content_start(chunk).ok()?;
    let text = usual_text(chunk)?;
    reader::read_document(text, start).ok()
}

#[cfg(test)]
mod tests;

/// Reads the key at the current position up to its `:`; `None` if the line does not have a `:`.
fn read_plain_key<'a>(lines: &mut Lines<'a>) -> Read<Option<Cow<'a, str>>> {
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
fn read_plain_value<'a>(lines: &mut Lines<'a>, column: usize) -> Read<(Value<'a>, usize)> {
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

/// Reads the quoted scalar at the current position and moves behind it.
fn read_quoted<'a>(lines: &mut Lines<'a>) -> Read<Cow<'a, str>> {
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

/// Sufficient for most scalars.
const USUAL_LENGTH: usize = 512;

/// Treatment of the line breaks at the end.
#[derive(Clone, Copy, PartialEq)]
enum Chomp {
    /// Keeps one line break.
    Clip,
    Strip,
    Keep,
}

/// Reads the scalar of an entry in `column` and returns it with its end.
fn read_literal(lines: &mut Lines<'_>, column: usize) -> Read<(String, usize)> {
    let is_folded = lines.peek() == Some(b'>');
    lines.at += 1;
    let (chomp, digit) = read_header(lines);
    let mut end = lines.at;
    lines.end_line()?;
    let indentation = match digit {
        Some(digit) => column + digit,
        None => first_indentation(lines, column)?,
    };
    let text = String::with_capacity(lines.rest(lines.at).len().min(USUAL_LENGTH));
    let mut body = Body { is_folded, text, breaks: 0, begins_blank: None };
    while let Some(start) = next_line(lines, indentation, &mut body.breaks)? {
        end = lines.line_end(start);
        body.add_line(lines.slice(start, end)?);
        lines.at = (end + 1).min(lines.text.len());
    }
    Ok((body.into_text(chomp), end))
}

/// Reads the indicators after `|` or `>`.
fn read_header(lines: &mut Lines<'_>) -> (Chomp, Option<usize>) {
    let (mut chomp, mut digit) = (Chomp::Clip, None);
    loop {
        match lines.peek() {
            Some(b'+') if chomp == Chomp::Clip => chomp = Chomp::Keep,
            Some(b'-') if chomp == Chomp::Clip => chomp = Chomp::Strip,
            Some(byte @ b'1'..=b'9') if digit.is_none() => digit = Some(usize::from(byte - b'0')),
            _ => return (chomp, digit),
        }
        lines.at += 1;
    }
}

/// Returns the indentation of the first line with content. Blank lines before it must not have more.
fn first_indentation(lines: &Lines<'_>, column: usize) -> Read<usize> {
    let mut lines = Lines { text: lines.text, at: lines.at };
    let mut most = column + 1;
    loop {
        let spaces = lines.spaces();
        match lines.peek() {
            Some(b'\n') => {
                lines.at += 1;
                most = most.max(spaces);
            }
            Some(b'\t') | None => return Err(Unusual),
            Some(_) if spaces < most => return Err(Unusual),
            Some(_) => return Ok(spaces),
        }
    }
}

/// Returns the start of the next line's content and counts blank lines before it; `None` at the end of the
/// scalar.
fn next_line(lines: &mut Lines<'_>, indentation: usize, breaks: &mut usize) -> Read<Option<usize>> {
    loop {
        let start = lines.at;
        let rest = lines.rest(start);
        let spaces = rest.iter().take(indentation).take_while(|byte| **byte == b' ').count();
        match rest.get(spaces) {
            Some(b'\n') => {
                *breaks += 1;
                lines.at += spaces + 1;
            }
            // Blanks at the end of the text, without a line feed.
            None if spaces > 0 => return Err(Unusual),
            None => return Ok(None),
            Some(_) if spaces == indentation => return Ok(Some(start + spaces)),
            Some(b'\t') => return Err(Unusual),
            Some(_) => return Ok(None),
        }
    }
}

/// Accumulated text of a block scalar.
struct Body {
    is_folded: bool,
    text: String,
    /// Number of blank lines since the last line with content.
    breaks: usize,
    /// True if the last line with content begins with a blank; `None` before the first.
    begins_blank: Option<bool>,
}

impl Body {
    fn add_line(&mut self, line: &str) {
        let is_blank = line.starts_with([' ', '\t']);
        // Lines without further indentation are joined unless blank lines separate them.
        let folds = self.is_folded && self.begins_blank == Some(false) && !is_blank;
        if self.begins_blank.is_some() && !folds {
            self.text.push('\n');
        } else if folds && self.breaks == 0 {
            self.text.push(' ');
        }
        self.push_breaks();
        self.text.push_str(line);
        self.begins_blank = Some(is_blank);
    }

    fn push_breaks(&mut self) {
        self.text.extend(std::iter::repeat_n('\n', self.breaks));
        self.breaks = 0;
    }

    fn into_text(mut self, chomp: Chomp) -> String {
        if chomp != Chomp::Strip && self.begins_blank.is_some() {
            self.text.push('\n');
        }
        if chomp == Chomp::Keep {
            self.push_breaks();
        }
        self.text
    }
}

/// Returns a chunk as text if it is UTF-8 without control characters other than tabs, byte order marks, and
/// line breaks other than LF.
fn usual_text(chunk: &[u8]) -> Option<&str> {
    let is_control = |byte: u8| byte < b' ' && byte != b'\n' && byte != b'\t' || byte == 0x7F;
    // Without an early exit, the compiler vectorizes the loop.
    let has_controls = chunk.iter().fold(false, |found, byte| found | is_control(*byte));
    let is_odd = |at| matches!(chunk.get(at..), Some(rest) if begins_with_unusual_character(rest));
    if has_controls || memchr::memchr3_iter(0xC2, 0xE2, 0xEF, chunk).any(is_odd) {
        return None;
    }
    std::str::from_utf8(chunk).ok()
}

/// Returns true if text begins with a non-ASCII control character, line break or byte order mark, or with a
/// noncharacter.
fn begins_with_unusual_character(text: &[u8]) -> bool {
    matches!(
        text,
        [0xC2, 0x80..=0x9F, ..]
            | [0xE2, 0x80, 0xA8 | 0xA9, ..]
            | [0xEF, 0xBB, 0xBF, ..]
            | [0xEF, 0xBF, 0xBE | 0xBF, ..]
    )
}
