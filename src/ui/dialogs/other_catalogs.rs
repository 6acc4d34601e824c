//! Last edit applied to the other catalogs: its effect in each, or the reason why it is not
//! possible.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::other_catalogs::{OtherCatalog, OtherCatalogs},
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, Pieces, display_width, pad, piece, text_piece, wrap_text},
    parts::{
        boxes::{centered, draw_key_hints, draw_preview_body},
        lists::list_view,
        preview::preview_lines,
    },
    text::format_count,
    theme::Role,
};

/// Draws the table.
pub(in crate::ui) fn draw_other_catalogs(
    model: &Model,
    others: &OtherCatalogs,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let wide = (area.width * 9 / 10).min(110);
    let inner = canvas
        .draw_box(centered(area, wide, area.height.saturating_sub(2).min(30)), "Also in other catalogs");
    if inner.height < 4 {
        return;
    }
    canvas.draw_text(inner.x, inner.y, inner.width, &others.edit.edit.title(), Role::Title);
    let most = (inner.height / 2).max(1);
    let high = u16::try_from(others.rows.len()).unwrap_or(u16::MAX).min(most);
    let list = Rect { y: inner.y + 1, height: high, ..inner };
    let ascii = canvas.ascii;
    let room = usize::from(inner.width) / 2;
    let column = others.rows.iter().map(|there| display_width(&there.label)).max().unwrap_or(8).min(room);
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some(there) = others.rows.get(row) else { return Vec::new() };
        let mark = match (&there.outcome, there.chosen) {
            (Err(_), _) => " -  ",
            (Ok(_), true) => "[x] ",
            (Ok(_), false) => "[ ] ",
        };
        let mut pieces =
            vec![text_piece(mark), text_piece(format!("{}  ", pad(&there.label, column, ascii)))];
        pieces.extend(outcome_pieces(there));
        pieces
    });
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
    let lower =
        Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
    let columns = usize::from(lower.width).saturating_sub(1);
    let lines = match others.rows.get(others.cursor).map(|there| &there.outcome) {
        None => Vec::new(),
        Some(Err(reason)) => {
            let words = format!("not possible there: {reason}");
            wrap_text(&words, columns).into_iter().map(|line| vec![piece(line, Role::Error)]).collect()
        }
        some => preview_lines(model, some, columns),
    };
    draw_preview_body(model, Dialog::OtherCatalogs, canvas, lower, &lines);
    let keys = [
        (ActionId::Choose, "chooses"),
        (ActionId::Accept, "applies it there"),
        (ActionId::Cancel, "cancels"),
    ];
    draw_key_hints(model, Dialog::OtherCatalogs, canvas, inner, &keys);
}

/// Summarizes the effect in one line.
fn outcome_pieces(there: &OtherCatalog) -> Pieces {
    let outcome = match &there.outcome {
        Err(reason) => return vec![piece("CONFLICT ", Role::Error), piece(reason.clone(), Role::Dim)],
        Ok(outcome) => outcome,
    };
    let consequences = &outcome.consequences;
    let findings = match (there.new_errors(), consequences.new_findings.len()) {
        (0, 0) => piece("no new findings", Role::Good),
        (0, some) => piece(format_count(some, "new finding"), Role::Warning),
        (errors, _) => piece(format_count(errors, "new error"), Role::Error),
    };
    let moved = match consequences.changed_steps.len() {
        0 => ", no upgrade changes".to_owned(),
        some => format!(", {}", format_count(some, "changed upgrade")),
    };
    vec![findings, piece(moved, Role::Dim)]
}
