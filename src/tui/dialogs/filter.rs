//! Dialog that filters a list while the user types.

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep},
    keys::{ActionId, Dialog, KeyPress},
    parts::{
        field::{self, TextField},
        list::ListId,
    },
    session::context::{Context, ViewContext},
    widgets::{
        canvas::{Canvas, Rect, display_width, piece},
        lists::notice_mark,
        text::FieldWindow,
        theme::Ink,
    },
    work::ScreenEvent,
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("filter", "the filter").with_rows().with_field();

/// State of the dialog.
#[derive(Debug)]
pub struct ListFilter {
    /// Filtered list.
    pub list: ListId,
    /// Filter text.
    pub input: TextField,
}

impl ListFilter {
    /// Opens the dialog with the current filter of the list.
    pub(in crate::tui) fn new(list: ListId, view_cx: &ViewContext<'_>) -> Self {
        Self { list, input: TextField::with_selected_text(view_cx.session.lists.filter(list).to_owned()) }
    }
}

impl DialogState for ListFilter {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => return DialogStep::Close,
            KeyPress::Action(ActionId::RowDown) => cx.run_action(ActionId::Down),
            KeyPress::Action(ActionId::RowUp) => cx.run_action(ActionId::Up),
            KeyPress::Action(ActionId::DialogPageDown) => cx.run_action(ActionId::PageDown),
            KeyPress::Action(ActionId::DialogPageUp) => cx.run_action(ActionId::PageUp),
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

    fn text_field(&mut self) -> Option<&mut TextField> {
        Some(&mut self.input)
    }

    /// Draws the filter in the hint bar, with a notice or the key hints at the right.
    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        if canvas.dialogs_below + 1 < canvas.focus.dialogs || area.is_empty() {
            return;
        }
        let area = Rect { y: area.bottom() - 1, height: 1, ..area };
        let key = |id| view_cx.keys.display_key(DIALOG, id);
        let words = if let Some(notice) = &view_cx.notices.transient {
            let (mark, ink) = notice_mark(notice.kind, canvas);
            piece(format!("{mark}{} ", notice.text), ink)
        } else {
            let words = format!("{} keeps, {} clears ", key(ActionId::Accept), key(ActionId::Cancel));
            piece(words, Ink::Dim)
        };
        let start = area.x + 1 + canvas.draw_text(area.x + 1, area.y, area.width, "/", Ink::Key);
        let taken = display_width(&words.text) + usize::from(start - area.x);
        let room = area.width.saturating_sub(u16::try_from(taken).unwrap_or(u16::MAX)).max(area.width / 3);
        let window = FieldWindow::for_input(&self.input, room);
        let used = canvas.draw_text(start, area.y, room, window.shown, Ink::Text);
        if let Some(cursor) = u16::try_from(window.cursor).ok().filter(|cursor| *cursor < used) {
            canvas.draw_cursor(start + cursor, area.y);
        } else {
            let cursor = canvas.unicode_or_ascii("▏", "_");
            canvas.draw_text(start + used, area.y, 1, cursor, Ink::Active);
        }
        canvas.draw_line_right(area, &[words]);
    }
}
