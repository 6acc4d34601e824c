//! Edits that could not be made again.

use super::dialog::{DialogState, Rows};
use crate::app::keys::Dialog;

/// Which, and why.
#[derive(Debug)]
pub struct Conflicts {
    /// How many could.
    pub made: usize,
    /// The others, each with why.
    pub refused: Vec<(String, String)>,
    /// The row.
    pub cursor: usize,
}

impl DialogState for Conflicts {
    fn id(&self) -> Dialog {
        Dialog::Conflicts
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.refused.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
