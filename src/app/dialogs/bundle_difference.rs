//! What differs between two bundles, line by line.

use super::dialog::{DialogState, Rows};
use crate::{
    app::keys::Dialog,
    bundle::compare::Comparison,
    export::bundle::diff::{Line, lines},
};

/// The difference.
#[derive(Debug)]
pub struct BundleDifference {
    /// What is compared with what.
    pub title: String,
    /// What matters, then section by section.
    pub lines: Vec<Line>,
    /// The row.
    pub cursor: usize,
}

impl BundleDifference {
    /// That of a comparison.
    pub(in crate::app) fn new(comparison: &Comparison) -> Self {
        let title = format!("{} => {}", comparison.old, comparison.new);
        // The first line is the title; blank lines are for paper.
        let lines = lines(comparison).into_iter().skip(1).filter(|line| !line.words.is_empty());
        Self { title, lines: lines.collect(), cursor: 0 }
    }
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
}
