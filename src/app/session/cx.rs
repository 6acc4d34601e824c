//! Contexts of screens, dialogs and actions.

use std::sync::Arc;

use crate::{
    app::{
        keys::{ActionId, Keymap, Scope, Screen},
        parts::{frame::Frame, notice::Notices},
        session::{Session, settings::Settings},
        work::{
            Effect, Opening,
            flow::{Answer, Flow, Jump, Reply},
            opening::Purpose,
            preview::Outcome,
        },
    },
    edit::Edit,
};

/// Read-only context.
#[derive(Clone, Copy, Debug)]
pub struct See<'a> {
    /// The open catalogs and the selection.
    pub session: &'a Session,
    /// Settings of the user.
    pub settings: &'a Settings,
    /// The keymap.
    pub keys: &'a Keymap,
    /// The last frame.
    pub frame: &'a Frame,
    /// The notices.
    pub notices: &'a Notices,
}

/// Mutable context. Commands are collected as data for the shell.
#[derive(Debug)]
pub struct Cx<'a> {
    /// The open catalogs and the selection.
    pub session: &'a mut Session,
    /// The notices.
    pub notices: &'a mut Notices,
    /// Settings of the user.
    pub settings: &'a Settings,
    /// The keymap.
    pub keys: &'a Keymap,
    /// The last frame.
    pub frame: &'a Frame,
    /// The collected commands.
    pub then: &'a mut Vec<Flow>,
}

impl See<'_> {
    /// Returns the label of an action's key, on the current screen or else on any other. Returns
    /// the action's name if it has no key.
    pub fn key(&self, id: ActionId) -> &str {
        key(self.keys, self.session.screen, id)
    }
}

/// See [`See::key`].
pub fn key(keymap: &Keymap, screen: Screen, id: ActionId) -> &str {
    keys(keymap, screen, id).first().copied().unwrap_or(id.name())
}

/// Returns the labels of all keys of an action, on a screen or else on any other.
pub fn keys(keymap: &Keymap, screen: Screen, id: ActionId) -> Vec<&str> {
    let scopes = [Scope::Screen(screen)].into_iter().chain(Scope::all());
    let labels = scopes.map(|scope| keymap.labels(scope, id).collect::<Vec<_>>());
    labels.into_iter().find(|labels| !labels.is_empty()).unwrap_or_default()
}

impl Cx<'_> {
    /// Returns the read-only context.
    pub fn see(&self) -> See<'_> {
        See {
            session: self.session,
            settings: self.settings,
            keys: self.keys,
            frame: self.frame,
            notices: self.notices,
        }
    }

    /// See [`See::key`].
    pub fn key(&self, id: ActionId) -> &str {
        key(self.keys, self.session.screen, id)
    }

    /// Requests an effect.
    pub fn ask(&mut self, effect: Effect) {
        self.then.push(Flow::Do(effect));
    }

    /// Requests a dialog.
    pub fn open(&mut self, opening: Opening) {
        self.then.push(Flow::Open(opening));
    }

    /// Requests navigation.
    pub fn go(&mut self, jump: Jump) {
        self.then.push(Flow::Go(jump));
    }

    /// Shows the preview of an edit that olmap suggests. Reports the reason instead if the edit
    /// adds a finding or cannot be applied.
    pub fn offer(&mut self, title: &str, edit: Edit) {
        match self.session.preview(edit) {
            Ok(outcome) => match outcome.brings() {
                None => self.open(Opening::Offered { title: title.to_owned(), outcome }),
                Some(new) => {
                    let words = format!("{title}: that would add {}: {}", new.rule.id, new.message);
                    self.notices.refused(words);
                }
            },
            Err(reason) => self.notices.refused(reason),
        }
    }

    /// Requests an action as its key would.
    pub fn perform(&mut self, id: ActionId) {
        self.then.push(Flow::Run(id));
    }

    /// Requests going back to the previous place. Returns false if there is none.
    pub fn place_back(&mut self) -> bool {
        let has_place = self.session.trail.has_back();
        if has_place {
            self.perform(ActionId::PlaceBack);
        }
        has_place
    }

    /// Requests to apply the result of an edit, or to add it to the what-if.
    pub fn keep(&mut self, purpose: Purpose, outcome: Arc<Outcome>) {
        self.then.push(Flow::Keep(purpose, outcome));
    }

    /// Like [`Cx::keep`], and selects a channel that the edit adds.
    pub fn keep_and_show(&mut self, purpose: Purpose, outcome: &Arc<Outcome>) {
        self.keep(purpose, Arc::clone(outcome));
        if let Edit::AddChannel { channel, .. } = &outcome.edit {
            self.then.push(Flow::SelectChannel(channel.clone()));
        }
    }

    /// Sends an event to the visible screen.
    pub fn answer(&mut self, answer: Answer) {
        self.then.push(Flow::Answer(answer));
    }

    /// Sends a reply to the dialog below, once this one is closed.
    pub fn reply(&mut self, reply: Reply) {
        self.then.push(Flow::Reply(reply));
    }
}
