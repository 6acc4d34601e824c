//! Neighborhood of the selected bundle.

use super::{Graph, view::GraphMode};
use crate::{app::session::cx::Cx, layout::neighbourhood::Side};

pub(super) fn zoom(graph: &mut Graph, cx: &mut Cx<'_>) {
    if graph.is_side_by_side() {
        // The zoom shows only bundles of the channel.
        graph.leave_side_by_side(cx);
    }
    let mode = if graph.view.mode == GraphMode::Zoom { GraphMode::Channel } else { GraphMode::Zoom };
    graph.draw_graph(mode, cx.session);
}

pub(super) fn older(graph: &Graph, cx: &mut Cx<'_>) {
    go(graph, cx, Side::Older, "no edge in this channel leads to it");
}

pub(super) fn newer(graph: &Graph, cx: &mut Cx<'_>) {
    go(graph, cx, Side::Newer, "no edge in this channel leads from it");
}

fn go(graph: &Graph, cx: &mut Cx<'_>, side: Side, nowhere: &str) {
    match graph.zoom().and_then(|zoom| zoom.first(side)) {
        Some(at) => cx.session.select_node(at),
        None => cx.notices.refused(nowhere),
    }
}
