//! Question shown before saving a catalog that opm rejects or whose files lose content.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::refused::Refused,
    keys::{ActionId, Dialog},
    work::opening::Because,
};
use crate::ui::{
    canvas::{Canvas, wrap},
    parts::boxes::{centred, way_out},
    text::plural,
    theme::Role,
};

/// Draws the question.
pub(in crate::ui) fn draw(model: &Model, refused: &Refused, canvas: &mut Canvas<'_>, area: Rect) {
    let (words, role) = match &refused.because {
        Because::Errors(errors) => {
            let words = format!("opm will reject this catalog: {}.", plural(*errors, "new error"));
            (vec![words], Role::Error)
        }
        Because::Costs(costs) => (costs.iter().map(|cost| format!("{cost}.")).collect(), Role::Warning),
    };
    let wide = if matches!(refused.because, Because::Errors(_)) { 60 } else { 76 };
    let columns = usize::from(wide.min(area.width).saturating_sub(4));
    let mut lines: Vec<String> = words.iter().flat_map(|words| wrap(words, columns)).collect();
    let most = usize::from(area.height).saturating_sub(6).max(1);
    if lines.len() > most {
        let hidden = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(format!("and {} more", plural(hidden, "line")));
    }
    let high = u16::try_from(lines.len() + 4).unwrap_or(area.height);
    let inner = canvas.boxed(centred(area, wide, high), "Save anyway?");
    if inner.is_empty() {
        return;
    }
    for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.put(inner.x, y, inner.width, line, role);
    }
    let keys = [(ActionId::WriteAnyway, "saves anyway"), (ActionId::Cancel, "back to Changes")];
    way_out(model, Dialog::Refused, canvas, inner, &keys);
}
