//! Question shown before saving a catalog that opm rejects or whose files lose content.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::save_refusal::SaveRefusal,
    keys::{ActionId, Dialog},
    work::dialog_request::SaveBlocker,
};
use crate::ui::{
    canvas::{Canvas, wrap_text},
    parts::boxes::{centered, draw_key_hints},
    text::format_count,
    theme::Role,
};

/// Draws the question.
pub(in crate::ui) fn draw_save_refusal(
    model: &Model,
    refused: &SaveRefusal,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let (words, role) = match &refused.objection {
        SaveBlocker::Errors(errors) => {
            let words = format!("opm will reject this catalog: {}.", format_count(*errors, "new error"));
            (vec![words], Role::Error)
        }
        SaveBlocker::MetadataLoss(costs) => {
            (costs.iter().map(|cost| format!("{cost}.")).collect(), Role::Warning)
        }
    };
    let wide = if matches!(refused.objection, SaveBlocker::Errors(_)) { 60 } else { 76 };
    let columns = usize::from(wide.min(area.width).saturating_sub(4));
    let mut lines: Vec<String> = words.iter().flat_map(|words| wrap_text(words, columns)).collect();
    let most = usize::from(area.height).saturating_sub(6).max(1);
    if lines.len() > most {
        let hidden = lines.len() - most + 1;
        lines.truncate(most - 1);
        lines.push(format!("and {} more", format_count(hidden, "line")));
    }
    let high = u16::try_from(lines.len() + 4).unwrap_or(area.height);
    let inner = canvas.draw_box(centered(area, wide, high), "Save anyway?");
    if inner.is_empty() {
        return;
    }
    for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
        canvas.draw_text(inner.x, y, inner.width, line, role);
    }
    let keys = [(ActionId::WriteAnyway, "saves anyway"), (ActionId::Cancel, "back to Changes")];
    draw_key_hints(model, Dialog::SaveRefusal, canvas, inner, &keys);
}
