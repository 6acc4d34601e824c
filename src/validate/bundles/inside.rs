//! What rules about bundles look at: a bundle directory with what follows from it.

use std::ops::Range;

use super::{Directory, Questions};
use crate::{
    bundle::{
        document::Readings,
        registry::{Contents, Csv, Object},
    },
    catalog::{Node, Span},
    validate::Location,
};

/// A bundle directory under examination.
pub struct Inside<'a> {
    /// The directory.
    pub(in crate::validate) directory: &'a Directory<'a>,
    /// What is asked of it.
    pub(in crate::validate) questions: &'a Questions,
    contents: Contents<'a>,
}

impl<'a> Inside<'a> {
    pub(super) fn new(
        directory: &'a Directory<'a>,
        questions: &'a Questions,
        readings: &Readings<'a>,
    ) -> Self {
        Self { directory, questions, contents: Contents::read_once(directory.tree, readings) }
    }

    /// Its objects and its metadata, as opm reads them.
    pub(in crate::validate) fn contents(&self) -> &Contents<'a> {
        &self.contents
    }

    /// Its `ClusterServiceVersion`.
    pub(in crate::validate) fn csv(&self) -> Option<Csv<'_, 'a>> {
        self.contents.csv()
    }

    /// Where a part of an object is.
    pub(in crate::validate) fn at(&self, object: &Object<'_>, span: Span) -> Location {
        self.directory.location(&object.place(span))
    }
}

/// Where a part of a text that a scalar holds stands in its document: in block text, and in plain quotes, exactly; else
/// the whole scalar.
pub(super) fn text_place(object: &Object<'_>, scalar: &Node<'_>, text: &str, part: Span) -> Span {
    let file = object.file.bytes();
    let start = object.document.start + scalar.span.start as usize;
    let written = file.get(start..start + scalar.span.range().len()).unwrap_or_default();
    exact(written, text, part).map_or(scalar.span, |place| {
        let begin = scalar.span.start as usize;
        Span::new(begin + place.start, begin + place.end)
    })
}

fn exact(written: &[u8], text: &str, part: Span) -> Option<Range<usize>> {
    let range = part.range();
    let length = range.len();
    if let [b'"' | b'\'', inside @ .., _] = written
        && inside == text.as_bytes()
    {
        return Some(range.start + 1..range.end + 1);
    }
    if !written.starts_with(b"|") {
        return None;
    }
    let before = text.get(..range.start)?;
    let line = before.bytes().filter(|byte| *byte == b'\n').count();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let meant = text.lines().nth(line)?;
    // The first line is the header.
    let mut at = 0;
    for (number, raw) in written.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if number == line + 1 {
            let raw = raw.trim_ascii_end();
            let indent = raw.len().checked_sub(meant.trim_ascii_end().len())?;
            let is_it = raw.get(indent..)? == meant.trim_ascii_end().as_bytes();
            let begin = at + indent + column;
            // What goes on over lines is shown by its first.
            let end = (begin + length).min(at + raw.len());
            return is_it.then_some(begin..end.max(begin));
        }
        at += raw.len();
    }
    None
}
