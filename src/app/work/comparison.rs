//! Comparison of two states of a catalog, prepared for display.

use std::sync::Arc;

use crate::app::{
    parts::memo::Same,
    work::{difference as row, difference::Row},
};
use crate::{
    catalog::PackageName,
    export::{
        diff::{Compared, markdown},
        left_out::LeftOut,
    },
    review::{
        Difference, Snapshot,
        diff::{Fate, Fortune, PackageDiff},
    },
};

/// Builds the input for exports of a difference.
fn compared<'a>(
    [old_label, new_label]: [&'a str; 2],
    old: &'a Snapshot,
    new: &'a Snapshot,
    difference: &'a Difference,
) -> Compared<'a> {
    let of_side = |side: &Snapshot| [LeftOut::of_all(&side.catalog), LeftOut::not_checked(side, |_| true)];
    let left_out = [old, new].into_iter().flat_map(of_side).flatten().collect();
    Compared {
        old_label,
        new_label,
        old,
        new,
        difference,
        violations: &[],
        left_out,
        formatting: false,
        update: None,
    }
}

/// Two states of a catalog, their difference, and its rows.
#[derive(Debug)]
pub struct Comparison {
    before: Arc<Snapshot>,
    after: Arc<Snapshot>,
    /// The difference between the states.
    pub difference: Difference,
    /// Number of packages that differ in meaning.
    pub packages: usize,
    /// Impact on users with a description each, worst first.
    pub users: Vec<(Fortune, String)>,
    /// Parts of both states that could not be read and are not compared, one sentence each.
    pub left_out: Vec<String>,
    /// Rows of the Changes screen.
    pub rows: Vec<Row>,
}

/// Comparison with the labels of both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct Labelled {
    /// The comparison.
    pub comparison: Same<Comparison>,
    /// Label of the old side.
    pub old: String,
    /// Label of the new side.
    pub new: String,
}

impl Labelled {
    /// Renders the comparison as Markdown for a pull request comment.
    pub fn markdown(&self) -> String {
        let Some(comparison) = self.comparison.get() else { return String::new() };
        let (old, new) = (&comparison.before, &comparison.after);
        markdown::comment(&compared([&self.old, &self.new], old, new, &comparison.difference))
    }
}

impl Comparison {
    /// Compares two states on all cores. This takes longer than a frame.
    pub fn between(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::between(&before, &after);
        let compared = compared(["", ""], &before, &after, &difference);
        let users = compared.fortunes();
        let rows = row::all(&compared);
        let packages = compared.differing();
        let left_out = compared.left_out.iter().map(LeftOut::sentence).collect();
        Self { before, after, difference, packages, users, left_out, rows }
    }

    /// Compares only the packages that unsaved edits touched. The result has marks but no rows for
    /// the Changes screen.
    pub(in crate::app) fn of_edits(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::of_touched(&before, &after);
        let packages = difference.packages.iter().filter(|package| !package.means_the_same()).count();
        let (users, left_out, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { before, after, difference, packages, users, left_out, rows }
    }

    /// Returns the old state.
    pub(in crate::app) fn before(&self) -> &Arc<Snapshot> {
        &self.before
    }

    /// Returns the new state.
    pub(in crate::app) fn after(&self) -> &Arc<Snapshot> {
        &self.after
    }

    /// Returns true if the comparison is between exactly these two states.
    pub(in crate::app) fn is_of(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.before, before) && Arc::ptr_eq(&self.after, after)
    }

    /// Returns the difference of a package, if it changes the meaning.
    pub fn package(&self, name: &PackageName) -> Option<&PackageDiff> {
        // The packages are sorted by name.
        let packages = &self.difference.packages;
        let at = packages.binary_search_by(|package| package.name.as_str().cmp(name.as_str())).ok()?;
        packages.get(at).filter(|package| !package.means_the_same())
    }

    /// Returns the names of the removed packages in order.
    pub fn removed(&self) -> impl Iterator<Item = &PackageName> {
        let packages = self.difference.packages.iter();
        packages.filter(|package| package.fate == Fate::Removed).map(|package| &package.name)
    }

    /// Returns the number of removed packages.
    pub fn gone_packages(&self) -> usize {
        self.difference.packages.iter().filter(|package| package.fate == Fate::Removed).count()
    }
}
