//! List of the differences between two bundles, with the selected line in full below.

use ratatui::layout::Rect;

use crate::{
    app::{
        Model,
        dialogs::bundle_difference::{BundleDifference, MadeFrom},
        keys::{ActionId, Dialog},
        parts::list::ListId,
    },
    export::{Ink, bundle::diff::Line},
    ui::{
        canvas::{Canvas, Piece, piece, text, wrap},
        parts::{boxes::centred, lists::list_view},
        theme::Role,
    },
};

/// Draws the differences.
pub(in crate::ui) fn draw(model: &Model, difference: &BundleDifference, canvas: &mut Canvas<'_>, area: Rect) {
    let inner = canvas.boxed(centred(area, 110, area.height * 9 / 10), &difference.title);
    if inner.is_empty() {
        return;
    }
    let view = list_view(model, ListId::Dialog(canvas.below));
    let full = difference.lines.get(difference.cursor).map(|line| line.words.as_str()).unwrap_or_default();
    let full = wrap(full, usize::from(inner.width));
    let below = u16::try_from(full.len()).unwrap_or(u16::MAX).min(inner.height / 3);
    let list = Rect { height: inner.height.saturating_sub(below + 2), ..inner };
    canvas.list(list, &view, |row| difference.lines.get(row).map(row_of).unwrap_or_default());
    canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
    for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(&full) {
        canvas.put(inner.x, y, inner.width, line, Role::Text);
    }
    let key = model.keys.map.label(Dialog::BundleDifference, ActionId::Cancel);
    let from = match &difference.made_from {
        MadeFrom::Catalog => piece("  from the catalog", Role::Dim),
        MadeFrom::CatalogFirst(_) => piece("  from the catalog; reading their manifests", Role::Dim),
        MadeFrom::Manifests => piece("  from their manifests", Role::Dim),
        MadeFrom::CatalogOnly(why) => piece(format!("  from the catalog: {why}"), Role::Warning),
    };
    canvas.line(
        Rect { y: inner.bottom() - 1, height: 1, ..inner },
        &[piece(key, Role::Key), piece(" closes", Role::Dim), from],
    );
}

fn row_of(line: &Line) -> Vec<Piece> {
    let role = match line.ink {
        Ink::Error => Role::Error,
        Ink::Warning => Role::Warning,
        Ink::Note => Role::Note,
        Ink::Good => Role::Good,
        Ink::Dim => Role::Dim,
        Ink::Bold => Role::Title,
        Ink::Text => Role::Text,
    };
    let mut pieces = vec![text("  ".repeat(line.indent))];
    if !line.mark.is_empty() {
        pieces.push(piece(format!("{} ", line.mark), role));
    }
    // Marked lines use ordinary text; the mark carries the color.
    let words = if matches!(line.mark, "" | "!") { role } else { Role::Text };
    pieces.push(piece(line.words.clone(), words));
    pieces
}
