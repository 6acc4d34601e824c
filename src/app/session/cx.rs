//! What a screen, a dialog or an action may touch, and what it may see.

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

/// What may be seen.
#[derive(Clone, Copy, Debug)]
pub struct See<'a> {
    /// The open catalogs and what is asked of them.
    pub session: &'a Session,
    /// What the user chose.
    pub settings: &'a Settings,
    /// What keys do.
    pub keys: &'a Keymap,
    /// The last frame.
    pub frame: &'a Frame,
    /// What there is to tell.
    pub notices: &'a Notices,
}

/// What may be touched. What is wanted of others comes after: it is data, carried out by the shell.
#[derive(Debug)]
pub struct Cx<'a> {
    /// The open catalogs and what is asked of them.
    pub session: &'a mut Session,
    /// What there is to tell.
    pub notices: &'a mut Notices,
    /// What the user chose.
    pub settings: &'a Settings,
    /// What keys do.
    pub keys: &'a Keymap,
    /// The last frame.
    pub frame: &'a Frame,
    /// What is wanted.
    pub then: &'a mut Vec<Flow>,
}

impl See<'_> {
    /// The key that does something, as people write it, on the present screen or else where it does. An action without a
    /// key is called by its name, as the palette finds it.
    pub fn key(&self, id: ActionId) -> &str {
        key(self.keys, self.session.screen, id)
    }
}

/// See [`See::key`].
pub fn key(keymap: &Keymap, screen: Screen, id: ActionId) -> &str {
    keys(keymap, screen, id).first().copied().unwrap_or(id.name())
}

/// All keys that do something on a screen or else where it does.
pub fn keys(keymap: &Keymap, screen: Screen, id: ActionId) -> Vec<&str> {
    let scopes = [Scope::Screen(screen)].into_iter().chain(Scope::all());
    let labels = scopes.map(|scope| keymap.labels(scope, id).collect::<Vec<_>>());
    labels.into_iter().find(|labels| !labels.is_empty()).unwrap_or_default()
}

impl Cx<'_> {
    /// The same to look at.
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

    /// Asks the world for something.
    pub fn ask(&mut self, effect: Effect) {
        self.then.push(Flow::Do(effect));
    }

    /// Wants a dialog.
    pub fn open(&mut self, opening: Opening) {
        self.then.push(Flow::Open(opening));
    }

    /// Wants to go somewhere.
    pub fn go(&mut self, jump: Jump) {
        self.then.push(Flow::Go(jump));
    }

    /// Shows what an edit that olmap offers leads to; says why not where it would bring a finding, or cannot be made.
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

    /// Wants an action to be done, as its key would.
    pub fn perform(&mut self, id: ActionId) {
        self.then.push(Flow::Run(id));
    }

    /// Wants to go back to where one came from; whether there is such a place.
    pub fn place_back(&mut self) -> bool {
        let has_place = self.session.trail.has_back();
        if has_place {
            self.perform(ActionId::PlaceBack);
        }
        has_place
    }

    /// Wants what an edit leads to as the present state, or supposed.
    pub fn keep(&mut self, purpose: Purpose, outcome: Arc<Outcome>) {
        self.then.push(Flow::Keep(purpose, outcome));
    }

    /// The same; a channel that is new by it is selected.
    pub fn keep_and_show(&mut self, purpose: Purpose, outcome: &Arc<Outcome>) {
        self.keep(purpose, Arc::clone(outcome));
        if let Edit::AddChannel { channel, .. } = &outcome.edit {
            self.then.push(Flow::SelectChannel(channel.clone()));
        }
    }

    /// Tells the shown screen something.
    pub fn answer(&mut self, answer: Answer) {
        self.then.push(Flow::Answer(answer));
    }

    /// Tells the dialog below this one something, once this one is closed.
    pub fn reply(&mut self, reply: Reply) {
        self.then.push(Flow::Reply(reply));
    }
}
