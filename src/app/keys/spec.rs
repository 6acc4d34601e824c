//! An action with everything that is to be said of it, and the table of all of them. Pure data: who does what an action
//! is called for stands with the room that does it.

use super::{ActionId, Dialog, Scope, Screen};

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

/// Why an action cannot be done now.
pub type Reason = String;

/// Whether something can be done now, or why not.
pub type Enabled = Result<(), Reason>;

/// What an action writes, sooner or later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// Nothing of the user's.
    Nothing,
    /// The files of the package it is about: a write-protected one refuses it.
    Package,
    /// Other files, or several: who does it looks which.
    Elsewhere,
}

/// Where an action stands among the hints, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hint {
    rank: u8,
    /// A screen on which it stands elsewhere, and where.
    except: Option<(Screen, u8)>,
}

impl Hint {
    /// Its place on a screen.
    pub fn rank(self, on: Screen) -> u8 {
        self.except.filter(|(screen, _)| *screen == on).map_or(self.rank, |(_, rank)| rank)
    }
}

/// An action with everything that is to be said of it.
#[derive(Debug)]
pub struct ActionSpec {
    /// Its name.
    pub id: ActionId,
    /// What hint bar and palette call it.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub doc: &'static str,
    /// Other words people look for it by. Palette and help find it by them.
    pub also: &'static [&'static str],
    /// Where it makes sense.
    pub context: Context,
    /// Its keys unless the configuration gives it others. A sequence is written with blanks: `o s`. What is shown is asked
    /// of the [`Keymap`](super::Keymap).
    pub default_keys: &'static [&'static str],
    /// Where it stands in the hint bar of its context, where it does.
    pub hint: Option<Hint>,
    /// What it changes; where that is anything, read-only mode refuses it.
    pub writes: Writes,
    /// Whether it makes edits of what is supposed; anything else that writes waits until the what-if is over.
    pub ends_what_if: bool,
}

impl ActionSpec {
    /// An action that writes nothing and is no hint.
    pub const fn new(
        id: ActionId,
        context: Context,
        keys: &'static [&'static str],
        title: &'static str,
        doc: &'static str,
    ) -> Self {
        Self {
            id,
            title,
            doc,
            also: &[],
            context,
            default_keys: keys,
            hint: None,
            writes: Writes::Nothing,
            ends_what_if: false,
        }
    }

    /// Shows it in the hint bar: what is special to some screens before what is everywhere.
    #[must_use]
    pub const fn hinted(self) -> Self {
        let rank = if matches!(self.context, Context::Everywhere) { 2 } else { 1 };
        self.ranked(rank)
    }

    /// Shows it in the hint bar at a place.
    #[must_use]
    pub const fn ranked(mut self, rank: u8) -> Self {
        self.hint = Some(Hint { rank, except: None });
        self
    }

    /// The same, at another place on one screen.
    #[must_use]
    pub const fn ranked_on(mut self, screen: Screen, rank: u8) -> Self {
        if let Some(hint) = self.hint {
            self.hint = Some(Hint { rank: hint.rank, except: Some((screen, rank)) });
        }
        self
    }

    /// Adds other words it is looked for by.
    #[must_use]
    pub const fn also(mut self, words: &'static [&'static str]) -> Self {
        self.also = words;
        self
    }

    /// Says what it writes.
    #[must_use]
    pub const fn writing(mut self, writes: Writes) -> Self {
        self.writes = writes;
        self
    }

    /// Says that it makes edits of what is supposed.
    #[must_use]
    pub const fn ending_what_if(mut self) -> Self {
        self.ends_what_if = true;
        self
    }

    /// Whether it changes a catalog or a file.
    pub fn mutates(&self) -> bool {
        self.writes != Writes::Nothing
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

/// Every action there is. Within a screen the first that has a key gets it.
#[derive(Debug)]
pub struct Table {
    actions: Vec<&'static ActionSpec>,
    prefixes: &'static [Prefix],
}

impl Table {
    /// A table of actions in their order.
    pub fn new(actions: Vec<&'static ActionSpec>, prefixes: &'static [Prefix]) -> Self {
        Self { actions, prefixes }
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'static ActionSpec> + '_ {
        self.actions.iter().copied()
    }

    /// The action of a name.
    pub fn find(&self, id: ActionId) -> Option<&'static ActionSpec> {
        self.all().find(|spec| spec.id == id)
    }

    /// What the sequences that begin with a key have in common.
    pub fn prefix(&self, key: &str) -> Option<&'static Prefix> {
        self.prefixes.iter().find(|prefix| prefix.key == key)
    }
}
