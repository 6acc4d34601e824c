//! Actions that edit entries and the default channel, promote bundles, undo, redo and save.

use super::{channel, entry, package};
use crate::{
    app::{
        keys::{Screen, spec::Enabled},
        session::{
            cx::{Cx, See},
            saving,
            target::Target,
        },
        work::{Jump, Opening},
    },
    edit::Edit,
};

pub(super) fn edit_entry(target: &mut Target, cx: &mut Cx<'_>) {
    let Ok(spec) = entry(target, &cx.see()).map(crate::catalog::blob::Entry::spec) else { return };
    let names = (target.package.clone(), target.channel.clone(), target.bundle.clone());
    if let (Some(package), Some(channel), Some(entry)) = names {
        cx.open(Opening::Entry { package, channel, entry, spec, is_new: false });
    }
}

pub(super) fn promote(target: &mut Target, cx: &mut Cx<'_>) {
    if let (Some(package), Some(bundle)) = (target.package.clone(), target.bundle.clone()) {
        cx.open(Opening::Promote { package, bundle });
    }
}

pub(super) fn can_set_default(target: &Target, see: &See<'_>) -> Enabled {
    let channel = channel(target)?;
    match package(target, see)?.package().default_channel() {
        Some(default) if default == channel => Err(format!("{channel} is already the default channel")),
        _ => Ok(()),
    }
}

/// Opens the preview of another default channel.
pub(super) fn set_default(target: &mut Target, cx: &mut Cx<'_>) {
    let (Some(package), Some(channel)) = (target.package.clone(), target.channel.clone()) else { return };
    let title = format!("Default channel of {package}");
    cx.open(Opening::preview(title, Edit::SetDefaultChannel { package, channel }));
}

pub(super) fn can_undo(_: &Target, see: &See<'_>) -> Enabled {
    let undoable = see.session.catalog().and_then(|open| open.history.undoable());
    undoable.map(|_| ()).ok_or_else(|| "there is nothing to undo".to_owned())
}

pub(super) fn can_redo(_: &Target, see: &See<'_>) -> Enabled {
    let redoable = see.session.catalog().and_then(|open| open.history.redoable());
    redoable.map(|_| ()).ok_or_else(|| "there is nothing to redo".to_owned())
}

pub(super) fn undo(_: &mut Target, cx: &mut Cx<'_>) {
    let undone = cx.session.undo();
    cx.session.settle_all();
    if let Some(undone) = undone {
        cx.notices.done(undone.words("undone"));
    }
}

pub(super) fn redo(_: &mut Target, cx: &mut Cx<'_>) {
    let redone = cx.session.redo();
    cx.session.settle_all();
    if let Some(redone) = redone {
        cx.notices.done(redone.words("redone"));
    }
}

pub(super) fn has_changes(_: &Target, see: &See<'_>) -> Enabled {
    saving::has_changes(see)
}

/// Opens the Changes screen with the pending file contents instead of the comparison.
pub(super) fn review(_: &mut Target, cx: &mut Cx<'_>) {
    cx.session.shows_bytes = true;
    cx.go(Jump::Screen(Screen::Changes));
}

pub(super) fn save_as(_: &mut Target, cx: &mut Cx<'_>) {
    saving::save_as(cx);
}
