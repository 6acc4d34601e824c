//! What of a catalog could not be read, so that no report claims to be about all of it.

use std::iter::once;

use super::finding;
use crate::{
    catalog::{
        Catalog, PackageName,
        problem::{Problem, ProblemKind, ProblemPlace, Problems},
    },
    validate::Location,
};

/// What stands before a sentence that is true as far as could be read.
pub const OF_THE_REST: &str = "in the part that could be read, ";

/// What of a catalog could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// How people call the catalog.
    pub catalog: String,
    /// How many things; at least one.
    pub count: usize,
    /// Where the first of them is and what is wrong with it.
    pub first: String,
}

impl LeftOut {
    /// What could not be read outside of packages, and of those packages that matter; `None` where that is nothing.
    pub fn of(catalog: &Catalog, matters: impl Fn(&PackageName) -> bool) -> Option<Self> {
        let packages = || catalog.packages().filter(|package| matters(&package.name));
        let problems = || once(catalog.problems()).chain(packages().map(|package| &package.problems));
        let first = problems().flat_map(Problems::told).find(|problem| problem.kind.is_error())?;
        let count = problems().map(|problems| problems.count(ProblemKind::is_error)).sum();
        Some(Self { catalog: catalog.origin.label(), count, first: line(catalog, first) })
    }

    /// The same of all packages.
    pub fn of_all(catalog: &Catalog) -> Option<Self> {
        Self::of(catalog, |_| true)
    }

    /// `3 things of catalogs/v4.20 cannot be read and are left out`, with the first of them.
    pub fn sentence(&self) -> String {
        let Self { catalog, count, first } = self;
        match count {
            1 => format!("1 part of {catalog} cannot be read and is ignored: {first}"),
            _ => format!("{count} parts of {catalog} cannot be read and are ignored, the first: {first}"),
        }
    }
}

/// A problem with its place, in one line.
pub fn line(catalog: &Catalog, problem: &Problem) -> String {
    let at = match &problem.at {
        ProblemPlace::File(path) => Location::File(path.clone()),
        ProblemPlace::Document(doc, span) => Location::Document(*doc, *span),
    };
    let place = finding::place(catalog, &at).map(|place| match at {
        Location::File(_) => format!("{}: ", place.path.display()),
        Location::Document(..) | Location::InBundle(_) => {
            format!("{}:{}:{}: ", place.path.display(), place.line, place.column)
        }
    });
    format!("{}{}", place.unwrap_or_default(), problem.kind)
}
