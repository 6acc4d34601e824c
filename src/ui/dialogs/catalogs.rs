//! List of the open catalogs and their states.

use ratatui::layout::Rect;

use crate::app::{
    Model,
    dialogs::catalogs::{Catalogs, Row, State},
    keys::{ActionId, Dialog},
    parts::list::ListId,
};
use crate::ui::{
    canvas::{Canvas, Pieces, pad, piece, text, width, wrap},
    parts::{
        boxes::{centred, field, way_out},
        lists::list_view,
    },
    text::plural,
    theme::Role,
};

/// Lines for details of the selected catalog.
const MORE: u16 = 3;

/// Columns of the box.
const WIDE: u16 = 100;

/// Draws the list.
pub(in crate::ui) fn draw(model: &Model, catalogs: &Catalogs, canvas: &mut Canvas<'_>, area: Rect) {
    // The field, a rule, the keys and the frame.
    let high = u16::try_from(catalogs.count()).unwrap_or(u16::MAX).saturating_add(MORE + 5);
    let inner = canvas.boxed(centred(area, WIDE, high), "Open catalogs");
    if inner.height < 3 {
        return;
    }
    field(canvas, Rect { height: 1, ..inner }, &catalogs.input, true);
    let left: Vec<&Row> = catalogs.left().collect();
    let count = format!("{} of {}", left.len(), catalogs.count());
    canvas.line_right(Rect { height: 1, ..inner }, &[piece(count, Role::Dim)]);
    let more = MORE.min(inner.height.saturating_sub(4));
    let below = more + 1 + u16::from(more > 0);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1 + below), ..inner };
    if left.is_empty() {
        canvas.put(list.x, list.y, list.width, "nothing matches", Role::Dim);
    }
    let ascii = canvas.ascii;
    let widest = left.iter().map(|row| width(&row.label)).max().unwrap_or_default();
    let column = widest.min(usize::from(inner.width) / 3);
    let counted: Vec<[String; 3]> = left.iter().map(|row| counts(&row.state)).collect();
    let wide = |at: usize| {
        counted.iter().filter_map(|counts| counts.get(at)).map(|words| width(words)).max().unwrap_or_default()
    };
    let wide = [wide(0), wide(1), wide(2)];
    canvas.list(list, &list_view(model, ListId::Dialog(canvas.below)), |at| {
        let Some((row, counts)) = left.get(at).zip(counted.get(at)) else { return Vec::new() };
        let label = format!("{}  ", pad(&row.label, column, ascii));
        match &row.state {
            State::Reading => vec![text("    "), piece(label, Role::Dim), piece("reading", Role::Active)],
            State::Failed(_) => vec![text("    "), piece(label, Role::Dim), piece("not opened", Role::Error)],
            State::Open { catalog, errors, warnings, .. } => {
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
                pieces.extend(standing(model, &row.state));
                pieces
            }
        }
    });
    if more > 0 {
        canvas.rule(Rect { y: list.bottom(), height: 1, ..inner });
        let lines = said(model, left.get(catalogs.cursor).copied(), usize::from(inner.width));
        for (y, line) in (list.bottom() + 1..inner.bottom().saturating_sub(1)).zip(lines) {
            canvas.line(Rect { y, height: 1, ..inner }, &line);
        }
    }
    let keys = [(ActionId::Accept, "goes there"), (ActionId::Cancel, "closes")];
    way_out(model, Dialog::Catalogs, canvas, inner, &keys);
}

/// Formats the numbers of packages, errors and warnings.
fn counts(state: &State) -> [String; 3] {
    match state {
        State::Open { packages, errors, warnings, .. } => {
            [plural(*packages, "package"), plural(*errors, "error"), plural(*warnings, "warning")]
        }
        State::Reading | State::Failed(_) => Default::default(),
    }
}

/// Returns the optional state of a catalog: progress, unsaved edits, and base of comparison.
fn standing(model: &Model, state: &State) -> Pieces {
    let State::Open { unsaved, read, base, .. } = state else { return Vec::new() };
    let mut pieces = Vec::new();
    pieces.extend(read.map(|read| piece(format!("read {read} %  "), Role::Active)));
    if *unsaved > 0 {
        pieces.push(piece(format!("{unsaved} unsaved  "), Role::Warning));
    }
    pieces.extend(
        base.as_ref().map(|base| piece(format!("against {}", model.session.short(base)), Role::Active)),
    );
    pieces
}

/// Returns the path of a catalog, its error, its base of comparison, and how to open more catalogs.
fn said(model: &Model, row: Option<&Row>, columns: usize) -> Vec<Pieces> {
    let mut lines: Vec<Pieces> = Vec::new();
    if let Some(row) = row {
        lines.push(vec![piece(&row.from, Role::Dim)]);
        match &row.state {
            State::Failed(why) => {
                lines.extend(wrap(why, columns).into_iter().map(|line| vec![piece(line, Role::Error)]));
            }
            State::Open { base: Some(base), .. } => {
                lines.push(vec![piece("compared with ", Role::Dim), text(base.label())]);
            }
            State::Open { base: None, .. } | State::Reading => {}
        }
    }
    if model.session.sources.len().max(model.session.open.len()) < 2 {
        lines.push(vec![piece("To open several: ", Role::Dim), text("olmap PATH PATH")]);
    }
    lines
}
