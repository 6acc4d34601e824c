//! The actions of the Upgrades screen.

use super::{Upgrades, fields};
use crate::app::{
    keys::{
        ActionId, Screen,
        spec::{Context::On, Writes},
    },
    session::action::{Action, action},
};

/// What one can do there.
pub static TABLE: &[Action<Upgrades>] = &[
    action(
        ActionId::DifferencesOnly,
        On(&[Screen::Upgrades]),
        &["D"],
        "differences",
        "Show only the rows where Classic and v1 differ, or all of them again",
        fields::toggle_differences,
    )
    .hinted()
    .when(fields::has_table),
    action(
        ActionId::AddExpectation,
        On(&[Screen::Upgrades]),
        &["X"],
        "expect",
        "Expect of this version what happens to it now: add it to the file that olmap expect checks",
        fields::add_expectation,
    )
    .also(&["record"])
    .writing(Writes::Elsewhere)
    .when(fields::has_row),
];
