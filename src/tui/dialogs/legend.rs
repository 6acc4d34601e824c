//! Dialog that explains the symbols of the graph.

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{Dialog, KeyPress},
    session::context::Context,
};

/// State of the dialog. Any key closes it.
#[derive(Debug)]
pub struct Legend;

impl DialogState for Legend {
    fn id(&self) -> Dialog {
        Dialog::Legend
    }

    fn handle_press(&mut self, _press: KeyPress, _cx: &mut Context<'_>) -> DialogStep {
        DialogStep::Close
    }
}
