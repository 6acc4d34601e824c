//! Question for one line of text, with a preview of the edit.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::edit_question::EditQuestion,
    keys::{ActionId, Dialog},
    work::dialog_request::EditPurpose,
};
use crate::ui::{
    canvas::{Canvas, wrap_text},
    parts::{
        boxes::{centered, draw_field, draw_key_hints, draw_preview_body, draw_proposals},
        extract_preview::extract_lines,
        preview::preview_state_lines,
    },
    theme::Role,
};

/// Draws the question.
pub(in crate::ui) fn draw_edit_question(
    model: &Model,
    question: &EditQuestion,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let box_area = centered(area, (area.width * 9 / 10).min(100), area.height.saturating_sub(2).min(22));
    let inner = canvas.draw_box(box_area, &question.question_title());
    if inner.is_empty() {
        return;
    }
    draw_field(canvas, inner, &question.input, true);
    let (words, role) = match &question.note {
        Ok(words) => (words.clone(), Role::Dim),
        Err(mistake) => (mistake.to_string(), Role::Error),
    };
    // Text of more than two lines is a list; its first line is enough.
    let mut lines = wrap_text(&words, usize::from(inner.width));
    if lines.len() > 2 {
        lines = vec![words];
    }
    let mut y = inner.y + 1;
    for line in &lines {
        canvas.draw_text(inner.x, y, inner.width, line, role);
        y += 1;
    }
    if !question.proposals.is_empty() {
        let key = model.keys.map.display_key(Dialog::EditQuestion, ActionId::Complete);
        draw_proposals(canvas, Rect { y, height: 1, ..inner }, key, &question.proposals);
        y += 1;
    }
    canvas.draw_rule(Rect { y, height: 1, ..inner });
    let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    let columns = usize::from(lower.width).saturating_sub(1);
    let lines = match &question.note {
        Ok(_) => match &question.extract_plan {
            Some(planned) => extract_lines(model, planned, &question.preview, columns),
            None => preview_state_lines(model, &question.preview, columns),
        },
        Err(_) => Vec::new(),
    };
    draw_preview_body(model, Dialog::EditQuestion, canvas, lower, &lines);
    let esc = match question.purpose {
        EditPurpose::WhatIf => "cancels  nothing is edited",
        EditPurpose::Edit => "cancel",
    };
    let keys = [(ActionId::Accept, question.enter_hint()), (ActionId::Cancel, esc)];
    draw_key_hints(model, Dialog::EditQuestion, canvas, inner, &keys);
}
