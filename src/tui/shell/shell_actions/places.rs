//! Actions for screens, places and catalogs, and for quitting.

use super::{
    super::{places, program_menu},
    ShellAction, shell_action,
};

use crate::tui::{
    actions::comparison,
    keys::{
        ActionId, Screen,
        spec::{ActionContext::Everywhere, ActionSpec},
    },
};

pub(in crate::tui) static PLACES: &[ShellAction] = &[
    shell_action(
        ActionSpec::new(
            ActionId::PlaceBack,
            Everywhere,
            &["["],
            "previous place",
            "Go back to the place before the last jump",
        ),
        places::go_to_previous_place,
    )
    .enabled_when(places::has_place_back),
    shell_action(
        ActionSpec::new(
            ActionId::PlaceForward,
            Everywhere,
            &["]"],
            "next place",
            "Go forward again, after going back",
        ),
        places::go_to_next_place,
    )
    .enabled_when(places::has_place_forward),
    shell_action(
        ActionSpec::new(
            ActionId::NextCatalog,
            Everywhere,
            &[">"],
            "next catalog",
            "Switch to the next open catalog",
        ),
        places::next_catalog,
    )
    .with_search_terms(&["switch catalog"])
    .enabled_when(places::has_several_catalogs),
    shell_action(
        ActionSpec::new(
            ActionId::PreviousCatalog,
            Everywhere,
            &["<"],
            "previous catalog",
            "Switch to the previous open catalog",
        ),
        places::previous_catalog,
    )
    .with_search_terms(&["switch catalog"])
    .enabled_when(places::has_several_catalogs),
    shell_action(
        ActionSpec::new(
            ActionId::OpenCatalog,
            Everywhere,
            &["ctrl-o"],
            "open",
            "Open one more catalog: a directory, a file, an image of a registry, a web address",
        ),
        places::ask_for_catalog,
    )
    .with_search_terms(&["image", "registry", "path", "add catalog"])
    .enabled_when(places::is_idle),
    shell_action(
        ActionSpec::new(
            ActionId::PickCatalog,
            Everywhere,
            &["O"],
            "catalogs",
            "List the open catalogs and switch to one",
        )
        .with_hint_rank(3),
        places::pick_catalog,
    )
    .with_search_terms(&["open catalog", "switch catalog"]),
    shell_action(
        ActionSpec::new(
            ActionId::CompareWith,
            Everywhere,
            &["B"],
            "compare",
            "Compare with HEAD, another revision, another catalog or what was loaded; or stop comparing",
        )
        .with_hint_rank(8),
        |model| model.with_context(comparison::open_comparison_choice),
    )
    .with_search_terms(&["diff", "git"])
    .enabled_when(|model| comparison::can_compare(&model.view())),
    shell_action(
        ActionSpec::new(
            ActionId::ShowPackages,
            Everywhere,
            &["1"],
            "Packages",
            "Packages, channels, entries, details; with several catalogs, all of them side by side",
        ),
        |model| places::show_screen(model, Screen::Packages),
    )
    .with_search_terms(&["catalog", "overview", "openshift", "versions", "health", "trouble"]),
    shell_action(
        ActionSpec::new(ActionId::ShowGraph, Everywhere, &["2"], "Graph", "The upgrade graph of the channel"),
        |model| places::show_screen(model, Screen::Graph),
    ),
    shell_action(
        ActionSpec::new(
            ActionId::ShowUpgrades,
            Everywhere,
            &["3"],
            "Upgrades",
            "What happens to every installed version",
        ),
        |model| places::show_screen(model, Screen::Upgrades),
    )
    .with_search_terms(&["upgrade path", "successors", "installed versions"]),
    shell_action(ActionSpec::new(ActionId::ShowProblems, Everywhere, &["4"], "Problems", "Findings"), |model| {
        places::show_screen(model, Screen::Problems)
    })
    .with_search_terms(&["validate", "lint", "check", "errors", "warnings"]),
    shell_action(
        ActionSpec::new(
            ActionId::ShowDeprecations,
            Everywhere,
            &["5"],
            "Deprecations",
            "Deprecations and who is affected",
        ),
        |model| places::show_screen(model, Screen::Deprecations),
    ),
    shell_action(
        ActionSpec::new(
            ActionId::ShowChanges,
            Everywhere,
            &["6"],
            "Changes",
            "Unsaved edits and what they change",
        ),
        |model| places::show_screen(model, Screen::Changes),
    )
    .with_search_terms(&["diff", "unsaved edits"]),
    shell_action(
        ActionSpec::new(
            ActionId::ShowTemplate,
            Everywhere,
            &["8"],
            "Template",
            "The lists of a semver template: which bundles are in candidate, fast and stable",
        ),
        |model| places::show_screen(model, Screen::Template),
    )
    .with_search_terms(&["semver", "candidate", "fast", "stable", "lists"])
    .enabled_when(places::has_semver_lists),
    shell_action(
        ActionSpec::new(
            ActionId::ShowResolve,
            Everywhere,
            &["9"],
            "Resolve",
            "What OLM Classic installs with its dependencies on a cluster that you assume",
        ),
        |model| places::show_screen(model, Screen::Resolve),
    )
    .with_search_terms(&["dependencies", "cluster", "subscriptions", "resolution"])
    .enabled_when(places::has_package),
    shell_action(
        ActionSpec::new(
            ActionId::ShowPlan,
            Everywhere,
            &["0"],
            "Plan",
            "How installed versions get from the lowest OpenShift version that is open to the highest, and what blocks them",
        ),
        |model| places::show_screen(model, Screen::Plan),
    )
    .with_search_terms(&["openshift", "cluster update", "route", "stranded", "versions"])
    .enabled_when(places::has_several_versions),
    shell_action(
        ActionSpec::new(ActionId::Reload, Everywhere, &["r"], "reload", "Reload the catalog from disk"),
        places::reload,
    )
    .with_search_terms(&["refresh"])
    .enabled_when(places::can_reload),
    shell_action(
        ActionSpec::new(
            ActionId::ProgramMenu,
            Everywhere,
            &["I"],
            "program",
            "About olmap, words, messages, theme, mouse, default pane sizes, tour, invalid settings",
        ),
        program_menu::open_program_menu,
    )
    .with_search_terms(&[
        "about",
        "words",
        "glossary",
        "terms",
        "meaning",
        "theme",
        "mouse",
        "tour",
        "messages",
        "log",
        "notices",
        "colors",
        "colours",
        "dark mode",
        "light mode",
        "select text",
        "reset panes",
        "tutorial",
        "settings",
        "configuration",
        "doctor",
        "environment",
    ]),
    shell_action(
        ActionSpec::new(
            ActionId::Quit,
            Everywhere,
            &["ctrl-c"],
            "quit",
            "Quit; asks if there are unsaved edits",
        ),
        places::quit_or_ask,
    )
    .with_search_terms(&["exit", "leave"]),
];
