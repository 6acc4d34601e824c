//! Problems without number. Of each sort the first in a file are kept as they are; of the rest, which nobody would read,
//! only where they are.

use std::collections::HashMap;

use super::{Problem, ProblemKind, ProblemPlace, sort::Sort};
use crate::catalog::{
    file::{DocId, FileId},
    span::Span,
};

/// How many problems of a sort in a file are kept as they are.
pub const MOST: usize = 1000;

/// Problems, of which any number may be of one sort in one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Problems {
    told: Vec<Problem>,
    rest: Vec<Rest>,
}

/// Where one of them is, and its number among those that are kept.
type Told = (u32, Span, usize);

/// Problems of a sort in a file that are not kept as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// What one of them was.
    pub like: ProblemKind,
    file: FileId,
    /// The documents, by their serials, and the places in them.
    places: Vec<(u32, Span)>,
}

impl Rest {
    /// Where they are.
    pub fn places(&self) -> impl ExactSizeIterator<Item = (DocId, Span)> + '_ {
        self.places.iter().map(|(serial, span)| (DocId { file: self.file, serial: *serial }, *span))
    }
}

impl Problems {
    /// Those that are kept as they are.
    pub fn told(&self) -> &[Problem] {
        &self.told
    }

    /// The rest, sort by sort.
    pub fn rest(&self) -> &[Rest] {
        &self.rest
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty() && self.rest.is_empty()
    }

    /// How many there are of some kinds.
    pub fn count(&self, is_meant: impl Fn(&ProblemKind) -> bool) -> usize {
        let rest = self.rest.iter().filter(|rest| is_meant(&rest.like)).map(|rest| rest.places.len());
        self.told.iter().filter(|problem| is_meant(&problem.kind)).count() + rest.sum::<usize>()
    }

    /// The kind of each and its place in a document; those about files are left out.
    pub fn in_documents(&self) -> impl Iterator<Item = (&ProblemKind, DocId, Span)> {
        let told = self.told.iter().filter_map(|problem| match problem.at {
            ProblemPlace::Document(doc, span) => Some((&problem.kind, doc, span)),
            ProblemPlace::File(_) => None,
        });
        let rest = self.rest.iter();
        told.chain(rest.flat_map(|rest| rest.places().map(|(doc, span)| (&rest.like, doc, span))))
    }

    /// Adds a problem.
    pub(in crate::catalog) fn push(&mut self, problem: Problem) {
        self.told.push(problem);
        // Not each time: it looks at all of them.
        if self.told.len() >= 2 * MOST && self.told.len().is_power_of_two() {
            self.trim();
        }
    }

    /// Forgets those in some documents.
    pub(in crate::catalog) fn forget(&mut self, is_gone: impl Fn(DocId) -> bool) {
        self.told.retain(|problem| !problem.doc().is_some_and(&is_gone));
        for rest in &mut self.rest {
            let file = rest.file;
            rest.places.retain(|(serial, _)| !is_gone(DocId { file, serial: *serial }));
        }
        self.rest.retain(|rest| !rest.places.is_empty());
    }

    /// Others about files, in place of those there are.
    pub(in crate::catalog) fn set_about_files(&mut self, about_files: Vec<Problem>) {
        self.told.retain(|problem| problem.doc().is_some());
        self.told.splice(0..0, about_files);
    }

    /// Those about files.
    pub fn about_files(&self) -> impl Iterator<Item = &Problem> {
        self.told.iter().filter(|problem| problem.doc().is_none())
    }

    /// Puts them in the order of their documents; what is about files stays first, as it was found.
    pub(in crate::catalog) fn settle<R: Ord>(&mut self, rank: impl Fn(DocId) -> R) {
        if self.told.len() > MOST {
            self.trim();
        }
        self.told.sort_by_key(|problem| problem.doc().map(&rank));
        self.rest.sort_by_cached_key(|rest| (rest.file, rest.places.iter().min().copied()));
    }

    /// Leaves at most [`MOST`] of each sort in a file as they are: those that come first. In whatever order problems came,
    /// those are the same.
    fn trim(&mut self) {
        let mut groups: HashMap<(FileId, Sort<'_>), Vec<Told>> = HashMap::new();
        for (index, problem) in self.told.iter().enumerate() {
            if let ProblemPlace::Document(doc, span) = problem.at {
                groups.entry((doc.file, problem.kind.sort())).or_default().push((doc.serial, span, index));
            }
        }
        let mut surplus = vec![false; self.told.len()];
        for group in groups.values_mut().filter(|group| group.len() > MOST) {
            group.sort_unstable();
            for (_, _, index) in group.iter().skip(MOST) {
                surplus[*index] = true;
            }
        }
        let told = std::mem::take(&mut self.told);
        for (problem, is_surplus) in told.into_iter().zip(surplus) {
            match problem.at {
                ProblemPlace::Document(doc, span) if is_surplus => {
                    self.add_rest(problem.kind, doc, &[(doc.serial, span)]);
                }
                _ => self.told.push(problem),
            }
        }
        self.told.shrink_to(2 * MOST);
    }

    fn add_rest(&mut self, like: ProblemKind, doc: DocId, places: &[(u32, Span)]) {
        let is_it = |rest: &&mut Rest| rest.file == doc.file && rest.like.sort() == like.sort();
        match self.rest.iter_mut().find(is_it) {
            Some(rest) => rest.places.extend_from_slice(places),
            None => self.rest.push(Rest { like, file: doc.file, places: places.to_vec() }),
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
    /// The same of a file that must not be quoted.
    pub(in crate::catalog) fn unquoted(self) -> Self {
        let mut all: Self = self.told.into_iter().filter_map(Problem::unquoted).collect();
        for Rest { like, file, places } in self.rest {
            let Some(like) = like.unquoted() else { continue };
            let places: Vec<_> = places.into_iter().map(|(serial, _)| (serial, Span::default())).collect();
            all.add_rest(like, DocId { file, serial: 0 }, &places);
        }
        all
    }

    /// Adds what another place has.
    pub(in crate::catalog) fn append(&mut self, other: Self) {
        self.extend(other.told);
        for Rest { like, file, places } in other.rest {
            self.add_rest(like, DocId { file, serial: 0 }, &places);
        }
    }
}
