//! Actions for finding items and actions.

use super::{super::search, ShellAction, shell_action};
use crate::tui::keys::{
    ActionId, Screen,
    spec::{
        ActionContext::{Everywhere, On},
        ActionSpec,
    },
};

pub(in crate::tui) static FINDING: &[ShellAction] = &[
    shell_action(
        ActionSpec::new(
            ActionId::Filter,
            Everywhere,
            &["/"],
            "filter",
            "Show only rows that contain what you type",
        )
        .with_hint(),
        search::open_filter,
    )
    .with_search_terms(&["search", "grep"])
    .enabled_when(search::can_filter),
    shell_action(
        ActionSpec::new(
            ActionId::Find,
            Everywhere,
            &["ctrl-p"],
            "find",
            "Find any package, channel, bundle, version, image, API or finding",
        )
        .with_hint(),
        search::open_finder,
    )
    .with_search_terms(&["search", "jump to", "go to", "goto"])
    .enabled_when(search::has_catalog),
    shell_action(
        ActionSpec::new(
            ActionId::ShowApis,
            On(&[Screen::Packages, Screen::Bundle, Screen::Resolve]),
            &["U"],
            "APIs",
            "Show providers and users of APIs and packages; on an API of the Bundle screen, only its own",
        ),
        search::show_apis,
    )
    .with_search_terms(&["who", "provides", "requires", "dependencies", "missing", "gvk", "crd"])
    .enabled_when(search::has_catalog),
    shell_action(
        ActionSpec::new(
            ActionId::Sort,
            On(&[Screen::Packages, Screen::Upgrades, Screen::Problems, Screen::Deprecations]),
            &["S"],
            "sort",
            "Sort the list by the next order",
        )
        .with_hint_rank(2)
        .with_hint_rank_on(Screen::Upgrades, 1),
        search::sort_focused_list,
    )
    .with_search_terms(&["order"])
    .enabled_when(search::can_sort),
    shell_action(
        ActionSpec::new(ActionId::Palette, Everywhere, &[":"], "actions", "Every action by name"),
        search::open_palette,
    )
    .with_search_terms(&["commands"]),
    shell_action(
        ActionSpec::new(ActionId::Help, Everywhere, &["?"], "help", "Keys on this screen; Enter runs one")
            .with_hint(),
        search::open_help,
    )
    .with_search_terms(&["keys", "shortcuts"]),
];
