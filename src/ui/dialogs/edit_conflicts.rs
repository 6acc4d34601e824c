//! List of the edits that could not be restored.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::edit_conflicts::EditConflicts,
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, text_piece, wrap_text},
    parts::{
        boxes::{centered, draw_key_hints},
        lists::list_view,
    },
    text::format_count,
    theme::Role,
};

/// Draws the edits and the reason for the selected one.
pub(in crate::ui) fn draw_edit_conflicts(
    model: &Model,
    conflicts: &EditConflicts,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let wide = 90.min(area.width);
    let columns = usize::from(wide.saturating_sub(4));
    let reason =
        conflicts.rejected.get(conflicts.cursor).map(|(_, why)| wrap_text(why, columns)).unwrap_or_default();
    let rows = u16::try_from(conflicts.rejected.len()).unwrap_or(u16::MAX);
    let below = u16::try_from(reason.len()).unwrap_or(u16::MAX);
    let high = rows.saturating_add(below).saturating_add(6);
    let title = format!("{} not restored", format_count(conflicts.rejected.len(), "edit"));
    let inner = canvas.draw_box(centered(area, wide, high), &title);
    if inner.height < 4 {
        return;
    }
    let made = match conflicts.restored {
        0 => "No edit could be restored:".to_owned(),
        made => format!("{} restored, but not:", format_count(made, "edit")),
    };
    canvas.draw_text(inner.x, inner.y, inner.width, &made, Role::Warning);
    let room = inner.height - 2;
    let list = Rect { y: inner.y + 1, height: rows.min(room.saturating_sub(below + 1).max(1)), ..inner };
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        conflicts.rejected.get(row).map(|(title, _)| vec![text_piece(title.clone())]).unwrap_or_default()
    });
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom() - 1).zip(reason) {
        canvas.draw_text(inner.x, y, inner.width, &line, Role::Error);
    }
    let keys = [(ActionId::RowUp, ""), (ActionId::RowDown, "previous, next"), (ActionId::Cancel, "closes")];
    draw_key_hints(model, Dialog::EditConflicts, canvas, inner, &keys);
}
