//! The actions by what they are about. Within a screen the first that has a key gets it, so the screens' own come first.

mod away;
mod dialogs;
mod editing;
mod finding;
mod graph;
mod moving;
mod places;
mod screens;
mod upgrades;
mod what_if;

use super::{ActionId, ActionSpec, Context, Prefix, in_dialogs, run, spec};
use crate::app::place::Screen;

/// All tables, in order.
pub(super) static TABLES: [&[ActionSpec]; 10] = [
    graph::GRAPH,
    upgrades::UPGRADES,
    screens::SCREENS,
    what_if::WHAT_IF,
    editing::EDITING,
    finding::FINDING,
    moving::MOVING,
    places::PLACES,
    away::AWAY,
    dialogs::DIALOGS,
];

/// Keys that wait for another one.
pub(super) static PREFIXES: &[Prefix] = &[
    Prefix { key: "o", title: "write the graph to a file" },
    Prefix { key: "W", title: "what if ..." },
    Prefix { key: "y", title: "copy" },
];
