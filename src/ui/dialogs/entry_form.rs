//! Form of an entry, with a preview of the edit.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::entry_form::{EntryField, EntryForm},
    keys::{ActionId, Dialog},
};
use crate::ui::{
    canvas::Canvas,
    parts::{
        boxes::{centered, draw_field, draw_key_hints, draw_preview_body, draw_proposals},
        preview::preview_state_lines,
    },
    theme::Role,
};

/// Draws the form.
pub(in crate::ui) fn draw_entry_form(model: &Model, form: &EntryForm, canvas: &mut Canvas<'_>, area: Rect) {
    let title = if form.is_new {
        format!("Add {} to {}", form.bundle, form.channel)
    } else {
        format!("{} in {}", form.bundle, form.channel)
    };
    let inner = canvas.draw_box(
        centered(area, (area.width * 9 / 10).min(110), area.height.saturating_sub(2).min(30)),
        &title,
    );
    if inner.is_empty() {
        return;
    }
    for (index, name) in (0u16..).zip(EntryField::ALL) {
        let y = inner.y + index;
        let focused = form.focused_field == name;
        let role = if focused { Role::Active } else { Role::Dim };
        canvas.draw_text(inner.x, y, 11, &format!("{:<10} ", name.field_name()), role);
        let room = Rect { x: inner.x + 11, y, width: inner.width.saturating_sub(11), height: 1 };
        draw_field(canvas, room, &form.inputs[name as usize], focused);
    }
    let mut y = inner.y + 3;
    if !form.proposals.is_empty() {
        let key = model.keys.map.display_key(Dialog::Entry, ActionId::Complete);
        draw_proposals(canvas, Rect { y, height: 1, ..inner }, key, &form.proposals);
    } else if form.focused_field == EntryField::SkipRange {
        let (words, role) = match &form.range_summary {
            Ok(words) => (words.clone(), Role::Dim),
            Err(mistake) => (mistake.to_string(), Role::Error),
        };
        canvas.draw_text(inner.x, y, inner.width, &words, role);
    }
    y += 1;
    canvas.draw_rule(Rect { y, height: 1, ..inner });
    let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    let lines = preview_state_lines(model, &form.preview, usize::from(lower.width).saturating_sub(1));
    draw_preview_body(model, Dialog::Entry, canvas, lower, &lines);
    let keys =
        [(ActionId::NextField, "next field"), (ActionId::Accept, "apply"), (ActionId::Cancel, "cancel")];
    draw_key_hints(model, Dialog::Entry, canvas, inner, &keys);
}
