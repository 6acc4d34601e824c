//! Scrollable lines, with a hint if some are hidden.

use ratatui::layout::Rect;

use crate::{
    tui::{Model, parts::list::ListId},
    ui::{
        canvas::{Canvas, Pieces, display_width, piece},
        theme::Role,
    },
};

/// Draws lines from their scroll position, and the key that scrolls to hidden ones. `reading` is
/// true if the pane has the focus.
pub fn draw_scrolled_text(
    model: &Model,
    canvas: &mut Canvas<'_>,
    area: Rect,
    id: ListId,
    reading: bool,
    key: &str,
    lines: &[Pieces],
) {
    let first = model.session.lists.first_row(id);
    canvas.draw_scrolled_lines(area, id, first, reading, lines);
    let height = usize::from(area.height);
    let cut = lines.len().saturating_sub(height);
    let first = first.min(cut);
    if cut <= first || reading || area.width <= 20 || height == 0 {
        return;
    }
    let last = Rect { y: area.bottom() - 1, height: 1, width: area.width - 1, ..area };
    let more = format!("{key} scrolls: {} more ", cut - first);
    let room = last.width.saturating_sub(u16::try_from(display_width(&more)).unwrap_or(u16::MAX));
    // The shared line shows a mark if it is cut.
    canvas.clear(last);
    if let Some(line) = lines.get(first + height - 1) {
        canvas.draw_line(Rect { width: room.saturating_sub(2), ..last }, line);
    }
    canvas.draw_line_right(last, &[piece(more, Role::Key)]);
}
