//! Finder for packages, channels, bundles and findings, with a preview of the selected row.

mod preview;

use ratatui::layout::Rect;

use crate::tui::{
    Model, dialogs::finder::Finder, keys::Dialog, parts::list::ListId, session::open_catalog::catalog_labels,
};
use crate::ui::{
    canvas::{Canvas, display_width, highlight_matches, piece},
    parts::{
        boxes::{centered, draw_search_field},
        lists::list_view,
    },
    text::pad,
    theme::Role,
};

/// Maximum number of columns of a catalog name.
const MAX_LABEL_COLUMNS: usize = 12;

/// Draws the finder.
pub(in crate::ui) fn draw_finder(model: &Model, finder: &Finder, canvas: &mut Canvas<'_>, area: Rect) {
    let inner =
        canvas.draw_box(centered(area, (area.width * 9 / 10).min(110), area.height * 4 / 5), "Find anything");
    if inner.is_empty() {
        return;
    }
    let count = if finder.total > finder.matches.len() {
        format!("   first {} of {}", finder.matches.len(), finder.total)
    } else {
        format!("   {}", finder.total)
    };
    let below = draw_search_field(model, Dialog::Finder, &finder.input, "goes there", &count, canvas, inner);
    let ascii = canvas.ascii;
    let (list, about) = split_preview_area(canvas, below);
    if let Some(about) = about {
        preview::draw_finder_preview(model, finder, canvas, about);
    }
    let open = &model.session.open_catalogs;
    let labels = if open.len() > 1 { catalog_labels(open) } else { Vec::new() };
    let longest =
        labels.iter().map(|label| display_width(label)).max().unwrap_or_default().min(MAX_LABEL_COLUMNS);
    let catalog = if labels.is_empty() { 0 } else { longest + 2 };
    let most = usize::from(list.width).saturating_sub(11 + catalog);
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |row| {
        let Some(found) = finder.matches.get(row) else { return Vec::new() };
        let mut pieces = vec![piece(format!("{:<8} ", found.kind), Role::Dim)];
        // The row of a catalog already shows its name.
        let label = labels.get(found.location.catalog).filter(|_| found.kind != "catalog");
        if let Some(label) = label {
            pieces.push(piece(format!("{}  ", pad(label, longest, ascii)), Role::Dim));
        }
        pieces.extend(highlight_matches(&found.text, &found.matched_chars, most, Role::Text, ascii));
        // The note is omitted if the name fills the line.
        if pieces.iter().map(|piece| display_width(&piece.text)).sum::<usize>() < most {
            pieces.push(piece(format!("  {}", found.note), Role::Dim));
        }
        pieces
    });
    if finder.matches.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
}

/// Splits the area into the list and its preview: at the right, below, or none.
fn split_preview_area(canvas: &mut Canvas<'_>, area: Rect) -> (Rect, Option<Rect>) {
    if area.width >= 90 {
        let list = Rect { width: area.width * 11 / 20, ..area };
        canvas.draw_divider(list.right() + 1, area.top(), area.bottom());
        let x = list.right() + 3;
        return (list, Some(Rect { x, width: area.right().saturating_sub(x), ..area }));
    }
    if area.height >= 12 {
        let list = Rect { height: area.height / 2, ..area };
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..area });
        return (list, Some(Rect { y: list.bottom() + 1, height: area.height - list.height - 1, ..area }));
    }
    (area, None)
}
