//! The neighbourhood of the selected bundle.

use crate::{
    app::{model::Model, msg::Effect, view::GraphMode},
    layout::neighbourhood::Side,
};

pub fn zoom(model: &mut Model) -> Vec<Effect> {
    model.graph.mode = if model.graph.mode == GraphMode::Zoom { GraphMode::Channel } else { GraphMode::Zoom };
    Vec::new()
}

pub fn zoom_older(model: &mut Model) -> Vec<Effect> {
    if model.graph.mode != GraphMode::Zoom {
        return super::go_out(model);
    }
    go(model, Side::Older, "nothing in this channel can be upgraded to it")
}

pub fn zoom_newer(model: &mut Model) -> Vec<Effect> {
    if model.graph.mode != GraphMode::Zoom {
        return super::go_in(model);
    }
    go(model, Side::Newer, "nothing in this channel replaces, skips or covers it")
}

fn go(model: &mut Model, side: Side, nowhere: &str) -> Vec<Effect> {
    match model.derived.zoom().and_then(|zoom| zoom.first(side)) {
        Some(at) => model.select_node(at),
        None => model.notices.failed(nowhere),
    }
    Vec::new()
}
