//! The open catalogs, what is selected and asked of them, and what follows from that for every screen.
//!
//! A session knows no screen and no dialog: what only one of them shows or keeps is theirs.

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

/// What both OLMs are asked, on every screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Question {
    /// What v1 is asked for.
    pub query: Query,
    /// The channel Classic is subscribed to, where it is not the selected one.
    pub subscribed: Option<ChannelName>,
    /// Where a fresh installation under Classic begins; `None`: at the head.
    pub starting: Option<BundleName>,
    /// The cluster's version of OpenShift, where that is asked about.
    pub openshift: Option<OpenShift>,
}

/// Which bundles can be selected on a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reach {
    /// Those that the selected channel names.
    #[default]
    Channel,
    /// Those that any channel of the package names, and its other bundles.
    Named,
    /// Those that the selected channel names, and every bundle of the package.
    Bundles,
}

/// See the module.
#[derive(Debug)]
pub struct Session {
    /// How far opening is.
    pub stage: Stage,
    /// What was asked to be opened.
    pub sources: Vec<Source>,
    /// Those of them that could not be read, and why.
    pub failed: Vec<(Source, String)>,
    /// The open catalogs.
    pub open: Vec<Open>,
    /// The one that is looked at.
    pub current: usize,
    /// The screen that is looked at.
    pub screen: Screen,
    /// The pane of the Catalog screen that has the keys.
    pub pane: Pane,
    /// What both OLMs are asked.
    pub question: Question,
    /// The bundle from which the path to the selected one is shown.
    pub mark: Option<(PackageName, BundleName)>,
    /// Scroll positions and filters.
    pub lists: Lists,
    /// What lists are sorted by.
    pub orders: Orders,
    /// Where one has been.
    pub trail: Trail,
    /// What follows from the above, kept so that it is not worked out for every frame.
    pub answers: Answers,
    /// Whether unsaved edits are shown though something is compared.
    pub shows_bytes: bool,
    /// What is being waited for.
    pub busy: Option<Busy>,
    /// What one sees and types while something is waited for.
    pub waiting: Waiting,
    /// Number of the last loading request.
    pub generation: u64,
    /// Number of the last request for something to compare with, or for a comparison.
    requests: u64,
    /// Which bundles can be selected on each screen, where that is not what is usual.
    reaches: BTreeMap<Screen, Reach>,
    /// Catalogs in which one does not stand yet where one was when olmap was left.
    returning: Vec<Return>,
    /// The package that was last asked to be read before the others.
    wanted: Option<PackageName>,
    /// The directory of the bundle that is shown.
    directory: inside::Directory,
    learning: learning::Learning,
    /// The images of bundles that are fetched.
    pub fetching: fetching::Fetching,
    /// What is known of the past, and what is being read of it.
    pub looking: past::Looking,
    prospects: prospects::Prospects,
    /// The cluster that is assumed.
    pub cluster: cluster::Cluster,
    /// What a cluster has installed, where files of one were given.
    pub on_cluster: Option<Arc<plan::cluster::Cluster>>,
    solving: solving::Solving,
    /// The overview over the open catalogs.
    pub overlooking: overlooking::Overlooking,
    /// The plans over the open catalogs.
    pub planning: planning::Planning,
}

impl Session {
    /// A session before anything is loaded.
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

    /// Says which bundles can be selected on a screen.
    pub fn set_reach(&mut self, screen: Screen, reach: Reach) {
        self.reaches.insert(screen, reach);
    }

    /// Forgets which package was asked to be read before the others.
    pub(in crate::app) fn want_nothing(&mut self) {
        self.wanted = None;
    }

    fn reach(&self) -> Reach {
        // What is looked into stays, whichever channels have it.
        let usual = if self.screen == Screen::Bundle { Reach::Bundles } else { Reach::default() };
        self.reaches.get(&self.screen).copied().unwrap_or(usual)
    }

    /// The catalog that is looked at.
    pub fn catalog(&self) -> Option<&Open> {
        self.open.get(self.current)
    }

    /// The same, to be changed.
    pub(in crate::app) fn catalog_mut(&mut self) -> Option<&mut Open> {
        self.open.get_mut(self.current)
    }

    /// The present state of the catalog that is looked at, with what is supposed of it.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.catalog().map(Open::now)
    }

    /// What is supposed of the catalog that is looked at.
    pub fn what_if(&self) -> Option<&WhatIf> {
        self.catalog()?.what_if.as_ref()
    }

    /// What is selected.
    pub fn selection(&self) -> &Selection {
        self.catalog().map_or(&Selection::NOTHING, |open| &open.selection)
    }

    /// The selected package.
    pub fn package(&self) -> Option<&Arc<Judged>> {
        self.snapshot()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// The channel the Upgrades screen is about: the one chosen there, else the selected one.
    pub fn subscribed_channel(&self) -> Option<&ChannelName> {
        self.question.subscribed.as_ref().or(self.selection().channel.as_ref())
    }

    /// Where one is.
    pub fn place(&self) -> Place {
        Place { catalog: self.current, screen: self.screen, selection: self.selection().clone() }
    }

    /// How many edits of a catalog are not on disk.
    pub fn unsaved(&self) -> usize {
        self.open.iter().map(|open| open.history.unsaved(&open.baseline)).sum()
    }

    /// A file of a package that may not be written.
    pub fn protected_file(&self, package: &PackageName) -> Option<&Path> {
        let catalog = &self.snapshot()?.catalog;
        // Asked of many actions for each frame: few files are cheaper to ask than many documents.
        if catalog.files().iter().all(|file| file.writable) {
            return None;
        }
        let documents = self.snapshot()?.package(package.as_str())?.package().documents();
        let mut files = documents.filter_map(|doc| catalog.file(doc.file));
        files.find(|file| !file.writable).map(|file| file.shown())
    }

    /// What `startingCSV` may name: the entries of the subscribed channel, newest first.
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
