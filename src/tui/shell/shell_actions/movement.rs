//! Actions for movement within a screen.

use super::{
    super::{movement, panes},
    ShellAction, shell_action,
};
use crate::tui::keys::{
    ActionId,
    spec::{ActionContext::Everywhere, ActionSpec},
};

pub(in crate::tui) static MOVING: &[ShellAction] = &[
    shell_action(ActionSpec::new(ActionId::Up, Everywhere, &["up", "k"], "up", "Move up"), movement::move_up),
    shell_action(
        ActionSpec::new(ActionId::Down, Everywhere, &["down", "j"], "down", "Move down"),
        movement::move_down,
    ),
    shell_action(
        ActionSpec::new(ActionId::Top, Everywhere, &["g", "home"], "top", "Go to the first row"),
        movement::move_to_top,
    ),
    shell_action(
        ActionSpec::new(ActionId::Bottom, Everywhere, &["G", "end"], "bottom", "Go to the last row"),
        movement::move_to_bottom,
    ),
    shell_action(
        ActionSpec::new(ActionId::PageDown, Everywhere, &["pgdn", "ctrl-d"], "page down", "Move a page down"),
        movement::move_page_down,
    ),
    shell_action(
        ActionSpec::new(ActionId::PageUp, Everywhere, &["pgup", "ctrl-u"], "page up", "Move a page up"),
        movement::move_page_up,
    ),
    shell_action(
        ActionSpec::new(ActionId::In, Everywhere, &["enter", "right", "l"], "in", "Open the selection"),
        movement::go_in,
    ),
    shell_action(
        ActionSpec::new(ActionId::Out, Everywhere, &["left", "h"], "out", "Go left, out of the selection"),
        movement::go_out,
    ),
    shell_action(
        ActionSpec::new(ActionId::Back, Everywhere, &["esc"], "back", "Go back; stop reading files"),
        movement::go_back,
    ),
    shell_action(
        ActionSpec::new(
            ActionId::BackOrQuit,
            Everywhere,
            &["q"],
            "back or quit",
            "Go back; at the top, quit",
        ),
        movement::go_back_or_quit,
    ),
    shell_action(
        ActionSpec::new(ActionId::NextPane, Everywhere, &["tab"], "next pane", "Go to the next pane"),
        movement::focus_next_pane,
    ),
    shell_action(
        ActionSpec::new(
            ActionId::PreviousPane,
            Everywhere,
            &["shift-tab"],
            "previous pane",
            "Go to the previous pane",
        ),
        movement::focus_previous_pane,
    ),
    shell_action(
        ActionSpec::new(ActionId::GrowPane, Everywhere, &["+"], "grow pane", "Make this pane larger"),
        panes::grow_pane,
    )
    .enabled_when(panes::has_splitter),
    shell_action(
        ActionSpec::new(ActionId::ShrinkPane, Everywhere, &["-"], "shrink pane", "Make this pane smaller"),
        panes::shrink_pane,
    )
    .enabled_when(panes::has_splitter),
];
