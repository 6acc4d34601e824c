//! Problems that prevent reading a part of a catalog.

use std::{
    collections::HashMap,
    mem::{Discriminant, discriminant},
    path::PathBuf,
};

use super::{file::DocId, meta::MetaError, span::Span, text::yaml::ReadError};
use crate::{file::FileId, meta::MetaErrorKind, text::yaml::ReadErrorKind};

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
#[non_exhaustive]
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
    /// An object of a custom schema has an empty `package`. Readers treat it as absent.
    #[error("`package` of {schema} is empty, so the object belongs to no package")]
    EmptyPackage {
        /// Schema of the object.
        schema: String,
    },
}

impl ProblemKind {
    /// Returns true if the input is invalid, not just unusual.
    pub fn is_error(&self) -> bool {
        !matches!(
            self,
            Self::DuplicateKey { .. }
                | Self::UnknownKey { .. }
                | Self::EmptyPackage { .. }
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

/// Common part of problems that one rule reports and that have the same consequences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct ProblemGroup<'a> {
    kind: Discriminant<ProblemKind>,
    syntax: Option<Discriminant<ReadErrorKind>>,
    meta: Option<Discriminant<MetaErrorKind>>,
    /// Field of the blob that contains the problem.
    field: &'a str,
    /// True if it is in a part of the field, if that looks like a property's value, and if it is one.
    within: [bool; 3],
}

impl ProblemKind {
    /// Returns the group of the problem.
    fn group(&self) -> ProblemGroup<'_> {
        let field = match self {
            Self::WrongType { field, .. } | Self::Missing { field } | Self::BadEncoding { field, .. } => {
                field
            }
            // Placeholder for problems that must not be quoted, in two groups.
            Self::Unquoted { stops_opm: true } => "stops opm",
            // A note, because no data is lost.
            Self::DuplicateKey { is_same: true, .. } => "same value",
            _ => "",
        };
        let head = field.find(['.', '[']).map_or(field, |end| &field[..end]);
        ProblemGroup {
            kind: discriminant(self),
            syntax: match self {
                Self::Syntax(error) => Some(discriminant(&error.kind)),
                _ => None,
            },
            meta: match self {
                Self::Meta(error) => Some(discriminant(&error.kind)),
                _ => None,
            },
            field: head,
            within: [head.len() < field.len(), field.contains(".value"), is_in_property_value(field)],
        }
    }
}

/// Maximum number of complete problems per group and file; further ones are stored as locations.
pub const MAX_COMPLETE: usize = 1000;

/// Problems, of which at most [`MAX_COMPLETE`] per group and file are complete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    complete: Vec<Problem>,
    further: Vec<FurtherProblems>,
}

/// Location of a problem, and its index in `complete`.
type Position = (u32, Span, usize);

/// Locations of further problems of a group in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherProblems {
    /// Kind of one of the problems, as an example for the group.
    pub example_kind: ProblemKind,
    file: FileId,
    /// Serial number of the document, and span in it.
    locations: Vec<(u32, Span)>,
}

impl FurtherProblems {
    /// Returns their locations.
    pub fn locations(&self) -> impl ExactSizeIterator<Item = (DocId, Span)> + '_ {
        self.locations.iter().map(|(serial, span)| (DocId { file: self.file, serial: *serial }, *span))
    }
}

impl Problems {
    /// Returns the complete problems.
    pub fn complete_problems(&self) -> &[Problem] {
        &self.complete
    }

    /// Returns the further problems by group.
    pub fn further_problems(&self) -> &[FurtherProblems] {
        &self.further
    }

    /// Returns true if there are no problems.
    pub fn is_empty(&self) -> bool {
        self.complete.is_empty() && self.further.is_empty()
    }

    /// Counts the problems of some kinds.
    pub fn count_kinds(&self, includes: impl Fn(&ProblemKind) -> bool) -> usize {
        let rest =
            self.further.iter().filter(|rest| includes(&rest.example_kind)).map(|rest| rest.locations.len());
        self.complete.iter().filter(|problem| includes(&problem.kind)).count() + rest.sum::<usize>()
    }

    /// Returns the kind and location of every problem in a document; problems of files are omitted.
    pub fn in_documents(&self) -> impl Iterator<Item = (&ProblemKind, DocId, Span)> {
        let complete = self.complete.iter().filter_map(|problem| match problem.at {
            ProblemLocation::Document(doc, span) => Some((&problem.kind, doc, span)),
            ProblemLocation::File(_) => None,
        });
        let rest = self.further.iter();
        complete
            .chain(rest.flat_map(|rest| rest.locations().map(|(doc, span)| (&rest.example_kind, doc, span))))
    }

    /// Adds a problem.
    pub(crate) fn push(&mut self, problem: Problem) {
        self.complete.push(problem);
        // Not on every call, because it visits all problems.
        if self.complete.len() >= 2 * MAX_COMPLETE && self.complete.len().is_power_of_two() {
            self.trim();
        }
    }

    /// Removes the problems of some documents.
    pub(crate) fn remove_documents(&mut self, is_gone: impl Fn(DocId) -> bool) {
        self.complete.retain(|problem| !problem.doc().is_some_and(&is_gone));
        for rest in &mut self.further {
            let file = rest.file;
            rest.locations.retain(|(serial, _)| !is_gone(DocId { file, serial: *serial }));
        }
        self.further.retain(|rest| !rest.locations.is_empty());
    }

    /// Replaces the problems of files.
    pub(crate) fn set_file_problems(&mut self, about_files: Vec<Problem>) {
        self.complete.retain(|problem| problem.doc().is_some());
        self.complete.splice(0..0, about_files);
    }

    /// Returns the problems of files.
    pub fn file_problems(&self) -> impl Iterator<Item = &Problem> {
        self.complete.iter().filter(|problem| problem.doc().is_none())
    }

    /// Sorts the problems by document. Problems of files stay first, in their order.
    pub(crate) fn sort_by_document<R: Ord>(&mut self, rank: impl Fn(DocId) -> R) {
        if self.complete.len() > MAX_COMPLETE {
            self.trim();
        }
        self.complete.sort_by_key(|problem| problem.doc().map(&rank));
        self.further.sort_by_cached_key(|rest| (rest.file, rest.locations.iter().min().copied()));
    }

    /// Keeps at most [`MAX_COMPLETE`] complete problems per group and file: the first ones by location, in whatever
    /// order they were added.
    fn trim(&mut self) {
        let mut groups: HashMap<(FileId, ProblemGroup<'_>), Vec<Position>> = HashMap::new();
        for (index, problem) in self.complete.iter().enumerate() {
            if let ProblemLocation::Document(doc, span) = problem.at {
                groups.entry((doc.file, problem.kind.group())).or_default().push((doc.serial, span, index));
            }
        }
        let mut surplus = vec![false; self.complete.len()];
        for group in groups.values_mut().filter(|group| group.len() > MAX_COMPLETE) {
            group.sort_unstable();
            for (_, _, index) in group.iter().skip(MAX_COMPLETE) {
                surplus[*index] = true;
            }
        }
        let complete = std::mem::take(&mut self.complete);
        for (problem, is_surplus) in complete.into_iter().zip(surplus) {
            match problem.at {
                ProblemLocation::Document(doc, span) if is_surplus => {
                    self.add_further(problem.kind, doc, &[(doc.serial, span)]);
                }
                _ => self.complete.push(problem),
            }
        }
        self.complete.shrink_to(2 * MAX_COMPLETE);
    }

    fn add_further(&mut self, like: ProblemKind, doc: DocId, places: &[(u32, Span)]) {
        let is_it =
            |rest: &&mut FurtherProblems| rest.file == doc.file && rest.example_kind.group() == like.group();
        match self.further.iter_mut().find(is_it) {
            Some(rest) => rest.locations.extend_from_slice(places),
            None => self.further.push(FurtherProblems {
                example_kind: like,
                file: doc.file,
                locations: places.to_vec(),
            }),
        }
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        problems.into_iter().for_each(|problem| self.push(problem));
    }
}

impl FromIterator<Problem> for Problems {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> Self {
        let mut all = Self::default();
        all.extend(problems);
        all
    }
}

impl Problems {
    /// Returns the problems without text of the file, for a file that must not be quoted.
    pub(crate) fn unquoted(self) -> Self {
        let mut all: Self = self.complete.into_iter().filter_map(Problem::unquoted).collect();
        for FurtherProblems { example_kind: like, file, locations: places } in self.further {
            let Some(like) = like.unquoted() else { continue };
            let places: Vec<_> = places.into_iter().map(|(serial, _)| (serial, Span::default())).collect();
            all.add_further(like, DocId { file, serial: 0 }, &places);
        }
        all
    }

    /// Adds the problems of another collection.
    pub(crate) fn append(&mut self, other: Self) {
        self.extend(other.complete);
        for FurtherProblems { example_kind: like, file, locations: places } in other.further {
            self.add_further(like, DocId { file, serial: 0 }, &places);
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
