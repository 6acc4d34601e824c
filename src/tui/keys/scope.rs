//! Scopes of keys: screens and kinds of dialogs.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// Screen of the explorer.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, VariantArray, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Screen {
    /// Packages, channels, entries and details.
    #[default]
    Catalog,
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
    /// Packages of all open catalogs.
    Overview,
    /// Upgrade plans across the OpenShift versions of the open catalogs.
    Plan,
    /// Version, terminal and files of the running program.
    About,
}

impl Screen {
    /// All screens, in the order of their digits.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the name on the tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Catalog => "Catalog",
            Self::Graph => "Graph",
            Self::Upgrades => "Upgrades",
            Self::Problems => "Problems",
            Self::Deprecations => "Deprecations",
            Self::Changes => "Changes",
            Self::Bundle => "Bundle",
            Self::Template => "Template",
            Self::Resolve => "Resolve",
            Self::Overview => "Overview",
            Self::Plan => "Plan",
            Self::About => "About",
        }
    }

    /// Returns true if the tab is always visible. Other tabs are only visible while their screen is
    /// shown.
    pub fn has_tab(self) -> bool {
        !matches!(
            self,
            Self::Bundle | Self::Template | Self::Resolve | Self::Overview | Self::Plan | Self::About
        )
    }
}

/// Kind of dialog.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, VariantArray)]
pub enum Dialog {
    /// Filter of a list.
    Filter,
    /// List of the open catalogs.
    Catalogs,
    /// The finder.
    Finder,
    /// Providers and users of APIs and packages.
    Apis,
    /// Command palette and help.
    Commands,
    /// Form of an entry.
    Entry,
    /// Question answered with text, with a preview of the resulting edit.
    EditQuestion,
    /// Question answered with text.
    Prompt,
    /// Range tester.
    Range,
    /// Choice that typing narrows down.
    FilteredPick,
    /// Choice from a list.
    Pick,
    /// Choice between edits, with a preview.
    EditChoice,
    /// Choice of the base of a comparison.
    ComparisonChoice,
    /// Channels that a bundle is promoted to.
    Promotion,
    /// Path or image of a new bundle.
    AddBundle,
    /// Channels of a new bundle.
    AddBundleChannels,
    /// Choice of the bundle images to fetch.
    Fetch,
    /// History of a package.
    History,
    /// Choice of other catalogs for the last edit.
    OtherCatalogs,
    /// Edits that could not be restored.
    EditConflicts,
    /// Log of earlier notices.
    Log,
    /// Differences between two bundles.
    BundleDifference,
    /// Confirmation of a save that opm refuses.
    SaveRefusal,
    /// Files that changed on disk since they were loaded.
    ChangedOnDisk,
    /// Edits recovered after a crash.
    EditRecovery,
    /// Confirmation for quitting with unsaved edits.
    QuitConfirmation,
    /// Problems in the configuration.
    Configuration,
    /// Symbols of the graph.
    Legend,
}

impl Dialog {
    /// All kinds of dialogs.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the name for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Filter => "the filter",
            Self::Catalogs => "the open catalogs",
            Self::Finder => "the finder",
            Self::Apis => "APIs and packages",
            Self::Commands => "palette and help",
            Self::Entry => "the form of an entry",
            Self::EditQuestion | Self::Prompt => "a question",
            Self::Range => "the range tester",
            Self::FilteredPick | Self::Pick => "a choice",
            Self::EditChoice => "a choice with preview",
            Self::ComparisonChoice => "comparing",
            Self::Promotion => "promoting",
            Self::AddBundle => "a new bundle",
            Self::AddBundleChannels => "a new bundle's channels",
            Self::Fetch => "fetching bundle images",
            Self::History => "the history",
            Self::OtherCatalogs => "other catalogs",
            Self::EditConflicts => "edits not restored",
            Self::Log => "the messages",
            Self::BundleDifference => "two bundles",
            Self::SaveRefusal => "saving what opm rejects",
            Self::ChangedOnDisk => "files that changed",
            Self::EditRecovery => "recovered edits",
            Self::QuitConfirmation => "leaving",
            Self::Configuration => "the configuration",
            Self::Legend => "the legend",
        }
    }

    /// Returns the parts of the dialog, which determine its common keys.
    pub const fn parts(self) -> DialogParts {
        let none = DialogParts { rows: false, field: false, text: false };
        let rows = DialogParts { rows: true, ..none };
        let field = DialogParts { field: true, ..none };
        let text = DialogParts { text: true, ..none };
        match self {
            Self::Filter
            | Self::Catalogs
            | Self::Finder
            | Self::Apis
            | Self::Commands
            | Self::Range
            | Self::FilteredPick => DialogParts { field: true, ..rows },
            Self::Pick
            | Self::ComparisonChoice
            | Self::Fetch
            | Self::History
            | Self::EditConflicts
            | Self::Log
            | Self::BundleDifference
            | Self::Configuration => rows,
            Self::EditChoice | Self::Promotion | Self::AddBundleChannels | Self::OtherCatalogs => {
                DialogParts { text: true, ..rows }
            }
            Self::Entry | Self::EditQuestion | Self::Prompt => DialogParts { text: true, ..field },
            Self::AddBundle => field,
            Self::Legend => text,
            Self::SaveRefusal | Self::ChangedOnDisk | Self::EditRecovery | Self::QuitConfirmation => none,
        }
    }

    /// Returns true if the dialog has a text field, in which characters are typed.
    pub fn has_field(self) -> bool {
        self.parts().field
    }
}

/// Parts of a dialog.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DialogParts {
    /// True if the dialog has rows.
    pub rows: bool,
    /// True if the dialog has a text field.
    pub field: bool,
    /// True if the dialog has a scrollable text, which gets the page keys.
    pub text: bool,
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
    /// Returns all scopes, screens first.
    pub fn iter() -> impl Iterator<Item = Self> {
        let screens = Screen::ALL.iter().copied().map(Self::Screen);
        screens.chain(Dialog::ALL.iter().copied().map(Self::Dialog))
    }

    /// Returns the name for messages.
    pub fn title(self) -> &'static str {
        match self {
            Self::Screen(screen) => screen.title(),
            Self::Dialog(dialog) => dialog.title(),
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
