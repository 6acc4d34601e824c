//! The Upgrades screen.

use super::{ActionId, ActionSpec, Context::On, Screen, run, spec};

pub(super) static UPGRADES: &[ActionSpec] = &[
    spec(
        ActionId::SortUpgrades,
        On(&[Screen::Upgrades]),
        &["S"],
        "sort",
        "Sort by installed version (both ways), trouble, hops in Classic, or what v1 does next",
        run::cycle_sort,
    )
    .hinted()
    .when(run::has_table),
    spec(
        ActionId::DifferencesOnly,
        On(&[Screen::Upgrades]),
        &["D"],
        "differences",
        "Show only the rows where Classic and v1 differ, or all of them again",
        run::toggle_differences,
    )
    .hinted()
    .when(run::has_table),
];
