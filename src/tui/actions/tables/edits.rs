//! Table of actions that edit and save.

use crate::tui::{
    actions::{additions, deprecation, edits, has_bundle, has_catalog, has_entry, other_catalogs, removal},
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, Everywhere, On},
            WriteScope,
        },
    },
    session::{
        action::{Action, action},
        stuck_versions,
        target::Target,
    },
};

/// Screens with a selection that can be deprecated.
const DEPRECATION_SCREENS: ActionContext =
    On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades, Screen::Deprecations]);

/// Screens with a selection that can be removed.
const REMOVAL_SCREENS: ActionContext =
    On(&[Screen::Catalog, Screen::Graph, Screen::Upgrades, Screen::Deprecations, Screen::Template]);

/// Screens with rows that may offer a fix, for example for stuck versions.
const FIX_SCREENS: ActionContext = On(&[
    Screen::Catalog,
    Screen::Graph,
    Screen::Upgrades,
    Screen::Problems,
    Screen::Changes,
    Screen::Overview,
    Screen::Plan,
]);

pub(in crate::tui) static EDIT_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::ApplyFix,
        FIX_SCREENS,
        &["."],
        "fix",
        "Show the edit that frees stuck versions, fixes the finding or adds the upgrade path; Enter applies it",
        |target, cx| stuck_versions::free_versions(target, cx),
    )
    .with_search_terms(&["repair", "autofix", "stuck", "remedy", "add path", "dead end"])
    .with_hint()
    .with_write_scope(WriteScope::Package)
    .enabled_when(stuck_versions::can_free_versions),
    action(
        ActionId::EditEntry,
        Everywhere,
        &["e"],
        "edit",
        "Edit replaces, skips and skipRange of the entry",
        edits::edit_entry,
    )
    .with_search_terms(&["rewire", "modify", "change entry"])
    .with_hint()
    .with_write_scope(WriteScope::Package)
    .enabled_when(has_entry),
    action(
        ActionId::Promote,
        Everywhere,
        &["p"],
        "promote",
        "Add the bundle to other channels",
        edits::open_promotion,
    )
    .with_search_terms(&["release", "publish", "add to channel"])
    .with_hint()
    .with_write_scope(WriteScope::Package)
    .enabled_when(has_bundle),
    action(
        ActionId::AddBundle,
        Everywhere,
        &["P"],
        "add bundle",
        "Add a new bundle to channels of the open catalogs",
        additions::add_bundle,
    )
    .with_search_terms(&["new bundle", "new version", "release bundle"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(additions::can_add_bundle),
    action(
        ActionId::Deprecate,
        DEPRECATION_SCREENS,
        &["d"],
        "deprecate",
        "Deprecate the bundle, channel or package, edit the message, or undeprecate",
        deprecation::open_deprecation,
    )
    .with_search_terms(&["undeprecate", "retire"])
    .with_hint_rank(3)
    .with_hint_rank_on(Screen::Deprecations, 1)
    .with_write_scope(WriteScope::Package)
    .enabled_when(deprecation::can_deprecate),
    action(
        ActionId::Remove,
        REMOVAL_SCREENS,
        &["x"],
        "remove",
        "Remove the entry, bundle, channel or deprecation",
        removal::remove_selection,
    )
    .with_search_terms(&["delete", "prune"])
    .with_hint_rank(3)
    .with_hint_rank_on(Screen::Deprecations, 1)
    .with_write_scope(WriteScope::Package)
    .enabled_when(removal::can_remove),
    action(
        ActionId::AddEntry,
        Everywhere,
        &["a"],
        "add entry",
        "Add a bundle to the selected channel, with its edges",
        additions::add_entry,
    )
    .with_search_terms(&["add bundle", "new bundle", "new entry"])
    .with_hint()
    .with_write_scope(WriteScope::Package)
    .enabled_when(additions::can_add_entry),
    action(
        ActionId::AddChannel,
        Everywhere,
        &["A"],
        "add channel",
        "Add a channel: empty, or a copy of the selected one, also up to a version",
        additions::add_channel,
    )
    .with_search_terms(&["new channel", "create channel"])
    .with_write_scope(WriteScope::Package)
    .enabled_when(additions::has_definition),
    action(
        ActionId::RenameChannel,
        Everywhere,
        &["f2"],
        "rename channel",
        "Rename the selected channel, also as default channel and in deprecations",
        additions::rename_channel,
    )
    .with_write_scope(WriteScope::Package)
    .enabled_when(additions::has_channel),
    action(
        ActionId::Describe,
        Everywhere,
        &[],
        "describe package",
        "Edit the package description",
        additions::edit_description,
    )
    .with_search_terms(&["edit description"])
    .with_write_scope(WriteScope::Package)
    .enabled_when(additions::has_definition),
    action(
        ActionId::SetDefault,
        Everywhere,
        &["s"],
        "make default",
        "Make the selected channel the default channel",
        edits::set_default,
    )
    .with_search_terms(&["default channel"])
    .with_write_scope(WriteScope::Package)
    .enabled_when(edits::can_set_default),
    action(ActionId::Undo, Everywhere, &["u"], "undo", "Undo the last edit", edits::undo_edit)
        .with_search_terms(&["revert", "take back"])
        .with_write_scope(WriteScope::OtherFiles)
        .enabled_when(edits::can_undo),
    action(ActionId::Redo, Everywhere, &["ctrl-r"], "redo", "Redo the last edit", edits::redo_edit)
        .with_write_scope(WriteScope::OtherFiles)
        .enabled_when(edits::can_redo),
    action(
        ActionId::EditElsewhere,
        Everywhere,
        &["C"],
        "in other catalogs",
        "Repeat the last edit in the other open catalogs",
        other_catalogs::edit_elsewhere,
    )
    .with_search_terms(&["copy edit", "all catalogs"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(other_catalogs::can_edit_elsewhere),
    action(
        ActionId::OpenTemplate,
        Everywhere,
        &["T"],
        "open template",
        "Open the template of the package, as named in ci.yaml",
        other_catalogs::open_template,
    )
    .enabled_when(other_catalogs::has_template),
    action(
        ActionId::Review,
        Everywhere,
        &["ctrl-s"],
        "save",
        "Review the changed files; Enter there saves",
        edits::review_changes,
    )
    .with_search_terms(&["write"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(edits::has_changes),
    action(
        ActionId::SaveAs,
        Everywhere,
        &[],
        "save as",
        "Save the whole catalog as a copy",
        edits::save_as,
    )
    .with_search_terms(&["write", "export catalog"])
    .with_what_if_end()
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(has_catalog),
];
