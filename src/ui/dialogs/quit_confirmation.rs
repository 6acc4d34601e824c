//! Question shown before unsaved edits are discarded.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    keys::{ActionId, Dialog},
};
use crate::ui::{
    canvas::Canvas,
    parts::boxes::{centered, draw_key_hints},
    text::format_count,
    theme::Role,
};

/// Draws the question.
pub(in crate::ui) fn draw_quit_confirmation(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = canvas.draw_box(centered(area, 56, 5), "Leave?");
    if inner.is_empty() {
        return;
    }
    let words = format!("{}.", format_count(model.session.unsaved_count(), "unsaved edit"));
    canvas.draw_text(inner.x, inner.y, inner.width, &words, Role::Warning);
    let keys = [
        (ActionId::ReviewFirst, "review and save"),
        (ActionId::DiscardEdits, "discard"),
        (ActionId::Cancel, "stay"),
    ];
    draw_key_hints(model, Dialog::QuitConfirmation, canvas, inner, &keys);
}
