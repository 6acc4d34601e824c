//! Line ends with an extra carriage return: CR CR LF, as a text-mode copy of CR LF produces.
//!
//! opm converts CR LF to LF before YAML parsing, and the parser takes the remaining CR LF for one line break. A
//! parser of the original text would see two line breaks.

use super::{move_spans, parse_lines};
use crate::{node::Node, span::Span, text::yaml::ReadError};

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
    use crate::text::yaml::parse_yaml;

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
