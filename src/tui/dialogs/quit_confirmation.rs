//! Dialog that asks for confirmation before unsaved edits are lost.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep},
    keys::{ActionId, Dialog, KeyPress},
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::Canvas,
        text::format_count,
        theme::Ink,
    },
    work::Command,
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("quit", "leaving");

/// State of the dialog.
#[derive(Debug)]
pub struct QuitConfirmation;

impl DialogState for QuitConfirmation {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::DiscardEdits) => cx.commands.push(Command::Quit),
            KeyPress::Action(ActionId::ReviewFirst) => {
                let mut open = cx.session.catalogs.all().iter();
                let unsaved = open.position(|open| open.unsaved_count() > 0);
                cx.session.catalogs.set_current(unsaved.unwrap_or(cx.session.catalogs.current_index()));
                cx.run_action(ActionId::Review);
            }
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.draw_box(centered(area, 56, 5), "Quit without saving?");
        if inner.is_empty() {
            return;
        }
        let words = format!("{}.", format_count(view_cx.session.catalogs.unsaved_count(), "unsaved edit"));
        canvas.draw_text(inner.x, inner.y, inner.width, &words, Ink::Warning);
        let keys = [
            (ActionId::ReviewFirst, "review and save"),
            (ActionId::DiscardEdits, "discard"),
            (ActionId::Cancel, "stay"),
        ];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}
