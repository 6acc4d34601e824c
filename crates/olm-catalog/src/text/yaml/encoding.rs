//! Text that is converted before it is parsed: UTF-16, and line ends with an extra carriage return.
//!
//! opm splits files into lines at the byte `0A`, whatever the encoding. It drops a byte `0D` before it, and
//! ends the last line with one more `0A` if it lacks one. go-yaml then decodes the text by its byte order mark,
//! in blocks, up to the end of its first document. A `---` line in UTF-16 does not split a file, so that the
//! documents after the first are lost.
//!
//! A text-mode copy of CR LF produces CR CR LF. opm converts CR LF to LF before YAML parsing, and the parser
//! takes the remaining CR LF for one line break. A parser of the original text would see two line breaks.

use super::{ReadError, ReadErrorKind, move_spans, parse_lines, tape, tree};
use crate::{node::Node, span::Span};

/// Number of bytes that go-yaml reads at a time.
const BLOCK: usize = 512;

/// Form of the text that go-yaml receives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// Line by line.
    Lines,
    /// As a whole.
    Whole,
}

/// Returns true if a text begins with a byte order mark of UTF-16.
pub(super) fn is_marked(text: &[u8]) -> bool {
    matches!(text, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..])
}

/// Parses the first document of a text that begins with a byte order mark. Spans are relative to `text`.
pub(super) fn parse_marked(text: &[u8], route: Route) -> Result<Node<'static>, ReadError> {
    let decoded = DecodedText::decode(text, route);
    decoded.check_complete()?;
    let back = |span: Span| decoded.original_span(span);
    let moved = |error: ReadError| ReadError { span: back(error.span), kind: error.kind };
    let Some(tape) = tape::read_tape(&decoded.text).map_err(moved)? else {
        return Ok(Node::new(crate::node::Value::Null, Span::new(2, 2)));
    };
    let mut node = tree::build_tree(tape, 0).map_err(moved)?.detached();
    move_spans(&mut node, back);
    Ok(node)
}

/// Returns the part of a text after the first document, which go-yaml does not read; `None` if it has no
/// content.
pub(super) fn lost_span(text: &[u8]) -> Option<Span> {
    let decoded = DecodedText::decode(text, Route::Lines);
    let end = document_end(&decoded.text)?;
    let rest = decoded.text.get(end..)?;
    let mut at = end;
    for line in rest.split_inclusive(is_break) {
        let is_marker = marker_character(line).is_some();
        let content = if is_marker { line.get(3..).unwrap_or_default() } else { line };
        if !is_empty_line(content) {
            return Some(Span::new(decoded.original_span(Span::new(at, at)).start as usize, text.len()));
        }
        at += line.len();
    }
    // Text that cannot be decoded also counts as content.
    decoded
        .stop
        .filter(|stop| stop.kind != INCOMPLETE)
        .map(|stop| Span::new(stop.at.min(text.len()), text.len()))
}

const INCOMPLETE: &str = "incomplete UTF-16 character";

/// Reason why decoding ends before the end of the text.
#[derive(Clone, Copy)]
struct DecodeStop {
    kind: &'static str,
    /// Position in the original text.
    at: usize,
    /// Length of the decoded text that go-yaml has when it reaches this position.
    known: usize,
}

/// Text decoded to UTF-8, with the original position of each character.
struct DecodedText {
    text: String,
    /// Position of each character in `text`.
    starts: Vec<usize>,
    /// Position of each character, and of the end, in the original text.
    places: Vec<usize>,
    stop: Option<DecodeStop>,
}

impl DecodedText {
    fn decode(text: &[u8], route: Route) -> Self {
        let is_big_endian = text.starts_with(&[0xFE, 0xFF]);
        let (bytes, removed) = match route {
            Route::Lines => split_lines(text),
            Route::Whole => (text.to_vec(), Vec::new()),
        };
        // A position before a removed byte stays before it.
        let place = |at: usize| (at + removed.partition_point(|removed| *removed < at)).min(text.len());
        let mut decoded = Self { text: String::new(), starts: Vec::new(), places: Vec::new(), stop: None };
        let (mut at, mut filled, mut known) = (2, BLOCK.min(bytes.len()), 0);
        loop {
            let available = bytes.get(at..filled).unwrap_or_default();
            match decode_character(available, is_big_endian) {
                Next::Character(c, width) => {
                    decoded.starts.push(decoded.text.len());
                    decoded.places.push(place(at));
                    decoded.text.push(c);
                    at += width;
                }
                Next::More if filled < bytes.len() => {
                    known = decoded.text.len();
                    // The rest of a block leaves less room for the next.
                    filled = (filled + BLOCK - available.len()).min(bytes.len());
                }
                Next::More if available.is_empty() => break,
                Next::More => {
                    let kind =
                        if available.len() < 2 { INCOMPLETE } else { "incomplete UTF-16 surrogate pair" };
                    decoded.stop = Some(DecodeStop { kind, at: place(at), known: decoded.text.len() });
                    break;
                }
                Next::Bad(kind) => {
                    decoded.stop = Some(DecodeStop { kind, at: place(at), known });
                    break;
                }
            }
        }
        decoded.places.push(place(at));
        decoded
    }

    /// Checks that go-yaml reaches the end of the first document before invalid text.
    fn check_complete(&self) -> Result<(), ReadError> {
        let Some(stop) = self.stop else { return Ok(()) };
        // The scanner reads four characters to find a line that ends a document.
        let is_in_time = document_end(&self.text).is_some_and(|end| {
            self.text.get(end..stop.known).is_some_and(|known| known.chars().nth(3).is_some())
        });
        if is_in_time { Ok(()) } else { Err(ReadErrorKind::Utf16(stop.kind).at_span(stop.at..stop.at)) }
    }

    fn original_span(&self, span: Span) -> Span {
        let place = |at: u32| {
            let index = self.starts.partition_point(|start| *start < at as usize);
            self.places.get(index).or(self.places.last()).copied().unwrap_or_default()
        };
        Span::new(place(span.start), place(span.end))
    }
}

/// Returns the bytes that the line reader passes on, and the positions of dropped bytes.
fn split_lines(text: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = Vec::with_capacity(text.len() + 1);
    let mut removed = Vec::new();
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, b"\r\n") {
        bytes.extend_from_slice(text.get(from..at).unwrap_or_default());
        removed.push(bytes.len());
        from = at + 1;
    }
    bytes.extend_from_slice(text.get(from..).unwrap_or_default());
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    (bytes, removed)
}

enum Next {
    /// A character, and its length in bytes.
    Character(char, usize),
    /// Not enough bytes for a character.
    More,
    /// Bytes that are not a character.
    Bad(&'static str),
}

fn decode_character(bytes: &[u8], is_big_endian: bool) -> Next {
    let unit = |at: usize| match bytes.get(at..at + 2) {
        Some(&[a, b]) => {
            Some(if is_big_endian { u16::from_be_bytes([a, b]) } else { u16::from_le_bytes([a, b]) })
        }
        _ => None,
    };
    let Some(first) = unit(0) else { return Next::More };
    let (code, width) = match first {
        0xDC00..=0xDFFF => return Next::Bad("unexpected low surrogate area"),
        0xD800..=0xDBFF => match unit(2) {
            None => return Next::More,
            Some(second @ 0xDC00..=0xDFFF) => {
                (0x10000 + ((u32::from(first) & 0x3FF) << 10) + (u32::from(second) & 0x3FF), 4)
            }
            Some(_) => return Next::Bad("expected low surrogate area"),
        },
        unit => (u32::from(unit), 2),
    };
    let is_allowed = matches!(code, 0x09 | 0x0A | 0x0D | 0x20..=0x7E | 0x85 | 0xA0..=0xFFFD | 0x10000..);
    match char::from_u32(code).filter(|_| is_allowed) {
        Some(c) => Next::Character(c, width),
        None => Next::Bad("control characters are not allowed"),
    }
}

/// Returns the position of the line that ends the first document; `None` if it ends with the text.
fn document_end(text: &str) -> Option<usize> {
    let mut has_begun = false;
    let mut at = 0;
    for line in text.split_inclusive(is_break) {
        match marker_character(line) {
            Some('-') if !has_begun => has_begun = true,
            Some(_) => return Some(at),
            None => has_begun |= !is_empty_line(line) && !line.starts_with('%'),
        }
        at += line.len();
    }
    None
}

/// Returns the first character of a line that begins or ends a document.
fn marker_character(line: &str) -> Option<char> {
    let (kind, rest) = match (line.strip_prefix("---"), line.strip_prefix("...")) {
        (Some(rest), _) => ('-', rest),
        (_, Some(rest)) => ('.', rest),
        _ => return None,
    };
    rest.chars().next().is_none_or(|c| is_break(c) || matches!(c, ' ' | '\t')).then_some(kind)
}

fn is_empty_line(line: &str) -> bool {
    let content = line.trim_matches(|c: char| is_break(c) || matches!(c, ' ' | '\t'));
    content.is_empty() || content.starts_with('#')
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns true if a text has such line ends.
pub(super) fn has_extra_returns(text: &[u8]) -> bool {
    memchr::memmem::find(text, b"\r\r\n").is_some()
}

/// Parses a text with such line ends.
pub(super) fn parse_without_extra_returns(text: &[u8]) -> Result<Node<'static>, ReadError> {
    let mut lines = Vec::with_capacity(text.len());
    // Positions in `lines` of removed carriage returns.
    let mut removed = Vec::new();
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, b"\r\n") {
        lines.extend_from_slice(&text[from..at]);
        removed.push(lines.len());
        from = at + 1;
    }
    lines.extend_from_slice(&text[from..]);
    // A position before a line break stays before all of it.
    let place = |at: u32| at as usize + removed.partition_point(|removed| *removed < at as usize);
    let back = |span: Span| Span::new(place(span.start), place(span.end));
    match parse_lines(&lines) {
        Ok(node) => {
            let mut node = node.detached();
            move_spans(&mut node, back);
            Ok(node)
        }
        Err(error) => Err(ReadError { span: back(error.span), kind: error.kind }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::yaml::{self, parse_yaml};

    fn encode_little_endian(text: &str) -> Vec<u8> {
        [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    }

    fn encode_big_endian(text: &str) -> Vec<u8> {
        [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
    }

    fn utf16_error(text: &[u8]) -> &'static str {
        match yaml::parse_yaml(text).unwrap_err().kind {
            ReadErrorKind::Utf16(kind) => kind,
            kind => panic!("{kind:?}"),
        }
    }

    #[test]
    fn big_endian_text_needs_final_line_feed() {
        let text = encode_big_endian("a: é\u{1F431}\n");
        let node = yaml::parse_yaml(&text).unwrap();
        assert_eq!(node.get("a").unwrap().as_str(), Some("é\u{1F431}"));
        for text in [
            encode_little_endian("a: b\n"),
            encode_little_endian("a: b"),
            encode_big_endian("a: b"),
            encode_little_endian("{\"a\": 1}\r\n"),
        ] {
            assert_eq!(utf16_error(&text), INCOMPLETE);
        }
    }

    #[test]
    fn text_is_complete_if_document_follows() {
        for encode in [encode_little_endian, encode_big_endian] {
            for end in ["---\nb: 2\n", "---\nb: 2", "---\n", "...\nb: 2"] {
                let text = encode(&format!("# first\n--- # begins\na: 1\n{end}"));
                let node = yaml::parse_yaml(&text).unwrap();
                assert_eq!(node.get("a").unwrap().span.range().len(), 2, "places are those of the original");
                assert_eq!(yaml::lost_span(&text).is_some(), end.contains('b'), "{end}");
            }
            assert_eq!(utf16_error(&encode("a: 1\n---")), INCOMPLETE, "the scanner wants one more character");
        }
    }

    #[test]
    fn text_after_document_is_read_only_to_end_of_block() {
        let lone = |padding: usize| {
            let mut text = encode_little_endian(&format!("a: 1\n---\n{}", "b".repeat(padding)));
            text.extend([0x00, 0xDC]);
            text
        };
        assert_eq!(utf16_error(&lone(10)), "unexpected low surrogate area");
        let text = lone(300);
        assert!(yaml::parse_yaml(&text).is_ok());
        assert!(yaml::lost_span(&text).is_some());
    }

    #[test]
    fn rejects_characters_that_yaml_forbids() {
        assert_eq!(utf16_error(&encode_big_endian("a: \u{1}\n")), "control characters are not allowed");
        let mut text = encode_big_endian("a: ");
        text.extend([0xD8, 0x3D, 0x00, 0x41, 0x00, 0x0A]);
        assert_eq!(utf16_error(&text), "expected low surrogate area");
        let mut text = encode_big_endian("a: ");
        text.extend([0xD8, 0x3D, 0x0A]);
        assert_eq!(utf16_error(&text), "incomplete UTF-16 surrogate pair");
    }

    #[test]
    fn whole_texts_do_not_need_line_feed() {
        for encode in [encode_little_endian, encode_big_endian] {
            let text = encode("a: 1");
            assert!(yaml::parse_stream(&text).unwrap().get("a").is_some());
        }
    }

    #[test]
    fn bytes_that_look_like_line_ends_count_as_line_ends() {
        // U+0D0A is the bytes 0D 0A. The line reader drops the first.
        assert_eq!(utf16_error(&encode_big_endian("a: \u{D0A}\n")), INCOMPLETE);
        assert!(yaml::parse_stream(&encode_big_endian("a: \u{D0A}\n")).is_ok());
    }

    #[test]
    fn cr_cr_lf_is_one_line_break() {
        let text = "---\r\r\na: |\r\r\n  x\r\n  y\r\r\n\r\r\nb: 'c\r\r\n  d' \r\r\n";
        let node = parse_yaml(text.as_bytes()).unwrap();
        assert_eq!(node.get("a").unwrap().as_str(), Some("x\ny\n"));
        assert_eq!(node.get("b").unwrap().as_str(), Some("c d"));
        assert_eq!(&text[node.get("a").unwrap().span.range()], "|\r\r\n  x\r\n  y");
        assert_eq!(&text[node.get("b").unwrap().span.range()], "'c\r\r\n  d'");
        assert_eq!(parse_yaml(b"a: b\r\r\n c: d").unwrap_err().span.start, 9);
    }
}
