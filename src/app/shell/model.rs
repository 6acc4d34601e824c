//! The explorer's state. One value; `update` changes it, `ui` draws it, nothing else touches it.

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

/// What keys do, and those that wait for another one.
#[derive(Debug)]
pub struct Keys {
    /// What keys do.
    pub map: Arc<Keymap>,
    /// The first keys of a sequence.
    pub pending: Option<Pending>,
}

/// The explorer.
#[derive(Debug)]
pub struct Model {
    /// The open catalogs, what is selected and asked of them.
    pub session: Session,
    /// The screens; one of them is shown.
    pub screens: Screens,
    /// The dialogs that are open, one over the other; the last is on top and gets the keys.
    pub dialogs: Vec<OpenDialog>,
    /// The last frame.
    pub frame: Frame,
    /// What keys do.
    pub keys: Keys,
    /// What there is to tell.
    pub notices: Notices,
    /// What was chosen at the start, or since.
    pub settings: Settings,
    /// How far somebody is in the tour of the demo.
    pub tour: Option<Tour>,
    /// Whether the program is to end.
    pub leaving: bool,
}

/// The explorer taken apart: who acts, and what may be touched by that.
pub(super) struct Parts<'a> {
    /// The screens.
    pub screens: &'a mut Screens,
    /// The dialogs.
    pub dialogs: &'a mut Vec<OpenDialog>,
    /// What is everybody's.
    pub cx: Cx<'a>,
}

impl Model {
    /// The explorer before anything is loaded.
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
        // Whoever configured something wants to know at once what of it does not count.
        if !model.settings.configuration.problems.is_empty() {
            model.open(Opening::Configuration);
        }
        model
    }

    /// What a screen, a dialog or an action may see.
    pub fn see(&self) -> See<'_> {
        See {
            session: &self.session,
            settings: &self.settings,
            keys: &self.keys.map,
            frame: &self.frame,
            notices: &self.notices,
        }
    }

    /// The screens and dialogs, and beside them what they may touch.
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

    /// The screen that is shown.
    pub fn shown(&self) -> &dyn ScreenState {
        self.screens.shown(self.session.screen)
    }

    /// Lets something touch what is everybody's, and the shown screen; carries out what it wants then.
    pub(in crate::app) fn with_screen<R>(
        &mut self,
        act: impl FnOnce(&mut dyn ScreenState, &mut Cx<'_>) -> R,
    ) -> (R, Vec<Effect>) {
        let mut then = Vec::new();
        let Parts { screens, mut cx, .. } = self.parts(&mut then);
        let result = act(screens.shown_mut(cx.session.screen), &mut cx);
        (result, flow::carry_out(self, then))
    }

    /// Lets something touch what is everybody's, and carries out what it wants then.
    pub(in crate::app) fn with(&mut self, act: impl FnOnce(&mut Cx<'_>)) -> Vec<Effect> {
        self.with_screen(|_, cx| act(cx)).1
    }

    /// Makes what follows true again, for every screen and for the one that is shown. Cheap where nothing changed.
    pub(in crate::app) fn derive(&mut self) {
        self.session.derive();
        let mut then = Vec::new();
        let Parts { screens, cx, .. } = self.parts(&mut then);
        screens.shown_mut(cx.session.screen).settle(&cx.see());
    }

    /// Opens a dialog over what is there.
    pub(in crate::app) fn open(&mut self, opening: Opening) {
        let is_allowed = |spec: &_| table::permitted(self, spec).is_ok();
        if let Some(dialog) = dialogs::opened(opening, &self.see(), &is_allowed) {
            self.dialogs.push(dialog);
            self.session.lists.set_first(self.dialog_list(), 0);
            self.session.lists.set_first(ListId::Preview, 0);
        }
    }

    /// The rows of the dialog on top.
    pub(in crate::app) fn dialog_list(&self) -> ListId {
        ListId::Dialog(self.dialogs.len().saturating_sub(1))
    }

    /// The list the movement keys move in.
    pub fn focused_list(&self) -> ListId {
        if self.dialogs.last().is_some_and(|dialog| !matches!(dialog, OpenDialog::Filter(_))) {
            return self.dialog_list();
        }
        self.list_below()
    }

    /// The list that gets the keys once no dialog does.
    pub fn list_below(&self) -> ListId {
        self.shown().list(&self.see())
    }

    /// Rows that the tour takes, above the hint bar: none before there is something to go through.
    pub(in crate::app) fn tour_rows(&self) -> u16 {
        let shows = self.tour.is_some() && self.session.stage == Stage::Ready;
        if shows { Tour::rows(self.frame.size) } else { 0 }
    }

    /// Why nothing may be changed, where nothing may.
    pub fn read_only(&self) -> Option<&str> {
        self.settings.read_only.as_deref()
    }

    /// The dialog on top, if there is one; palette and help are about what is below them.
    pub fn dialog(&self) -> Option<Dialog> {
        let dialogs = self.dialogs.iter().rev().filter(|dialog| !matches!(dialog, OpenDialog::Commands(_)));
        dialogs.map(|dialog| dialog.state().id()).next()
    }

    /// See [`See::key`].
    pub fn key(&self, id: ActionId) -> &str {
        key(&self.keys.map, self.session.screen, id)
    }
}
