//! Places in a text that a scalar of a document holds, such as the examples in `alm-examples`.

use std::ops::Range;

use crate::{
    bundle::registry::Object,
    catalog::{Node, Span},
};

/// A text that a scalar holds, and where it stands in the document: of block text and of plain quotes exactly, else the
/// whole scalar is meant.
pub(super) struct Embedded<'t> {
    scalar: Span,
    text: &'t str,
    written: Written,
}

/// How a scalar is written.
enum Written {
    /// As its text, behind a quote.
    Quoted,
    /// As lines.
    Block(Vec<Line>),
    /// With escapes or folded: nobody can tell what stands where.
    Otherwise,
}

/// A line of a text, and of the scalar.
struct Line {
    /// Where it begins in the text.
    text: usize,
    /// Where what it says stands in the scalar; nothing where it is written another way.
    raw: Option<Range<usize>>,
}

impl<'t> Embedded<'t> {
    pub(super) fn new(object: &Object<'_>, scalar: &Node<'_>, text: &'t str) -> Self {
        let start = object.document.start + scalar.span.start as usize;
        let raw = object.file.bytes().get(start..start + scalar.span.range().len()).unwrap_or_default();
        let written = match raw {
            [b'"' | b'\'', inside @ .., _] if inside == text.as_bytes() => Written::Quoted,
            [b'|', ..] => Written::Block(lines(raw, text)),
            _ => Written::Otherwise,
        };
        Self { scalar: scalar.span, text, written }
    }

    /// Where a part of the text stands.
    pub(super) fn place(&self, part: Span) -> Span {
        let begin = self.scalar.start as usize;
        match self.exact(part.range()) {
            Some(place) => Span::new(begin + place.start, begin + place.end),
            None => self.scalar,
        }
    }

    fn exact(&self, part: Range<usize>) -> Option<Range<usize>> {
        match &self.written {
            Written::Quoted => Some(part.start + 1..part.end + 1),
            Written::Block(lines) => {
                self.text.get(part.clone())?;
                let line =
                    lines.get(lines.partition_point(|line| line.text <= part.start).checked_sub(1)?)?;
                let raw = line.raw.as_ref()?;
                let start = raw.start + part.start - line.text;
                // What goes on over lines is shown by its first.
                let end = (start + part.len()).min(raw.end);
                Some(start..end.max(start))
            }
            Written::Otherwise => None,
        }
    }
}

/// The lines of a block; its first is the header.
fn lines(raw: &[u8], text: &str) -> Vec<Line> {
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
    use super::Embedded;
    use crate::{
        bundle::{TreeFile, document, registry::Object},
        catalog::Span,
    };

    /// What stands where the parts of a text are said to stand.
    fn shown(yaml: &str, parts: &[&str]) -> Vec<String> {
        let file = TreeFile { path: "manifests/a.yaml".to_owned(), content: Ok(yaml.into()) };
        let object = Object { file: &file, document: document::first(file.bytes()).unwrap().into() };
        let scalar = object.document.node.get("a").unwrap();
        let text = scalar.as_str().unwrap();
        let embedded = Embedded::new(&object, scalar, text);
        let place = |part: &&str| {
            let start = text.find(part).unwrap();
            let span = embedded.place(Span::new(start, start + part.len()));
            yaml[object.document.start..][span.range()].to_owned()
        };
        parts.iter().map(place).collect()
    }

    #[test]
    fn parts_stand_where_they_are_written() {
        assert_eq!(shown("a: |\n  [1,\n\n   2]\n", &["1", "2]", "1,\n\n 2]"]), ["1", "2]", "1,"]);
        assert_eq!(shown("b: x\na: '[1, 2]'\n", &["2"]), ["2"]);
        assert_eq!(shown("a: \"[\\u0031, 2]\"\n", &["2"]), ["\"[\\u0031, 2]\""], "escapes");
        assert_eq!(shown("a: >\n  [1,\n  2]\n", &["2"]), [">\n  [1,\n  2]"], "folded");
    }
}
