//! Requests to open a dialog.

use std::{path::PathBuf, sync::Arc};

use crate::tui::{
    keys::Scope,
    parts::{list::ListId, memo::SharedRef},
    work::{effect::BundleLocator, outcome::UnsavedEdits, preview::EditOutcome, remedy::RemedySearch},
};
use olm_catalog::{
    BundleName, ChannelName, PackageName,
    blob::{DependencyTarget, DeprecationTarget, EntrySpec},
    template::semver::List,
};
use olm_edit::Edit;
use olm_upgrade::apis::Side;
use olmap_report::{graph::Format, layout::Layout};

/// Request to open a dialog, with its initial content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DialogRequest {
    /// The filter of a list.
    Filter(ListId),
    /// The list of open catalogs.
    Catalogs,
    /// The finder.
    Finder,
    /// Providers and requirers of APIs and packages.
    Apis {
        /// The API or package and the side to show. `None` for all of them.
        focus: Option<(DependencyTarget, Side)>,
    },
    /// The log of earlier notices.
    Log,
    /// The command palette: the keys of a scope. `None` for all actions.
    Commands(Option<Scope>),
    /// The form of an entry.
    Entry {
        /// The package.
        package: PackageName,
        /// The channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// The current fields of the entry, or proposed ones for a new entry.
        spec: EntrySpec,
        /// Whether the entry is new.
        is_new: bool,
    },
    /// Adding a bundle to channels.
    AddBundle {
        /// Directory of the bundle, if known.
        path: Option<PathBuf>,
    },
    /// Adding a bundle to more channels.
    Promote {
        /// The package.
        package: PackageName,
        /// The bundle.
        bundle: BundleName,
    },
    /// A choice from a list.
    Pick {
        /// Title of the dialog.
        title: &'static str,
        /// Use of the choice.
        purpose: PickPurpose,
        /// Whether several items can be chosen.
        is_multiple: bool,
        /// Whether typing filters the items.
        has_filter: bool,
        /// The items with their initial state.
        items: Vec<(String, bool)>,
    },
    /// A line of text to enter.
    Prompt {
        /// Title of the dialog.
        title: &'static str,
        /// Use of the text.
        purpose: PromptPurpose,
        /// The initial text.
        text: String,
    },
    /// The legend of the graph.
    Legend {
        /// Whether the legend is about all channels side by side.
        is_side_by_side: bool,
    },
    /// The difference between two bundles.
    BundleDifference {
        /// The difference according to the catalog.
        comparison: Arc<olm_bundle::compare::Comparison>,
        /// The bundles, if both may have a directory or image to read.
        bundles: Option<Box<[BundleLocator; 2]>>,
    },
    /// A question about an edit or what-if.
    Ask {
        /// Use of the answer.
        purpose: EditPurpose,
        /// The package.
        package: PackageName,
        /// The question.
        question: QuestionKind,
        /// The initial answer.
        initial_answer: String,
    },
    /// A computed edit to confirm.
    ConfirmEdit {
        /// Title of the dialog.
        title: String,
        /// Result of the edit.
        outcome: Arc<EditOutcome>,
    },
    /// The results of a search for edits that free stuck versions.
    Remedies(Arc<RemedySearch>),
    /// A choice of edits.
    Choose {
        /// Use of the choice.
        purpose: EditPurpose,
        /// Title of the dialog.
        title: String,
        /// The choices.
        choices: Vec<EditOption>,
    },
    /// The base for a comparison.
    ComparisonBase,
    /// Reasons not to write a catalog.
    SaveRefusal {
        /// The reason.
        blocker: SaveBlocker,
        /// Destination of the save.
        target: SaveTarget,
    },
    /// The range tester, with its initial range.
    RangeTester(String),
    /// Nothing was written because a file changed on disk. With a description of the file.
    ChangedOnDisk(String),
    /// Unsaved edits of an earlier session.
    EditRecovery {
        /// The edits with the numbers of their catalogs.
        recoverable_edits: Vec<(usize, UnsavedEdits)>,
    },
    /// Edits that could not be applied again.
    EditConflicts {
        /// Number of edits that were applied.
        applied: usize,
        /// The other edits, each with the reason.
        refused: Vec<(String, String)>,
    },
    /// Bundle images that can be fetched.
    Fetch {
        /// The package.
        package: PackageName,
        /// The choices.
        choices: Vec<FetchChoice>,
        /// Index of the initially highlighted choice.
        cursor: usize,
    },
    /// The history of a package.
    History {
        /// The package.
        package: PackageName,
    },
    /// Applying the last edit to other catalogs.
    OtherCatalogs,
    /// Leaving with unsaved edits.
    QuitConfirmation,
    /// Problems of the configuration file.
    Configuration,
}

/// Bundle images that can be fetched together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FetchChoice {
    /// Label of the choice.
    pub label: String,
    /// The bundles with their images, without duplicate images.
    pub images: Vec<(BundleName, String)>,
    /// The registries of the images.
    pub hosts: Vec<String>,
}

/// Question about an edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum QuestionKind {
    /// The lowest version to keep.
    LowestVersion,
    /// The packages, channels and ranges to keep.
    Extract,
    /// The skipRange of an entry.
    SkipRange {
        /// Channel of the entry.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// Current fields of the entry.
        spec: EntrySpec,
    },
    /// An additional entry to skip.
    AdditionalSkip {
        /// Channel of the entry.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// Current fields of the entry.
        spec: EntrySpec,
    },
    /// The message for a deprecated package, channel or bundle.
    DeprecationMessage(DeprecationTarget),
    /// The message for all suggested deprecations.
    DeprecationMessageForAll(Vec<DeprecationTarget>),
    /// The bundle to add as an entry to a channel.
    NewEntry(ChannelName),
    /// The name of a new channel. Its content is asked next.
    NewChannel,
    /// The name of a new channel that a bundle is promoted to.
    PromoteTo {
        /// The bundle.
        bundle: BundleName,
        /// New channels that are already in the dialog.
        taken: Vec<ChannelName>,
    },
    /// The highest version in a copy of a channel.
    HighestVersion {
        /// Name of the new channel.
        channel: ChannelName,
        /// The channel to copy.
        from: ChannelName,
    },
    /// The bundle image to add to a list of a semver template.
    ImageInto(List),
    /// The new name of a channel.
    Rename(ChannelName),
    /// The description of the package.
    Description,
}

/// Whether an edit is applied or only supposed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EditPurpose {
    /// The answer is added to the what-if and not applied.
    WhatIf,
    /// The answer becomes an edit.
    Edit,
}

/// Choice in a list of edits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditOption {
    /// Label of the choice.
    pub label: String,
    /// Additional note.
    pub note: String,
    /// Action of the choice.
    pub action: ChoiceAction,
}

impl DialogRequest {
    /// Returns a dialog that shows the preview of an edit before it is applied.
    pub fn preview_edit(title: String, edit: Edit) -> Self {
        Self::Choose { purpose: EditPurpose::Edit, title, choices: vec![EditOption::from_edit(edit)] }
    }
}

impl EditOption {
    /// Returns a choice of an edit with the edit's title as its label.
    pub(in crate::tui) fn from_edit(edit: Edit) -> Self {
        Self { label: edit.title(), note: String::new(), action: ChoiceAction::Edit(edit) }
    }
}

/// Action of an [`EditOption`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChoiceAction {
    /// Preview an edit.
    Edit(Edit),
    /// Ask a question.
    Ask {
        /// The package it is about.
        package: PackageName,
        /// The question.
        question: QuestionKind,
        /// The initial answer.
        initial_answer: String,
    },
}

/// Setting that a choice from a list changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PickPurpose {
    /// The channel of the Classic Subscription.
    Subscribed,
    /// The channels that v1 may choose from.
    V1Channels,
    /// The `startingCSV`; the first choice is none.
    Starting,
}

/// Use of a line of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PromptPurpose {
    /// The version constraint of v1.
    Version,
    /// The lowest version in the graph, for this layout.
    Floor(SharedRef<Layout>),
    /// The OpenShift version of the cluster.
    OpenShift,
    /// The git revision to compare with.
    Revision,
    /// The path or image of another catalog to open.
    Source,
    /// The path of a catalog to compare with.
    BasePath,
    /// The path to write the catalog to.
    SaveAs,
    /// The path to write the graph to.
    Export {
        /// The output format.
        format: Format,
        /// Whether all channels are exported side by side.
        side_by_side: bool,
    },
    /// The path to write the comparison to.
    Comparison,
    /// The file of upgrade expectations to extend.
    Expectations,
    /// The image set configuration for the what-if.
    Mirror,
}

/// Reason not to write a catalog.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SaveBlocker {
    /// Number of errors that the edits add.
    Errors(usize),
    /// Lost file metadata, one sentence each.
    MetadataLoss(Vec<String>),
}

/// Destination of a save.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SaveTarget {
    /// The catalog's own files.
    InPlace,
    /// Another path.
    Elsewhere,
}

/// Describes several deprecation targets.
pub fn describe_deprecation_targets(package: &PackageName, targets: &[DeprecationTarget]) -> String {
    match targets {
        [one] => describe_deprecation_target(package, one),
        all => format!("{} bundles of {package}", all.len()),
    }
}

/// Describes a deprecation target.
pub fn describe_deprecation_target(package: &PackageName, target: &DeprecationTarget) -> String {
    match target {
        DeprecationTarget::Package => format!("package {package}"),
        DeprecationTarget::Channel(channel) => format!("channel {channel}"),
        DeprecationTarget::Bundle(bundle) => bundle.to_string(),
    }
}
