//! Static metadata of actions, and the table of all actions. Pure data: the code that performs an
//! action is in the module of its screen or dialog.

use super::{ActionId, Dialog, Scope, Screen};

/// Screens or dialogs that offer an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Context {
    /// All screens.
    Everywhere,
    /// The given screens.
    On(&'static [Screen]),
    /// The given dialogs, and no screen.
    In(&'static [Dialog]),
}

/// Reason why an action is not available.
pub type Reason = String;

/// `Ok` if an action is available, otherwise the reason.
pub type Enabled = Result<(), Reason>;

/// Data that an action writes, immediately or later.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writes {
    /// No user data.
    Nothing,
    /// Files of the selected package. Refused if any of them is write-protected.
    Package,
    /// Other files. The action itself checks whether it can write them.
    Elsewhere,
}

/// Rank of an action in the hint bar, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hint {
    rank: u8,
    /// Screen with a different rank.
    except: Option<(Screen, u8)>,
}

impl Hint {
    /// Returns the rank on a screen.
    pub fn rank(self, on: Screen) -> u8 {
        self.except.filter(|(screen, _)| *screen == on).map_or(self.rank, |(_, rank)| rank)
    }
}

/// Static metadata of an action.
#[derive(Debug)]
pub struct ActionSpec {
    /// Name of the action.
    pub id: ActionId,
    /// Title in the hint bar and the palette.
    pub title: &'static str,
    /// Description in one sentence without a period.
    pub doc: &'static str,
    /// Additional search terms for palette and help.
    pub also: &'static [&'static str],
    /// Screens or dialogs that offer the action.
    pub context: Context,
    /// Default keys. The keys of a sequence are separated by spaces: `o s`. The
    /// [`Keymap`](super::Keymap) has the effective keys.
    pub default_keys: &'static [&'static str],
    /// Rank in the hint bar; `None` if the action is not shown there.
    pub hint: Option<Hint>,
    /// Data that the action writes. Read-only mode refuses all actions that write.
    pub writes: Writes,
    /// True if the action turns what-if changes into edits. Other actions that write are refused
    /// during a what-if.
    pub ends_what_if: bool,
}

impl ActionSpec {
    /// Creates an action that does not write and is not shown in the hint bar.
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

    /// Shows the action in the hint bar. Actions of specific screens come before those of all
    /// screens.
    #[must_use]
    pub const fn hinted(self) -> Self {
        let rank = if matches!(self.context, Context::Everywhere) { 2 } else { 1 };
        self.ranked(rank)
    }

    /// Shows the action in the hint bar with the given rank.
    #[must_use]
    pub const fn ranked(mut self, rank: u8) -> Self {
        self.hint = Some(Hint { rank, except: None });
        self
    }

    /// Sets a different rank on one screen.
    #[must_use]
    pub const fn ranked_on(mut self, screen: Screen, rank: u8) -> Self {
        if let Some(hint) = self.hint {
            self.hint = Some(Hint { rank: hint.rank, except: Some((screen, rank)) });
        }
        self
    }

    /// Sets additional search terms.
    #[must_use]
    pub const fn also(mut self, words: &'static [&'static str]) -> Self {
        self.also = words;
        self
    }

    /// Sets the data that the action writes.
    #[must_use]
    pub const fn writing(mut self, writes: Writes) -> Self {
        self.writes = writes;
        self
    }

    /// Marks the action as one that turns what-if changes into edits.
    #[must_use]
    pub const fn ending_what_if(mut self) -> Self {
        self.ends_what_if = true;
        self
    }

    /// Returns true if the action changes a catalog or a file.
    pub fn mutates(&self) -> bool {
        self.writes != Writes::Nothing
    }

    /// Returns true if the action is available on the screen or in the dialog.
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

/// First key of a sequence.
#[derive(Debug)]
pub struct Prefix {
    /// Key in its textual form.
    pub key: &'static str,
    /// Common title of the sequences.
    pub title: &'static str,
}

/// Table of all actions. If two actions of a screen share a key, the first one gets it.
#[derive(Debug)]
pub struct Table {
    actions: Vec<&'static ActionSpec>,
    prefixes: &'static [Prefix],
}

impl Table {
    /// Creates a table with the actions in the given order.
    pub fn new(actions: Vec<&'static ActionSpec>, prefixes: &'static [Prefix]) -> Self {
        Self { actions, prefixes }
    }

    /// Returns all actions.
    pub fn all(&self) -> impl Iterator<Item = &'static ActionSpec> + '_ {
        self.actions.iter().copied()
    }

    /// Returns the action with the given name.
    pub fn find(&self, id: ActionId) -> Option<&'static ActionSpec> {
        self.all().find(|spec| spec.id == id)
    }

    /// Returns the common title of the sequences that begin with the key.
    pub fn prefix(&self, key: &str) -> Option<&'static Prefix> {
        self.prefixes.iter().find(|prefix| prefix.key == key)
    }
}
