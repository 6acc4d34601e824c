//! Choice of the base of a comparison.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::against::Against,
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, pad, piece, width, wrap},
    parts::{
        boxes::{centred, way_out},
        lists::list_view,
    },
    theme::Role,
};

/// Lines for the reason why an option cannot be chosen.
const REASON: u16 = 2;

/// Draws the choice.
pub(in crate::ui) fn draw(model: &Model, choice: &Against, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = u16::try_from(choice.others.len()).unwrap_or(u16::MAX);
    let inner = canvas.boxed(centred(area, 84, rows.saturating_add(3 + REASON)), "Compare with");
    if inner.is_empty() {
        return;
    }
    let below = (1 + REASON).min(inner.height.saturating_sub(1));
    let list = Rect { height: inner.height - below, ..inner };
    let ascii = canvas.ascii;
    let widest = choice.others.iter().map(|other| width(&other.label)).max().unwrap_or_default();
    let column = widest.min(usize::from(inner.width) / 2);
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |row| {
        let Some(other) = choice.others.get(row) else { return Vec::new() };
        let label = format!("{}  ", pad(&other.label, column, ascii));
        match &other.leads {
            Ok(_) => vec![piece(label, Role::Text), piece(&other.note, Role::Dim)],
            Err(why) => vec![piece(label, Role::Dim), piece(format!("not now: {why}"), Role::Warning)],
        }
    });
    if let Some(Err(why)) = choice.others.get(choice.cursor).map(|other| &other.leads) {
        let lines = wrap(&why.to_string(), usize::from(inner.width));
        for (y, line) in (list.bottom()..inner.bottom().saturating_sub(1)).zip(lines) {
            canvas.put(inner.x, y, inner.width, &line, Role::Warning);
        }
    }
    let keys = [(ActionId::Accept, "compares"), (ActionId::Cancel, "cancels")];
    way_out(model, Dialog::Against, canvas, inner, &keys);
}
