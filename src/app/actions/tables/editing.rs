//! Editing and saving.

use crate::app::{
    actions as run,
    keys::Screen,
    keys::{
        ActionId,
        spec::{
            ActionSpec,
            Context::{Everywhere, On},
            spec,
        },
    },
};

/// Where something is selected that can be deprecated or removed.
const SELECTED: crate::app::keys::spec::Context =
    On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades, Screen::Deprecations]);

pub(in crate::app) static EDITING: &[ActionSpec] = &[
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
        ActionId::Deprecate,
        SELECTED,
        &["d"],
        "deprecate",
        "Deprecate the bundle, channel or package, change its message, or take that back",
        run::deprecate,
    )
    .hinted()
    .mutating()
    .when(run::can_deprecate),
    spec(
        ActionId::Remove,
        SELECTED,
        &["x"],
        "remove",
        "Remove the entry, bundle, channel or deprecation",
        run::remove,
    )
    .hinted()
    .mutating()
    .when(run::can_remove),
    spec(
        ActionId::AddEntry,
        Everywhere,
        &["a"],
        "add entry",
        "Add a bundle to the selected channel, with its edges",
        run::add_entry,
    )
    .hinted()
    .mutating()
    .when(run::can_add_entry),
    spec(
        ActionId::AddChannel,
        Everywhere,
        &["A"],
        "add channel",
        "Make a channel: empty, or a copy of the selected one, up to a version too",
        run::add_channel,
    )
    .mutating()
    .when(run::has_definition),
    spec(
        ActionId::RenameChannel,
        Everywhere,
        &["f2"],
        "rename channel",
        "Give the selected channel another name, in deprecations and as the default too",
        run::rename_channel,
    )
    .mutating()
    .when(run::has_channel),
    spec(
        ActionId::Describe,
        Everywhere,
        &[],
        "describe package",
        "Say something else of the selected package",
        run::describe,
    )
    .mutating()
    .when(run::has_definition),
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
        ActionId::EditElsewhere,
        Everywhere,
        &["C"],
        "in other catalogs",
        "Make the last edit in the other open catalogs too",
        run::edit_elsewhere,
    )
    .mutating()
    .when(run::can_edit_elsewhere),
    spec(
        ActionId::OpenTemplate,
        Everywhere,
        &["T"],
        "open template",
        "Open the template that ci.yaml says the package is made from",
        run::open_template,
    )
    .when(run::has_template),
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
