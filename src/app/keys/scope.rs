//! Where keys are looked up: the screens, and the sorts of dialogs as far as keys are concerned.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The screens.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, VariantArray, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Screen {
    /// Packages, channels, entries, details.
    #[default]
    Catalog,
    /// The upgrade graph of a channel.
    Graph,
    /// What happens to everyone.
    Upgrades,
    /// Findings.
    Problems,
    /// Deprecations.
    Deprecations,
    /// Unsaved edits and their consequences.
    Changes,
    /// What is inside a bundle.
    Bundle,
    /// The lists of a semver template.
    Template,
    /// A assumed cluster, and what OLM Classic makes of it.
    Resolve,
    /// The packages of all open catalogs.
    Overview,
    /// How everybody gets through the OpenShift versions of the open catalogs.
    Plan,
    /// What is running, on what terminal, with which files.
    About,
}

impl Screen {
    /// All of them, in the order of their digits.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Its name on the tab.
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

    /// Whether its tab stands there always; else while it is shown.
    pub fn has_tab(self) -> bool {
        !matches!(
            self,
            Self::Bundle | Self::Template | Self::Resolve | Self::Overview | Self::Plan | Self::About
        )
    }
}

/// A sort of dialog.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, VariantArray)]
pub enum Dialog {
    /// The filter of a list.
    Filter,
    /// The open catalogs.
    Catalogs,
    /// The finder.
    Finder,
    /// Who provides and who requires APIs and packages.
    Apis,
    /// Palette and help.
    Commands,
    /// The form of an entry.
    Entry,
    /// A question that is answered with text, with what it would lead to.
    Ask,
    /// A question that is answered with text.
    Prompt,
    /// The range tester.
    Range,
    /// A choice that is narrowed down by typing.
    TypedPick,
    /// A choice.
    Pick,
    /// A choice of ways.
    Choose,
    /// What to compare with.
    Against,
    /// The channels a bundle is put into.
    Promote,
    /// A new bundle: where it is.
    AddBundle,
    /// A new bundle: the channels it is put into.
    AddBundleTo,
    /// Fetching the images of bundles.
    Fetch,
    /// The history of a package.
    History,
    /// The catalogs an edit is made in as well.
    OtherCatalogs,
    /// Edits that could not be made again.
    Conflicts,
    /// What was told.
    Log,
    /// What differs between two bundles.
    BundleDifference,
    /// Writing what opm refuses.
    Refused,
    /// Files that are no longer what was loaded.
    ChangedOnDisk,
    /// Edits from before a crash.
    Restore,
    /// Leaving with unsaved edits.
    Leave,
    /// What is wrong in the configuration.
    Configuration,
    /// What the marks of the graph mean.
    Legend,
}

impl Dialog {
    /// All of them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Filter => "the filter",
            Self::Catalogs => "the open catalogs",
            Self::Finder => "the finder",
            Self::Apis => "APIs and packages",
            Self::Commands => "palette and help",
            Self::Entry => "the form of an entry",
            Self::Ask | Self::Prompt => "a question",
            Self::Range => "the range tester",
            Self::TypedPick | Self::Pick => "a choice",
            Self::Choose => "a choice with preview",
            Self::Against => "comparing",
            Self::Promote => "promoting",
            Self::AddBundle => "a new bundle",
            Self::AddBundleTo => "a new bundle's channels",
            Self::Fetch => "fetching bundle images",
            Self::History => "the history",
            Self::OtherCatalogs => "other catalogs",
            Self::Conflicts => "edits not restored",
            Self::Log => "the messages",
            Self::BundleDifference => "two bundles",
            Self::Refused => "saving what opm rejects",
            Self::ChangedOnDisk => "files that changed",
            Self::Restore => "recovered edits",
            Self::Leave => "leaving",
            Self::Configuration => "the configuration",
            Self::Legend => "the legend",
        }
    }

    /// Whether there is a field of text: then letters are typed, whatever they do elsewhere.
    pub fn has_field(self) -> bool {
        matches!(
            self,
            Self::Filter
                | Self::Catalogs
                | Self::Finder
                | Self::Apis
                | Self::Commands
                | Self::Entry
                | Self::AddBundle
                | Self::Ask
                | Self::Prompt
                | Self::Range
                | Self::TypedPick
        )
    }
}

/// Where keys are looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// On a screen.
    Screen(Screen),
    /// In a dialog.
    Dialog(Dialog),
}

impl Scope {
    /// All of them: screens first.
    pub fn all() -> impl Iterator<Item = Self> {
        let screens = Screen::ALL.iter().copied().map(Self::Screen);
        screens.chain(Dialog::ALL.iter().copied().map(Self::Dialog))
    }

    /// What people call it.
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
