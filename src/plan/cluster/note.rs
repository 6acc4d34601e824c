//! What could not be read of a cluster's files, and where. No value of an object stands in a note: it may be a secret.

use std::{fmt, sync::Arc};

use super::Kind;
use crate::catalog::{ReadError, ReadErrorKind};

/// A line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The file as people call it.
    pub file: Arc<str>,
    /// The line, from 1 on.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Something that was not read, or not as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: NoteKind,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

/// What was not read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoteKind {
    /// A document that is neither YAML nor JSON.
    #[error("this document is ignored: {0}")]
    Document(String),
    /// An object without a name.
    #[error("this {0} has no metadata.name and is ignored")]
    NoName(Kind),
    /// A field of another type.
    #[error("{object}: {field} must be {expected}; it is ignored")]
    Field {
        /// The kind and name of the object.
        object: String,
        /// Its path.
        field: String,
        /// The type.
        expected: &'static str,
    },
    /// A field that is needed.
    #[error("{object} has no {field} and is ignored")]
    NoField {
        /// The kind and name of the object.
        object: String,
        /// Its path.
        field: &'static str,
    },
    /// Two objects of one name that say different things.
    #[error("{object} is here and at {other}, and they differ; {other} is ignored")]
    Twice {
        /// The kind and name of the object.
        object: String,
        /// Where the other one is.
        other: Place,
    },
    /// A version that cannot be read.
    #[error("{object}: {field} is not a version")]
    Version {
        /// The kind and name of the object.
        object: String,
        /// Its path.
        field: &'static str,
    },
}

/// Why text cannot be read, without what stands in it.
pub(super) fn without_values(error: &ReadError) -> String {
    match &error.kind {
        ReadErrorKind::TagMismatch { tag, .. } => format!("a value cannot be read as {tag}"),
        ReadErrorKind::NotFinite(_) => "a number is too large".to_owned(),
        ReadErrorKind::UnknownAnchor(_) => "an alias has no anchor".to_owned(),
        ReadErrorKind::RecursiveAnchor(_) => "an anchor contains itself".to_owned(),
        ReadErrorKind::Json(_) => "invalid JSON".to_owned(),
        kind => kind.to_string(),
    }
}
