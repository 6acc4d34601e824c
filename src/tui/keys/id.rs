//! Names of the actions.

use strum::{EnumString, IntoStaticStr, VariantArray};

/// Name of an action.
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
    /// Moves a page down.
    PageDown,
    /// Moves a page up.
    PageUp,
    /// Enters the selection.
    In,
    /// Leaves the selection to the left.
    Out,
    /// Goes back: closes a dialog or leaves a screen.
    Back,
    /// Goes back, and quits at the top level.
    BackOrQuit,
    /// Moves to the next pane.
    NextPane,
    /// Moves to the previous pane.
    PreviousPane,
    /// Enlarges the pane.
    GrowPane,
    /// Shrinks the pane.
    ShrinkPane,
    /// Shows the Packages screen.
    ShowPackages,
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
    /// Shows the contents of the bundle.
    ShowBundle,
    /// Fetches bundle images.
    FetchBundles,
    /// Shows the Template screen.
    ShowTemplate,
    /// Shows the Resolve screen.
    ShowResolve,
    /// Shows the Plan screen.
    ShowPlan,
    /// Plans for the other OLM version.
    PlanEngine,
    /// Plans with the other install plan approval.
    PlanApproval,
    /// Plans with updates at another time.
    PlanUpdates,
    /// Opens the menu of what to assume about the cluster.
    Assume,
    /// Excludes an assumption, or includes it again.
    Exclude,
    /// Switches the assumption to the next channel.
    OtherChannel,
    /// Switches the assumption to the next catalog.
    OtherSource,
    /// Removes all assumptions.
    ClearAssumed,
    /// Opens the menu of the program: About, messages, theme, mouse, pane sizes, tour.
    ProgramMenu,
    /// Goes back to the previous location.
    PlaceBack,
    /// Goes forward to the next location.
    PlaceForward,
    /// Switches to the next catalog.
    NextCatalog,
    /// Switches to the previous catalog.
    PreviousCatalog,
    /// Opens another catalog.
    OpenCatalog,
    /// Lists the open catalogs.
    PickCatalog,
    /// Chooses the base of the comparison.
    CompareWith,
    /// Filters the list.
    Filter,
    /// Opens the finder.
    Find,
    /// Shows providers and users of APIs and packages.
    ShowApis,
    /// Switches the sort order of the list.
    Sort,
    /// Shows all actions.
    Palette,
    /// Shows the keys of the screen.
    Help,
    /// Follows the edge to the newer bundle.
    FollowNewer,
    /// Follows the edge to the older bundle.
    FollowOlder,
    /// Zooms in on the neighborhood, or out again.
    Zoom,
    /// Shows all channels side by side, or a single one.
    AllChannels,
    /// Moves left in the graph.
    GraphLeft,
    /// Moves right in the graph.
    GraphRight,
    /// Goes to the next change or changed row.
    NextNews,
    /// Goes to the previous change or changed row.
    PreviousNews,
    /// Goes to the next match.
    NextFound,
    /// Goes to the previous match.
    PreviousFound,
    /// Marks a bundle as the start of the path.
    Mark,
    /// Explains the symbols of the graph.
    Legend,
    /// Dims bundles that are unrelated to the selected one.
    Focus,
    /// Folds uninteresting bundles.
    Fold,
    /// Chooses the lowest visible version.
    Floor,
    /// Writes the graph or the comparison to a file.
    Export,
    /// Shows only rows in which Classic and v1 differ, or all rows.
    DifferencesOnly,
    /// Adds the upgrade of the selected row to the upgrade expectations.
    AddExpectation,
    /// Opens the form of the entry.
    EditEntry,
    /// Releases a bundle.
    Release,
    /// Previews the edit that fixes the finding of the row.
    ApplyFix,
    /// Deprecates the selection, or removes its deprecation.
    Deprecate,
    /// Removes the selection.
    Remove,
    /// Adds an entry to the channel.
    AddEntry,
    /// Opens the menu of rare edits.
    MoreEdits,
    /// Makes the channel the default channel.
    SetDefault,
    /// Opens the menu of what to suppose.
    WhatIf,
    /// Applies the what-if changes as an edit.
    WhatIfApply,
    /// Opens the range tester.
    TestRange,
    /// Undoes the last edit.
    Undo,
    /// Redoes the last undone edit.
    Redo,
    /// Repeats the last edit in the other catalogs.
    EditElsewhere,
    /// Opens the template of the package.
    OpenTemplate,
    /// Shows the unsaved changes.
    Review,
    /// Saves the changes.
    Write,
    /// Saves to another directory.
    SaveAs,
    /// Reloads from disk.
    Reload,
    /// Opens the menu of what to copy.
    Copy,
    /// Shows the history of the package.
    ShowHistory,
    /// Shows the differences between two bundles.
    CompareBundles,
    /// Opens the file in an editor.
    OpenEditor,
    /// Suspends olmap and returns to the shell.
    Suspend,
    /// Quits.
    Quit,
    /// Accepts the offer of a dialog.
    Accept,
    /// Closes a dialog.
    Cancel,
    /// Moves a row up in a dialog.
    RowUp,
    /// Moves a row down in a dialog.
    RowDown,
    /// Scrolls a page up.
    DialogPageUp,
    /// Scrolls a page down.
    DialogPageDown,
    /// Goes to the first row of a dialog.
    RowFirst,
    /// Goes to the last row of a dialog.
    RowLast,
    /// Goes to the next field of a dialog.
    NextField,
    /// Goes to the previous field of a dialog.
    PreviousField,
    /// Accepts the proposed completion.
    Complete,
    /// Clears a field.
    ClearField,
    /// Chooses a row of a dialog.
    Choose,
    /// Adds a catalog to those of the cluster, or removes it.
    ToggleClusterMember,
    /// Sets the priority of a catalog on the cluster.
    SetCatalogPriority,
    /// Changes the place of a released bundle in a channel.
    ReleasePlace,
    /// Changes the form of the edges of a released bundle.
    ReleaseEdges,
    /// Asks for a skipRange.
    OwnRange,
    /// Asks for the name of a new channel.
    NewChannel,
    /// Changes between the release and the withdrawal of a bundle.
    Withdraw,
    /// Writes although opm refuses the result.
    WriteAnyway,
    /// Shows the unsaved changes instead of quitting.
    ReviewFirst,
    /// Quits without saving.
    DiscardEdits,
    /// Shows the keys of a dialog.
    DialogHelp,
}

impl ActionId {
    /// All actions.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Returns the stable name in the configuration and in documents, such as `half-down`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the action with the given name.
    pub fn parse(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}
