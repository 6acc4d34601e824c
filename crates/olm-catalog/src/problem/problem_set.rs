//! Collections of problems with bounded memory. The first problems of each group in a file are complete; of
//! further ones only the locations are kept.

use std::collections::HashMap;

use super::{Problem, ProblemGroup, ProblemKind, ProblemLocation};
use crate::{
    file::{DocId, FileId},
    span::Span,
};

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
