//! Actions for going from change to change, and for the mouse.

use super::{
    super::{movement, search},
    ShellAction, shell_action,
};
use crate::tui::keys::{
    ActionId, Screen,
    spec::{
        ActionContext::{self, Everywhere, On},
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

pub(in crate::tui) static MOUSE_ACTIONS: &[ShellAction] = &[shell_action(
    ActionSpec::new(
        ActionId::ToggleMouse,
        Everywhere,
        &["M"],
        "mouse",
        "Turn the mouse off, to select text in the terminal, or on again",
    ),
    search::toggle_mouse,
)
.with_search_terms(&["select text"])];
