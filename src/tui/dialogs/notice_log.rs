//! Dialog with earlier notices, newest first.

use ratatui::layout::Rect;

use crate::tui::{
    dialogs::dialog::{DialogState, RowCursor, dialog_list},
    keys::{ActionId, Dialog},
    parts::notice::{Notice, NoticeKind},
    session::context::ViewContext,
    widgets::{
        boxes::centered,
        canvas::{Canvas, Piece, piece, text_piece, wrap_text},
        theme::Ink,
    },
};

/// Kind of this dialog.
pub const DIALOG: Dialog = Dialog::with_name("log", "the messages").with_rows();

/// State of the dialog.
#[derive(Debug)]
pub struct NoticeLog {
    /// Notices at the time of opening, newest first. Later notices do not move them.
    pub messages: Vec<Notice>,
    /// Index of the selected notice.
    pub cursor: usize,
}

impl NoticeLog {
    /// Copies the notices up to now.
    pub(in crate::tui) fn new(view_cx: &ViewContext<'_>) -> Self {
        Self { messages: view_cx.notices.log.iter().rev().cloned().collect(), cursor: 0 }
    }
}

impl DialogState for NoticeLog {
    fn id(&self) -> Dialog {
        DIALOG
    }

    fn row_cursor(&self) -> Option<RowCursor> {
        Some(RowCursor { count: self.messages.len(), cursor: self.cursor })
    }

    fn set_cursor(&mut self, row: usize) {
        self.cursor = row;
    }

    fn draw(&self, view_cx: &ViewContext<'_>, canvas: &mut Canvas<'_>, area: Rect) {
        let inner = canvas.draw_box(centered(area, 100, area.height * 4 / 5), "Messages, newest first");
        if inner.is_empty() {
            return;
        }
        let view = dialog_list(self, view_cx, canvas);
        let full = self.messages.get(self.cursor).map(Notice::display_text).unwrap_or_default();
        let full = wrap_text(&full, usize::from(inner.width));
        let below = u16::try_from(full.len()).unwrap_or(u16::MAX).min(inner.height / 2);
        let list = Rect { height: inner.height.saturating_sub(below + 2), ..inner };
        canvas.draw_list(list, &view, |row| self.messages.get(row).map(notice_row).unwrap_or_default());
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(&full) {
            canvas.draw_text(inner.x, y, inner.width, line, Ink::Text);
        }
        canvas.draw_line(
            Rect { y: inner.bottom() - 1, height: 1, ..inner },
            &[piece(view_cx.keys.display_key(DIALOG, ActionId::Cancel), Ink::Key), piece(" close", Ink::Dim)],
        );
    }
}

fn notice_row(notice: &Notice) -> Vec<Piece> {
    let (what, ink) = match notice.kind {
        NoticeKind::Done => ("done     ", Ink::Good),
        NoticeKind::Refused => ("not now  ", Ink::Warning),
        NoticeKind::Warned => ("warning  ", Ink::Warning),
        NoticeKind::Failed => ("error    ", Ink::Error),
    };
    vec![piece(what, ink), text_piece(notice.display_text())]
}
