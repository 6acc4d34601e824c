//! Dialog with earlier notices, newest first.

use super::dialog::{DialogState, Rows};
use crate::app::{keys::Dialog, parts::notice::Notice, session::cx::See};

/// State of the dialog.
#[derive(Debug)]
pub struct Log {
    /// Notices at the time of opening, newest first. Later notices do not move them.
    pub messages: Vec<Notice>,
    /// Index of the selected notice.
    pub cursor: usize,
}

impl Log {
    /// Copies the notices up to now.
    pub(in crate::app) fn new(see: &See<'_>) -> Self {
        Self { messages: see.notices.log.iter().rev().cloned().collect(), cursor: 0 }
    }
}

impl DialogState for Log {
    fn id(&self) -> Dialog {
        Dialog::Log
    }

    fn rows(&self) -> Option<Rows> {
        Some(Rows { count: self.messages.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
