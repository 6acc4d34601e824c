//! Groups of the help of a screen, and families of actions, which it shows as one row each.

use crate::tui::keys::{
    ActionId, Keymap, Scope,
    spec::{ActionContext, ActionSpec},
};

/// Group of actions in the help of a screen, in the order of the help.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum HelpGroup {
    /// The first actions in the order of the hint bar.
    Common,
    /// Other actions of the screen.
    Screen,
    /// Edits, and actions that write files.
    Writing,
    /// Actions of all screens.
    Everywhere,
    /// Actions that are not available now.
    NotNow,
    /// Keys that move, in families.
    Moving,
}

impl HelpGroup {
    /// Returns the group of an action that is neither common nor part of a family.
    pub fn for_action(spec: &ActionSpec) -> Self {
        match spec.context {
            _ if spec.mutates() => Self::Writing,
            ActionContext::On(_) => Self::Screen,
            _ => Self::Everywhere,
        }
    }

    /// Returns the title. It has at most 11 columns.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Screen => "this screen",
            Self::Writing => "edit, write",
            Self::Everywhere => "more",
            Self::NotNow => "not now",
            Self::Moving => "moving",
        }
    }
}

/// Related actions that the help of a screen shows as one row until the user opens it.
#[derive(PartialEq, Eq, Debug)]
pub struct ActionFamily {
    /// Title in the help.
    pub title: &'static str,
    /// Description in one sentence without a period.
    pub doc: &'static str,
    /// Actions of the family, most used first.
    pub members: &'static [ActionId],
}

/// Families of actions that users know already, or need all together.
pub static FAMILIES: [ActionFamily; 5] = [
    ActionFamily {
        title: "move",
        doc: "Move by a row or a page, to the first or last row, in, out and back",
        members: &[
            ActionId::Up,
            ActionId::Down,
            ActionId::Top,
            ActionId::Bottom,
            ActionId::PageDown,
            ActionId::PageUp,
            ActionId::In,
            ActionId::Out,
            ActionId::GraphLeft,
            ActionId::GraphRight,
            ActionId::Back,
            ActionId::BackOrQuit,
        ],
    },
    ActionFamily {
        title: "next, previous",
        doc: "Go to the next or previous change, or match of the search",
        members: &[ActionId::NextNews, ActionId::PreviousNews, ActionId::NextFound, ActionId::PreviousFound],
    },
    ActionFamily {
        title: "panes",
        doc: "Go to the next or previous pane, make it larger or smaller",
        members: &[ActionId::NextPane, ActionId::PreviousPane, ActionId::GrowPane, ActionId::ShrinkPane],
    },
    ActionFamily {
        title: "places",
        doc: "Go back to the place before a jump and forward again, or to another open catalog",
        members: &[
            ActionId::PlaceBack,
            ActionId::PlaceForward,
            ActionId::NextCatalog,
            ActionId::PreviousCatalog,
        ],
    },
    ActionFamily {
        title: "screens",
        doc: "Show a screen by its digit",
        members: &[
            ActionId::ShowPackages,
            ActionId::ShowGraph,
            ActionId::ShowUpgrades,
            ActionId::ShowProblems,
            ActionId::ShowDeprecations,
            ActionId::ShowChanges,
            ActionId::ShowBundle,
            ActionId::ShowTemplate,
            ActionId::ShowResolve,
            ActionId::ShowPlan,
        ],
    },
];

impl ActionFamily {
    /// Returns the first key of each member on the screen.
    pub fn keys<'a>(&self, scope: Scope, keys: &'a Keymap) -> Vec<&'a str> {
        self.members.iter().filter_map(|id| keys.display_keys(scope, *id).next()).collect()
    }
}
