//! Dialog with earlier notices, newest first.

use super::dialog::{DialogState, RowCursor};
use crate::tui::{keys::Dialog, parts::notice::Notice, session::context::ViewContext};

/// State of the dialog.
#[derive(Debug)]
pub struct NoticeLog {
    /// Notices at the time of opening, newest first. Later notices do not move them.
    pub messages: Vec<Notice>,
    /// Index of the selected notice.
    pub cursor: usize,
}

impl NoticeLog {
    /// Copies the notices up to now.
    pub(in crate::tui) fn new(view_cx: &ViewContext<'_>) -> Self {
        Self { messages: view_cx.notices.log.iter().rev().cloned().collect(), cursor: 0 }
    }
}

impl DialogState for NoticeLog {
    fn id(&self) -> Dialog {
        Dialog::Log
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.messages.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
