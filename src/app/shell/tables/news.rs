//! Actions for going from change to change, and for the mouse.

use super::{
    super::{finding, moving},
    ShellAction, act,
};
use crate::app::keys::{
    ActionId, Screen,
    spec::{
        ActionSpec,
        Context::{self, Everywhere, On},
    },
};

/// Screens with changes to go to.
const CHANGES: Context = On(&[Screen::Graph, Screen::Upgrades, Screen::Catalog, Screen::Changes]);

pub(in crate::app) static NEWS: &[ShellAction] = &[
    act(
        ActionSpec::new(
            ActionId::NextNews,
            CHANGES,
            &["}"],
            "next change",
            "Go to the next change, or the next notable row of the graph; in the past, to a newer commit",
        ),
        moving::next_news,
    )
    .also(&["next difference"])
    .when(moving::has_news),
    act(
        ActionSpec::new(
            ActionId::PreviousNews,
            CHANGES,
            &["{"],
            "previous change",
            "Go to the previous change, or notable row of the graph; in the past, to an older commit",
        ),
        moving::previous_news,
    )
    .also(&["previous difference"])
    .when(moving::has_news),
];

pub(in crate::app) static MOUSE: &[ShellAction] = &[act(
    ActionSpec::new(
        ActionId::ToggleMouse,
        Everywhere,
        &["M"],
        "mouse",
        "Turn the mouse off, to select text in the terminal, or on again",
    ),
    finding::toggle_mouse,
)
.also(&["select text"])];
