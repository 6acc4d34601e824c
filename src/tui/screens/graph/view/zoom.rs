//! Zoomed graph: the boxes around the selected bundle and their edges.

use ratatui::layout::Rect;

use crate::tui::{
    parts::hit::Hit,
    screens::graph::view::View,
    widgets::{
        canvas::{Canvas, Pieces, display_width, line_width, piece, text_piece},
        theme::Role,
    },
};
use olm_upgrade::EdgeKind;
use olmap_report::layout::neighborhood::{
    Area, BoxKind, Cell, CellGlyph, Neighborhood, VersionBox, kind_letter,
};

/// Draws the heading, the boxes and the edges.
pub fn draw_zoom(view: &View<'_>, around: &Neighborhood, canvas: &mut Canvas<'_>, area: Rect) {
    let centre = around.boxes.iter().find(|one| one.kind == BoxKind::Center);
    // The title of the box can begin with a mark.
    let version = centre.map(|one| one.title.rsplit(' ').next().unwrap_or_default()).unwrap_or_default();
    let focused = canvas.focus.dialogs == 0;
    let title = piece(format!("around {version}"), if focused { Role::Active } else { Role::Title });
    let with_legend = usize::from(area.height) > around.height() + 1;
    let other = if with_legend { neighborhood_counts(around) } else { line_legend(around, canvas.ascii) };
    // Omitted items come first.
    let mut right = omitted_counts(around);
    let gone = view.session.derived.marks().removed.len();
    if gone > 0 {
        // Removed bundles have no edges to the selected one.
        right.insert(0, piece(format!("  - {gone} gone "), Role::Removed));
    }
    if display_width(&title.text) + line_width(&right) + line_width(&other) + 4 <= usize::from(area.width) {
        right.splice(0..0, other);
    }
    canvas.draw_heading(Rect { height: 1, ..area }, &[text_piece(" "), title], &right);
    if with_legend {
        let mut line = vec![text_piece(" ")];
        line.extend(line_legend(around, canvas.ascii));
        canvas.draw_line(Rect { y: area.bottom() - 1, height: 1, ..area }, &line);
    }
    // The picture is centered, so the selected bundle keeps its position.
    let free = area.width.saturating_sub(u16::try_from(around.width()).unwrap_or(u16::MAX));
    let left = area.x + free / 2;
    let height = area.height.saturating_sub(1 + u16::from(with_legend));
    let inner = Rect { x: left, y: area.y + 1, width: area.right() - left, height };
    for (y, row) in (inner.top()..inner.bottom()).zip(&around.cells) {
        let pieces = cell_row_pieces(around, row, canvas.ascii);
        canvas.draw_line(Rect { y, height: 1, ..inner }, &pieces);
    }
    for (index, one) in around.boxes.iter().enumerate() {
        draw_box_text(canvas, inner, one, focused);
        canvas.add_hit(to_screen(inner, one.area), Hit::Box(index));
    }
}

/// Converts an area of the picture to screen coordinates.
fn to_screen(inner: Rect, area: Area) -> Rect {
    let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let whole = Rect {
        x: inner.x.saturating_add(small(area.x)),
        y: inner.y.saturating_add(small(area.y)),
        width: small(area.width),
        height: small(area.height),
    };
    whole.intersection(inner)
}

fn draw_box_text(canvas: &mut Canvas<'_>, inner: Rect, one: &VersionBox, focused: bool) {
    let room = to_screen(inner, one.room);
    let roles = std::iter::once(title_role(one)).chain(std::iter::repeat(note_role(one)));
    let lines = std::iter::once(&one.title).chain(&one.notes);
    for ((y, line), role) in (room.top()..room.bottom()).zip(lines).zip(roles) {
        canvas.draw_text(room.x, y, room.width, line, role);
    }
    if one.kind == BoxKind::Center {
        canvas.tint_selected(Rect { height: room.height.min(1), ..room }, focused);
    }
}

fn title_role(one: &VersionBox) -> Role {
    match one.kind {
        BoxKind::More => Role::Dim,
        _ if one.marks.dead_end => Role::Error,
        _ if one.marks.stuck.is_some() => Role::Warning,
        _ if one.marks.dangling || one.marks.skipped_by.is_some() => Role::Skipped,
        BoxKind::Center => Role::Title,
        BoxKind::Version | BoxKind::Group => Role::Text,
    }
}

fn note_role(one: &VersionBox) -> Role {
    let marks = &one.marks;
    match (one.picked.classic, one.picked.v1) {
        _ if marks.dead_end || marks.missing_bundle => Role::Error,
        _ if marks.stuck.is_some() => Role::Warning,
        (true, true) => Role::Good,
        (true, false) => Role::Classic,
        (false, true) => Role::V1,
        _ if marks.head => Role::Good,
        _ if marks.downgrade || marks.on_cycle => Role::Warning,
        _ if marks.deprecated => Role::Deprecated,
        _ if marks.skipped_by.is_some() => Role::Skipped,
        _ => Role::Dim,
    }
}

/// Converts a row of cells to pieces.
fn cell_row_pieces(around: &Neighborhood, row: &[Cell], ascii: bool) -> Pieces {
    let mut pieces: Pieces = Vec::new();
    for cell in row {
        let glyph = if ascii { cell.glyph.ascii() } else { cell.glyph.unicode() };
        let role = match cell.glyph {
            CellGlyph::Blank => Role::Text,
            CellGlyph::Frame(_) => Role::Dim,
            CellGlyph::CenterFrame(_) => Role::Active,
            CellGlyph::Line(kind, _) | CellGlyph::Letter(kind) => kind_role(kind),
            CellGlyph::Ignored => Role::Error,
            CellGlyph::TipLeft | CellGlyph::TipRight => {
                let strand = cell.strands.first().and_then(|id| around.strands.get(id.0 as usize));
                strand.map_or(Role::Dim, |strand| kind_role(strand.kind))
            }
        };
        match pieces.last_mut() {
            Some(last) if last.ink == role => last.text.push_str(glyph),
            _ => pieces.push(piece(glyph, role)),
        }
    }
    pieces
}

fn kind_role(kind: EdgeKind) -> Role {
    match kind {
        EdgeKind::Replaces => Role::Replaces,
        EdgeKind::Skips => Role::Skips,
        EdgeKind::SkipRange => Role::Range,
    }
}

/// Returns the number of older and newer versions within two hops.
fn neighborhood_counts(around: &Neighborhood) -> Pieces {
    vec![piece(format!("within two hops {} older, {} newer ", around.older, around.newer), Role::Dim)]
}

/// Returns the number of omitted versions and edges. Empty if there are none.
fn omitted_counts(around: &Neighborhood) -> Pieces {
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let missing = [count(around.beyond, "version"), count(around.hidden, "edge")];
    let missing: Vec<String> = missing.into_iter().flatten().collect();
    if missing.is_empty() {
        return Vec::new();
    }
    vec![piece(format!("+{} not drawn ", missing.join(", ")), Role::Dim)]
}

/// Returns the legend of the line kinds that occur.
fn line_legend(around: &Neighborhood, ascii: bool) -> Pieces {
    let (kinds, dead) = around.drawn_kinds();
    let mut pieces = Vec::new();
    for kind in kinds {
        let word = if kind == EdgeKind::SkipRange { "range" } else { kind.as_str() };
        pieces.push(piece(kind_letter(kind), kind_role(kind)));
        pieces.push(piece(format!(" {word}  "), Role::Dim));
    }
    if dead {
        let mark = if ascii { CellGlyph::Ignored.ascii() } else { CellGlyph::Ignored.unicode() };
        pieces.push(piece(mark, Role::Error));
        pieces.push(piece(" Classic ignores it ", Role::Dim));
    }
    pieces
}
