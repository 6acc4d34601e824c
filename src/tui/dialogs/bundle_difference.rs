//! Dialog with the differences between two bundles, line by line.

use std::sync::Arc;

use super::dialog::{DialogState, RowCursor};
use crate::tui::{
    keys::Dialog,
    work::{UserError, effect::BundleLocator, outcome::BundleComparison},
};
use olm_bundle::{compare::Comparison, step::Judgement};
use olmap_report::bundle::diff::{Line, bundle_diff_lines};

/// State of the dialog.
#[derive(Debug)]
pub struct BundleDifference {
    /// Names of both bundles.
    pub title: String,
    /// The most important changes, then each section.
    pub lines: Vec<Line>,
    /// Index of the selected line.
    pub cursor: usize,
    /// Source of the lines.
    pub source: DifferenceSource,
}

/// Source of a difference.
#[derive(Debug)]
pub enum DifferenceSource {
    /// Bundle contents in the catalog.
    Catalog,
    /// Bundle contents in the catalog, while manifests are being read.
    CatalogFirst(Box<[BundleLocator; 2]>),
    /// The manifests of both bundles.
    Manifests,
    /// Bundle contents in the catalog, with the reason why the manifests cannot be read.
    CatalogOnly(String),
}

impl BundleDifference {
    /// Shows a comparison; `sought` are the bundles whose manifests are being read.
    pub(in crate::tui) fn new(comparison: &Comparison, sought: Option<Box<[BundleLocator; 2]>>) -> Self {
        let title = format!("{} => {}", comparison.old, comparison.new);
        let made_from = sought.map_or(DifferenceSource::Catalog, DifferenceSource::CatalogFirst);
        Self { title, lines: difference_lines(comparison, None), cursor: 0, source: made_from }
    }
}

/// Returns the lines without the title line and without blank lines.
fn difference_lines(comparison: &Comparison, step: Option<&Judgement>) -> Vec<Line> {
    bundle_diff_lines(comparison, step).into_iter().skip(1).filter(|line| !line.words.is_empty()).collect()
}

impl DialogState for BundleDifference {
    fn id(&self) -> Dialog {
        Dialog::BundleDifference
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.lines.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn on_bundles_compared(
        &mut self,
        sought: &[BundleLocator; 2],
        outcome: &Result<Arc<BundleComparison>, UserError>,
    ) {
        if !matches!(&self.source, DifferenceSource::CatalogFirst(asked) if **asked == *sought) {
            return;
        }
        self.source = match outcome {
            Ok(compared) => {
                self.lines = difference_lines(&compared.comparison, Some(&compared.step));
                self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
                DifferenceSource::Manifests
            }
            Err(refusal) => DifferenceSource::CatalogOnly(refusal.to_string()),
        };
    }
}
