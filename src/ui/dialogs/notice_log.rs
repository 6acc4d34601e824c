//! Log of notices, newest first.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::notice_log::NoticeLog,
    keys::{ActionId, Dialog},
    parts::{
        list::ListId,
        notice::{Notice, NoticeKind},
    },
};
use crate::ui::{
    canvas::{Canvas, Piece, piece, text_piece, wrap_text},
    parts::{boxes::centered, lists::list_view},
    theme::Role,
};

/// Draws the log and the selected notice in full below it.
pub(in crate::ui) fn draw_notice_log(model: &Model, log: &NoticeLog, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = canvas.draw_box(centered(area, 100, area.height * 4 / 5), "Messages, newest first");
    if inner.is_empty() {
        return;
    }
    let view = list_view(model, ListId::Dialog(canvas.dialogs_below));
    let full = log.messages.get(log.cursor).map(Notice::display_text).unwrap_or_default();
    let full = wrap_text(&full, usize::from(inner.width));
    let below = u16::try_from(full.len()).unwrap_or(u16::MAX).min(inner.height / 2);
    let list = Rect { height: inner.height.saturating_sub(below + 2), ..inner };
    canvas.draw_list(list, &view, |row| log.messages.get(row).map(notice_row).unwrap_or_default());
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(&full) {
        canvas.draw_text(inner.x, y, inner.width, line, Role::Text);
    }
    canvas.draw_line(
        Rect { y: inner.bottom() - 1, height: 1, ..inner },
        &[
            piece(model.keys.map.display_key(Dialog::Log, ActionId::Cancel), Role::Key),
            piece(" closes", Role::Dim),
        ],
    );
}

fn notice_row(notice: &Notice) -> Vec<Piece> {
    let (what, role) = match notice.kind {
        NoticeKind::Done => ("done     ", Role::Good),
        NoticeKind::Refused => ("not now  ", Role::Warning),
        NoticeKind::Warned => ("warning  ", Role::Warning),
        NoticeKind::Failed => ("error    ", Role::Error),
    };
    vec![piece(what, role), text_piece(notice.display_text())]
}
