//! Moving within a screen.

use crate::app::{
    actions as run,
    keys::{
        ActionId,
        spec::{ActionSpec, Context::Everywhere, spec},
    },
};

pub(in crate::app) static MOVING: &[ActionSpec] = &[
    spec(ActionId::Up, Everywhere, &["up", "k"], "up", "Move up", run::up),
    spec(ActionId::Down, Everywhere, &["down", "j"], "down", "Move down", run::down),
    spec(ActionId::Top, Everywhere, &["g", "home"], "top", "Go to the first row", run::top),
    spec(ActionId::Bottom, Everywhere, &["G", "end"], "bottom", "Go to the last row", run::bottom),
    spec(
        ActionId::HalfDown,
        Everywhere,
        &["ctrl-d"],
        "half a page down",
        "Move half a page down",
        run::half_down,
    ),
    spec(ActionId::HalfUp, Everywhere, &["ctrl-u"], "half a page up", "Move half a page up", run::half_up),
    spec(ActionId::PageDown, Everywhere, &["pgdn"], "page down", "Move a page down", run::page_down),
    spec(ActionId::PageUp, Everywhere, &["pgup"], "page up", "Move a page up", run::page_up),
    spec(ActionId::In, Everywhere, &["enter", "right", "l"], "in", "Go into what is selected", run::go_in),
    spec(ActionId::Out, Everywhere, &["left", "h"], "out", "Go out, to the left", run::go_out),
    spec(ActionId::Back, Everywhere, &["esc"], "back", "Go back; while files are read, stop that", run::back),
    spec(
        ActionId::BackOrQuit,
        Everywhere,
        &["q"],
        "back or quit",
        "Go back; at the top, quit",
        run::back_or_quit,
    ),
    spec(ActionId::NextPane, Everywhere, &["tab"], "next pane", "Go to the next pane", run::next_pane),
    spec(
        ActionId::PreviousPane,
        Everywhere,
        &["shift-tab"],
        "previous pane",
        "Go to the previous pane",
        run::previous_pane,
    ),
    spec(ActionId::GrowPane, Everywhere, &["+"], "larger pane", "Give this pane more room", run::grow_pane)
        .when(run::has_splitter),
    spec(
        ActionId::ShrinkPane,
        Everywhere,
        &["-"],
        "smaller pane",
        "Give this pane less room",
        run::shrink_pane,
    )
    .when(run::has_splitter),
    spec(
        ActionId::ResetPanes,
        Everywhere,
        &["="],
        "usual panes",
        "Give all panes their usual room",
        run::reset_panes,
    )
    .when(run::has_moved_panes),
];
