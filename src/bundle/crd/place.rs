//! Where things of a CRD stand: file, line and column.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::catalog::{Span, file::Lines};

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file as people see it.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The text that a CRD was read from.
#[derive(Debug)]
pub enum Ground<'a> {
    /// A file.
    File(FileGround<'a>),
    /// It is encoded at a place of another text, and all of it stands there.
    Encoded(Place),
    /// Nobody can look it up: it came through a pipe.
    Nowhere,
}

/// A file with its lines counted.
#[derive(Debug)]
pub struct FileGround<'a> {
    file: Arc<str>,
    text: &'a [u8],
    lines: Lines,
}

impl<'a> Ground<'a> {
    /// A file, as people see its path, and what is in it.
    pub fn file(shown: &str, text: &'a [u8]) -> Self {
        Self::File(FileGround { file: shown.into(), text, lines: Lines::new(std::iter::once(text)) })
    }

    /// The place of a byte.
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

    /// The place of a part of a document that begins at a byte of it.
    pub(super) fn of(&self, start: usize, span: Span) -> Option<Place> {
        self.place(start + span.start as usize)
    }
}
