//! Dialog that offers to restore edits from before a crash.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::{cx::Cx, recovery},
    work::{Effect, outcome::LeftOver},
};

/// State of the dialog.
#[derive(Debug)]
pub struct Restore {
    /// Edits with the indexes of their catalogs.
    pub left_overs: Vec<(usize, LeftOver)>,
}

impl DialogState for Restore {
    fn id(&self) -> Dialog {
        Dialog::Restore
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => recovery::restore(cx, &self.left_overs),
            Press::Action(ActionId::ForgetEdits) => {
                cx.notices.done("recovered edits discarded");
                for (_, left_over) in &self.left_overs {
                    cx.ask(Effect::Forget { journal: left_over.journal.clone() });
                }
            }
            _ => return Step::Stay,
        }
        Step::Close
    }

    fn cancelled(&mut self, cx: &mut Cx<'_>) {
        cx.notices.done("recovered edits kept: olmap offers them again at the next start");
    }
}
