//! Descriptions of edges under the mouse.

use super::Graph;
use crate::tui::parts::{frame::Frame, hit::Hit};
use olm_upgrade::EdgeKind;
use olmap_report::layout::FoldLine;

/// Describes the edge of the graph at a column of the terminal: the first edge, and the number of
/// others.
pub(super) fn describe_edge(graph: &Graph, frame: &Frame, line: usize, column: u16) -> Option<String> {
    let drawing = frame.hits.area_of(Hit::Drawing)?;
    let column = usize::from(column.checked_sub(drawing.x)?);
    let FoldLine::Row(row) = *graph.graph_lines().lines.get(line)? else { return None };
    let layout = graph.layout()?;
    let version =
        |at| layout.row_of_node(at).and_then(|row| layout.rows.get(row)).map(|row| row.version.as_str());
    let edges = layout.edges_at(row, column);
    let edge = edges.first()?;
    let (from, to) = (version(edge.from)?, version(edge.to)?);
    let words = match edge.kind {
        EdgeKind::Replaces => format!("{to} replaces {from}"),
        EdgeKind::Skips => format!("{to} skips {from}"),
        EdgeKind::SkipRange => format!("the skipRange of {to} includes {from}"),
    };
    Some(match edges.len() - 1 {
        0 => words,
        more => format!("{words}, and {more} more of this line"),
    })
}

/// Describes the edge at a column of a channel's strip.
pub(super) fn describe_strip_edge(graph: &Graph, number: usize, row: usize, column: usize) -> Option<String> {
    let side = graph.side_by_side()?;
    let strip = side.strips.iter().find(|strip| strip.channel == number)?;
    let version = |at| {
        let row =
            strip.nodes.iter().position(|place| place.as_ref().is_some_and(|place| place.node == at))?;
        side.rows.get(row).map(|row| row.version.as_str())
    };
    let edges = strip.edges_at(row, column).into_iter();
    let words =
        edges.filter_map(|edge| Some(format!("{} replaces {}", version(edge.to)?, version(edge.from)?)));
    let words = words.collect::<Vec<_>>().join(", ");
    let channel = &side.channels.get(number)?.name;
    Some(format!("{channel}: {words}")).filter(|_| !words.is_empty())
}
