//! Overview ruler at the right edge: notable rows of the whole channel.

use ratatui::layout::Rect;

use crate::tui::{
    Model,
    parts::{hit::Hit, list::ListId},
};
use crate::ui::{canvas::Canvas, theme::Role};
use olmap_report::layout::{Layout, PathStop, Row};

/// Mark with its rank; rank 0 is the most important.
pub(in crate::ui) type RankedMark = (u8, &'static str, Role);

/// Draws the ruler of a channel.
pub(in crate::ui) fn draw_channel_ruler(model: &Model, layout: &Layout, canvas: &mut Canvas<'_>, area: Rect) {
    let shown = model.screens.graph.graph_lines();
    let ascii = canvas.ascii;
    draw_ruler(canvas, area, ListId::Graph, shown.lines.len(), |line| {
        let line = shown.lines.get(line);
        if matches!(line, Some(olmap_report::layout::FoldLine::Removed { .. })) {
            return Some((u8::MAX, "-", Role::Removed));
        }
        let rows = line.into_iter().flat_map(olmap_report::layout::FoldLine::row_range);
        let marks = rows.filter_map(|index| {
            let row = layout.rows.get(index)?;
            row_mark(row, shown.matches.binary_search(&index).is_ok(), ascii)
        });
        marks.min_by_key(|(rank, ..)| *rank)
    });
}

/// Draws the ruler of a list with `count` lines. Each cell covers several lines and shows their
/// most important mark.
pub(in crate::ui) fn draw_ruler(
    canvas: &mut Canvas<'_>,
    area: Rect,
    list: ListId,
    count: usize,
    mark: impl Fn(usize) -> Option<RankedMark>,
) {
    let height = usize::from(area.height);
    for (cell, y) in (area.top()..area.bottom()).enumerate() {
        let start = cell * count / height;
        let lines = start..((cell + 1) * count / height).max(start + 1);
        if let Some((_, mark, role)) = lines.filter_map(&mark).min_by_key(|(rank, ..)| *rank) {
            canvas.draw_text(area.x, y, 1, mark, role);
        }
    }
    canvas.add_hit(area, Hit::Ruler(list));
}

/// Returns the first mark whose condition is true. Earlier marks are more important.
pub(in crate::ui) fn first_true_mark(marks: &[(bool, &'static str, Role)]) -> Option<RankedMark> {
    let at = marks.iter().position(|(holds, ..)| *holds)?;
    let (_, mark, role) = marks.get(at)?;
    Some((u8::try_from(at).unwrap_or(u8::MAX), mark, *role))
}

/// Returns the mark of a row.
fn row_mark(row: &Row, found: bool, ascii: bool) -> Option<RankedMark> {
    let ends = |stop: Option<PathStop>| stop == Some(PathStop::Ends);
    first_true_mark(&[
        (found, "/", Role::Match),
        (row.marks.dead_end, if ascii { "#" } else { "■" }, Role::Error),
        (row.marks.stuck.is_some(), "s", Role::Warning),
        (row.marks.missing_bundle || row.marks.on_cycle, "E", Role::Error),
        (row.marks.downgrade, "!", Role::Warning),
        (row.relation.selected, "@", Role::Note),
        (ends(row.stops.classic), "C", Role::Classic),
        (ends(row.stops.v1), "V", Role::V1),
        (row.marks.deprecated, "D", Role::Deprecated),
        (row.marks.head, if ascii { "o" } else { "●" }, Role::Good),
    ])
}
