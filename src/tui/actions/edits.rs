//! Actions that edit entries and the default channel, promote bundles, repeat an edit in other
//! catalogs, undo, redo and save.

use crate::tui::{
    actions::{
        additions, deprecation, has_catalog, has_entry, removal, selected_channel, selected_entry,
        selected_package,
    },
    dialogs::{
        edit_choice::{self, EditChoice},
        entry_form::EntryForm,
        menu::{Menu, MenuChoice, MenuItem},
        other_catalogs::OtherCatalogs,
        save_refusal,
    },
    keys::{
        ActionId, Screen,
        spec::{
            ActionContext::{self, Everywhere, On},
            Enabled, WriteScope,
        },
    },
    session::{
        Session,
        action::{Action, Target, action},
        context::{Context, ViewContext},
        jobs::load,
        saving, stuck_versions,
    },
    work::{Jump, Source},
};
use olm_catalog::TemplateSource;
use olm_edit::Edit;

pub(super) fn edit_entry(target: &mut Target, cx: &mut Context<'_>) {
    let Ok(spec) = selected_entry(target, &cx.view()).map(olm_catalog::blob::Entry::to_spec) else {
        return;
    };
    let names = (target.package.clone(), target.channel.clone(), target.bundle.clone());
    if let (Some(package), Some(channel), Some(entry)) = names {
        cx.open_dialog(EntryForm::new(package, channel, entry, spec, false, cx.session));
    }
}

pub(super) fn can_set_default(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    let channel = selected_channel(target)?;
    match selected_package(target, view_cx)?.package().default_channel() {
        Some(default) if default == channel => Err(format!("{channel} is already the default channel")),
        _ => Ok(()),
    }
}

/// Opens the preview of another default channel.
pub(super) fn set_default(target: &mut Target, cx: &mut Context<'_>) {
    let (Some(package), Some(channel)) = (target.package.clone(), target.channel.clone()) else { return };
    let title = format!("Default channel of {package}");
    let edit = Edit::SetDefaultChannel { package, channel };
    cx.open_dialog(EditChoice::from_edit(title, edit, cx.session));
}

pub(super) fn can_undo(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    let undoable = view_cx.session.current_catalog().and_then(|open| open.history.undo_title());
    undoable.map(|_| ()).ok_or_else(|| "there is nothing to undo".to_owned())
}

pub(super) fn can_redo(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    let redoable = view_cx.session.current_catalog().and_then(|open| open.history.redo_title());
    redoable.map(|_| ()).ok_or_else(|| "there is nothing to redo".to_owned())
}

pub(super) fn undo_edit(_: &mut Target, cx: &mut Context<'_>) {
    let undone = cx.session.catalogs.undo();
    cx.session.correct_all_selections();
    if let Some(undone) = undone {
        cx.notices.report_done(undone.notice_text("undone"));
    }
}

pub(super) fn redo_edit(_: &mut Target, cx: &mut Context<'_>) {
    let redone = cx.session.catalogs.redo();
    cx.session.correct_all_selections();
    if let Some(redone) = redone {
        cx.notices.report_done(redone.notice_text("redone"));
    }
}

pub(super) fn has_changes(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    saving::has_changes(view_cx)
}

/// Opens the Changes screen with the pending file contents instead of the comparison; there, saves.
pub(super) fn review_changes(_: &mut Target, cx: &mut Context<'_>) {
    if cx.session.navigation.screen == Screen::Changes && !cx.session.shows_comparison() {
        return save_refusal::save_all(cx);
    }
    cx.session.navigation.shows_unsaved_edits = true;
    cx.go_to(Jump::Screen(Screen::Changes));
}

pub(super) fn save_as(_: &mut Target, cx: &mut Context<'_>) {
    save_refusal::save_as(cx);
}

pub(super) fn can_edit_elsewhere(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    if view_cx.session.catalogs.all().len() < 2 {
        return Err("only one catalog is open".to_owned());
    }
    let edit = view_cx.session.current_catalog().and_then(|open| open.history.last_edit());
    edit.map(|_| ()).ok_or_else(|| "no edit was made in this catalog".to_owned())
}

pub(super) fn edit_elsewhere(_: &mut Target, cx: &mut Context<'_>) {
    if let Some(dialog) = OtherCatalogs::from_last_edit(&cx.view()) {
        cx.open_dialog(dialog);
    }
}

/// Returns the template of the selected package. On the Changes screen, templates of edited
/// packages come first, those that are not open before others.
fn find_template<'a>(target: &Target, session: &'a Session) -> Option<&'a TemplateSource> {
    let open = session.current_catalog()?;
    let edited: Vec<&TemplateSource> =
        open.edited_generated_packages().into_iter().map(|(_, template)| template).collect();
    let is_shut = |template: &&&TemplateSource| session.catalogs.find(&template_source(template)).is_none();
    let edited = edited.iter().find(is_shut).or(edited.first()).copied();
    let selected =
        target.package.as_ref().and_then(|name| open.visible_state().catalog.template_source(name));
    if session.navigation.screen == Screen::Changes { edited.or(selected) } else { selected.or(edited) }
}

fn template_source(template: &TemplateSource) -> Source {
    Source::Path(template.path.clone())
}

pub(super) fn has_template(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    if let Some(busy) = view_cx.session.waiting.busy {
        return Err(busy.block_reason().to_owned());
    }
    let found = find_template(target, view_cx.session).map(|_| ());
    found.ok_or_else(|| "no ci.yaml names a template for the package".to_owned())
}

/// Opens the template next to the catalog, or switches to it if it is already open.
pub(super) fn open_template(target: &mut Target, cx: &mut Context<'_>) {
    let Some(source) = find_template(target, cx.session).map(template_source) else { return };
    load::open_catalog(cx, source);
}

/// Screens about the content of a catalog.
pub(super) const CATALOG_SCREENS: ActionContext = On(&[
    Screen::Packages,
    Screen::Graph,
    Screen::Upgrades,
    Screen::Problems,
    Screen::Deprecations,
    Screen::Changes,
    Screen::Bundle,
    Screen::Template,
]);

/// Screens with a selection that can be deprecated.
const DEPRECATION_SCREENS: ActionContext =
    On(&[Screen::Packages, Screen::Graph, Screen::Upgrades, Screen::Deprecations]);

/// Screens with a selection that can be removed.
const REMOVAL_SCREENS: ActionContext = On(&[
    Screen::Packages,
    Screen::Graph,
    Screen::Upgrades,
    Screen::Deprecations,
    Screen::Template,
    Screen::Resolve,
]);

/// Screens with rows that may offer a fix, for example for stuck versions.
const FIX_SCREENS: ActionContext = On(&[
    Screen::Packages,
    Screen::Graph,
    Screen::Upgrades,
    Screen::Problems,
    Screen::Deprecations,
    Screen::Changes,
    Screen::Bundle,
    Screen::Plan,
]);

/// Rare edits of the package.
static EDIT_ITEMS: &[MenuItem] = &[
    MenuItem {
        letter: 'c',
        doc: "add a channel: empty, or a copy of the selected one, also up to a version",
        is_enabled: additions::has_definition,
        choice: MenuChoice::Run(additions::add_channel),
    },
    MenuItem {
        letter: 'r',
        doc: "rename the selected channel, also as default channel and in deprecations",
        is_enabled: additions::has_channel,
        choice: MenuChoice::Run(additions::rename_channel),
    },
    MenuItem {
        letter: 's',
        doc: "make the selected channel the default channel",
        is_enabled: can_set_default,
        choice: MenuChoice::Run(set_default),
    },
    MenuItem {
        letter: 'd',
        doc: "edit the package description",
        is_enabled: additions::has_definition,
        choice: MenuChoice::Run(additions::edit_description),
    },
];

fn open_edit_menu(target: &mut Target, cx: &mut Context<'_>) {
    let menu = Menu::from_items("Edit the package", target.clone(), EDIT_ITEMS, &cx.view());
    cx.open_dialog(menu);
}

pub(in crate::tui) static EDIT_ACTIONS: &[Action<Target>] = &[
    action(
        ActionId::ApplyFix,
        FIX_SCREENS,
        &["."],
        "fix",
        "Show the edit that frees stuck versions, fixes the finding or adds the upgrade path; Enter applies it",
        |target, cx| edit_choice::free_versions(target, cx),
    )
    .with_search_terms(&["repair", "autofix", "stuck", "unstick", "free", "remedy", "add path", "dead end", "rescue", "stranded", "blocked"])
    .with_hint()
    .with_hint_rank_on(Screen::Graph, 0)
    .with_write_scope(WriteScope::AfterPreview)
    .enabled_when(stuck_versions::can_free_versions),
    action(
        ActionId::EditEntry,
        CATALOG_SCREENS,
        &["e"],
        "edit",
        "Edit replaces, skips and skipRange of the entry",
        edit_entry,
    )
    .with_search_terms(&["rewire", "modify", "change entry", "downgrade"])
    .with_hint()
    .with_write_scope(WriteScope::Package)
    .enabled_when(has_entry),
    action(
        ActionId::Release,
        CATALOG_SCREENS,
        &["p"],
        "release",
        "Release the bundle, or a new one, to channels of the open catalogs",
        additions::release_bundle,
    )
    .with_search_terms(&["promote", "publish", "add bundle", "new bundle", "new version", "add to channel", "insert", "withdraw"])
    .with_hint()
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(additions::can_release),
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
        CATALOG_SCREENS,
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
        ActionId::MoreEdits,
        CATALOG_SCREENS,
        &["A"],
        "more edits",
        "Add a channel, rename the selected one or make it the default, or edit the package description",
        open_edit_menu,
    )
    .with_search_terms(&["add channel", "new channel", "create channel", "rename channel", "describe package"])
    .with_write_scope(WriteScope::Package)
    .enabled_when(has_catalog),
    action(
        ActionId::SetDefault,
        On(&[Screen::Packages, Screen::Template]),
        &["s"],
        "make default",
        "Make the selected channel the default channel",
        set_default,
    )
    .with_search_terms(&["default channel"])
    .with_write_scope(WriteScope::Package)
    .enabled_when(can_set_default),
    action(ActionId::Undo, Everywhere, &["u"], "undo", "Undo the last edit", undo_edit)
        .with_search_terms(&["revert", "take back", "rollback", "discard"])
        .with_write_scope(WriteScope::OtherFiles)
        .enabled_when(can_undo),
    action(ActionId::Redo, Everywhere, &["ctrl-r"], "redo", "Redo the last edit", redo_edit)
        .with_write_scope(WriteScope::OtherFiles)
        .enabled_when(can_redo),
    action(
        ActionId::EditElsewhere,
        CATALOG_SCREENS,
        &["C"],
        "in other catalogs",
        "Repeat the last edit in the other open catalogs",
        edit_elsewhere,
    )
    .with_search_terms(&["copy edit", "all catalogs"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(can_edit_elsewhere),
    action(
        ActionId::OpenTemplate,
        CATALOG_SCREENS,
        &["T"],
        "open template",
        "Open the template of the package, as named in ci.yaml",
        open_template,
    )
    .enabled_when(has_template),
    action(
        ActionId::Review,
        Everywhere,
        &["ctrl-s"],
        "save",
        "Review the changed files; pressed again there, save them",
        review_changes,
    )
    .with_search_terms(&["write"])
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(has_changes),
    action(
        ActionId::SaveAs,
        On(&[Screen::Changes]),
        &[],
        "save as",
        "Save the whole catalog as a copy",
        save_as,
    )
    .with_search_terms(&["write", "export catalog"])
    .with_what_if_end()
    .with_write_scope(WriteScope::OtherFiles)
    .enabled_when(has_catalog),
];
