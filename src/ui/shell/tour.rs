//! Current step of the tour, above the hint bar.

use ratatui::layout::Rect;

use crate::tui::{Model, keys::ActionId, shell::tour::Tour};
use crate::ui::{
    canvas::{Canvas, display_width, piece, wrap_text},
    theme::Role,
};

/// Draws the title of the step and as much of its instructions as fits.
pub fn draw_tour(model: &Model, tour: Tour, canvas: &mut Canvas<'_>, area: Rect) {
    if area.is_empty() {
        return;
    }
    let title = format!(" {} ", tour.step_title());
    let end = format!("{} ends the tour ", model.key_label(ActionId::Tour));
    let row = Rect { height: 1, ..area };
    if area.height > 1 {
        canvas.draw_rule(row);
    }
    canvas.draw_line(Rect { x: area.x + 1, ..row }, &[piece(&title, Role::Active)]);
    if display_width(&title) + display_width(&end) + 4 <= usize::from(area.width) {
        canvas.draw_line_right(row, &[piece(format!(" {end}"), Role::Dim)]);
    }
    let room = usize::from(area.width).saturating_sub(3);
    let words = if area.height > 2 { tour.instruction(model) } else { tour.short_instruction(model) };
    let lines = wrap_text(&words, room);
    for (y, line) in (area.y + 1..area.bottom()).zip(&lines) {
        canvas.draw_text(area.x + 2, y, area.width.saturating_sub(2), line, Role::Text);
    }
}
