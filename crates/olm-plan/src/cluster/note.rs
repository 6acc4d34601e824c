//! Mistakes in a cluster's files, with their locations. Notes never contain values of objects, which may be
//! secrets.

use std::{fmt, sync::Arc};

use super::Kind;
use olm_catalog::{ReadError, ReadErrorKind};

/// Line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// Name of the file for messages.
    pub file: Arc<str>,
    /// Line number, from 1.
    pub line: usize,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Data that was ignored or cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Location of the data.
    pub place: Location,
    /// Reason.
    pub kind: NoteKind,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.kind)
    }
}

/// Reason why data was ignored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoteKind {
    /// The document is neither YAML nor JSON.
    #[error("this document is ignored: {0}")]
    Document(String),
    /// The object does not have a name.
    #[error("this {0} has no metadata.name and is ignored")]
    NoName(Kind),
    /// The field has a wrong type.
    #[error("{object}: {field} must be {expected}; it is ignored")]
    Field {
        /// Kind and name of the object.
        object: String,
        /// Path of the field.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// A required field is missing.
    #[error("{object} has no {field} and is ignored")]
    NoField {
        /// Kind and name of the object.
        object: String,
        /// Path of the field.
        field: &'static str,
    },
    /// Two objects with the same name differ.
    #[error("{object} is here and at {other}, and they differ; {other} is ignored")]
    Twice {
        /// Kind and name of the object.
        object: String,
        /// Location of the other object.
        other: Location,
    },
    /// The version cannot be parsed.
    #[error("{object}: {field} is not a version")]
    Version {
        /// Kind and name of the object.
        object: String,
        /// Path of the field.
        field: &'static str,
    },
}

/// Returns the message of a parse error without any values.
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
