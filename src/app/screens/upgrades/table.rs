//! The Upgrades screen.

use crate::app::{
    actions as run,
    keys::Screen,
    keys::{
        ActionId,
        spec::{ActionSpec, Context::On, spec},
    },
};

pub(in crate::app) static UPGRADES: &[ActionSpec] = &[
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
    spec(
        ActionId::AddExpectation,
        On(&[Screen::Upgrades]),
        &["X"],
        "expect",
        "Expect of this version what happens to it now: add it to the file that olmap expect checks",
        run::add_expectation,
    )
    .mutating()
    .when(run::has_row),
];
