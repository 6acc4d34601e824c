//! The explorer's state. One value; `update` changes it, `ui` draws it, nothing else touches it.

use crate::app::work::Source;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::app::{
    dialogs::state::Overlay,
    keys::{ActionId, Dialog, Key, Keymap, Scope, Screen},
    parts::{
        hit::HitMap,
        list::{ListId, Lists},
        look::Look,
        notice::Notices,
        orders::Orders,
        splits::Splits,
    },
    screens::{graph::view::GraphView, upgrades::rows::UpgradesView},
    session::{
        against::Comparing,
        answers::Derived,
        history::History,
        loading::{returning::Return, waiting::Waiting},
        place::{Place, Selection, Trail},
        recovery::Journaled,
        what_if::WhatIf,
    },
    shell::{mouse::Drag, tour::Tour},
    work::{Base, outcome::LoadProgress},
};
use crate::{
    catalog::{ChannelName, PackageName, lifecycle::Date},
    config::{Clipboard, Problem},
    review::{Judged, Snapshot, expect::Expectations},
    upgrade::v1::Query,
};

/// An open catalog.
#[derive(Clone, Debug)]
pub struct Open {
    /// What it was loaded from.
    pub source: Source,
    /// Its states: now, and what undo and redo lead to.
    pub history: History,
    /// What its files held when they were last read or written.
    pub baseline: Arc<Snapshot>,
    /// What is selected in it.
    pub selection: Selection,
    /// Whether somebody wrote to it since it was last looked at on disk.
    pub(in crate::app) touched: bool,
    /// What its journal was last told of: the state then, and the one on disk.
    pub(in crate::app) journaled: Option<Journaled>,
    /// What it is compared with.
    pub comparing: Comparing,
    /// What is supposed of it, where something is: edits that are looked at and not made.
    pub what_if: Option<WhatIf>,
    /// What its upgrades are expected to do, where a file says so.
    pub expectations: Option<Arc<Expectations>>,
}

impl Open {
    /// The state that is looked at: with what is supposed, where something is.
    pub fn now(&self) -> &Arc<Snapshot> {
        self.what_if.as_ref().map_or(self.history.now(), |what_if| &what_if.state)
    }
}

/// A catalog that could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// What was to be opened.
    pub label: String,
    /// Why it is not.
    pub message: String,
    /// A way out.
    pub hint: Option<String>,
}

/// How far the program is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Catalogs are being read.
    Loading(LoadProgress),
    /// There is something to look at.
    Ready,
    /// Nothing could be opened.
    Failed(Vec<Failed>),
}

/// Work whose outcome will replace or settle the state: nothing is changed until it is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Busy {
    /// Files are being read again.
    Reading,
    /// Files are being written.
    Saving,
    /// One more catalog is being read.
    Opening,
    /// Catalogs are being read for the first time; what is there of them is shown.
    Loading,
}

impl Busy {
    /// Why nothing can be changed until it is done.
    pub(in crate::app) fn reason(self) -> &'static str {
        match self {
            Self::Opening => "a template is being read",
            Self::Reading | Self::Loading => "the files are being read",
            Self::Saving => "the files are being written",
        }
    }
}

/// What the user of the program chose, at its start or since.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Draw with ASCII only.
    pub ascii: bool,
    /// The theme, and what the terminal makes of it.
    pub look: Look,
    /// Why nothing may be changed, where nothing may.
    pub read_only: Option<String>,
    /// The mouse is the terminal's at the start, to select text with.
    pub no_mouse: bool,
    /// How text gets into the clipboard.
    pub clipboard: Option<Clipboard>,
    /// The day it is, for what has ended; `None` where nobody knows.
    pub today: Option<Date>,
    /// The editor to open files in, in place of that of the environment: a command with its arguments.
    pub editor: Option<String>,
    /// Why the terminal cannot be handed to a shell, where it cannot.
    pub no_shell: Option<&'static str>,
    /// Do not look whether other programs write to open catalogs.
    pub no_watch: bool,
    /// The file of upgrade expectations, in place of one beside each catalog.
    pub expectations: Option<PathBuf>,
    /// What every catalog is compared with once one looks at it.
    pub against: Option<Base>,
    /// The tour of the demo to begin with.
    pub tour: Option<Tour>,
    /// What keys do, where the configuration says; else what they do by themselves.
    pub keymap: Option<Arc<Keymap>>,
    /// The configuration, and what is wrong with it.
    pub configuration: Arc<Configuration>,
}

/// The file of the configuration, and what in it does not count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Configuration {
    /// The file; `None` where none is wanted.
    pub path: Option<PathBuf>,
    /// What does not count, in the order of the file.
    pub problems: Vec<Problem>,
}

/// The panes of the Catalog screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pane {
    /// Packages.
    #[default]
    Packages,
    /// Channels of the package.
    Channels,
    /// Entries of the channel.
    Entries,
    /// What is known of the selected thing.
    Details,
}

/// Where the keys go on the Upgrades screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum UpgradesFocus {
    /// The subscribed channel.
    Channel,
    /// Where a fresh installation begins.
    Starting,
    /// The channels v1 may choose from.
    V1Channels,
    /// The version constraint.
    Version,
    /// The policy.
    Policy,
    /// The cluster's version of OpenShift.
    OpenShift,
    /// The rows.
    #[default]
    Table,
    /// The reasons for the selected row.
    Reasons,
}

impl UpgradesFocus {
    /// The fields above the table, in their order.
    pub const FIELDS: [Self; 6] =
        [Self::Channel, Self::Starting, Self::V1Channels, Self::Version, Self::Policy, Self::OpenShift];
}

/// Keys that wait for another one.
#[derive(Debug)]
pub struct Pending {
    /// What was pressed so far.
    pub pressed: Vec<Key>,
    /// What can follow.
    pub following: Vec<(Key, ActionId)>,
}

/// The explorer.
#[derive(Debug)]
pub struct Model {
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// How far the program is.
    pub stage: Stage,
    /// What was asked to be opened.
    pub sources: Vec<Source>,
    /// The open catalogs.
    pub open: Vec<Open>,
    /// The one that is looked at.
    pub current: usize,
    /// The screen that is looked at.
    pub screen: Screen,
    /// Where the keys go on the Catalog screen.
    pub pane: Pane,
    /// Where the keys go on the Upgrades screen.
    pub upgrades_focus: UpgradesFocus,
    /// What v1 is asked for on the Upgrades screen.
    pub query: Query,
    /// The channel Classic is subscribed to on the Upgrades screen, where it is not the selected one.
    pub subscribed: Option<ChannelName>,
    /// How the Upgrades screen shows the table.
    pub upgrades: UpgradesView,
    /// Row of the Problems screen.
    pub problem: usize,
    /// Row of the comparison on the Changes screen.
    pub change: usize,
    /// Whether the Changes screen shows unsaved edits though something is compared.
    pub shows_bytes: bool,
    /// Number of the last request for something to compare with, or for a comparison.
    pub(in crate::app) requests: u64,
    /// Row of the Deprecations screen.
    pub deprecation: usize,
    /// How the Graph screen shows the channel.
    pub graph: GraphView,
    /// What keys do.
    pub keymap: Arc<Keymap>,
    /// The first keys of a sequence.
    pub pending: Option<Pending>,
    /// What lies over the screen; the last is on top and gets the keys.
    pub overlays: Vec<Overlay>,
    /// Scroll positions and filters.
    pub lists: Lists,
    /// How far somebody is in the tour of the demo.
    pub tour: Option<Tour>,
    /// What lists are sorted by.
    pub orders: Orders,
    /// Where one has been.
    pub trail: Trail,
    /// What there is to tell.
    pub notices: Notices,
    /// What was chosen at the start.
    pub settings: Settings,
    /// What follows from the above, kept so that it is not worked out for every frame.
    pub derived: Derived,
    /// Where things are on the last frame.
    pub hits: HitMap,
    /// Whether the mouse is ours.
    pub captures_mouse: bool,
    /// Where the lines between panes are.
    pub splits: Splits,
    /// What the pressed mouse button holds on to.
    pub(in crate::app) dragging: Option<Drag>,
    /// What is being waited for.
    pub busy: Option<Busy>,
    /// Catalogs in which one does not stand yet where one was when olmap was left.
    pub(in crate::app) returning: Vec<Return>,
    /// What one sees and types while something is waited for.
    pub waiting: Waiting,
    /// The package that was last asked to be read before the others.
    pub(in crate::app) wanted: Option<PackageName>,
    /// Number of the last loading request.
    pub generation: u64,
    /// Whether the program is to end.
    pub leaving: bool,
}

impl Model {
    /// The explorer before anything is loaded.
    pub fn new(sources: Vec<Source>, settings: Settings, size: (u16, u16)) -> Self {
        let captures_mouse = !settings.no_mouse;
        Self {
            size,
            stage: Stage::Loading(LoadProgress::default()),
            sources,
            open: Vec::new(),
            current: 0,
            screen: Screen::default(),
            pane: Pane::default(),
            upgrades_focus: UpgradesFocus::default(),
            query: Query::default(),
            subscribed: None,
            upgrades: UpgradesView::default(),
            problem: 0,
            change: 0,
            shows_bytes: false,
            requests: 0,
            deprecation: 0,
            graph: GraphView::default(),
            keymap: settings.keymap.clone().unwrap_or_else(|| Arc::new(crate::app::keymap())),
            pending: None,
            // Whoever configured something wants to know at once what of it does not count.
            overlays: match settings.configuration.problems.len() {
                0 => Vec::new(),
                of => vec![Overlay::Configuration { row: 0, of }],
            },
            lists: Lists::default(),
            tour: settings.tour,
            orders: Orders::default(),
            trail: Trail::default(),
            notices: Notices::default(),
            settings,
            derived: Derived::default(),
            hits: HitMap::default(),
            captures_mouse,
            splits: Splits::default(),
            dragging: None,
            busy: None,
            returning: Vec::new(),
            waiting: Waiting::default(),
            wanted: None,
            generation: 0,
            leaving: false,
        }
    }

    /// The catalog that is looked at.
    pub fn catalog(&self) -> Option<&Open> {
        self.open.get(self.current)
    }

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
        static NOTHING: Selection = Selection { package: None, channel: None, bundle: None };
        self.catalog().map_or(&NOTHING, |open| &open.selection)
    }

    /// The selected package.
    pub fn package(&self) -> Option<&Arc<Judged>> {
        self.snapshot()?.package(self.selection().package.as_ref()?.as_str())
    }

    /// The channel the Upgrades screen is about: the one chosen there, else the selected one.
    pub fn subscribed_channel(&self) -> Option<&ChannelName> {
        self.subscribed.as_ref().or(self.selection().channel.as_ref())
    }

    /// Where one is.
    pub fn place(&self) -> Place {
        Place { catalog: self.current, screen: self.screen, selection: self.selection().clone() }
    }

    /// The list the movement keys move in.
    pub fn focused_list(&self) -> ListId {
        if self.overlays.last().is_some_and(|overlay| !matches!(overlay, Overlay::Filter(_))) {
            return ListId::Overlay;
        }
        self.list_below()
    }

    /// The list that gets the keys once no overlay does.
    pub fn list_below(&self) -> ListId {
        match (self.screen, self.pane, self.upgrades_focus) {
            (Screen::Catalog, Pane::Packages, _) => ListId::Packages,
            (Screen::Catalog, Pane::Channels, _) => ListId::Channels,
            (Screen::Catalog, Pane::Entries, _) => ListId::Entries,
            (Screen::Catalog, Pane::Details, _) => ListId::Details,
            (Screen::Graph, ..) if self.graph.reading => ListId::Details,
            (Screen::Graph, ..) if self.is_side_by_side() => ListId::SideBySide,
            (Screen::Graph, ..) => ListId::Graph,
            (Screen::Upgrades, _, UpgradesFocus::Reasons) => ListId::Reasons,
            (Screen::Upgrades, ..) => ListId::Upgrades,
            (Screen::Problems, ..) => ListId::Problems,
            (Screen::Deprecations, ..) => ListId::Deprecations,
            (Screen::Changes, ..) if self.shows_comparison() => ListId::Differences,
            (Screen::Changes, ..) => ListId::Changes,
        }
    }

    /// Columns and rows that the screens have: the terminal's but for those of the tour.
    pub fn room(&self) -> (u16, u16) {
        (self.size.0, self.size.1.saturating_sub(self.tour_rows()))
    }

    /// Rows that the tour takes, above the hint bar: none before there is something to go through.
    pub fn tour_rows(&self) -> u16 {
        if self.tour.is_some() && self.stage == Stage::Ready { Tour::rows(self.size) } else { 0 }
    }

    /// Whether the keys go to the reasons of the Upgrades screen.
    pub fn is_reading_reasons(&self) -> bool {
        self.upgrades_focus == UpgradesFocus::Reasons
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

    /// Why nothing may be changed, where nothing may.
    pub fn read_only(&self) -> Option<&str> {
        self.settings.read_only.as_deref()
    }
}

impl Model {
    /// The dialog on top, if there is one; palette and help are about what is below them.
    pub fn dialog(&self) -> Option<Dialog> {
        let dialogs = self.overlays.iter().rev().filter(|overlay| !matches!(overlay, Overlay::Commands(_)));
        dialogs.map(Overlay::dialog).next()
    }

    /// The key that does something, as people write it, on the present screen or else where it does. An action without a
    /// key is called by its name, as the palette finds it.
    pub fn key(&self, id: ActionId) -> &str {
        self.keys(id).first().copied().unwrap_or(id.name())
    }

    /// All keys that do something on the present screen or else where it does.
    pub fn keys(&self, id: ActionId) -> Vec<&str> {
        let scopes = [Scope::Screen(self.screen)].into_iter().chain(Scope::all());
        let labels = scopes.map(|scope| self.keymap.labels(scope, id).collect::<Vec<_>>());
        labels.into_iter().find(|labels| !labels.is_empty()).unwrap_or_default()
    }
}
