//! What was told, newest first.

use super::{
    dialog::{DialogState, Step},
    rows::{moves, page},
};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    parts::notice::Notice,
    session::cx::{Cx, See},
};

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

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if matches!(press, Press::Action(ActionId::Cancel | ActionId::Accept)) {
            return Step::Close;
        }
        moves(&mut self.cursor, self.messages.len(), page(cx.frame), press);
        Step::Stay
    }

    fn rows(&self) -> usize {
        self.messages.len()
    }

    fn cursor(&self) -> Option<usize> {
        Some(self.cursor)
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
