//! The neighbourhood of the selected bundle.

use crate::{
    app::{screens::graph::view::GraphMode, shell::model::Model, work::Effect},
    layout::neighbourhood::Side,
};

pub(in crate::app) fn zoom(model: &mut Model) -> Vec<Effect> {
    if model.is_side_by_side() {
        // The zoom is about what the channel has.
        model.leave_side_by_side();
    }
    let mode = if model.graph.mode == GraphMode::Zoom { GraphMode::Channel } else { GraphMode::Zoom };
    model.draw_graph(mode);
    Vec::new()
}

pub(in crate::app) fn older(model: &mut Model) {
    go(model, Side::Older, "nothing in this channel can be upgraded to it");
}

pub(in crate::app) fn newer(model: &mut Model) {
    go(model, Side::Newer, "nothing in this channel replaces, skips or covers it");
}

fn go(model: &mut Model, side: Side, nowhere: &str) {
    match model.derived.zoom().and_then(|zoom| zoom.first(side)) {
        Some(at) => model.session.select_node(at),
        None => model.notices.refused(nowhere),
    }
}
