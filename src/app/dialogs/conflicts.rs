//! Dialog with edits that could not be restored.

use super::dialog::{DialogState, Rows};
use crate::app::keys::Dialog;

/// State of the dialog.
#[derive(Debug)]
pub struct Conflicts {
    /// Number of restored edits.
    pub made: usize,
    /// Titles of the other edits, each with the reason.
    pub refused: Vec<(String, String)>,
    /// Index of the selected edit.
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
