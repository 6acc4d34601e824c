//! Question for one line of text, with a preview of the edit.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::ask::Ask,
    keys::{ActionId, Dialog},
    work::opening::Purpose,
};
use crate::ui::{
    canvas::{Canvas, wrap},
    parts::{
        boxes::{body, centred, field, proposals, way_out},
        extract::extract_lines,
        preview::prospect,
    },
    theme::Role,
};

/// Draws the question.
pub(in crate::ui) fn draw(model: &Model, question: &Ask, canvas: &mut Canvas<'_>, area: Rect) {
    let box_area = centred(area, (area.width * 9 / 10).min(100), area.height.saturating_sub(2).min(22));
    let inner = canvas.boxed(box_area, &question.title());
    if inner.is_empty() {
        return;
    }
    field(canvas, inner, &question.input, true);
    let (words, role) = match &question.remark {
        Ok(words) => (words.clone(), Role::Dim),
        Err(mistake) => (mistake.to_string(), Role::Error),
    };
    // Text of more than two lines is a list; its first line is enough.
    let mut lines = wrap(&words, usize::from(inner.width));
    if lines.len() > 2 {
        lines = vec![words];
    }
    let mut y = inner.y + 1;
    for line in &lines {
        canvas.put(inner.x, y, inner.width, line, role);
        y += 1;
    }
    if !question.proposals.is_empty() {
        let key = model.keys.map.label(Dialog::Ask, ActionId::Complete);
        proposals(canvas, Rect { y, height: 1, ..inner }, key, &question.proposals);
        y += 1;
    }
    canvas.rule(Rect { y, height: 1, ..inner });
    let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    let columns = usize::from(lower.width).saturating_sub(1);
    let lines = match &question.remark {
        Ok(_) => match &question.planned {
            Some(planned) => extract_lines(model, planned, &question.preview, columns),
            None => prospect(model, &question.preview, columns),
        },
        Err(_) => Vec::new(),
    };
    body(model, Dialog::Ask, canvas, lower, &lines);
    let esc = match question.purpose {
        Purpose::Suppose => "cancels  nothing is edited",
        Purpose::Edit => "cancel",
    };
    let keys = [(ActionId::Accept, question.enter()), (ActionId::Cancel, esc)];
    way_out(model, Dialog::Ask, canvas, inner, &keys);
}
