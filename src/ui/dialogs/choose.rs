//! Choice among a few edits, with a preview of each.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::choose::Choose,
    keys::{ActionId, Dialog},
    parts::list::ListId,
    work::opening::{Leads, Purpose},
};
use crate::ui::{
    canvas::{Canvas, Pieces, pad, piece, width, wrap},
    parts::{
        boxes::{body, centred, way_out},
        lists::list_view,
        preview::prospect,
    },
    theme::Role,
};

/// Draws the choice.
pub(in crate::ui) fn draw(model: &Model, choice: &Choose, canvas: &mut Canvas<'_>, area: Rect) {
    let ways = u16::try_from(choice.ways.len()).unwrap_or(u16::MAX);
    // Questions have no consequences to show. A box with a preview has a fixed size, so that it
    // does not change with the cursor.
    let is_edit = choice.ways.iter().any(|way| matches!(way.then, Leads::Edit(_)));
    let wide = (area.width * 9 / 10).min(100);
    let high = match choice.ways.as_slice() {
        // The preview of a single edit does not change.
        [only] if matches!(only.then, Leads::Edit(_)) => {
            let columns = usize::from(wide).saturating_sub(5);
            let lines = lines(model, choice, columns).len();
            u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(6).min(22)
        }
        [] => 8,
        _ if is_edit => 22,
        _ => ways.saturating_add(4),
    };
    let box_area = centred(area, wide, area.height.saturating_sub(2).min(high));
    let inner = canvas.boxed(box_area, &choice.title);
    if inner.is_empty() {
        return;
    }
    let most = if is_edit { inner.height / 2 } else { inner.height.saturating_sub(2) };
    let list = Rect { height: ways.min(most.max(1)), ..inner };
    let ascii = canvas.ascii;
    let column = choice.ways.iter().map(|way| width(&way.label)).max().unwrap_or_default();
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |row| {
        let Some(way) = choice.ways.get(row) else { return Vec::new() };
        vec![piece(format!("{}  ", pad(&way.label, column, ascii)), Role::Text), piece(&way.note, Role::Dim)]
    });
    canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
    let lower =
        Rect { y: list.bottom() + 1, height: inner.bottom().saturating_sub(list.bottom() + 2), ..inner };
    let asks = choice.way().is_some_and(|way| matches!(way.then, Leads::Ask { .. }));
    if !asks {
        let lines = lines(model, choice, usize::from(lower.width).saturating_sub(1));
        body(model, Dialog::Choose, canvas, lower, &lines);
    }
    let enter = match (asks, choice.purpose) {
        (true, _) => "continues",
        (false, Purpose::Suppose) => "starts the what-if",
        (false, Purpose::Edit) => "apply",
    };
    let keys = [(ActionId::Accept, enter), (ActionId::Cancel, "cancel")];
    let keys = if choice.ways.is_empty() { &keys[1..] } else { &keys[..] };
    way_out(model, Dialog::Choose, canvas, inner, keys);
}

/// Returns the details of the selected option and the preview of its edit.
fn lines(model: &Model, choice: &Choose, columns: usize) -> Vec<Pieces> {
    let paragraph = |words: &str, role: Role| -> Vec<Pieces> {
        wrap(words, columns).into_iter().map(|line| vec![piece(line, role)]).collect()
    };
    if choice.is_searching() {
        return paragraph("Looking for an edit that frees them...", Role::Dim);
    }
    if let Some(none) = &choice.none {
        return paragraph(none, Role::Warning);
    }
    let details = choice.details().iter().flat_map(|words| paragraph(words, Role::Title));
    details.chain(prospect(model, &choice.preview, columns)).collect()
}
