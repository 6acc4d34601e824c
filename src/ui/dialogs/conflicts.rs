//! List of the edits that could not be restored.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::conflicts::Conflicts,
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, text, wrap},
    parts::{
        boxes::{centred, way_out},
        lists::list_view,
    },
    text::plural,
    theme::Role,
};

/// Draws the edits and the reason for the selected one.
pub(in crate::ui) fn draw(model: &Model, conflicts: &Conflicts, canvas: &mut Canvas<'_>, area: Rect) {
    let wide = 90.min(area.width);
    let columns = usize::from(wide.saturating_sub(4));
    let reason =
        conflicts.refused.get(conflicts.cursor).map(|(_, why)| wrap(why, columns)).unwrap_or_default();
    let rows = u16::try_from(conflicts.refused.len()).unwrap_or(u16::MAX);
    let below = u16::try_from(reason.len()).unwrap_or(u16::MAX);
    let high = rows.saturating_add(below).saturating_add(6);
    let title = format!("{} not restored", plural(conflicts.refused.len(), "edit"));
    let inner = canvas.boxed(centred(area, wide, high), &title);
    if inner.height < 4 {
        return;
    }
    let made = match conflicts.made {
        0 => "No edit could be restored:".to_owned(),
        made => format!("{} restored, but not:", plural(made, "edit")),
    };
    canvas.put(inner.x, inner.y, inner.width, &made, Role::Warning);
    let room = inner.height - 2;
    let list = Rect { y: inner.y + 1, height: rows.min(room.saturating_sub(below + 1).max(1)), ..inner };
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |row| {
        conflicts.refused.get(row).map(|(title, _)| vec![text(title.clone())]).unwrap_or_default()
    });
    canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom() - 1).zip(reason) {
        canvas.put(inner.x, y, inner.width, &line, Role::Error);
    }
    let keys = [(ActionId::RowUp, ""), (ActionId::RowDown, "previous, next"), (ActionId::Cancel, "closes")];
    way_out(model, Dialog::Conflicts, canvas, inner, &keys);
}
