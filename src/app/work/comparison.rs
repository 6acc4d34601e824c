//! What differs, ready to be shown.

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

/// A difference, ready to be told.
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

/// Two states, what differs between them, and how that is told.
#[derive(Debug)]
pub struct Comparison {
    before: Arc<Snapshot>,
    after: Arc<Snapshot>,
    /// What differs.
    pub difference: Difference,
    /// How many packages differ in meaning.
    pub packages: usize,
    /// How users fare, in words, the worst first.
    pub users: Vec<(Fortune, String)>,
    /// What could not be read of the two, and so is not compared: a sentence for each.
    pub left_out: Vec<String>,
    /// All of it, row by row.
    pub rows: Vec<Row>,
}

/// A comparison, and what the two are called.
#[derive(Clone, PartialEq, Debug)]
pub struct Labelled {
    /// The comparison.
    pub comparison: Same<Comparison>,
    /// The one it compares with.
    pub old: String,
    /// The one that is compared.
    pub new: String,
}

impl Labelled {
    /// All of it as a comment on a pull request.
    pub fn markdown(&self) -> String {
        let Some(comparison) = self.comparison.get() else { return String::new() };
        let (old, new) = (&comparison.before, &comparison.after);
        markdown::comment(&compared([&self.old, &self.new], old, new, &comparison.difference))
    }
}

impl Comparison {
    /// Compares two states, on all cores: takes longer than a frame.
    pub fn between(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::between(&before, &after);
        let compared = compared(["", ""], &before, &after, &difference);
        let users = compared.fortunes();
        let rows = row::all(&compared);
        let packages = compared.differing();
        let left_out = compared.left_out.iter().map(LeftOut::sentence).collect();
        Self { before, after, difference, packages, users, left_out, rows }
    }

    /// What unsaved edits changed, as far as marks tell: of the packages they touched, and without the rows of Changes.
    pub(in crate::app) fn of_edits(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::of_touched(&before, &after);
        let packages = difference.packages.iter().filter(|package| !package.means_the_same()).count();
        let (users, left_out, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { before, after, difference, packages, users, left_out, rows }
    }

    /// The state it compares with.
    pub(in crate::app) fn before(&self) -> &Arc<Snapshot> {
        &self.before
    }

    /// The state that is compared.
    pub(in crate::app) fn after(&self) -> &Arc<Snapshot> {
        &self.after
    }

    /// Whether it is that of two states.
    pub(in crate::app) fn is_of(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.before, before) && Arc::ptr_eq(&self.after, after)
    }

    /// What differs of a package, where that means something.
    pub fn package(&self, name: &PackageName) -> Option<&PackageDiff> {
        // They stand in the order of their names.
        let packages = &self.difference.packages;
        let at = packages.binary_search_by(|package| package.name.as_str().cmp(name.as_str())).ok()?;
        packages.get(at).filter(|package| !package.means_the_same())
    }

    /// The packages that are gone, by name.
    pub fn removed(&self) -> impl Iterator<Item = &PackageName> {
        let packages = self.difference.packages.iter();
        packages.filter(|package| package.fate == Fate::Removed).map(|package| &package.name)
    }

    /// How many packages are gone.
    pub fn gone_packages(&self) -> usize {
        self.difference.packages.iter().filter(|package| package.fate == Fate::Removed).count()
    }
}
