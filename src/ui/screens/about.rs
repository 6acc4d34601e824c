//! The About screen: a page of names and values.

use ratatui::layout::Rect;

use crate::{
    tui::{Model, parts::list::ListId},
    ui::{
        canvas::{Canvas, Pieces, pad, piece, wrap_text},
        theme::Role,
    },
};

/// Columns of the names.
const NAME_COLUMNS: usize = 16;

/// Draws the screen.
pub fn draw_about_screen(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let columns = usize::from(inner.width).saturating_sub(NAME_COLUMNS + 3);
    let ascii = canvas.ascii;
    let mut lines: Vec<Pieces> = Vec::new();
    for section in model.screens.about.sections() {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![piece(&section.title, Role::Title)]);
        for fact in &section.facts {
            let role = if fact.needs_attention { Role::Warning } else { Role::Text };
            for (index, value) in wrap_text(&fact.value, columns).into_iter().enumerate() {
                let name = if index == 0 { fact.name.as_str() } else { "" };
                let mark = if index == 0 && fact.needs_attention { "! " } else { "  " };
                let name = pad(name, NAME_COLUMNS, ascii);
                lines.push(vec![piece(mark, role), piece(format!("{name} "), Role::Dim), piece(value, role)]);
            }
        }
    }
    canvas.draw_scrolled_lines(
        inner,
        ListId::About,
        model.session.lists.first_row(ListId::About),
        true,
        &lines,
    );
}
