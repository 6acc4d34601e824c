//! Screens with few actions of their own.

use super::{ActionId, ActionSpec, Context::On, Screen, run, spec};

pub(super) static SCREENS: &[ActionSpec] = &[
    spec(
        ActionId::Write,
        On(&[Screen::Changes]),
        &["enter"],
        "write",
        "Write the changed files; where a comparison is shown, Enter goes to the change",
        run::write,
    )
    .hinted()
    .mutating()
    .when(run::has_changes),
    spec(
        ActionId::ApplyFix,
        On(&[Screen::Problems]),
        &["."],
        "fix",
        "Make the edit that mends the finding",
        run::apply_fix,
    )
    .hinted()
    .mutating()
    .when(run::has_fix),
];
