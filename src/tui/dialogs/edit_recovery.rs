//! Dialog that offers to restore edits from before a crash.

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::{context::Context, recovery},
    work::{Effect, outcome::UnsavedEdits},
};

/// State of the dialog.
#[derive(Debug)]
pub struct EditRecovery {
    /// Edits with the indexes of their catalogs.
    pub recoverable_edits: Vec<(usize, UnsavedEdits)>,
}

impl DialogState for EditRecovery {
    fn id(&self) -> Dialog {
        Dialog::EditRecovery
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => recovery::restore_edits(cx, &self.recoverable_edits),
            KeyPress::Action(ActionId::ForgetEdits) => {
                cx.notices.report_done("recovered edits discarded");
                for (_, left_over) in &self.recoverable_edits {
                    cx.request(Effect::RemoveJournal { journal: left_over.journal.clone() });
                }
            }
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        cx.notices.report_done("recovered edits kept: olmap offers them again at the next start");
    }
}
