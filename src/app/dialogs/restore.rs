//! There are edits from before a crash: asking whether they shall be made again.

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    session::{cx::Cx, recovery},
    work::{Effect, outcome::LeftOver},
};

/// The question.
#[derive(Debug)]
pub struct Restore {
    /// The catalog.
    pub catalog: usize,
    /// The edits.
    pub left_over: LeftOver,
}

impl DialogState for Restore {
    fn id(&self) -> Dialog {
        Dialog::Restore
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => recovery::restore(cx, self.catalog, self.left_over.clone()),
            Press::Action(ActionId::ForgetEdits) => {
                cx.notices.done("recovered edits discarded");
                cx.ask(Effect::Forget { journal: self.left_over.journal.clone() });
            }
            _ => return Step::Stay,
        }
        Step::Close
    }

    fn cancelled(&mut self, cx: &mut Cx<'_>) {
        cx.notices.done("recovered edits kept: olmap offers them again at the next start");
    }
}
