//! The actions of the Graph screen.

use super::{Graph, exports, folds, moves, side_by_side, zoom};
use crate::app::{
    keys::{
        ActionId, Screen,
        spec::{Context::On, Writes},
    },
    session::action::{Action, action},
};

/// What one can do there.
pub static TABLE: &[Action<Graph>] = &[
    action(
        ActionId::FollowOlder,
        On(&[Screen::Graph]),
        &["J"],
        "older",
        "Follow the edge to what this one replaces, skips or covers",
        moves::follow_older,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::FollowNewer,
        On(&[Screen::Graph]),
        &["K"],
        "newer",
        "Follow the edge to what replaces, skips or covers this one",
        moves::follow_newer,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::JumpClassic,
        On(&[Screen::Graph]),
        &["c"],
        "Classic pick",
        "Jump to what OLM Classic would pick for this one",
        moves::jump_classic,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::JumpV1,
        On(&[Screen::Graph]),
        &["v"],
        "v1 pick",
        "Jump to what OLM v1 would pick for this one",
        moves::jump_v1,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::Mark,
        On(&[Screen::Graph]),
        &["m"],
        "mark",
        "Mark this one, then select another: shows the path between them, or why there is none",
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
        "Dim what does not concern the selected bundle",
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
        "Fold runs without news; with a search, all it did not find",
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
        "Go to the next row that the search found",
        folds::next_found,
    )
    .also(&["search"])
    .when(folds::has_search),
    action(
        ActionId::PreviousFound,
        On(&[Screen::Graph]),
        &["N"],
        "match before",
        "Go to the previous row that the search found",
        folds::previous_found,
    )
    .also(&["search"])
    .when(folds::has_search),
    action(
        ActionId::Floor,
        On(&[Screen::Graph]),
        &["b"],
        "from version",
        "Show no versions below one",
        folds::floor,
    )
    .also(&["hide old versions"])
    .when(folds::has_layout),
    action(
        ActionId::OpenWay,
        On(&[Screen::Graph]),
        &["."],
        "open the way",
        "Make the one edit that opens the way from the mark to here",
        folds::open_way,
    )
    .writing(Writes::Package)
    .when(folds::has_opening),
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
        "Zoom in on what is two hops around it, or back out",
        zoom::zoom,
    )
    .hinted()
    .when(moves::has_bundle),
    action(
        ActionId::AllChannels,
        On(&[Screen::Graph]),
        &["w"],
        "all channels",
        "All channels of the package side by side; again: one channel",
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
        "Write it as text, 80 columns wide",
        exports::export_text,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportMermaid,
        On(&[Screen::Graph]),
        &["o m"],
        "graph as Mermaid",
        "Write it as Mermaid in Markdown",
        exports::export_mermaid,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportDot,
        On(&[Screen::Graph]),
        &["o d"],
        "graph as DOT",
        "Write it as DOT, for Graphviz",
        exports::export_dot,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportSvg,
        On(&[Screen::Graph]),
        &["o s"],
        "graph as SVG",
        "Write it as SVG, for documents",
        exports::export_svg,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportJson,
        On(&[Screen::Graph]),
        &["o j"],
        "graph as JSON",
        "Write it as JSON, bundle by bundle",
        exports::export_json,
    )
    .when(exports::has_graph),
    action(
        ActionId::ExportJsonl,
        On(&[Screen::Graph]),
        &["o l"],
        "graph as JSONL",
        "Write it as JSONL, edge by edge",
        exports::export_jsonl,
    )
    .when(exports::has_graph),
];
