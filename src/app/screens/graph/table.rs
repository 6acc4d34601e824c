//! Actions of the Graph screen.

use super::{Graph, exports, folds, moves, side_by_side, zoom};
use crate::app::{
    keys::{ActionId, Screen, spec::Context::On},
    session::action::{Action, How, action},
};

/// Replacements of shared actions.
pub(super) static INSTEAD: &[How<Graph>] =
    &[How { id: ActionId::ApplyFix, can: folds::has_fix, run: folds::fix }];

/// The actions.
pub static TABLE: &[Action<Graph>] = &[
    action(
        ActionId::FollowOlder,
        On(&[Screen::Graph]),
        &["J"],
        "older",
        "Follow an edge to an older bundle",
        moves::follow_older,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::FollowNewer,
        On(&[Screen::Graph]),
        &["K"],
        "newer",
        "Follow an edge to a newer bundle",
        moves::follow_newer,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::JumpClassic,
        On(&[Screen::Graph]),
        &["c"],
        "Classic pick",
        "Jump to the pick of OLM Classic for this bundle",
        moves::jump_classic,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::JumpV1,
        On(&[Screen::Graph]),
        &["v"],
        "v1 pick",
        "Jump to the pick of OLM v1 for this bundle",
        moves::jump_v1,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::Mark,
        On(&[Screen::Graph]),
        &["m"],
        "mark",
        "Mark this bundle, then select another: shows the upgrade path, or why there is none",
        folds::mark,
    )
    .also(&["upgrade path"])
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::Focus,
        On(&[Screen::Graph]),
        &["f"],
        "focus",
        "Dim everything unrelated to the selected bundle",
        folds::focus,
    )
    .also(&["highlight"])
    .hinted()
    .when(folds::has_layout),
    action(
        ActionId::Fold,
        On(&[Screen::Graph]),
        &["F"],
        "fold",
        "Fold rows without anything notable; with a search, rows without a match",
        folds::fold,
    )
    .also(&["collapse", "hide"])
    .hinted()
    .when(folds::has_layout),
    action(
        ActionId::NextFound,
        On(&[Screen::Graph]),
        &["n"],
        "next match",
        "Go to the next match of the search",
        folds::next_found,
    )
    .also(&["search"])
    .when(folds::has_search),
    action(
        ActionId::PreviousFound,
        On(&[Screen::Graph]),
        &["N"],
        "previous match",
        "Go to the previous match of the search",
        folds::previous_found,
    )
    .also(&["search"])
    .when(folds::has_search),
    action(
        ActionId::Floor,
        On(&[Screen::Graph]),
        &["b"],
        "from version",
        "Hide versions older than a version",
        folds::floor,
    )
    .also(&["hide old versions"])
    .when(folds::has_layout),
    action(
        ActionId::Legend,
        On(&[Screen::Graph]),
        &["i"],
        "legend",
        "What the lines and marks of the graph mean",
        folds::legend,
    )
    .also(&["symbols"])
    .ranked(0),
    action(
        ActionId::Zoom,
        On(&[Screen::Graph]),
        &["z"],
        "zoom",
        "Zoom in on two hops around the bundle, or out",
        zoom::zoom,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::AllChannels,
        On(&[Screen::Graph]),
        &["w"],
        "all channels",
        "All channels of the package side by side, or one channel",
        side_by_side::all_channels,
    )
    .also(&["side by side"])
    .hinted()
    .when(side_by_side::has_channels),
    action(
        ActionId::GraphLeft,
        On(&[Screen::Graph]),
        &["left", "h"],
        "left",
        "Go left among channels or in the zoom; else go out",
        moves::graph_left,
    ),
    action(
        ActionId::GraphRight,
        On(&[Screen::Graph]),
        &["right", "l"],
        "right",
        "Go right among channels or in the zoom; else go in",
        moves::graph_right,
    ),
    action(
        ActionId::ExportText,
        On(&[Screen::Graph]),
        &["o t"],
        "graph as text",
        "Write the graph as text, 80 columns wide",
        exports::export_text,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportMermaid,
        On(&[Screen::Graph]),
        &["o m"],
        "graph as Mermaid",
        "Write the graph as Mermaid in Markdown",
        exports::export_mermaid,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportDot,
        On(&[Screen::Graph]),
        &["o d"],
        "graph as DOT",
        "Write the graph as DOT, for Graphviz",
        exports::export_dot,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportSvg,
        On(&[Screen::Graph]),
        &["o s"],
        "graph as SVG",
        "Write the graph as SVG, for documents",
        exports::export_svg,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportJson,
        On(&[Screen::Graph]),
        &["o j"],
        "graph as JSON",
        "Write the graph as JSON, per bundle",
        exports::export_json,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportJsonl,
        On(&[Screen::Graph]),
        &["o l"],
        "graph as JSONL",
        "Write the graph as JSONL, per edge",
        exports::export_jsonl,
    )
    .when(exports::has_graph),
];
