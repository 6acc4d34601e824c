//! Question shown before unsaved edits are discarded.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    keys::{ActionId, Dialog},
};
use crate::ui::{
    canvas::Canvas,
    parts::boxes::{centred, way_out},
    text::plural,
    theme::Role,
};

/// Draws the question.
pub(in crate::ui) fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = canvas.boxed(centred(area, 56, 5), "Leave?");
    if inner.is_empty() {
        return;
    }
    let words = format!("{}.", plural(model.session.unsaved(), "unsaved edit"));
    canvas.put(inner.x, inner.y, inner.width, &words, Role::Warning);
    let keys = [
        (ActionId::ReviewFirst, "review and save"),
        (ActionId::DiscardEdits, "discard"),
        (ActionId::Cancel, "stay"),
    ];
    way_out(model, Dialog::Leave, canvas, inner, &keys);
}
