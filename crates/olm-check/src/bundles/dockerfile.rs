//! Labels of a `bundle.Dockerfile`.

use std::collections::HashSet;

use olm_catalog::Span;

/// Label of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Label {
    pub key: String,
    pub value: String,
    /// Position of key and value in the file.
    pub span: Span,
}

/// Returns the labels of all `LABEL` instructions, in order. If a key is repeated, only its last
/// label is returned.
pub(super) fn labels(bytes: &[u8]) -> Vec<Label> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Vec::new() };
    let labels = instructions(text).filter_map(|(start, line)| {
        let rest = after_word(line, "LABEL")?;
        Some(parse_pairs(rest, start + line.len() - rest.len()))
    });
    let mut labels: Vec<Label> = labels.flatten().collect();
    labels.reverse();
    let mut seen = HashSet::new();
    labels.retain(|label| seen.insert(label.key.clone()));
    labels.reverse();
    labels
}

/// Returns true if the Dockerfile copies files from a folder.
pub(super) fn copies_from(bytes: &[u8], folder: &str) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let copied = instructions(text)
        .filter_map(|(_, line)| after_word(line, "COPY").or_else(|| after_word(line, "ADD")));
    let from = |word: &str| {
        word.trim_start_matches("./").strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    };
    copied.flat_map(str::split_whitespace).any(from)
}

/// Returns the text after the name of an instruction; the case of the name does not matter.
fn after_word<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let line = line.trim_start();
    let (name, rest) = line.split_at_checked(word.len())?;
    (name.eq_ignore_ascii_case(word) && rest.starts_with([' ', '\t'])).then_some(rest)
}

/// Iterates over the instructions with their byte offsets. A backslash continues an instruction
/// on the next line.
fn instructions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let start = at;
            let mut is_first = true;
            loop {
                let rest = text.get(at..).unwrap_or_default();
                let line = rest.split_inclusive('\n').next().unwrap_or_default();
                at += line.len();
                let is_comment = line.trim_start().starts_with('#');
                // Comments between the lines of an instruction do not end it.
                let goes_on = line.trim_end().ends_with('\\') && !is_comment || is_comment && !is_first;
                if !goes_on || at >= text.len() {
                    break;
                }
                is_first = false;
            }
            let instruction = text.get(start..at).unwrap_or_default();
            if !instruction.trim_start().starts_with('#') && !instruction.trim().is_empty() {
                return Some((start, instruction));
            }
        }
        None
    })
}

/// Parses `key=value` pairs, or one key followed by the rest of the line.
fn parse_pairs(text: &str, offset: usize) -> Vec<Label> {
    let words = parse_words(text);
    let label = |key: &str, value: &str, start: usize, end: usize| Label {
        key: key.to_owned(),
        value: value.to_owned(),
        span: Span::new(offset + start, offset + end),
    };
    match words.first() {
        Some((first, start, _)) if !first.contains('=') => {
            let values: Vec<&str> = words.iter().skip(1).map(|(word, ..)| word.as_str()).collect();
            let end = words.last().map_or(0, |(.., end)| *end);
            vec![label(first, &values.join(" "), *start, end)]
        }
        _ => {
            let pairs = words.iter().filter_map(|(word, start, end)| {
                let (key, value) = word.split_once('=')?;
                Some(label(key, value, *start, *end))
            });
            pairs.collect()
        }
    }
}

/// Splits a text into words without quotes and escapes, each with its start and end.
fn parse_words(text: &str) -> Vec<(String, usize, usize)> {
    let mut words = Vec::new();
    let mut word: Option<(String, usize)> = None;
    let mut quote = None;
    let mut chars = text.char_indices().peekable();
    let mut is_line_start = false;
    while let Some((at, c)) = chars.next() {
        // A comment between the lines of an instruction.
        if is_line_start
            && quote.is_none()
            && text.get(at..).unwrap_or_default().trim_start().starts_with('#')
        {
            while chars.next_if(|(_, c)| *c != '\n').is_some() {}
            continue;
        }
        is_line_start = c == '\n';
        match c {
            '\\' if matches!(chars.peek(), Some((_, '\n' | '\r'))) => {}
            '\\' if quote != Some('\'') => {
                if let Some((_, escaped)) = chars.next() {
                    word.get_or_insert_with(|| (String::new(), at)).0.push(escaped);
                }
            }
            '"' | '\'' if quote.is_none() => {
                quote = Some(c);
                word.get_or_insert_with(|| (String::new(), at));
            }
            c if quote == Some(c) => quote = None,
            c if c.is_whitespace() && quote.is_none() => {
                if let Some((done, start)) = word.take() {
                    words.push((done, start, at));
                }
            }
            c => word.get_or_insert_with(|| (String::new(), at)).0.push(c),
        }
    }
    if let Some((done, start)) = word {
        words.push((done, start, text.len()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_labels_as_docker_does() {
        let text = "FROM scratch\n\
                    # LABEL no=1\n\
                    label a=1 b=\"two words\"\n\
                    LABEL c=x \\\n# among the lines\n      d='y' \\\n\n\
                    LABEL e all of the line\n\
                    LABELS f=1\n\
                    LABEL a=2\n";
        let found = labels(text.as_bytes());
        let pairs: Vec<(&str, &str)> = found.iter().map(|l| (l.key.as_str(), l.value.as_str())).collect();
        assert_eq!(pairs, [("b", "two words"), ("c", "x"), ("d", "y"), ("e", "all of the line"), ("a", "2")]);
        assert_eq!(&text[found[0].span.range()], "b=\"two words\"");
        assert_eq!(&text[found[2].span.range()], "d='y'");
        assert_eq!(labels(b"\xff"), []);
        assert_eq!(labels(b"LABEL"), []);
        assert_eq!(labels(b"LABEL \\"), []);
    }

    #[test]
    fn returns_last_of_many_labels_with_same_key() {
        let lines: Vec<String> = (0..30_000).map(|at| format!("LABEL k{}={at}\n", at % 10_000)).collect();
        let text = lines.concat();
        let found = labels(text.as_bytes());
        let values: Vec<&str> = found.iter().map(|label| label.value.as_str()).collect();
        assert_eq!(values, (20_000..30_000).map(|at| at.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn dockerfile_copies_from_folder_named_in_copy_or_add() {
        let text = b"COPY bundle/manifests /manifests/\nADD ./other/metadata /metadata/\n";
        assert!(copies_from(text, "bundle") && copies_from(text, "other"));
        assert!(!copies_from(text, "bund") && !copies_from(text, "manifests"));
    }
}
