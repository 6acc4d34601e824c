//! The one table of actions: keymap, hint bar, help, palette and documents all come from it.

use super::{
    actions as run,
    model::{Busy, Model},
    msg::Effect,
    place::Screen,
};

/// Where an action makes sense.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Context {
    /// Everywhere.
    Everywhere,
    /// On one screen.
    On(Screen),
}

/// Why an action cannot be done now.
pub type Reason = String;

/// Names of the actions: `DESCRIPTION` in the documents, kebab case in the configuration.
macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// An action by name.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ActionId { $($(#[$doc])* $name),* }
    };
}

actions! {
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
    /// Goes back: closes, leaves, quits at the top.
    Back,
    /// Next pane.
    NextPane,
    /// Previous pane.
    PreviousPane,
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
    /// Back to the place before.
    PlaceBack,
    /// Forward again.
    PlaceForward,
    /// Next catalog.
    NextCatalog,
    /// Previous catalog.
    PreviousCatalog,
    /// Filters the list.
    Filter,
    /// Finds anything.
    Find,
    /// Every action.
    Palette,
    /// What keys do here.
    Help,
    /// Follows the edge to the newer bundle.
    FollowNewer,
    /// Follows the edge to the older bundle.
    FollowOlder,
    /// Jumps to Classic's pick.
    JumpClassic,
    /// Jumps to v1's pick.
    JumpV1,
    /// Opens the entry's form.
    EditEntry,
    /// Puts the bundle into other channels.
    Promote,
    /// Applies the finding's fix.
    ApplyFix,
    /// Makes the channel the default one.
    SetDefault,
    /// Takes back the last edit.
    Undo,
    /// Brings back the edit taken back last.
    Redo,
    /// Shows what would be written.
    Review,
    /// Writes.
    Write,
    /// Writes somewhere else.
    SaveAs,
    /// Reads again from disk.
    Reload,
    /// Hands the terminal to the shell.
    Suspend,
    /// Leaves.
    Quit,
}

/// An action with everything that is to be said of it.
pub struct ActionSpec {
    /// Its name.
    pub id: ActionId,
    /// What hint bar and palette call it.
    pub title: &'static str,
    /// What it does, in a sentence without a full stop.
    pub doc: &'static str,
    /// Where it makes sense.
    pub context: Context,
    /// Its keys; the first is shown.
    pub keys: &'static [&'static str],
    /// Whether the hint bar of its context shows it.
    pub hint: bool,
    /// Whether it changes a catalog or a file; then read-only mode refuses it.
    pub mutates: bool,
    /// Whether it can be done now, and if not, why.
    pub enabled: fn(&Model) -> Result<(), Reason>,
    /// Does it.
    pub run: fn(&mut Model) -> Vec<Effect>,
}

const fn spec(
    id: ActionId,
    context: Context,
    keys: &'static [&'static str],
    title: &'static str,
    doc: &'static str,
    run: fn(&mut Model) -> Vec<Effect>,
) -> ActionSpec {
    ActionSpec { id, title, doc, context, keys, hint: false, mutates: false, enabled: run::always, run }
}

impl ActionSpec {
    const fn hinted(mut self) -> Self {
        self.hint = true;
        self
    }

    const fn mutating(mut self) -> Self {
        self.mutates = true;
        self
    }

    const fn when(mut self, enabled: fn(&Model) -> Result<(), Reason>) -> Self {
        self.enabled = enabled;
        self
    }

    /// Whether it makes sense on a screen.
    pub fn applies_to(&self, screen: Screen) -> bool {
        match self.context {
            Context::Everywhere => true,
            Context::On(on) => on == screen,
        }
    }
}

use Context::{Everywhere, On};

/// Every action there is. Within a screen the first that has a key gets it; its own actions come before common ones.
pub static ACTIONS: &[ActionSpec] = &[
    // One screen only.
    spec(
        ActionId::FollowOlder,
        On(Screen::Graph),
        &["J"],
        "older",
        "Follow the edge to what this one replaces, skips or covers",
        run::follow_older,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::FollowNewer,
        On(Screen::Graph),
        &["K"],
        "newer",
        "Follow the edge to what replaces, skips or covers this one",
        run::follow_newer,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::JumpClassic,
        On(Screen::Graph),
        &["c"],
        "Classic pick",
        "Jump to what OLM Classic would pick for this one",
        run::jump_classic,
    )
    .hinted()
    .when(run::has_bundle),
    spec(
        ActionId::JumpV1,
        On(Screen::Graph),
        &["v"],
        "v1 pick",
        "Jump to what OLM v1 would pick for this one",
        run::jump_v1,
    )
    .hinted()
    .when(run::has_bundle),
    spec(ActionId::Write, On(Screen::Changes), &["enter"], "write", "Write the changed files", run::write)
        .hinted()
        .mutating()
        .when(run::has_changes),
    spec(
        ActionId::ApplyFix,
        On(Screen::Problems),
        &["."],
        "fix",
        "Make the edit that mends the finding",
        run::apply_fix,
    )
    .hinted()
    .mutating()
    .when(run::has_fix),
    // Editing.
    spec(
        ActionId::EditEntry,
        Everywhere,
        &["e"],
        "edit",
        "Edit what the entry replaces, skips and covers",
        run::edit_entry,
    )
    .hinted()
    .mutating()
    .when(run::has_entry),
    spec(
        ActionId::Promote,
        Everywhere,
        &["p"],
        "promote",
        "Put the bundle into other channels",
        run::promote,
    )
    .hinted()
    .mutating()
    .when(run::has_bundle),
    spec(
        ActionId::SetDefault,
        Everywhere,
        &["s"],
        "make default",
        "Make the selected channel the default one",
        run::set_default,
    )
    .mutating()
    .when(run::can_set_default),
    spec(ActionId::Undo, Everywhere, &["u"], "undo", "Take back the last edit", run::undo)
        .mutating()
        .when(run::can_undo),
    spec(ActionId::Redo, Everywhere, &["ctrl-r"], "redo", "Bring back the edit taken back last", run::redo)
        .mutating()
        .when(run::can_redo),
    spec(
        ActionId::Review,
        Everywhere,
        &["ctrl-s"],
        "save",
        "Show what would be written; Enter there writes",
        run::review,
    )
    .mutating()
    .when(run::has_changes),
    spec(
        ActionId::SaveAs,
        Everywhere,
        &[],
        "save as",
        "Write the whole catalog somewhere else",
        run::save_as,
    )
    .mutating()
    .when(run::has_catalog),
    // Finding.
    spec(
        ActionId::Filter,
        Everywhere,
        &["/"],
        "filter",
        "Show only rows that hold what you type",
        run::filter,
    )
    .hinted()
    .when(run::can_filter),
    spec(
        ActionId::Find,
        Everywhere,
        &["ctrl-p"],
        "find",
        "Find any package, channel, bundle or image",
        run::find,
    )
    .hinted()
    .when(run::has_catalog),
    spec(ActionId::Palette, Everywhere, &[":"], "actions", "Every action by name", run::palette),
    spec(ActionId::Help, Everywhere, &["?"], "help", "What the keys do here; Enter runs one", run::help)
        .hinted(),
    // Moving.
    spec(ActionId::Up, Everywhere, &["up", "k"], "up", "Move up", run::up),
    spec(ActionId::Down, Everywhere, &["down", "j"], "down", "Move down", run::down),
    spec(ActionId::Top, Everywhere, &["g", "home"], "top", "Go to the first row", run::top),
    spec(ActionId::Bottom, Everywhere, &["G", "end"], "bottom", "Go to the last row", run::bottom),
    spec(
        ActionId::HalfDown,
        Everywhere,
        &["ctrl-d"],
        "half a page down",
        "Move half a page down",
        run::half_down,
    ),
    spec(ActionId::HalfUp, Everywhere, &["ctrl-u"], "half a page up", "Move half a page up", run::half_up),
    spec(ActionId::PageDown, Everywhere, &["pgdn"], "page down", "Move a page down", run::page_down),
    spec(ActionId::PageUp, Everywhere, &["pgup"], "page up", "Move a page up", run::page_up),
    spec(ActionId::In, Everywhere, &["enter", "right", "l"], "in", "Go into what is selected", run::go_in),
    spec(ActionId::Out, Everywhere, &["left", "h"], "out", "Go out, to the left", run::go_out),
    spec(ActionId::Back, Everywhere, &["esc", "q"], "back", "Go back; at the top, quit", run::back),
    spec(ActionId::NextPane, Everywhere, &["tab"], "next pane", "Go to the next pane", run::next_pane),
    spec(
        ActionId::PreviousPane,
        Everywhere,
        &["shift-tab"],
        "previous pane",
        "Go to the previous pane",
        run::previous_pane,
    ),
    spec(
        ActionId::PlaceBack,
        Everywhere,
        &["["],
        "place before",
        "Go back to the place before the last jump",
        run::place_back,
    )
    .when(run::has_place_back),
    spec(
        ActionId::PlaceForward,
        Everywhere,
        &["]"],
        "place after",
        "Go forward to the place one came back from",
        run::place_forward,
    )
    .when(run::has_place_forward),
    spec(
        ActionId::NextCatalog,
        Everywhere,
        &[">"],
        "next catalog",
        "Look at the next open catalog",
        run::next_catalog,
    )
    .when(run::has_several),
    spec(
        ActionId::PreviousCatalog,
        Everywhere,
        &["<"],
        "previous catalog",
        "Look at the previous open catalog",
        run::previous_catalog,
    )
    .when(run::has_several),
    spec(
        ActionId::ShowCatalog,
        Everywhere,
        &["1"],
        "Catalog",
        "Packages, channels, entries, details",
        run::show_catalog,
    ),
    spec(
        ActionId::ShowGraph,
        Everywhere,
        &["2"],
        "Graph",
        "The upgrade graph of the channel",
        run::show_graph,
    ),
    spec(
        ActionId::ShowUpgrades,
        Everywhere,
        &["3"],
        "Upgrades",
        "What happens to every installed version",
        run::show_upgrades,
    ),
    spec(ActionId::ShowProblems, Everywhere, &["4"], "Problems", "Findings", run::show_problems),
    spec(
        ActionId::ShowDeprecations,
        Everywhere,
        &["5"],
        "Deprecations",
        "What is deprecated and whom it concerns",
        run::show_deprecations,
    ),
    spec(
        ActionId::ShowChanges,
        Everywhere,
        &["6"],
        "Changes",
        "Unsaved edits and what they change",
        run::show_changes,
    ),
    // The program.
    spec(ActionId::Reload, Everywhere, &["r"], "reload", "Read the catalog again from disk", run::reload)
        .when(run::can_reload),
    spec(
        ActionId::Suspend,
        Everywhere,
        &["ctrl-z"],
        "suspend",
        "Hand the terminal to the shell; fg comes back",
        run::suspend,
    ),
    spec(
        ActionId::Quit,
        Everywhere,
        &["ctrl-c"],
        "quit",
        "Leave the program; asks where edits are unsaved",
        run::quit,
    ),
];

/// The action of a name.
pub fn find(id: ActionId) -> Option<&'static ActionSpec> {
    ACTIONS.iter().find(|spec| spec.id == id)
}

/// Whether an action can be done now; the one place where read-only mode is looked at.
pub fn permitted(model: &Model, spec: &ActionSpec) -> Result<(), Reason> {
    if spec.mutates
        && let Some(reason) = model.read_only()
    {
        return Err(format!("read-only: {reason}"));
    }
    match model.busy {
        Some(Busy::Saving) if spec.mutates => return Err("the files are being written".to_owned()),
        Some(Busy::Reading) if spec.mutates => return Err("the files are being read".to_owned()),
        _ => {}
    }
    (spec.enabled)(model)
}
