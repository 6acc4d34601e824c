//! Dialog that offers to reload after a save was refused because a file changed on disk.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, DialogStep},
    keys::{ActionId, Dialog, KeyPress},
    session::context::{Context, ViewContext},
    widgets::{
        boxes::{QUESTION_COLUMNS, draw_question},
        canvas::{Canvas, Line, piece, wrap_text},
        theme::Ink,
    },
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("changed-on-disk", "files that changed");

/// State of the dialog.
#[derive(Debug)]
pub struct ChangedOnDisk {
    /// Message that names the file.
    pub message: String,
}

impl DialogState for ChangedOnDisk {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn handle_press(&mut self, press: KeyPress, cx: &mut Context<'_>) -> DialogStep {
        match press {
            KeyPress::Action(ActionId::Accept) => cx.run_action(ActionId::Reload),
            _ => return DialogStep::Stay,
        }
        DialogStep::Close
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let columns = usize::from(QUESTION_COLUMNS.min(area.width).saturating_sub(4));
        let mut lines: Vec<Line> = Vec::new();
        let mut say = |words: &str, ink: Ink| {
            lines.extend(wrap_text(words, columns).into_iter().map(|line| vec![piece(line, ink)]));
        };
        say(&format!("{}.", self.message), Ink::Warning);
        say("Nothing was saved. Reload to apply your edits to the new files.", Ink::Text);
        let keys = [(ActionId::Accept, "reload"), (ActionId::Cancel, "cancel")];
        draw_question(view_cx, DIALOG, "Not saved", &lines, &keys, canvas, area);
    }
}
