//! Screens with few actions of their own.

use crate::app::{
    actions as run,
    keys::{
        ActionId, Screen,
        spec::{Context::On, Writes},
    },
    session::action::{Action, action},
    shell::model::Model,
};

pub(in crate::app) static SCREENS: &[Action<Model>] = &[
    action(
        ActionId::Write,
        On(&[Screen::Changes]),
        &["enter"],
        "write",
        "Write the changed files; where a comparison is shown, Enter goes to the change",
        run::write,
    )
    .hinted()
    .writing(Writes::Package)
    .when(run::has_changes),
    action(
        ActionId::ApplyFix,
        On(&[Screen::Problems]),
        &["."],
        "fix",
        "Make the edit that mends the finding",
        run::apply_fix,
    )
    .hinted()
    .writing(Writes::Package)
    .when(run::has_fix),
];
