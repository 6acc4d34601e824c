//! Moving within a screen.

use crate::app::{
    actions as run,
    keys::{ActionId, spec::Context::Everywhere},
    session::action::{Action, action},
    shell::model::Model,
};

pub(in crate::app) static MOVING: &[Action<Model>] = &[
    action(ActionId::Up, Everywhere, &["up", "k"], "up", "Move up", run::up),
    action(ActionId::Down, Everywhere, &["down", "j"], "down", "Move down", run::down),
    action(ActionId::Top, Everywhere, &["g", "home"], "top", "Go to the first row", run::top),
    action(ActionId::Bottom, Everywhere, &["G", "end"], "bottom", "Go to the last row", run::bottom),
    action(
        ActionId::HalfDown,
        Everywhere,
        &["ctrl-d"],
        "half a page down",
        "Move half a page down",
        run::half_down,
    ),
    action(ActionId::HalfUp, Everywhere, &["ctrl-u"], "half a page up", "Move half a page up", run::half_up),
    action(ActionId::PageDown, Everywhere, &["pgdn"], "page down", "Move a page down", run::page_down),
    action(ActionId::PageUp, Everywhere, &["pgup"], "page up", "Move a page up", run::page_up),
    action(ActionId::In, Everywhere, &["enter", "right", "l"], "in", "Go into what is selected", run::go_in),
    action(ActionId::Out, Everywhere, &["left", "h"], "out", "Go out, to the left", run::go_out),
    action(
        ActionId::Back,
        Everywhere,
        &["esc"],
        "back",
        "Go back; while files are read, stop that",
        run::back,
    ),
    action(
        ActionId::BackOrQuit,
        Everywhere,
        &["q"],
        "back or quit",
        "Go back; at the top, quit",
        run::back_or_quit,
    ),
    action(ActionId::NextPane, Everywhere, &["tab"], "next pane", "Go to the next pane", run::next_pane),
    action(
        ActionId::PreviousPane,
        Everywhere,
        &["shift-tab"],
        "previous pane",
        "Go to the previous pane",
        run::previous_pane,
    ),
    action(ActionId::GrowPane, Everywhere, &["+"], "larger pane", "Give this pane more room", run::grow_pane)
        .when(run::has_splitter),
    action(
        ActionId::ShrinkPane,
        Everywhere,
        &["-"],
        "smaller pane",
        "Give this pane less room",
        run::shrink_pane,
    )
    .when(run::has_splitter),
    action(
        ActionId::ResetPanes,
        Everywhere,
        &["="],
        "usual panes",
        "Give all panes their usual room",
        run::reset_panes,
    )
    .when(run::has_moved_panes),
];
