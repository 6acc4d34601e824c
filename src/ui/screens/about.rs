//! The About screen: a page of names and values.

use ratatui::layout::Rect;

use crate::{
    app::{Model, parts::list::ListId},
    ui::{
        canvas::{Canvas, Pieces, pad, piece, wrap},
        theme::Role,
    },
};

/// Columns of the names.
const NAMES: usize = 16;

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let columns = usize::from(inner.width).saturating_sub(NAMES + 3);
    let ascii = canvas.ascii;
    let mut lines: Vec<Pieces> = Vec::new();
    for section in model.screens.about.sections() {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![piece(&section.title, Role::Title)]);
        for fact in &section.facts {
            let role = if fact.is_wrong { Role::Warning } else { Role::Text };
            for (index, value) in wrap(&fact.value, columns).into_iter().enumerate() {
                let name = if index == 0 { fact.name.as_str() } else { "" };
                let mark = if index == 0 && fact.is_wrong { "! " } else { "  " };
                let name = pad(name, NAMES, ascii);
                lines.push(vec![piece(mark, role), piece(format!("{name} "), Role::Dim), piece(value, role)]);
            }
        }
    }
    canvas.lines(inner, ListId::About, model.session.lists.first(ListId::About), true, &lines);
}
