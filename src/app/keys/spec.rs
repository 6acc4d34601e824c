//! An action with everything that is to be said of it.

use crate::app::{
    actions as run,
    keys::{ActionId, Dialog, Scope, Screen},
    session::model::Model,
    work::msg::Effect,
};

/// Where an action makes sense.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// Everywhere.
    Everywhere,
    /// On some screens.
    On(&'static [Screen]),
    /// In some dialogs, and nowhere else.
    In(&'static [Dialog]),
}

/// How an action is done.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// By this.
    By(fn(&mut Model) -> Vec<Effect>),
    /// By the dialog that is open.
    Dialog,
}

/// Why an action cannot be done now.
pub type Reason = String;

/// Whether something can be done now, or why not.
pub type Enabled = Result<(), Reason>;

/// An action with everything that is to be said of it.
#[derive(Debug)]
pub struct ActionSpec {
    /// Its name.
    pub id: ActionId,
    /// What hint bar and palette call it.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub doc: &'static str,
    /// Where it makes sense.
    pub context: Context,
    /// Its keys unless the configuration gives it others. A sequence is written with blanks: `o s`. What is shown is asked
    /// of the [`Keymap`](crate::app::Keymap).
    pub default_keys: &'static [&'static str],
    /// Whether the hint bar of its context shows it.
    pub hint: bool,
    /// Whether it changes a catalog or a file; then read-only mode refuses it.
    pub mutates: bool,
    /// Whether it can be done now, and if not, why.
    pub enabled: fn(&Model) -> Result<(), Reason>,
    /// Does it.
    pub run: Run,
}

pub(in crate::app) const fn spec(
    id: ActionId,
    context: Context,
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
    run: fn(&mut Model) -> Vec<Effect>,
) -> ActionSpec {
    ActionSpec {
        id,
        title,
        doc,
        context,
        default_keys: keys,
        hint: false,
        mutates: false,
        enabled: run::always,
        run: Run::By(run),
    }
}

pub(in crate::app) const fn in_dialogs(
    id: ActionId,
    dialogs: &'static [Dialog],
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
) -> ActionSpec {
    ActionSpec {
        id,
        title,
        doc,
        context: Context::In(dialogs),
        default_keys: keys,
        hint: false,
        mutates: false,
        enabled: run::always,
        run: Run::Dialog,
    }
}

impl ActionSpec {
    pub(in crate::app) const fn hinted(mut self) -> Self {
        self.hint = true;
        self
    }

    pub(in crate::app) const fn mutating(mut self) -> Self {
        self.mutates = true;
        self
    }

    pub(in crate::app) const fn when(mut self, enabled: fn(&Model) -> Result<(), Reason>) -> Self {
        self.enabled = enabled;
        self
    }

    /// Whether it makes sense on a screen or in a dialog.
    pub fn applies_to(&self, scope: impl Into<Scope>) -> bool {
        match (self.context, scope.into()) {
            (Context::Everywhere, Scope::Screen(_)) => true,
            (Context::On(screens), Scope::Screen(screen)) => screens.contains(&screen),
            (Context::In(dialogs), Scope::Dialog(dialog)) => dialogs.contains(&dialog),
            (Context::Everywhere | Context::On(_), Scope::Dialog(_)) | (Context::In(_), Scope::Screen(_)) => {
                false
            }
        }
    }
}

/// A key that waits for another one: the first of a sequence.
#[derive(Debug)]
pub struct Prefix {
    /// The key.
    pub key: &'static str,
    /// What its sequences have in common.
    pub title: &'static str,
}
