//! Log of notices, newest first.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::log::Log,
    keys::{ActionId, Dialog},
    parts::{
        list::ListId,
        notice::{Notice, Tone},
    },
};
use crate::ui::{
    canvas::{Canvas, Piece, piece, text, wrap},
    parts::{boxes::centred, lists::list_view},
    theme::Role,
};

/// Draws the log and the selected notice in full below it.
pub(in crate::ui) fn draw(model: &Model, log: &Log, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = canvas.boxed(centred(area, 100, area.height * 4 / 5), "Messages, newest first");
    if inner.is_empty() {
        return;
    }
    let view = list_view(model, ListId::Dialog(canvas.below));
    let full = log.messages.get(log.cursor).map(Notice::words).unwrap_or_default();
    let full = wrap(&full, usize::from(inner.width));
    let below = u16::try_from(full.len()).unwrap_or(u16::MAX).min(inner.height / 2);
    let list = Rect { height: inner.height.saturating_sub(below + 2), ..inner };
    canvas.list(list, &view, |row| log.messages.get(row).map(row_of).unwrap_or_default());
    canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(&full) {
        canvas.put(inner.x, y, inner.width, line, Role::Text);
    }
    canvas.line(
        Rect { y: inner.bottom() - 1, height: 1, ..inner },
        &[piece(model.keys.map.label(Dialog::Log, ActionId::Cancel), Role::Key), piece(" closes", Role::Dim)],
    );
}

fn row_of(notice: &Notice) -> Vec<Piece> {
    let (what, role) = match notice.tone {
        Tone::Done => ("done     ", Role::Good),
        Tone::Refused => ("not now  ", Role::Warning),
        Tone::Warned => ("warning  ", Role::Warning),
        Tone::Failed => ("error    ", Role::Error),
    };
    vec![piece(what, role), text(notice.words())]
}
