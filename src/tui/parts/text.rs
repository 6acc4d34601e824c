//! Text helpers: escaping of line breaks for single-line fields, and counts with nouns.

/// Escapes line breaks, tabs and backslashes for a single-line field.
pub fn escape_single_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            c => line.push(c),
        }
    }
    line
}

/// Restores the escaped characters of a single-line field. Other backslashes stay as they are.
pub fn unescape_single_line(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        let mut ahead = rest.clone();
        let meant = match (c, ahead.next()) {
            ('\\', Some('\\')) => Some('\\'),
            ('\\', Some('n')) => Some('\n'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some('t')) => Some('\t'),
            _ => None,
        };
        if meant.is_some() {
            rest = ahead;
        }
        text.push(meant.unwrap_or(c));
    }
    text
}

/// Formats a number with a noun.
pub fn format_count(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Formats a number of channel entries.
pub fn format_entry_count(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn unknown_escapes_are_kept() {
        assert_eq!(unescape_single_line(r"C:\dir\\n \"), "C:\\dir\\n \\");
        assert_eq!(escape_single_line("a\nb\\n"), r"a\nb\\n");
    }

    proptest! {
        #[test]
        fn escaped_text_unescapes_to_same_text(text in any::<String>(), piece in "[\\\\nrt\\n\\t a]{0,20}") {
            for text in [text, piece] {
                let line = escape_single_line(&text);
                prop_assert!(!line.contains(['\n', '\r', '\t']));
                prop_assert_eq!(unescape_single_line(&line), text);
            }
        }
    }
}
