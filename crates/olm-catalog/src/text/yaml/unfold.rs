//! Values of scalars that span several lines or have escapes.

/// Returns the value of a plain scalar, with its lines folded.
pub(super) fn fold_plain(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if is_space(rest) {
            let (folded, length) = fold_breaks(rest, false);
            out.push_str(&folded);
            rest = &rest[length..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Returns the value of the text between single quotes.
pub(super) fn unquote_single(inner: &str) -> String {
    fold_plain(inner).replace("''", "'")
}

/// Returns the value of a well-formed double-quoted scalar, given with its quotes.
pub(super) fn unquote_double(source: &str) -> String {
    let inner = source.strip_prefix('"').unwrap_or(source);
    let mut rest = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(rest.len());
    while let Some(c) = rest.chars().next() {
        if is_space(rest) {
            let (folded, length) = fold_breaks(rest, false);
            out.push_str(&folded);
            rest = &rest[length..];
        } else if c != '\\' {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else if let broken @ 1.. = line_break_length(rest.as_bytes(), 1) {
            let (folded, length) = fold_breaks(&rest[1 + broken..], true);
            out.push_str(&folded);
            rest = &rest[1 + broken + length..];
        } else {
            rest = decode_escape(&rest[1..], &mut out);
        }
    }
    out
}

/// Returns the value of the text between double quotes on one line, which is well-formed.
pub(super) fn decode_escapes(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, escaped)) = rest.split_once('\\') {
        out.push_str(before);
        rest = decode_escape(escaped, &mut out);
    }
    out.push_str(rest);
    out
}

/// Decodes the escape after a backslash and returns the text after it.
fn decode_escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some(c) = rest.chars().next() else { return rest };
    let rest = &rest[c.len_utf8()..];
    let digits = match c {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => {
            out.push(match c {
                '0' => '\0',
                'a' => '\x07',
                'b' => '\x08',
                't' => '\t',
                'n' => '\n',
                'v' => '\x0B',
                'f' => '\x0C',
                'r' => '\r',
                'e' => '\x1B',
                'N' => '\u{85}',
                '_' => '\u{A0}',
                'L' => '\u{2028}',
                'P' => '\u{2029}',
                other => other,
            });
            return rest;
        }
    };
    let (code, after) = rest.split_at_checked(digits).unwrap_or((rest, ""));
    out.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
    after
}

/// Returns the byte length of a line break at `at`, or 0. LF, CR LF, CR, NEL, LS and PS break lines in YAML
/// 1.1.
fn line_break_length(text: &[u8], at: usize) -> usize {
    match text.get(at..).unwrap_or_default() {
        [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

fn is_space(text: &str) -> bool {
    text.starts_with([' ', '\t']) || line_break_length(text.as_bytes(), 0) > 0
}

/// Folds the blanks and line breaks at the beginning of `text` and returns their byte length. `escaped` is true
/// after an escaped line break.
fn fold_breaks(text: &str, escaped: bool) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut breaks: Vec<&str> = Vec::new();
    let mut at = 0;
    loop {
        let length = line_break_length(bytes, at);
        if length > 0 {
            // LF, CR LF, CR and NEL become LF; LS and PS are kept.
            breaks.push(if length == 3 { &text[at..at + 3] } else { "\n" });
            at += length;
        } else if matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        } else {
            break;
        }
    }
    let folded = match breaks.as_slice() {
        [] if escaped => String::new(),
        [] => text[..at].to_owned(),
        ["\n"] if !escaped => " ".to_owned(),
        ["\n", rest @ ..] if !escaped => rest.concat(),
        all => all.concat(),
    };
    (folded, at)
}

#[cfg(test)]
mod tests {
    use super::{fold_plain, unquote_double};

    #[test]
    fn folds_lines_to_blank_and_empty_lines_to_breaks() {
        assert_eq!(fold_plain("a  b\tc"), "a  b\tc");
        assert_eq!(fold_plain("a \n  b\r\n\r\n\r\n c"), "a b\n\nc");
        assert_eq!(fold_plain("a\u{2028}b"), "a\u{2028}b");
        assert_eq!(unquote_double("\"a \n b\""), "a b");
    }

    #[test]
    fn decodes_escapes_of_go_yaml() {
        assert_eq!(unquote_double(r#""\'\x41\u00e9\U0001F431\n\"\\""#), "'Aé🐱\n\"\\");
        assert_eq!(unquote_double("\"a \\\n  \\ b\""), "a  b");
    }
}
