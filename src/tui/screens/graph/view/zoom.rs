//! Zoomed graph: the boxes around the selected bundle and their edges.

use ratatui::layout::Rect;

use crate::tui::{
    parts::frame::Hit,
    screens::graph::view::View,
    widgets::{
        canvas::{Canvas, Line, display_width, line_width, piece, text_piece},
        theme::Ink,
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
    let title = piece(format!("around {version}"), if focused { Ink::Active } else { Ink::Title });
    let with_legend = usize::from(area.height) > around.height() + 1;
    let other = if with_legend { neighborhood_counts(around) } else { line_legend(around, canvas.ascii) };
    // Omitted items come first.
    let mut right = omitted_counts(around);
    let gone = view.session.derived.marks().removed.len();
    if gone > 0 {
        // Removed bundles have no edges to the selected one.
        right.insert(0, piece(format!("  - {gone} gone "), Ink::Removed));
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
    let inks = std::iter::once(title_ink(one)).chain(std::iter::repeat(note_ink(one)));
    let lines = std::iter::once(&one.title).chain(&one.notes);
    for ((y, line), ink) in (room.top()..room.bottom()).zip(lines).zip(inks) {
        canvas.draw_text(room.x, y, room.width, line, ink);
    }
    if one.kind == BoxKind::Center {
        canvas.tint_selected(Rect { height: room.height.min(1), ..room }, focused);
    }
}

fn title_ink(one: &VersionBox) -> Ink {
    match one.kind {
        BoxKind::More => Ink::Dim,
        _ if one.marks.dead_end => Ink::Error,
        _ if one.marks.stuck.is_some() => Ink::Warning,
        _ if one.marks.dangling || one.marks.skipped_by.is_some() => Ink::Skipped,
        BoxKind::Center => Ink::Title,
        BoxKind::Version | BoxKind::Group => Ink::Text,
    }
}

fn note_ink(one: &VersionBox) -> Ink {
    let marks = &one.marks;
    match (one.picked.classic, one.picked.v1) {
        _ if marks.dead_end || marks.missing_bundle => Ink::Error,
        _ if marks.stuck.is_some() => Ink::Warning,
        (true, true) => Ink::Good,
        (true, false) => Ink::Classic,
        (false, true) => Ink::V1,
        _ if marks.head => Ink::Good,
        _ if marks.downgrade || marks.on_cycle => Ink::Warning,
        _ if marks.deprecated => Ink::Deprecated,
        _ if marks.skipped_by.is_some() => Ink::Skipped,
        _ => Ink::Dim,
    }
}

/// Converts a row of cells to pieces.
fn cell_row_pieces(around: &Neighborhood, row: &[Cell], ascii: bool) -> Line {
    let mut pieces: Line = Vec::new();
    for cell in row {
        let glyph = if ascii { cell.glyph.ascii() } else { cell.glyph.unicode() };
        let ink = match cell.glyph {
            CellGlyph::Blank => Ink::Text,
            CellGlyph::Frame(_) => Ink::Dim,
            CellGlyph::CenterFrame(_) => Ink::Active,
            CellGlyph::Line(kind, _) | CellGlyph::Letter(kind) => kind_ink(kind),
            CellGlyph::Ignored => Ink::Error,
            CellGlyph::TipLeft | CellGlyph::TipRight => {
                let strand = cell.strands.first().and_then(|id| around.strands.get(id.0 as usize));
                strand.map_or(Ink::Dim, |strand| kind_ink(strand.kind))
            }
        };
        match pieces.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(glyph),
            _ => pieces.push(piece(glyph, ink)),
        }
    }
    pieces
}

fn kind_ink(kind: EdgeKind) -> Ink {
    match kind {
        EdgeKind::Replaces => Ink::Replaces,
        EdgeKind::Skips => Ink::Skips,
        EdgeKind::SkipRange => Ink::Range,
    }
}

/// Returns the number of older and newer versions within two hops.
fn neighborhood_counts(around: &Neighborhood) -> Line {
    vec![piece(format!("in two hops: {} older, {} newer ", around.older, around.newer), Ink::Dim)]
}

/// Returns the number of omitted versions and edges. Empty if there are none.
fn omitted_counts(around: &Neighborhood) -> Line {
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
    vec![piece(format!("+{} not drawn ", missing.join(", ")), Ink::Dim)]
}

/// Returns the legend of the line kinds that occur.
fn line_legend(around: &Neighborhood, ascii: bool) -> Line {
    let (kinds, dead) = around.drawn_kinds();
    let mut pieces = Vec::new();
    for kind in kinds {
        let word = if kind == EdgeKind::SkipRange { "range" } else { kind.as_str() };
        pieces.push(piece(kind_letter(kind), kind_ink(kind)));
        pieces.push(piece(format!(" {word}  "), Ink::Dim));
    }
    if dead {
        let mark = if ascii { CellGlyph::Ignored.ascii() } else { CellGlyph::Ignored.unicode() };
        pieces.push(piece(mark, Ink::Error));
        pieces.push(piece(" Classic ignores it ", Ink::Dim));
    }
    pieces
}
