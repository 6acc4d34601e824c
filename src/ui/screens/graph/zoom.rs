//! Zoomed graph: the boxes around the selected bundle and their edges.

use ratatui::layout::Rect;

use crate::ui::{
    canvas::{Canvas, Piece, Pieces, piece, text, width},
    theme::Role,
};
use crate::{
    app::{Model, parts::hit::Hit},
    layout::neighbourhood::{Area, BoxKind, Cell, Ink, Neighbourhood, VersionBox, letter},
    upgrade::EdgeKind,
};

/// Draws the heading, the boxes and the edges.
pub fn draw(model: &Model, around: &Neighbourhood, canvas: &mut Canvas<'_>, area: Rect) {
    let centre = around.boxes.iter().find(|one| one.kind == BoxKind::Centre);
    // The title of the box can begin with a mark.
    let version = centre.map(|one| one.title.rsplit(' ').next().unwrap_or_default()).unwrap_or_default();
    let focused = model.dialogs.is_empty();
    let title = piece(format!("around {version}"), if focused { Role::Active } else { Role::Title });
    let with_legend = usize::from(area.height) > around.height() + 1;
    let other = if with_legend { counts(around) } else { legend(around, canvas.ascii) };
    // Omitted items come first.
    let mut right = missing(around);
    let gone = model.session.answers.marks().gone.len();
    if gone > 0 {
        // Removed bundles have no edges to the selected one.
        right.insert(0, piece(format!("  - {gone} gone "), Role::Removed));
    }
    let measure = |pieces: &[Piece]| pieces.iter().map(|p| width(&p.text)).sum::<usize>();
    if width(&title.text) + measure(&right) + measure(&other) + 4 <= usize::from(area.width) {
        right.splice(0..0, other);
    }
    canvas.heading(Rect { height: 1, ..area }, &[text(" "), title], &right);
    if with_legend {
        let mut line = vec![text(" ")];
        line.extend(legend(around, canvas.ascii));
        canvas.line(Rect { y: area.bottom() - 1, height: 1, ..area }, &line);
    }
    // The picture is centered, so the selected bundle keeps its position.
    let free = area.width.saturating_sub(u16::try_from(around.width()).unwrap_or(u16::MAX));
    let left = area.x + free / 2;
    let height = area.height.saturating_sub(1 + u16::from(with_legend));
    let inner = Rect { x: left, y: area.y + 1, width: area.right() - left, height };
    for (y, row) in (inner.top()..inner.bottom()).zip(&around.cells) {
        let pieces = line(around, row, canvas.ascii);
        canvas.line(Rect { y, height: 1, ..inner }, &pieces);
    }
    for (index, one) in around.boxes.iter().enumerate() {
        words(canvas, inner, one, focused);
        canvas.hit(rect(inner, one.area), Hit::Box(index));
    }
}

/// Converts an area of the picture to screen coordinates.
fn rect(inner: Rect, area: Area) -> Rect {
    let small = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let whole = Rect {
        x: inner.x.saturating_add(small(area.x)),
        y: inner.y.saturating_add(small(area.y)),
        width: small(area.width),
        height: small(area.height),
    };
    whole.intersection(inner)
}

fn words(canvas: &mut Canvas<'_>, inner: Rect, one: &VersionBox, focused: bool) {
    let room = rect(inner, one.room);
    let roles = std::iter::once(title_role(one)).chain(std::iter::repeat(note_role(one)));
    let lines = std::iter::once(&one.title).chain(&one.notes);
    for ((y, line), role) in (room.top()..room.bottom()).zip(lines).zip(roles) {
        canvas.put(room.x, y, room.width, line, role);
    }
    if one.kind == BoxKind::Centre {
        canvas.tint_selected(Rect { height: room.height.min(1), ..room }, focused);
    }
}

fn title_role(one: &VersionBox) -> Role {
    match one.kind {
        BoxKind::More => Role::Dim,
        _ if one.marks.dead_end => Role::Error,
        _ if one.marks.stuck.is_some() => Role::Warning,
        _ if one.marks.dangling || one.marks.skipped_by.is_some() => Role::Skipped,
        BoxKind::Centre => Role::Title,
        BoxKind::Version | BoxKind::Group => Role::Text,
    }
}

fn note_role(one: &VersionBox) -> Role {
    let marks = &one.marks;
    match (one.picked.classic, one.picked.v1) {
        _ if marks.dead_end || marks.no_bundle => Role::Error,
        _ if marks.stuck.is_some() => Role::Warning,
        (true, true) => Role::Good,
        (true, false) => Role::Classic,
        (false, true) => Role::V1,
        _ if marks.head => Role::Good,
        _ if marks.below || marks.circle => Role::Warning,
        _ if marks.deprecated => Role::Deprecated,
        _ if marks.skipped_by.is_some() => Role::Skipped,
        _ => Role::Dim,
    }
}

/// Converts a row of cells to pieces.
fn line(around: &Neighbourhood, row: &[Cell], ascii: bool) -> Pieces {
    let mut pieces: Pieces = Vec::new();
    for cell in row {
        let glyph = if ascii { cell.ink.ascii() } else { cell.ink.unicode() };
        let role = match cell.ink {
            Ink::Blank => Role::Text,
            Ink::Frame(_) => Role::Dim,
            Ink::CentreFrame(_) => Role::Active,
            Ink::Line(kind, _) | Ink::Letter(kind) => kind_role(kind),
            Ink::Dead => Role::Error,
            Ink::TipLeft | Ink::TipRight => {
                let strand = cell.strands.first().and_then(|id| around.strands.get(id.0 as usize));
                strand.map_or(Role::Dim, |strand| kind_role(strand.kind))
            }
        };
        match pieces.last_mut() {
            Some(last) if last.role == role => last.text.push_str(glyph),
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
fn counts(around: &Neighbourhood) -> Pieces {
    vec![piece(format!("within two hops {} older, {} newer ", around.older, around.newer), Role::Dim)]
}

/// Returns the number of omitted versions and edges. Empty if there are none.
fn missing(around: &Neighbourhood) -> Pieces {
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
fn legend(around: &Neighbourhood, ascii: bool) -> Pieces {
    let (kinds, dead) = around.kinds();
    let mut pieces = Vec::new();
    for kind in kinds {
        let word = if kind == EdgeKind::SkipRange { "range" } else { kind.as_str() };
        pieces.push(piece(letter(kind), kind_role(kind)));
        pieces.push(piece(format!(" {word}  "), Role::Dim));
    }
    if dead {
        let mark = if ascii { Ink::Dead.ascii() } else { Ink::Dead.unicode() };
        pieces.push(piece(mark, Role::Error));
        pieces.push(piece(" Classic ignores it ", Role::Dim));
    }
    pieces
}
