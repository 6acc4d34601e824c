//! Block scalars: `|` and `>`.

use super::{Read, Unusual, lines::Lines};

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
pub(super) fn read_literal(lines: &mut Lines<'_>, column: usize) -> Read<(String, usize)> {
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
