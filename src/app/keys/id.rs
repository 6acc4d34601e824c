//! The names of the actions.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// An action by name.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
pub enum ActionId {
    /// Moves up.
    Up,
    /// Moves down.
    Down,
    /// Goes to the first row.
    Top,
    /// Goes to the last row.
    Bottom,
    /// Moves half a page down.
    HalfDown,
    /// Moves half a page up.
    HalfUp,
    /// Moves a page down.
    PageDown,
    /// Moves a page up.
    PageUp,
    /// Goes into what is selected.
    In,
    /// Goes out to the left.
    Out,
    /// Goes back: closes and leaves.
    Back,
    /// The same, and quits at the top.
    BackOrQuit,
    /// Next pane.
    NextPane,
    /// Previous pane.
    PreviousPane,
    /// Gives the pane more room.
    GrowPane,
    /// Gives the pane less room.
    ShrinkPane,
    /// Gives all panes their usual room.
    ResetPanes,
    /// Shows the Catalog screen.
    ShowCatalog,
    /// Shows the Graph screen.
    ShowGraph,
    /// Shows the Upgrades screen.
    ShowUpgrades,
    /// Shows the Problems screen.
    ShowProblems,
    /// Shows the Deprecations screen.
    ShowDeprecations,
    /// Shows the Changes screen.
    ShowChanges,
    /// Shows what is inside the bundle.
    ShowBundle,
    /// Fetches the images of bundles.
    FetchBundles,
    /// Shows the Template screen.
    ShowTemplate,
    /// Shows the Resolve screen.
    ShowResolve,
    /// Shows the Overview screen.
    ShowOverview,
    /// Selects the catalog to the left.
    OverviewLeft,
    /// Selects the catalog to the right.
    OverviewRight,
    /// Shows the Plan screen.
    ShowPlan,
    /// Plans for the other OLM.
    PlanEngine,
    /// Plans with another approval.
    PlanApproval,
    /// Plans upgrades at another time.
    PlanUpdates,
    /// Assumes a subscription.
    AssumeSubscription,
    /// Assumes that a bundle is installed.
    AssumeInstalled,
    /// Assumes what a cluster has.
    AssumeCluster,
    /// Excludes what is assumed, or includes it again.
    Exclude,
    /// Assumes the next channel.
    OtherChannel,
    /// Assumes the next catalog.
    OtherSource,
    /// Assumes something no longer.
    RemoveAssumed,
    /// Assumes nothing.
    ClearAssumed,
    /// Shows the About screen.
    ShowAbout,
    /// Back to the place before.
    PlaceBack,
    /// Forward again.
    PlaceForward,
    /// Next catalog.
    NextCatalog,
    /// Previous catalog.
    PreviousCatalog,
    /// Opens one more catalog.
    OpenCatalog,
    /// Lists the open catalogs.
    PickCatalog,
    /// Chooses what to compare with.
    CompareWith,
    /// Compares no longer.
    StopComparing,
    /// Filters the list.
    Filter,
    /// Finds anything.
    Find,
    /// Who provides and who requires APIs and packages.
    ShowApis,
    /// Sorts the list another way.
    Sort,
    /// Every action.
    Palette,
    /// What keys do here.
    Help,
    /// The tour of the demo.
    Tour,
    /// What was told before.
    ShowLog,
    /// Follows the edge to the newer bundle.
    FollowNewer,
    /// Follows the edge to the older bundle.
    FollowOlder,
    /// Jumps to Classic's pick.
    JumpClassic,
    /// Jumps to v1's pick.
    JumpV1,
    /// Zooms in on the neighbourhood, or back out.
    Zoom,
    /// Shows all channels side by side, or one.
    AllChannels,
    /// Goes to the left in the graph.
    GraphLeft,
    /// Goes to the right in the graph.
    GraphRight,
    /// Goes to the next change, or row with news.
    NextNews,
    /// Goes to the previous change, or row with news.
    PreviousNews,
    /// Goes to the next row that was found.
    NextFound,
    /// Goes to the previous row that was found.
    PreviousFound,
    /// Marks a bundle to show the path from it.
    Mark,
    /// Shows what the marks mean.
    Legend,
    /// Dims what does not concern the selected bundle.
    Focus,
    /// Folds what is dull.
    Fold,
    /// Chooses the lowest version to show.
    Floor,
    /// Writes the graph as text.
    ExportText,
    /// Writes the graph as Mermaid flowcharts.
    ExportMermaid,
    /// Writes the graph for Graphviz.
    ExportDot,
    /// Writes the graph as a picture.
    ExportSvg,
    /// Writes the graph as one JSON value.
    ExportJson,
    /// Writes the graph as edges, a line of JSON each.
    ExportJsonl,
    /// Shows only rows where Classic and v1 differ, or all.
    DifferencesOnly,
    /// Adds what happens to the selected row to the upgrade expectations.
    AddExpectation,
    /// Opens the entry's form.
    EditEntry,
    /// Puts the bundle into other channels.
    Promote,
    /// Adds a new bundle.
    AddBundle,
    /// To the next section of a bundle.
    NextSection,
    /// To the previous section.
    PreviousSection,
    /// Copies the selected row of a bundle.
    CopyRow,
    /// Shows the edit that fixes what the row says.
    ApplyFix,
    /// Shows the accepted findings, or folds them again.
    FoldAccepted,
    /// Deprecates something, or takes that back.
    Deprecate,
    /// Removes what is selected.
    Remove,
    /// Adds an entry to the channel.
    AddEntry,
    /// Makes a channel.
    AddChannel,
    /// Gives the channel another name.
    RenameChannel,
    /// Says something else of the package.
    Describe,
    /// Makes the channel the default one.
    SetDefault,
    /// Supposes that versions below one are left out.
    WhatIfBelow,
    /// Supposes that the bundle is left out.
    WhatIfWithout,
    /// Supposes another skipRange.
    WhatIfRange,
    /// Supposes one more skip.
    WhatIfSkip,
    /// Supposes that the bundle is deprecated, or not.
    WhatIfDeprecateBundle,
    /// Supposes that the channel is deprecated, or not.
    WhatIfDeprecateChannel,
    /// Supposes that the package is deprecated, or not.
    WhatIfDeprecatePackage,
    /// Supposes that the channel is removed.
    WhatIfRemoveChannel,
    /// Supposes that only a part of the catalog is left.
    WhatIfExtract,
    /// Supposes that the catalog is mirrored by a configuration.
    WhatIfMirror,
    /// Takes back the last supposition.
    WhatIfUndo,
    /// Makes edits of the suppositions.
    WhatIfKeep,
    /// Forgets the suppositions.
    WhatIfDrop,
    /// Tries out ranges.
    TestRange,
    /// Takes back the last edit.
    Undo,
    /// Brings back the edit taken back last.
    Redo,
    /// Makes the last edit in the other catalogs.
    EditElsewhere,
    /// Opens the template the package is made from.
    OpenTemplate,
    /// Shows what would be written.
    Review,
    /// Writes.
    Write,
    /// Writes somewhere else.
    SaveAs,
    /// Reads again from disk.
    Reload,
    /// Copies the bundle's name.
    CopyName,
    /// Copies the entry as YAML.
    CopyEntry,
    /// Copies the path as a list of hops.
    CopyPath,
    /// Copies the command that asks what is asked here.
    CopyCommand,
    /// Copies the bundle's image.
    CopyImage,
    /// Copies the custom resources that have OLM v1 install the bundle.
    CopyExtension,
    /// Copies the custom resources that have OLM Classic install the bundle.
    CopySubscription,
    /// Copies file and line.
    CopyPlace,
    /// Shows the history of the package.
    ShowHistory,
    /// Shows what differs between two bundles.
    CompareBundles,
    /// Copies the comparison as Markdown.
    CopyComparison,
    /// Writes the comparison as Markdown.
    ExportComparison,
    /// Leaves the mouse to the terminal, or takes it back.
    ToggleMouse,
    /// Opens the file in an editor.
    OpenEditor,
    /// Goes on to the next theme.
    NextTheme,
    /// Hands the terminal to the shell.
    Suspend,
    /// What is wrong in the configuration.
    ShowConfiguration,
    /// Leaves.
    Quit,
    /// Takes what a dialog offers.
    Accept,
    /// Closes a dialog.
    Cancel,
    /// Goes a row up in a dialog.
    RowUp,
    /// Goes a row down in a dialog.
    RowDown,
    /// Shows what is below in the preview.
    PreviewDown,
    /// Shows what is above in it.
    PreviewUp,
    /// Goes a page up in a dialog.
    RowPageUp,
    /// Goes a page down in a dialog.
    RowPageDown,
    /// Goes to the first row of a dialog.
    RowFirst,
    /// Goes to the last row of a dialog.
    RowLast,
    /// Goes to the next field of a dialog.
    NextField,
    /// Goes to the previous field of a dialog.
    PreviousField,
    /// Takes what is proposed.
    Complete,
    /// Empties a field.
    ClearField,
    /// Chooses a row of a dialog.
    Choose,
    /// Lets a bundle that is promoted skip the head.
    PromoteSkips,
    /// Gives a bundle that is promoted a range.
    PromoteRange,
    /// Gives a new bundle the edges of its CSV.
    EntryFromCsv,
    /// Asks for a skipRange.
    OwnRange,
    /// Asks for the name of a channel that is to be made.
    NewChannel,
    /// Goes back to the fields of a dialog.
    BackToFields,
    /// Writes what opm refuses.
    WriteAnyway,
    /// Forgets edits from before a crash.
    ForgetEdits,
    /// Shows what is unsaved instead of leaving.
    ReviewFirst,
    /// Leaves without what is unsaved.
    DiscardEdits,
    /// What keys do in a dialog.
    DialogHelp,
}

impl ActionId {
    /// All of them.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Its name in the configuration and in documents, such as `half-down`. It stays what it is.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The action of a name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}
