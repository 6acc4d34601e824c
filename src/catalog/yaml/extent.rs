//! Exact places of YAML values in their source text, where the scanner's own marks are not exact enough.

/// The byte length of a line break at `at`, or 0: LF, CR LF, CR, NEL, LS and PS break lines in YAML 1.1.
pub(super) fn line_break(text: &[u8], at: usize) -> usize {
    match text.get(at..).unwrap_or_default() {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// The byte length of the line break that ends at `at`, or 0.
fn line_break_before(text: &[u8], at: usize) -> usize {
    match text.get(..at).unwrap_or_default() {
        [.., b'\r', b'\n'] | [.., 0xC2, 0x85] => 2,
        [.., b'\n' | b'\r'] => 1,
        [.., 0xE2, 0x80, 0xA8 | 0xA9] => 3,
        _ => 0,
    }
}

/// Skips blanks, line breaks and comments.
pub(super) fn skip_space(text: &[u8], mut at: usize) -> usize {
    loop {
        match text.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(b'#') => at = line_end(text, at),
            _ => match line_break(text, at) {
                0 => return at,
                length => at += length,
            },
        }
    }
}

fn line_end(text: &[u8], mut at: usize) -> usize {
    while at < text.len() && line_break(text, at) == 0 {
        at += 1;
    }
    at
}

/// Where the value proper begins when its node (which begins at `start`) has a tag or an anchor; never beyond `end`.
pub(super) fn skip_properties(text: &[u8], start: usize, end: usize) -> usize {
    let mut at = start;
    let mut after = start;
    while at < end && matches!(text.get(at), Some(b'!' | b'&')) {
        while at < end && !matches!(text.get(at), None | Some(b' ' | b'\t')) && line_break(text, at) == 0 {
            at += 1;
        }
        after = at;
        at = skip_space(text, at);
    }
    if at < end { at } else { after.min(end) }
}

/// Where a value that is not there stands: right after the `:` between its key and `mark`, or after the key.
pub(super) fn absent_value(text: &[u8], key_end: usize, mark: usize) -> usize {
    let at = skip_space(text, key_end);
    if at < mark && text.get(at) == Some(&b':') { at + 1 } else { key_end.min(mark) }
}

/// The column (in characters) of a place.
pub(super) fn column(text: &[u8], at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let mut line = at;
    while line > 0 && line_break_before(before, line) == 0 {
        line -= 1;
    }
    // A continuation byte is no character of its own.
    before[line..].iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// The end of the last content line of a block scalar that begins (with `|` or `>`) at `start`; `mark` is where
/// the scanner stopped, and `parent` the column of the block collection around it.
pub(super) fn block_scalar_end(text: &[u8], start: usize, mark: usize, parent: Option<usize>) -> usize {
    let mut at = start + 1;
    let mut explicit = None;
    while let Some(byte @ (b'+' | b'-' | b'0'..=b'9')) = text.get(at) {
        if byte.is_ascii_digit() {
            explicit = Some(parent.unwrap_or(0) + usize::from(byte - b'0'));
        }
        at += 1;
    }
    let header = at;
    let mut body = line_end(text, at);
    body += line_break(text, body);
    let Some(indent) = explicit.or_else(|| first_indent(text, body, mark)) else {
        return header;
    };
    let mut end = mark.min(text.len());
    while end > body {
        end -= line_break_before(text, end);
        let mut line = end;
        while line > body && line_break_before(text, line) == 0 {
            line -= 1;
        }
        if end - line > indent {
            return end;
        }
        end = line;
    }
    header
}

/// The indentation of the first line with content.
fn first_indent(text: &[u8], mut at: usize, end: usize) -> Option<usize> {
    while at < end {
        let spaces = text[at..].iter().take_while(|byte| **byte == b' ').count();
        match line_break(text, at + spaces) {
            0 if at + spaces < end => return Some(spaces),
            0 => return None,
            length => at += spaces + length,
        }
    }
    None
}
