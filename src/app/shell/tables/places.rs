//! Actions for screens, places and catalogs, and for quitting.

use super::{super::places, ShellAction, act};

use crate::app::{
    actions::comparing,
    keys::{
        ActionId, Screen,
        spec::{ActionSpec, Context::Everywhere},
    },
};

pub(in crate::app) static PLACES: &[ShellAction] = &[
    act(
        ActionSpec::new(
            ActionId::PlaceBack,
            Everywhere,
            &["["],
            "previous place",
            "Go back to the place before the last jump",
        ),
        places::place_back,
    )
    .when(places::has_place_back),
    act(
        ActionSpec::new(
            ActionId::PlaceForward,
            Everywhere,
            &["]"],
            "next place",
            "Go forward again, after going back",
        ),
        places::place_forward,
    )
    .when(places::has_place_forward),
    act(
        ActionSpec::new(
            ActionId::NextCatalog,
            Everywhere,
            &[">"],
            "next catalog",
            "Switch to the next open catalog",
        ),
        places::next_catalog,
    )
    .also(&["switch catalog"])
    .when(places::has_several),
    act(
        ActionSpec::new(
            ActionId::PreviousCatalog,
            Everywhere,
            &["<"],
            "previous catalog",
            "Switch to the previous open catalog",
        ),
        places::previous_catalog,
    )
    .also(&["switch catalog"])
    .when(places::has_several),
    act(
        ActionSpec::new(
            ActionId::OpenCatalog,
            Everywhere,
            &["ctrl-o"],
            "open",
            "Open one more catalog: a directory, a file, an image of a registry, a web address",
        ),
        places::open_catalog,
    )
    .also(&["image", "registry", "path", "add catalog"])
    .when(places::is_idle),
    act(
        ActionSpec::new(
            ActionId::PickCatalog,
            Everywhere,
            &["O"],
            "catalogs",
            "List the open catalogs and switch to one",
        )
        .ranked(3),
        places::pick_catalog,
    )
    .also(&["open catalog", "switch catalog"]),
    act(
        ActionSpec::new(
            ActionId::CompareWith,
            Everywhere,
            &["B"],
            "compare",
            "Compare with HEAD, another revision, another catalog, or what was loaded",
        )
        .ranked(8),
        |model| model.with(comparing::compare_with),
    )
    .also(&["diff", "git"])
    .when(|model| comparing::can_compare(&model.see())),
    act(
        ActionSpec::new(
            ActionId::StopComparing,
            Everywhere,
            &[],
            "stop comparing",
            "Stop the comparison: Changes shows only unsaved edits",
        ),
        |model| model.with(comparing::stop_comparing),
    )
    .also(&["diff"])
    .when(|model| comparing::compares(&model.see())),
    act(
        ActionSpec::new(
            ActionId::ShowCatalog,
            Everywhere,
            &["1"],
            "Catalog",
            "Packages, channels, entries, details",
        ),
        |model| places::show(model, Screen::Catalog),
    )
    .also(&["packages"]),
    act(
        ActionSpec::new(ActionId::ShowGraph, Everywhere, &["2"], "Graph", "The upgrade graph of the channel"),
        |model| places::show(model, Screen::Graph),
    ),
    act(
        ActionSpec::new(
            ActionId::ShowUpgrades,
            Everywhere,
            &["3"],
            "Upgrades",
            "What happens to every installed version",
        ),
        |model| places::show(model, Screen::Upgrades),
    )
    .also(&["upgrade path", "successors", "installed versions"]),
    act(ActionSpec::new(ActionId::ShowProblems, Everywhere, &["4"], "Problems", "Findings"), |model| {
        places::show(model, Screen::Problems)
    })
    .also(&["validate", "lint", "check", "errors", "warnings"]),
    act(
        ActionSpec::new(
            ActionId::ShowDeprecations,
            Everywhere,
            &["5"],
            "Deprecations",
            "Deprecations and who is affected",
        ),
        |model| places::show(model, Screen::Deprecations),
    ),
    act(
        ActionSpec::new(
            ActionId::ShowChanges,
            Everywhere,
            &["6"],
            "Changes",
            "Unsaved edits and what they change",
        ),
        |model| places::show(model, Screen::Changes),
    )
    .also(&["diff", "unsaved edits"]),
    act(
        ActionSpec::new(
            ActionId::ShowTemplate,
            Everywhere,
            &["8"],
            "Template",
            "The lists of a semver template: which bundles are in candidate, fast and stable",
        ),
        |model| places::show(model, Screen::Template),
    )
    .also(&["semver", "candidate", "fast", "stable", "lists"])
    .when(places::has_lists),
    act(
        ActionSpec::new(
            ActionId::ShowResolve,
            Everywhere,
            &["9"],
            "Resolve",
            "What OLM Classic installs with its dependencies on a cluster that you assume",
        ),
        |model| places::show(model, Screen::Resolve),
    )
    .also(&["dependencies", "cluster", "subscriptions", "resolution"]),
    act(
        ActionSpec::new(
            ActionId::ShowOverview,
            Everywhere,
            &["0"],
            "Overview",
            "The packages of all open catalogs: heads, stuck versions, findings, side by side",
        ),
        |model| places::show(model, Screen::Overview),
    )
    .also(&["openshift", "versions", "health", "trouble"]),
    act(
        ActionSpec::new(
            ActionId::ShowPlan,
            Everywhere,
            &["Q"],
            "Plan",
            "How installed versions get from the lowest OpenShift version that is open to the highest, and what blocks them",
        ),
        |model| places::show(model, Screen::Plan),
    )
    .also(&["openshift", "cluster update", "route", "stranded", "versions"]),
    act(
        ActionSpec::new(
            ActionId::ShowAbout,
            Everywhere,
            &["I"],
            "About",
            "Version, terminal, settings and files",
        ),
        |model| places::show(model, Screen::About),
    )
    .also(&["doctor", "environment"]),
    act(
        ActionSpec::new(ActionId::Reload, Everywhere, &["r"], "reload", "Reload the catalog from disk"),
        places::reload,
    )
    .also(&["refresh"])
    .when(places::can_reload),
    act(
        ActionSpec::new(
            ActionId::NextTheme,
            Everywhere,
            &["ctrl-t"],
            "next theme",
            "Switch to the next theme: terminal, dark, light, high-contrast, mono",
        ),
        places::next_theme,
    )
    .also(&["colors", "colours", "dark mode", "light mode"])
    .when(places::has_colours),
    act(
        ActionSpec::new(
            ActionId::Quit,
            Everywhere,
            &["ctrl-c"],
            "quit",
            "Quit; asks if there are unsaved edits",
        ),
        places::quit,
    )
    .also(&["exit", "leave"]),
];
