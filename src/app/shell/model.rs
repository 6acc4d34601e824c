//! The explorer's state. One value; `update` changes it, `ui` draws it, nothing else touches it.

use std::sync::Arc;

use crate::app::{
    dialogs::{self, Overlay, configuration::ConfigurationProblems},
    keys::{ActionId, Dialog, Keymap, Screen, keymap::Pending, spec::ActionSpec},
    parts::{frame::Frame, list::ListId, notice::Notices},
    screens::{
        graph::view::GraphView,
        upgrades::rows::{UpgradesFocus, UpgradesView},
    },
    session::{
        Reach, Session,
        cx::{Cx, See, key},
        open::Stage,
        place::Pane,
        settings::Settings,
    },
    shell::{derived::Derived, flow, table::permitted, tour::Tour},
    work::{Effect, Flow, Opening, Source},
};

/// The explorer.
#[derive(Debug)]
pub struct Model {
    /// The open catalogs, what is selected and asked of them.
    pub session: Session,
    /// Where the keys go on the Upgrades screen.
    pub upgrades_focus: UpgradesFocus,
    /// How the Upgrades screen shows the table.
    pub upgrades: UpgradesView,
    /// Row of the Problems screen.
    pub problem: usize,
    /// Row of the comparison on the Changes screen.
    pub change: usize,
    /// Row of the Deprecations screen.
    pub deprecation: usize,
    /// How the Graph screen shows the channel.
    pub graph: GraphView,
    /// What follows from the above, kept so that it is not worked out for every frame.
    pub derived: Derived,
    /// What lies over the screen; the last is on top and gets the keys.
    pub overlays: Vec<Overlay>,
    /// The last frame.
    pub frame: Frame,
    /// What keys do.
    pub keymap: Arc<Keymap>,
    /// The first keys of a sequence.
    pub pending: Option<Pending>,
    /// What there is to tell.
    pub notices: Notices,
    /// What was chosen at the start, or since.
    pub settings: Settings,
    /// How far somebody is in the tour of the demo.
    pub tour: Option<Tour>,
    /// Whether the program is to end.
    pub leaving: bool,
}

impl Model {
    /// The explorer before anything is loaded.
    pub fn new(sources: Vec<Source>, settings: Settings, size: (u16, u16)) -> Self {
        let mut session = Session::new(sources);
        session.set_reach(Screen::Upgrades, Reach::Bundles);
        Self {
            session,
            upgrades_focus: UpgradesFocus::default(),
            upgrades: UpgradesView::default(),
            problem: 0,
            change: 0,
            deprecation: 0,
            graph: GraphView::default(),
            derived: Derived::default(),
            // Whoever configured something wants to know at once what of it does not count.
            overlays: match settings.configuration.problems.len() {
                0 => Vec::new(),
                _ => vec![Overlay::Configuration(ConfigurationProblems::new(&settings))],
            },
            frame: Frame { size, captures_mouse: !settings.no_mouse, ..Frame::default() },
            keymap: settings.keymap.clone().unwrap_or_else(|| Arc::new(crate::app::shell::table::keymap())),
            pending: None,
            notices: Notices::default(),
            tour: settings.tour.then(Tour::default),
            settings,
            leaving: false,
        }
    }

    /// What a screen, a dialog or an action may see.
    pub fn see(&self) -> See<'_> {
        See {
            session: &self.session,
            settings: &self.settings,
            keys: &self.keymap,
            frame: &self.frame,
            notices: &self.notices,
        }
    }

    /// Lets something touch what is everybody's, and carries out what it wants then.
    pub(in crate::app) fn with(&mut self, act: impl FnOnce(&mut Cx<'_>)) -> Vec<Effect> {
        let mut then: Vec<Flow> = Vec::new();
        act(&mut Cx {
            session: &mut self.session,
            notices: &mut self.notices,
            settings: &self.settings,
            keys: &self.keymap,
            frame: &self.frame,
            then: &mut then,
        });
        flow::carry_out(self, then)
    }

    /// Opens a dialog over what is there.
    pub(in crate::app) fn open(&mut self, opening: Opening) {
        let allowed = |spec: &ActionSpec| permitted(self, spec).is_ok();
        let dialog = dialogs::opened(opening, &self.see(), &allowed);
        self.overlays.extend(dialog);
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
        match (self.session.screen, self.session.pane, self.upgrades_focus) {
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
            (Screen::Changes, ..) if self.session.shows_comparison() => ListId::Differences,
            (Screen::Changes, ..) => ListId::Changes,
        }
    }

    /// Rows that the tour takes, above the hint bar: none before there is something to go through.
    pub(in crate::app) fn tour_rows(&self) -> u16 {
        let shows = self.tour.is_some() && self.session.stage == Stage::Ready;
        if shows { Tour::rows(self.frame.size) } else { 0 }
    }

    /// Whether the keys go to the reasons of the Upgrades screen.
    pub fn is_reading_reasons(&self) -> bool {
        self.upgrades_focus == UpgradesFocus::Reasons
    }

    /// Why nothing may be changed, where nothing may.
    pub fn read_only(&self) -> Option<&str> {
        self.settings.read_only.as_deref()
    }

    /// The dialog on top, if there is one; palette and help are about what is below them.
    pub fn dialog(&self) -> Option<Dialog> {
        let dialogs = self.overlays.iter().rev().filter(|overlay| !matches!(overlay, Overlay::Commands(_)));
        dialogs.map(|overlay| overlay.state().id()).next()
    }

    /// See [`See::key`].
    pub fn key(&self, id: ActionId) -> &str {
        key(&self.keymap, self.session.screen, id)
    }
}
