//! The actions by what they are about. Within a screen the first that has a key gets it, so the screens' own come first.

mod finding;
mod moving;
mod places;

use crate::app::{
    actions::tables::{away, editing, what_if},
    keys::spec::Prefix,
    screens::{changes::table as screens, graph::table as graph, upgrades::table as upgrades},
    session::action::Action,
    shell::model::Model,
};

/// All tables but that of dialogs, in order.
pub(super) static TABLES: [&[Action<Model>]; 9] = [
    graph::GRAPH,
    upgrades::UPGRADES,
    screens::SCREENS,
    what_if::WHAT_IF,
    editing::EDITING,
    finding::FINDING,
    moving::MOVING,
    places::PLACES,
    away::AWAY,
];

/// Keys that wait for another one.
pub(super) static PREFIXES: &[Prefix] = &[
    Prefix { key: "o", title: "write the graph to a file" },
    Prefix { key: "W", title: "what if ..." },
    Prefix { key: "y", title: "copy" },
];
