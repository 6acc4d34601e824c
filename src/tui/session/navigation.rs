//! Navigation: the visible screen, the selection, and places to go to.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::tui::{
    keys::Screen,
    parts::list::{ListId, stuck_sort_key},
    session::{Session, catalogs::Catalogs},
    work::{Source, comparison::is_bundle_named},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olmap_report::layout;

/// Selection. It uses names instead of indexes to survive edits and reloads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Selection {
    /// The package.
    pub package: Option<PackageName>,
    /// A channel of the package.
    pub channel: Option<ChannelName>,
    /// A bundle of the package, usually an entry of the channel.
    pub bundle: Option<BundleName>,
}

/// Pane of the Packages screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pane {
    /// The packages.
    #[default]
    Packages,
    /// The channels of the package.
    Channels,
    /// The entries of the channel.
    Entries,
    /// Details of the selected item.
    Details,
}

impl Selection {
    /// Empty selection.
    pub(in crate::tui) const EMPTY: Self = Self { package: None, channel: None, bundle: None };
}

/// Place of the user, for going back to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VisitedPlace {
    /// Index of the catalog.
    pub catalog: usize,
    /// The screen.
    pub screen: Screen,
    /// The selection.
    pub selection: Selection,
}

/// Set of bundles that can be selected on a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SelectableBundles {
    /// Bundles that the selected channel names.
    #[default]
    InChannel,
    /// Bundles that any channel of the package names, and its other bundles.
    InAnyChannel,
    /// Bundles that the selected channel names, and all bundles of the package.
    InPackage,
}

/// The visible screen and pane, and places to go to.
#[derive(Debug, Default)]
pub struct Navigation {
    /// The visible screen.
    pub screen: Screen,
    /// The focused pane of the Packages screen.
    pub pane: Pane,
    /// Whether the Changes screen shows unsaved edits instead of the comparison.
    pub shows_unsaved_edits: bool,
    /// Bundle that the user marked: the start of the upgrade path to the selected bundle.
    pub marked_bundle: Option<(PackageName, BundleName)>,
    /// Visited places, for going back and forward.
    pub place_history: PlaceHistory,
    /// Selectable bundles of screens that deviate from the default.
    selectable_bundles: BTreeMap<Screen, SelectableBundles>,
    /// Catalogs whose saved cursor position is not restored yet.
    pending_restores: Vec<PendingRestore>,
    /// Package of the restored place, until a notice names it.
    restored_package: Option<PackageName>,
}

impl Navigation {
    /// Sets the bundles that can be selected on a screen.
    pub fn set_selectable_bundles(&mut self, screen: Screen, reach: SelectableBundles) {
        self.selectable_bundles.insert(screen, reach);
    }

    fn selectable_bundles(&self) -> SelectableBundles {
        // The Bundle screen keeps its bundle, even if other channels have it.
        let usual = if self.screen == Screen::Bundle {
            SelectableBundles::InPackage
        } else {
            SelectableBundles::default()
        };
        self.selectable_bundles.get(&self.screen).copied().unwrap_or(usual)
    }

    /// Goes to a place as soon as it is loaded, unless the user navigates before.
    pub fn restore_place(&mut self, catalog: PathBuf, to: LastPlace) {
        self.pending_restores.push(PendingRestore { catalog, place: to, is_visible: false });
    }

    /// Returns the package of the place that was restored in the visible catalog, once. `None` if nothing was restored.
    pub(in crate::tui) fn take_restored_package(&mut self) -> Option<PackageName> {
        self.restored_package.take()
    }
}

/// Visited places.
#[derive(Clone, Debug, Default)]
pub struct PlaceHistory {
    back_stack: Vec<VisitedPlace>,
    forward_stack: Vec<VisitedPlace>,
}

impl PlaceHistory {
    const MAX_LENGTH: usize = 200;

    /// Stores a place that a jump leaves.
    pub fn push_place(&mut self, place: VisitedPlace) {
        self.forward_stack.clear();
        if self.back_stack.last() != Some(&place) {
            self.back_stack.push(place);
        }
        if self.back_stack.len() > Self::MAX_LENGTH {
            self.back_stack.remove(0);
        }
    }

    /// Returns the previous place.
    pub fn go_back(&mut self, now: VisitedPlace) -> Option<VisitedPlace> {
        let place = self.back_stack.pop()?;
        self.forward_stack.push(now);
        Some(place)
    }

    /// Returns the next place.
    pub fn go_forward(&mut self, now: VisitedPlace) -> Option<VisitedPlace> {
        let place = self.forward_stack.pop()?;
        self.back_stack.push(now);
        Some(place)
    }

    /// Returns true if there is a previous place.
    pub fn has_back(&self) -> bool {
        !self.back_stack.is_empty()
    }

    /// Returns true if there is a next place.
    pub fn has_forward(&self) -> bool {
        !self.forward_stack.is_empty()
    }
}

/// Last place in a catalog.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LastPlace {
    /// The screen.
    #[serde(default)]
    pub screen: Screen,
    /// The pane of the Packages screen.
    #[serde(default)]
    pub pane: Pane,
    /// The selection.
    #[serde(flatten)]
    pub selection: Selection,
}

/// Catalog whose last place is not restored yet.
#[derive(Clone, Debug)]
pub struct PendingRestore {
    /// Path of the catalog as it is opened now.
    catalog: PathBuf,
    /// The last place.
    place: LastPlace,
    /// True if the place is already visible, and only the rest of its package is missing.
    is_visible: bool,
}

/// Places.
impl Session {
    /// Returns the current place.
    pub fn current_place(&self) -> VisitedPlace {
        VisitedPlace {
            catalog: self.catalogs.current_index(),
            screen: self.navigation.screen,
            selection: self.selection().clone(),
        }
    }

    /// Navigates and stores the previous place.
    pub(in crate::tui) fn jump_with(&mut self, go: impl FnOnce(&mut Self)) {
        let place = self.current_place();
        go(self);
        self.push_left_place(place);
    }

    /// On the graph of a single channel, selects another channel if this one lacks the selected
    /// bundle. Returns a sentence about it; `None` if the channel stays.
    pub(in crate::tui) fn select_channel_with_bundle(&mut self) -> Option<String> {
        let is_one_channel = self.navigation.screen == Screen::Graph
            && self.navigation.selectable_bundles() == SelectableBundles::InChannel;
        let here = self.selection().clone();
        let (bundle, channel) = (here.bundle.filter(|_| is_one_channel)?, here.channel?);
        let package = self.selected_package()?;
        let is_named = |name: &ChannelName| {
            let upgrades = package.graph.channel(name.as_str());
            upgrades.is_some_and(|upgrades| upgrades.graph.find_node(bundle.as_str()).is_some())
        };
        if is_named(&channel) || self.derived.marks().removed_entry(&bundle).is_some() {
            return None;
        }
        let other = package.package().channels_with(&bundle).next()?.name.value.clone();
        let words = format!("{other} has {bundle}, {channel} does not");
        self.select_channel(other);
        self.catalogs.select_bundle(bundle);
        Some(words)
    }

    /// Stores a previous place, if it differs from the current one.
    pub(in crate::tui) fn push_left_place(&mut self, place: VisitedPlace) {
        if self.current_place() != place {
            self.navigation.place_history.push_place(place);
        }
    }

    /// Goes to a place.
    pub(in crate::tui) fn go_to_place(&mut self, place: VisitedPlace) {
        let before = self.selection().package.clone();
        self.catalogs.set_current(place.catalog);
        self.navigation.screen = place.screen;
        if let Some(open) = self.catalogs.current_mut() {
            open.selection = place.selection;
        }
        if self.selection().package != before {
            self.upgrade_query.clear_package_fields();
        }
        self.correct_selection();
    }

    /// Goes to the Packages screen and selects something there.
    pub(in crate::tui) fn jump_to_catalog_screen(
        &mut self,
        package: PackageName,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
        pane: Pane,
    ) {
        self.jump_with(|session| session.show_on_catalog_screen(package, channel, bundle, pane));
    }

    /// Selects something on the Packages screen. A bundle is selected in a channel that has it.
    pub(in crate::tui) fn show_on_catalog_screen(
        &mut self,
        package: PackageName,
        channel: Option<ChannelName>,
        bundle: Option<BundleName>,
        pane: Pane,
    ) {
        self.navigation.screen = Screen::Packages;
        self.navigation.pane = pane;
        // The filter of another bundle's content may hide everything.
        for list in [ListId::Packages, ListId::Channels, ListId::Entries, ListId::Inside] {
            self.lists.set_filter(list, String::new());
        }
        self.select_package(package);
        let channel = channel
            .or_else(|| self.catalogs.channel_with(self.selection().package.as_ref()?, bundle.as_ref()?));
        if let Some(channel) = channel {
            self.select_channel(channel);
        }
        if let Some(bundle) = bundle {
            self.catalogs.select_bundle(bundle);
        }
    }

    /// Returns the current place in each catalog on disk. Catalogs with a pending restore are
    /// omitted.
    pub fn last_places(&self) -> Vec<(PathBuf, LastPlace)> {
        let Navigation { screen, pane, pending_restores, .. } = &self.navigation;
        let is_known = |path: &PathBuf| pending_restores.iter().any(|known| known.catalog == *path);
        let mut places = Vec::new();
        for open in self.catalogs.all() {
            let Source::Path(path) = &open.source else { continue };
            if !is_known(path) && open.selection.package.is_some() {
                let place = LastPlace { screen: *screen, pane: *pane, selection: open.selection.clone() };
                places.push((path.clone(), place));
            }
        }
        places
    }

    /// Cancels the pending restore of the current catalog, because the user navigates.
    pub(in crate::tui) fn cancel_restore(&mut self) {
        self.navigation.restored_package = None;
        let Some(open) = self.catalogs.current_mut() else { return };
        open.is_selected_by_default = false;
        self.navigation.pending_restores.retain(|known| open.source != Source::Path(known.catalog.clone()));
    }

    /// Restores the places that are loaded now.
    pub(in crate::tui) fn restore_loaded_places(&mut self) {
        let visible_catalog = self.catalogs.current_index();
        let mut waiting = Vec::new();
        for mut pending in std::mem::take(&mut self.navigation.pending_restores) {
            match self.catalogs.position(&Source::Path(pending.catalog.clone())) {
                Some(number) => {
                    self.catalogs.set_current(number);
                    if self.restore_in_current(&mut pending, number == visible_catalog) {
                        waiting.push(pending);
                    }
                }
                None => waiting.push(pending),
            }
        }
        self.catalogs.set_current(visible_catalog);
        self.navigation.pending_restores = waiting;
    }

    /// Returns the screen if it has something to show, otherwise the one to start with: with a
    /// comparison, what differs.
    fn screen_with_content(&self, screen: Screen) -> Screen {
        if self.catalogs.base().is_some() {
            return Screen::Changes;
        }
        let has_content = match screen {
            Screen::Changes => self.catalogs.unsaved_count() > 0,
            Screen::Resolve => !self.jobs.assumed_cluster.assumed.is_empty(),
            Screen::Plan => self.catalogs.all().len() > 1,
            _ => true,
        };
        if has_content { screen } else { Screen::default() }
    }

    /// Restores a place in the current catalog. Returns true if more of it has to be loaded.
    fn restore_in_current(&mut self, pending: &mut PendingRestore, is_displayed: bool) -> bool {
        let (Some(snapshot), Some(name)) = (self.snapshot(), &pending.place.selection.package) else {
            return false;
        };
        let unread = snapshot.catalog.missing_part();
        if snapshot.package(name.as_str()).is_none() {
            // The package may still be loaded, unless the list of packages is complete.
            return unread.is_some_and(|unread| !unread.is_listed);
        }
        let is_partial = unread.is_some_and(|unread| unread.packages.contains(name));
        if is_displayed && !pending.is_visible {
            self.navigation.screen = self.screen_with_content(pending.place.screen);
            self.navigation.pane = pending.place.pane;
            // The user would see the same without it.
            let is_start = self.navigation.screen == Screen::default()
                && self.selection().package == pending.place.selection.package;
            self.navigation.restored_package = pending.place.selection.package.clone().filter(|_| !is_start);
        }
        pending.is_visible = true;
        if let Some(open) = self.catalogs.current_mut() {
            open.selection = pending.place.selection.clone();
            open.is_selected_by_default = false;
        }
        self.correct_selection();
        is_partial
    }
}

/// The selection, and the parts of the query that depend on it.
impl Session {
    /// Selects a package, its default channel, and the head of the channel.
    pub(in crate::tui) fn select_package(&mut self, name: PackageName) {
        if self.selection().package.as_ref() == Some(&name) {
            return;
        }
        self.upgrade_query.clear_package_fields();
        self.lists.set_filter(ListId::Channels, String::new());
        self.lists.set_filter(ListId::Entries, String::new());
        if let Some(open) = self.catalogs.current_mut() {
            open.selection = Selection { package: Some(name), ..Selection::default() };
        }
        self.correct_selection();
    }

    /// Selects a channel of the package. Keeps the bundle if the channel has it, otherwise selects
    /// the head.
    pub(in crate::tui) fn select_channel(&mut self, name: ChannelName) {
        if self.selection().channel.as_ref() != Some(&name) {
            self.upgrade_query.subscribed = None;
            if let Some(open) = self.catalogs.current_mut() {
                open.selection.channel = Some(name);
            }
        }
        self.correct_selection();
    }

    /// Runs [`Session::correct_selection`] for every catalog.
    pub(in crate::tui) fn correct_all_selections(&mut self) {
        let visible_catalog = self.catalogs.current_index();
        for catalog in 0..self.catalogs.all().len() {
            self.catalogs.set_current(catalog);
            self.correct_selection();
        }
        self.catalogs.set_current(visible_catalog);
    }

    /// Corrects the selection after loading, edits and navigation, so that it names existing items.
    pub(in crate::tui) fn correct_selection(&mut self) {
        let Self { catalogs, navigation, upgrade_query, .. } = self;
        let Some(snapshot) = catalogs.snapshot() else { return };
        let was_empty = catalogs.selection().package.is_none();
        let existing = select_existing_package(catalogs.selection(), snapshot);
        let selection = existing.map(|(mut selection, package_state)| {
            upgrade_query.remove_missing_channels(package_state.package());
            catalogs.correct_within_package(&mut selection, package_state, navigation.selectable_bundles());
            selection
        });
        let Some(open) = catalogs.current_mut() else { return };
        open.is_selected_by_default |= was_empty && selection.is_some();
        let has_package = selection.is_some();
        open.selection = selection.unwrap_or_default();
        if has_package {
            let starting = self.upgrade_query.starting.take();
            self.upgrade_query.starting = starting.filter(|name| self.starting_csvs().contains(name));
        }
    }

    /// Returns the possible values of `startingCSV`: the entries of the subscribed channel, newest
    /// first.
    pub(in crate::tui) fn starting_csvs(&self) -> Vec<BundleName> {
        let graph = self.selected_package().zip(self.subscribed_channel());
        let Some(channel) = graph.and_then(|(package, name)| package.graph.channel(name.as_str())) else {
            return Vec::new();
        };
        let order = layout::order_nodes(&channel.graph);
        let entries = order.into_iter().filter_map(|at| channel.graph.node(at));
        entries.filter(|node| node.entry.is_some()).map(|node| node.name.clone()).collect()
    }
}

/// Returns a selection with an existing package: the selected one, the nearest by name so that the
/// user stays at about the same position, or the package with the most stuck versions.
fn select_existing_package<'s>(
    selection: &Selection,
    snapshot: &'s Snapshot,
) -> Option<(Selection, &'s Arc<PackageState>)> {
    let selected = selection.package.as_ref().and_then(|name| snapshot.package(name.as_str()));
    if let Some(package_state) = selected {
        return Some((selection.clone(), package_state));
    }
    let mut packages = snapshot.packages();
    let (name, package_state) = match &selection.package {
        Some(wanted) => packages.find(|(name, _)| *name >= wanted).or_else(|| snapshot.packages().last())?,
        None => packages.min_by_key(|(_, package_state)| stuck_sort_key(package_state.stuck()))?,
    };
    Some((Selection { package: Some(name.clone()), ..Selection::default() }, package_state))
}

impl Catalogs {
    /// Corrects channel and bundle of a selection, so that the package has them.
    fn correct_within_package(
        &self,
        selection: &mut Selection,
        package_state: &PackageState,
        reach: SelectableBundles,
    ) {
        let package = package_state.package();
        let exists = |name: &ChannelName| package.channel(name.as_str()).is_some();
        selection.channel = selection
            .channel
            .take()
            .filter(exists)
            .or_else(|| package.default_channel().filter(|name| exists(name)).cloned())
            .or_else(|| package.channels.first().map(|c| c.name.value.clone()));
        let channel = selection.channel.as_ref().and_then(|name| package_state.graph.channel(name.as_str()));
        let graph = channel.map(|channel| &channel.graph);
        let bundle = selection.bundle.take();
        selection.bundle = bundle
            .filter(|name| {
                graph.is_some_and(|g| g.find_node(name.as_str()).is_some())
                    || match reach {
                        SelectableBundles::InChannel => false,
                        SelectableBundles::InAnyChannel => is_bundle_named(package_state, name),
                        SelectableBundles::InPackage => package.bundle(name.as_str()).is_some(),
                    }
                    || self.has_removed_row(selection, name, reach)
            })
            .or_else(|| {
                let graph = graph?;
                let head = graph.head_node().or_else(|| {
                    let order = layout::order_nodes(graph);
                    order.into_iter().find(|&at| graph.entry(at).is_some())
                })?;
                Some(graph.node(head)?.name.clone())
            })
            .or_else(|| package.bundles.first().map(|b| b.name.value.clone()));
    }
}
