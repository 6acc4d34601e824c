//! Dialog that asks before a save that opm refuses or that loses part of a file.

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::context::Context,
    work::{
        Command,
        dialog_request::{SaveBlocker, SaveTarget},
    },
};

/// State of the dialog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaveRefusal {
    /// Objection to the save.
    pub objection: SaveBlocker,
    /// Requested save.
    pub writing: SaveTarget,
}

impl DialogState for SaveRefusal {
    fn id(&self) -> Dialog {
        Dialog::SaveRefusal
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::WriteAnyway) => {
                let knowing = matches!(self.objection, SaveBlocker::MetadataLoss(_));
                cx.commands.push(Command::Write { writing: self.writing, confirmed: knowing });
            }
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }
}
