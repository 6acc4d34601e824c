//! Dialog with edits that could not be restored.

use super::dialog::{DialogState, RowCursor};
use crate::tui::keys::Dialog;

/// State of the dialog.
#[derive(Debug)]
pub struct EditConflicts {
    /// Number of restored edits.
    pub restored: usize,
    /// Titles of the other edits, each with the reason.
    pub rejected: Vec<(String, String)>,
    /// Index of the selected edit.
    pub cursor: usize,
}

impl DialogState for EditConflicts {
    fn id(&self) -> Dialog {
        Dialog::EditConflicts
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.rejected.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
