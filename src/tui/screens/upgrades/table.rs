//! Actions of the Upgrades screen.

use super::{Upgrades, fields};
use crate::tui::{
    keys::{
        ActionId, Screen,
        spec::{ActionContext::On, WriteScope},
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
    .with_hint()
    .enabled_when(fields::check_table),
    action(
        ActionId::AddExpectation,
        On(&[Screen::Upgrades]),
        &["X"],
        "expect",
        "Record this upgrade as an expectation, for olmap expect",
        fields::ask_expectations_file,
    )
    .with_search_terms(&["record"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(fields::check_row),
];
