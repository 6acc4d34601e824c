//! Actions of the Upgrades screen.

use super::{Upgrades, fields};
use crate::app::{
    keys::{
        ActionId, Screen,
        spec::{Context::On, Writes},
    },
    session::action::{Action, action},
};

/// The actions.
pub static TABLE: &[Action<Upgrades>] = &[
    action(
        ActionId::DifferencesOnly,
        On(&[Screen::Upgrades]),
        &["D"],
        "differences",
        "Show only rows where Classic and v1 differ, or all",
        fields::toggle_differences,
    )
    .hinted()
    .when(fields::has_table),
    action(
        ActionId::AddExpectation,
        On(&[Screen::Upgrades]),
        &["X"],
        "expect",
        "Record this upgrade as an expectation, for olmap expect",
        fields::add_expectation,
    )
    .also(&["record"])
    .writing(Writes::Elsewhere)
    .when(fields::has_row),
];
