//! Locations of parts of a CRD: file, line and column.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalog::{Span, file::Lines};

/// A location in a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// Display path of the file.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Source text of a CRD.
#[derive(Debug)]
pub enum Ground<'a> {
    /// A file.
    File(FileGround<'a>),
    /// Text that is encoded inside another text; all locations are that of the encoded text.
    Encoded(Place),
    /// Text without a location, such as input from a pipe.
    Nowhere,
}

/// A file with a line index.
#[derive(Debug)]
pub struct FileGround<'a> {
    file: Arc<str>,
    text: &'a [u8],
    lines: Lines,
}

impl<'a> Ground<'a> {
    /// Creates the source for a file with its display path and content.
    pub fn file(shown: &str, text: &'a [u8]) -> Self {
        Self::File(FileGround { file: shown.into(), text, lines: Lines::new(std::iter::once(text)) })
    }

    /// Returns the location of a byte.
    pub fn place(&self, offset: usize) -> Option<Place> {
        match self {
            Self::File(FileGround { file, text, lines }) => {
                let at = lines.position(0, offset.min(text.len()), |_| text);
                Some(Place { file: Arc::clone(file), line: 1 + at.lines, column: 1 + at.column })
            }
            Self::Encoded(place) => Some(place.clone()),
            Self::Nowhere => None,
        }
    }

    /// Returns the location of a span in a document that begins at `start`.
    pub(super) fn of(&self, start: usize, span: Span) -> Option<Place> {
        self.place(start + span.start as usize)
    }
}
