//! The Upgrades screen.

use crate::app::{
    actions as run,
    keys::{
        ActionId, Screen,
        spec::{Context::On, Writes},
    },
    session::action::{Action, action},
    shell::model::Model,
};

pub(in crate::app) static UPGRADES: &[Action<Model>] = &[
    action(
        ActionId::DifferencesOnly,
        On(&[Screen::Upgrades]),
        &["D"],
        "differences",
        "Show only the rows where Classic and v1 differ, or all of them again",
        run::toggle_differences,
    )
    .hinted()
    .when(run::has_table),
    action(
        ActionId::AddExpectation,
        On(&[Screen::Upgrades]),
        &["X"],
        "expect",
        "Expect of this version what happens to it now: add it to the file that olmap expect checks",
        run::add_expectation,
    )
    .writing(Writes::Elsewhere)
    .when(run::has_row),
];
