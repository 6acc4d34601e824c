//! Actions for finding items and actions.

use super::{super::finding, ShellAction, act};
use crate::app::keys::{
    ActionId, Screen,
    spec::{
        ActionSpec,
        Context::{Everywhere, On},
    },
};

pub(in crate::app) static FINDING: &[ShellAction] = &[
    act(
        ActionSpec::new(
            ActionId::Filter,
            Everywhere,
            &["/"],
            "filter",
            "Show only rows that contain what you type",
        )
        .hinted(),
        finding::filter,
    )
    .also(&["search", "grep"])
    .when(finding::can_filter),
    act(
        ActionSpec::new(
            ActionId::Find,
            Everywhere,
            &["ctrl-p"],
            "find",
            "Find any package, channel, bundle, version, image, API or finding",
        )
        .hinted(),
        finding::find,
    )
    .also(&["search", "jump to"])
    .when(finding::has_catalog),
    act(
        ActionSpec::new(
            ActionId::ShowApis,
            Everywhere,
            &["U"],
            "APIs",
            "Who provides and who requires APIs and packages; on an API of the Bundle screen, those of it",
        ),
        finding::apis,
    )
    .also(&["who", "provides", "requires", "dependencies", "missing", "gvk", "crd"])
    .when(finding::has_catalog),
    act(
        ActionSpec::new(
            ActionId::Sort,
            On(&[
                Screen::Catalog,
                Screen::Upgrades,
                Screen::Problems,
                Screen::Deprecations,
                Screen::Overview,
            ]),
            &["S"],
            "sort",
            "Sort the list by the next order",
        )
        .ranked(2)
        .ranked_on(Screen::Upgrades, 1),
        finding::sort,
    )
    .also(&["order"])
    .when(finding::can_sort),
    act(
        ActionSpec::new(ActionId::Palette, Everywhere, &[":"], "actions", "Every action by name"),
        finding::palette,
    )
    .also(&["commands"]),
    act(
        ActionSpec::new(
            ActionId::ShowConfiguration,
            Everywhere,
            &[],
            "configuration",
            "Invalid settings in the configuration, which are ignored",
        ),
        finding::show_configuration,
    )
    .also(&["settings"])
    .when(finding::has_configuration_problems),
    act(
        ActionSpec::new(ActionId::Help, Everywhere, &["?"], "help", "Keys on this screen; Enter runs one")
            .hinted(),
        finding::help,
    )
    .also(&["keys", "shortcuts"]),
    act(
        ActionSpec::new(
            ActionId::Tour,
            Everywhere,
            &["H"],
            "tour",
            "Start the tour of the demo in five steps, or end it",
        ),
        finding::tour,
    )
    .also(&["tutorial"])
    .when(finding::can_tour),
    act(
        ActionSpec::new(
            ActionId::ShowLog,
            Everywhere,
            &["L"],
            "messages",
            "All messages so far, newest first",
        ),
        finding::show_log,
    )
    .when(finding::has_log),
];
