//! List of the differences between two bundles, with the selected line in full below.

use ratatui::layout::Rect;

use crate::{
    tui::{
        Model,
        dialogs::bundle_difference::{BundleDifference, DifferenceSource},
        keys::{ActionId, Dialog},
        parts::list::ListId,
    },
    ui::{
        canvas::{Canvas, Piece, piece, text_piece, wrap_text},
        parts::{boxes::centered, lists::list_view},
        theme::Role,
    },
};
use olmap_report::{Ink, bundle::diff::Line};

/// Draws the differences.
pub(in crate::ui) fn draw_bundle_difference(
    model: &Model,
    difference: &BundleDifference,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    let inner = canvas.draw_box(centered(area, 110, area.height * 9 / 10), &difference.title);
    if inner.is_empty() {
        return;
    }
    let view = list_view(model, ListId::Dialog(canvas.dialogs_below));
    let full = difference.lines.get(difference.cursor).map(|line| line.words.as_str()).unwrap_or_default();
    let full = wrap_text(full, usize::from(inner.width));
    let below = u16::try_from(full.len()).unwrap_or(u16::MAX).min(inner.height / 3);
    let list = Rect { height: inner.height.saturating_sub(below + 2), ..inner };
    canvas.draw_list(list, &view, |row| difference.lines.get(row).map(difference_row).unwrap_or_default());
    canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(&full) {
        canvas.draw_text(inner.x, y, inner.width, line, Role::Text);
    }
    let key = model.keys.map.display_key(Dialog::BundleDifference, ActionId::Cancel);
    let from = match &difference.source {
        DifferenceSource::Catalog => piece("  from the catalog", Role::Dim),
        DifferenceSource::CatalogFirst(_) => piece("  from the catalog; reading their manifests", Role::Dim),
        DifferenceSource::Manifests => piece("  from their manifests", Role::Dim),
        DifferenceSource::CatalogOnly(why) => piece(format!("  from the catalog: {why}"), Role::Warning),
    };
    canvas.draw_line(
        Rect { y: inner.bottom() - 1, height: 1, ..inner },
        &[piece(key, Role::Key), piece(" closes", Role::Dim), from],
    );
}

fn difference_row(line: &Line) -> Vec<Piece> {
    let role = match line.ink {
        Ink::Error => Role::Error,
        Ink::Warning => Role::Warning,
        Ink::Note => Role::Note,
        Ink::Good => Role::Good,
        Ink::Dim => Role::Dim,
        Ink::Bold => Role::Title,
        Ink::Text => Role::Text,
    };
    let mut pieces = vec![text_piece("  ".repeat(line.indent))];
    if !line.mark.is_empty() {
        pieces.push(piece(format!("{} ", line.mark), role));
    }
    // Marked lines use ordinary text; the mark carries the color.
    let words = if matches!(line.mark, "" | "!") { role } else { Role::Text };
    pieces.push(piece(line.words.clone(), words));
    pieces
}
