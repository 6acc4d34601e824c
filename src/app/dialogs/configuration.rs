//! What is wrong in the configuration.

use super::{
    dialog::{DialogState, Step},
    rows::{moves, page},
};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::{cx::Cx, settings::Settings},
};

/// Its problems; they themselves stand in the settings.
#[derive(Debug)]
pub struct ConfigurationProblems {
    /// How many there are.
    pub count: usize,
    /// The row.
    pub cursor: usize,
}

impl ConfigurationProblems {
    /// Those there are.
    pub(in crate::app) fn new(settings: &Settings) -> Self {
        Self { count: settings.configuration.problems.len(), cursor: 0 }
    }
}

impl DialogState for ConfigurationProblems {
    fn id(&self) -> Dialog {
        Dialog::Configuration
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        if matches!(press, Press::Action(ActionId::Accept | ActionId::Cancel)) {
            return Step::Close;
        }
        moves(&mut self.cursor, self.count, page(cx.frame), press);
        Step::Stay
    }

    fn rows(&self) -> usize {
        self.count
    }

    fn cursor(&self) -> Option<usize> {
        Some(self.cursor)
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }
}
