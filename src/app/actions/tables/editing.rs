//! Table of actions that edit and save.

use crate::app::{
    actions::{adding, deprecating, editing, has_bundle, has_catalog, has_entry, other_catalogs, removing},
    keys::{
        ActionId, Screen,
        spec::{
            Context::{self, Everywhere, On},
            Writes,
        },
    },
    session::{
        action::{Action, action},
        stuck,
        target::Target,
    },
};

/// Screens with a selection that can be deprecated.
const SELECTED: Context = On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades, Screen::Deprecations]);

/// Screens with a selection that can be removed.
const REMOVABLE: Context =
    On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades, Screen::Deprecations, Screen::Template]);

/// Screens with rows that may offer a fix, for example for stuck versions.
const FIXABLE: Context = On(&[
    Screen::Catalog,
    Screen::Graph,
    Screen::Upgrades,
    Screen::Problems,
    Screen::Changes,
    Screen::Overview,
    Screen::Plan,
]);

pub(in crate::app) static EDITING: &[Action<Target>] = &[
    action(
        ActionId::ApplyFix,
        FIXABLE,
        &["."],
        "fix",
        "Show the edit that frees stuck versions, fixes the finding or adds the upgrade path; Enter applies it",
        |target, cx| stuck::free(target, cx),
    )
    .also(&["repair", "autofix", "stuck", "remedy", "add path", "dead end"])
    .hinted()
    .writing(Writes::Package)
    .when(stuck::can_free),
    action(
        ActionId::EditEntry,
        Everywhere,
        &["e"],
        "edit",
        "Edit replaces, skips and skipRange of the entry",
        editing::edit_entry,
    )
    .also(&["rewire", "modify", "change entry"])
    .hinted()
    .writing(Writes::Package)
    .when(has_entry),
    action(
        ActionId::Promote,
        Everywhere,
        &["p"],
        "promote",
        "Add the bundle to other channels",
        editing::promote,
    )
    .also(&["release", "publish", "add to channel"])
    .hinted()
    .writing(Writes::Package)
    .when(has_bundle),
    action(
        ActionId::AddBundle,
        Everywhere,
        &["P"],
        "add bundle",
        "Add a new bundle to channels of the open catalogs",
        adding::add_bundle,
    )
    .also(&["new bundle", "new version", "release bundle"])
    .writing(Writes::Elsewhere)
    .when(adding::can_add_bundle),
    action(
        ActionId::Deprecate,
        SELECTED,
        &["d"],
        "deprecate",
        "Deprecate the bundle, channel or package, edit the message, or undeprecate",
        deprecating::deprecate,
    )
    .also(&["undeprecate", "retire"])
    .ranked(3)
    .ranked_on(Screen::Deprecations, 1)
    .writing(Writes::Package)
    .when(deprecating::can_deprecate),
    action(
        ActionId::Remove,
        REMOVABLE,
        &["x"],
        "remove",
        "Remove the entry, bundle, channel or deprecation",
        removing::remove,
    )
    .also(&["delete", "prune"])
    .ranked(3)
    .ranked_on(Screen::Deprecations, 1)
    .writing(Writes::Package)
    .when(removing::can_remove),
    action(
        ActionId::AddEntry,
        Everywhere,
        &["a"],
        "add entry",
        "Add a bundle to the selected channel, with its edges",
        adding::add_entry,
    )
    .also(&["add bundle", "new bundle", "new entry"])
    .hinted()
    .writing(Writes::Package)
    .when(adding::can_add_entry),
    action(
        ActionId::AddChannel,
        Everywhere,
        &["A"],
        "add channel",
        "Add a channel: empty, or a copy of the selected one, also up to a version",
        adding::add_channel,
    )
    .also(&["new channel", "create channel"])
    .writing(Writes::Package)
    .when(adding::has_definition),
    action(
        ActionId::RenameChannel,
        Everywhere,
        &["f2"],
        "rename channel",
        "Rename the selected channel, also as default channel and in deprecations",
        adding::rename_channel,
    )
    .writing(Writes::Package)
    .when(adding::has_channel),
    action(
        ActionId::Describe,
        Everywhere,
        &[],
        "describe package",
        "Edit the package description",
        adding::describe,
    )
    .also(&["edit description"])
    .writing(Writes::Package)
    .when(adding::has_definition),
    action(
        ActionId::SetDefault,
        Everywhere,
        &["s"],
        "make default",
        "Make the selected channel the default channel",
        editing::set_default,
    )
    .also(&["default channel"])
    .writing(Writes::Package)
    .when(editing::can_set_default),
    action(ActionId::Undo, Everywhere, &["u"], "undo", "Undo the last edit", editing::undo)
        .also(&["revert", "take back"])
        .writing(Writes::Elsewhere)
        .when(editing::can_undo),
    action(ActionId::Redo, Everywhere, &["ctrl-r"], "redo", "Redo the last edit", editing::redo)
        .writing(Writes::Elsewhere)
        .when(editing::can_redo),
    action(
        ActionId::EditElsewhere,
        Everywhere,
        &["C"],
        "in other catalogs",
        "Repeat the last edit in the other open catalogs",
        other_catalogs::edit_elsewhere,
    )
    .also(&["copy edit", "all catalogs"])
    .writing(Writes::Elsewhere)
    .when(other_catalogs::can_edit_elsewhere),
    action(
        ActionId::OpenTemplate,
        Everywhere,
        &["T"],
        "open template",
        "Open the template of the package, as named in ci.yaml",
        other_catalogs::open_template,
    )
    .when(other_catalogs::has_template),
    action(
        ActionId::Review,
        Everywhere,
        &["ctrl-s"],
        "save",
        "Review the changed files; Enter there saves",
        editing::review,
    )
    .also(&["write"])
    .writing(Writes::Elsewhere)
    .when(editing::has_changes),
    action(
        ActionId::SaveAs,
        Everywhere,
        &[],
        "save as",
        "Save the whole catalog as a copy",
        editing::save_as,
    )
    .also(&["write", "export catalog"])
    .ending_what_if()
    .writing(Writes::Elsewhere)
    .when(has_catalog),
];
