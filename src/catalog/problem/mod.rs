//! What kept something in a catalog from being read as what it claims to be.

mod many;
mod sort;

use std::path::PathBuf;

use super::{file::DocId, meta::MetaError, span::Span, text::read_error::ReadError};

pub use many::{MOST, Problems, Rest};

/// Something unreadable, and where. The rest of the catalog is read all the same; `validate` makes findings of these.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where it is.
    pub at: ProblemPlace,
    /// What it is.
    pub kind: ProblemKind,
}

/// Where a problem is.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemPlace {
    /// A file or folder as a whole, by the path as shown.
    File(PathBuf),
    /// A part of a document.
    Document(DocId, Span),
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// The operating system refused.
    #[error("cannot read: {0}")]
    Unreadable(String),
    /// A link to a folder, or to nothing.
    #[error("{0}")]
    BadLink(&'static str),
    /// A named pipe, a socket or a device. opm would wait for it, or read it without end.
    #[error("{0}, not a regular file")]
    Special(&'static str),
    /// A link leads out of the catalog to a file: it is read, as opm does, and nothing of it is quoted.
    #[error("a link to a file outside the catalog")]
    OutOfCatalog,
    /// What a link out of the catalog leads to is not what a catalog holds. What it is instead is nobody's business.
    #[error("the target of the link is not catalog content; it is outside the catalog, so it is not quoted")]
    Unquoted {
        /// See [`ProblemKind::stops_opm`].
        stops_opm: bool,
    },
    /// The file is the pointer that Git LFS leaves in place of a file it did not fetch.
    #[error("only the Git LFS pointer of the file")]
    LfsPointer,
    /// A save of olmap was cut short and left the file. It is not read here, but opm reads it with the rest.
    #[error("left over from an interrupted save; olmap ignores it, but opm reads it")]
    LeftOver,
    /// A save of olmap was cut short and left a folder that opm does not read.
    #[error("left over from an interrupted save; opm does not read its contents")]
    LeftOverFolder,
    /// An `.indexignore` has a pattern that opm refuses.
    #[error("{0}")]
    BadIgnore(String),
    /// A bundle directory that opm rejects: what is known of it is in the catalog all the same.
    #[error("opm rejects the bundle: {0}")]
    RejectedBundle(String),
    /// The file is a template that catalogs are made from: what follows from that.
    #[error("{text}")]
    Template {
        /// In words.
        text: String,
        /// What to do about it.
        help: &'static str,
        /// What it lists, and where.
        lists: Vec<(String, Span)>,
    },
    /// opm refuses to render the template: why.
    #[error("{0}")]
    BadTemplate(String),
    /// The bytes are neither YAML nor JSON as opm reads them.
    #[error("{0}")]
    Syntax(ReadError),
    /// UTF-16 text in which more follows the first document. opm reads the first document and loses the rest.
    #[error("opm reads only the first document of UTF-16 text: the rest of the file is lost")]
    LostDocuments,
    /// The object has no schema, or its package or name is no string.
    #[error("{0}")]
    Meta(MetaError),
    /// A field of a typed blob has a value of another type.
    #[error("{field} must be {expected}")]
    WrongType {
        /// Path of the field within the blob, such as `entries[3].skips`.
        field: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A field that must be there is not.
    #[error("{field} is missing")]
    Missing {
        /// Path of the field within the blob.
        field: String,
    },
    /// A string that must be base64, or base64 of an object, is not.
    #[error("{field} is not {expected}")]
    BadEncoding {
        /// Path of the field within the blob.
        field: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A key stands in its map already. No reader minds, but only its last value is read.
    #[error("duplicate key `{key}`")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Where it stands first.
        first: Span,
        /// True if both have the same value, so that nothing is lost.
        is_same: bool,
    },
    /// A typed blob has a key that OLM does not know, but nearly does. Readers ignore it, and `opm render` drops it.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key.
        key: String,
        /// The one that is probably meant.
        meant: &'static str,
    },
}

impl ProblemKind {
    /// Whether something is wrong with what was read, and not just odd.
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

    /// Whether opm gives up reading the catalog because of it, so that `opm render` prints nothing.
    ///
    /// What is wrong within the `value` of a property does not stop it: to opm they are raw JSON while it reads
    /// (operator-registry `alpha/property`, `Property.Value`); it looks into them when it validates.
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

/// Whether a field is the value of a property or lies in it: `properties[0].value.links[1]`.
fn is_in_property_value(field: &str) -> bool {
    let index = field.strip_prefix("properties[").and_then(|rest| rest.split_once("].value"));
    index.is_some_and(|(index, rest)| {
        index.bytes().all(|b| b.is_ascii_digit()) && (rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

impl ProblemKind {
    /// What may be said of it in a file that must not be quoted; `None` where it matters to nobody.
    fn unquoted(&self) -> Option<Self> {
        self.is_error().then(|| Self::Unquoted { stops_opm: self.stops_opm() })
    }
}

impl Problem {
    /// The same of a file that must not be quoted; `None` where it matters to nobody.
    pub(super) fn unquoted(self) -> Option<Self> {
        let at = match self.at {
            ProblemPlace::Document(doc, _) => ProblemPlace::Document(doc, Span::default()),
            file @ ProblemPlace::File(_) => file,
        };
        self.kind.unquoted().map(|kind| Self { at, kind })
    }

    /// The document it is in, where it is in one.
    pub fn doc(&self) -> Option<DocId> {
        match &self.at {
            ProblemPlace::File(_) => None,
            ProblemPlace::Document(doc, _) => Some(*doc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opm_reads_on_past_what_is_wrong_in_the_value_of_a_property() {
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
