//! Dialog that filters a list while the user types.

use tui_input::Input;

use super::dialog::{DialogState, DialogStep};
use crate::tui::{
    keys::{ActionId, Dialog, KeyPress},
    parts::{field, list::ListId},
    session::context::{Context, ViewContext},
    work::ScreenEvent,
};

/// State of the dialog.
#[derive(Debug)]
pub struct ListFilter {
    /// Filtered list.
    pub list: ListId,
    /// Filter text.
    pub input: Input,
}

impl ListFilter {
    /// Opens the dialog with the current filter of the list.
    pub(in crate::tui) fn new(list: ListId, view_cx: &ViewContext<'_>) -> Self {
        Self { list, input: view_cx.session.lists.filter(list).to_owned().into() }
    }
}

impl DialogState for ListFilter {
    fn id(&self) -> Dialog {
        Dialog::Filter
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => return DialogStep::Close,
            KeyPress::Action(ActionId::RowDown) => cx.run_action(ActionId::Down),
            KeyPress::Action(ActionId::RowUp) => cx.run_action(ActionId::Up),
            KeyPress::Action(ActionId::RowPageDown) => cx.run_action(ActionId::PageDown),
            KeyPress::Action(ActionId::RowPageUp) => cx.run_action(ActionId::PageUp),
            _ => {}
        }
        if field::handle_field_key(&mut self.input, press) {
            cx.session.lists.set_filter(self.list, self.input.value().to_owned());
            cx.notify_screen(ScreenEvent::Filtered(self.list));
        }
        DialogStep::Stay
    }

    fn on_cancel(&mut self, cx: &mut Context<'_>) {
        cx.session.lists.set_filter(self.list, String::new());
    }

    fn text_field(&mut self) -> Option<&mut Input> {
        Some(&mut self.input)
    }
}
