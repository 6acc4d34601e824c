//! Dialog that offers to reload after a save was refused because a file changed on disk.

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::context::Context,
};

/// State of the dialog.
#[derive(Debug)]
pub struct ChangedOnDisk {
    /// Message that names the file.
    pub message: String,
}

impl DialogState for ChangedOnDisk {
    fn id(&self) -> Dialog {
        Dialog::ChangedOnDisk
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => cx.run_action(ActionId::Reload),
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }
}
