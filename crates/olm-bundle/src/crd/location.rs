//! Locations of parts of a CRD: file, line and column.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use olm_catalog::{Span, file::LineIndex};

/// A location in a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct CrdLocation {
    /// Display path of the file.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Source text of a CRD.
#[derive(Debug)]
pub enum SourceText<'a> {
    /// A file.
    File(IndexedFile<'a>),
    /// Text that is encoded inside another text; all locations are that of the encoded text.
    Encoded(CrdLocation),
    /// Text without a location, such as input from a pipe.
    Nowhere,
}

/// A file with a line index.
#[derive(Debug)]
pub struct IndexedFile<'a> {
    file: Arc<str>,
    text: &'a [u8],
    lines: LineIndex,
}

impl<'a> SourceText<'a> {
    /// Creates the source for a file with its display path and content.
    pub fn from_file(shown: &str, text: &'a [u8]) -> Self {
        Self::File(IndexedFile { file: shown.into(), text, lines: LineIndex::new(std::iter::once(text)) })
    }

    /// Returns the location of a byte.
    pub fn location(&self, offset: usize) -> Option<CrdLocation> {
        match self {
            Self::File(IndexedFile { file, text, lines }) => {
                let at = lines.position(0, offset.min(text.len()), |_| text);
                Some(CrdLocation { file: Arc::clone(file), line: 1 + at.lines, column: 1 + at.column })
            }
            Self::Encoded(place) => Some(place.clone()),
            Self::Nowhere => None,
        }
    }

    /// Returns the location of a span in a document that begins at `start`.
    pub(super) fn location_of_span(&self, start: usize, span: Span) -> Option<CrdLocation> {
        self.location(start + span.start as usize)
    }
}
