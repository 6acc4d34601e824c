//! Actions of the Graph screen.

use crate::tui::{
    keys::{ActionId, Screen, spec::ActionContext::On},
    screens::graph::{Graph, navigation, options},
    session::action::{Action, ActionHandler, action},
};

/// Replacements of shared actions.
pub(super) static REPLACEMENTS: &[ActionHandler<Graph>] = &[
    ActionHandler { id: ActionId::ApplyFix, is_enabled: options::has_fix, run: options::show_fix },
    ActionHandler { id: ActionId::Export, is_enabled: options::has_graph, run: options::ask_export_path },
];

/// The actions.
pub static TABLE: &[Action<Graph>] = &[
    action(
        ActionId::FollowOlder,
        On(&[Screen::Graph]),
        &["J"],
        "older",
        "Follow an edge to an older bundle",
        navigation::follow_older,
    )
    .with_hint()
    .enabled_when(navigation::has_bundle),
    action(
        ActionId::FollowNewer,
        On(&[Screen::Graph]),
        &["K"],
        "newer",
        "Follow an edge to a newer bundle; at the end of the channel, go to the pick of Classic or v1",
        navigation::follow_newer,
    )
    .with_hint()
    .enabled_when(navigation::has_bundle),
    action(
        ActionId::Mark,
        On(&[Screen::Graph]),
        &["m"],
        "mark",
        "Mark this bundle, then select another: shows the upgrade path, or why there is none",
        options::toggle_mark,
    )
    .with_search_terms(&["upgrade path"])
    .with_hint()
    .enabled_when(navigation::has_bundle),
    action(
        ActionId::Focus,
        On(&[Screen::Graph]),
        &["f"],
        "focus",
        "Dim everything unrelated to the selected bundle",
        options::toggle_focus,
    )
    .with_search_terms(&["highlight"])
    .with_hint()
    .enabled_when(options::check_layout),
    action(
        ActionId::Fold,
        On(&[Screen::Graph, Screen::Problems]),
        &["F"],
        "fold",
        "Show all rows, or fold those without anything notable; with a search, those without a match; accepted findings",
        options::toggle_fold,
    )
    .with_search_terms(&["collapse", "expand", "unfold", "hide", "accepted", "baseline"])
    .with_hint()
    .enabled_when(options::check_layout),
    action(
        ActionId::NextFound,
        On(&[Screen::Graph]),
        &["n"],
        "next match",
        "Go to the next match of the search",
        options::go_to_next_match,
    )
    .with_search_terms(&["search"])
    .enabled_when(options::check_search),
    action(
        ActionId::PreviousFound,
        On(&[Screen::Graph]),
        &["N"],
        "previous match",
        "Go to the previous match of the search",
        options::go_to_previous_match,
    )
    .with_search_terms(&["search"])
    .enabled_when(options::check_search),
    action(
        ActionId::Floor,
        On(&[Screen::Graph]),
        &["b"],
        "from version",
        "Hide versions older than a version",
        options::ask_floor,
    )
    .with_search_terms(&["hide old versions"])
    .enabled_when(options::check_layout),
    action(
        ActionId::Legend,
        On(&[Screen::Graph]),
        &["i"],
        "legend",
        "What the lines and marks of the graph mean",
        options::open_legend,
    )
    .with_search_terms(&["symbols"])
    .with_hint_rank(0),
    action(
        ActionId::Zoom,
        On(&[Screen::Graph]),
        &["z"],
        "zoom",
        "Zoom in on two hops around the bundle, or out",
        navigation::toggle_zoom,
    )
    .with_hint()
    .enabled_when(navigation::has_bundle),
    action(
        ActionId::AllChannels,
        On(&[Screen::Graph]),
        &["w"],
        "all channels",
        "All channels of the package side by side, or one channel",
        navigation::toggle_side_by_side,
    )
    .with_search_terms(&["side by side"])
    .with_hint()
    .enabled_when(navigation::check_channels),
    action(
        ActionId::GraphLeft,
        On(&[Screen::Graph]),
        &["left", "h"],
        "left",
        "Go left among channels or in the zoom; else go out",
        navigation::graph_left,
    ),
    action(
        ActionId::GraphRight,
        On(&[Screen::Graph]),
        &["right", "l"],
        "right",
        "Go right among channels or in the zoom; else go in",
        navigation::graph_right,
    ),
];
