//! Question shown if a file changed on disk since it was loaded.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::changed_on_disk::ChangedOnDisk,
    keys::{ActionId, Dialog},
};
use crate::ui::{
    canvas::{Canvas, Pieces, piece, wrap_text},
    parts::boxes::{QUESTION_COLUMNS, draw_question},
    theme::Role,
};

/// Asks whether to reload the files.
pub(in crate::ui) fn draw_changed_on_disk(
    model: &Model,
    asked: &ChangedOnDisk,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let columns = usize::from(QUESTION_COLUMNS.min(area.width).saturating_sub(4));
    let mut lines: Vec<Pieces> = Vec::new();
    let mut say = |words: &str, role: Role| {
        lines.extend(wrap_text(words, columns).into_iter().map(|line| vec![piece(line, role)]));
    };
    say(&format!("{}.", asked.message), Role::Warning);
    say("Nothing was saved. Reload to apply your edits to the new files.", Role::Text);
    let keys = [(ActionId::Accept, "reload"), (ActionId::Cancel, "cancel")];
    draw_question(model, Dialog::ChangedOnDisk, "Not saved", &lines, &keys, canvas, area);
}
