//! Edits that could not be made again.

use super::{
    dialog::{DialogState, Step},
    rows::{moves, page},
};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::cx::Cx,
};

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

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if matches!(press, Press::Action(ActionId::Cancel | ActionId::Accept)) {
            return Step::Close;
        }
        moves(&mut self.cursor, self.refused.len(), page(cx.frame), press);
        Step::Stay
    }

    fn rows(&self) -> usize {
        self.refused.len()
    }

    fn cursor(&self) -> Option<usize> {
        Some(self.cursor)
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
