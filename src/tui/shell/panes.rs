//! Sizes of panes.

use super::model::Model;
use crate::tui::{keys::spec::Enabled, work::Effect};

pub(in crate::tui) fn has_splitter(model: &Model) -> Enabled {
    let splitter = model.visible_screen().splitter(&model.view());
    match splitter.and_then(|(splitter, _)| model.frame.hits.drawn_splitter(splitter)) {
        Some(_) => Ok(()),
        None => Err("this pane cannot grow".to_owned()),
    }
}

pub(in crate::tui) fn has_moved_panes(model: &Model) -> Enabled {
    if model.frame.splits.has_moved() { Ok(()) } else { Err("all panes have their default size".to_owned()) }
}

pub(in crate::tui) fn grow_pane(model: &mut Model) -> Vec<Effect> {
    resize_pane(model, true)
}

pub(in crate::tui) fn shrink_pane(model: &mut Model) -> Vec<Effect> {
    resize_pane(model, false)
}

/// Moves the splitter by a twentieth of the divided length.
fn resize_pane(model: &mut Model, grow: bool) -> Vec<Effect> {
    let Some((splitter, is_before)) = model.visible_screen().splitter(&model.view()) else {
        return Vec::new();
    };
    if let Some(drawn) = model.frame.hits.drawn_splitter(splitter).copied() {
        let step = (drawn.length / 20).max(1);
        let at = drawn.position.saturating_sub(drawn.start);
        let at = if grow == is_before { at.saturating_add(step) } else { at.saturating_sub(step) };
        model.frame.splits.set_position(splitter, at, drawn.length);
    }
    Vec::new()
}

pub(in crate::tui) fn reset_panes(model: &mut Model) -> Vec<Effect> {
    model.frame.splits.reset();
    Vec::new()
}
