//! Actions that edit entries and the default channel, promote bundles, undo, redo and save.

use super::{selected_channel, selected_entry, selected_package};
use crate::tui::{
    keys::{Screen, spec::Enabled},
    session::{
        context::{Context, ViewContext},
        saving,
        target::Target,
    },
    work::{DialogRequest, Jump},
};
use olm_edit::Edit;

pub(super) fn edit_entry(target: &mut Target, cx: &mut Context<'_>) {
    let Ok(spec) = selected_entry(target, &cx.view()).map(olm_catalog::blob::Entry::to_spec) else {
        return;
    };
    let names = (target.package.clone(), target.channel.clone(), target.bundle.clone());
    if let (Some(package), Some(channel), Some(entry)) = names {
        cx.open_dialog(DialogRequest::Entry { package, channel, entry, spec, is_new: false });
    }
}

pub(super) fn open_promotion(target: &mut Target, cx: &mut Context<'_>) {
    if let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) {
        cx.open_dialog(DialogRequest::Promote { package, bundle });
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
    cx.open_dialog(DialogRequest::preview_edit(title, Edit::SetDefaultChannel { package, channel }));
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
    let undone = cx.session.undo();
    cx.session.correct_all_selections();
    if let Some(undone) = undone {
        cx.notices.report_done(undone.notice_text("undone"));
    }
}

pub(super) fn redo_edit(_: &mut Target, cx: &mut Context<'_>) {
    let redone = cx.session.redo();
    cx.session.correct_all_selections();
    if let Some(redone) = redone {
        cx.notices.report_done(redone.notice_text("redone"));
    }
}

pub(super) fn has_changes(_: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    saving::has_changes(view_cx)
}

/// Opens the Changes screen with the pending file contents instead of the comparison.
pub(super) fn review_changes(_: &mut Target, cx: &mut Context<'_>) {
    cx.session.shows_unsaved_edits = true;
    cx.go_to(Jump::Screen(Screen::Changes));
}

pub(super) fn save_as(_: &mut Target, cx: &mut Context<'_>) {
    saving::save_as(cx);
}
