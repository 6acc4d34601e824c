//! Static metadata of actions, and the table of all actions. Pure data: the code that performs an
//! action is in the module of its screen or dialog.

use super::{ActionId, Dialog, Scope, Screen};

/// Screens or dialogs that offer an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionContext {
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
pub enum WriteScope {
    /// No user data.
    Nothing,
    /// Files of the selected package. Refused if any of them is write-protected.
    Package,
    /// Files of the selected package, after a preview. The dialog of the preview itself refuses to
    /// apply the edit if nothing may be written.
    AfterPreview,
    /// Other files. The action itself checks whether it can write them.
    OtherFiles,
}

/// Rank of an action in the hint bar, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HintRank {
    rank: u8,
    /// Screen with a different rank.
    exception: Option<(Screen, u8)>,
}

impl HintRank {
    /// Returns the rank on a screen.
    pub fn rank(self, on: Screen) -> u8 {
        self.exception.filter(|(screen, _)| *screen == on).map_or(self.rank, |(_, rank)| rank)
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
    pub search_terms: &'static [&'static str],
    /// Screens or dialogs that offer the action.
    pub context: ActionContext,
    /// Default keys. The keys of a sequence are separated by spaces: `g r`. The
    /// [`Keymap`](super::Keymap) has the effective keys.
    pub default_keys: &'static [&'static str],
    /// Rank in the hint bar; `None` if the action is not shown there.
    pub hint: Option<HintRank>,
    /// Data that the action writes. Read-only mode refuses actions that write, except after a
    /// preview.
    pub writes: WriteScope,
    /// True if the action turns what-if changes into edits. Other actions that write are refused
    /// during a what-if.
    pub ends_what_if: bool,
}

impl ActionSpec {
    /// Creates an action that does not write and is not shown in the hint bar.
    pub const fn new(
        id: ActionId,
        context: ActionContext,
        keys: &'static [&'static str],
        title: &'static str,
        doc: &'static str,
    ) -> Self {
        Self {
            id,
            title,
            doc,
            search_terms: &[],
            context,
            default_keys: keys,
            hint: None,
            writes: WriteScope::Nothing,
            ends_what_if: false,
        }
    }

    /// Shows the action in the hint bar. Actions of specific screens come before those of all
    /// screens.
    #[must_use]
    pub const fn with_hint(self) -> Self {
        let rank = if matches!(self.context, ActionContext::Everywhere) { 2 } else { 1 };
        self.with_hint_rank(rank)
    }

    /// Shows the action in the hint bar with the given rank.
    #[must_use]
    pub const fn with_hint_rank(mut self, rank: u8) -> Self {
        self.hint = Some(HintRank { rank, exception: None });
        self
    }

    /// Sets a different rank on one screen.
    #[must_use]
    pub const fn with_hint_rank_on(mut self, screen: Screen, rank: u8) -> Self {
        if let Some(hint) = self.hint {
            self.hint = Some(HintRank { rank: hint.rank, exception: Some((screen, rank)) });
        }
        self
    }

    /// Sets additional search terms.
    #[must_use]
    pub const fn with_search_terms(mut self, words: &'static [&'static str]) -> Self {
        self.search_terms = words;
        self
    }

    /// Sets the data that the action writes.
    #[must_use]
    pub const fn with_write_scope(mut self, writes: WriteScope) -> Self {
        self.writes = writes;
        self
    }

    /// Marks the action as one that turns what-if changes into edits.
    #[must_use]
    pub const fn with_what_if_end(mut self) -> Self {
        self.ends_what_if = true;
        self
    }

    /// Returns true if the action changes a catalog or a file.
    pub fn mutates(&self) -> bool {
        self.writes != WriteScope::Nothing
    }

    /// Returns true if the action is available on the screen or in the dialog.
    pub fn applies_to(&self, scope: impl Into<Scope>) -> bool {
        match (self.context, scope.into()) {
            (ActionContext::Everywhere, Scope::Screen(_)) => true,
            (ActionContext::On(screens), Scope::Screen(screen)) => screens.contains(&screen),
            (ActionContext::In(dialogs), Scope::Dialog(dialog)) => dialogs.contains(&dialog),
            (ActionContext::Everywhere | ActionContext::On(_), Scope::Dialog(_))
            | (ActionContext::In(_), Scope::Screen(_)) => false,
        }
    }
}

/// Table of all actions. If two actions of a screen share a key, the first one gets it.
#[derive(Debug)]
pub struct ActionTable {
    actions: Vec<&'static ActionSpec>,
    dialogs: &'static [Dialog],
}

impl ActionTable {
    /// Creates a table with the actions in the given order, and all kinds of dialogs.
    pub fn new(actions: Vec<&'static ActionSpec>, dialogs: &'static [Dialog]) -> Self {
        Self { actions, dialogs }
    }

    /// Returns all screens, then all kinds of dialogs.
    pub fn scopes(&self) -> impl Iterator<Item = Scope> + use<> {
        let screens = Screen::ALL.iter().copied().map(Scope::Screen);
        screens.chain(self.dialogs.iter().copied().map(Scope::Dialog))
    }

    /// Returns all actions.
    pub fn actions(&self) -> impl Iterator<Item = &'static ActionSpec> + '_ {
        self.actions.iter().copied()
    }

    /// Returns the action with the given name.
    pub fn find_action(&self, id: ActionId) -> Option<&'static ActionSpec> {
        self.actions().find(|spec| spec.id == id)
    }
}
