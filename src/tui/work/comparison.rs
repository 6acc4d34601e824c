//! Comparison of two states of a catalog, prepared for display.

use std::sync::Arc;

use crate::tui::{
    parts::memo::SharedRef,
    work::{difference_rows as row, difference_rows::DifferenceRow},
};
use olm_catalog::PackageName;
use olm_check::review::{
    Difference, Snapshot,
    diff::{ChangeKind, Impact, PackageDiff},
};
use olmap_report::{
    diff::{CatalogComparison, markdown},
    omissions::OmittedPart,
};

/// Builds the input for exports of a difference.
fn build_export_input<'a>(
    [old_label, new_label]: [&'a str; 2],
    difference: &'a Difference,
) -> CatalogComparison<'a> {
    let of_side = |side: &Snapshot| {
        [OmittedPart::unread_in_catalog(&side.catalog), OmittedPart::unchecked_in_packages(side, |_| true)]
    };
    let left_out =
        [difference.before(), difference.after()].into_iter().flat_map(of_side).flatten().collect();
    CatalogComparison {
        old_label,
        new_label,
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
    pub changed_packages: usize,
    /// Impact on users with a description each, worst first.
    pub impacts: Vec<(Impact, String)>,
    /// Parts of both states that could not be read and are not compared, one sentence each.
    pub left_out: Vec<String>,
    /// Rows of the Changes screen.
    pub rows: Vec<DifferenceRow>,
}

/// Comparison with the labels of both sides.
#[derive(Clone, PartialEq, Debug)]
pub struct LabeledComparison {
    /// The comparison.
    pub comparison: SharedRef<Comparison>,
    /// Label of the old side.
    pub old: String,
    /// Label of the new side.
    pub new: String,
}

impl LabeledComparison {
    /// Renders the comparison as Markdown for a pull request comment.
    pub fn render_markdown(&self) -> String {
        let Some(comparison) = self.comparison.get() else { return String::new() };
        let labels = [self.old.as_str(), self.new.as_str()];
        markdown::render_difference_comment(&build_export_input(labels, &comparison.difference))
    }
}

impl Comparison {
    /// Compares two states on all cores. This takes longer than a frame.
    pub fn compare_states(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::compare_catalogs(&before, &after);
        let compared = build_export_input(["", ""], &difference);
        let users = compared.describe_impacts();
        let rows = row::difference_rows(&compared);
        let packages = compared.count_differing_packages();
        let left_out = compared.left_out.iter().map(OmittedPart::describe_omission).collect();
        Self { before, after, difference, changed_packages: packages, impacts: users, left_out, rows }
    }

    /// Compares only the packages that unsaved edits touched. The result has marks but no rows for
    /// the Changes screen.
    pub(in crate::tui) fn from_edits(before: Arc<Snapshot>, after: Arc<Snapshot>) -> Self {
        let difference = Difference::compare_touched(&before, &after);
        let packages = difference.packages.iter().filter(|package| !package.has_same_meaning()).count();
        let (users, left_out, rows) = (Vec::new(), Vec::new(), Vec::new());
        Self { before, after, difference, changed_packages: packages, impacts: users, left_out, rows }
    }

    /// Returns the old state.
    pub(in crate::tui) fn before(&self) -> &Arc<Snapshot> {
        &self.before
    }

    /// Returns the new state.
    pub(in crate::tui) fn after(&self) -> &Arc<Snapshot> {
        &self.after
    }

    /// Returns true if the comparison is between exactly these two states.
    pub(in crate::tui) fn is_between(&self, before: &Arc<Snapshot>, after: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.before, before) && Arc::ptr_eq(&self.after, after)
    }

    /// Returns the difference of a package, if it changes the meaning.
    pub fn changed_package(&self, name: &PackageName) -> Option<&PackageDiff> {
        // The packages are sorted by name.
        let packages = &self.difference.packages;
        let at = packages.binary_search_by(|package| package.name.as_str().cmp(name.as_str())).ok()?;
        packages.get(at).filter(|package| !package.has_same_meaning())
    }

    /// Returns the names of the removed packages in order.
    pub fn removed_packages(&self) -> impl Iterator<Item = &PackageName> {
        let packages = self.difference.packages.iter();
        packages.filter(|package| package.change_kind == ChangeKind::Removed).map(|package| &package.name)
    }

    /// Returns the number of removed packages.
    pub fn removed_package_count(&self) -> usize {
        self.difference.packages.iter().filter(|package| package.change_kind == ChangeKind::Removed).count()
    }
}
