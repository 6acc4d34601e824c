//! Dialog that filters a list while the user types.

use tui_input::Input;

use super::dialog::{DialogState, Step};
use crate::app::{
    keys::{ActionId, Dialog, Press},
    parts::{field, list::ListId},
    session::cx::{Cx, See},
    work::Answer,
};

/// State of the dialog.
#[derive(Debug)]
pub struct Filter {
    /// Filtered list.
    pub list: ListId,
    /// Filter text.
    pub input: Input,
}

impl Filter {
    /// Opens the dialog with the current filter of the list.
    pub(in crate::app) fn new(list: ListId, see: &See<'_>) -> Self {
        Self { list, input: see.session.lists.filter(list).to_owned().into() }
    }
}

impl DialogState for Filter {
    fn id(&self) -> Dialog {
        Dialog::Filter
    }

    fn press(&mut self, press: Press, cx: &mut Cx<'_>) -> Step {
        match press {
            Press::Action(ActionId::Accept) => return Step::Close,
            Press::Action(ActionId::RowDown) => cx.perform(ActionId::Down),
            Press::Action(ActionId::RowUp) => cx.perform(ActionId::Up),
            Press::Action(ActionId::RowPageDown) => cx.perform(ActionId::PageDown),
            Press::Action(ActionId::RowPageUp) => cx.perform(ActionId::PageUp),
            _ => {}
        }
        if field::type_into(&mut self.input, press) {
            cx.session.lists.set_filter(self.list, self.input.value().to_owned());
            cx.answer(Answer::Filtered(self.list));
        }
        Step::Stay
    }

    fn cancelled(&mut self, cx: &mut Cx<'_>) {
        cx.session.lists.set_filter(self.list, String::new());
    }

    fn field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }
}
