//! Asking what is to be supposed, with what it would lead to.

use ratatui::layout::Rect;

use super::{
    super::{
        canvas::{Canvas, Pieces, piece, text},
        theme::Role,
    },
    body, centred, field, preview,
};
use crate::app::{Model, supposition::Supposition};

/// Draws the question.
pub(super) fn draw(model: &Model, question: &Supposition, canvas: &mut Canvas<'_>, area: Rect) {
    let box_area = centred(area, (area.width * 9 / 10).min(100), area.height.saturating_sub(2).min(22));
    let inner = canvas.boxed(box_area, &question.title());
    if inner.is_empty() {
        return;
    }
    field(canvas, inner, &question.input, true);
    let (words, role) = match &question.remark {
        Ok(words) => (words, Role::Dim),
        Err(words) => (words, Role::Error),
    };
    canvas.put(inner.x, inner.y + 1, inner.width, words, role);
    let mut y = inner.y + 2;
    if !question.proposals.is_empty() {
        let mut pieces = vec![piece("tab", Role::Key), piece(" completes: ", Role::Dim)];
        pieces.extend(question.proposals.iter().map(|proposal| text(format!("{proposal}  "))));
        canvas.line(Rect { y, height: 1, ..inner }, &pieces);
        y += 1;
    }
    canvas.rule(Rect { y, height: 1, ..inner });
    let lower = Rect { y: y + 1, height: inner.bottom().saturating_sub(y + 2), ..inner };
    let columns = usize::from(lower.width).saturating_sub(1);
    let lines = match &question.remark {
        Ok(_) => preview(model, question.preview.as_ref(), columns),
        Err(_) => Vec::new(),
    };
    body(canvas, lower, &lines);
    let keys: Pieces = vec![
        piece("enter", Role::Key),
        piece(" supposes it  ", Role::Dim),
        piece("esc", Role::Key),
        piece(" leaves it  nothing is edited", Role::Dim),
    ];
    canvas.line(Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner }, &keys);
}
