//! Dialog with the differences between two bundles, line by line.

use std::sync::Arc;

use super::dialog::{DialogState, Rows};
use crate::{
    app::{
        keys::Dialog,
        work::{Refusal, effect::SoughtBundle, outcome::BundlesCompared},
    },
    bundle::{compare::Comparison, step::Judgement},
    export::bundle::diff::{Line, lines},
};

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
    pub made_from: MadeFrom,
}

/// Source of a difference.
#[derive(Debug)]
pub enum MadeFrom {
    /// Bundle contents in the catalog.
    Catalog,
    /// Bundle contents in the catalog, while manifests are being read.
    CatalogFirst(Box<[SoughtBundle; 2]>),
    /// The manifests of both bundles.
    Manifests,
    /// Bundle contents in the catalog, with the reason why the manifests cannot be read.
    CatalogOnly(String),
}

impl BundleDifference {
    /// Shows a comparison; `sought` are the bundles whose manifests are being read.
    pub(in crate::app) fn new(comparison: &Comparison, sought: Option<Box<[SoughtBundle; 2]>>) -> Self {
        let title = format!("{} => {}", comparison.old, comparison.new);
        let made_from = sought.map_or(MadeFrom::Catalog, MadeFrom::CatalogFirst);
        Self { title, lines: screen_lines(comparison, None), cursor: 0, made_from }
    }
}

/// Returns the lines without the title line and without blank lines.
fn screen_lines(comparison: &Comparison, step: Option<&Judgement>) -> Vec<Line> {
    lines(comparison, step).into_iter().skip(1).filter(|line| !line.words.is_empty()).collect()
}

impl DialogState for BundleDifference {
    fn id(&self) -> Dialog {
        Dialog::BundleDifference
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.lines.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn bundles_compared(
        &mut self,
        sought: &[SoughtBundle; 2],
        outcome: &Result<Arc<BundlesCompared>, Refusal>,
    ) {
        if !matches!(&self.made_from, MadeFrom::CatalogFirst(asked) if **asked == *sought) {
            return;
        }
        self.made_from = match outcome {
            Ok(compared) => {
                self.lines = screen_lines(&compared.comparison, Some(&compared.step));
                self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
                MadeFrom::Manifests
            }
            Err(refusal) => MadeFrom::CatalogOnly(refusal.to_string()),
        };
    }
}
