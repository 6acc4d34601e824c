//! What was told, newest first.

use super::dialog::{DialogState, Rows};
use crate::app::{keys::Dialog, parts::notice::Notice, session::cx::See};

/// The messages.
#[derive(Debug)]
pub struct Log {
    /// The messages, newest first: those there were when it was opened, so that none moves while it is read.
    pub messages: Vec<Notice>,
    /// The row.
    pub cursor: usize,
}

impl Log {
    /// What was told until now.
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
