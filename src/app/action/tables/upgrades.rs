//! The Upgrades screen.

use super::{ActionId, ActionSpec, Context::On, Screen, run, spec};

pub(super) static UPGRADES: &[ActionSpec] = &[spec(
    ActionId::DifferencesOnly,
    On(&[Screen::Upgrades]),
    &["D"],
    "differences",
    "Show only the rows where Classic and v1 differ, or all of them again",
    run::toggle_differences,
)
.hinted()
.when(run::has_table)];
