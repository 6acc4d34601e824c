//! Actions for movement within a screen.

use super::{
    super::{moving, panes},
    ShellAction, act,
};
use crate::app::keys::{
    ActionId,
    spec::{ActionSpec, Context::Everywhere},
};

pub(in crate::app) static MOVING: &[ShellAction] = &[
    act(ActionSpec::new(ActionId::Up, Everywhere, &["up", "k"], "up", "Move up"), moving::up),
    act(ActionSpec::new(ActionId::Down, Everywhere, &["down", "j"], "down", "Move down"), moving::down),
    act(
        ActionSpec::new(ActionId::Top, Everywhere, &["g", "home"], "top", "Go to the first row"),
        moving::top,
    ),
    act(
        ActionSpec::new(ActionId::Bottom, Everywhere, &["G", "end"], "bottom", "Go to the last row"),
        moving::bottom,
    ),
    act(
        ActionSpec::new(
            ActionId::HalfDown,
            Everywhere,
            &["ctrl-d"],
            "half a page down",
            "Move half a page down",
        ),
        moving::half_down,
    ),
    act(
        ActionSpec::new(ActionId::HalfUp, Everywhere, &["ctrl-u"], "half a page up", "Move half a page up"),
        moving::half_up,
    ),
    act(
        ActionSpec::new(ActionId::PageDown, Everywhere, &["pgdn"], "page down", "Move a page down"),
        moving::page_down,
    ),
    act(
        ActionSpec::new(ActionId::PageUp, Everywhere, &["pgup"], "page up", "Move a page up"),
        moving::page_up,
    ),
    act(
        ActionSpec::new(ActionId::In, Everywhere, &["enter", "right", "l"], "in", "Open the selection"),
        moving::go_in,
    ),
    act(
        ActionSpec::new(ActionId::Out, Everywhere, &["left", "h"], "out", "Go left, out of the selection"),
        moving::go_out,
    ),
    act(
        ActionSpec::new(ActionId::Back, Everywhere, &["esc"], "back", "Go back; stop reading files"),
        moving::back,
    ),
    act(
        ActionSpec::new(
            ActionId::BackOrQuit,
            Everywhere,
            &["q"],
            "back or quit",
            "Go back; at the top, quit",
        ),
        moving::back_or_quit,
    ),
    act(
        ActionSpec::new(ActionId::NextPane, Everywhere, &["tab"], "next pane", "Go to the next pane"),
        moving::next_pane,
    ),
    act(
        ActionSpec::new(
            ActionId::PreviousPane,
            Everywhere,
            &["shift-tab"],
            "previous pane",
            "Go to the previous pane",
        ),
        moving::previous_pane,
    ),
    act(
        ActionSpec::new(ActionId::GrowPane, Everywhere, &["+"], "grow pane", "Make this pane larger"),
        panes::grow_pane,
    )
    .when(panes::has_splitter),
    act(
        ActionSpec::new(ActionId::ShrinkPane, Everywhere, &["-"], "shrink pane", "Make this pane smaller"),
        panes::shrink_pane,
    )
    .when(panes::has_splitter),
    act(
        ActionSpec::new(
            ActionId::ResetPanes,
            Everywhere,
            &["="],
            "reset panes",
            "Reset all panes to their default size",
        ),
        panes::reset_panes,
    )
    .when(panes::has_moved_panes),
];
