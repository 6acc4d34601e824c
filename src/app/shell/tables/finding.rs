//! Finding things and actions.

use crate::app::{
    actions as run,
    keys::{
        ActionId, Screen,
        spec::Context::{Everywhere, On},
    },
    session::action::{Action, action},
    shell::model::Model,
};

pub(in crate::app) static FINDING: &[Action<Model>] = &[
    action(
        ActionId::Filter,
        Everywhere,
        &["/"],
        "filter",
        "Show only rows that hold what you type",
        run::filter,
    )
    .hinted()
    .when(run::can_filter),
    action(
        ActionId::Find,
        Everywhere,
        &["ctrl-p"],
        "find",
        "Find any package, channel, bundle, version, image, API or finding",
        run::find,
    )
    .hinted()
    .when(run::has_catalog),
    action(
        ActionId::Sort,
        On(&[Screen::Catalog, Screen::Upgrades, Screen::Problems, Screen::Deprecations]),
        &["S"],
        "sort",
        "Sort the list another way: each press is the next order",
        run::sort,
    )
    .ranked(2)
    .ranked_on(Screen::Upgrades, 1)
    .when(run::can_sort),
    action(ActionId::Palette, Everywhere, &[":"], "actions", "Every action by name", run::palette),
    action(
        ActionId::ShowConfiguration,
        Everywhere,
        &[],
        "configuration",
        "What in the configuration is wrong and does not count",
        run::show_configuration,
    )
    .when(run::has_configuration_problems),
    action(ActionId::Help, Everywhere, &["?"], "help", "What the keys do here; Enter runs one", run::help)
        .hinted(),
    action(
        ActionId::Tour,
        Everywhere,
        &["H"],
        "tour",
        "Begin the four steps through the demo, or end them",
        run::tour,
    )
    .when(run::can_tour),
    action(
        ActionId::ShowLog,
        Everywhere,
        &["L"],
        "messages",
        "What olmap told you until now, newest first",
        run::show_log,
    )
    .when(run::has_log),
];
