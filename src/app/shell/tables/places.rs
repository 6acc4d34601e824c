//! Going to screens, places and catalogs, and leaving.

use crate::app::{
    actions as run,
    keys::{ActionId, spec::Context::Everywhere},
    session::action::{Action, action},
    shell::model::Model,
};

pub(in crate::app) static PLACES: &[Action<Model>] = &[
    action(
        ActionId::PlaceBack,
        Everywhere,
        &["["],
        "place before",
        "Go back to the place before the last jump",
        run::place_back,
    )
    .when(run::has_place_back),
    action(
        ActionId::PlaceForward,
        Everywhere,
        &["]"],
        "place after",
        "Go forward to the place one came back from",
        run::place_forward,
    )
    .when(run::has_place_forward),
    action(
        ActionId::NextCatalog,
        Everywhere,
        &[">"],
        "next catalog",
        "Look at the next open catalog",
        run::next_catalog,
    )
    .when(run::has_several),
    action(
        ActionId::PreviousCatalog,
        Everywhere,
        &["<"],
        "previous catalog",
        "Look at the previous open catalog",
        run::previous_catalog,
    )
    .when(run::has_several),
    action(
        ActionId::CompareWith,
        Everywhere,
        &["B"],
        "compare",
        "Compare with HEAD, another revision, another catalog, or what was loaded",
        run::compare_with,
    )
    .when(run::can_compare),
    action(
        ActionId::StopComparing,
        Everywhere,
        &[],
        "stop comparing",
        "Compare no longer: no marks, and Changes shows unsaved edits alone",
        run::stop_comparing,
    )
    .when(run::compares),
    action(
        ActionId::ShowCatalog,
        Everywhere,
        &["1"],
        "Catalog",
        "Packages, channels, entries, details",
        run::show_catalog,
    ),
    action(
        ActionId::ShowGraph,
        Everywhere,
        &["2"],
        "Graph",
        "The upgrade graph of the channel",
        run::show_graph,
    ),
    action(
        ActionId::ShowUpgrades,
        Everywhere,
        &["3"],
        "Upgrades",
        "What happens to every installed version",
        run::show_upgrades,
    ),
    action(ActionId::ShowProblems, Everywhere, &["4"], "Problems", "Findings", run::show_problems),
    action(
        ActionId::ShowDeprecations,
        Everywhere,
        &["5"],
        "Deprecations",
        "What is deprecated and whom it concerns",
        run::show_deprecations,
    ),
    action(
        ActionId::ShowChanges,
        Everywhere,
        &["6"],
        "Changes",
        "Unsaved edits and what they change",
        run::show_changes,
    ),
    action(ActionId::Reload, Everywhere, &["r"], "reload", "Read the catalog again from disk", run::reload)
        .when(run::can_reload),
    action(
        ActionId::NextTheme,
        Everywhere,
        &["ctrl-t"],
        "next theme",
        "Go on to the next theme: terminal, dark, light, high-contrast, mono",
        run::next_theme,
    )
    .when(run::has_colours),
    action(
        ActionId::Quit,
        Everywhere,
        &["ctrl-c"],
        "quit",
        "Leave the program; asks where edits are unsaved",
        run::quit,
    ),
];
