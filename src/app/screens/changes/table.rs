//! Screens with few actions of their own.

use crate::app::{
    actions as run,
    keys::Screen,
    keys::{
        ActionId,
        spec::{ActionSpec, Context::On, spec},
    },
};

pub(in crate::app) static SCREENS: &[ActionSpec] = &[
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
