//! The open catalogs, the selection, and derived state for all screens.
//!
//! A session does not know screens or dialogs. State of a single screen or dialog belongs to it.

pub mod accepting;
pub mod action;
pub mod against;
pub mod answers;
pub mod beside;
pub mod cluster;
pub mod cx;
pub mod editing;
pub mod expecting;
pub mod fetching;
pub mod history;
pub mod inside;
pub mod learning;
pub mod loading;
mod marked;
mod naming;
pub(in crate::app) mod on_cluster;
pub mod open;
pub mod overlooking;
pub mod past;
pub mod place;
pub mod planning;
pub(in crate::app) mod prospects;
pub mod recovery;
pub mod saving;
mod select;
pub mod settings;
pub mod solving;
pub mod spot;
pub mod stuck;
pub mod target;
pub mod what_if;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crate::{
    app::{
        keys::Screen,
        parts::{list::Lists, orders::Orders},
        session::{
            answers::Answers,
            loading::{returning::Return, waiting::Waiting},
            open::{Busy, Open, Stage},
            place::{Pane, Place, Selection, Trail},
            what_if::WhatIf,
        },
        work::{Source, outcome::LoadProgress},
    },
    catalog::{BundleName, ChannelName, PackageName},
    layout, plan,
    review::{Judged, Snapshot},
    upgrade::{openshift::OpenShift, v1::Query},
};

/// Query to both OLM versions, shared by all screens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Question {
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
pub enum Reach {
    /// Bundles that the selected channel names.
    #[default]
    Channel,
    /// Bundles that any channel of the package names, and its other bundles.
    Named,
    /// Bundles that the selected channel names, and all bundles of the package.
    Bundles,
}

/// State shared by all screens.
#[derive(Debug)]
pub struct Session {
    /// Progress of opening.
    pub stage: Stage,
    /// Sources in the order of the command line.
    pub sources: Vec<Source>,
    /// Sources that could not be read, each with the reason.
    pub failed: Vec<(Source, String)>,
    /// The open catalogs.
    pub open: Vec<Open>,
    /// Index of the current catalog.
    pub current: usize,
    /// The visible screen.
    pub screen: Screen,
    /// The focused pane of the Catalog screen.
    pub pane: Pane,
    /// The query to both OLM versions.
    pub question: Question,
    /// Start of the upgrade path to the selected bundle.
    pub mark: Option<(PackageName, BundleName)>,
    /// Scroll positions and filters.
    pub lists: Lists,
    /// Sort orders of lists.
    pub orders: Orders,
    /// Visited places.
    pub trail: Trail,
    /// Cached derived state.
    pub answers: Answers,
    /// Whether the Changes screen shows unsaved edits instead of the comparison.
    pub shows_bytes: bool,
    /// Work in progress that blocks changes.
    pub busy: Option<Busy>,
    /// Progress display and key buffer.
    pub waiting: Waiting,
    /// Number of the last loading request.
    pub generation: u64,
    /// Number of the last request for a base or comparison.
    requests: u64,
    /// Selectable bundles of screens that deviate from the default.
    reaches: BTreeMap<Screen, Reach>,
    /// Catalogs whose saved cursor position is not restored yet.
    returning: Vec<Return>,
    /// Package that was last requested to be read first.
    wanted: Option<PackageName>,
    /// Manifests of the visible bundle.
    directory: inside::Directory,
    learning: learning::Learning,
    /// Progress of fetching bundle images.
    pub fetching: fetching::Fetching,
    /// History of a package and commits that are being read.
    pub looking: past::Looking,
    prospects: prospects::Prospects,
    /// The assumed cluster.
    pub cluster: cluster::Cluster,
    /// Installed operators of a cluster, if the user passed its files.
    pub on_cluster: Option<Arc<plan::cluster::Cluster>>,
    solving: solving::Solving,
    /// The overview of the open catalogs.
    pub overlooking: overlooking::Overlooking,
    /// The upgrade plans over the open catalogs.
    pub planning: planning::Planning,
}

impl Session {
    /// Creates a session before anything is loaded.
    pub fn new(sources: Vec<Source>) -> Self {
        Self {
            stage: Stage::Loading(LoadProgress::default()),
            sources,
            failed: Vec::new(),
            open: Vec::new(),
            current: 0,
            screen: Screen::default(),
            pane: Pane::default(),
            question: Question::default(),
            mark: None,
            lists: Lists::default(),
            orders: Orders::default(),
            trail: Trail::default(),
            answers: Answers::default(),
            shows_bytes: false,
            busy: None,
            waiting: Waiting::default(),
            generation: 0,
            requests: 0,
            reaches: BTreeMap::new(),
            returning: Vec::new(),
            wanted: None,
            directory: inside::Directory::default(),
            learning: learning::Learning::default(),
            fetching: fetching::Fetching::default(),
            looking: past::Looking::default(),
            prospects: prospects::Prospects::default(),
            cluster: cluster::Cluster::default(),
            on_cluster: None,
            solving: solving::Solving::default(),
            overlooking: overlooking::Overlooking::default(),
            planning: planning::Planning::default(),
        }
    }

    /// Sets the bundles that can be selected on a screen.
    pub fn set_reach(&mut self, screen: Screen, reach: Reach) {
        self.reaches.insert(screen, reach);
    }

    /// Forgets which package was requested to be read first.
    pub(in crate::app) fn want_nothing(&mut self) {
        self.wanted = None;
    }

    fn reach(&self) -> Reach {
        // The Bundle screen keeps its bundle, even if other channels have it.
        let usual = if self.screen == Screen::Bundle { Reach::Bundles } else { Reach::default() };
        self.reaches.get(&self.screen).copied().unwrap_or(usual)
    }

    /// Returns the current catalog.
    pub fn catalog(&self) -> Option<&Open> {
        self.open.get(self.current)
    }

    /// Returns the current catalog for changes.
    pub(in crate::app) fn catalog_mut(&mut self) -> Option<&mut Open> {
        self.open.get_mut(self.current)
    }

    /// Returns the current state of the current catalog, including the what-if.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.catalog().map(Open::now)
    }

    /// Returns the what-if of the current catalog.
    pub fn what_if(&self) -> Option<&WhatIf> {
        self.catalog()?.what_if.as_ref()
    }

    /// Returns the selection.
    pub fn selection(&self) -> &Selection {
        self.catalog().map_or(&Selection::NOTHING, |open| &open.selection)
    }

    /// Returns the selected package.
    pub fn package(&self) -> Option<&Arc<Judged>> {
        self.snapshot()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// Returns the channel of the Upgrades screen: the one chosen there, otherwise the selected
    /// one.
    pub fn subscribed_channel(&self) -> Option<&ChannelName> {
        self.question.subscribed.as_ref().or(self.selection().channel.as_ref())
    }

    /// Returns the current place.
    pub fn place(&self) -> Place {
        Place { catalog: self.current, screen: self.screen, selection: self.selection().clone() }
    }

    /// Returns the number of edits that are not on disk, over all catalogs.
    pub fn unsaved(&self) -> usize {
        self.open.iter().map(|open| open.history.unsaved(&open.baseline)).sum()
    }

    /// Returns a read-only file of a package.
    pub fn protected_file(&self, package: &PackageName) -> Option<&Path> {
        let catalog = &self.snapshot()?.catalog;
        // Called for many actions in each frame. There are fewer files than documents.
        if catalog.files().iter().all(|file| file.writable) {
            return None;
        }
        let documents = self.snapshot()?.package(package.as_str())?.package().documents();
        let mut files = documents.filter_map(|doc| catalog.file(doc.file));
        files.find(|file| !file.writable).map(|file| file.shown())
    }

    /// Returns the possible values of `startingCSV`: the entries of the subscribed channel, newest
    /// first.
    pub(in crate::app) fn starting_csvs(&self) -> Vec<BundleName> {
        let graph = self.package().zip(self.subscribed_channel());
        let Some(channel) = graph.and_then(|(package, name)| package.graph.channel(name.as_str())) else {
            return Vec::new();
        };
        let order = layout::order(&channel.graph);
        let entries = order.into_iter().filter_map(|at| channel.graph.node(at));
        entries.filter(|node| node.entry.is_some()).map(|node| node.name.clone()).collect()
    }
}
