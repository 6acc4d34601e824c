//! Display of all channels of a package side by side.

use super::{Graph, view::GraphMode};
use crate::tui::{
    keys::{Screen, spec::Enabled},
    session::{
        SelectableBundles, Session,
        context::{Context, ViewContext},
    },
};
use olm_catalog::BundleName;

pub(super) fn check_channels(graph: &Graph, view_cx: &ViewContext<'_>) -> Enabled {
    let has_some = graph.is_side_by_side()
        || view_cx.session.selected_package().is_some_and(|package| !package.package().channels.is_empty());
    if has_some { Ok(()) } else { Err("the package has no channels".to_owned()) }
}

pub(super) fn toggle_side_by_side(graph: &mut Graph, cx: &mut Context<'_>) {
    if graph.is_side_by_side() {
        graph.leave_side_by_side(cx);
    } else {
        graph.set_mode(GraphMode::SideBySide, cx.session);
    }
}

/// Selects the channel that is `by` positions to the right.
pub(super) fn select_channel_by(graph: &Graph, cx: &mut Context<'_>, by: isize) {
    let Some(here) = graph.selected_channel_index(cx.session) else { return };
    if let Some(there) = here.checked_add_signed(by) {
        graph.select_channel_index(there, cx.session);
    }
}

impl Graph {
    /// Switches the display. Side by side, the bundles of all channels can be selected.
    pub(in crate::tui) fn set_mode(&mut self, mode: GraphMode, session: &mut Session) {
        self.view.mode = mode;
        let reach = if mode == GraphMode::SideBySide {
            SelectableBundles::InAnyChannel
        } else {
            SelectableBundles::InChannel
        };
        session.set_selectable_bundles(Screen::Graph, reach);
    }

    /// Returns true if all channels are shown side by side.
    pub fn is_side_by_side(&self) -> bool {
        self.view.mode == GraphMode::SideBySide
    }

    /// Returns the index of the selected channel among the visible ones.
    pub fn selected_channel_index(&self, session: &Session) -> Option<usize> {
        self.side_by_side()?.channel_index(session.selection().channel.as_ref()?.as_str())
    }

    /// Selects a channel by its index among the visible ones.
    pub(super) fn select_channel_index(&self, number: usize, session: &mut Session) {
        let channel = self.side_by_side().and_then(|side| side.channels.get(number));
        if let Some(name) = channel.map(|channel| channel.name.clone()) {
            session.select_channel(name);
        }
    }

    /// Shows only the selected channel. If it does not have the selected bundle, the nearest bundle
    /// is selected.
    pub(super) fn leave_side_by_side(&mut self, cx: &mut Context<'_>) {
        if let Some(name) = self.nearest_in_channel(cx.session) {
            let here = cx.session.selection().clone();
            if let (Some(bundle), Some(channel)) = (here.bundle, here.channel) {
                cx.notices.report_done(format!("{channel} has no {bundle}; this is the nearest"));
            }
            cx.session.select_bundle(name);
        }
        self.set_mode(GraphMode::Channel, cx.session);
        cx.session.correct_selection();
    }

    /// Returns the bundle to select instead of one that the channel does not name.
    fn nearest_in_channel(&self, session: &Session) -> Option<BundleName> {
        // An entry that was removed from the channel has a row too.
        if session.derived.marks().removed_entry(session.selection().bundle.as_ref()?).is_some() {
            return None;
        }
        let side = self.side_by_side()?;
        let number = self.selected_channel_index(session)?;
        let strip = side.strips.iter().find(|strip| strip.channel == number)?;
        let row = side.row_of(session.selection().bundle.as_ref()?.as_str())?;
        if strip.node_in_row(row).is_some() {
            return None;
        }
        let mut near = (row..side.rows.len()).chain((0..row).rev());
        let near = near.find(|&row| strip.node_in_row(row).is_some())?;
        side.rows.get(near).map(|row| row.name.clone())
    }
}
