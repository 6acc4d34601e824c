//! Selection of packages, channels and bundles.

use petgraph::graph::NodeIndex;

use crate::tui::{
    keys::Screen,
    parts::{list::ListId, list_order::stuck_sort_key},
    session::{
        SelectableBundles, Session,
        navigation::{Pane, VisitedPlace},
    },
    work::change_marks::is_bundle_named,
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::Snapshot;

/// Returns the package with the most stuck versions; of equals, the first by name.
fn most_stuck(snapshot: &Snapshot) -> Option<&PackageName> {
    snapshot
        .packages()
        .min_by_key(|(_, package_state)| stuck_sort_key(package_state.stuck()))
        .map(|(name, _)| name)
}

impl Session {
    /// Navigates and stores the previous place.
    pub(in crate::tui) fn jump_with(&mut self, go: impl FnOnce(&mut Self)) {
        let place = self.current_place();
        go(self);
        self.push_left_place(place);
    }

    /// Stores a previous place, if it differs from the current one.
    pub(in crate::tui) fn push_left_place(&mut self, place: VisitedPlace) {
        if self.current_place() != place {
            self.place_history.push_place(place);
        }
    }

    /// Goes to a place.
    pub(in crate::tui) fn go_to_place(&mut self, place: VisitedPlace) {
        let before = self.selection().package.clone();
        self.current = place.catalog.min(self.open_catalogs.len().saturating_sub(1));
        self.screen = place.screen;
        if let Some(open) = self.current_catalog_mut() {
            open.selection = place.selection;
        }
        if self.selection().package != before {
            self.reset_query();
        }
        self.correct_selection();
    }

    /// Resets the query fields of the Upgrades screen that belong to one package.
    fn reset_query(&mut self) {
        self.upgrade_query.subscribed = None;
        self.upgrade_query.query.channels.clear();
        self.upgrade_query.starting = None;
    }

    /// Selects a package, its default channel, and the head of the channel.
    pub(in crate::tui) fn select_package(&mut self, name: PackageName) {
        if self.selection().package.as_ref() == Some(&name) {
            return;
        }
        self.reset_query();
        self.lists.set_filter(ListId::Channels, String::new());
        self.lists.set_filter(ListId::Entries, String::new());
        if let Some(open) = self.current_catalog_mut() {
            open.selection.package = Some(name);
            open.selection.channel = None;
            open.selection.bundle = None;
        }
        self.correct_selection();
    }

    /// Selects a channel of the package. Keeps the bundle if the channel has it, otherwise selects
    /// the head.
    pub(in crate::tui) fn select_channel(&mut self, name: ChannelName) {
        if self.selection().channel.as_ref() != Some(&name) {
            self.upgrade_query.subscribed = None;
            if let Some(open) = self.current_catalog_mut() {
                open.selection.channel = Some(name);
            }
        }
        self.correct_selection();
    }

    /// Selects a bundle of the package.
    pub(in crate::tui) fn select_bundle(&mut self, name: BundleName) {
        if let Some(open) = self.current_catalog_mut() {
            open.selection.bundle = Some(name);
        }
    }

    /// Selects a node of the channel's graph.
    pub(in crate::tui) fn select_node(&mut self, at: NodeIndex) {
        let name = self.selected_package().and_then(|package| {
            let channel = package.graph.channel(self.selection().channel.as_ref()?.as_str())?;
            Some(channel.graph.node(at)?.name.clone())
        });
        if let Some(name) = name {
            self.select_bundle(name);
        }
    }

    /// Runs [`Session::correct_selection`] for every catalog.
    pub(in crate::tui) fn correct_all_selections(&mut self) {
        let looked_at = self.current.min(self.open_catalogs.len().saturating_sub(1));
        for current in 0..self.open_catalogs.len() {
            self.current = current;
            self.correct_selection();
        }
        self.current = looked_at;
    }

    /// Corrects the selection after loading, edits and navigation, so that it names existing items.
    pub(in crate::tui) fn correct_selection(&mut self) {
        let Some(snapshot) = self.snapshot().cloned() else { return };
        let mut selection = self.selection().clone();
        let was_empty = selection.package.is_none();
        let known = selection.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
        let Some(package_state) = known.or_else(|| {
            // The nearest by name, so that the user stays at about the same position.
            let name = match selection.package.clone() {
                Some(wanted) => {
                    let mut names = snapshot.packages().map(|(name, _)| name);
                    let near = names.find(|name| **name >= wanted);
                    near.or_else(|| snapshot.packages().map(|(name, _)| name).last())?.clone()
                }
                None => most_stuck(&snapshot)?.clone(),
            };
            selection.package = Some(name.clone());
            selection.channel = None;
            selection.bundle = None;
            snapshot.package(name.as_str())
        }) else {
            if let Some(open) = self.current_catalog_mut() {
                open.selection = crate::tui::session::navigation::Selection::default();
            }
            return;
        };
        let package = package_state.package();
        if self.upgrade_query.subscribed.as_ref().is_some_and(|name| package.channel(name.as_str()).is_none())
        {
            self.upgrade_query.subscribed = None;
        }
        self.upgrade_query.query.channels.retain(|name| package.channel(name.as_str()).is_some());
        let channel = selection
            .channel
            .clone()
            .filter(|name| package.channel(name.as_str()).is_some())
            .or_else(|| {
                package.default_channel().filter(|name| package.channel(name.as_str()).is_some()).cloned()
            })
            .or_else(|| package.channels.first().map(|c| c.name.value.clone()));
        let graph =
            channel.as_ref().and_then(|name| package_state.graph.channel(name.as_str())).map(|c| &c.graph);
        let mut known = selection.clone();
        known.channel.clone_from(&channel);
        let bundle = selection
            .bundle
            .filter(|name| {
                graph.is_some_and(|g| g.find_node(name.as_str()).is_some())
                    || match self.selectable_bundles() {
                        SelectableBundles::InChannel => false,
                        SelectableBundles::InAnyChannel => is_bundle_named(package_state, name),
                        SelectableBundles::InPackage => package.bundle(name.as_str()).is_some(),
                    }
                    || self.has_removed_row(&known, name, self.selectable_bundles())
            })
            .or_else(|| {
                let graph = graph?;
                let head = graph.head_node().or_else(|| {
                    let order = olmap_report::layout::order_nodes(graph);
                    order.into_iter().find(|&at| graph.entry(at).is_some())
                })?;
                Some(graph.node(head)?.name.clone())
            })
            .or_else(|| package.bundles.first().map(|b| b.name.value.clone()));
        if let Some(open) = self.current_catalog_mut() {
            open.selection =
                crate::tui::session::navigation::Selection { package: selection.package, channel, bundle };
        }
        if was_empty && let Some(open) = self.current_catalog_mut() {
            open.is_selected_by_default = true;
        }
        let starting = self.upgrade_query.starting.take();
        self.upgrade_query.starting = starting.filter(|name| self.starting_csvs().contains(name));
    }

    /// Goes to the Catalog screen and selects something there.
    pub(in crate::tui) fn jump_to_catalog_screen(
        &mut self,
        package: PackageName,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
        pane: Pane,
    ) {
        self.jump_with(|session| session.show_on_catalog_screen(package, channel, bundle, pane));
    }

    /// Selects something on the Catalog screen. A bundle is selected in a channel that has it.
    pub(in crate::tui) fn show_on_catalog_screen(
        &mut self,
        package: PackageName,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
        pane: Pane,
    ) {
        self.screen = Screen::Catalog;
        self.pane = pane;
        // The filter of another bundle's content may hide everything.
        for list in [ListId::Packages, ListId::Channels, ListId::Entries, ListId::Inside] {
            self.lists.set_filter(list, String::new());
        }
        self.select_package(package);
        let channel =
            channel.or_else(|| self.channel_with(self.selection().package.as_ref()?, bundle.as_ref()?));
        if let Some(channel) = channel {
            self.select_channel(channel);
        }
        if let Some(bundle) = bundle {
            self.select_bundle(bundle);
        }
    }

    /// Returns a channel of a package with a bundle: the selected one if possible, otherwise the
    /// default channel or the first.
    pub(in crate::tui) fn channel_with(
        &self,
        package: &PackageName,
        bundle: &BundleName,
    ) -> Option<ChannelName> {
        let package = self.snapshot()?.package(package.as_str())?.package();
        let mut channels: Vec<_> = package.channels_with(bundle).map(|c| c.name.value.clone()).collect();
        let here = self.selection().channel.as_ref().filter(|here| channels.contains(here));
        if let Some(here) = here.filter(|_| self.selection().package.as_ref() == Some(&package.name)) {
            return Some(here.clone());
        }
        channels.sort();
        let default = package.default_channel().filter(|d| channels.contains(d)).cloned();
        default.or_else(|| channels.into_iter().next())
    }
}
