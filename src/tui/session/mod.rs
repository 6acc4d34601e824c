//! The open catalogs, the selection, and derived state for all screens.
//!
//! A session does not know screens or dialogs. State of a single screen or dialog belongs to it.

pub mod accepted_findings;
pub mod action;
pub mod companion_files;
pub mod context;
pub mod derived_state;
pub mod editing;
pub mod history;
pub(in crate::tui) mod installed_operators;
pub mod jobs;
pub mod last_place;
pub mod location;
mod mark_base;
pub mod navigation;
pub mod open_catalog;
pub mod recovery;
pub mod saving;
mod selection;
pub mod settings;
mod short_names;
pub mod stuck_versions;
pub mod target;
pub mod upgrade_expectations;
pub mod wait_state;
pub mod what_if;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crate::tui::{
    keys::Screen,
    parts::{list::ListStates, list_order::ChosenOrders},
    session::{
        derived_state::DerivedState,
        jobs::Jobs,
        last_place::PendingRestore,
        navigation::{Pane, PlaceHistory, Selection, VisitedPlace},
        open_catalog::{BlockingWork, OpenCatalog, Stage},
        wait_state::WaitState,
        what_if::WhatIf,
    },
    work::{Source, outcome::LoadProgress},
};
use olm_catalog::{BundleName, ChannelName, PackageName};
use olm_check::review::{PackageState, Snapshot};
use olm_upgrade::{openshift::OpenShift, v1::Query};
use olmap_report::layout;

/// Query to both OLM versions, shared by all screens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UpgradeQuery {
    /// Query of v1.
    pub query: Query,
    /// Channel of the Classic Subscription, if it is not the selected one.
    pub subscribed: Option<ChannelName>,
    /// `startingCSV` of a fresh installation under Classic. `None` for the head of the channel.
    pub starting: Option<BundleName>,
    /// OpenShift version of the cluster, if it is set.
    pub openshift: Option<OpenShift>,
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

/// State shared by all screens.
#[derive(Debug)]
pub struct Session {
    /// Whether catalogs are being loaded, are ready, or could not be loaded.
    pub stage: Stage,
    /// Sources in the order of the command line.
    pub sources: Vec<Source>,
    /// Sources that could not be read, each with the reason.
    pub failed: Vec<(Source, String)>,
    /// The open catalogs.
    pub open_catalogs: Vec<OpenCatalog>,
    /// Index of the current catalog.
    pub current: usize,
    /// The visible screen.
    pub screen: Screen,
    /// The focused pane of the Catalog screen.
    pub pane: Pane,
    /// The query to both OLM versions.
    pub upgrade_query: UpgradeQuery,
    /// Bundle that the user marked: the start of the upgrade path to the selected bundle.
    pub marked_bundle: Option<(PackageName, BundleName)>,
    /// Scroll positions and filters.
    pub lists: ListStates,
    /// Sort orders of lists.
    pub orders: ChosenOrders,
    /// Visited places, for going back and forward.
    pub place_history: PlaceHistory,
    /// Cached derived state.
    pub derived: DerivedState,
    /// Whether the Changes screen shows unsaved edits instead of the comparison.
    pub shows_unsaved_edits: bool,
    /// States of the background jobs.
    pub jobs: Jobs,
    /// Work in progress that blocks changes.
    pub busy: Option<BlockingWork>,
    /// Progress display and key buffer.
    pub waiting: WaitState,
    /// Selectable bundles of screens that deviate from the default.
    selectable_bundles: BTreeMap<Screen, SelectableBundles>,
    /// Catalogs whose saved cursor position is not restored yet.
    pending_restores: Vec<PendingRestore>,
    /// Package that was last requested to be read first.
    read_first: Option<PackageName>,
    /// Installed operators of a cluster, if the user passed its files.
    pub installed_operators: Option<Arc<olm_plan::cluster::Cluster>>,
}

impl Session {
    /// Creates a session that loads its sources.
    pub fn new(sources: Vec<Source>) -> Self {
        Self {
            jobs: Jobs::new(&sources),
            stage: Stage::Loading(LoadProgress::default()),
            sources,
            failed: Vec::new(),
            open_catalogs: Vec::new(),
            current: 0,
            screen: Screen::default(),
            pane: Pane::default(),
            upgrade_query: UpgradeQuery::default(),
            marked_bundle: None,
            lists: ListStates::default(),
            orders: ChosenOrders::default(),
            place_history: PlaceHistory::default(),
            derived: DerivedState::default(),
            shows_unsaved_edits: false,
            busy: None,
            waiting: WaitState::default(),
            selectable_bundles: BTreeMap::new(),
            pending_restores: Vec::new(),
            read_first: None,
            installed_operators: None,
        }
    }

    /// Sets the bundles that can be selected on a screen.
    pub fn set_selectable_bundles(&mut self, screen: Screen, reach: SelectableBundles) {
        self.selectable_bundles.insert(screen, reach);
    }

    /// Forgets which package was requested to be read first.
    pub(in crate::tui) fn clear_read_first(&mut self) {
        self.read_first = None;
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

    /// Returns the current catalog.
    pub fn current_catalog(&self) -> Option<&OpenCatalog> {
        self.open_catalogs.get(self.current)
    }

    /// Returns the current catalog for changes.
    pub(in crate::tui) fn current_catalog_mut(&mut self) -> Option<&mut OpenCatalog> {
        self.open_catalogs.get_mut(self.current)
    }

    /// Returns the current state of the current catalog, including the what-if.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.current_catalog().map(OpenCatalog::visible_state)
    }

    /// Returns the what-if of the current catalog.
    pub fn what_if(&self) -> Option<&WhatIf> {
        self.current_catalog()?.what_if.as_ref()
    }

    /// Returns the selection.
    pub fn selection(&self) -> &Selection {
        self.current_catalog().map_or(&Selection::EMPTY, |open| &open.selection)
    }

    /// Returns the selected package.
    pub fn selected_package(&self) -> Option<&Arc<PackageState>> {
        self.snapshot()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// Returns the channel of the Upgrades screen: the one chosen there, otherwise the selected
    /// one.
    pub fn subscribed_channel(&self) -> Option<&ChannelName> {
        self.upgrade_query.subscribed.as_ref().or(self.selection().channel.as_ref())
    }

    /// Returns the current place.
    pub fn current_place(&self) -> VisitedPlace {
        VisitedPlace { catalog: self.current, screen: self.screen, selection: self.selection().clone() }
    }

    /// Returns the number of edits that are not on disk, over all catalogs.
    pub fn unsaved_count(&self) -> usize {
        self.open_catalogs.iter().map(|open| open.history.unsaved_count(&open.baseline)).sum()
    }

    /// Returns the first read-only file of a package. `None` if all files can be written.
    pub fn protected_file(&self, package: &PackageName) -> Option<&Path> {
        let catalog = &self.snapshot()?.catalog;
        // Called for many actions in each frame. There are fewer files than documents.
        if catalog.files().iter().all(|file| file.writable) {
            return None;
        }
        let documents = self.snapshot()?.package(package.as_str())?.package().documents();
        let mut files = documents.filter_map(|doc| catalog.file(doc.file));
        files.find(|file| !file.writable).map(|file| file.display_path())
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
