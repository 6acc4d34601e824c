//! Dialog that asks for confirmation before unsaved edits are lost.

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    session::context::Context,
    work::Command,
};

/// State of the dialog.
#[derive(Debug)]
pub struct QuitConfirmation;

impl DialogState for QuitConfirmation {
    fn id(&self) -> Dialog {
        Dialog::QuitConfirmation
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::DiscardEdits) => cx.commands.push(Command::Quit),
            KeyPress::Action(ActionId::ReviewFirst) => {
                let mut open = cx.session.open_catalogs.iter();
                let unsaved = open.position(|open| open.history.unsaved_count(&open.baseline) > 0);
                cx.session.current = unsaved.unwrap_or(cx.session.current);
                cx.run_action(ActionId::Review);
            }
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }
}
