//! Actions for going from change to change.

use super::{super::movement, ShellAction, shell_action};
use crate::tui::keys::{
    ActionId, Screen,
    spec::{
        ActionContext::{self, On},
        ActionSpec,
    },
};

/// Screens with changes to go to.
const CHANGES: ActionContext =
    On(&[Screen::Graph, Screen::Upgrades, Screen::Packages, Screen::Changes, Screen::Bundle]);

pub(in crate::tui) static CHANGE_ACTIONS: &[ShellAction] = &[
    shell_action(
        ActionSpec::new(
            ActionId::NextNews,
            CHANGES,
            &["}"],
            "next change",
            "Go to the next change, notable row of the graph, or section; in the past, to a newer commit",
        ),
        movement::go_to_next_change,
    )
    .with_search_terms(&["next difference"])
    .enabled_when(movement::has_next_change),
    shell_action(
        ActionSpec::new(
            ActionId::PreviousNews,
            CHANGES,
            &["{"],
            "previous change",
            "Go to the previous change, notable row of the graph, or section; in the past, to an older commit",
        ),
        movement::go_to_previous_change,
    )
    .with_search_terms(&["previous difference"])
    .enabled_when(movement::has_next_change),
];
