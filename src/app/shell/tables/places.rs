//! Going to screens, places and catalogs, and leaving.

use crate::app::{
    actions as run,
    keys::{
        ActionId,
        spec::{ActionSpec, Context::Everywhere, spec},
    },
};

pub(in crate::app) static PLACES: &[ActionSpec] = &[
    spec(
        ActionId::PlaceBack,
        Everywhere,
        &["["],
        "place before",
        "Go back to the place before the last jump",
        run::place_back,
    )
    .when(run::has_place_back),
    spec(
        ActionId::PlaceForward,
        Everywhere,
        &["]"],
        "place after",
        "Go forward to the place one came back from",
        run::place_forward,
    )
    .when(run::has_place_forward),
    spec(
        ActionId::NextCatalog,
        Everywhere,
        &[">"],
        "next catalog",
        "Look at the next open catalog",
        run::next_catalog,
    )
    .when(run::has_several),
    spec(
        ActionId::PreviousCatalog,
        Everywhere,
        &["<"],
        "previous catalog",
        "Look at the previous open catalog",
        run::previous_catalog,
    )
    .when(run::has_several),
    spec(
        ActionId::CompareWith,
        Everywhere,
        &["B"],
        "compare",
        "Compare with HEAD, another revision, another catalog, or what was loaded",
        run::compare_with,
    )
    .when(run::can_compare),
    spec(
        ActionId::StopComparing,
        Everywhere,
        &[],
        "stop comparing",
        "Compare no longer: no marks, and Changes shows unsaved edits alone",
        run::stop_comparing,
    )
    .when(run::compares),
    spec(
        ActionId::ShowCatalog,
        Everywhere,
        &["1"],
        "Catalog",
        "Packages, channels, entries, details",
        run::show_catalog,
    ),
    spec(
        ActionId::ShowGraph,
        Everywhere,
        &["2"],
        "Graph",
        "The upgrade graph of the channel",
        run::show_graph,
    ),
    spec(
        ActionId::ShowUpgrades,
        Everywhere,
        &["3"],
        "Upgrades",
        "What happens to every installed version",
        run::show_upgrades,
    ),
    spec(ActionId::ShowProblems, Everywhere, &["4"], "Problems", "Findings", run::show_problems),
    spec(
        ActionId::ShowDeprecations,
        Everywhere,
        &["5"],
        "Deprecations",
        "What is deprecated and whom it concerns",
        run::show_deprecations,
    ),
    spec(
        ActionId::ShowChanges,
        Everywhere,
        &["6"],
        "Changes",
        "Unsaved edits and what they change",
        run::show_changes,
    ),
    spec(ActionId::Reload, Everywhere, &["r"], "reload", "Read the catalog again from disk", run::reload)
        .when(run::can_reload),
    spec(
        ActionId::NextTheme,
        Everywhere,
        &["ctrl-t"],
        "next theme",
        "Go on to the next theme: terminal, dark, light, high-contrast, mono",
        run::next_theme,
    )
    .when(run::has_colours),
    spec(
        ActionId::Quit,
        Everywhere,
        &["ctrl-c"],
        "quit",
        "Leave the program; asks where edits are unsaved",
        run::quit,
    ),
];
