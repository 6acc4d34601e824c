//! Problems that prevent reading a part of a catalog.

mod group;
mod problem_set;

use std::path::PathBuf;

use super::{file::DocId, meta::MetaError, span::Span, text::read_error::ReadError};

pub use problem_set::{FurtherProblems, MAX_COMPLETE, Problems};

/// A problem with its location. The rest of the catalog is read regardless; `olm-check` converts problems to
/// findings.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Location of the problem.
    pub at: ProblemLocation,
    /// Kind of the problem.
    pub kind: ProblemKind,
}

/// Location of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemLocation {
    /// A whole file or folder, by display path.
    File(PathBuf),
    /// A span of a document.
    Document(DocId, Span),
}

/// Kinds of problems.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// Error of the operating system.
    #[error("cannot read: {0}")]
    Unreadable(String),
    /// A link to a folder, or a dangling link.
    #[error("{0}")]
    BadLink(&'static str),
    /// A named pipe, a socket or a device. opm would block on it, or read it endlessly.
    #[error("{0}, not a regular file")]
    Special(&'static str),
    /// A link to a file outside the catalog. It is read, as in opm, but never quoted.
    #[error("a link to a file outside the catalog")]
    OutOfCatalog,
    /// The target of a link out of the catalog is not catalog content. Its content is not disclosed.
    #[error("the target of the link is not catalog content; it is outside the catalog, so it is not quoted")]
    Unquoted {
        /// See [`ProblemKind::stops_opm`].
        stops_opm: bool,
    },
    /// The file is a Git LFS pointer.
    #[error("only the Git LFS pointer of the file")]
    LfsPointer,
    /// An interrupted save of olmap left the file behind. It is not read here, but opm reads it.
    #[error("left over from an interrupted save; olmap ignores it, but opm reads it")]
    LeftOver,
    /// An interrupted save of olmap left a folder behind that opm does not read.
    #[error("left over from an interrupted save; opm does not read its contents")]
    LeftOverFolder,
    /// An `.indexignore` has a pattern that opm rejects.
    #[error("{0}")]
    BadIgnore(String),
    /// A bundle directory that opm rejects. Its readable part is in the catalog.
    #[error("opm rejects the bundle: {0}")]
    RejectedBundle(String),
    /// The file is a template for catalogs, with the consequences.
    #[error("{text}")]
    Template {
        /// Message.
        text: String,
        /// Suggested action.
        help: &'static str,
        /// Listed items with their spans.
        lists: Vec<(String, Span)>,
    },
    /// opm refuses to render the template, with the reason.
    #[error("{0}")]
    BadTemplate(String),
    /// The bytes are neither YAML nor JSON by opm's rules.
    #[error("{0}")]
    Syntax(ReadError),
    /// UTF-16 text with more than one document. opm reads the first document and loses the rest.
    #[error("opm reads only the first document of UTF-16 text: the rest of the file is lost")]
    LostDocuments,
    /// The object does not have a schema, or its package or name is not a string.
    #[error("{0}")]
    Meta(MetaError),
    /// A field of a typed blob has a value of another type.
    #[error("{field} must be {expected}")]
    WrongType {
        /// Path of the field within the blob, such as `entries[3].skips`.
        field: String,
        /// Expected type.
        expected: &'static str,
    },
    /// A required field is missing.
    #[error("{field} is missing")]
    Missing {
        /// Path of the field within the blob.
        field: String,
    },
    /// A string is not base64, or not base64 of an object, as required.
    #[error("{field} is not {expected}")]
    BadEncoding {
        /// Path of the field within the blob.
        field: String,
        /// Expected encoding.
        expected: &'static str,
    },
    /// A duplicate key in a map. Readers accept it, but use only the last value.
    #[error("duplicate key `{key}`")]
    DuplicateKey {
        /// Duplicate key.
        key: String,
        /// Span of the first occurrence.
        first: Span,
        /// True if both have the same value, so that no data is lost.
        is_same: bool,
    },
    /// A typed blob has a key that OLM does not know, but that resembles a known one. Readers ignore it, and
    /// `opm render` drops it.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// Unknown key.
        key: String,
        /// Similar known key.
        meant: &'static str,
    },
}

impl ProblemKind {
    /// Returns true if the input is invalid, not just unusual.
    pub fn is_error(&self) -> bool {
        !matches!(
            self,
            Self::DuplicateKey { .. }
                | Self::UnknownKey { .. }
                | Self::LeftOverFolder
                | Self::OutOfCatalog
                | Self::Template { .. }
        )
    }

    /// Returns true if opm stops reading the catalog, so that `opm render` prints nothing.
    ///
    /// Problems within the `value` of a property do not stop it: opm reads values as raw JSON
    /// (operator-registry `alpha/property`, `Property.Value`) and checks them only during validation.
    pub fn stops_opm(&self) -> bool {
        match self {
            Self::Unquoted { stops_opm } => *stops_opm,
            Self::LostDocuments => false,
            Self::WrongType { field, .. } | Self::Missing { field } | Self::BadEncoding { field, .. } => {
                !is_in_property_value(field)
            }
            kind => kind.is_error(),
        }
    }
}

/// Returns true if a field is the value of a property or inside it: `properties[0].value.links[1]`.
fn is_in_property_value(field: &str) -> bool {
    let index = field.strip_prefix("properties[").and_then(|rest| rest.split_once("].value"));
    index.is_some_and(|(index, rest)| {
        index.bytes().all(|b| b.is_ascii_digit()) && (rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

impl ProblemKind {
    /// Returns the problem in the form for a file that must not be quoted; `None` if it is not an error.
    fn unquoted(&self) -> Option<Self> {
        self.is_error().then(|| Self::Unquoted { stops_opm: self.stops_opm() })
    }
}

impl Problem {
    /// Returns the problem in the form for a file that must not be quoted; `None` if it is not an error.
    pub(super) fn unquoted(self) -> Option<Self> {
        let at = match self.at {
            ProblemLocation::Document(doc, _) => ProblemLocation::Document(doc, Span::default()),
            file @ ProblemLocation::File(_) => file,
        };
        self.kind.unquoted().map(|kind| Self { at, kind })
    }

    /// Returns the document of the problem, if any.
    pub fn doc(&self) -> Option<DocId> {
        match &self.at {
            ProblemLocation::File(_) => None,
            ProblemLocation::Document(doc, _) => Some(*doc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opm_ignores_problems_in_property_values() {
        let wrong = |field: &str| ProblemKind::WrongType { field: field.to_owned(), expected: "a map" };
        for field in ["properties[0].value", "properties[12].value.links[0].url", "properties[0].value[1]"] {
            assert!(!wrong(field).stops_opm(), "{field}");
            assert!(wrong(field).is_error(), "validate says so all the same");
        }
        for field in ["properties[0].type", "properties", "entries[0].skips", "properties[0].valued"] {
            assert!(wrong(field).stops_opm(), "{field}");
        }
        assert!(ProblemKind::Unreadable("no permission".to_owned()).stops_opm());
        assert!(
            ProblemKind::LeftOver.stops_opm(),
            "opm reads it too: most often things are there twice then"
        );
        assert!(!ProblemKind::LeftOverFolder.is_error());
    }
}
