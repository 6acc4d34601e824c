//! Choice of the base of a comparison.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::comparison_choice::ComparisonChoice,
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, display_width, pad, piece, wrap_text},
    parts::{
        boxes::{centered, draw_key_hints},
        lists::list_view,
    },
    theme::Role,
};

/// Lines for the reason why an option cannot be chosen.
const REASON_LINES: u16 = 2;

/// Draws the choice.
pub(in crate::ui) fn draw_comparison_choice(
    model: &Model,
    choice: &ComparisonChoice,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let rows = u16::try_from(choice.options.len()).unwrap_or(u16::MAX);
    let inner = canvas.draw_box(centered(area, 84, rows.saturating_add(3 + REASON_LINES)), "Compare with");
    if inner.is_empty() {
        return;
    }
    let below = (1 + REASON_LINES).min(inner.height.saturating_sub(1));
    let list = Rect { height: inner.height - below, ..inner };
    let ascii = canvas.ascii;
    let widest = choice.options.iter().map(|other| display_width(&other.label)).max().unwrap_or_default();
    let column = widest.min(usize::from(inner.width) / 2);
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some(other) = choice.options.get(row) else { return Vec::new() };
        let label = format!("{}  ", pad(&other.label, column, ascii));
        match &other.effect {
            Ok(_) => vec![piece(label, Role::Text), piece(&other.note, Role::Dim)],
            Err(why) => vec![piece(label, Role::Dim), piece(format!("not now: {why}"), Role::Warning)],
        }
    });
    if let Some(Err(why)) = choice.options.get(choice.cursor).map(|other| &other.effect) {
        let lines = wrap_text(&why.to_string(), usize::from(inner.width));
        for (y, line) in (list.bottom()..inner.bottom().saturating_sub(1)).zip(lines) {
            canvas.draw_text(inner.x, y, inner.width, &line, Role::Warning);
        }
    }
    let keys = [(ActionId::Accept, "compares"), (ActionId::Cancel, "cancels")];
    draw_key_hints(model, Dialog::ComparisonChoice, canvas, inner, &keys);
}
