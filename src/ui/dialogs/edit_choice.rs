//! Choice among a few edits, with a preview of each.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::edit_choice::EditChoice,
    keys::{ActionId, Dialog},
    parts::list::ListId,
    work::dialog_request::{ChoiceAction, EditPurpose},
};
use crate::ui::{
    canvas::{Canvas, Pieces, display_width, pad, piece, wrap_text},
    parts::{
        boxes::{centered, draw_key_hints, draw_preview_body},
        lists::list_view,
        preview::preview_state_lines,
    },
    theme::Role,
};

/// Draws the choice.
pub(in crate::ui) fn draw_edit_choice(
    model: &Model,
    choice: &EditChoice,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let ways = u16::try_from(choice.options.len()).unwrap_or(u16::MAX);
    // Questions have no consequences to show. A box with a preview has a fixed size, so that it
    // does not change with the cursor.
    let is_edit = choice.options.iter().any(|way| matches!(way.action, ChoiceAction::Edit(_)));
    let wide = (area.width * 9 / 10).min(100);
    let high = match choice.options.as_slice() {
        // The preview of a single edit does not change.
        [only] if matches!(only.action, ChoiceAction::Edit(_)) => {
            let columns = usize::from(wide).saturating_sub(5);
            let lines = option_lines(model, choice, columns).len();
            u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(6).min(22)
        }
        [] => 8,
        _ if is_edit => 22,
        _ => ways.saturating_add(4),
    };
    let box_area = centered(area, wide, area.height.saturating_sub(2).min(high));
    let inner = canvas.draw_box(box_area, &choice.title);
    if inner.is_empty() {
        return;
    }
    let most = if is_edit { inner.height / 2 } else { inner.height.saturating_sub(2) };
    let list = Rect { height: ways.min(most.max(1)), ..inner };
    let ascii = canvas.ascii;
    let column = choice.options.iter().map(|way| display_width(&way.label)).max().unwrap_or_default();
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some(way) = choice.options.get(row) else { return Vec::new() };
        vec![piece(format!("{}  ", pad(&way.label, column, ascii)), Role::Text), piece(&way.note, Role::Dim)]
    });
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
    let lower =
        Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
    let asks = choice.selected_option().is_some_and(|way| matches!(way.action, ChoiceAction::Ask { .. }));
    if !asks {
        let lines = option_lines(model, choice, usize::from(lower.width).saturating_sub(1));
        draw_preview_body(model, Dialog::EditChoice, canvas, lower, &lines);
    }
    let enter = match (asks, choice.purpose) {
        (true, _) => "continues",
        (false, EditPurpose::WhatIf) => "starts the what-if",
        (false, EditPurpose::Edit) => "apply",
    };
    let keys = [(ActionId::Accept, enter), (ActionId::Cancel, "cancel")];
    let keys = if choice.options.is_empty() { &keys[1..] } else { &keys[..] };
    draw_key_hints(model, Dialog::EditChoice, canvas, inner, keys);
}

/// Returns the details of the selected option and the preview of its edit.
fn option_lines(model: &Model, choice: &EditChoice, columns: usize) -> Vec<Pieces> {
    let paragraph = |words: &str, role: Role| -> Vec<Pieces> {
        wrap_text(words, columns).into_iter().map(|line| vec![piece(line, role)]).collect()
    };
    if choice.is_searching() {
        return paragraph("Looking for an edit that frees them...", Role::Dim);
    }
    if let Some(none) = &choice.empty_reason {
        return paragraph(none, Role::Warning);
    }
    let details = choice.details().iter().flat_map(|words| paragraph(words, Role::Title));
    details.chain(preview_state_lines(model, &choice.preview, columns)).collect()
}
