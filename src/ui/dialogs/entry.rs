//! Form of an entry, with a preview of the edit.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::entry::{EntryField, EntryForm},
    keys::{ActionId, Dialog},
};
use crate::ui::{
    canvas::Canvas,
    parts::{
        boxes::{body, centred, field, proposals, way_out},
        preview::prospect,
    },
    theme::Role,
};

/// Draws the form.
pub(in crate::ui) fn draw(model: &Model, form: &EntryForm, canvas: &mut Canvas<'_>, area: Rect) {
    let title = if form.is_new {
        format!("Add {} to {}", form.bundle, form.channel)
    } else {
        format!("{} in {}", form.bundle, form.channel)
    };
    let inner = canvas
        .boxed(centred(area, (area.width * 9 / 10).min(110), area.height.saturating_sub(2).min(30)), &title);
    if inner.is_empty() {
        return;
    }
    for (index, name) in (0u16..).zip(EntryField::ALL) {
        let y = inner.y + index;
        let focused = form.field == name;
        let role = if focused { Role::Active } else { Role::Dim };
        canvas.put(inner.x, y, 11, &format!("{:<10} ", name.title()), role);
        let room = Rect { x: inner.x + 11, y, width: inner.width.saturating_sub(11), height: 1 };
        field(canvas, room, &form.inputs[name as usize], focused);
    }
    let mut y = inner.y + 3;
    if !form.proposals.is_empty() {
        let key = model.keys.map.label(Dialog::Entry, ActionId::Complete);
        proposals(canvas, Rect { y, height: 1, ..inner }, key, &form.proposals);
    } else if form.field == EntryField::SkipRange {
        let (words, role) = match &form.range {
            Ok(words) => (words.clone(), Role::Dim),
            Err(mistake) => (mistake.to_string(), Role::Error),
        };
        canvas.put(inner.x, y, inner.width, &words, role);
    }
    y += 1;
    canvas.rule(Rect { y, height: 1, ..inner });
    let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    let lines = prospect(model, &form.preview, usize::from(lower.width).saturating_sub(1));
    body(model, Dialog::Entry, canvas, lower, &lines);
    let keys =
        [(ActionId::NextField, "next field"), (ActionId::Accept, "apply"), (ActionId::Cancel, "cancel")];
    way_out(model, Dialog::Entry, canvas, inner, &keys);
}
