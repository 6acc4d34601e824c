//! List of the open catalogs and their states.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    dialogs::catalog_list::{CatalogList, CatalogRow, CatalogState},
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, Pieces, display_width, pad, piece, text_piece, wrap_text},
    parts::{
        boxes::{centered, draw_field, draw_key_hints},
        lists::list_view,
    },
    text::format_count,
    theme::Role,
};

/// Lines for details of the selected catalog.
const DETAIL_LINES: u16 = 3;

/// Columns of the box.
const BOX_COLUMNS: u16 = 100;

/// Draws the list.
pub(in crate::ui) fn draw_catalog_list(
    model: &Model,
    catalogs: &CatalogList,
    canvas: &mut Canvas<'_>,
    area: Rect,
) {
    // The field, a rule, the keys and the frame.
    let high = u16::try_from(catalogs.count_catalogs()).unwrap_or(u16::MAX).saturating_add(DETAIL_LINES + 5);
    let inner = canvas.draw_box(centered(area, BOX_COLUMNS, high), "Open catalogs");
    if inner.height < 3 {
        return;
    }
    draw_field(canvas, Rect { height: 1, ..inner }, &catalogs.input, true);
    let left: Vec<&CatalogRow> = catalogs.filtered_catalogs().collect();
    let count = format!("{} of {}", left.len(), catalogs.count_catalogs());
    canvas.draw_line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    let more = DETAIL_LINES.min(inner.height.saturating_sub(4));
    let below = more + 1 + u16::from(more > 0);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + below), ..inner };
    if left.is_empty() {
        canvas.draw_text(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    let ascii = canvas.ascii;
    let widest = left.iter().map(|row| display_width(&row.label)).max().unwrap_or_default();
    let column = widest.min(usize::from(inner.width) / 3);
    let counted: Vec<[String; 3]> = left.iter().map(|row| format_counts(&row.state)).collect();
    let wide = |at: usize| {
        counted
            .iter()
            .filter_map(|counts| counts.get(at))
            .map(|words| display_width(words))
            .max()
            .unwrap_or_default()
    };
    let wide = [wide(0), wide(1), wide(2)];
    canvas.draw_list(list, &list_view(model, ListId::Dialog(canvas.dialogs_below)), |at| {
        let Some((row, counts)) = left.get(at).zip(counted.get(at)) else { return Vec::new() };
        let label = format!("{}  ", pad(&row.label, column, ascii));
        match &row.state {
            CatalogState::Reading => {
                vec![text_piece("    "), piece(label, Role::Dim), piece("reading", Role::Active)]
            }
            CatalogState::Failed(_) => {
                vec![text_piece("    "), piece(label, Role::Dim), piece("not opened", Role::Error)]
            }
            CatalogState::Open { catalog, errors, warnings, .. } => {
                let role = if *catalog == model.session.current { Role::Title } else { Role::Text };
                let mut pieces = vec![piece(format!("[{}] ", catalog + 1), Role::Dim), piece(label, role)];
                let roles = [
                    Role::Text,
                    if *errors > 0 { Role::Error } else { Role::Dim },
                    if *warnings > 0 { Role::Warning } else { Role::Dim },
                ];
                // In a narrow box the problems have priority over the number of packages.
                let first = usize::from(inner.width < 60);
                for ((words, wide), role) in counts.iter().zip(wide).zip(roles).skip(first) {
                    pieces.push(piece(format!("{words:>wide$}  "), role));
                }
                pieces.extend(catalog_state_pieces(model, &row.state));
                pieces
            }
        }
    });
    if more > 0 {
        canvas.draw_rule(Rect { y: list.bottom(), height: 1, ..inner });
        let lines = catalog_detail_lines(model, left.get(catalogs.cursor).copied(), usize::from(inner.width));
        for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(lines) {
            canvas.draw_line(Rect { y, height: 1, ..inner }, &line);
        }
    }
    let keys = [(ActionId::Accept, "goes there"), (ActionId::Cancel, "closes")];
    draw_key_hints(model, Dialog::Catalogs, canvas, inner, &keys);
}

/// Formats the numbers of packages, errors and warnings.
fn format_counts(state: &CatalogState) -> [String; 3] {
    match state {
        CatalogState::Open { packages, errors, warnings, .. } => [
            format_count(*packages, "package"),
            format_count(*errors, "error"),
            format_count(*warnings, "warning"),
        ],
        CatalogState::Reading | CatalogState::Failed(_) => Default::default(),
    }
}

/// Returns the optional state of a catalog: progress, unsaved edits, and base of comparison.
fn catalog_state_pieces(model: &Model, state: &CatalogState) -> Pieces {
    let CatalogState::Open { unsaved, read_percent: read, base, .. } = state else { return Vec::new() };
    let mut pieces = Vec::new();
    pieces.extend(read.map(|read| piece(format!("read {read} %  "), Role::Active)));
    if *unsaved > 0 {
        pieces.push(piece(format!("{unsaved} unsaved  "), Role::Warning));
    }
    pieces.extend(
        base.as_ref()
            .map(|base| piece(format!("against {}", model.session.short_base_name(base)), Role::Active)),
    );
    pieces
}

/// Returns the path of a catalog, its error, its base of comparison, and how to open more catalogs.
fn catalog_detail_lines(model: &Model, row: Option<&CatalogRow>, columns: usize) -> Vec<Pieces> {
    let mut lines: Vec<Pieces> = Vec::new();
    if let Some(row) = row {
        lines.push(vec![piece(&row.source_label, Role::Dim)]);
        match &row.state {
            CatalogState::Failed(why) => {
                lines.extend(wrap_text(why, columns).into_iter().map(|line| vec![piece(line, Role::Error)]));
            }
            CatalogState::Open { base: Some(base), .. } => {
                lines.push(vec![piece("compared with ", Role::Dim), text_piece(base.label())]);
            }
            CatalogState::Open { base: None, .. } | CatalogState::Reading => {}
        }
    }
    if model.session.sources.len().max(model.session.open_catalogs.len()) < 2 {
        lines.push(vec![piece("To open several: ", Role::Dim), text_piece("olmap PATH PATH")]);
    }
    lines
}
