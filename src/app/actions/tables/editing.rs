//! Editing and saving.

use crate::app::{
    actions as run,
    keys::{
        ActionId, Screen,
        spec::{
            Context::{self, Everywhere, On},
            Writes,
        },
    },
    session::action::{Action, action},
    shell::model::Model,
};

/// Where something is selected that can be deprecated or removed.
const SELECTED: Context = On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades, Screen::Deprecations]);

pub(in crate::app) static EDITING: &[Action<Model>] = &[
    action(
        ActionId::EditEntry,
        Everywhere,
        &["e"],
        "edit",
        "Edit what the entry replaces, skips and covers",
        run::edit_entry,
    )
    .hinted()
    .writing(Writes::Package)
    .when(run::has_entry),
    action(
        ActionId::Promote,
        Everywhere,
        &["p"],
        "promote",
        "Put the bundle into other channels",
        run::promote,
    )
    .hinted()
    .writing(Writes::Package)
    .when(run::has_bundle),
    action(
        ActionId::Deprecate,
        SELECTED,
        &["d"],
        "deprecate",
        "Deprecate the bundle, channel or package, change its message, or take that back",
        run::deprecate,
    )
    .ranked(3)
    .ranked_on(Screen::Deprecations, 1)
    .writing(Writes::Package)
    .when(run::can_deprecate),
    action(
        ActionId::Remove,
        SELECTED,
        &["x"],
        "remove",
        "Remove the entry, bundle, channel or deprecation",
        run::remove,
    )
    .ranked(3)
    .ranked_on(Screen::Deprecations, 1)
    .writing(Writes::Package)
    .when(run::can_remove),
    action(
        ActionId::AddEntry,
        Everywhere,
        &["a"],
        "add entry",
        "Add a bundle to the selected channel, with its edges",
        run::add_entry,
    )
    .hinted()
    .writing(Writes::Package)
    .when(run::can_add_entry),
    action(
        ActionId::AddChannel,
        Everywhere,
        &["A"],
        "add channel",
        "Make a channel: empty, or a copy of the selected one, up to a version too",
        run::add_channel,
    )
    .writing(Writes::Package)
    .when(run::has_definition),
    action(
        ActionId::RenameChannel,
        Everywhere,
        &["f2"],
        "rename channel",
        "Give the selected channel another name, in deprecations and as the default too",
        run::rename_channel,
    )
    .writing(Writes::Package)
    .when(run::has_channel),
    action(
        ActionId::Describe,
        Everywhere,
        &[],
        "describe package",
        "Say something else of the selected package",
        run::describe,
    )
    .writing(Writes::Package)
    .when(run::has_definition),
    action(
        ActionId::SetDefault,
        Everywhere,
        &["s"],
        "make default",
        "Make the selected channel the default one",
        run::set_default,
    )
    .writing(Writes::Package)
    .when(run::can_set_default),
    action(ActionId::Undo, Everywhere, &["u"], "undo", "Take back the last edit", run::undo)
        .writing(Writes::Elsewhere)
        .when(run::can_undo),
    action(ActionId::Redo, Everywhere, &["ctrl-r"], "redo", "Bring back the edit taken back last", run::redo)
        .writing(Writes::Elsewhere)
        .when(run::can_redo),
    action(
        ActionId::EditElsewhere,
        Everywhere,
        &["C"],
        "in other catalogs",
        "Make the last edit in the other open catalogs too",
        run::edit_elsewhere,
    )
    .writing(Writes::Elsewhere)
    .when(run::can_edit_elsewhere),
    action(
        ActionId::OpenTemplate,
        Everywhere,
        &["T"],
        "open template",
        "Open the template that ci.yaml says the package is made from",
        run::open_template,
    )
    .when(run::has_template),
    action(
        ActionId::Review,
        Everywhere,
        &["ctrl-s"],
        "save",
        "Show what would be written; Enter there writes",
        run::review,
    )
    .writing(Writes::Elsewhere)
    .when(run::has_changes),
    action(
        ActionId::SaveAs,
        Everywhere,
        &[],
        "save as",
        "Write the whole catalog somewhere else",
        run::save_as,
    )
    .writing(Writes::Elsewhere)
    .when(run::has_catalog),
];
