//! Scopes of keys: screens and kinds of dialogs.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// Screen of the explorer.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, VariantArray, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Screen {
    /// Packages of the open catalogs, channels, entries and details.
    #[default]
    #[serde(alias = "catalog", alias = "overview")]
    Packages,
    /// Upgrade graph of a channel.
    Graph,
    /// Upgrades of each installed bundle.
    Upgrades,
    /// Findings.
    Problems,
    /// Deprecations.
    Deprecations,
    /// Unsaved edits and their consequences.
    Changes,
    /// Contents of a bundle.
    Bundle,
    /// Lists of a semver template.
    Template,
    /// Assumed cluster, and what OLM Classic installs in it.
    Resolve,
    /// Upgrade plans across the OpenShift versions of the open catalogs.
    Plan,
    /// Version, terminal and files of the running program.
    About,
}

impl Screen {
    /// All screens, in the order of their digits.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Explains that an action works only on some screens: `only on the Packages and Graph screens`.
    pub fn explain_restriction(screens: &[Self]) -> String {
        let titles: Vec<&str> = screens.iter().map(|screen| screen.title()).collect();
        match titles.as_slice() {
            [first @ .., last] if !first.is_empty() => {
                format!("only on the {} and {last} screens", first.join(", "))
            }
            titles => format!("only on the {} screen", titles.concat()),
        }
    }

    /// Returns the name on the tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Packages => "Packages",
            Self::Graph => "Graph",
            Self::Upgrades => "Upgrades",
            Self::Problems => "Problems",
            Self::Deprecations => "Deprecations",
            Self::Changes => "Changes",
            Self::Bundle => "Bundle",
            Self::Template => "Template",
            Self::Resolve => "Resolve",
            Self::Plan => "Plan",
            Self::About => "About",
        }
    }

    /// Returns true if the tab is always visible. Other tabs are only visible if their screen has
    /// something to show.
    pub fn has_permanent_tab(self) -> bool {
        !matches!(self, Self::Bundle | Self::Template | Self::Resolve | Self::Plan | Self::About)
    }
}

/// Kind of dialog. Each dialog declares its own, and the table in `dialogs` lists all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Dialog {
    /// Unique name.
    pub name: &'static str,
    /// Name for messages.
    pub title: &'static str,
    /// True if the dialog has rows.
    pub has_rows: bool,
    /// True if the dialog has a text field, in which characters are typed.
    pub has_field: bool,
    /// True if the dialog has a scrollable text, which gets the page keys.
    pub has_text: bool,
}

impl Dialog {
    /// Creates a kind of dialog without rows, field and scrollable text.
    pub const fn with_name(name: &'static str, title: &'static str) -> Self {
        Self { name, title, has_rows: false, has_field: false, has_text: false }
    }

    /// Adds the common keys of rows.
    #[must_use]
    pub const fn with_rows(self) -> Self {
        Self { has_rows: true, ..self }
    }

    /// Adds the common keys of a text field. Characters do not trigger actions.
    #[must_use]
    pub const fn with_field(self) -> Self {
        Self { has_field: true, ..self }
    }

    /// Adds the common keys of a scrollable text.
    #[must_use]
    pub const fn with_text(self) -> Self {
        Self { has_text: true, ..self }
    }
}

/// Scope of key bindings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// Keys on a screen.
    Screen(Screen),
    /// Keys in a dialog.
    Dialog(Dialog),
}

impl Scope {
    /// Returns the name for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Screen(screen) => screen.title(),
            Self::Dialog(dialog) => dialog.title,
        }
    }
}

impl From<Screen> for Scope {
    fn from(screen: Screen) -> Self {
        Self::Screen(screen)
    }
}

impl From<Dialog> for Scope {
    fn from(dialog: Dialog) -> Self {
        Self::Dialog(dialog)
    }
}
