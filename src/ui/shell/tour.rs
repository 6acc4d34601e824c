//! Current step of the tour, above the hint bar.

use ratatui::layout::Rect;

use crate::app::{Model, keys::ActionId, shell::tour::Tour};
use crate::ui::{
    canvas::{Canvas, piece, width, wrap},
    theme::Role,
};

/// Draws the title of the step and as much of its instructions as fits.
pub fn draw(model: &Model, tour: Tour, canvas: &mut Canvas<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let title = format!(" {} ", tour.title());
    let end = format!("{} ends the tour ", model.key(ActionId::Tour));
    let row = Rect { height: 1, ..area };
    if area.height > 1 {
        canvas.rule(row);
    }
    canvas.line(Rect { x: area.x + 1, ..row }, &[piece(&title, Role::Active)]);
    if width(&title) + width(&end) + 4 <= usize::from(area.width) {
        canvas.line_right(row, &[piece(format!(" {end}"), Role::Dim)]);
    }
    let room = usize::from(area.width).saturating_sub(3);
    let words = if area.height > 2 { tour.words(model) } else { tour.short(model) };
    let lines = wrap(&words, room);
    for (y, line) in (area.y + 1..area.bottom()).zip(&lines) {
        canvas.put(area.x + 2, y, area.width.saturating_sub(2), line, Role::Text);
    }
}
