//! Texts: of several lines in a field of one (a line break is written `\n`), and numbers with nouns.

/// A text as a field shows it.
pub fn one_line(text: &str) -> String {
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

/// The text a field stands for. A backslash before anything else is a backslash.
pub fn several_lines(line: &str) -> String {
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

/// A number and a noun.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// So many entries of a channel.
pub fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_backslash_that_means_nothing_is_one() {
        assert_eq!(several_lines(r"C:\dir\\n \"), "C:\\dir\\n \\");
        assert_eq!(one_line("a\nb\\n"), r"a\nb\\n");
    }

    proptest! {
        #[test]
        fn a_text_comes_back_as_it_was(text in any::<String>(), piece in "[\\\\nrt\\n\\t a]{0,20}") {
            for text in [text, piece] {
                let line = one_line(&text);
                prop_assert!(!line.contains(['\n', '\r', '\t']));
                prop_assert_eq!(several_lines(&line), text);
            }
        }
    }
}
