//! Screen 2: the upgrade graph of a channel.

mod zoom;

use petgraph::graph::NodeIndex;
use ratatui::layout::Rect;

use super::{
    canvas::{Canvas, Pieces, pad, piece, text, width},
    catalog::{empty, list_heading, list_view},
    details,
    theme::Role,
};
use crate::{
    app::{
        Model,
        list::ListId,
        view::{GraphMode, answer_rows},
    },
    layout::{Cell, Glyph, Layout, NodeShape, Row},
    upgrade::EdgeKind,
};

/// Draws the screen.
pub fn draw(model: &Model, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(layout) = model.derived.layout() else {
        return empty(canvas, area, "no channel is selected: choose one on screen 1");
    };
    let below = answer_rows(area.height);
    let upper = Rect { height: area.height - below - u16::from(below > 0), ..area };
    match (model.graph.mode, model.derived.zoom()) {
        (GraphMode::Zoom, Some(around)) => zoom::draw(model, around, canvas, upper),
        _ => picture(model, layout, canvas, upper),
    }
    if let (true, Some(judged)) = (below > 0, model.package()) {
        canvas.rule(Rect { y: upper.bottom(), height: 1, ..area });
        let inner =
            Rect { x: area.x + 1, y: upper.bottom() + 1, width: area.width.saturating_sub(2), height: below };
        let lines = details::answers(model, judged, usize::from(inner.width), canvas.ascii);
        for (y, line) in (inner.top()..inner.bottom()).zip(&lines) {
            canvas.line(Rect { y, height: 1, ..inner }, line);
        }
    }
}

fn picture(model: &Model, layout: &Layout, canvas: &mut Canvas<'_>, area: Rect) {
    let dead_ends = layout.dead_ends();
    let mut right: Pieces = Vec::new();
    if let Some(error) = &layout.error {
        right.push(piece(format!("Classic cannot use it: {error} "), Role::Error));
    } else if dead_ends > 0 {
        let words = if dead_ends == 1 { "1 dead end ".to_owned() } else { format!("{dead_ends} dead ends ") };
        right.push(piece(words, Role::Error));
    }
    if layout.hidden.total() > 0 {
        right.push(piece(format!("+{} edges not drawn ", layout.hidden.total()), Role::Dim));
    }
    let channel = model.selection().channel.as_ref().map(ToString::to_string).unwrap_or_default();
    let title = format!("{channel}: {} bundles", layout.rows.len());
    let inner = list_heading(model, canvas, area, ListId::Graph, &title, &right);
    let drawing = layout.width();
    let column = layout.rows.iter().map(|row| width(&row.version)).max().unwrap_or(7);
    let column = column.clamp(7, (usize::from(area.width).saturating_sub(drawing + 6) / 2).max(7));
    canvas.line(Rect { height: 1, ..inner }, &columns(layout, column));
    let rows = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    if layout.rows.is_empty() {
        return empty(canvas, rows, "no entries: p on another channel's bundle puts one here");
    }
    let ascii = canvas.ascii;
    let selected = layout.rows.iter().find(|row| row.reach.selected).map(|row| row.at);
    canvas.list(rows, &list_view(model, ListId::Graph), |index| {
        layout
            .rows
            .get(index)
            .map(|row| line(layout, index, row, column, selected, ascii))
            .unwrap_or_default()
    });
}

/// The heading of the columns, each name over its lanes as far as it fits.
fn columns(layout: &Layout, column: usize) -> Pieces {
    let columns = &layout.columns;
    let mut heading = vec![' '; layout.width() + 1];
    let mut put = |at: usize, room: usize, name: &str| {
        if room >= name.len() {
            for (cell, c) in heading.iter_mut().skip(at + 1).zip(name.chars()) {
                *cell = c;
            }
        }
    };
    put(columns.skips.start, columns.skips.len(), "skips");
    put(columns.node, columns.spine.len() + 1, "replaces");
    put(columns.ranges.start + 1, columns.ranges.len().saturating_sub(1), "range");
    let lanes: String = heading.into_iter().collect();
    vec![
        piece(lanes, Role::Dim),
        piece(" ", Role::Dim),
        piece(format!("   {}  what", pad("version", column, false)), Role::Dim),
    ]
}

fn line(
    layout: &Layout,
    index: usize,
    row: &Row,
    column: usize,
    selected: Option<NodeIndex>,
    ascii: bool,
) -> Pieces {
    let mut pieces: Pieces = Vec::new();
    for (at, cell) in row.cells.iter().enumerate() {
        let glyph = if ascii { cell.glyph.ascii() } else { cell.glyph.unicode() };
        let role = role(layout, index, row, cell, at, selected);
        match pieces.last_mut() {
            Some(last) if last.role == role => last.text.push_str(glyph),
            _ => pieces.push(piece(glyph, role)),
        }
    }
    let reach = row.reach.mark();
    let reach_role = match (row.reach.classic, row.reach.v1) {
        (true, false) => Role::Classic,
        (false, true) => Role::V1,
        (true, true) => Role::Good,
        (false, false) => Role::Note,
    };
    pieces.push(piece(format!(" {reach} "), reach_role));
    pieces.push(piece(format!("{}  ", pad(&row.version, column, ascii)), words_role(row)));
    let note = row.note.clone();
    pieces.push(if row.marks.dead_end || row.marks.no_bundle {
        piece(note, Role::Error)
    } else if row.marks.head {
        piece(note, Role::Good)
    } else if row.marks.below || row.marks.circle {
        piece(note, Role::Warning)
    } else if row.marks.deprecated {
        piece(note, Role::Deprecated)
    } else if row.marks.skipped_by.is_some() {
        piece(note, Role::Skipped)
    } else {
        text(note)
    });
    if row.hidden.total() > 0 {
        pieces.push(piece(format!(" +{}", row.hidden.total()), Role::Dim));
    }
    pieces
}

fn words_role(row: &Row) -> Role {
    if row.marks.dead_end {
        Role::Error
    } else if row.marks.dangling || row.marks.skipped_by.is_some() {
        Role::Skipped
    } else {
        Role::Text
    }
}

/// What a cell means: its bundle's state, or the kind of its line, brighter where it concerns the selected bundle.
fn role(
    layout: &Layout,
    index: usize,
    row: &Row,
    cell: &Cell,
    at: usize,
    selected: Option<NodeIndex>,
) -> Role {
    match cell.glyph {
        Glyph::Blank => Role::Text,
        Glyph::Node(NodeShape::DeadEnd) => Role::Error,
        Glyph::Node(NodeShape::Skipped | NodeShape::Dangling) => Role::Skipped,
        Glyph::Node(NodeShape::Entry) if row.marks.head => Role::Good,
        Glyph::Node(NodeShape::Entry) => Role::Text,
        Glyph::Dead => Role::Error,
        Glyph::Line(_) | Glyph::Dotted(_) | Glyph::TipLeft | Glyph::TipRight => {
            let concerned = selected.is_some_and(|selected| layout.carries(index, at, selected));
            let kind = cell.strands.first().and_then(|id| layout.strand(*id)).map(|strand| strand.kind);
            match kind {
                _ if concerned => Role::Active,
                Some(EdgeKind::Replaces) => Role::Replaces,
                Some(EdgeKind::Skips) => Role::Skips,
                Some(EdgeKind::SkipRange) => Role::Range,
                None if at < layout.columns.node => Role::Skips,
                None => Role::Dim,
            }
        }
    }
}
