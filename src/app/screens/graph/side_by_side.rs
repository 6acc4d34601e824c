//! All channels of a package side by side.

use crate::app::keys::Screen;
use crate::app::keys::spec::Enabled;
use crate::app::session::Reach;
use crate::{
    app::{screens::graph::view::GraphMode, shell::model::Model, work::Effect},
    catalog::BundleName,
};

pub(in crate::app) fn has_channels(model: &Model) -> Enabled {
    let has_some = model.is_side_by_side()
        || model.session.package().is_some_and(|package| !package.package().channels.is_empty());
    if has_some { Ok(()) } else { Err("the package has no channels".to_owned()) }
}

pub(in crate::app) fn all_channels(model: &mut Model) -> Vec<Effect> {
    if model.is_side_by_side() {
        model.leave_side_by_side();
    } else {
        model.draw_graph(GraphMode::SideBySide);
    }
    Vec::new()
}

/// Goes so many channels to the right.
pub(in crate::app) fn step(model: &mut Model, by: isize) {
    let Some(here) = model.selected_channel_number() else { return };
    if let Some(there) = here.checked_add_signed(by) {
        model.select_channel_number(there);
    }
}

impl Model {
    /// Draws the graph another way; side by side the bundles of all channels can be selected.
    pub(in crate::app) fn draw_graph(&mut self, mode: GraphMode) {
        self.graph.mode = mode;
        let reach = if mode == GraphMode::SideBySide { Reach::Named } else { Reach::Channel };
        self.session.set_reach(Screen::Graph, reach);
    }

    /// Whether the Graph screen draws all channels side by side.
    pub fn is_side_by_side(&self) -> bool {
        self.graph.mode == GraphMode::SideBySide
    }

    /// The number of the selected channel among those side by side.
    pub fn selected_channel_number(&self) -> Option<usize> {
        self.derived.side_by_side()?.channel_of(self.session.selection().channel.as_ref()?.as_str())
    }

    /// Selects a channel by its number among those side by side.
    pub(in crate::app) fn select_channel_number(&mut self, number: usize) {
        let channel = self.derived.side_by_side().and_then(|side| side.channels.get(number));
        if let Some(name) = channel.map(|channel| channel.name.clone()) {
            self.session.select_channel(name);
        }
    }

    /// What a line stands for that is drawn in a column of a channel's strip.
    pub(in crate::app) fn line_at(&self, number: usize, row: usize, column: usize) -> Option<String> {
        let side = self.derived.side_by_side()?;
        let strip = side.strips.iter().find(|strip| strip.channel == number)?;
        let version = |at| {
            let row =
                strip.places.iter().position(|place| place.as_ref().is_some_and(|place| place.at == at))?;
            side.rows.get(row).map(|row| row.version.as_str())
        };
        let edges = strip.edges_at(row, column).into_iter();
        let words =
            edges.filter_map(|edge| Some(format!("{} replaces {}", version(edge.to)?, version(edge.from)?)));
        let words = words.collect::<Vec<_>>().join(", ");
        let channel = &side.channels.get(number)?.name;
        Some(format!("{channel}: {words}")).filter(|_| !words.is_empty())
    }

    /// Goes on with the selected channel alone; where it has nothing to say of the selected bundle, with the next one below
    /// of which it has.
    pub(in crate::app) fn leave_side_by_side(&mut self) {
        if let Some(name) = self.nearest_in_channel() {
            let here = self.session.selection().bundle.clone();
            if let (Some(here), Some(channel)) = (here, self.session.selection().channel.clone()) {
                self.notices.done(format!("{channel} has no {here}; this is the nearest it has"));
            }
            self.session.select_bundle(name);
        }
        self.draw_graph(GraphMode::Channel);
        self.session.settle();
    }

    /// What to select instead of a bundle that the selected channel does not name.
    fn nearest_in_channel(&self) -> Option<BundleName> {
        let side = self.derived.side_by_side()?;
        let number = self.selected_channel_number()?;
        let strip = side.strips.iter().find(|strip| strip.channel == number)?;
        let row = side.row_of(self.session.selection().bundle.as_ref()?.as_str())?;
        if strip.place(row).is_some() {
            return None;
        }
        let mut near = (row..side.rows.len()).chain((0..row).rev());
        let near = near.find(|&row| strip.place(row).is_some())?;
        side.rows.get(near).map(|row| row.name.clone())
    }
}
