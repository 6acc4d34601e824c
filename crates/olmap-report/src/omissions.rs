//! Parts of a catalog that were not read or checked, so that no report claims to cover all of it.

use std::iter::once;

use olm_catalog::{
    Catalog, PackageName,
    problem::{Problem, ProblemKind, ProblemLocation, Problems},
};
use olm_check::{Finding, FindingLocation, review::Snapshot};

/// Prefix of a sentence that is only true of the part that could be read.
pub const READ_PART_PREFIX: &str = "in the part that could be read, ";

/// Part of a catalog that a report leaves out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OmittedPart {
    /// Label of the catalog.
    pub catalog: String,
    /// Number of things that are left out; at least one.
    pub count: usize,
    /// Location and reason of the first of them.
    pub first: String,
    /// Reason why they are left out.
    pub kind: OmissionReason,
}

/// Reason why a report leaves out part of a catalog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OmissionReason {
    /// Files or documents of the catalog cannot be read.
    Unread,
    /// An input beside the catalog cannot be read, or a limit of olmap was reached (rule
    /// `not-checked`).
    NotChecked,
}

impl OmittedPart {
    /// Returns what could not be read outside packages and in matching packages. `None` if nothing.
    pub fn unread_in_packages(catalog: &Catalog, matters: impl Fn(&PackageName) -> bool) -> Option<Self> {
        let packages = || catalog.packages().filter(|package| matters(&package.name));
        let problems = || once(catalog.problems()).chain(packages().map(|package| &package.problems));
        let first =
            problems().flat_map(Problems::complete_problems).find(|problem| problem.kind.is_error())?;
        let count = problems().map(|problems| problems.count_kinds(ProblemKind::is_error)).sum();
        let first = format_problem_line(catalog, first);
        Some(Self { catalog: catalog.origin.label(), count, first, kind: OmissionReason::Unread })
    }

    /// Returns what was not checked in matching packages of a catalog. `None` if everything was.
    pub fn unchecked_in_packages(
        snapshot: &Snapshot,
        matters: impl Fn(&PackageName) -> bool,
    ) -> Option<Self> {
        let is_meant =
            |finding: &&Finding| finding.is_not_checked() && finding.package.as_ref().is_none_or(&matters);
        let mut findings = snapshot.findings().filter(is_meant);
        let first = findings.next()?;
        let first_words = match &first.package {
            Some(package) => format!("{package}: {}", first.message),
            None => first.message.clone(),
        };
        Some(Self {
            catalog: snapshot.catalog.origin.label(),
            count: 1 + findings.count(),
            first: first_words,
            kind: OmissionReason::NotChecked,
        })
    }

    /// Returns what could not be read in any part of the catalog.
    pub fn unread_in_catalog(catalog: &Catalog) -> Option<Self> {
        Self::unread_in_packages(catalog, |_| true)
    }

    /// Returns a sentence such as `3 parts of catalogs/v4.20 cannot be read and are ignored`, with
    /// the first part.
    pub fn describe_omission(&self) -> String {
        let Self { catalog, count, first, kind } = self;
        match (kind, count) {
            (OmissionReason::Unread, 1) => {
                format!("1 part of {catalog} cannot be read and is ignored: {first}")
            }
            (OmissionReason::Unread, _) => {
                format!("{count} parts of {catalog} cannot be read and are ignored, the first: {first}")
            }
            (OmissionReason::NotChecked, 1) => format!("1 part of {catalog} was not checked: {first}"),
            (OmissionReason::NotChecked, _) => {
                format!("{count} parts of {catalog} were not checked, the first: {first}")
            }
        }
    }

    /// Returns a hint for the user.
    pub fn user_hint(&self) -> String {
        match self.kind {
            OmissionReason::Unread => format!("olmap validate shows what opm rejects in {}", self.catalog),
            OmissionReason::NotChecked => "olmap explain not-checked says what that means".to_owned(),
        }
    }
}

/// Formats a problem and its location in one line.
pub fn format_problem_line(catalog: &Catalog, problem: &Problem) -> String {
    let at = match &problem.at {
        ProblemLocation::File(path) => FindingLocation::File(path.clone()),
        ProblemLocation::Document(doc, span) => FindingLocation::Document(*doc, *span),
    };
    let place = at.resolve(catalog).map(|place| format!("{place}: "));
    format!("{}{}", place.unwrap_or_default(), problem.kind)
}
