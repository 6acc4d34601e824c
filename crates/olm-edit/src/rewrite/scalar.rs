//! Text of scalars: plain, quoted or as a block of lines.

use std::fmt::Write as _;

use olm_catalog::{
    Node, Span, Value,
    text::emit::{self, write_inline_scalar},
};

/// Style of a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Quote {
    /// Without quotes.
    Plain,
    /// `'...'`.
    Single,
    /// `"..."`.
    Double,
    /// `|` or `>`.
    Block,
}

impl Quote {
    /// Returns the style of a scalar that begins with this byte.
    pub fn from_first_byte(first: Option<u8>) -> Self {
        match first {
            Some(b'\'') => Self::Single,
            Some(b'"') => Self::Double,
            Some(b'|' | b'>') => Self::Block,
            _ => Self::Plain,
        }
    }
}

/// Renders a string for YAML on one line, in the requested style if possible. `flow` is true inside brackets.
pub(super) fn yaml_scalar(text: &str, wish: Quote, flow: bool) -> String {
    match wish {
        Quote::Plain | Quote::Block if is_safe_plain(text, flow) => text.to_owned(),
        Quote::Single if text.chars().all(is_harmless) => format!("'{}'", text.replace('\'', "''")),
        Quote::Plain | Quote::Block => write_inline_scalar(text),
        Quote::Single | Quote::Double => {
            let safe = write_inline_scalar(text);
            // A text that is valid bare or in single quotes needs no other escapes.
            let escape = || format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
            if safe.starts_with('"') { safe } else { escape() }
        }
    }
}

/// Renders a string for JSON.
pub(super) fn json_string(text: &str) -> String {
    let node = Node::new(Value::String(text.into()), Span::default());
    emit::write_json(&node).trim_end_matches('\n').to_owned()
}

/// Renders a block scalar (`|`) with this indentation; `None` if a block would lose something.
pub(super) fn block_scalar(text: &str, indentation: usize, eol: &str) -> Option<String> {
    let (body, header) = match text.strip_suffix('\n') {
        Some(body) => (body, "|"),
        None => (text, "|-"),
    };
    let fits = !body.ends_with('\n')
        && body.chars().all(|c| c == '\n' || is_harmless(c))
        && body.lines().next().is_some_and(|first| !first.is_empty())
        && body.lines().all(|line| line.is_empty() || !line.trim_matches([' ', '\t']).is_empty())
        && body.lines().all(|line| !line.starts_with('\t'))
        && !body.starts_with(' ');
    fits.then(|| {
        let mut out = header.to_owned();
        for line in body.split('\n') {
            out.push_str(eol);
            if !line.is_empty() {
                let _ = write!(out, "{:indentation$}{line}", "");
            }
        }
        out
    })
}

/// Returns true if every reader of YAML 1.1 or 1.2 reads the bare text as this string.
pub(super) fn is_safe_plain(text: &str, flow: bool) -> bool {
    let safe = write_inline_scalar(text);
    safe == text || (!flow && safe.starts_with('\'') && is_safe_plain_in_block(text))
}

/// Returns true if the text may be bare outside of brackets, given that it has no special meaning and no
/// special characters.
fn is_safe_plain_in_block(text: &str) -> bool {
    !text.starts_with(|first| "-?:,[]{}#&*!|>'\"%@` ".contains(first))
        && !text.starts_with("...")
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
}

/// Returns true if a text needs double quotes. Other quotes only show that it is not a null, boolean, number or
/// date.
pub(super) fn needs_double_quotes(text: &str) -> bool {
    write_inline_scalar(text).starts_with('"')
}

/// Returns true for a character that every YAML reader takes literally, except line breaks.
fn is_harmless(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}')
        || matches!(c, '\u{ff00}'..='\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_strings_only_if_some_reader_needs_it() {
        let plain = [
            "a.v1.0.0",
            "1.2.3",
            "stable-v1",
            "-x",
            "alpha",
            "a:b",
            "quay.io/x/y@sha256:00",
            "v1",
            "nightly",
            "1.2.3-rc.1",
            "über",
            "日本",
            "a#b",
            "don't",
            "yess",
            "00-a",
            "e5",
            "a, b",
        ];
        for text in plain {
            assert_eq!(yaml_scalar(text, Quote::Plain, false), text);
        }
        let single =
            [">=1.0.0 <2.0.0", "a: b", "a #b", "a:", " a", "a ", "'x", "!x", "&x", "@x", "- x", "---"];
        for text in single {
            assert!(yaml_scalar(text, Quote::Plain, false).starts_with('\''), "{text}");
        }
        let double = [
            "",
            "y",
            "N",
            "Yes",
            "off",
            "null",
            "~",
            "1",
            "1.0",
            "1_000",
            "0x1F",
            "0o7",
            "0b1",
            "1e3",
            "08",
            "-.inf",
            ".5",
            "1:30",
            "2001-01-01",
            "2001-1-1 10:00:00",
            "<<",
            "=",
            "a\nb",
            "a\u{7}",
            "a\tb",
            "\u{1F431}",
            "a\u{feff}",
        ];
        for text in double {
            assert!(yaml_scalar(text, Quote::Plain, false).starts_with('"'), "{text}");
        }
    }

    #[test]
    fn more_strings_are_quoted_inside_brackets() {
        for text in ["a,b", "a]", "x{", "a:b"] {
            assert!(yaml_scalar(text, Quote::Plain, true).starts_with('\''), "{text}");
        }
        assert_eq!(yaml_scalar("a.v1", Quote::Plain, true), "a.v1");
    }

    #[test]
    fn uses_requested_quotes_if_possible() {
        assert_eq!(yaml_scalar("a", Quote::Single, false), "'a'");
        assert_eq!(yaml_scalar("it's", Quote::Single, false), "'it''s'");
        assert_eq!(yaml_scalar("a", Quote::Double, false), "\"a\"");
        assert_eq!(yaml_scalar("a\nb", Quote::Single, false), "\"a\\nb\"");
        assert_eq!(yaml_scalar("a\\\"b", Quote::Double, true), "\"a\\\\\\\"b\"");
        assert_eq!(yaml_scalar("\u{1F431}", Quote::Single, true), "\"\\U0001F431\"");
    }

    #[test]
    fn uses_blocks_only_without_loss() {
        assert_eq!(block_scalar("a\n\n b\n", 2, "\n").unwrap(), "|\n  a\n\n   b");
        assert_eq!(block_scalar("a\nb", 4, "\r\n").unwrap(), "|-\r\n    a\r\n    b");
        for text in ["", "\n", "\na", " a\nb", "a\n\n", "a\n \nb", "a\tb\r\n", "a\n\tb", "a\u{85}b"] {
            assert_eq!(block_scalar(text, 2, "\n"), None, "{text:?}");
        }
    }
}
