//! State of the explorer. Only `update` changes it, and only `ui` draws it.

use std::sync::Arc;

use super::{flow, table, tour::Tour};
use crate::app::{
    dialogs::{self, OpenDialog},
    keys::{ActionId, Dialog, Keymap, Screen, keymap::Pending},
    parts::{frame::Frame, list::ListId, notice::Notices},
    screens::{ScreenState, Screens},
    session::{
        Reach, Session,
        cx::{Cx, See, key},
        on_cluster,
        open::Stage,
        settings::Settings,
    },
    work::{Effect, Flow, Opening, Source},
};

/// Keymap and pending keys.
#[derive(Debug)]
pub struct Keys {
    /// The keymap.
    pub map: Arc<Keymap>,
    /// The first keys of a sequence.
    pub pending: Option<Pending>,
}

/// State of the explorer.
#[derive(Debug)]
pub struct Model {
    /// The open catalogs and the selection.
    pub session: Session,
    /// The screens, one of which is visible.
    pub screens: Screens,
    /// The stack of open dialogs. The last one is on top and gets the keys.
    pub dialogs: Vec<OpenDialog>,
    /// The last frame.
    pub frame: Frame,
    /// Keymap and pending keys.
    pub keys: Keys,
    /// The notices.
    pub notices: Notices,
    /// Settings of the user.
    pub settings: Settings,
    /// Progress of the tour, if it is active.
    pub tour: Option<Tour>,
    /// True once the program is about to quit.
    pub leaving: bool,
}

/// Separate mutable parts of the model.
pub(super) struct Parts<'a> {
    /// The screens.
    pub screens: &'a mut Screens,
    /// The dialogs.
    pub dialogs: &'a mut Vec<OpenDialog>,
    /// The context of all other state.
    pub cx: Cx<'a>,
}

impl Model {
    /// Creates the model before anything is loaded.
    pub fn new(sources: Vec<Source>, settings: Settings, size: (u16, u16)) -> Self {
        let mut session = Session::new(sources);
        session.set_reach(Screen::Upgrades, Reach::Bundles);
        session.on_cluster.clone_from(&settings.cluster);
        session.question.openshift = settings.cluster.as_ref().and_then(|cluster| cluster.openshift());
        let keymap = settings.keymap.clone().unwrap_or_else(|| Arc::new(table::keymap()));
        let mut model = Self {
            session,
            screens: Screens::default(),
            dialogs: Vec::new(),
            frame: Frame { size, captures_mouse: !settings.no_mouse, ..Frame::default() },
            keys: Keys { map: keymap, pending: None },
            notices: Notices::default(),
            tour: settings.tour.then(Tour::default),
            settings,
            leaving: false,
        };
        if let Some(greeting) = model.settings.greeting.clone() {
            model.notices.done(greeting);
        }
        if let Some(cluster) = model.settings.cluster.clone() {
            let key = key(&model.keys.map, model.session.screen, ActionId::AssumeCluster).to_owned();
            model.notices.done(on_cluster::greeting(&cluster, &key));
        }
        // The user should see at once which settings are ignored.
        if !model.settings.configuration.problems.is_empty() {
            model.open(Opening::Configuration);
        }
        model
    }

    /// Returns the read-only context.
    pub fn see(&self) -> See<'_> {
        See {
            session: &self.session,
            settings: &self.settings,
            keys: &self.keys.map,
            frame: &self.frame,
            notices: &self.notices,
        }
    }

    /// Splits the model into screens, dialogs and a context.
    pub(super) fn parts<'a>(&'a mut self, then: &'a mut Vec<Flow>) -> Parts<'a> {
        Parts {
            screens: &mut self.screens,
            dialogs: &mut self.dialogs,
            cx: Cx {
                session: &mut self.session,
                notices: &mut self.notices,
                settings: &self.settings,
                keys: &self.keys.map,
                frame: &self.frame,
                then,
            },
        }
    }

    /// Returns the visible screen.
    pub fn shown(&self) -> &dyn ScreenState {
        self.screens.shown(self.session.screen)
    }

    /// Calls a function with the visible screen and a context, and executes the resulting commands.
    pub(in crate::app) fn with_screen<R>(
        &mut self,
        act: impl FnOnce(&mut dyn ScreenState, &mut Cx<'_>) -> R,
    ) -> (R, Vec<Effect>) {
        let mut then = Vec::new();
        let Parts { screens, mut cx, .. } = self.parts(&mut then);
        let result = act(screens.shown_mut(cx.session.screen), &mut cx);
        (result, flow::carry_out(self, then))
    }

    /// Calls a function with a context, and executes the resulting commands.
    pub(in crate::app) fn with(&mut self, act: impl FnOnce(&mut Cx<'_>)) -> Vec<Effect> {
        self.with_screen(|_, cx| act(cx)).1
    }

    /// Recomputes derived state of the session and the visible screen; cheap if nothing changed.
    pub(in crate::app) fn derive(&mut self) {
        self.session.derive();
        let mut then = Vec::new();
        let Parts { screens, cx, .. } = self.parts(&mut then);
        screens.shown_mut(cx.session.screen).settle(&cx.see());
    }

    /// Opens a dialog on top of the others.
    pub(in crate::app) fn open(&mut self, opening: Opening) {
        let is_allowed = |spec: &_| table::permitted(self, spec).is_ok();
        if let Some(dialog) = dialogs::opened(opening, &self.see(), &is_allowed) {
            self.dialogs.push(dialog);
            self.session.lists.set_first(self.dialog_list(), 0);
            self.session.lists.set_first(ListId::Preview, 0);
        }
    }

    /// Returns the list of the top dialog.
    pub(in crate::app) fn dialog_list(&self) -> ListId {
        ListId::Dialog(self.dialogs.len().saturating_sub(1))
    }

    /// Returns the list that the movement keys move in.
    pub fn focused_list(&self) -> ListId {
        if self.dialogs.last().is_some_and(|dialog| !matches!(dialog, OpenDialog::Filter(_))) {
            return self.dialog_list();
        }
        self.list_below()
    }

    /// Returns the focused list of the visible screen.
    pub fn list_below(&self) -> ListId {
        self.shown().list(&self.see())
    }

    /// Returns the number of rows for the tour above the hint bar. 0 before a catalog is loaded.
    pub(in crate::app) fn tour_rows(&self) -> u16 {
        let shows = self.tour.is_some() && self.session.stage == Stage::Ready;
        if shows { Tour::rows(self.frame.size) } else { 0 }
    }

    /// Returns the reason why nothing may be changed. `None` if changes are allowed.
    pub fn read_only(&self) -> Option<&str> {
        self.settings.read_only.as_deref()
    }

    /// Returns the top dialog. Palette and help are skipped, because they describe the dialog
    /// below.
    pub fn dialog(&self) -> Option<Dialog> {
        let dialogs = self.dialogs.iter().rev().filter(|dialog| !matches!(dialog, OpenDialog::Commands(_)));
        dialogs.map(|dialog| dialog.state().id()).next()
    }

    /// See [`See::key`].
    pub fn key(&self, id: ActionId) -> &str {
        key(&self.keys.map, self.session.screen, id)
    }
}
