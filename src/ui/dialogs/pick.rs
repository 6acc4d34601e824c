//! Choice from a short list.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::pick::Pick,
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, piece, text, width},
    parts::{
        boxes::{centred, field, way_out},
        lists::list_view,
    },
    theme::Role,
};

/// Draws the choice.
pub(in crate::ui) fn draw(model: &Model, pick: &Pick, canvas: &mut Canvas<'_>, area: Rect) {
    // The field takes one line. The height does not depend on the filter, so the box does not jump.
    let typed = u16::from(pick.input.is_some());
    let high = u16::try_from(pick.items.len()).unwrap_or(u16::MAX).saturating_add(3 + typed);
    let wide =
        pick.items.iter().map(|(name, _)| width(name) + 12).max().unwrap_or(0).max(width(pick.title) + 8);
    // The key hints must fit.
    let least = if pick.several { 48 } else { 44 };
    let wide = u16::try_from(wide).unwrap_or(area.width).max(least);
    let inner = canvas.boxed(centred(area, wide, high.max(5)), pick.title);
    if inner.is_empty() {
        return;
    }
    if let Some(input) = &pick.input {
        field(canvas, Rect { height: 1, ..inner }, input, true);
        let count = format!("{} of {}", pick.left().count(), pick.items.len());
        canvas.line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    }
    let list = Rect { y: inner.y + typed, height: inner.height.saturating_sub(1 + typed), ..inner };
    let left: Vec<&(String, bool)> = pick.left().map(|(_, item)| item).collect();
    if left.is_empty() {
        canvas.put(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |row| {
        let Some((name, chosen)) = left.get(row) else { return Vec::new() };
        let mark = match (pick.several, chosen) {
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
            (false, true) => "@ ",
            (false, false) => "  ",
        };
        vec![text(mark), text(name.clone())]
    });
    let dialog = if pick.input.is_some() { Dialog::TypedPick } else { Dialog::Pick };
    let chooses = pick.several.then_some((ActionId::Choose, "chooses"));
    let ends = [(ActionId::Accept, "applies it"), (ActionId::Cancel, "cancels")];
    let keys: Vec<_> = chooses.into_iter().chain(ends).collect();
    way_out(model, dialog, canvas, inner, &keys);
}
