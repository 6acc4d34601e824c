//! Neighborhood of the selected bundle.

use super::{Graph, view::GraphMode};
use crate::tui::session::context::Context;
use olmap_report::layout::neighborhood::Side;

pub(super) fn toggle_zoom(graph: &mut Graph, cx: &mut Context<'_>) {
    if graph.is_side_by_side() {
        // The zoom shows only bundles of the channel.
        graph.leave_side_by_side(cx);
    }
    let mode = if graph.view.mode == GraphMode::Zoom { GraphMode::Channel } else { GraphMode::Zoom };
    graph.set_mode(mode, cx.session);
}

pub(super) fn zoom_to_older(graph: &Graph, cx: &mut Context<'_>) {
    select_neighbor(graph, cx, Side::Older, "no edge in this channel leads to it");
}

pub(super) fn zoom_to_newer(graph: &Graph, cx: &mut Context<'_>) {
    select_neighbor(graph, cx, Side::Newer, "no edge in this channel leads from it");
}

fn select_neighbor(graph: &Graph, cx: &mut Context<'_>, side: Side, nowhere: &str) {
    match graph.zoom().and_then(|zoom| zoom.first_neighbor(side)) {
        Some(at) => cx.session.select_node(at),
        None => cx.notices.report_refusal(nowhere),
    }
}
