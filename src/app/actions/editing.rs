//! An entry's edges, promotion, fixes, the default channel; undo.

use crate::app::keys::spec::Enabled;
use crate::app::shell::keeping;
use crate::app::work::Opening;
use crate::{
    app::{keys::ActionId, parts::list::ListId, shell::model::Model, work::Effect},
    edit::Edit,
};

/// Why the current catalog cannot be written in place is no reason not to edit it: it can be saved elsewhere.
pub fn has_entry(model: &Model) -> Enabled {
    let selection = model.session.selection();
    let entry = model.session.package().and_then(|package| {
        let channel = package.package().channel(selection.channel.as_ref()?.as_str())?;
        let bundle = selection.bundle.as_ref()?;
        channel.entries.iter().find(|e| &e.name.value == bundle).map(|_| ())
    });
    entry.ok_or_else(|| "no entry is selected".to_owned())
}

pub fn edit_entry(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    if let (Some(package), Some(channel), Some(bundle)) =
        (selection.package, selection.channel, selection.bundle)
        && let Some(spec) = model.session.package().and_then(|p| {
            let entries = &p.package().channel(channel.as_str())?.entries;
            entries.iter().find(|e| e.name.value == bundle).map(crate::catalog::blob::Entry::spec)
        })
    {
        model.open(Opening::Entry { package, channel, entry: bundle, spec, is_new: false });
    }
    Vec::new()
}

pub fn promote(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    if let (Some(package), Some(bundle)) = (selection.package, selection.bundle) {
        model.open(Opening::Promote { package, bundle });
    }
    Vec::new()
}

/// The fix of the selected finding.
fn fix(model: &Model) -> Option<Edit> {
    let row = model.cursor(ListId::Problems)?;
    model.derived.problems().get(row)?.finding.fix.clone()
}

pub fn has_fix(model: &Model) -> Enabled {
    fix(model).map(|_| ()).ok_or_else(|| {
        format!("this finding has no single right answer: {} goes there", model.key(ActionId::In))
    })
}

pub fn apply_fix(model: &mut Model) -> Vec<Effect> {
    if let Some(edit) = fix(model) {
        make(model, edit);
    }
    Vec::new()
}

/// Makes an edit at once; undo takes it back.
fn make(model: &mut Model, edit: Edit) {
    match model.session.preview(edit) {
        Ok(outcome) => keeping::accept(model, &outcome),
        Err(error) => model.notices.refused(error),
    }
}

pub fn can_set_default(model: &Model) -> Enabled {
    let channel =
        model.session.selection().channel.as_ref().ok_or_else(|| "no channel is selected".to_owned())?;
    let package = model.session.package().ok_or_else(|| "no package is selected".to_owned())?.package();
    match package.default_channel() {
        Some(default) if default == channel => Err(format!("{channel} is the default channel already")),
        _ => Ok(()),
    }
}

pub fn set_default(model: &mut Model) -> Vec<Effect> {
    let selection = model.session.selection().clone();
    if let (Some(package), Some(channel)) = (selection.package, selection.channel) {
        make(model, Edit::SetDefaultChannel { package, channel });
    }
    Vec::new()
}

pub fn can_undo(model: &Model) -> Enabled {
    let undoable = model.session.catalog().and_then(|open| open.history.undoable());
    undoable.map(|_| ()).ok_or_else(|| "there is no edit to take back".to_owned())
}

pub fn can_redo(model: &Model) -> Enabled {
    let redoable = model.session.catalog().and_then(|open| open.history.redoable());
    redoable.map(|_| ()).ok_or_else(|| "no edit was taken back".to_owned())
}

pub fn undo(model: &mut Model) -> Vec<Effect> {
    let undone = model.session.catalog_mut().and_then(|open| open.history.undo().map(str::to_owned));
    model.session.settle();
    if let Some(title) = undone {
        model.notices.done(format!("taken back: {title}"));
    }
    Vec::new()
}

pub fn redo(model: &mut Model) -> Vec<Effect> {
    let redone = model.session.catalog_mut().and_then(|open| open.history.redo().map(str::to_owned));
    model.session.settle();
    if let Some(title) = redone {
        model.notices.done(format!("done again: {title}"));
    }
    Vec::new()
}
