//! Dialog with edits that could not be restored.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, RowCursor, dialog_list},
    keys::{ActionId, Dialog},
    session::{context::ViewContext, recovery::EditConflicts},
    widgets::{
        boxes::{centered, draw_key_hints},
        canvas::{Canvas, text_piece, wrap_text},
        text::format_count,
        theme::Ink,
    },
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("edit-conflicts", "edits not restored").with_rows();

/// State of the dialog.
#[derive(Debug)]
pub struct ConflictList {
    /// The restored and the other edits.
    pub conflicts: EditConflicts,
    /// Index of the selected edit.
    pub cursor: usize,
}

impl ConflictList {
    /// Lists conflicts, with the cursor on the first one.
    pub(in crate::tui) fn from_conflicts(conflicts: EditConflicts) -> Self {
        Self { conflicts, cursor: 0 }
    }
}

impl DialogState for ConflictList {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn opens_by_itself(&self) -> bool {
        true
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.conflicts.rejected.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let wide = 90.min(area.width);
        let columns = usize::from(wide.saturating_sub(4));
        let reason = self
            .conflicts
            .rejected
            .get(self.cursor)
            .map(|(_, why)| wrap_text(why, columns))
            .unwrap_or_default();
        let rows = u16::try_from(self.conflicts.rejected.len()).unwrap_or(u16::MAX);
        let below = u16::try_from(reason.len()).unwrap_or(u16::MAX);
        let high = rows.saturating_add(below).saturating_add(6);
        let title = format!("{} not restored", format_count(self.conflicts.rejected.len(), "edit"));
        let inner = canvas.draw_box(centered(area, wide, high), &title);
        if inner.height < 4 {
            return;
        }
        let made = match self.conflicts.restored {
            0 => "No edit could be restored:".to_owned(),
            made => format!("{} restored, but not:", format_count(made, "edit")),
        };
        canvas.draw_text(inner.x, inner.y, inner.width, &made, Ink::Warning);
        let room = inner.height - 2;
        let list = Rect { y: inner.y + 1, height: rows.min(room.saturating_sub(below + 1).max(1)), ..inner };
        canvas.draw_list(list, &dialog_list(self, view_cx, canvas), |row| {
            self.conflicts
                .rejected
                .get(row)
                .map(|(title, _)| vec![text_piece(title.clone())])
                .unwrap_or_default()
        });
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        for (y, line) in (list.bottom() + 1..inner.bottom() - 1).zip(reason) {
            canvas.draw_text(inner.x, y, inner.width, &line, Ink::Error);
        }
        let keys =
            [(ActionId::RowUp, ""), (ActionId::RowDown, "previous, next"), (ActionId::Cancel, "close")];
        draw_key_hints(view_cx, DIALOG, canvas, inner, &keys);
    }
}
