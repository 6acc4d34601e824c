//! Choice from a short list.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::list_picker::ListPicker,
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, display_width, piece, text_piece},
    parts::{
        boxes::{centered, draw_field, draw_key_hints},
        lists::list_view,
    },
    theme::Role,
};

/// Draws the choice.
pub(in crate::ui) fn draw_list_picker(model: &Model, pick: &ListPicker, canvas: &mut Canvas<'_>, area: Rect) {
    // The field takes one line. The height does not depend on the filter, so the box does not jump.
    let typed = u16::from(pick.input.is_some());
    let high = u16::try_from(pick.items.len()).unwrap_or(u16::MAX).saturating_add(3 + typed);
    let wide = pick
        .items
        .iter()
        .map(|(name, _)| display_width(name) + 12)
        .max()
        .unwrap_or(0)
        .max(display_width(pick.title) + 8);
    // The key hints must fit.
    let least = if pick.allows_several { 48 } else { 44 };
    let wide = u16::try_from(wide).unwrap_or(area.width).max(least);
    let inner = canvas.draw_box(centered(area, wide, high.max(5)), pick.title);
    if inner.is_empty() {
        return;
    }
    if let Some(input) = &pick.input {
        draw_field(canvas, Rect { height: 1, ..inner }, input, true);
        let count = format!("{} of {}", pick.filtered_items().count(), pick.items.len());
        canvas.draw_line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    }
    let list = Rect { y: inner.y + typed, height: inner.height.saturating_sub(1 + typed), ..inner };
    let left: Vec<&(String, bool)> = pick.filtered_items().map(|(_, item)| item).collect();
    if left.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some((name, chosen)) = left.get(row) else { return Vec::new() };
        let mark = match (pick.allows_several, chosen) {
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
            (false, true) => "@ ",
            (false, false) => "  ",
        };
        vec![text_piece(mark), text_piece(name.clone())]
    });
    let dialog = if pick.input.is_some() { Dialog::FilteredPick } else { Dialog::Pick };
    let chooses = pick.allows_several.then_some((ActionId::Choose, "chooses"));
    let ends = [(ActionId::Accept, "applies it"), (ActionId::Cancel, "cancels")];
    let keys: Vec<_> = chooses.into_iter().chain(ends).collect();
    draw_key_hints(model, dialog, canvas, inner, &keys);
}
