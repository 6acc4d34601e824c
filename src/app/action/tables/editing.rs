//! Editing and saving.

use super::{ActionId, ActionSpec, Context::Everywhere, run, spec};

pub(super) static EDITING: &[ActionSpec] = &[
    spec(
        ActionId::EditEntry,
        Everywhere,
        &["e"],
        "edit",
        "Edit what the entry replaces, skips and covers",
        run::edit_entry,
    )
    .hinted()
    .mutating()
    .when(run::has_entry),
    spec(
        ActionId::Promote,
        Everywhere,
        &["p"],
        "promote",
        "Put the bundle into other channels",
        run::promote,
    )
    .hinted()
    .mutating()
    .when(run::has_bundle),
    spec(
        ActionId::SetDefault,
        Everywhere,
        &["s"],
        "make default",
        "Make the selected channel the default one",
        run::set_default,
    )
    .mutating()
    .when(run::can_set_default),
    spec(ActionId::Undo, Everywhere, &["u"], "undo", "Take back the last edit", run::undo)
        .mutating()
        .when(run::can_undo),
    spec(ActionId::Redo, Everywhere, &["ctrl-r"], "redo", "Bring back the edit taken back last", run::redo)
        .mutating()
        .when(run::can_redo),
    spec(
        ActionId::Review,
        Everywhere,
        &["ctrl-s"],
        "save",
        "Show what would be written; Enter there writes",
        run::review,
    )
    .mutating()
    .when(run::has_changes),
    spec(
        ActionId::SaveAs,
        Everywhere,
        &[],
        "save as",
        "Write the whole catalog somewhere else",
        run::save_as,
    )
    .mutating()
    .when(run::has_catalog),
];
