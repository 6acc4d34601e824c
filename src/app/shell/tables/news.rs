//! Going from change to change, and the mouse.

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

/// Screens on which one goes from change to change.
const CHANGES: Context = On(&[Screen::Graph, Screen::Upgrades, Screen::Catalog, Screen::Changes]);

pub(in crate::app) static NEWS: &[ShellAction] = &[
    act(
        ActionSpec::new(
            ActionId::NextNews,
            CHANGES,
            &["}"],
            "next news",
            "Go to the next change, of a comparison or unsaved edits; in the graph else to what is to be said",
        ),
        moving::next_news,
    )
    .also(&["next change"])
    .when(moving::has_news),
    act(
        ActionSpec::new(
            ActionId::PreviousNews,
            CHANGES,
            &["{"],
            "news before",
            "Go to the change before, of a comparison or unsaved edits; in the graph else to what is to be said",
        ),
        moving::previous_news,
    )
    .also(&["previous change"])
    .when(moving::has_news),
];

pub(in crate::app) static MOUSE: &[ShellAction] = &[act(
    ActionSpec::new(
        ActionId::ToggleMouse,
        Everywhere,
        &["M"],
        "mouse",
        "Leave the mouse to the terminal, to select text with; again: take it back",
    ),
    finding::toggle_mouse,
)
.also(&["select text"])];
