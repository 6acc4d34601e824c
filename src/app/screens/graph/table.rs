//! The Graph screen.

use crate::app::{
    actions as run,
    keys::{
        ActionId, Screen,
        spec::{
            Context::{self, On},
            Writes,
        },
    },
    session::action::{Action, action},
    shell::model::Model,
};

/// Screens on which one goes from change to change.
const NEWS: Context = On(&[Screen::Graph, Screen::Upgrades, Screen::Catalog, Screen::Changes]);

pub(in crate::app) static GRAPH: &[Action<Model>] = &[
    action(
        ActionId::FollowOlder,
        On(&[Screen::Graph]),
        &["J"],
        "older",
        "Follow the edge to what this one replaces, skips or covers",
        run::follow_older,
    )
    .hinted()
    .when(run::has_bundle),
    action(
        ActionId::FollowNewer,
        On(&[Screen::Graph]),
        &["K"],
        "newer",
        "Follow the edge to what replaces, skips or covers this one",
        run::follow_newer,
    )
    .hinted()
    .when(run::has_bundle),
    action(
        ActionId::JumpClassic,
        On(&[Screen::Graph]),
        &["c"],
        "Classic pick",
        "Jump to what OLM Classic would pick for this one",
        run::jump_classic,
    )
    .hinted()
    .when(run::has_bundle),
    action(
        ActionId::JumpV1,
        On(&[Screen::Graph]),
        &["v"],
        "v1 pick",
        "Jump to what OLM v1 would pick for this one",
        run::jump_v1,
    )
    .hinted()
    .when(run::has_bundle),
    action(
        ActionId::Mark,
        On(&[Screen::Graph]),
        &["m"],
        "mark",
        "Mark this one, then select another: shows the path between them, or why there is none",
        run::mark,
    )
    .hinted()
    .when(run::has_bundle),
    action(
        ActionId::Focus,
        On(&[Screen::Graph]),
        &["f"],
        "focus",
        "Dim what does not concern the selected bundle",
        run::focus,
    )
    .hinted()
    .when(run::has_layout),
    action(
        ActionId::Fold,
        On(&[Screen::Graph]),
        &["F"],
        "fold",
        "Fold runs without news; with a search, all it did not find",
        run::fold,
    )
    .hinted()
    .when(run::has_layout),
    action(
        ActionId::NextNews,
        NEWS,
        &["}"],
        "next news",
        "Go to the next change while one compares; in the graph else to what is to be said",
        run::next_news,
    )
    .when(run::has_news),
    action(
        ActionId::PreviousNews,
        NEWS,
        &["{"],
        "news before",
        "Go to the change before while one compares; in the graph else to what is to be said",
        run::previous_news,
    )
    .when(run::has_news),
    action(
        ActionId::NextFound,
        On(&[Screen::Graph]),
        &["n"],
        "next match",
        "Go to the next row that the search found",
        run::next_found,
    )
    .when(run::has_search),
    action(
        ActionId::PreviousFound,
        On(&[Screen::Graph]),
        &["N"],
        "match before",
        "Go to the previous row that the search found",
        run::previous_found,
    )
    .when(run::has_search),
    action(
        ActionId::Floor,
        On(&[Screen::Graph]),
        &["b"],
        "from version",
        "Show no versions below one",
        run::floor,
    )
    .when(run::has_layout),
    action(
        ActionId::OpenWay,
        On(&[Screen::Graph]),
        &["."],
        "open the way",
        "Make the one edit that opens the way from the mark to here",
        run::open_way,
    )
    .writing(Writes::Package)
    .when(run::has_opening),
    action(
        ActionId::Legend,
        On(&[Screen::Graph]),
        &["i"],
        "legend",
        "What the lines and marks of the graph mean",
        run::legend,
    ),
    action(
        ActionId::Zoom,
        On(&[Screen::Graph]),
        &["z"],
        "zoom",
        "Zoom in on what is two hops around it, or back out",
        run::zoom,
    )
    .hinted()
    .when(run::has_bundle),
    action(
        ActionId::AllChannels,
        On(&[Screen::Graph]),
        &["w"],
        "all channels",
        "All channels of the package side by side; again: one channel",
        run::all_channels,
    )
    .hinted()
    .when(run::has_channels),
    action(
        ActionId::GraphLeft,
        On(&[Screen::Graph]),
        &["left", "h"],
        "left",
        "Go left among channels or in the zoom; else go out",
        run::graph_left,
    ),
    action(
        ActionId::GraphRight,
        On(&[Screen::Graph]),
        &["right", "l"],
        "right",
        "Go right among channels or in the zoom; else go in",
        run::graph_right,
    ),
    action(
        ActionId::ExportText,
        On(&[Screen::Graph]),
        &["o t"],
        "graph as text",
        "Write it as text, 80 columns wide",
        run::export_text,
    )
    .when(run::has_graph),
    action(
        ActionId::ExportMermaid,
        On(&[Screen::Graph]),
        &["o m"],
        "graph as Mermaid",
        "Write it as Mermaid in Markdown",
        run::export_mermaid,
    )
    .when(run::has_graph),
    action(
        ActionId::ExportDot,
        On(&[Screen::Graph]),
        &["o d"],
        "graph as DOT",
        "Write it as DOT, for Graphviz",
        run::export_dot,
    )
    .when(run::has_graph),
    action(
        ActionId::ExportSvg,
        On(&[Screen::Graph]),
        &["o s"],
        "graph as SVG",
        "Write it as SVG, for documents",
        run::export_svg,
    )
    .when(run::has_graph),
    action(
        ActionId::ExportJson,
        On(&[Screen::Graph]),
        &["o j"],
        "graph as JSON",
        "Write it as JSON, bundle by bundle",
        run::export_json,
    )
    .when(run::has_graph),
    action(
        ActionId::ExportJsonl,
        On(&[Screen::Graph]),
        &["o l"],
        "graph as JSONL",
        "Write it as JSONL, edge by edge",
        run::export_jsonl,
    )
    .when(run::has_graph),
];
