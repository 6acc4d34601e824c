//! Positions in a text that is itself a scalar of a document, such as the examples in `alm-examples`.

use std::ops::Range;

use olm_bundle::registry::Object;
use olm_catalog::{Node, Span};

/// Text of a scalar, with its position in the document. Positions inside are exact for block text
/// and for quotes without escapes. Otherwise the position is that of the whole scalar.
pub(super) struct EmbeddedText<'t> {
    scalar: Span,
    text: &'t str,
    notation: Notation,
}

/// Notation of a scalar.
enum Notation {
    /// Quotes without escapes.
    Quoted,
    /// Block of lines.
    Block(Vec<Line>),
    /// Escapes or folded lines; exact positions are unknown.
    Inexact,
}

/// Line of a text, and the same line in the scalar.
struct Line {
    /// Offset of the line in the text.
    text: usize,
    /// Byte range of the line in the scalar; `None` if the notation differs.
    raw: Option<Range<usize>>,
}

impl<'t> EmbeddedText<'t> {
    pub(super) fn new(object: &Object<'_>, scalar: &Node<'_>, text: &'t str) -> Self {
        let start = object.document.start + scalar.span.start as usize;
        let raw =
            object.file.content_or_empty().get(start..start + scalar.span.range().len()).unwrap_or_default();
        let written = match raw {
            [b'"' | b'\'', inside @ .., _] if inside == text.as_bytes() => Notation::Quoted,
            [b'|', ..] => Notation::Block(block_lines(raw, text)),
            _ => Notation::Inexact,
        };
        Self { scalar: scalar.span, text, notation: written }
    }

    /// Returns the position of a part of the text in the document.
    pub(super) fn span_in_document(&self, part: Span) -> Span {
        let begin = self.scalar.start as usize;
        match self.exact_range(part.range()) {
            Some(place) => Span::new(begin + place.start, begin + place.end),
            None => self.scalar,
        }
    }

    fn exact_range(&self, part: Range<usize>) -> Option<Range<usize>> {
        match &self.notation {
            Notation::Quoted => Some(part.start + 1..part.end + 1),
            Notation::Block(lines) => {
                self.text.get(part.clone())?;
                let line =
                    lines.get(lines.partition_point(|line| line.text <= part.start).checked_sub(1)?)?;
                let raw = line.raw.as_ref()?;
                let start = raw.start + part.start - line.text;
                // Only the first line of a part with several lines is marked.
                let end = (start + part.len()).min(raw.end);
                Some(start..end.max(start))
            }
            Notation::Inexact => None,
        }
    }
}

/// Returns the lines of a block scalar; its first line is the header.
fn block_lines(raw: &[u8], text: &str) -> Vec<Line> {
    let mut at = 0;
    let mut written = Vec::new();
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        written.push((at, line.trim_ascii_end()));
        at += line.len();
    }
    let mut start = 0;
    let mut lines = Vec::new();
    for (line, raw) in text.split_inclusive('\n').zip(written.iter().skip(1)) {
        let (at, raw) = *raw;
        let meant = line.trim_ascii_end().as_bytes();
        let indent = raw.len().checked_sub(meant.len());
        let is_it = |indent: &usize| raw.get(*indent..) == Some(meant);
        lines.push(Line { text: start, raw: indent.filter(is_it).map(|indent| at + indent..at + raw.len()) });
        start += line.len();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::EmbeddedText;
    use olm_bundle::{TreeFile, document, registry::Object};
    use olm_catalog::Span;

    /// Returns the YAML at the position of each part.
    fn text_at_parts(yaml: &str, parts: &[&str]) -> Vec<String> {
        let file = TreeFile { path: "manifests/a.yaml".to_owned(), content: Ok(yaml.into()) };
        let object =
            Object { file: &file, document: document::parse_first(file.content_or_empty()).unwrap().into() };
        let scalar = object.document.node.get("a").unwrap();
        let text = scalar.as_str().unwrap();
        let embedded = EmbeddedText::new(&object, scalar, text);
        let place = |part: &&str| {
            let start = text.find(part).unwrap();
            let span = embedded.span_in_document(Span::new(start, start + part.len()));
            yaml[object.document.start..][span.range()].to_owned()
        };
        parts.iter().map(place).collect()
    }

    #[test]
    fn places_parts_at_their_position_in_yaml() {
        assert_eq!(text_at_parts("a: |\n  [1,\n\n   2]\n", &["1", "2]", "1,\n\n 2]"]), ["1", "2]", "1,"]);
        assert_eq!(text_at_parts("b: x\na: '[1, 2]'\n", &["2"]), ["2"]);
        assert_eq!(text_at_parts("a: \"[\\u0031, 2]\"\n", &["2"]), ["\"[\\u0031, 2]\""], "escapes");
        assert_eq!(text_at_parts("a: >\n  [1,\n  2]\n", &["2"]), [">\n  [1,\n  2]"], "folded");
    }
}
